"""What is another one now in some folders than it was after an op: all changes since as one, row by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.domain.ids import FolderPk, OpId
from core.domain.results import RowDiff
from core.store import journal, op_diff
from core.store.op_filter import IN_FOLDERS

_UNSAID = frozenset({Kind.DECISION, Kind.PIN})
"""Rows that are no content."""


def since(
    connection: Connection, folders: Collection[FolderPk], after: OpId, skip: Collection[OpId], limit: int
) -> tuple[list[tuple[RowDiff, tuple[OpId, ...]]], int]:
    """The net changes with the ops that made each, newest first, in the order first touched; and how many in all.

    What was undone is no change. `skip`: ops that do not count. Cost: the entries of the ops since.
    """
    entries = [
        entry
        for entry in _entries(connection, folders, after)
        if entry.op not in skip and entry.kind not in _UNSAID
    ]
    nets = [net for net in map(_differing, journal.fold(entries)) if net is not None]
    shown = nets[:limit]
    rows = op_diff.diffs(connection, shown)
    made = _made_by(entries)
    return [(row, made(net)) for row, net in zip(rows, shown, strict=True)], len(nets)


def _differing(net: journal.Net) -> journal.Net | None:
    """The net change without columns that are as they were; None when all are."""
    if net.action != journal.UPDATE:
        return net
    names = (net.before.keys() | net.after.keys()) - journal.OUTSIDE
    kept = {name for name in names if net.before.get(name) != net.after.get(name)}
    net.before = {name: value for name, value in net.before.items() if name in kept}
    net.after = {name: value for name, value in net.after.items() if name in kept}
    return net if kept else None


def _made_by(entries: Sequence[journal.Entry]) -> Callable[[journal.Net], tuple[OpId, ...]]:
    """Which ops wrote what is another one now in a row, newest first."""
    by_row: dict[tuple[Kind, int], list[journal.Entry]] = defaultdict(list)
    for entry in entries:
        by_row[entry.kind, entry.pk].append(entry)

    def made(net: journal.Net) -> tuple[OpId, ...]:
        columns = net.before.keys() | net.after.keys()
        touching = [
            OpId(entry.op)
            for entry in reversed(by_row[net.kind, net.pk])
            if net.action != journal.UPDATE or not columns.isdisjoint(entry.after or {})
        ]
        return tuple(dict.fromkeys(touching))

    return made


def _entries(connection: Connection, folders: Collection[FolderPk], after: OpId) -> list[journal.Entry]:
    pks = ", ".join(str(int(pk)) for pk in sorted(folders))
    return journal.read_where(
        connection,
        "j.op > ? AND (SELECT state FROM op WHERE op.pk = j.op) = 'complete'"
        f" AND {IN_FOLDERS.format(pks=pks)} ORDER BY j.pk",
        (int(after),),
    )
