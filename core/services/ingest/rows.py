"""Rows of the queue: as they are stored, and as people see them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.domain.document import CutSettings, Cutting, FileState, QueuedFile, QueueRow
from core.domain.errors import Conflict, CuratorError, Unavailable, UserError
from core.domain.ids import DocumentPk
from core.domain.json_types import Json, JsonObject
from core.domain.results import Problem
from core.ports.jobs import Job


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


def stored(file: QueuedFile) -> dict[str, Json]:
    """A file as the data of a job."""
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
    if file.imports:
        data["imports"] = True
    raw = os.fsencode(file.path)
    return data if raw.decode("utf-8", "replace").encode() == raw else data | {"raw_path": raw.hex()}


def file_of(data: Mapping[str, Any]) -> QueuedFile:
    """The file of a job's data."""
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
        imports=bool(data.get("imports")),
        confirmed=bool(data.get("confirmed")),
    )


_RESULT_KEYS = frozenset({"error_args", "choices", "result", "document", "op", "counts"})


def without_result(data: JsonObject) -> dict[str, Json]:
    """A job's data without what an earlier try left in it."""
    return {key: value for key, value in data.items() if key not in _RESULT_KEYS}


def problem_json(problem: Problem) -> dict[str, Json]:
    """A problem as it is stored."""
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
        file=file_of(data),
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
        counts=data.get("counts", {}),
    )
