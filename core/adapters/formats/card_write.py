"""A card goes out with its book: as JSON, or in a copy of the picture it came in."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.adapters.formats.card_read import CARD_KEY, CHARACTER_ID, fields_of_card
from core.adapters.formats.kept import give_back
from core.adapters.formats.lore_write import LoreWriter, own_lore
from core.adapters.formats.png_chunks import SIGNATURE, CutOff, with_texts
from core.domain.errors import UserError
from core.domain.folder import Folder
from core.domain.json_types import Json, JsonObject, canonical
from core.domain.transfer import FolderBundle

_V2 = {"spec": "chara_card_v2", "spec_version": "2.0"}


def own_card(extra: JsonObject) -> Mapping[str, Json]:
    """What a card kept in the `extra` of a record."""
    found = extra.get(CARD_KEY)
    return found if isinstance(found, Mapping) else {}


def is_card_folder(folder: Folder) -> bool:
    """Whether a card lies in the folder."""
    return isinstance(own_card(folder.extra).get("raw"), Mapping)


def card_of(bundles: Sequence[FolderBundle], writer: LoreWriter) -> dict[str, Json]:
    """The card of the first folder with what was changed; the other folders may hold its book.

    Errors: UserError when no card lies in the first folder.
    """
    bundle = bundles[0]
    raw = own_card(bundle.folder.extra).get("raw")
    if not isinstance(raw, Mapping):
        raise UserError("error.export.no_card", folder=bundle.folder.name)
    inner = raw.get("data")
    wrapped = isinstance(inner, Mapping)
    data: dict[str, Json] = dict(inner) if isinstance(inner, Mapping) else dict(raw)
    memory = next((m for m in bundle.memories if m.foreign_id == CHARACTER_ID and m.deleted_at is None), None)
    if memory is not None:
        written = fields_of_card(memory, bundle.aliases.get(memory.pk, ()))
        give_back(written, own_card(memory.extra).get("kept"))
        data |= written
    book = data.get("character_book")
    if isinstance(book, Mapping) and (holder := _holder(book, bundles[1:])) is not None:
        raws = [entry for entry in _list(book.get("entries")) if isinstance(entry, Mapping)]
        data["character_book"] = {**book, "entries": writer.book_entries(raws, holder)}
    return {**raw, "data": data} if wrapped else data


def _list(raw: Json) -> Sequence[Json]:
    if isinstance(raw, Mapping):
        return list(raw.values())
    return raw if isinstance(raw, list) else []


def _holder(book: Mapping[str, Json], bundles: Sequence[FolderBundle]) -> FolderBundle | None:
    """The folder that holds the card's book: the one with the most of its entries."""
    entries = _list(book.get("entries"))
    ids = {
        str(entry.get("id", index)) if isinstance(entry, Mapping) else str(index)
        for index, entry in enumerate(entries)
    }
    books = [each for each in bundles if own_lore(each.folder.extra)]
    return max(books, key=lambda b: sum(m.foreign_id in ids for m in b.memories), default=None)


def write_picture(card: Mapping[str, Json], source: Path, part: Path) -> None:
    """A copy of the picture with the card in both forms. Errors: UserError when the picture cannot be used."""
    texts = {"chara": _packed(card)}
    if card.get("spec") == "chara_card_v3":
        texts = {"chara": _packed({**card, **_V2}), "ccv3": _packed(card)}
    try:
        with source.open("rb") as picture, part.open("wb") as copy:
            if picture.read(len(SIGNATURE)) != SIGNATURE:
                raise UserError("error.export.no_picture", name=source.name)
            with_texts(picture, copy, texts)
    except CutOff as error:
        raise UserError("error.export.no_picture", name=source.name) from error
    except FileNotFoundError as error:
        raise UserError("error.export.no_source", name=source.name) from error


def _packed(card: Mapping[str, Json]) -> str:
    return base64.b64encode(canonical(card).encode("utf-8")).decode("ascii")
