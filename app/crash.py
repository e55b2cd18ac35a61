"""What is written when the program itself is at fault: where it happened, and no text of any memory."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from app import paths

KEPT_REPORTS = 20
_FRAMES_A_CAUSE = 50


def report(error: BaseException, directory: Path | None = None) -> Path | None:
    """Write a report and return its file; None when it cannot be written.

    It names exceptions by type and lists the frames. Messages and values are left out: they can hold
    text of memories.
    """
    folder = directory or paths.log_dir()
    file = folder / f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(_lines(error)) + "\n", encoding="utf-8")
        for old in sorted(folder.glob("crash-*.txt"))[:-KEPT_REPORTS]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return file


def _lines(error: BaseException) -> Iterator[str]:
    yield f"memory-curator {_version()}, Python {sys.version.split()[0]}, {sys.platform}"
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield f"{type(cause).__module__}.{type(cause).__qualname__}"
        for frame in traceback.extract_tb(cause.__traceback__)[-_FRAMES_A_CAUSE:]:
            yield f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
        cause = cause.__cause__ or cause.__context__


def _short(filename: str) -> str:
    """The path without the person's directories."""
    parts = Path(filename).parts
    for mark in ("site-packages", "app", "core", "ui", "tests"):
        if mark in parts:
            return "/".join(parts[parts.index(mark) :])
    return parts[-1] if parts else filename


def _version() -> str:
    try:
        return metadata.version("memory-curator")
    except metadata.PackageNotFoundError:
        return "from source"
