"""Which function makes which command true: one table, closed over all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.domain import commands as c
from core.domain import commands_chat as cc
from core.domain import commands_extract as ce
from core.domain import commands_floors as cf
from core.domain import commands_health as ch
from core.domain import commands_merge as cm
from core.domain import commands_proposals as cp
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
    pins,
    promote,
    proposal_apply,
    recall_cases,
    relations,
    repair,
    replace,
    schema,
    schema_desk,
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
    c.ApplyPromotion: promote.carry_out,
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
    c.CreateFolder: folders.create,
    c.RenameFolder: folders.rename,
    c.MergeFolders: folder_ends.merge,
    c.DeleteFolder: folder_ends.delete,
    c.SetAlsoReads: folders.set_also_reads,
    c.EditFolder: folders.edit,
    ce.SetFolderValues: folder_values.set_values,
    c.AddEdge: relations.add,
    c.EditEdge: relations.edit,
    c.EndEdges: relations.end,
    c.RemoveEdges: relations.remove,
    cc.MoveChatPointer: chats.move_pointer,
    cf.MarkLookedAt: floor_marks.looked_at,
    c.PinMemories: pins.pin,
    c.UnpinMemories: pins.unpin,
    c.GroupMemories: pins.group,
    c.KeepMemo: memos.keep,
    c.RemoveMemos: memos.remove,
    ch.RepairFaults: repair.carry_out,
    ch.ArrangeTypes: schema_desk.arrange,
    ch.ImportSchema: schema_desk.import_all,
    c.SaveMemoryType: schema.save_type,
    c.RemoveMemoryType: schema.remove_type,
    c.SaveRelationType: schema.save_relation,
    c.RemoveRelationType: schema.remove_relation,
    c.SaveRecallCases: recall_cases.save,
    c.RemoveRecallCases: recall_cases.remove,
    c.ImportRecallCases: recall_cases.import_lines,
    c.IngestDocument: documents.ingest,
    c.ReplaceDocument: documents.replace,
    c.DeleteDocuments: documents.delete,
    c.RenameDocument: documents.rename,
    c.ApplyImport: transfer.apply_import,
    cp.ApplyProposal: proposal_apply.apply,
    cp.DismissProposal: proposal_apply.dismiss,
}
