"""The queue of files: one row each, worked on one after the other, resumed after a crash.

A row that failed is never taken for done: only what was written is known again (by the text's hash, in the
document's own row). Each file is one op, so a file that stops in the middle leaves nothing behind.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.domain.api import Cancel
from core.domain.commands import IngestDocument
from core.domain.document import CutSettings, Cutting, FileState, QueuedFile, QueueRow
from core.domain.errors import (
    BadFile,
    Cancelled,
    Conflict,
    CuratorError,
    EncodingQuestion,
    PasswordQuestion,
    Unavailable,
    UserError,
)
from core.domain.ids import DocumentPk
from core.domain.json_types import Json, JsonObject
from core.domain.queries import QueueAction, Queued, QueueFiles
from core.domain.results import OpResult, Problem
from core.ports.document_reader import DocumentReader
from core.ports.jobs import Job, Jobs
from core.services.ingest.preparing import Embed, prepared

KIND = "ingest"
_GROWING = "error.document.growing"
_GROWING_TRIES = 20
_UNFINISHED = (FileState.READING, FileState.WRITING)
_ACTIONS: Mapping[QueueAction, tuple[tuple[FileState, ...], FileState | None]] = {
    QueueAction.PAUSE: ((FileState.WAITING,), FileState.PAUSED),
    QueueAction.RESUME: ((FileState.PAUSED,), FileState.WAITING),
    QueueAction.CANCEL: (
        (FileState.WAITING, FileState.READING, FileState.WRITING, FileState.PAUSED, FileState.QUESTION),
        FileState.CANCELLED,
    ),
    QueueAction.RETRY: ((FileState.FAILED, FileState.CANCELLED, FileState.QUESTION), FileState.WAITING),
    QueueAction.CLEAR: ((FileState.DONE, FileState.SAME, FileState.CANCELLED), None),
}

Run = Callable[..., OpResult]
"""The engine's `run`."""


class IngestQueue:
    """Files on their way. Cheap; several may work on one library, one of them at a time."""

    def __init__(self, jobs: Jobs, reader: DocumentReader, run: Run, embed: Embed) -> None:
        self._jobs = jobs
        self._reader = reader
        self._run = run
        self._embed = embed
        self._passwords: dict[int, str] = {}

    # --- filling -------------------------------------------------------------------------

    def add(self, query: QueueFiles, cancel: Cancel | None = None) -> Queued:
        """Put files in; see QueueFiles."""
        found = self._reader.find(query.paths, cancel)
        old = [row_of(job) for job in self._jobs.all(KIND)]
        waiting = {(row.file.path, row.file.folder): row.pk for row in old if row.state.is_open}
        batch = uuid.uuid4().hex
        title = query.title if len(found.files) == 1 else ""
        files = [
            QueuedFile(
                path=path.absolute(),
                shown=shown_path(path.absolute()),
                folder=query.folder,
                title=title,
                encoding=query.encoding,
                source=query.source,
                settings=query.settings,
                batch=batch,
            )
            for path in found.files
        ]
        fresh = [file for file in files if (file.path, file.folder) not in waiting]
        added = {(file.path, file.folder) for file in fresh}
        self._jobs.remove(row.pk for row in old if (row.file.path, row.file.folder) in added)
        keys = iter(self._jobs.add(KIND, FileState.WAITING, [_stored(file) for file in fresh]))
        rows = [waiting.get((file.path, file.folder)) or next(keys) for file in files]
        return Queued(tuple(rows), found)

    def rows(self) -> tuple[QueueRow, ...]:
        """All rows, oldest first."""
        return tuple(row_of(job) for job in self._jobs.all(KIND))

    def change(self, action: QueueAction, rows: Sequence[int] | None) -> int:
        """Pause, resume, cancel, retry or clear rows; returns how many."""
        states, to = _ACTIONS[action]
        pks = [job.pk for job in self._jobs.all(KIND) if rows is None or job.pk in set(rows)]
        if to is not None:
            return self._jobs.move(pks, states, to)
        done = [job.pk for job in self._jobs.all(KIND) if job.pk in set(pks) and job.state in states]
        return self._jobs.remove(done)

    def answer(self, pk: int, encoding: str, password: str) -> bool:
        """What a person answered; the row waits again."""
        job = self._jobs.one(pk)
        if job is None:
            return False
        if password:
            self._passwords[pk] = password
        data = {**job.data, "encoding": encoding} if encoding else dict(job.data)
        self._jobs.save(pk, FileState.WAITING, _without_result(data))
        return True

    # --- working -------------------------------------------------------------------------

    def run(self, cancel: Cancel | None = None) -> int:
        """Work until nothing waits; see RunQueue."""
        with self._jobs.working(KIND) as mine:
            if not mine:
                return 0
            self._take_back(job.pk for job in self._jobs.all(KIND))
            count = 0
            while job := self._jobs.take(KIND, FileState.WAITING, FileState.READING):
                self._work(job, cancel)
                count += 1
            return count

    def _take_back(self, pks: Iterable[int]) -> None:
        """Rows that a program left when it ended: what it had not finished was rolled back."""
        self._jobs.move(pks, _UNFINISHED, FileState.WAITING)

    def _work(self, job: Job, cancel: Cancel | None) -> None:
        data = _without_result(job.data)
        try:
            self._ingest(job.pk, data, _RowCancel(self._jobs, job.pk, cancel))
        except Cancelled:
            if cancel is not None and cancel.cancelled:
                self._jobs.save(job.pk, FileState.WAITING, data)
                raise
            self._jobs.save(job.pk, FileState.CANCELLED, data)
        except EncodingQuestion as error:
            choices: list[Json] = [list(choice) for choice in error.choices]
            self._failed(job.pk, data | {"choices": choices}, error, FileState.QUESTION)
        except PasswordQuestion as error:
            self._passwords.pop(job.pk, None)
            self._failed(job.pk, data, error, FileState.QUESTION)
        except BadFile as error:
            tries = data.get("tries")
            tries = tries + 1 if isinstance(tries, int) else 1
            again = error.key == _GROWING and tries < _GROWING_TRIES
            self._failed(
                job.pk, data | {"tries": tries}, error, FileState.WAITING if again else FileState.FAILED
            )
        except (UserError, Conflict, Unavailable) as error:
            self._failed(job.pk, data, error, FileState.FAILED)

    def _ingest(self, pk: int, data: dict[str, Json], cancel: _RowCancel) -> None:
        file = _file(data)
        read = self._reader.read(
            file.path, encoding=file.encoding, password=self._passwords.get(pk, ""), cancel=cancel
        )
        cancel.check()
        new = prepared(
            read,
            settings=file.settings,
            embed=self._embed,
            title=file.title,
            path=file.path,
            shown=file.shown,
            source=file.source,
        )
        known: dict[str, Json] = {
            "document_title": new.title,
            "found_encoding": read.encoding,
            "pages": read.pages,
            "text_pages": len(read.text_pages),
            "problems": [_problem_json(problem) for problem in read.problems],
        }
        total = len(new.pieces)
        cancel.check_row()
        self._jobs.save(pk, FileState.WRITING, data | known, total=total)
        result = self._run(IngestDocument(file.folder, new), cancel=cancel)
        same = bool(result.counts.get("same"))
        how = "same" if same else "replaced" if result.counts.get("replaced") else "created"
        done = (
            data
            | known
            | {"result": how, "document": result.document, "op": result.op.id if result.op else None}
        )
        self._passwords.pop(pk, None)
        self._jobs.save(pk, FileState.SAME if same else FileState.DONE, done, done=total, total=total)

    def _failed(self, pk: int, data: JsonObject, error: CuratorError, state: FileState) -> None:
        key, args = said(error)
        self._jobs.save(pk, state, {**data, "error_args": args}, error=key)


class _RowCancel:
    """Stops a file when everything is to stop, or when its row was cancelled by any program."""

    def __init__(self, jobs: Jobs, pk: int, outer: Cancel | None) -> None:
        self._jobs = jobs
        self._pk = pk
        self._outer = outer

    @property
    def cancelled(self) -> bool:
        """Whether everything is to stop."""
        return self._outer is not None and self._outer.cancelled

    def check(self) -> None:
        """Errors: Cancelled."""
        if self._outer is not None:
            self._outer.check()

    def check_row(self) -> None:
        """Errors: Cancelled when the row is gone or was cancelled."""
        self.check()
        job = self._jobs.one(self._pk)
        if job is None or job.state not in _UNFINISHED:
            raise Cancelled


def said(error: CuratorError) -> tuple[str, dict[str, Json]]:
    """The text key of an error and what fills its places."""
    match error:
        case UserError() | Conflict():
            key, args = error.key, error.text_args
        case Unavailable():
            key, args = error.key or "error.unavailable", {"port": error.port, **error.text_args}
        case _:
            key, args = "error.cancelled", {}
    return key, {
        name: value if isinstance(value, int | float | str) else str(value) for name, value in args.items()
    }


def shown_path(path: Path) -> str:
    """A path for people and for the library: bytes that are no text are shown as a replacement mark."""
    return os.fsencode(path).decode("utf-8", "replace")


def _stored(file: QueuedFile) -> dict[str, Json]:
    data: dict[str, Json] = {
        "path": file.shown,
        "folder": file.folder,
        "title": file.title,
        "encoding": file.encoding,
        "source": file.source,
        "cutting": file.settings.cutting.value,
        "max_chars": file.settings.max_chars,
        "overlap_chars": file.settings.overlap_chars,
        "batch": file.batch,
    }
    raw = os.fsencode(file.path)
    return data if raw.decode("utf-8", "replace").encode() == raw else data | {"raw_path": raw.hex()}


def _file(data: Mapping[str, Any]) -> QueuedFile:
    raw = data.get("raw_path")
    path = Path(os.fsdecode(bytes.fromhex(raw))) if isinstance(raw, str) else Path(data["path"])
    return QueuedFile(
        path=path,
        shown=data["path"],
        folder=data["folder"],
        title=data.get("title", ""),
        encoding=data.get("encoding", ""),
        source=data.get("source", ""),
        settings=CutSettings(
            cutting=Cutting(data.get("cutting", Cutting.DEFAULT)),
            max_chars=data.get("max_chars"),
            overlap_chars=data.get("overlap_chars"),
        ),
        batch=data.get("batch", ""),
    )


_RESULT_KEYS = frozenset({"error_args", "choices", "result", "document", "op"})


def _without_result(data: JsonObject) -> dict[str, Json]:
    return {key: value for key, value in data.items() if key not in _RESULT_KEYS}


def _problem_json(problem: Problem) -> dict[str, Json]:
    return {
        "key": problem.key,
        "severity": problem.severity,
        "args": dict(problem.args),
        "refs": list(problem.refs),
    }


def row_of(job: Job) -> QueueRow:
    """A row of the queue as people see it."""
    data: Mapping[str, Any] = job.data
    document = data.get("document")
    return QueueRow(
        pk=job.pk,
        file=_file(data),
        state=FileState(job.state),
        done=job.done,
        total=job.total,
        result=data.get("result", ""),
        document=DocumentPk(document) if isinstance(document, int) else None,
        document_title=data.get("document_title", ""),
        encoding=data.get("found_encoding", "") or data.get("encoding", ""),
        pages=data.get("pages", 0),
        text_pages=data.get("text_pages", 0),
        problems=tuple(
            Problem(item["key"], item["args"], item["severity"], tuple(item["refs"]))
            for item in data.get("problems", ())
        ),
        error=Problem(job.error, data.get("error_args", {}), "error") if job.error else None,
        choices=tuple((name, preview) for name, preview in data.get("choices", ())),
    )
