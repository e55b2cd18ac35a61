"""Delete, move, archive, promote (spec/BOOKU §3 and §7 with DESIGN §5: what the guide meant)."""

from __future__ import annotations

from collections.abc import Sequence

from core.booku import records
from core.booku.library import BookuLibrary
from core.booku.records import Item
from core.domain import queries_upkeep as qu
from core.domain.commands import ArchiveMemories, DeletePermanently, MoveMemories, SetLayer, TrashMemories
from core.domain.commands_upkeep import ApplyPromotion
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.results import Verdict, WholeMemory


def delete(library: BookuLibrary, memory_ids: Sequence[str], *, hard: bool) -> Item:
    """Into the trash, or for ever; unknown ids are not counted."""
    if hard:
        pks = tuple(dict.fromkeys(library.find(memory_ids).values()))
        deleted = library.run(DeletePermanently(memories=pks)).changed if pks else 0
    else:
        pks = _pks(library.live(memory_ids))
        deleted = library.run(TrashMemories(memories=pks)).changed if pks else 0
    return {
        "action": "delete_memories",
        "mode": "hard" if hard else "soft",
        "deleted": deleted,
        "requested": len(memory_ids),
    }


def move(
    library: BookuLibrary, memory_ids: Sequence[str], to_bucket: str | None, to_folder: str | None
) -> Item:
    """To a folder, a bucket, or both as one change."""
    answer: Item = {"action": "move_memories", "moved": 0, "items": []}
    if to_bucket is None and to_folder is None:
        return answer
    pks = _pks(library.live(memory_ids))
    if pks:
        _move(library, pks, to_bucket, to_folder)
    items = [records.item(whole) for whole in library.whole(pks)]
    return {
        **answer,
        "moved": len(items),
        "items": items,
        "to_bucket": None if to_bucket is None else _target_name(to_bucket),
        "to_folder_id": None if to_folder is None else library.folder_id(to_folder),
    }


def _target_name(bucket: str) -> str:
    return records.ARCHIVED if records.is_archive(bucket) else records.layer_of(bucket).value


def _move(library: BookuLibrary, pks: tuple[MemoryPk, ...], bucket: str | None, folder: str | None) -> None:
    archive = bucket is not None and records.is_archive(bucket)
    layer = None if bucket is None or archive else records.layer_of(bucket)
    if folder is not None:
        target = library.folder(folder)
        status = Status.ARCHIVED if archive else None
        library.run(MoveMemories(memories=pks, folder=target, layer=layer, status=status))
    elif archive:
        library.run(ArchiveMemories(memories=pks))
    elif layer is not None:
        library.run(SetLayer(memories=pks, layer=layer))


def archive(library: BookuLibrary, memory_ids: Sequence[str], folder_id: str | None) -> Item:
    """Archive what is there, of whatever layer (None = in any folder); the rest is skipped."""
    found = library.live(memory_ids)
    if folder_id is not None:
        folder = library.find_folder(folder_id)
        found = [whole for whole in found if folder is not None and whole.memory.folder == folder.pk]
    pks = _pks(found)
    if pks:
        library.run(ArchiveMemories(memories=pks))
    return {"archived": len(pks), "skipped": max(0, len(memory_ids) - len(pks))}


def promote(library: BookuLibrary, folder_id: str | None) -> Item:
    """The guide's rule for what has been on trial too long, with the trash in place of deletion, as one change."""
    folder = library.find_folder(folder_id)
    settings = library.settings
    rows = (
        ()
        if folder is None
        else library.ask(
            qu.PromotionPlan(
                folder=folder.pk,
                days=settings.emergent_days,
                activations=settings.activation_threshold,
                at=library.clock(),
            )
        )
    )
    kept = tuple(row.pk for row in rows if row.suggested is Verdict.ARCHIVE)
    dropped = tuple(row.pk for row in rows if row.suggested is Verdict.TRASH)
    if kept or dropped:
        library.run(ApplyPromotion(archive=kept, trash=dropped))
    return {"promoted": len(kept), "discarded": len(dropped), "folder_id": library.folder_id(folder_id)}


def _pks(wholes: Sequence[WholeMemory]) -> tuple[MemoryPk, ...]:
    return tuple(whole.memory.pk for whole in wholes)
