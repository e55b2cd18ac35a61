"""What an undo would do: which rows go back, and which stand against it because they changed since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.domain.enums import Kind
from core.domain.ids import OpId
from core.store import journal
from core.store.filters import among, key_list
from core.store.journal import Net
from core.store.references import REFERENCES, UNIQUE
from core.store.rows import Row
from core.store.unit_of_work import SqlUnitOfWork

Key = tuple[Kind, int]
COUNT, LAST = "activation_count", "last_activated_at"


@dataclass(slots=True)
class UndoPlan:
    """Rows to bring back, to set back and to take away; and the conflicting columns by row."""

    insert: dict[Key, Row] = field(default_factory=dict)
    update: dict[Key, Row] = field(default_factory=dict)
    delete: set[Key] = field(default_factory=set)
    conflicts: dict[Key, tuple[str, ...]] = field(default_factory=dict)

    @property
    def restorable(self) -> int:
        """Number of rows that go back."""
        return len(self.insert) + len(self.update) + len(self.delete)


def _counters_back(net: Net, row: Row) -> Row:
    """Recall counters as they were before, with what was counted since (a merge adds them up)."""
    back: Row = {}
    if COUNT in net.before:
        back[COUNT] = max(0, row[COUNT] + net.before[COUNT] - net.after[COUNT])
    if LAST in net.before and row[LAST] == net.after[LAST]:
        back[LAST] = net.before[LAST]
    return back


class UndoPlanner:
    """Compares the net changes of an op with the rows as they are now.

    Cost: a statement per kind and column group, whatever the number of rows.
    """

    def __init__(self, view: SqlUnitOfWork, nets: Iterable[Net], op: OpId) -> None:
        self._view = view
        self._op = op
        self._nets = list(nets)
        self._plan = UndoPlan()

    def plan(self) -> UndoPlan:
        """The plan; rows in conflict are in none of its three groups."""
        by_kind: dict[Kind, list[Net]] = defaultdict(list)
        for net in self._nets:
            by_kind[net.kind].append(net)
        for kind, nets in by_kind.items():
            present = self._view.present(kind, [net.pk for net in nets])
            for net in nets:
                self._compare(net, present.get(net.pk))
        while self._drop_unfit():
            pass
        return self._plan

    def _compare(self, net: Net, row: Row | None) -> None:
        key = (net.kind, net.pk)
        match net.action:
            case journal.INSERT:
                if row is None or journal.digest(net.kind, row) != net.digest:
                    self._plan.conflicts[key] = ()
                else:
                    self._plan.delete.add(key)
            case journal.UPDATE:
                self._compare_update(key, net, row)
            case _:
                if row is not None:
                    self._plan.conflicts[key] = ()
                else:
                    self._plan.insert[key] = dict(net.before)

    def _compare_update(self, key: Key, net: Net, row: Row | None) -> None:
        if row is None:
            self._plan.conflicts[key] = tuple(net.before)
            return
        touched = [
            name for name, value in net.after.items() if name not in journal.OUTSIDE and row[name] != value
        ]
        if touched:
            self._plan.conflicts[key] = tuple(touched)
            return
        back = {name: value for name, value in net.before.items() if name not in journal.OUTSIDE}
        back |= _counters_back(net, row)
        if "updated_at" in net.before and row["updated_at"] == net.after.get("updated_at"):
            back["updated_at"] = net.before["updated_at"]
        self._plan.update[key] = back

    # --- what the rows around would not allow --------------------------------------------

    def _drop_unfit(self) -> bool:
        """Move rows that cannot go back to the conflicts. True when there were any."""
        before = len(self._plan.conflicts)
        for kind, columns in UNIQUE:
            self._drop_taken(kind, columns)
        for reference in REFERENCES:
            if reference.optional:
                self._empty_dangling(reference.kind, reference.column, reference.target)
            else:
                self._drop_orphans(reference.kind, reference.column, reference.target)
            self._drop_still_used(reference.kind, reference.column, reference.target)
            if reference.kind is reference.target:
                self._drop_rings(reference.kind, reference.column)
        return len(self._plan.conflicts) > before

    def _conflict(self, key: Key, *columns: str) -> None:
        self._plan.insert.pop(key, None)
        self._plan.update.pop(key, None)
        self._plan.delete.discard(key)
        self._plan.conflicts[key] = columns

    def _written(self, kind: Kind, column: str) -> dict[int, object]:
        """Values that the plan would write into a column, by row."""
        return {
            key[1]: row[column]
            for group in (self._plan.insert, self._plan.update)
            for key, row in group.items()
            if key[0] is kind and row.get(column) is not None
        }

    def _missing(self, kind: Kind, column: str, target: Kind) -> list[int]:
        """Rows whose written reference would lead nowhere."""
        written = self._written(kind, column)
        if not written:
            return []
        wanted = {int(str(value)) for value in written.values()}
        there = set(self._view.present(target, wanted, ()))
        there |= {pk for of, pk in self._plan.insert if of is target}
        there -= {pk for of, pk in self._plan.delete if of is target}
        return [pk for pk, value in written.items() if value not in there]

    def _drop_orphans(self, kind: Kind, column: str, target: Kind) -> None:
        for pk in self._missing(kind, column, target):
            self._conflict((kind, pk), column)

    def _empty_dangling(self, kind: Kind, column: str, target: Kind) -> None:
        for pk in self._missing(kind, column, target):
            for group in (self._plan.insert, self._plan.update):
                if (kind, pk) in group:
                    group[kind, pk][column] = None

    def _drop_rings(self, kind: Kind, column: str) -> None:
        """Rows whose written reference would lead back to themselves, since others were turned round meanwhile.

        A ring that was there before the op (its repair is undone) comes back like anything else.
        """
        written = self._written(kind, column)
        links: dict[int, object] = dict(written)
        ends = {int(str(value)) for value in written.values()} - links.keys()
        while ends:
            for pk, row in self._view.present(kind, ends, (column,)).items():
                links[pk] = self._plan.update.get((kind, pk), row).get(column, row[column])
            found = {int(str(links[pk])) for pk in ends if links.get(pk) is not None}
            ends = found - links.keys()
        for start in written:
            seen, at = {start}, links.get(start)
            while isinstance(at, int) and at not in seen:
                seen.add(at)
                at = links.get(at)
            if at == start and self._turned_since(seen - written.keys(), column):
                self._conflict((kind, start), column)

    def _turned_since(self, memories: Iterable[int], column: str) -> bool:
        """Whether a reference of one of these memories was changed after the op."""
        found = self._view.connection.exec_driver_sql(
            f"SELECT 1 FROM journal WHERE op > ? AND kind = ? AND {among('memory')}"
            ' AND ("action" <> ? OR json_type(after, ?) IS NOT NULL) LIMIT 1',
            (self._op, Kind.MEMORY.value, key_list(sorted(memories)), journal.UPDATE, f"$.{column}"),
        )
        return found.first() is not None

    def _drop_still_used(self, kind: Kind, column: str, target: Kind) -> None:
        """A row that came with the op cannot go while others, not part of this undo, refer to it."""
        going = [pk for of, pk in self._plan.delete if of is target]
        if not going:
            return
        users = self._view.connection.exec_driver_sql(
            f'SELECT pk, "{column}" FROM {kind.value} WHERE {among(column)}', (key_list(going),)
        )
        for user, used in users:
            key = (kind, user)
            if key not in self._plan.delete and column not in self._plan.update.get(key, {}):
                self._conflict((target, used))

    def _drop_taken(self, kind: Kind, columns: tuple[str, ...]) -> None:
        """Unique values that another row has taken since."""
        writing = {
            key: row
            for group in (self._plan.insert, self._plan.update)
            for key, row in group.items()
            if key[0] is kind and any(name in row for name in columns)
        }
        if not writing:
            return
        present = self._view.present(kind, [pk for _, pk in writing], columns)
        values = {
            key: tuple(row.get(name, present.get(key[1], {}).get(name)) for name in columns)
            for key, row in writing.items()
        }
        wanted = {value[-1] for value in values.values() if None not in value}
        listed = ", ".join(f'"{name}"' for name in columns)
        rows = self._view.connection.exec_driver_sql(
            f"SELECT pk, {listed} FROM {kind.value} WHERE {among(columns[-1])}", (key_list(wanted),)
        )
        taken = {
            tuple(row[1:]): row[0]
            for row in rows
            if (kind, row[0]) not in self._plan.delete and (kind, row[0]) not in writing
        }
        for key, value in values.items():
            if value in taken:
                self._conflict(key, *columns)
