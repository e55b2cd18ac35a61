"""Backups: made by hand, before big changes and by the clock; checked, brought back, thinned out."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.container import open_library
from app.container_health import restore
from app.writers import person, program
from core.domain.commands import (
    CreateMemory,
    DeletePermanently,
    EmptyTrash,
    NewMemory,
    SetImportance,
    TrashMemories,
)
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import BadFile, Cancelled, Invalid, LibraryInUse, NotFound, Unavailable
from core.domain.health import Backup, BackupReason
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import ListMemories, Memories
from core.domain.queries_health import Backups, DeleteBackup, MakeBackup, VerifyBackup
from core.domain.queries_history import LastOpId
from core.domain.queries_index import SearchByMeaning
from core.ports.clock import system_clock
from core.ports.progress import CancelToken
from core.services import backup_rules
from core.services.backup_rules import to_remove
from core.store.backups import SqlBackups
from tests.health.conftest import Desk


def reasons(desk: Desk) -> list[BackupReason]:
    return [backup.reason for backup in desk.engine.ask(Backups())]


def test_backup_holds_everything_and_says_what(desk: Desk) -> None:
    pk = desk.add("怀表停在三点一刻")
    desk.library.indexer.embed_missing()
    made = desk.engine.ask(MakeBackup(note="before the story goes on"))
    assert made.reason is BackupReason.BY_HAND
    assert (made.counts["memory"], made.counts["vector"], made.note) == (1, 1, "before the story goes on")
    assert desk.engine.ask(VerifyBackup(made.name)).whole
    with closing(sqlite3.connect(made.path / "library.db")) as copy:
        assert copy.execute("SELECT body FROM memory WHERE pk = ?", (pk,)).fetchone() == ("怀表停在三点一刻",)
    assert "keyring" not in (made.path / "settings.json").read_text("utf-8")


def test_cancelled_backup_leaves_nothing(desk: Desk) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        desk.library.health.make(BackupReason.BY_HAND, cancel=cancel)
    assert list(desk.library.files.backups.iterdir()) == []


def test_rest_of_a_killed_backup_goes_and_one_that_is_being_made_stays(desk: Desk) -> None:
    """Each is as large as the library, and none of them a backup."""
    desk.add("甲")
    made = desk.engine.ask(MakeBackup())
    killed, other = (made.path.with_name(f"2026-{name}.part") for name in ("killed", "other"))
    for place in (killed, other):
        shutil.copytree(made.path, place)
    long_ago = made.at.timestamp() - 10_000
    for file in (*killed.iterdir(), killed):
        os.utime(file, (long_ago, long_ago))
    assert [each.name for each in desk.engine.ask(Backups())] == [made.name]
    with pytest.raises(NotFound):
        desk.engine.ask(VerifyBackup(killed.name))
    desk.engine.ask(MakeBackup())
    assert (killed.exists(), other.exists()) == (False, True)


def test_backup_without_room_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 99, 1))
    with pytest.raises(Invalid) as caught:
        desk.engine.ask(MakeBackup())
    assert caught.value.key == "error.backup.no_room"


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (lambda file: file.unlink(), "backup.problem.no_file"),
        (lambda file: file.write_bytes(file.read_bytes()[:5000]), "backup.problem.hash"),
        (lambda file: file.write_bytes(b"\x00" * 4096), "backup.problem.damaged"),
    ],
)
def test_damaged_backup_is_told_and_not_restored(desk: Desk, harm: object, problem: str) -> None:
    desk.add("甲")
    made = desk.engine.ask(MakeBackup())
    assert callable(harm)
    harm(made.path / "library.db")
    assert problem in desk.engine.ask(VerifyBackup(made.name)).problems
    desk.library.close()
    with pytest.raises(BadFile):
        restore(desk.root, made.name, desk.settings)
    desk.open()
    assert len(desk.engine.ask(ListMemories())) == 1


def test_restore_brings_everything_back_and_keeps_the_present_state(desk: Desk) -> None:
    first = desk.add("第一条")
    desk.library.indexer.embed_missing()
    made = desk.engine.ask(MakeBackup())
    desk.engine.run(TrashMemories(memories=(first,)))
    later = desk.add("后来的")
    desk.library.close()
    kept = restore(desk.root, made.name, desk.settings)
    assert kept is not None
    assert kept.reason is BackupReason.RESTORE
    desk.open()
    assert desk.engine.ask(Memories((first,)))[0].deleted_at is None
    assert desk.engine.ask(Memories((later,))) == ()
    desk.library.indexer.drain()
    assert [hit[0] for hit in desk.engine.ask(SearchByMeaning("第一条"))] == [first]
    desk.library.close()
    restore(desk.root, kept.name, desk.settings)
    desk.open()
    assert desk.engine.ask(Memories((later,)))[0].body == "后来的"


def test_emptied_and_deleted_library_is_restored(desk: Desk) -> None:
    pk = desk.add("留得住的")
    made = desk.engine.ask(MakeBackup())
    for harm in (lambda file: file.write_bytes(b""), Path.unlink):
        desk.library.close()
        harm(desk.library.files.database)
        restore(desk.root, made.name, desk.settings)
        desk.open()
        assert desk.engine.ask(Memories((pk,)))[0].body == "留得住的"


WRITER = """
import sys
from pathlib import Path
from app.container import open_library
from app.writers import program
from core.domain.commands import CreateMemory, NewMemory
from core.domain.ids import FolderPk, TypeId
from core.domain.queries import Memories
from core.settings import Settings

library = open_library(Path(sys.argv[1]), program("beside"), Settings(), keep=False)
new = NewMemory(folder=FolderPk(int(sys.argv[2])), type=TypeId("event"), body="beside")
while True:
    made = library.engine.run(CreateMemory(new))
    print(library.engine.ask(Memories(made.created))[0].id, flush=True)
"""


def test_nothing_that_another_process_writes_meanwhile_is_lost(desk: Desk) -> None:
    """What it was told to be written stands in the library or in the copy of the state before."""
    desk.add("第一条")
    made = desk.engine.ask(MakeBackup())
    desk.library.close()
    command = [sys.executable, "-c", WRITER, str(desk.root), str(desk.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as beside:
        assert beside.stdout is not None
        told = [beside.stdout.readline().strip() for _ in range(5)]
        kept = restore(desk.root, made.name, desk.settings)
        told += [beside.stdout.readline().strip() for _ in range(3)]
        beside.kill()
        told += beside.stdout.read().split()
    desk.open()
    assert kept is not None
    found = set()
    for file in (kept.path / "library.db", desk.library.files.database):
        with closing(sqlite3.connect(file)) as connection:
            found |= {row[0] for row in connection.execute("SELECT id FROM memory")}
    assert set(filter(None, told)) <= found


def test_nobody_writes_between_the_copy_and_the_restore(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.add("第一条")
    made = desk.engine.ask(MakeBackup())
    desk.library.close()
    beside = open_library(desk.root, program("beside"), desk.settings)
    monkeypatch.setattr("core.store.database.BUSY_TIMEOUT_MS", 50)
    other = open_library(desk.root, program("impatient"), desk.settings)
    new = CreateMemory(NewMemory(folder=desk.folder, type=TypeId("event"), body="写在前面的"))
    beside.engine.run(new)
    make = SqlBackups.make
    refused: list[str] = []

    def make_then_write(self: SqlBackups, *args: Any, **more: Any) -> Backup:
        copy = make(self, *args, **more)
        with pytest.raises(Unavailable) as caught:
            other.engine.run(new)
        refused.append(caught.value.key)
        return copy

    monkeypatch.setattr(SqlBackups, "make", make_then_write)
    seen = beside.engine.ask(LastOpId())
    try:
        kept = restore(desk.root, made.name, desk.settings)
        assert refused == ["error.store.locked"]
        assert kept is not None
        assert kept.counts["memory"] == 2
        assert beside.engine.poll(), "a program that has it open hears of the restore"
        assert beside.engine.ask(LastOpId()) > seen
        assert len(beside.engine.ask(ListMemories())) == 1
    finally:
        beside.close()
        other.close()


def test_restore_beside_a_long_change_waits_for_its_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that commits piece by piece would go on writing into the restored library."""
    desk.add("第一条")
    made = desk.engine.ask(MakeBackup())
    desk.library.close()
    with closing(sqlite3.connect(desk.library.files.database)) as connection, connection:
        connection.execute("UPDATE op SET state = 'open', pid = ? WHERE pk = 1", (os.getppid(),))
    with pytest.raises(Unavailable) as caught:
        restore(desk.root, made.name, desk.settings)
    assert caught.value.key == "error.backup.busy"
    assert [each.name for each in SqlBackups(desk.library.files).all()] == [made.name]


def test_full_disk_is_no_damage(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The present state is not given up because it could not be copied."""
    pk = desk.add("第一条")
    made = desk.engine.ask(MakeBackup())
    later = desk.add("后来的")
    desk.library.close()

    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    for place in ("core.store.backups.copy_file", "core.store.backups.put_in_place"):
        with monkeypatch.context() as patch:
            patch.setattr(place, full)
            with pytest.raises(Invalid):
                restore(desk.root, made.name, desk.settings)
    desk.open()
    assert {each.pk for each in desk.engine.ask(Memories((pk, later)))} == {pk, later}


def test_library_that_is_open_is_not_restored(desk: Desk) -> None:
    desk.add("甲")
    made = desk.engine.ask(MakeBackup())
    with pytest.raises(LibraryInUse):
        restore(desk.root, made.name, desk.settings)


def test_library_too_damaged_to_be_opened_is_restored(desk: Desk) -> None:
    pk = desk.add("留得住的")
    made = desk.engine.ask(MakeBackup())
    desk.library.close()
    desk.library.files.database.write_bytes(b"not a database any more" * 400)
    with pytest.raises(BadFile):
        open_library(desk.root, person(), desk.settings)
    assert restore(desk.root, made.name, desk.settings) is None
    assert list(desk.library.files.backups.glob("damaged-*.db"))
    desk.open()
    assert desk.engine.ask(Memories((pk,)))[0].body == "留得住的"


@pytest.mark.parametrize("name", ["", "..", "../x", "nothing", "a/b"])
def test_backup_that_is_not_there_is_refused(desk: Desk, name: str) -> None:
    for query in (VerifyBackup(name), DeleteBackup(name)):
        with pytest.raises(NotFound):
            desk.engine.ask(query)


def test_import_into_a_used_library_is_backed_up_first(desk: Desk) -> None:
    desk.engine.run(ApplyImport(desk.library.sample_plan()))
    assert reasons(desk) == [], "an empty library has nothing to lose"
    desk.engine.run(ApplyImport(desk.library.sample_plan()))
    assert reasons(desk) == [BackupReason.IMPORT]


def test_emptying_the_trash_is_backed_up_and_deleting_for_good_is_not(desk: Desk) -> None:
    first, second = desk.add("甲"), desk.add("乙")
    desk.engine.run(DeletePermanently(memories=(second,)))
    assert reasons(desk) == []
    desk.engine.run(TrashMemories(memories=(first,)))
    desk.engine.run(EmptyTrash())
    assert reasons(desk) == [BackupReason.EMPTY_TRASH]
    desk.engine.run(EmptyTrash())
    assert len(reasons(desk)) == 1, "an empty trash is no big change"


def test_big_change_is_backed_up_once_for_each_state(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_rules, "BIG_ROWS", 2)
    pks = tuple(desk.add(text) for text in "甲乙丙")
    desk.engine.run(SetImportance(memories=pks[:2], importance=3))
    assert reasons(desk) == []
    with pytest.raises(Invalid):
        desk.engine.run(SetImportance(memories=pks, importance=99))
    desk.engine.run(SetImportance(memories=pks, importance=9))
    assert reasons(desk) == [BackupReason.BIG_CHANGE]
    desk.engine.run(SetImportance(memories=pks, importance=1))
    assert len(reasons(desk)) == 2
    desk.settings.set("backup.before_big", False)
    desk.engine.run(SetImportance(memories=pks, importance=2))
    assert len(reasons(desk)) == 2


def test_scheduled_backup_is_made_when_due_and_something_changed(desk: Desk) -> None:
    health, now = desk.library.health, system_clock()
    assert health.make_scheduled(now) is None, "nothing in it"
    desk.add("甲")
    assert health.make_scheduled(now) is not None
    desk.add("乙")
    assert health.make_scheduled(now + timedelta(hours=5)) is None
    assert health.make_scheduled(now + timedelta(days=2)) is not None
    assert health.make_scheduled(now + timedelta(days=9)) is None, "nothing changed since"
    desk.settings.set("backup.every_days", 0)
    desk.add("丙")
    assert health.make_scheduled(now + timedelta(days=20)) is None


def test_automatic_backups_beyond_the_number_kept_go_oldest_first() -> None:
    def made(day: int, reason: BackupReason) -> Backup:
        at = system_clock() + timedelta(days=day)
        return Backup(name=f"b{day}", path=Path(), at=at, reason=reason, bytes=1)

    backups = [made(day, BackupReason.SCHEDULED) for day in range(5)]
    backups += [made(day, BackupReason.BY_HAND) for day in range(10, 13)]
    assert [each.name for each in to_remove(backups, 3)] == ["b1", "b0"]


def test_too_many_automatic_backups_are_thinned_out(desk: Desk) -> None:
    desk.settings.set("backup.keep", 3)
    for number in range(5):
        desk.add(f"记忆 {number}")
        desk.library.health.make(BackupReason.SCHEDULED)
    desk.library.health.make(BackupReason.BY_HAND)
    assert len(reasons(desk)) == 4


def test_copies_of_older_versions_are_listed_with_the_others(desk: Desk) -> None:
    desk.add("甲")
    made = desk.engine.ask(MakeBackup())
    old = desk.library.files.backups / "before-m002-20260101T000000.db"
    shutil.copyfile(made.path / "library.db", old)
    (desk.library.files.backups / "stray").mkdir()
    (desk.library.files.backups / "broken").mkdir()
    (desk.library.files.backups / "broken" / "manifest.json").write_text(json.dumps({"at": 3}))
    listed = desk.engine.ask(Backups())
    assert [each.name for each in listed] == [made.name, old.name]
    assert desk.engine.ask(VerifyBackup(old.name)).whole
    desk.engine.ask(DeleteBackup(old.name))
    assert len(desk.engine.ask(Backups())) == 1


def test_backup_while_another_program_writes_is_one_state(desk: Desk) -> None:
    """What is written after the copy began is not in it, and nothing is torn."""
    for number in range(30):
        desk.add(f"记忆 {number} " + "雾" * 3000)
    written: list[MemoryPk] = []

    def progress(_done: int, _total: int) -> None:
        if not written:
            written.append(desk.add("写在中间的"))

    copies = SqlBackups(desk.library.files)
    made = copies.make(BackupReason.BY_HAND, progress=progress)
    assert copies.verify(made.name).whole
    assert made.counts["memory"] in (30, 31)
