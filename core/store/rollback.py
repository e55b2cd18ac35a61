"""Taking back an op that never completed: its committed chunks go by the journal, its record too."""

from __future__ import annotations

import os
import sys
from collections import defaultdict

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.domain.ids import OpId
from core.store import derived, journal
from core.store.database import Database
from core.store.references import RESTORE_ORDER
from core.store.rows import Dirty, Row, RowWriter


def roll_back(database: Database, op: OpId) -> None:
    """Set every row back as it was before the op and forget the op, in one transaction.

    Rows that others changed in between lose nothing but what this op wrote: an update goes back
    column by column, whatever the present value.
    """
    with database.writing() as connection:
        dirty = Dirty()
        writer = RowWriter(connection, dirty)
        nets = journal.fold(journal.read(connection, op))
        inserts: dict[Kind, list[Row]] = defaultdict(list)
        for net in nets:
            if net.action == journal.DELETE and not writer.fetch(net.kind, [net.pk], ()):
                inserts[net.kind].append(net.before)
        for kind in RESTORE_ORDER:
            if inserts[kind]:
                writer.insert(kind, inserts[kind])
        updates: dict[Kind, dict[int, Row]] = defaultdict(dict)
        deletes: dict[Kind, list[int]] = defaultdict(list)
        for net in nets:
            if net.action == journal.UPDATE:
                updates[net.kind][net.pk] = net.before
            elif net.action == journal.INSERT:
                deletes[net.kind].append(net.pk)
        for kind, rows in updates.items():
            writer.update(kind, rows)
        for kind in reversed(RESTORE_ORDER):
            if deletes[kind]:
                writer.delete(kind, deletes[kind])
        derived.refresh(connection, dirty)
        connection.exec_driver_sql("DELETE FROM journal WHERE op = ?", (op,))
        connection.exec_driver_sql("UPDATE op SET undone_by = NULL WHERE undone_by = ?", (op,))
        connection.exec_driver_sql("DELETE FROM op WHERE pk = ?", (op,))


def abandoned_ops(connection: Connection) -> list[OpId]:
    """Open ops, newest first, whose process is gone."""
    rows = connection.exec_driver_sql("SELECT pk, pid FROM op WHERE state = 'open' ORDER BY pk DESC")
    return [OpId(pk) for pk, pid in rows if pid == os.getpid() or not process_lives(pid)]


def process_lives(pid: int) -> bool:
    """Whether a process of that id runs."""
    if sys.platform == "win32":
        return _windows_process_lives(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _windows_process_lives(pid: int) -> bool:
    import ctypes

    query_limited_information, still_active = 0x1000, 259
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore] # exists on Windows only
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == still_active
