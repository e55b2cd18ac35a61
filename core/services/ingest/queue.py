"""The queue of files: one row each, worked on one after the other, resumed after a crash.

A row that failed is never taken for done: only what was written is known again (by the text's hash, in the
document's own row). Each file is one op, so a file that stops in the middle leaves nothing behind.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from core.domain.api import Cancel
from core.domain.commands_documents import IngestDocument
from core.domain.document import FileState, QueuedFile, QueueRow
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
from core.domain.folder import clean_folder_name
from core.domain.json_types import Json, JsonObject
from core.domain.queries_documents import QueueAction, Queued, QueueFiles
from core.domain.queries_drop import LeftOut, QueueSorted, QueueView, SetQueueCutting
from core.domain.results import OpResult
from core.ports.document_reader import DocumentReader
from core.ports.jobs import Job, Jobs
from core.services.ingest.importing import ImportFile, NeedsAnswer
from core.services.ingest.preparing import Embed, prepared
from core.services.ingest.rows import (
    file_of,
    problem_json,
    row_of,
    said,
    shown_path,
    stored,
    without_result,
)

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
    QueueAction.CLEAR: ((FileState.DONE, FileState.SAME, FileState.SKIPPED, FileState.CANCELLED), None),
}

_SHOWN = (
    FileState.QUESTION,
    FileState.FAILED,
    FileState.READING,
    FileState.WRITING,
    FileState.WAITING,
    FileState.PAUSED,
    FileState.DONE,
    FileState.SAME,
    FileState.SKIPPED,
    FileState.CANCELLED,
)
_ENDED = frozenset({FileState.DONE, FileState.SAME, FileState.SKIPPED, FileState.CANCELLED})
_TOLD = ("memories", "messages", "updated", "changed_floors", "removed_floors", "moved_floors")
"""Numbers of an import that its row keeps."""
_CHANGEABLE = frozenset({FileState.WAITING, FileState.PAUSED, FileState.FAILED, FileState.QUESTION})

Run = Callable[..., OpResult]
"""The engine's `run`."""


class IngestQueue:
    """Files on their way. Cheap; several may work on one library, one of them at a time."""

    def __init__(
        self,
        jobs: Jobs,
        reader: DocumentReader,
        run: Run,
        embed: Embed,
        import_file: ImportFile | None = None,
    ) -> None:
        self._import_file = import_file
        self._jobs = jobs
        self._reader = reader
        self._run = run
        self._embed = embed
        self._passwords: dict[int, str] = {}

    # --- filling -------------------------------------------------------------------------

    def add(self, query: QueueFiles, cancel: Cancel | None = None) -> Queued:
        """Put files in; see QueueFiles."""
        found = self._reader.find(query.paths, cancel)
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
        return Queued(tuple(self._put(files)), found)

    def add_sorted(self, query: QueueSorted) -> tuple[int, ...]:
        """Put files in that were sorted; see QueueSorted."""
        batch = uuid.uuid4().hex
        files = [
            QueuedFile(
                path=file.path.absolute(),
                shown=shown_path(file.path.absolute()),
                folder=clean_folder_name(file.folder) if file.folder or not file.imports else "",
                settings=file.settings,
                batch=batch,
                imports=file.imports,
            )
            for file in query.files
        ]
        keys = tuple(self._put(files))
        self._leave_out(query.left_out, batch)
        return keys

    def _leave_out(self, files: Sequence[LeftOut], batch: str) -> None:
        """Rows of files that nothing becomes of, in place of those of an earlier drop."""
        paths = {file.path.absolute() for file in files}
        old = [row_of(job) for job in self._jobs.all(KIND) if job.state == FileState.SKIPPED] if files else []
        self._jobs.remove(row.pk for row in old if row.file.path in paths)
        items = [
            stored(
                QueuedFile(
                    path=file.path.absolute(), shown=shown_path(file.path.absolute()), folder="", batch=batch
                )
            )
            for file in files
        ]
        for pk, data, file in zip(self._jobs.add(KIND, FileState.SKIPPED, items), items, files, strict=True):
            known = data | {"error_args": dict(file.problem.args)}
            self._jobs.save(pk, FileState.SKIPPED, known, error=file.problem.key)

    def _put(self, files: Sequence[QueuedFile]) -> list[int]:
        """Rows of files; one that waits already is not put in twice, an older end of it is forgotten."""
        old = [row_of(job) for job in self._jobs.all(KIND)]
        waiting = {(row.file.path, row.file.folder): row.pk for row in old if row.state.is_open}
        fresh = [file for file in files if (file.path, file.folder) not in waiting]
        added = {(file.path, file.folder) for file in fresh}
        self._jobs.remove(row.pk for row in old if (row.file.path, row.file.folder) in added)
        keys = iter(self._jobs.add(KIND, FileState.WAITING, [stored(file) for file in fresh]))
        return [waiting.get((file.path, file.folder)) or next(keys) for file in files]

    # --- looking -------------------------------------------------------------------------

    def rows(self) -> tuple[QueueRow, ...]:
        """All rows, oldest first."""
        return tuple(row_of(job) for job in self._jobs.all(KIND))

    def view(self, limit: int) -> QueueView:
        """The queue at a glance; see LookAtQueue."""
        counts = {FileState(state): count for state, count in self._jobs.counts(KIND).items()}
        rows: list[QueueRow] = []
        for state in _SHOWN:
            if counts.get(state):
                newest = state in _ENDED
                rows += map(row_of, self._jobs.some(KIND, state, limit, newest=newest))
        return QueueView(counts, tuple(rows))

    # --- changing ------------------------------------------------------------------------

    def change(self, action: QueueAction, rows: Sequence[int] | None) -> int:
        """Pause, resume, cancel, retry or clear rows; returns how many."""
        states, to = _ACTIONS[action]
        chosen = None if rows is None else set(rows)
        jobs = [job for job in self._jobs.all(KIND) if chosen is None or job.pk in chosen]
        if to is not None:
            return self._jobs.move((job.pk for job in jobs), states, to)
        return self._jobs.remove(job.pk for job in jobs if job.state in states)

    def set_cutting(self, query: SetQueueCutting) -> int:
        """How files are to be cut; see SetQueueCutting."""
        chosen, settings, count = set(query.rows), query.settings, 0
        for job in self._jobs.all(KIND):
            if job.pk in chosen and job.state in _CHANGEABLE:
                data = stored(replace(file_of(job.data), settings=settings))
                self._jobs.save(job.pk, job.state, {**job.data, **data}, error=job.error)
                count += 1
        return count

    def answer(self, pk: int, encoding: str, password: str, *, confirmed: bool = False) -> bool:
        """What a person answered; the row waits again."""
        job = self._jobs.one(pk)
        if job is None:
            return False
        if password:
            self._passwords[pk] = password
        data = {**job.data, "encoding": encoding} if encoding else dict(job.data)
        if confirmed:
            data["confirmed"] = True
        self._jobs.save(pk, FileState.WAITING, without_result(data))
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
        data = without_result(job.data)
        watched = _RowCancel(self._jobs, job.pk, cancel)
        try:
            if file_of(data).imports:
                self._import(job.pk, data, watched)
            else:
                self._ingest(job.pk, data, watched)
        except Cancelled:
            if cancel is not None and cancel.cancelled:
                self._jobs.save(job.pk, FileState.WAITING, data)
                raise
            self._jobs.save(job.pk, FileState.CANCELLED, data)
        except EncodingQuestion as error:
            choices: list[Json] = [list(choice) for choice in error.choices]
            self._failed(job.pk, data | {"choices": choices}, error, FileState.QUESTION)
        except NeedsAnswer as question:
            known = data | {"problems": [problem_json(each) for each in question.problems]}
            self._failed(job.pk, known, question.error, FileState.QUESTION)
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
        except Exception as error:  # a fault of ours: reported, but this file stops no later run
            shown = BadFile("error.document.damaged", name=file_of(data).shown, details=repr(error))
            self._failed(job.pk, data, shown, FileState.FAILED)
            raise

    def _ingest(self, pk: int, data: dict[str, Json], cancel: _RowCancel) -> None:
        file = file_of(data)
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
            "problems": [problem_json(problem) for problem in read.problems],
        }
        total = len(new.pieces)
        cancel.check_row()
        self._jobs.save(pk, FileState.WRITING, data | known, total=total)
        result = self._run(IngestDocument(file.folder, new, file.batch), cancel=cancel)
        same = bool(result.counts.get("same"))
        moved = bool(result.counts.get("moved"))
        how = (
            "moved"
            if moved
            else "same"
            if same
            else "replaced"
            if result.counts.get("replaced")
            else "created"
        )
        done = (
            data
            | known
            | {"result": how, "document": result.document, "op": result.op.id if result.op else None}
        )
        self._passwords.pop(pk, None)
        self._jobs.save(pk, FileState.SAME if same else FileState.DONE, done, done=total, total=total)

    def _import(self, pk: int, data: dict[str, Json], cancel: _RowCancel) -> None:
        """A memory file comes in, unless it has something odd about it that a person should see first."""
        file = file_of(data)
        assert self._import_file is not None
        command = self._import_file.command(file)
        cancel.check_row()
        known: dict[str, Json] = {"problems": [problem_json(each) for each in command.plan.problems]}
        total = len(command.plan.memories) + len(command.plan.messages)
        self._jobs.save(pk, FileState.WRITING, data | known, total=total)
        result = self._run(command, cancel=cancel)
        how = "imported" if result.op else "same"
        counts: dict[str, Json] = {name: result.counts[name] for name in _TOLD if result.counts.get(name)}
        if not counts and result.created:
            counts = {"memories": len(result.created)}
        done = data | known | {"result": how, "op": result.op.id if result.op else None, "counts": counts}
        state = FileState.DONE if result.op else FileState.SAME
        self._jobs.save(pk, state, done, done=total, total=total)

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
