"""A character card as an import plan: a folder with the character, and one with its lorebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.formats.card_find import FoundCard
from core.adapters.formats.chat_read import folder_name
from core.adapters.formats.kept import differences
from core.adapters.formats.lore_entries import Dialect
from core.adapters.formats.lore_read import (
    BOOK_FOLDER,
    DIGEST_KEY,
    BookReader,
    FoundBook,
    digest_of,
    find_book,
)
from core.adapters.formats.problems import Problems
from core.adapters.formats.values import moment
from core.domain.enums import FolderKind
from core.domain.ids import TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.safe_text import storable
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory

CARD_KEY = "card"
"""In `Folder.extra` the card as it came (its book's entries apart), in the character's `Memory.extra` marks."""
CARD_FOLDER = "card"
CHARACTER_ID = "card"
CHARACTER = TypeId("character")
BOOK_NAME = "lorebook"
COLUMNS: Mapping[str, str] = {"traits": "description", "core_note": "personality", "state": "scenario"}
"""Columns of our characters and the card's fields that fill them."""


def read_card(card: FoundCard, problems: Problems, path: Path) -> ImportPlan:
    """The dry run of an import of a card."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    made = moment(card.data.get("creation_date"), 1.0).value or changed
    reader = BookReader(problems, made)
    raw, data = reader.text.clean_value(dict(card.raw)), reader.text.clean_value(dict(card.data))
    assert isinstance(raw, Mapping)
    assert isinstance(data, Mapping)
    name = FoundCard(raw, data).name
    if not name:
        problems.add("import.problem.card_nameless")
    title = name or Path(path.name).stem
    book = _book_of(data)
    folders: list[PlannedFolder] = []
    entries: tuple[PlannedMemory, ...] = ()
    if book is not None and book.entries:
        found, entries = reader.read(book, book.name or title, path)
        if not book.name:
            found = replace(found, name=f"{folder_name(title)}/{BOOK_NAME}")
        folders.append(found)
    character = _character(data, title, made)
    counts = reader.counts_of(entries) if folders else {}
    return ImportPlan(
        format=Format.CARD,
        source_name=path.name,
        folders=(_folder(raw, data, title, path, linked=bool(folders)), *folders),
        memories=(character, *entries),
        problems=problems.all(),
        needs_confirmation=not name,
        counts={
            **counts,
            "folders": 1 + len(folders),
            "memories": 1 + len(entries),
            "characters": 1,
        },
    )


def _book_of(data: Mapping[str, Json]) -> FoundBook | None:
    raw = data.get("character_book")
    if not isinstance(raw, Mapping):
        return None
    found = find_book(raw)
    if found is None or found.dialect in (Dialect.BOOK, Dialect.WORLDINFO):
        return found
    return replace(found, dialect=Dialect.BOOK)


def _character(data: Mapping[str, Json], title: str, time: datetime) -> PlannedMemory:
    fields = {column: text for column, field in COLUMNS.items() if (text := _text(data.get(field))).strip()}
    nickname = _text(data.get("nickname")).strip()
    memory = PlannedMemory(
        key=CHARACTER_ID,
        folder=CARD_FOLDER,
        foreign_id=CHARACTER_ID,
        type=CHARACTER,
        title=title,
        fields=fields,
        aliases=(nickname,) if nickname and nickname != title else (),
        source="card",
        created_at=time,
        updated_at=time,
    )
    written = card_fields(memory.title, memory.fields, memory.aliases)
    kept = differences(written, {key: data[key] for key in data if key in written})
    return replace(memory, extra={CARD_KEY: {"kept": kept}})


def card_fields(title: str, fields: Mapping[str, Json], aliases: tuple[str, ...]) -> dict[str, Json]:
    """The fields of a card that a character's memory says."""
    made: dict[str, Json] = {"name": title}
    made |= {field: fields.get(column, "") for column, field in COLUMNS.items()}
    made["nickname"] = aliases[0] if aliases else ""
    return made


def fields_of_card(memory: Memory, aliases: tuple[str, ...]) -> dict[str, Json]:
    """The same of a stored memory."""
    return card_fields(memory.title, memory.fields, aliases)


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else ""


def _folder(
    raw: Mapping[str, Json], data: Mapping[str, Json], title: str, path: Path, *, linked: bool
) -> PlannedFolder:
    extensions = data.get("extensions")
    world = extensions.get("world") if isinstance(extensions, Mapping) else None
    card: dict[str, Json] = {"raw": raw}
    if isinstance(world, str) and world.strip():
        card["world"] = world.strip()
    return PlannedFolder(
        key=CARD_FOLDER,
        name=folder_name(title),
        kind=FolderKind.PLAIN,
        character=title,
        origin={
            "format": Format.CARD.value,
            "file": storable(path.name),
            "path": storable(str(path.absolute())),
            DIGEST_KEY: digest_of(raw),
        },
        extra={CARD_KEY: card},
        also_reads=(BOOK_FOLDER,) if linked else (),
    )
