"""Edits of types that are not saved yet: kept in the library, and laid over what the library holds meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from core.domain.errors import CuratorError
from core.domain.json_types import Json, JsonObject
from core.domain.schema import MemoryType, RelationType, Schema
from core.domain.schema_data import (
    memory_type_from_json,
    memory_type_to_json,
    relation_type_from_json,
    relation_type_to_json,
)
from ui.context import Context
from ui.drafts import drafts_of
from ui.tasks import single_shot

TYPES, RELATIONS = range(2)
NAMES = ("types", "relations")
KEEP_AFTER_MS = 400
_PREFIX = "schema/"
Item = MemoryType | RelationType
Key = tuple[int, str]
"""Of types or relations, and the id under which one is known: of a new one that it was made with."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """What was typed. `base`: the stored one it began from, None for one that is new."""

    item: Item
    base: Item | None


class TypeEdits(QObject):
    """All unsaved edits. `changed`: some came back from the library."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edits: dict[Key, _Edit] = {}
        self._unkept: set[Key] = set()
        self._keeper = drafts_of(ctx)
        self._keep_soon = single_shot(self, KEEP_AFTER_MS, self._keep)
        self._keeper.changed.connect(self._take)
        self._keeper.load()
        self._take()

    def get(self, key: Key) -> Item | None:
        """What was typed; None where nothing is unsaved."""
        edit = self._edits.get(key)
        return None if edit is None else edit.item

    def is_new(self, key: Key) -> bool:
        """Whether it does not exist yet."""
        return key in self._edits and self._edits[key].base is None

    def new(self, kind: int | None = None) -> list[Key]:
        """Those that do not exist yet, oldest first."""
        return [
            key for key, edit in self._edits.items() if edit.base is None and (kind is None or key[0] == kind)
        ]

    def any(self, kind: int) -> bool:
        """Whether something of a kind is unsaved."""
        return any(key[0] == kind for key in self._edits)

    def begin(self, key: Key, item: Item) -> None:
        """A new one."""
        self._put(key, _Edit(item, None))

    def put(self, key: Key, item: Item, stored: Item | None) -> None:
        """What is typed now."""
        old = self._edits.get(key)
        base = stored if old is None else old.base
        if base is not None and item == stored:
            self.drop(key)
        else:
            self._put(key, _Edit(item, base))

    def drop(self, key: Key) -> None:
        """Forget an edit."""
        self._edits.pop(key, None)
        self._unkept.discard(key)
        self._keeper.discard(_name(key))

    def drop_stored(self) -> None:
        """Forget all edits but new ones."""
        for key in [key for key, edit in self._edits.items() if edit.base is not None]:
            self.drop(key)

    def settle(self, schema: Schema) -> None:
        """Lay the edits over the types as they are now: what was typed stays, the rest is as stored."""
        for key, edit in list(self._edits.items()):
            if edit.base is None:
                continue
            stored = stored_in(schema, key)
            if stored is None:
                self._put(key, _Edit(edit.item, None))
            elif stored != edit.base:
                mine = _merged(edit, edit.base, stored)
                if mine == stored:
                    self.drop(key)
                else:
                    self._put(key, _Edit(mine, stored))

    def close(self) -> None:
        """Before the library closes: put everything into it."""
        self._keep()
        self._keeper.close()

    # --- keeping -------------------------------------------------------------------------

    def _put(self, key: Key, edit: _Edit) -> None:
        self._edits[key] = edit
        self._unkept.add(key)
        self._keep_soon.start()

    def _keep(self) -> None:
        self._keep_soon.stop()
        for key in self._unkept:
            edit = self._edits[key]
            base = None if edit.base is None else to_json(edit.base)
            self._keeper.keep(_name(key), {"item": to_json(edit.item), "base": base})
        self._unkept.clear()

    def _take(self) -> None:
        """Edits of the library that are not known here yet."""
        found = False
        for name, data in self._keeper.below(_PREFIX).items():
            key = _key(name)
            if key is None or key in self._edits or (edit := _edit(key, data)) is None:
                continue
            self._edits[key] = edit
            found = True
        if found:
            self.changed.emit()


def stored_in(schema: Schema, key: Key) -> Item | None:
    """The type or relation type of a key."""
    return schema.type(key[1]) if key[0] == TYPES else schema.relation(key[1])


def to_json(item: Item) -> dict[str, Json]:
    """All of it but its number in the store."""
    return memory_type_to_json(item) if isinstance(item, MemoryType) else relation_type_to_json(item)


def _from_json(kind: int, data: JsonObject, pk: int) -> Item:
    return memory_type_from_json(data, pk=pk) if kind == TYPES else relation_type_from_json(data, pk=pk)


def _merged(edit: _Edit, base: Item, stored: Item) -> Item:
    """The stored one with what was typed, part by part."""
    mine, old, now = to_json(edit.item), to_json(base), to_json(stored)
    kind = TYPES if isinstance(stored, MemoryType) else RELATIONS
    return _from_json(
        kind,
        {part: value if value != old.get(part) else now.get(part) for part, value in mine.items()},
        stored.pk,
    )


def _name(key: Key) -> str:
    return f"{_PREFIX}{NAMES[key[0]]}/{key[1]}"


def _key(name: str) -> Key | None:
    kind, _, known = name.removeprefix(_PREFIX).partition("/")
    return (NAMES.index(kind), known) if kind in NAMES else None


def _edit(key: Key, data: JsonObject) -> _Edit | None:
    """A kept edit; None for one that cannot be read (then it stays where it is)."""
    item, base = data.get("item"), data.get("base")
    try:
        if not isinstance(item, Mapping):
            return None
        began = _from_json(key[0], base, 0) if isinstance(base, Mapping) else None
        return _Edit(_from_json(key[0], item, 0), began)
    except CuratorError:
        return None
