"""Commands for documents: take files and texts in, list them, write them out, delete them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, error_json, problem_json
from app.commands_named import folder_named
from core.domain import queries_documents as qd
from core.domain.commands_documents import DeleteDocuments, IngestDocument
from core.domain.document import CutSettings, Cutting, DocumentRow, FileState, FoundFiles, QueueRow
from core.domain.errors import Conflict, EncodingQuestion, Invalid, NotFound, Unavailable, UserError
from core.domain.folder import DEFAULT_FOLDER
from core.domain.ids import DocumentPk
from core.domain.results import Problem

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

ASK_FROM_FILES = 5000
LOOK_AGAIN_S = 0.2
PATIENCE_S = 60.0
_FINE = frozenset({FileState.DONE, FileState.SAME})


def ingest(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Files and what lies below directories, each as one change; or one text with a title.

    `dry_run`: only what would come in. A file that cannot be read does not keep the others out. Errors: Invalid for
    very many files without `yes`.
    """
    engine = library.engine
    if args["content"] is not None:
        return _ingest_text(engine, args, say)
    paths = tuple(Path(name).expanduser().absolute() for name in args["paths"])
    if not paths:
        raise Invalid("error.document.no_text", name="—")
    found = engine.ask(qd.FindDocuments(paths))
    if len(found.files) > ASK_FROM_FILES and not args["yes"]:
        raise Invalid("error.document.too_many", count=len(found.files), limit=ASK_FROM_FILES)
    if args["dry_run"]:
        files = [_dry(engine, path, args, say) for path in found.files]
    else:
        files = _queued(engine, paths, args, say)
    return _answer(files, found, args, say)


def _settings(args: Mapping[str, Any]) -> CutSettings:
    return CutSettings(
        cutting=Cutting(args["cutting"]), max_chars=args["max_chars"], overlap_chars=args["overlap"]
    )


def _queued(
    engine: EngineApi, paths: tuple[Path, ...], args: Mapping[str, Any], say: Say
) -> list[dict[str, Any]]:
    queued = engine.ask(
        qd.QueueFiles(
            paths=paths,
            folder=args["folder"] or DEFAULT_FOLDER,
            title=args["title"] or "",
            encoding=args["encoding"] or "",
            source=args["source"] or "",
            settings=_settings(args),
        )
    )
    if args["password"]:
        for row in queued.rows:
            engine.ask(qd.AnswerQueue(row=row, password=args["password"]))
    rows = worked_off(engine, frozenset(queued.rows))
    pieces = {row.pk: row for row in engine.ask(qd.Documents())}
    return [_row_json(rows[pk], pieces, say) for pk in queued.rows if pk in rows]


def worked_off(engine: EngineApi, wanted: frozenset[int]) -> dict[int, QueueRow]:
    """The rows of the queue once these are through, whichever program works on them.

    When nothing moves for a while (another program holds the queue and waits itself) they stay in it.
    """
    before: list[int] = []
    since = time.monotonic()
    while True:
        engine.ask(qd.RunQueue())
        rows = {row.pk: row for row in engine.ask(qd.QueueRows())}
        open_rows = [pk for pk, row in rows.items() if row.state.is_open]
        if wanted.isdisjoint(open_rows):
            return rows
        if open_rows != before:
            before, since = open_rows, time.monotonic()
        elif time.monotonic() - since > PATIENCE_S:
            return rows
        time.sleep(LOOK_AGAIN_S)


def _row_json(row: QueueRow, documents: Mapping[DocumentPk, DocumentRow], say: Say) -> dict[str, Any]:
    document = None if row.document is None else documents.get(row.document)
    report: dict[str, Any] = {
        "file": row.file.shown,
        "ok": row.state in _FINE,
        "state": row.state.value,
        "result": row.result or None,
        "document": None if document is None else document.id,
        "title": (document.title if document is not None else row.document_title) or None,
        "folder": row.file.folder,
        "pieces": row.total if row.state in _FINE else 0,
        "encoding": row.encoding or None,
        "pages": row.pages or None,
        "text_pages": row.text_pages if row.pages else None,
        "problems": [problem_json(problem, say) for problem in row.problems],
    }
    if row.error is not None:
        report["error"] = _problem_error(row.error, say)
    if row.choices:
        report["choices"] = [{"encoding": name, "preview": preview} for name, preview in row.choices]
    return report


def _problem_error(problem: Problem, say: Say) -> dict[str, Any]:
    return {"key": problem.key, "text": say(problem.key, **problem.args), "details": ""}


def _dry(engine: EngineApi, path: Path, args: Mapping[str, Any], say: Say) -> dict[str, Any]:
    query = qd.PrepareFile(
        path=path,
        title=args["title"] or "",
        encoding=args["encoding"] or "",
        password=args["password"] or "",
        source=args["source"] or "",
        settings=_settings(args),
    )
    report: dict[str, Any] = {
        "file": str(path).encode("utf-8", "replace").decode(),
        "ok": False,
        "state": "failed",
    }
    try:
        prepared = engine.ask(query)
    except EncodingQuestion as error:
        choices = [{"encoding": name, "preview": preview} for name, preview in error.choices]
        return report | {"state": "question", "error": error_json(error, say), "choices": choices}
    except (UserError, Conflict, Unavailable) as error:
        return report | {"error": error_json(error, say)}
    return report | {
        "ok": True,
        "state": "waiting",
        "result": None,
        "title": prepared.new.title,
        "folder": args["folder"] or DEFAULT_FOLDER,
        "pieces": len(prepared.new.pieces),
        "encoding": prepared.read.encoding or None,
        "pages": prepared.read.pages or None,
        "text_pages": len(prepared.read.text_pages) if prepared.read.pages else None,
        "problems": [problem_json(problem, say) for problem in prepared.read.problems],
    }


def _ingest_text(engine: EngineApi, args: Mapping[str, Any], say: Say) -> Answer:
    query = qd.PrepareText(
        text=args["content"], title=args["title"] or "", source=args["source"] or "", settings=_settings(args)
    )
    new = engine.ask(query).new
    report: dict[str, Any] = {"file": None, "ok": True, "title": new.title, "pieces": len(new.pieces)}
    if args["dry_run"]:
        report |= {"state": "waiting", "result": None}
    else:
        result = engine.run(IngestDocument(args["folder"] or DEFAULT_FOLDER, new))
        how = next(name for name in ("same", "replaced", "created") if result.counts.get(name))
        rows = {row.pk: row for row in engine.ask(qd.Documents())}
        assert result.document is not None
        report |= {
            "state": "same" if how == "same" else "done",
            "result": how,
            "document": rows[result.document].id,
            "folder": rows[result.document].folder_name,
        }
    return _answer([report], FoundFiles(), args, say)


def _answer(files: list[dict[str, Any]], found: FoundFiles, args: Mapping[str, Any], say: Say) -> Answer:
    left_out = [problem_json(problem, say) for problem in found.left_out]
    counts = {
        "done": sum(file["state"] == "done" for file in files),
        "same": sum(file["state"] == "same" for file in files),
        "failed": sum(file["state"] == "failed" for file in files),
        "questions": sum(file["state"] == "question" for file in files),
    }
    data = {
        "dry_run": args["dry_run"],
        "files": files,
        "counts": counts,
        "left_out": left_out,
        "hidden": found.hidden,
        "same_file": found.same_file,
    }
    lines = [line for file in files for line in _lines(file, say)]
    lines += [f"! {problem['text']}" for problem in left_out]
    if found.hidden:
        lines.append(say("cli.document.hidden", count=found.hidden))
    if found.same_file:
        lines.append(say("cli.document.same_file", count=found.same_file))
    lines.append(say("cli.dry_run") if args["dry_run"] else say("cli.document.summary", **counts))
    missing = any(problem["key"] == "document.left_out.missing" for problem in left_out)
    return Answer(data, tuple(lines), all(file["ok"] for file in files) and not missing)


def _lines(file: Mapping[str, Any], say: Say) -> list[str]:
    lines = [file["file"]] if file["file"] else []
    if "error" in file:
        lines.append("  " + file["error"]["text"])
    elif file["state"] == "waiting" and file.get("result") is None and file["ok"]:
        lines.append(
            "  " + say("cli.document.would", title=file["title"], pieces=file["pieces"], count=file["pieces"])
        )
    elif file["state"] == "cancelled":
        lines.append("  " + say("cli.document.cancelled"))
    elif not file["ok"]:
        lines.append("  " + say("cli.document.elsewhere"))
    else:
        key = f"cli.document.{file['result']}"
        lines.append("  " + say(key, title=file["title"], pieces=file["pieces"], count=file["pieces"]))
    if file.get("pages"):
        lines.append("  " + say("cli.document.pages", text_pages=file["text_pages"], pages=file["pages"]))
    if file.get("encoding") not in {None, "utf-8"}:
        lines.append("  " + say("cli.document.encoding", encoding=file["encoding"]))
    lines += [f"  ! {problem['text']}" for problem in file.get("problems", ())]
    lines += ["  " + say("cli.document.choice", **choice) for choice in file.get("choices", ())]
    return lines


def documents(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Documents of a folder or of all; with `to` their texts are written, with `delete` some are deleted."""
    engine = library.engine
    folder = None if args["folder"] is None else folder_named(engine, args["folder"]).pk
    rows = engine.ask(qd.Documents(folder))
    data: dict[str, Any] = {}
    lines: list[str] = []
    if args["delete"]:
        wanted = _named(rows, args["delete"])
        result = engine.run(DeleteDocuments(documents=tuple(row.pk for row in wanted)))
        pieces = result.counts.get("pieces", 0)
        data["deleted"] = {"documents": [row.id for row in wanted], "pieces": pieces}
        lines.append(say("cli.document.deleted", count=len(wanted), pieces=pieces))
        rows = engine.ask(qd.Documents(folder))
    if args["to"] is not None:
        query = qd.ExportDocuments(
            documents=tuple(row.pk for row in rows), directory=Path(args["to"]), overwrite=args["overwrite"]
        )
        paths = engine.ask(query)
        data["exported"] = [str(path) for path in paths]
        lines.append(say("cli.document.exported", count=len(paths), path=args["to"]))
    else:
        lines += [
            f"{row.id}  "
            + say(
                "cli.document.row",
                title=row.title,
                folder=row.folder_name,
                pieces=row.pieces,
                version=row.version,
            )
            for row in rows
        ]
    return Answer({"total": len(rows), "items": [_document_json(row) for row in rows], **data}, tuple(lines))


def _named(rows: tuple[DocumentRow, ...], ids: list[str]) -> list[DocumentRow]:
    by_id = {row.id: row for row in rows}
    if any(each not in by_id for each in ids):
        raise NotFound("error.document.gone")
    return [by_id[each] for each in dict.fromkeys(ids)]


def _document_json(row: DocumentRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "folder": row.folder_name,
        "path": row.path or None,
        "media_type": row.media_type,
        "version": row.version,
        "pieces": row.pieces,
        "characters": row.characters,
        "waiting_for_index": row.waiting,
        "encoding": row.details.get("encoding"),
        "pages": row.details.get("pages"),
        "text_pages": row.details.get("text_pages"),
        "problems": row.details.get("problems", []),
    }
