"""The queue: one row a file, failures that can be tried again, questions, pause, cancel, and a crash in the middle."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain import queries_documents as qd
from core.domain import queries_history as qy
from core.domain.document import FileState
from core.domain.errors import Cancelled
from core.domain.queries_documents import QueueAction
from core.ports.progress import CancelToken
from tests.documents.conftest import Desk, open_desk
from tests.documents.making import pdf
from tests.documents.test_readers import _encrypted


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "drop"
    made.mkdir()
    for name in "abc":
        (made / f"{name}.txt").write_text(f"{name}：守灯人七点点灯。", encoding="utf-8")
    return made


def states(desk: Desk) -> dict[str, str]:
    return {row.file.path.name: row.state.value for row in desk.queue()}


def test_a_file_that_cannot_be_read_does_not_keep_the_others_out(desk: Desk, folder: Path) -> None:
    (folder / "b.txt").write_bytes(b"\x89PNG\r\n\x1a\n")
    desk.drop(folder)
    assert states(desk) == {"a.txt": "done", "b.txt": "failed", "c.txt": "done"}
    error = desk.queue()[1].error
    assert error is not None
    assert (error.key, error.args["name"]) == ("error.document.picture", "b.txt")


def test_only_failed_files_are_tried_again(desk: Desk, folder: Path) -> None:
    (folder / "b.txt").write_bytes(b"")
    desk.drop(folder)
    (folder / "b.txt").write_text("乙。", encoding="utf-8")
    before = desk.engine.ask(qy.LastOpId())
    assert desk.engine.ask(qd.ChangeQueue(QueueAction.RETRY)) == 1
    assert desk.engine.ask(qd.RunQueue()) == 1
    assert set(states(desk).values()) == {"done"}
    assert desk.engine.ask(qy.LastOpId()) == before + 1


def test_dropping_a_failed_file_again_is_accepted(desk: Desk, tmp_path: Path) -> None:
    scan = tmp_path / "scan.pdf"
    scan.write_bytes(pdf(""))
    assert [row.state for row in desk.drop(scan)] == [FileState.FAILED]
    scan.write_bytes(pdf("read by now."))
    assert [row.state for row in desk.drop(scan)] == [FileState.DONE]
    assert len(desk.queue()) == 1


def test_a_doubtful_encoding_waits_for_an_answer(desk: Desk, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes("你好".encode("gbk"))
    [row] = desk.drop(note)
    assert row.state is FileState.QUESTION
    assert dict(row.choices)["gb18030"] == "你好"
    assert desk.documents() == ()
    assert desk.engine.ask(qd.AnswerQueue(row=row.pk, encoding="gb18030"))
    desk.engine.ask(qd.RunQueue())
    assert desk.bodies() == ["你好"]
    assert desk.queue()[0].state is FileState.DONE


def test_a_password_is_asked_for_and_stays_out_of_the_library(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "x.pdf"
    file.write_bytes(_encrypted("geheim-4711", "AES-256"))
    [row] = desk.drop(file)
    assert row.state is FileState.QUESTION
    desk.engine.ask(qd.AnswerQueue(row=row.pk, password="wrong"))
    desk.engine.ask(qd.RunQueue())
    assert desk.queue()[0].error is not None
    desk.engine.ask(qd.AnswerQueue(row=row.pk, password="geheim-4711"))
    desk.engine.ask(qd.RunQueue())
    assert desk.queue()[0].state is FileState.DONE
    assert b"geheim-4711" not in desk.library.files.database.read_bytes()


def test_paused_and_cancelled_files_are_left_alone_until_they_go_on(desk: Desk, folder: Path) -> None:
    queued = desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    first, second, _ = queued.rows
    desk.engine.ask(qd.ChangeQueue(QueueAction.PAUSE, (first,)))
    desk.engine.ask(qd.ChangeQueue(QueueAction.CANCEL, (second,)))
    assert desk.engine.ask(qd.RunQueue()) == 1
    assert states(desk) == {"a.txt": "paused", "b.txt": "cancelled", "c.txt": "done"}
    desk.engine.ask(qd.ChangeQueue(QueueAction.RESUME))
    desk.engine.ask(qd.RunQueue())
    assert states(desk)["a.txt"] == "done"
    assert desk.engine.ask(qd.ChangeQueue(QueueAction.CLEAR)) == 3
    assert desk.queue() == ()


def test_cancelling_everything_leaves_the_rest_waiting(desk: Desk, folder: Path) -> None:
    desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    token = CancelToken()
    unsubscribe = desk.engine.subscribe(lambda _changes: token.cancel())
    with pytest.raises(Cancelled):
        desk.engine.ask(qd.RunQueue(), cancel=token)
    unsubscribe()
    assert states(desk) == {"a.txt": "done", "b.txt": "waiting", "c.txt": "waiting"}
    desk.engine.ask(qd.RunQueue())
    assert set(states(desk).values()) == {"done"}
    assert len(desk.documents()) == 3


def test_after_a_crash_the_queue_goes_on_and_nothing_comes_twice(tmp_path: Path, folder: Path) -> None:
    desk = open_desk(tmp_path / "library")
    desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    job = desk.library.store.jobs.take("ingest", FileState.WAITING, FileState.READING)
    assert job is not None
    desk.library.close()
    desk = open_desk(tmp_path / "library")
    try:
        assert states(desk)["a.txt"] == "reading"
        desk.engine.ask(qd.RunQueue())
        assert set(states(desk).values()) == {"done"}
        done = desk.queue()[0]
        desk.library.store.jobs.move([done.pk], [FileState.DONE], FileState.WRITING)
        desk.engine.ask(qd.RunQueue())
        assert desk.queue()[0].result == "same"
        assert len(desk.documents()) == 3
    finally:
        desk.library.close()


def test_a_fault_of_the_program_in_one_file_stops_no_later_run(
    desk: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    with monkeypatch.context() as patch:
        patch.setattr("core.services.ingest.queue.prepared", lambda *_args, **_more: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            desk.engine.ask(qd.RunQueue())
    assert [row.state for row in desk.queue()].count(FileState.FAILED) == 1
    desk.engine.ask(qd.RunQueue())
    assert not any(row.state.is_open for row in desk.queue())


def test_one_program_at_a_time_works_on_the_queue(desk: Desk, folder: Path) -> None:
    desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    with desk.library.store.jobs.working("ingest") as mine:
        assert mine
        assert desk.engine.ask(qd.RunQueue()) == 0
    assert desk.engine.ask(qd.RunQueue()) == 3


def test_a_file_that_waits_already_is_not_put_in_twice(desk: Desk, folder: Path) -> None:
    first = desk.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
    second = desk.engine.ask(qd.QueueFiles(paths=(folder, folder / "a.txt"), folder="default"))
    assert second.rows == first.rows
    assert second.found.same_file == 1
    assert len(desk.queue()) == 3


def test_a_row_cancelled_while_it_is_read_writes_nothing(desk: Desk, folder: Path) -> None:
    queued = desk.engine.ask(qd.QueueFiles(paths=(folder / "a.txt",), folder="default"))
    jobs = desk.library.store.jobs
    take = jobs.take

    def take_and_cancel(kind: str, state: str, taken: str) -> object:
        job = take(kind, state, taken)
        jobs.move(queued.rows, [FileState.READING], FileState.CANCELLED)
        return job

    jobs.take = take_and_cancel  # type: ignore[method-assign,assignment]
    desk.engine.ask(qd.RunQueue())
    assert states(desk) == {"a.txt": "cancelled"}
    assert desk.documents() == ()


def test_very_long_names_and_unreadable_files_are_told(desk: Desk, tmp_path: Path) -> None:
    deep = tmp_path / "d"
    for _ in range(12):
        deep /= "很长的目录名" * 6
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("深处。", encoding="utf-8")
    [row] = desk.drop(tmp_path / "d")
    assert row.state is FileState.DONE
    found = desk.engine.ask(qd.FindDocuments((tmp_path / "nothing",)))
    assert [problem.key for problem in found.left_out] == ["document.left_out.missing"]
