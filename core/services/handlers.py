"""Which function makes which command true: one table, closed over all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.domain import commands as c
from core.domain import commands_chat as cc
from core.domain import commands_documents as cd
from core.domain import commands_extract as ce
from core.domain import commands_floors as cfl
from core.domain import commands_folders as cf
from core.domain import commands_graph as cg
from core.domain import commands_health as ch
from core.domain import commands_merge as cm
from core.domain import commands_proposals as cp
from core.domain import commands_recall as cr
from core.domain import commands_sayings as csa
from core.domain import commands_schema as cs
from core.domain import commands_search as css
from core.domain import commands_transfer as ct
from core.domain import commands_upkeep as cu
from core.ports.store import UnitOfWork
from core.services import (
    attributes,
    chats,
    compress,
    documents,
    floor_marks,
    folder_ends,
    folder_values,
    folders,
    forget,
    life,
    memories,
    memos,
    merge,
    moving,
    old_texts,
    pins,
    promote,
    proposal_apply,
    recall_cases,
    relations,
    repair,
    replace,
    saved_searches,
    schema,
    schema_desk,
    sources,
    told_apart,
    transfer,
    trials,
    unmerge,
    upsert,
)
from core.services.outcome import Outcome

Handler = Callable[[UnitOfWork, Any], Outcome]
"""Takes the unit of work and a command of the type under which the table names it."""

HANDLERS: Mapping[type[c.Command], Handler] = {
    c.CreateMemory: memories.create,
    c.EditMemory: memories.edit,
    c.MergeIntoMemory: upsert.merge_into,
    cu.ApplyPromotion: promote.carry_out,
    cm.MergeMemories: merge.merge,
    cm.UnmergeMemories: unmerge.unmerge,
    cm.MarkNotDuplicate: told_apart.mark,
    cm.UnmarkNotDuplicate: told_apart.unmark,
    cm.SettleContradiction: told_apart.settle,
    cu.JudgeTrials: trials.judge,
    cu.ForgetMemories: forget.forget,
    cu.UnfoldSummaries: compress.unfold,
    c.ChangeTags: attributes.change_tags,
    c.SetTags: attributes.set_tags,
    c.SetAliases: attributes.set_aliases,
    c.SetImportance: attributes.set_importance,
    c.SetLayer: life.set_layer,
    c.SetType: attributes.set_type,
    c.SetStatus: life.set_status,
    c.SetVisibility: attributes.set_visibility,
    c.SetLocked: attributes.set_locked,
    c.MoveMemories: moving.move,
    c.CopyMemories: moving.copy,
    c.ArchiveMemories: life.archive,
    c.RestoreMemories: life.restore,
    c.TrashMemories: life.trash,
    c.UntrashMemories: life.untrash,
    c.EmptyTrash: life.empty_trash,
    c.DeletePermanently: life.delete_permanently,
    c.FindAndReplace: replace.replace,
    cf.CreateFolder: folders.create,
    cf.RenameFolder: folders.rename,
    cf.MergeFolders: folder_ends.merge,
    cf.DeleteFolder: folder_ends.delete,
    cf.SetAlsoReads: folders.set_also_reads,
    cf.EditFolder: folders.edit,
    ce.SetFolderValues: folder_values.set_values,
    cg.AddEdge: relations.add,
    cg.EditEdge: relations.edit,
    cg.EndEdges: relations.end,
    cg.RemoveEdges: relations.remove,
    cc.MoveChatPointer: chats.move_pointer,
    cfl.MarkLookedAt: floor_marks.looked_at,
    csa.KeepOldTexts: old_texts.keep,
    cg.PinMemories: pins.pin,
    cg.UnpinMemories: pins.unpin,
    cg.GroupMemories: pins.group,
    cu.KeepMemo: memos.keep,
    cu.RemoveMemos: memos.remove,
    ch.RepairFaults: repair.carry_out,
    ch.ArrangeTypes: schema_desk.arrange,
    ch.ImportSchema: schema_desk.import_all,
    cs.SaveMemoryType: schema.save_type,
    cs.RemoveMemoryType: schema.remove_type,
    cs.SaveRelationType: schema.save_relation,
    cs.RemoveRelationType: schema.remove_relation,
    cr.SaveRecallCases: recall_cases.save,
    cr.RemoveRecallCases: recall_cases.remove,
    cr.ImportRecallCases: recall_cases.import_lines,
    css.SaveSearch: saved_searches.save,
    css.RenameSavedSearch: saved_searches.rename,
    css.ChangeSavedSearch: saved_searches.change,
    css.OrderSavedSearches: saved_searches.order,
    css.RemoveSavedSearches: saved_searches.remove,
    cd.IngestDocument: documents.ingest,
    cd.ReplaceDocument: documents.replace,
    cd.DeleteDocuments: documents.delete,
    cd.RenameDocument: documents.rename,
    ct.ApplyImport: transfer.apply_import,
    ct.NoteWritten: sources.note_written,
    cp.ApplyProposal: proposal_apply.apply,
    cp.DismissProposal: proposal_apply.dismiss,
}
