"""The sorting sheet without a window: files of all kinds, each taken in as what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, problem_json
from app.commands_documents import ASK_FROM_FILES, worked_off
from core.domain import queries_documents as qd
from core.domain.document import FileState, FoundFiles, QueueRow
from core.domain.errors import Invalid
from core.domain.folder import DEFAULT_FOLDER
from core.domain.queries_drop import DropKind, QueueSorted, SortedFile, SortFiles, ToQueue

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

_FINE = frozenset({FileState.DONE, FileState.SAME})


def drop(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Documents are read and cut, memory files imported, each as one change; all of them as one group.

    `dry_run`: only what each file is. Memory files go to folders of their own names. Errors: Invalid for very many
    files without `yes`.
    """
    engine = library.engine
    found = engine.ask(qd.FindDocuments(tuple(Path(name).expanduser().absolute() for name in args["paths"])))
    if len(found.files) > ASK_FROM_FILES and not args["yes"]:
        raise Invalid("error.document.too_many", count=len(found.files), limit=ASK_FROM_FILES)
    files = engine.ask(SortFiles(found.files))
    rows = {} if args["dry_run"] else _taken_in(engine, files, args["folder"] or DEFAULT_FOLDER)
    return _answer([_file_json(file, rows, say) for file in files], found, args, say)


def _taken_in(engine: EngineApi, files: Sequence[SortedFile], folder: str) -> dict[Path, QueueRow]:
    """The rows of the queue by file, once they are through."""
    wanted = [file for file in files if file.sort is not DropKind.SKIPPED]
    queued = engine.ask(
        QueueSorted(
            tuple(
                ToQueue(path=file.path, folder="" if file.sort.imports else folder, imports=file.sort.imports)
                for file in wanted
            )
        )
    )
    rows = worked_off(engine, frozenset(queued))
    return {rows[pk].file.path: rows[pk] for pk in queued if pk in rows}


def _file_json(file: SortedFile, rows: Mapping[Path, QueueRow], say: Say) -> dict[str, Any]:
    row = rows.get(file.path)
    report: dict[str, Any] = {
        "file": file.shown,
        "sort": file.sort.value,
        "kind": file.kind.value if file.kind else None,
        "format": file.format.value if file.format else None,
        "counts": dict(file.counts),
        "problem": problem_json(file.problem, say) if file.problem else None,
        "state": None if row is None else row.state.value,
        "result": None if row is None else row.result or None,
        "ok": file.sort is DropKind.SKIPPED or row is None or row.state in _FINE,
    }
    if row is not None and row.error is not None:
        report["problem"] = problem_json(row.error, say)
    return report


def _answer(files: list[dict[str, Any]], found: FoundFiles, args: Mapping[str, Any], say: Say) -> Answer:
    left_out = [problem_json(problem, say) for problem in found.left_out]
    counts = Counter(file["sort"] for file in files)
    data = {
        "dry_run": args["dry_run"],
        "files": files,
        "counts": {kind.value: counts[kind.value] for kind in DropKind if counts[kind.value]},
        "left_out": left_out,
        "hidden": found.hidden,
        "same_file": found.same_file,
    }
    lines = []
    for file in files:
        state = say(f"cli.drop.{file['state'] or 'found'}")
        lines.append(
            say("cli.drop.file", file=file["file"], sort=say(f"cli.drop.{file['sort']}"), state=state)
        )
        if file["problem"]:
            lines.append("  " + file["problem"]["text"])
    lines += [f"! {problem['text']}" for problem in left_out]
    lines.append(say("cli.dry_run") if args["dry_run"] else say("cli.drop.summary", count=len(files)))
    missing = any(problem["key"] == "document.left_out.missing" for problem in left_out)
    return Answer(data, tuple(lines), all(file["ok"] for file in files) and not missing)
