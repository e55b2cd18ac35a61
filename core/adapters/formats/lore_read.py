"""Lorebooks of any dialect as planned memories: an entry becomes a memory, its keys aliases."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.formats.chat_message import MessageReader, truth
from core.adapters.formats.chat_read import folder_name
from core.adapters.formats.lore_entries import Dialect, Entry, dialect_of, is_wide, kept_of, read_entry
from core.adapters.formats.problems import INFO, Problems
from core.domain.enums import Layer, Status, StatusReason
from core.domain.ids import TypeId
from core.domain.json_types import Json, canonical
from core.domain.safe_text import storable
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory

LORE_KEY = "lorebook"
"""In `Memory.extra` the entry as it came, in `Folder.extra` what stood around the entries."""
DIGEST_KEY = "digest"
"""In `Folder.origin`: tells books apart by what they say, whatever their form."""
BOOK_FOLDER = "book"
ENTRY_TYPE = TypeId("knowledge")
SPEC_PREFIX = "lorebook"
_ENTRIES = ("entries", "data")


@dataclass(frozen=True, slots=True)
class FoundBook:
    """A lorebook as parsed: its entries with the names they stand under, and what stands around them.

    `wrapper`: the object around the book (`spec`, `data`); `entries_key`: under which name the list stands.
    """

    book: Mapping[str, Json]
    entries: tuple[tuple[str, Json], ...]
    dialect: Dialect
    entries_key: str = "entries"
    as_dict: bool = False
    wrapper: Mapping[str, Json] | None = None

    @property
    def name(self) -> str:
        """What the book calls itself, "" where it does not."""
        found = self.book.get("name")
        return found.strip() if isinstance(found, str) else ""


def find_book(value: Json) -> FoundBook | None:
    """The lorebook of a JSON value: a file of its own, or the `character_book` of a card; else None."""
    if isinstance(value, list):
        entries = [item for item in value if isinstance(item, Mapping)]
        if not entries or not all(_is_entry(item) for item in entries):
            return None
        return _book({"entries": value}, "entries", None)
    if not isinstance(value, Mapping):
        return None
    spec, data = value.get("spec"), value.get("data")
    if isinstance(spec, str) and spec.startswith(SPEC_PREFIX) and isinstance(data, Mapping):
        return _book(data, "entries", value)
    for key in _ENTRIES:
        found = _book(value, key, None) if isinstance(value.get(key), list | dict) else None
        if found is not None and (key == "entries" or found.dialect is Dialect.RISU):
            return found
    return None


def _book(book: Mapping[str, Json], key: str, wrapper: Mapping[str, Json] | None) -> FoundBook | None:
    raw = book.get(key)
    if raw is None and wrapper is not None:
        raw = []
    if isinstance(raw, Mapping):
        entries = tuple((str(name), item) for name, item in raw.items())
    elif isinstance(raw, list):
        entries = tuple((str(index), item) for index, item in enumerate(raw))
    else:
        return None
    kinds = [
        found for _, item in entries if isinstance(item, Mapping) and (found := dialect_of(item)) is not None
    ]
    if entries and not kinds:
        return None
    usual = Dialect.BOOK if isinstance(raw, list) else Dialect.WORLDINFO
    dialect = Counter(kinds).most_common(1)[0][0] if kinds else usual
    return FoundBook(book, entries, dialect, key, isinstance(raw, Mapping), wrapper)


def _is_entry(item: Mapping[str, Json]) -> bool:
    return ("key" in item or "keys" in item or "keywords" in item) and (
        "content" in item or "entry" in item or "text" in item
    )


def read_book(found: FoundBook, path: Path, problems: Problems) -> ImportPlan:
    """The dry run of an import of a lorebook file."""
    reader = BookReader(problems, _file_time(path))
    title = found.name or Path(path.name).stem
    folder, memories = reader.read(found, title, path)
    if not memories:
        problems.add("import.problem.no_entries")
    if found.dialect not in (Dialect.WORLDINFO, Dialect.BOOK):
        problems.add("import.problem.lorebook_of", severity=INFO, program=found.dialect.value)
    return ImportPlan(
        format=Format.WORLDINFO if found.dialect is Dialect.WORLDINFO else Format.LOREBOOK,
        source_name=path.name,
        folders=(folder,),
        memories=memories,
        problems=problems.all(),
        counts={"folders": 1, **reader.counts_of(memories)},
        needs_confirmation=not memories,
    )


def _file_time(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@dataclass(slots=True)
class BookReader:
    """Reads the entries of one book."""

    problems: Problems
    time: datetime
    rejected: int = 0
    text: MessageReader = field(init=False)

    def __post_init__(self) -> None:
        self.text = MessageReader(BOOK_FOLDER, problems=self.problems)

    def read(
        self, found: FoundBook, title: str, path: Path
    ) -> tuple[PlannedFolder, tuple[PlannedMemory, ...]]:
        """The folder of a book and its memories."""
        taken: set[str] = set()
        memories: list[PlannedMemory] = []
        said: list[Json] = []
        for position, (name, item) in enumerate(found.entries):
            if not isinstance(item, Mapping) or dialect_of(item) is None:
                self.problems.add("import.problem.entry_unreadable", name)
                self.rejected += 1
                continue
            raw = self.text.clean_value(dict(item))
            assert isinstance(raw, Mapping)
            dialect = dialect_of(raw) or found.dialect
            entry = read_entry(raw, dialect)
            self._note(entry, raw, name, dialect)
            key = self._id(raw, name, found, taken)
            memories.append(self._memory(entry, raw, key, dialect, position=position, name=name))
            said.append(
                [list(entry.names), list(entry.patterns), entry.content, entry.constant, entry.disabled]
            )
        if self.text.counts["cleaned"]:
            self.problems.add("import.problem.cleaned", severity=INFO, count=self.text.counts["cleaned"])
        return self._folder(found, title, path, said), tuple(memories)

    def _id(self, raw: Mapping[str, Json], name: str, found: FoundBook, taken: set[str]) -> str:
        """The entry's number; of two with the same one the second goes by another."""
        own = raw.get("uid", raw.get("id"))
        number = str(own) if isinstance(own, str | int) and not isinstance(own, bool) and str(own) else name
        doubled = number in taken
        if doubled or (found.as_dict and number != name):
            self.problems.add("import.problem.uid_twice", name)
        free, step = number, 2
        while free in taken:
            free = name if step == 2 and name not in taken else f"{number}-{step}"
            step += 1
        taken.add(free)
        return free

    def _note(self, entry: Entry, raw: Mapping[str, Json], name: str, dialect: Dialect) -> None:
        add = self.problems.add
        keyed = any(key in raw for key in ("key", "keys", "keywords"))
        if not keyed:
            add("import.problem.no_key_field", name)
        elif not (entry.names or entry.patterns or entry.constant):
            add("import.problem.never_triggers", name, severity=INFO)
        if not entry.content.strip():
            add("import.problem.entry_empty", name, severity=INFO)
        extensions = raw.get("extensions")
        whole = raw.get("matchWholeWords")
        if whole is None and isinstance(extensions, Mapping):
            whole = extensions.get("match_whole_words")
        if truth(whole) and is_wide(entry.names):
            add("import.problem.whole_words", name, dialect=dialect.value)

    def _memory(
        self,
        entry: Entry,
        raw: Mapping[str, Json],
        key: str,
        dialect: Dialect,
        *,
        position: int,
        name: str,
    ) -> PlannedMemory:
        own: dict[str, Json] = {"dialect": dialect.value, "entry": raw, "at": position, "name": name}
        if kept := kept_of(raw, entry, dialect):
            own["kept"] = kept
        if entry.title_from:
            own["title_from"] = entry.title_from
        if entry.patterns:
            own["patterns"] = list[Json](entry.patterns)
        return PlannedMemory(
            key=f"{BOOK_FOLDER}:{key}",
            folder=BOOK_FOLDER,
            foreign_id=key,
            type=ENTRY_TYPE,
            layer=Layer.INHERENT if entry.constant else Layer.MEMORY,
            status=Status.ARCHIVED if entry.disabled else Status.ACTIVE,
            status_reason=StatusReason.BY_HAND if entry.disabled else None,
            title=entry.title,
            body=entry.content,
            aliases=entry.names,
            source="lorebook",
            created_at=self.time,
            updated_at=self.time,
            extra={LORE_KEY: own},
        )

    def _folder(self, found: FoundBook, title: str, path: Path, said: Sequence[Json]) -> PlannedFolder:
        around: dict[str, Json] = {
            "dialect": found.dialect.value,
            "entries_key": found.entries_key,
            "as_dict": found.as_dict,
            "book": self.text.clean_value(
                {key: None if key == found.entries_key else item for key, item in found.book.items()}
            ),
        }
        if found.wrapper is not None:
            around["wrapper"] = self.text.clean_value(
                {key: None if key == "data" else item for key, item in found.wrapper.items()}
            )
        origin: dict[str, Json] = {
            "format": Format.WORLDINFO.value if found.dialect is Dialect.WORLDINFO else Format.LOREBOOK.value,
            "file": storable(path.name),
            "path": storable(str(path.absolute())),
        }
        if said:
            origin[DIGEST_KEY] = digest_of(sorted(said, key=canonical))
        return PlannedFolder(
            key=BOOK_FOLDER, name=folder_name(title), origin=origin, extra={LORE_KEY: around}
        )

    def counts_of(self, memories: Sequence[PlannedMemory]) -> dict[str, int]:
        """Named numbers of a book."""
        return {
            "memories": len(memories),
            "entries": len(memories),
            "lorebooks": 1,
            "constant": sum(memory.layer is Layer.INHERENT for memory in memories),
            "archived": sum(memory.status is Status.ARCHIVED for memory in memories),
            "rejected_entries": self.rejected,
        }


def digest_of(value: Json) -> str:
    """A digest of a JSON value."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]
