"""Which format a file has, by its content, and what a directory holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from core.adapters.formats.booku_chroma import CHROMA_FILE, note_vectors
from core.adapters.formats.booku_db import is_sqlite
from core.adapters.formats.booku_read import read_booku
from core.adapters.formats.problems import Problems
from core.adapters.formats.stbme_read import read_stbme
from core.domain.errors import BadFile
from core.domain.results import Problem
from core.domain.schema import Schema
from core.domain.transfer import Found, ImportPlan

DATABASE = "metadata.db"
_ENDINGS = frozenset({".json", ".jsonl", ".db", ".sqlite", ".sqlite3"})
_SIDES = ("-wal", "-shm", "-journal")
_MOST_FILES = 5000
_HEAD_BYTES = 64
_LMDB_MAGIC = b"\xde\xc0\xef\xbe"
_OTHER = (
    (b"\x89PNG\r\n\x1a\n", "error.file.is_picture"),
    (b"\xff\xd8\xff", "error.file.is_picture"),
    (b"RIFF", "error.file.is_picture"),
    (b"PK\x03\x04", "error.file.is_archive"),
    (b"\x1f\x8b", "error.file.is_archive"),
    (b"%PDF-", "error.file.is_document"),
)


def read_any(path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan:
    """The dry run of an import of whatever `path` is; a directory must hold exactly one importable file.

    Errors: BadFile saying what it is instead, and how far it could be read.
    """
    if path.is_dir():
        return read_any(_only_file(path, schema), schema, partly=partly)
    try:
        head = _head(path)
        if not head:
            raise BadFile("error.file.empty", name=path.name)
        if is_sqlite(path):
            problems = Problems()
            note_vectors(path, problems)
            return read_booku(path, schema, problems)
        _refuse_other(path, head)
        return read_stbme(path, schema, partly=partly)
    except OSError as error:
        raise BadFile("error.file.cannot_open", name=path.name, details=str(error)) from error


def _head(path: Path) -> bytes:
    if not path.exists():
        raise BadFile("error.file.missing", name=path.name)
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def _refuse_other(path: Path, head: bytes) -> None:
    for magic, key in _OTHER:
        if head.startswith(magic):
            raise BadFile(key, name=path.name)
    if _LMDB_MAGIC in head or path.suffix.lower() in (".db", ".sqlite", ".sqlite3"):
        raise BadFile("error.file.not_sqlite", name=path.name)


def _only_file(directory: Path, schema: Schema) -> Path:
    database = directory / DATABASE
    if database.is_file():
        return database
    found = [each for each in found_in(directory, schema) if each.problem is None]
    if not found:
        raise BadFile("error.file.nothing_found", name=directory.name)
    if len(found) > 1:
        raise BadFile(
            "error.file.several_found",
            name=directory.name,
            count=len(found),
            files=", ".join(str(each.path.relative_to(directory)) for each in found[:20]),
        )
    return found[0].path


def found_in(path: Path, schema: Schema) -> tuple[Found, ...]:
    """Importable files in `path` and below it, each with its counts, or with why it cannot be read.

    Files that are plainly something else (pictures, chats without a graph, lorebooks) are left out; links are
    not followed. Errors: BadFile when there is nothing at `path`.
    """
    if not path.exists():
        raise BadFile("error.file.missing", name=path.name)
    candidates = [path] if path.is_file() else _candidates(path)
    listed = (_look(candidate, schema, asked=path.is_file()) for candidate in candidates)
    return tuple(each for each in listed if each is not None)


def _candidates(directory: Path) -> Iterator[Path]:
    seen = 0
    for place, folders, files in os.walk(directory):
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in _ENDINGS and name != CHROMA_FILE and not name.endswith(_SIDES):
                seen += 1
                if seen > _MOST_FILES:
                    return
                yield Path(place) / name


def _look(path: Path, schema: Schema, *, asked: bool) -> Found | None:
    try:
        plan = read_any(path, schema)
    except BadFile as error:
        if not asked and error.key not in _WORTH_NAMING:
            return None
        args = {key: value for key, value in error.text_args.items() if isinstance(value, str | int)}
        return Found(path, None, problem=Problem(error.key, args))
    return Found(path, plan.format, plan.counts)


_WORTH_NAMING = frozenset(
    {"error.file.json_broken", "error.file.sqlite_damaged", "error.file.empty", "error.file.not_sqlite"}
)
"""Faults that a person would want to know of; other files are just no files of ours."""
