"""What comes into the text without being recalled: memos, the memories used last, titles of documents."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from core.algos.visibility import sees
from core.domain.enums import Status
from core.domain.folder import Document, Memo
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.recall import Layout
from core.ports.store import Reader
from core.services.inject.memos import living_memos
from core.services.inject.types import Extras

OVERVIEW_MEMORIES = 10
"""So many memories used last are named (spec/BOOKU §6)."""
_LOOKED_AT = 200
"""Of so many used last those are taken that the viewer may know."""


def gather(
    reader: Reader,
    folders: Collection[FolderPk] | None,
    layout: Layout,
    viewer: str | None,
    now: datetime,
    hidden_documents: Collection[int] = (),
) -> Extras:
    """Memos, overview and titles of these folders (None = of the whole library).

    The overview holds only active memories that have been recalled, that are outside the trash and that the
    viewer may know; titles of `hidden_documents` are left out.
    """
    if layout is Layout.TABLES:
        return Extras()
    memos = [memo for memo in reader.all_records(Memo) if folders is None or memo.folder in folders]
    living = tuple(living_memos(memos, now))
    if layout is Layout.BUDGETED:
        return Extras(memos=living)
    titles = _titles(reader, folders, hidden_documents)
    return Extras(memos=living, overview=_overview(reader, folders, viewer), titles=titles)


def _overview(reader: Reader, folders: Collection[FolderPk] | None, viewer: str | None) -> tuple[Memory, ...]:
    if folders is not None and not folders:
        return ()
    where = MemoryFilter(folders=frozenset(folders or ()), statuses=frozenset({Status.ACTIVE}))
    pks = reader.memory_ids(where, Sort(SortKey.LAST_USED))[:_LOOKED_AT]
    used = (memory for memory in reader.records(Memory, pks) if memory.last_activated_at is not None)
    return tuple(memory for memory in used if sees(memory.visibility, viewer))[:OVERVIEW_MEMORIES]


def _titles(reader: Reader, folders: Collection[FolderPk] | None, hidden: Collection[int]) -> tuple[str, ...]:
    """Titles of the documents, those filed last first; each once."""
    if folders is None:
        folders = [node.folder.pk for node in reader.folder_nodes()]
    documents: list[Document] = [item for folder in folders for item in reader.documents_of(folder)]
    documents.sort(key=lambda document: document.created_at, reverse=True)
    shown = (document for document in documents if document.pk not in hidden)
    return tuple(dict.fromkeys(document.title for document in shown if document.title))
