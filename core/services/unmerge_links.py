"""What a merge took from a memory goes back to it: relations, children, pins, recall tests, pairs told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain.edge import Edge
from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.pin import Pin
from core.domain.recall import RecallCase
from core.ports.store import UnitOfWork
from core.services.merge_images import digest, json_record, json_value, value_json
from core.services.merge_links import ancestors
from core.services.merge_notes import Note, heirs_of
from core.services.unmerge_told import tell_again


class Links:
    """Gives back what one note lists. `others` are notes of the same survivor that stay; `heirs` the survivor and
    those after it. `elsewhere`: notes of other merges that were changed on the way (to be written)."""

    def __init__(
        self, uow: UnitOfWork, note: Note, others: Sequence[Note], heirs: Sequence[MemoryPk]
    ) -> None:
        self._uow = uow
        self._note = note
        self._others = others
        self._heirs = frozenset(heirs)
        self._heir = heirs[-1]
        self._loser = note.record.loser
        self._gone = 0
        self._known = {each.record.loser: each for each in others}
        self.elsewhere: list[Note] = []

    def give_back(self) -> int:
        """Do it; returns how many of the things are not there any more."""
        self._strengths(self._note)
        self._moved_edges()
        self._dropped_edges()
        self._children()
        self._pins()
        self._cases()
        tell_again(self._uow, self._note.record, self._heir, self._note_of)
        return self._gone

    # --- relations ---------------------------------------------------------------------------

    def _strengths(self, note: Note, only: int | None = None) -> None:
        """Relations that stood for several say what they said before."""
        left: list[Json] = []
        for change in reversed(note.listed("changes")):
            pk, name, before, after = _parts(change, 4)
            if only is not None and pk != only:
                left.insert(0, change)
                continue
            edge = _first(self._uow.records(Edge, [_int(pk)]))
            column = str(name)
            if edge is None:
                self._held_says(_int(pk), column, before, after)
                continue
            if digest(value_json(getattr(edge, column))) == after:
                self._uow.update(Kind.EDGE, [edge.pk], {column: json_value(column, before)})
            else:
                self._hand_on(pk, column, before, after)
        note.moved["changes"] = left

    def _held_says(self, pk: int, column: str, before: Json, after: Json) -> None:
        """The same for a relation that a later merge dropped: its row waits in a note."""
        for note in self._around():
            listed = note.listed("dropped_edges")
            for place, item in enumerate(listed):
                row = item["row"] if isinstance(item, Mapping) else None
                if not isinstance(item, Mapping) or not isinstance(row, Mapping) or row["pk"] != pk:
                    continue
                if digest(row[column]) == after:
                    listed[place] = {**item, "row": {**row, column: before}}
                    note.moved["dropped_edges"] = listed
                else:
                    self._hand_on(pk, column, before, after)

    def _hand_on(self, pk: Json, column: str, before: Json, after: Json) -> None:
        for other in self._others:
            changes = other.listed("changes")
            for place, change in enumerate(changes):
                its_pk, its_column, its_before, its_after = _parts(change, 4)
                if its_pk == pk and its_column == column and digest(its_before) == after:
                    changes[place] = [pk, column, before, its_after]
                    other.moved["changes"] = changes
                    return

    def _moved_edges(self) -> None:
        for item in self._note.listed("edges"):
            pk, column = _parts(item, 2)
            edge = _first(self._uow.records(Edge, [_int(pk)]))
            if edge is None:
                self._edge_held(_int(pk), str(column))
            elif getattr(edge, str(column)) in self._heirs:
                self._replace_for_others(edge)
                self._uow.update(Kind.EDGE, [edge.pk], {str(column): self._loser})

    def _edge_held(self, pk: int, column: str) -> None:
        """A later merge dropped the relation that came from this memory: it is there again."""
        held = self._held("dropped_edges", pk)
        if held is None:
            self._gone += 1
            return
        note, item = held
        if item["into"] is not None:
            self._strengths(note, only=_int(item["into"]))
        edge = json_record(Edge, item["row"])
        back: dict[str, Any] = {column: self._loser}
        self._bring_back(replace(edge, **back))

    def _held(self, name: str, pk: int) -> tuple[Note, Mapping[str, Json]] | None:
        """What a merge around this one dropped, with its note, from which it is taken."""
        for note in self._around():
            for item in note.listed(name):
                row = item.get("row", item) if isinstance(item, Mapping) else None
                if isinstance(item, Mapping) and isinstance(row, Mapping) and row.get("pk") == pk:
                    note.moved[name] = [other for other in note.listed(name) if other is not item]
                    return note, item
        return None

    def _around(self) -> list[Note]:
        """Notes of the same survivor and of those that it went into itself."""
        later = self._uow.merges(survivors=self._heirs - {self._note.record.survivor}, losers=self._heirs)
        notes = [self._note_of(record.loser) for record in later if record.loser != self._loser]
        return list({id(note): note for note in [*self._others, *notes] if note is not None}.values())

    def _replace_for_others(self, edge: Edge) -> None:
        """Others had the same relation, for which this one stood: the first of theirs takes its place."""
        heirs: list[tuple[Note, Mapping[str, Json]]] = [
            (note, item)
            for note in self._others
            for item in note.listed("dropped_edges")
            if isinstance(item, Mapping) and item["into"] == edge.pk
        ]
        for note in {id(note): note for note, _ in heirs}.values():
            self._strengths(note, only=edge.pk)
        first = edge
        for place, (note, item) in enumerate(heirs):
            rest = [other for other in note.listed("dropped_edges") if other is not item]
            note.moved["dropped_edges"] = rest
            own = json_record(Edge, item["row"])
            if place == 0:
                first = own
                loser = note.record.loser
                for name in ("source", "target"):
                    if getattr(own, name) == loser:
                        note.add("edges", [own.pk, name])
                self._bring_back(replace(own, **_at(own, loser, self._heir)))
            else:
                note.add("dropped_edges", {**item, "into": first.pk})

    def _dropped_edges(self) -> None:
        for item in self._note.listed("dropped_edges"):
            if isinstance(item, Mapping):
                self._bring_back(json_record(Edge, item["row"]))
        for note in self._others:
            for item in note.listed("dropped_edges"):
                edge = json_record(Edge, item["row"]) if isinstance(item, Mapping) else None
                if edge is not None and self._loser in (edge.source, edge.target):
                    rest = [other for other in note.listed("dropped_edges") if other is not item]
                    note.moved["dropped_edges"] = rest
                    self._bring_back(edge)

    def _bring_back(self, edge: Edge) -> None:
        """A relation is there again; an end that was merged itself since is what it was merged into."""
        ends: dict[str, Any] = {}
        for name in ("source", "target"):
            end = self._end(getattr(edge, name), [edge.pk, name])
            if end is None:
                self._gone += 1
                return
            ends[name] = end
        if ends["source"] == ends["target"] or self._uow.records(Edge, [edge.pk]):
            self._gone += 1
            return
        self._uow.bring_back([replace(edge, **ends)])

    def _end(self, pk: MemoryPk, noted: Json) -> MemoryPk | None:
        """Where an end lies now, noted with the merge that moved it; None when the memory is no more."""
        if pk == self._loser:
            return pk
        for end in (chain := heirs_of(self._uow, pk))[:-1]:
            if (note := self._note_of(end)) is not None:
                note.add("edges", noted)
        return chain[-1] if self._uow.states([chain[-1]]) else None

    def _note_of(self, loser: MemoryPk) -> Note | None:
        if loser not in self._known:
            found = self._uow.merges(losers=[loser])
            if not found:
                return None
            self._known[loser] = Note.of(found[0])
            self.elsewhere.append(self._known[loser])
        return self._known[loser]

    # --- the rest ------------------------------------------------------------------------------

    def _children(self) -> None:
        self._own_parent()
        for child in self._uow.records(Memory, [_int(pk) for pk in self._note.listed("children")]):
            if child.parent in self._heirs or self._unlifted(child):
                self._uow.update(Kind.MEMORY, [child.pk], {"parent": self._loser})
            else:
                self._parent_waits(child.pk)
        for item in self._note.listed("lifted"):
            pk, parent = _parts(item, 2)
            lifted = _first(self._uow.records(Memory, [_int(pk)]))
            if lifted is not None and lifted.parent == parent:
                self._uow.update(Kind.MEMORY, [lifted.pk], {"parent": self._loser})

    def _own_parent(self) -> None:
        """The memory's own parent may have been merged since."""
        own = self._uow.records(Memory, [self._loser])[0]
        if own.parent is None or (note := self._note_of(own.parent)) is None:
            return
        end = heirs_of(self._uow, own.parent)[-1]
        if end == own.parent:
            return
        ring = end == self._loser or self._loser in ancestors(self._uow, end)
        if ring:
            note.add("lifted", [self._loser, None])
        else:
            for heir in heirs_of(self._uow, own.parent)[:-1]:
                if (between := self._note_of(heir)) is not None:
                    between.add("children", self._loser)
        self._uow.update(Kind.MEMORY, [self._loser], {"parent": None if ring else end})

    def _unlifted(self, child: Memory) -> bool:
        """Whether a later merge had lifted the child over its parent, which is no ring any more."""
        if child.pk in ancestors(self._uow, self._loser):
            return False
        for note in self._around():
            for item in note.listed("lifted"):
                pk, parent = _parts(item, 2)
                if pk == child.pk and parent == child.parent:
                    note.moved["lifted"] = [other for other in note.listed("lifted") if other is not item]
                    return True
        return False

    def _parent_waits(self, child: MemoryPk) -> None:
        """The child lost its parent as the survivor of a later merge: taken apart, that gives this parent back."""
        for record in self._uow.merges(survivors=[child]):
            note = self._note_of(record.loser)
            for place, (name, before, after) in enumerate(note.changes if note is not None else ()):
                if note is not None and name == "parent" and before in self._heirs:
                    note.set_change(place, name, self._loser, after)

    def _pins(self) -> None:
        own = {pin.place for pin in self._uow.pins_on([self._loser])}
        back = [json_record(Pin, row) for row in self._note.listed("dropped_pins")]
        for pk in self._note.listed("pins"):
            pin = _first(self._uow.records(Pin, [_int(pk)]))
            if pin is None:
                if held := self._held("dropped_pins", _int(pk)):
                    back.append(replace(json_record(Pin, held[1]), memory=self._loser))
            elif pin.memory in self._heirs and pin.place not in own:
                self._uow.update(Kind.PIN, [pin.pk], {"memory": self._loser})
        there = {pin.pk for pin in self._uow.records(Pin, [pin.pk for pin in back])}
        self._uow.bring_back([pin for pin in back if pin.place not in own and pin.pk not in there])

    def _cases(self) -> None:
        for item in self._note.listed("cases"):
            pk, base = _parts(item, 2)
            case = _first(self._uow.records(RecallCase, [_int(pk)]))
            if case is None:
                self._gone += 1
                continue
            listed = [MemoryPk(_int(each)) for each in base] if isinstance(base, list | tuple) else []
            ends = {each: heirs_of(self._uow, each)[-1] for each in listed}
            merged = tuple(dict.fromkeys(self._heir if end == self._loser else end for end in ends.values()))
            if case.expected == merged:
                self._expect(case, tuple(dict.fromkeys(ends.values())))
            elif self._loser not in case.expected:
                self._expect(case, (*case.expected, self._loser))

    def _expect(self, case: RecallCase, expected: tuple[MemoryPk, ...]) -> None:
        self._uow.update(Kind.RECALL_CASE, [case.pk], {"expected": expected})


def _at(edge: Edge, old: MemoryPk, new: MemoryPk) -> dict[str, Any]:
    return {name: new for name in ("source", "target") if getattr(edge, name) == old}


def _parts(value: Json, count: int) -> Sequence[Json]:
    parts = list(value) if isinstance(value, list | tuple) else []
    return [*parts, *[None] * count][:count]


def _int(value: Json) -> int:
    return int(value) if isinstance(value, int | float | str) else 0


def _first(found: Sequence[Any]) -> Any:
    return found[0] if found else None
