"""Gathering all of a folder for an export."""

from __future__ import annotations

from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.transfer import FolderBundle
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
