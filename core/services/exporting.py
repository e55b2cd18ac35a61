"""Gathering all of a folder for an export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.transfer import FolderBundle, Format
from core.ports.store import Reader
from core.services.lookup import folder_of


def export_folder(reader: Reader, folder: FolderPk) -> FolderBundle:
    """All that an export needs of a folder, in one consistent view. Errors: NotFound."""
    found = folder_of(reader, folder)
    pks = [MemoryPk(pk) for pk in reader.memories_in(folder)]
    edges = reader.edges_in(folder)
    outside = {edge.target for edge in edges}.difference(pks)
    aliases = reader.aliases_of(pks)
    return FolderBundle(
        folder=found,
        memories=tuple(reader.records(Memory, pks)),
        tags=reader.tag_sets(pks),
        aliases={pk: tuple(alias.value for alias in rows) for pk, rows in aliases.items()},
        edges=tuple(edges),
        documents={document.pk: document for document in reader.documents_of(folder)},
        memos=tuple(reader.memos_of(folder)),
        outside={memory.pk: memory.foreign_id or memory.id for memory in reader.records(Memory, outside)},
        last_recalled=reader.last_recalled(folder),
    )


def export_memories(reader: Reader, memories: Sequence[MemoryPk]) -> list[FolderBundle]:
    """The same of chosen memories: a bundle for each of their folders, with nothing but these."""
    by_folder: dict[FolderPk, list[MemoryPk]] = defaultdict(list)
    for state in reader.states(dict.fromkeys(memories)):
        by_folder[state.folder].append(state.pk)
    return [_only(export_folder(reader, folder), set(pks)) for folder, pks in by_folder.items()]


def _only(bundle: FolderBundle, pks: set[MemoryPk]) -> FolderBundle:
    return replace(
        bundle,
        memories=tuple(memory for memory in bundle.memories if memory.pk in pks),
        edges=tuple(edge for edge in bundle.edges if edge.source in pks and edge.target in pks),
        memos=(),
    )


def with_books(reader: Reader, folder: FolderPk, target: Format) -> list[FolderPk]:
    """The folders that go into one file: for a card those with its lorebook too. Errors: NotFound."""
    if target is not Format.CARD:
        return [folder]
    reads = folder_of(reader, folder).also_reads
    books = [each.pk for each in reader.records(Folder, reads) if "lorebook" in each.extra]
    return [folder, *books]


def source_of(folder: Folder) -> Path | None:
    """The file that a folder came from, as far as it was recorded."""
    path = folder.origin.get("path")
    return Path(path) if isinstance(path, str) and path else None
