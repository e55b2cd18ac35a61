"""What a model may refer to: the memories of a folder, and those that waiting parts of a proposal will make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.algos.js_values import text as shown_text
from core.algos.lexical import fold
from core.domain.enums import Layer, Status
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory
from core.domain.proposal import ChangePart, CreatePart, End, Part
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.schema import ColumnRole, MemoryType, Schema
from core.ports.store import Reader
from core.services.inject.sections import is_update_event

MOST = 3_000
"""Memories of a folder that are looked at, the newest first."""
LISTED = 10
"""Of each type this many of the newest are listed, and all that the messages name."""
LINE_CHARS = 160
NAME_CHARS = 2
_LABEL = re.compile(r"\W*([mn])\s*(\d+)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A memory with the label under which it is listed: M and its key, or N and a number when it is only proposed."""

    label: str
    end: End
    type: TypeId
    title: str
    body: str
    fields: JsonObject = field(default_factory=dict)
    names: tuple[str, ...] = ()
    seq: int = -1
    visibility: tuple[str, ...] = ()
    locked: bool = False
    revision: int | None = None
    automatic: bool = False

    @property
    def pk(self) -> MemoryPk | None:
        """Its key, when it is there already."""
        return self.end if isinstance(self.end, int) else None

    def values(self, memory_type: MemoryType | None) -> dict[str, Json]:
        """All values by column name."""
        return by_column(memory_type, self.title, self.body, self.fields)


def by_column(
    memory_type: MemoryType | None, title: str, body: str, fields: Mapping[str, Json]
) -> dict[str, Json]:
    """Title, body and fields under the names of their columns; empty ones are left out."""
    title_column = memory_type.column_of(ColumnRole.TITLE) if memory_type else None
    body_column = memory_type.column_of(ColumnRole.BODY) if memory_type else None
    values: dict[str, Json] = {
        title_column.name if title_column else "title": title,
        body_column.name if body_column else "content": body,
        **fields,
    }
    return {name: value for name, value in values.items() if value not in (None, "", [])}


class Shelf:
    """Finds what a reply means by an id or a name."""

    def __init__(self, schema: Schema, known: Iterable[Known]) -> None:
        self.schema = schema
        self._known = {each.label: each for each in known}
        self._names: dict[tuple[str, str], Known] = {}
        for each in self._known.values():
            for name in each.names:
                self._names[each.type, name] = each
        self.public: dict[str, str] = {}

    @property
    def known(self) -> list[Known]:
        """All of it."""
        return list(self._known.values())

    def find(self, said: object) -> Known | None:
        """The memory of a label, of a public or foreign id, or of a title that only one has."""
        if isinstance(said, int) and not isinstance(said, bool):
            return self._known.get(f"M{said}")
        if not isinstance(said, str) or not said.strip():
            return None
        found = _LABEL.fullmatch(said)
        if found is not None:
            label = f"{found[1].upper()}{int(found[2])}"
            if label in self._known:
                return self._known[label]
        label = self.public.get(said.strip(), "")
        if label:
            return self._known.get(label)
        wanted = fold(said).strip()
        titled = {each.label: each for (_, name), each in self._names.items() if name == wanted}
        return next(iter(titled.values())) if len(titled) == 1 else None

    def named(self, type_id: str, name: str) -> Known | None:
        """The memory of a type with that title or alias."""
        wanted = fold(name).strip()
        return self._names.get((type_id, wanted)) if wanted else None

    def listed(self, messages: str) -> list[tuple[MemoryType, list[Known]]]:
        """What a request lists, by type: the newest ones, and all that the messages name."""
        folded = fold(messages)
        found = []
        for memory_type in self.schema.types:
            own = [
                each for each in self._known.values() if each.type == memory_type.id and not each.automatic
            ]
            own.sort(key=lambda each: each.seq, reverse=True)
            named = [
                each
                for each in own[LISTED:]
                if any(len(name) >= NAME_CHARS and name in folded for name in each.names)
            ]
            if own:
                found.append((memory_type, own[:LISTED] + named))
        return found


def line_of(each: Known, memory_type: MemoryType | None) -> str:
    """A memory in one line: its label, title and what is written of it."""
    values = each.values(memory_type)
    texts = [" ".join(shown_text(value).split()) for value in values.values()]
    return f"[{each.label}] {' | '.join(filter(None, texts))[:LINE_CHARS]}"


def open_shelf(
    reader: Reader, folder: FolderPk, parts: Sequence[Part] = (), *, without_old: bool = False
) -> Shelf:
    """The shelf of a folder with what waiting parts will make. `without_old`: only that (a graph made anew)."""
    memories = [] if without_old else _memories(reader, folder)
    aliases = reader.aliases_of([memory.pk for memory in memories])
    known = {
        memory.pk: _of_memory(memory, [alias.value for alias in aliases.get(memory.pk, [])])
        for memory in memories
    }
    proposed = _proposed(parts, known)
    shelf = Shelf(reader.schema(), [*known.values(), *proposed])
    for memory in memories:
        shelf.public[memory.id] = f"M{memory.pk}"
        if memory.foreign_id:
            shelf.public.setdefault(memory.foreign_id, f"M{memory.pk}")
    return shelf


def _memories(reader: Reader, folder: FolderPk) -> list[Memory]:
    layers = frozenset({Layer.INHERENT, Layer.EMERGENT, Layer.MEMORY})
    where = MemoryFilter(folders=frozenset({folder}), statuses=frozenset({Status.ACTIVE}), layers=layers)
    pks = reader.memory_ids(where, Sort(SortKey.SEQ, descending=True))[:MOST]
    return reader.records(Memory, pks)


def _of_memory(memory: Memory, aliases: Iterable[str]) -> Known:
    return Known(
        label=f"M{memory.pk}",
        end=memory.pk,
        type=memory.type,
        title=memory.title,
        body=memory.body,
        fields=memory.fields,
        names=_folded((memory.title, *aliases)),
        seq=-1 if memory.seq is None else memory.seq,
        visibility=memory.visibility,
        locked=memory.locked,
        revision=memory.revision,
        automatic=is_update_event(memory),
    )


def _folded(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in names if (name := fold(each).strip())))


def _proposed(parts: Sequence[Part], known: dict[MemoryPk, Known]) -> list[Known]:
    """What waiting parts make, each under a label of its own; changes are seen in the memories they change."""
    made: dict[str, Known] = {}
    for part in parts:
        if isinstance(part, CreatePart):
            seq = -1 if part.seq is None else part.seq
            made[part.key] = Known(
                label=f"N{len(made) + 1}",
                end=part.key,
                type=part.type,
                title=part.title,
                body=part.body,
                fields=part.fields,
                names=_folded((part.title, *part.aliases)),
                seq=seq,
                visibility=part.visibility,
            )
        elif isinstance(part, ChangePart):
            if isinstance(part.memory, str) and part.memory in made:
                made[part.memory] = changed(made[part.memory], part)
            elif isinstance(part.memory, int) and part.memory in known:
                known[part.memory] = changed(known[part.memory], part)
    return list(made.values())


def changed(each: Known, part: ChangePart) -> Known:
    """A memory as it reads after a change."""
    fields = {name: value for name, value in {**each.fields, **part.fields}.items() if value is not None}
    return Known(
        label=each.label,
        end=each.end,
        type=each.type,
        title=each.title if part.title is None else part.title,
        body=each.body if part.body is None else part.body,
        fields=fields,
        names=each.names if part.title is None else _folded((part.title, *each.names)),
        seq=each.seq if part.floor is None else max(each.seq, part.floor),
        visibility=each.visibility if part.visibility is None else part.visibility,
        locked=each.locked,
        revision=each.revision,
        automatic=each.automatic,
    )
