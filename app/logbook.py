"""What the program logs: one file of JSON lines, read by the Health page and by the bundle for a report.

A line keeps the wording of a message apart from what was put into it, so that a report can hold the one without the
other. No text of a memory and no key is logged at INFO (docs/CONTRIBUTING.md).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from core.domain.errors import Invalid
from core.domain.health import LogLine
from core.domain.json_types import parse_object

FILE = "memory-curator.log"
FILE_BYTES, KEPT_FILES = 1 << 20, 2
OURS = ("app", "core", "ui")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class JsonLines(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, module, wording, numbers, and the whole text."""
        args = record.args if isinstance(record.args, tuple) else ()
        data = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "source": record.name,
            "wording": str(record.msg),
            "numbers": [each for each in args if isinstance(each, int | float)],
            "text": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            data["error"] = record.exc_info[0].__name__
        return json.dumps(data, ensure_ascii=False)


def start(directory: Path) -> logging.Handler | None:
    """Log what our modules say into a file there; None when it cannot be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            directory / FILE, maxBytes=FILE_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        return None
    handler.setFormatter(JsonLines())
    handler.setLevel(logging.INFO)
    for name in OURS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return handler


def stop(handler: logging.Handler | None) -> None:
    """Log there no longer."""
    if handler is not None:
        for name in OURS:
            logging.getLogger(name).removeHandler(handler)
        handler.close()


def read(directory: Path, level: str = "INFO", words: str = "", limit: int = 1000) -> list[LogLine]:
    """Lines of that level and worse that hold all the words, newest first. Errors: Invalid for no level."""
    if level not in LEVELS:
        raise Invalid("error.log.level", level=level)
    wanted = frozenset(LEVELS[LEVELS.index(level) :])
    terms = words.casefold().split()
    found: list[LogLine] = []
    for data in _entries(directory):
        line = _line(data)
        if line is None or line.level not in wanted:
            continue
        whole = f"{line.source} {line.text} {line.level}".casefold()
        if all(term in whole for term in terms):
            found.append(line)
            if len(found) >= limit:
                break
    return found


def masked(directory: Path, limit: int = 5000) -> Iterator[str]:
    """Lines for a report, newest first: the wording and numbers, never what else was put in."""
    for number, data in enumerate(_entries(directory)):
        if number >= limit:
            return
        numbers = data.get("numbers")
        shown = " ".join(map(str, numbers)) if isinstance(numbers, list) else ""
        parts = [
            data.get("at"),
            data.get("level"),
            data.get("source"),
            data.get("wording"),
            shown,
            data.get("error"),
        ]
        yield " ".join(str(part) for part in parts if part)


def _entries(directory: Path) -> Iterator[dict[str, object]]:
    """All lines, newest first; what is no line of ours is left out."""
    names = (FILE, *(f"{FILE}.{number}" for number in range(1, KEPT_FILES + 1)))
    for name in names:
        try:
            text = (directory / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for line in reversed(text.splitlines()):
            try:
                yield dict(parse_object(line))
            except ValueError:
                continue


def _line(data: dict[str, object]) -> LogLine | None:
    try:
        at = datetime.fromisoformat(str(data["at"]))
        text = str(data["text"])
    except (KeyError, ValueError):
        return None
    error = data.get("error")
    text = f"{text} ({error})" if error else text
    return LogLine(at, str(data.get("level", "INFO")), str(data.get("source", "")), text)
