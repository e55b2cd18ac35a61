"""Queries that a reader alone can answer: one table `query type -> function`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain import queries_chat as qc
from core.domain import queries_documents as qd
from core.domain import queries_merge as qm
from core.domain import queries_proposals as qp
from core.domain import queries_recall as qr
from core.domain import queries_related as qre
from core.domain import queries_sayings as qsa
from core.domain import queries_schema as qs
from core.domain import queries_search as qf
from core.domain import queries_upkeep as qu
from core.domain.document import DocumentRow
from core.domain.edge import Edge, lives
from core.domain.errors import NotFound
from core.domain.folder import Document, Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.results import (
    EdgeView,
    Facets,
    FolderNode,
    LibraryCounts,
    MemoryDetail,
    MemoryRow,
    ReplacePreview,
)
from core.domain.safe_text import storable
from core.domain.schema import Schema
from core.ports.store import Reader
from core.services import (
    chats,
    documents,
    memos,
    merge_plan,
    promote,
    proposals,
    recall_cases,
    related,
    replace,
    saved_searches,
    schema_desk,
    search_help,
    searching,
    whole,
)
from core.services.edge_views import edge_views
from core.services.lookup import follow_merged, memory_of
from core.services.moving import crossing

Answer = Callable[[Reader, Any], Any]
"""Takes the reader and a query of the type under which the table names it."""


def list_memories(reader: Reader, query: q.ListMemories) -> array[int]:
    """Pks that pass the filter, in order."""
    return reader.memory_ids(searching.read_filter(reader, query.filter), query.sort)


def memory_rows(reader: Reader, query: q.MemoryRows) -> tuple[MemoryRow, ...]:
    """Rows of the table."""
    return tuple(reader.memory_rows(query.pks))


def memories(reader: Reader, query: q.Memories) -> tuple[Memory, ...]:
    """Whole records."""
    return tuple(reader.records(Memory, query.pks))


def detail(reader: Reader, query: q.MemoryDetailOf) -> MemoryDetail:
    """Everything about one memory. A merged one is shown itself: its survivor is `merged_into`.

    Errors: NotFound.
    """
    memory = memory_of(reader, query.pk)
    pk = memory.pk
    aliases = reader.aliases_of([pk]).get(pk, [])
    parents = reader.memory_rows([memory.parent]) if memory.parent is not None else []
    children = [MemoryPk(child) for child in reader.children_of([pk])]
    documents = reader.records(Document, [memory.document]) if memory.document is not None else []
    return MemoryDetail(
        memory=memory,
        folder=reader.records(Folder, [memory.folder])[0],
        tags=reader.tag_sets([pk])[pk],
        aliases=tuple(alias.value for alias in aliases),
        edges=edge_views(reader, reader.edges_touching([pk])),
        parent=parents[0] if parents else None,
        children=tuple(reader.memory_rows(children)),
        document_title=documents[0].title if documents else None,
    )


def resolve(reader: Reader, query: q.ResolveMemories) -> tuple[MemoryPk, ...]:
    """Pks of ids, merged ones as their survivors. Errors: NotFound, naming unknown or ambiguous ids."""
    pks = _named(reader, query.ids, query.folder)
    ends = follow_merged(reader, pks)
    return tuple(ends[pk] for pk in pks)


def merged_ids(reader: Reader, query: qm.MergedIds) -> tuple[MemoryPk, ...]:
    """Pks of ids, merged ones as themselves. Errors: NotFound."""
    return tuple(_named(reader, query.ids, query.folder))


def _named(reader: Reader, ids: Sequence[str], folder: FolderPk | None) -> list[MemoryPk]:
    found = reader.resolve(ids, folder)
    if unknown := [each for each in ids if not found.get(each)]:
        raise NotFound("error.memory.unknown_ids", count=len(unknown), ids=", ".join(unknown))
    if several := [each for each in ids if len(found[each]) > 1]:
        raise NotFound("error.memory.ambiguous", count=len(several), ids=", ".join(several))
    return [found[each][0] for each in ids]


def facets(reader: Reader, query: q.FacetCounts) -> Facets:
    """Counts under a filter."""
    return reader.facets(searching.read_filter(reader, query.filter))


def folders(reader: Reader, _query: q.Folders) -> tuple[FolderNode, ...]:
    """Folders with counts."""
    return tuple(reader.folder_nodes())


def folder_by_name(reader: Reader, query: q.FolderByName) -> Folder | None:
    """The folder of that name."""
    return reader.folder_named(storable(query.name))


def crossing_edges(reader: Reader, query: q.CrossingEdges) -> tuple[EdgeView, ...]:
    """Relations with exactly one end among the memories."""
    return edge_views(reader, crossing(reader, query.memories, None)[0])


def live_edges(reader: Reader, query: q.LiveEdges) -> tuple[EdgeView, ...]:
    """Relations of a memory, those that live at a time or all. Errors: NotFound."""
    memory_of(reader, query.memory)
    edges = reader.edges_touching([query.memory])
    return edge_views(reader, [e for e in edges if query.at is None or lives(e, query.at)], query.at)


def edges(reader: Reader, query: q.Edges) -> tuple[EdgeView, ...]:
    """Relations by pk."""
    return edge_views(reader, reader.records(Edge, query.pks))


def schema(reader: Reader, _query: q.LibrarySchema) -> Schema:
    """Types and relation types."""
    return reader.schema()


def tag_names(reader: Reader, query: q.TagNames) -> tuple[tuple[str, int], ...]:
    """Tags in use with counts."""
    return tuple(reader.tag_names(query.kind, query.prefix, query.limit))


def messages(reader: Reader, query: q.MessagesOf) -> tuple[Message, ...]:
    """Floors of a chat."""
    return tuple(reader.messages_of(query.folder, query.start, query.stop))


def preview_replace(reader: Reader, query: q.PreviewReplace) -> ReplacePreview:
    """What a find-and-replace would change. Errors: Invalid."""
    return replace.preview(reader, query.command, query.limit)


def counts(reader: Reader, query: q.Counts) -> LibraryCounts:
    """Sizes."""
    return reader.counts(journal=query.journal)


def document_list(reader: Reader, query: qd.Documents) -> tuple[DocumentRow, ...]:
    """Documents with the number of their pieces."""
    return tuple(reader.document_rows(query.folder))


def document(reader: Reader, query: qd.DocumentOf) -> Document:
    """One document. Errors: NotFound."""
    return documents.document_of(reader, query.pk)


def pieces(reader: Reader, query: qd.PiecesOf) -> tuple[Memory, ...]:
    """Pieces in the order of the text."""
    where = q.MemoryFilter(document=query.document)
    found = reader.records(Memory, reader.memory_ids(where, q.Sort(q.SortKey.CREATED, descending=False)))
    return tuple(sorted(found, key=lambda piece: (piece.span_start is None, piece.span_start or 0, piece.pk)))


def _old_texts(reader: Reader, query: qsa.OldTextsOf) -> Any:
    from core.services import old_texts  # with the texts of prompts: what only lists starts without them

    return old_texts.old_texts(reader, query)


def _everything_about(reader: Reader, query: qsa.EverythingAbout) -> Any:
    from core.services import about

    return about.about(reader, query)


QUERIES: Mapping[type[q.Query[Any]], Answer] = {
    q.ListMemories: list_memories,
    qf.CanonicalSearch: searching.canonical,
    qf.SavedSearches: saved_searches.saved_searches,
    qf.SavedSearchNamed: saved_searches.named,
    qf.SearchText: saved_searches.search_text,
    qf.SearchKeys: search_help.search_keys,
    q.MemoryRows: memory_rows,
    q.Memories: memories,
    q.MemoryDetailOf: detail,
    q.ResolveMemories: resolve,
    q.FacetCounts: facets,
    q.Folders: folders,
    q.FolderByName: folder_by_name,
    qsa.OldTextsOf: _old_texts,
    qsa.EverythingAbout: _everything_about,
    qre.RelatedMemories: related.related,
    q.CrossingEdges: crossing_edges,
    q.LiveEdges: live_edges,
    q.Edges: edges,
    q.LibrarySchema: schema,
    qs.SchemaUse: schema_desk.use,
    qs.CheckMemoryType: schema_desk.check_type,
    qs.CheckRelationType: schema_desk.check_relation,
    q.TagNames: tag_names,
    q.MessagesOf: messages,
    q.PreviewReplace: preview_replace,
    q.Counts: counts,
    qb.WholeMemories: whole.whole_memories,
    qb.FindMemories: whole.find_memories,
    qb.PersonMemories: whole.person_memories,
    qb.PeopleNamed: whole.people_named,
    qu.MemosOf: memos.memos_of,
    qu.PromotionPlan: promote.plan,
    qr.RecallCases: recall_cases.cases,
    qr.ExportRecallCases: recall_cases.export_lines,
    qm.PlanMerge: merge_plan.plan,
    qm.MergesOf: merge_plan.merges_of,
    qm.MergedIds: merged_ids,
    qd.Documents: document_list,
    qd.DocumentOf: document,
    qd.PiecesOf: pieces,
    qp.Proposals: proposals.rows,
    qp.ProposalOf: proposals.view,
    qp.CountWaiting: proposals.count_waiting,
    qc.Chats: chats.chats,
    qc.FloorNumbers: chats.floor_numbers,
    qc.FloorsOf: chats.floors_of,
    qc.FindFloors: chats.find_floors,
    qc.FloorMarksOf: chats.floor_marks,
}
