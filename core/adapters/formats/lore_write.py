"""Memories as a lorebook: entries that came as such go out as they came, any other memory becomes one.

What is written works in SillyTavern without any extension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.adapters.formats.lore_entries import (
    Dialect,
    Entry,
    book_entry_of,
    is_wide,
    kept_of,
    read_entry,
    write_entry,
)
from core.adapters.formats.lore_read import LORE_KEY
from core.adapters.formats.lore_worldinfo import worldinfo_of
from core.adapters.formats.problems import INFO, Problems
from core.domain.enums import Layer, Status
from core.domain.ids import MemoryPk
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, TagSet
from core.domain.schema import Column, ColumnFormat, ColumnRole, Schema
from core.domain.source_file import ids_given
from core.domain.transfer import FolderBundle

_SHOWN_FORMATS = (ColumnFormat.TEXT, ColumnFormat.LONG_TEXT, ColumnFormat.LIST, ColumnFormat.CHOICE)
_NAMING_FIELDS = ("participants", "related_people", "about")
_LONGEST_KEY = 60


@dataclass(slots=True)
class LoreWriter:
    """Makes entries of memories; `problems` counts what the format cannot hold."""

    schema: Schema
    problems: Problems = field(default_factory=Problems)
    ids: dict[MemoryPk, str] = field(default_factory=dict)
    """Under which id memories stand in what was written, that brought none from there."""

    # --- SillyTavern's World Info ---

    def worldinfo(self, bundles: Sequence[FolderBundle]) -> dict[str, Json]:
        """The content of a World Info file. A single book that came as one keeps what stood around its entries."""
        entries: dict[str, Json] = {}
        taken = _Numbers()
        for bundle in bundles:
            taken.reserve(bundle)
        single = len(bundles) == 1
        for bundle in bundles:
            for memory in self._exported(bundle):
                entry, name = self._worldinfo_entry(memory, bundle, taken, keep_name=single)
                entries[name] = entry
        around = own_lore(bundles[0].folder.extra) if single else {}
        book = around.get("book")
        if not isinstance(book, Mapping) or around.get("dialect") != Dialect.WORLDINFO:
            return {"entries": entries}
        key = str(around.get("entries_key", "entries"))
        return {name: entries if name == key else value for name, value in book.items()}

    def _worldinfo_entry(
        self, memory: Memory, bundle: FolderBundle, taken: _Numbers, *, keep_name: bool
    ) -> tuple[dict[str, Json], str]:
        own = own_lore(memory.extra)
        raw, dialect = own.get("entry"), _dialect(own)
        if not isinstance(raw, Mapping) or dialect is None:
            return self._new_worldinfo(memory, bundle, taken)
        now = self._entry(memory, bundle, own)
        if dialect is not Dialect.WORLDINFO:
            number = taken.next(raw.get("id"), of=memory)
            self.ids[memory.pk] = str(number)
            made = worldinfo_of(raw, now, dialect)
            made.setdefault("displayIndex", number)
            return {"uid": number, **made}, str(number)
        made = write_entry(raw, own.get("kept"), now, dialect)
        for name in ("key", "keysecondary"):  # without them SillyTavern cannot show the book at all
            if not isinstance(made.get(name), list):
                made[name] = []
        if keep_name and taken.free(name := str(own.get("name", ""))):
            taken.take(name, raw.get("uid"))
            self._note_id(memory, raw.get("uid", name))
            return made, name
        number = taken.next(raw.get("uid"))
        self._note_id(memory, number)
        return {**made, "uid": number}, str(number)

    def _note_id(self, memory: Memory, number: Json) -> None:
        if memory.foreign_id is None:
            self.ids[memory.pk] = str(number)

    def _new_worldinfo(
        self, memory: Memory, bundle: FolderBundle, taken: _Numbers
    ) -> tuple[dict[str, Json], str]:
        entry = self._new_entry(memory, bundle)
        number = taken.next(None, of=memory)
        self.ids[memory.pk] = str(number)
        made = {"uid": number, **worldinfo_of({}, entry, Dialect.WORLDINFO), "displayIndex": number}
        if is_wide(entry.names):
            made["matchWholeWords"] = False
        if memory.visibility:
            made["characterFilter"] = {"isExclude": False, "names": list(memory.visibility), "tags": []}
        return made, str(number)

    # --- books in the form of cards ---

    def book(self, bundle: FolderBundle) -> Json:
        """The lorebook of a folder in the form of cards: as it came, else a stand-alone book of version 3."""
        around = own_lore(bundle.folder.extra)
        book = around.get("book")
        key = str(around.get("entries_key", "entries"))
        if not isinstance(book, Mapping) or around.get("dialect") == Dialect.WORLDINFO:
            entries = self.book_entries([], bundle)
            data: dict[str, Json] = {"name": bundle.folder.name, "extensions": {}, "entries": entries}
            return {"spec": "lorebook_v3", "data": data}
        raws = [own_lore(memory.extra).get("entry") for memory in self._sorted(bundle)]
        entries = self.book_entries([raw for raw in raws if isinstance(raw, Mapping)], bundle)
        made = {name: entries if name == key else value for name, value in book.items()}
        wrapper = around.get("wrapper")
        if isinstance(wrapper, Mapping):
            return {name: made if name == "data" else value for name, value in wrapper.items()}
        return made

    def book_entries(self, raws: Sequence[Mapping[str, Json]], bundle: FolderBundle) -> list[Json]:
        """A folder's memories as entries of a card's book; `raws` are the entries that the book has so far.

        An entry of the book whose memory is gone is left out, one whose memory is new comes at the end.
        """
        by_id: dict[str, Mapping[str, Json]] = {}
        for index, entry in enumerate(raws):
            number = entry.get("id", entry.get("uid"))
            by_id.setdefault(str(index if number is None else number), entry)
        made: list[Json] = []
        taken = _Numbers()
        taken.reserve(bundle)
        for entry in raws:
            taken.take("", entry.get("id", entry.get("uid")))
        for memory in self._exported(bundle):
            own = own_lore(memory.extra)
            raw: Mapping[str, Json] | None = by_id.get(memory.foreign_id or "")
            stored = own.get("entry")
            if isinstance(stored, Mapping) and _dialect(own) not in (Dialect.WORLDINFO, None):
                raw = stored
            if raw is None:
                new = self._entry(memory, bundle, own) if own else self._new_entry(memory, bundle)
                order = stored.get("order") if isinstance(stored, Mapping) else None
                number = taken.next(None, of=memory)
                self.ids[memory.pk] = str(number)
                made.append(book_entry_of(new, order if isinstance(order, int) else 100, number))
                continue
            self._note_id(memory, raw.get("id", raw.get("uid")))
            dialect = _dialect(own) or Dialect.BOOK
            dialect = Dialect.BOOK if dialect is Dialect.WORLDINFO else dialect
            came = read_entry(raw, dialect)
            now = self._entry(memory, bundle, {**own, "title_from": came.title_from})
            made.append(write_entry(raw, kept_of(raw, came, dialect), now, dialect))
        return made

    # --- what a memory says as an entry ---

    def _exported(self, bundle: FolderBundle) -> Iterator[Memory]:
        trashed = sum(memory.deleted_at is not None for memory in bundle.memories)
        if trashed:
            self.problems.add("export.problem.trashed", severity=INFO, trashed=trashed)
        for memory in self._sorted(bundle):
            if memory.deleted_at is None:
                yield memory

    def _sorted(self, bundle: FolderBundle) -> list[Memory]:
        """As they stood in the book; what came later follows."""

        def place(memory: Memory) -> tuple[bool, int, int]:
            at = own_lore(memory.extra).get("at")
            return not isinstance(at, int), at if isinstance(at, int) else 0, memory.pk

        return sorted(bundle.memories, key=place)

    def _entry(self, memory: Memory, bundle: FolderBundle, own: Mapping[str, Json]) -> Entry:
        """A memory that came from a book, as it is now."""
        patterns = own.get("patterns")
        title_from = own.get("title_from")
        return Entry(
            title=memory.title,
            content=memory.body,
            names=bundle.aliases.get(memory.pk, ()),
            patterns=tuple(map(str, patterns)) if isinstance(patterns, list) else (),
            constant=memory.layer is Layer.INHERENT,
            disabled=memory.status is not Status.ACTIVE,
            title_from=title_from if isinstance(title_from, str) else "",
        )

    def _new_entry(self, memory: Memory, bundle: FolderBundle) -> Entry:
        """A memory that was made here or came from elsewhere: its names and title are the keys."""
        names = self._keys(memory, bundle.aliases.get(memory.pk, ()), bundle.tags.get(memory.pk, TagSet()))
        constant = memory.layer is Layer.INHERENT
        if not names and not constant:
            self.problems.add("export.problem.no_keys", memory.id)
        return Entry(
            title=memory.shown_title,
            content=self._content(memory),
            names=names,
            constant=constant,
            disabled=memory.status is not Status.ACTIVE,
        )

    def _keys(self, memory: Memory, aliases: Sequence[str], tags: TagSet) -> tuple[str, ...]:
        """Aliases and title; without both the tags, without these the people it is about."""
        title = memory.title.strip()
        found = [title] if title and len(title) <= _LONGEST_KEY else []
        found += [alias.strip() for alias in aliases]
        if not any(found):
            found = [*tags.core, *tags.general]
        if not any(found):
            found = [name for key in _NAMING_FIELDS for name in _names(memory.fields.get(key))]
        return tuple(dict.fromkeys(name for name in found if name))

    def _content(self, memory: Memory) -> str:
        """The body, with the columns of its type under their labels."""
        kind = self.schema.type(memory.type)
        language = (
            "zh_CN" if is_wide([memory.title, memory.body, *map(str, memory.fields.values())]) else "en"
        )
        lines = [memory.body] if memory.body.strip() else []
        for column in kind.field_columns if kind is not None else ():
            value = _shown(memory.fields.get(column.name), column)
            if value:
                lines.append(f"{column.labels.get(language, column.name)}: {value}")
        text = "\n".join(lines)
        has_title = kind is None or kind.column_of(ColumnRole.TITLE) is not None
        if has_title and memory.title.strip() and memory.title not in text:
            return f"{memory.title}\n{text}" if text else memory.title
        return text


class _Numbers:
    """Names and numbers of entries; those given out are new to both."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._numbers: set[str] = set()
        self._reserved: set[str] = set()
        self._given: dict[str, int] = {}
        self._next = 0

    def reserve(self, bundle: FolderBundle) -> None:
        """The number of an entry that lies in the trash is given to no other memory, so that both are told apart.

        What was written before keeps the number that it was given then.
        """
        for memory in bundle.memories:
            own = own_lore(memory.extra)
            raw = own.get("entry")
            if isinstance(raw, Mapping) and memory.deleted_at is not None:
                self._reserved |= {str(raw.get("uid", raw.get("id"))), str(own.get("name", ""))}
        for name, mine in ids_given(bundle.folder.origin).items():
            self._reserved.add(name)
            if name.isdecimal():
                self._given[mine] = int(name)

    def free(self, name: str) -> bool:
        """Whether no entry has the name."""
        return bool(name) and name not in self._names

    def take(self, name: str, number: Json) -> None:
        """An entry keeps its name and its number, even when another entry has that number too."""
        self._names.add(name)
        self._numbers.add(str(number))

    def next(self, wanted: Json, of: Memory | None = None) -> int:
        """The number that the memory was given before, the wanted one when it is free, else the next free one."""
        if of is not None and (known := self._given.pop(of.id, None)) is not None:
            self._names.add(str(known))
            return known
        if isinstance(wanted, int) and not isinstance(wanted, bool) and self._is_new(wanted):
            self.take(str(wanted), wanted)
            return wanted
        while not self._is_new(self._next) or str(self._next) in self._reserved:
            self._next += 1
        self.take(str(self._next), self._next)
        return self._next

    def _is_new(self, number: int) -> bool:
        return str(number) not in self._names and str(number) not in self._numbers


def own_lore(extra: JsonObject) -> Mapping[str, Json]:
    """What a lorebook kept in the `extra` of a record."""
    found = extra.get(LORE_KEY)
    return found if isinstance(found, Mapping) else {}


def _dialect(own: Mapping[str, Json]) -> Dialect | None:
    name = own.get("dialect")
    return Dialect(name) if isinstance(name, str) and name in set(Dialect) else None


def _names(raw: Json) -> list[str]:
    if isinstance(raw, str):
        return [part.strip() for part in raw.replace("、", ",").replace("，", ",").split(",")]
    return [item.strip() for item in raw if isinstance(item, str)] if isinstance(raw, list) else []


def _shown(raw: Json, column: Column) -> str:
    """A column's value in words; times, numbers and ids are no text for a prompt."""
    if column.format not in _SHOWN_FORMATS or column.name.endswith("_id"):
        return ""
    if isinstance(raw, list):
        return ", ".join(item for item in raw if isinstance(item, str))
    return raw.strip() if isinstance(raw, str) else ""
