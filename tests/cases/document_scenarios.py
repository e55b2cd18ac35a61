"""Document cases that are played: failures that heal, files in use, names that are no text."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from app.library import Library
from core.adapters.documents.reader import DocumentFiles
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain.commands_documents import DeleteDocuments, IngestDocument
from core.domain.document import FileState, QueueRow
from core.domain.errors import Unavailable
from core.domain.queries import MemoryFilter, TrashScope
from tests.cases.desk import new_library

Run = Callable[[Mapping[str, Any], Mapping[str, Any], Path], list[str]]


def _drop(library: Library, *paths: Path) -> list[QueueRow]:
    queued = library.engine.ask(qd.QueueFiles(paths=paths, folder="default"))
    library.engine.ask(qd.RunQueue())
    return [row for row in library.engine.ask(qd.QueueRows()) if row.pk in queued.rows]


def _pieces(library: Library) -> list[str]:
    pks = library.engine.ask(q.ListMemories(MemoryFilter(trash=TrashScope.BOTH)))
    return [memory.body for memory in library.engine.ask(q.Memories(tuple(pks)))]


class _Failing:
    """Lets every unit of work fail once its first chunk is written, as a full disk or a dead server would."""

    def __init__(self, library: Library) -> None:
        self._store = library.store
        self._write = library.store.write

    def __enter__(self) -> None:
        def broken(draft: Any, work: Any, *rest: Any) -> Any:
            def fails(unit: Any) -> Any:
                work(unit)
                raise Unavailable("store", "the disk is full")

            return self._write(draft, fails, *rest)

        self._store.write = broken  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        self._store.write = self._write  # type: ignore[method-assign]


def failed_then_retry(_scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A failed file is not remembered as done and leaves nothing; a failed new version leaves the old one."""
    note = work / "note.txt"
    note.write_text("守灯人七点点灯。", encoding="utf-8")
    faults: list[str] = []
    with closing(new_library(work)) as library:
        with _Failing(library):
            [row] = _drop(library, note)
        orphans = len(_pieces(library))
        if row.state is not FileState.FAILED or library.engine.ask(qd.Documents()):
            faults.append(f"the failure left {row.state} and {library.engine.ask(qd.Documents())}")
        [row] = _drop(library, note)
        if (row.state is FileState.DONE) != checks.get("retry_accepted", True) or len(_pieces(library)) != 1:
            faults.append(f"the retry gave {row.state} and {_pieces(library)}")
        note.write_text("守灯人八点点灯。", encoding="utf-8")
        with _Failing(library):
            _drop(library, note)
        orphans += len(_pieces(library)) - 1
        if _pieces(library) != ["守灯人七点点灯。"]:
            faults.append("the failed new version touched the old one")
        [row] = _drop(library, note)
        if _pieces(library) != ["守灯人八点点灯。"]:
            faults.append(f"after the retry: {_pieces(library)}")
    if orphans != checks.get("orphan_chunks", 0):
        faults.append(f"{orphans} orphan pieces")
    return faults


def locked(_scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A file in use is named and can be tried again, a growing one is waited for, the others go on."""
    held, grows, free = work / "held.txt", work / "grows.txt", work / "free.txt"
    for path in (held, grows, free):
        path.write_text(f"{path.stem}：文字。", encoding="utf-8")
    faults: list[str] = []
    plain = Path.read_bytes
    growth = iter(range(2))

    def read_bytes(path: Path) -> bytes:
        if path.name == held.name:
            raise PermissionError(errno.EBUSY, "in use by another program")
        data = plain(path)
        if path.name == grows.name and next(growth, None) is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write("还有。")
        return data

    waits: list[float] = []
    with closing(new_library(work)) as library:
        library.engine.ask(qd.FindDocuments(()))
        reader = DocumentFiles(wait=waits.append)
        library_reader(library, reader)
        Path.read_bytes = read_bytes  # type: ignore[method-assign]
        try:
            rows = {row.file.path.name: row for row in _drop(library, held, grows, free)}
        finally:
            Path.read_bytes = plain  # type: ignore[method-assign]
        error = rows["held.txt"].error
        if error is None or error.key != "error.document.locked":
            faults.append(f"the file in use: {rows['held.txt']}")
        if rows["free.txt"].state is not FileState.DONE:
            faults.append("the others did not go on")
        if rows["grows.txt"].state is not FileState.DONE or not waits:
            faults.append(f"the growing file: {rows['grows.txt'].state}, waited {waits}")
        if not any(body.endswith("还有。还有。") for body in _pieces(library)):
            faults.append("the growing file was stored before it was whole")
        library.engine.ask(qd.ChangeQueue(qd.QueueAction.RETRY))
        library.engine.ask(qd.RunQueue())
        again = {row.file.path.name: row.state for row in library.engine.ask(qd.QueueRows())}
        if (again["held.txt"] is FileState.DONE) != checks.get("retry", True):
            faults.append(f"the retry gave {again['held.txt']}")
        with held.open("rb"):
            documents = tuple(row.pk for row in library.engine.ask(qd.Documents()))
            library.engine.run(DeleteDocuments(documents=documents))
        if library.engine.ask(qd.Documents()):
            faults.append("the documents are still there")
    return faults


def library_reader(library: Library, reader: DocumentFiles) -> None:
    """Reads the library's files with another reader from now on."""
    from core.services.ingest.answers import ingest_answers

    run: Any = library.engine.run
    answers = ingest_answers(
        library.store,
        library.store.jobs,
        reader,
        lambda command, cancel=None: run(command, cancel=cancel),
        lambda texts: library.embedder.embed_documents(list(texts)),
    )
    library.engine._answers.update(answers)


def bad_name(recipe: Mapping[str, Any], _checks: Mapping[str, Any], work: Path) -> list[str]:
    """A name that is no text is shown with a mark, its file is taken in, and the others too."""
    folder = work / "drop"
    folder.mkdir()
    (folder / "other.txt").write_text("另一个。", encoding="utf-8")
    try:
        name = os.fsdecode(bytes.fromhex(recipe["bytes_hex"]))
        (folder / name).write_text(recipe["content"], encoding="utf-8")
    except (OSError, UnicodeError):
        return []  # this system has no such names
    with closing(new_library(work)) as library:
        rows = _drop(library, folder)
        titles = [row.title for row in library.engine.ask(qd.Documents())]
    faults = [f"{row.file.shown}: {row.error}" for row in rows if row.state is not FileState.DONE]
    if not any("\ufffd" in title for title in titles) or len(titles) != 2:
        faults.append(f"titles: {titles}")
    return faults


def no_punctuation(recipe: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A text without a mark is cut to size, and gives the same text back."""
    text = "".join(chr(0x4E00 + (i * 7919) % 5000) for i in range(recipe["chars"]))
    with closing(new_library(work)) as library:
        new = library.engine.ask(qd.PrepareText(text=text)).new
        library.engine.run(IngestDocument("default", new))
    joined, end = "", 0
    for piece in new.pieces:
        joined += piece.body[end - piece.start :]
        end = piece.end
    longest = max(len(piece.body) for piece in new.pieces)
    faults = [] if joined == text else ["the pieces give another text"]
    return faults if longest <= checks.get("max_chunk", 900) else [*faults, f"a piece of {longest}"]


RECIPES: Mapping[str, Run] = {"raw_filename": bad_name, "text_no_punct": no_punctuation}
SCENARIOS: Mapping[str, Run] = {"failed_then_retry": failed_then_retry, "locked": locked}
