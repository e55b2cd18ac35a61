"""Files that folders came from: known again by a mark, kept beside when replaced, left alone when in use."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core.adapters.formats.booku_db import MEMOS, TAGS, copied, is_sqlite, open_read_only
from core.adapters.formats.png_chunks import SIGNATURE
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_find import graph_in, load_json
from core.adapters.formats.whole_file import is_same_file, kept_name
from core.adapters.packages.markdown import ENDINGS as MARKDOWN_ENDINGS
from core.adapters.packages.markdown import regular_files
from core.adapters.packages.plain import PlainContent
from core.algos.booku_rows import RECORDS
from core.domain.errors import BadFile, UserError
from core.domain.results import Problem
from core.domain.safe_text import storable
from core.domain.source_file import PARTLY_KEY, PATH_KEY, READ_KEY, SHOWN, SourceMark
from core.domain.transfer import Format, ImportPlan

SIDES = ("-wal", "-shm", "-journal")
BROKEN = frozenset({"import.problem.broken_json", "import.problem.database_damaged"})
_PACKAGE = b"PK\x03\x04"
_LOCK_FROM, _LOCK_BYTES = 0x40000000, 512
"""The bytes of a database on which SQLite puts its locks (its file format, "The Lock-Byte Page")."""
_CHUNK = 1 << 20


def with_source(plan: ImportPlan, path: Path) -> ImportPlan:
    """The plan whose folders know their file: where it is, and by what it is known again."""
    if plan.format not in SHOWN:
        return plan
    partly = any(problem.key in BROKEN for problem in plan.problems)
    origin = {
        "format": plan.format.value,
        "file": storable(path.name),
        PATH_KEY: storable(str(path.absolute())),
        READ_KEY: mark_of(path).as_json(),
        **({PARTLY_KEY: True} if partly else {}),
    }
    folders = tuple(replace(each, origin={**origin, **each.origin}) for each in plan.folders)
    content = plan.content
    if isinstance(content, PlainContent):
        content = replace(content, origin=origin)
    return replace(plan, folders=folders, content=content)


def mark_of(path: Path) -> SourceMark:
    """The mark of a file, of a database with its -wal, or of a directory of Markdown files. Errors: OSError."""
    files = list(_files(path))
    stats = [each.stat() for each in files]
    return SourceMark(
        size=sum(stat.st_size for stat in stats),
        mtime_ns=max((stat.st_mtime_ns for stat in stats), default=0),
        digest=_digest(path, files),
    )


def is_unchanged(path: Path, mark: SourceMark) -> bool:
    """Whether a file still is what the mark says. Its content is read only when size or time differ."""
    stats = [each.stat() for each in _files(path)]
    size = sum(stat.st_size for stat in stats)
    time = max((stat.st_mtime_ns for stat in stats), default=0)
    return (size, time) == (mark.size, mark.mtime_ns) or mark_of(path).digest == mark.digest


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (each for each in regular_files(path) if each.suffix.lower() in MARKDOWN_ENDINGS)
        return
    yield path
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and is_sqlite(path):
        yield wal


def _digest(path: Path, files: list[Path]) -> str:
    """What the file says: of a database its rows, which opening and closing it does not change."""
    hashed = hashlib.sha256()
    if path.is_file() and is_sqlite(path):
        try:
            for row in _rows(path):
                hashed.update(repr(row).encode("utf-8", "surrogatepass"))
            return hashed.hexdigest()
        except sqlite3.DatabaseError:  # damaged: its bytes are all there is
            hashed = hashlib.sha256()
    for file in files:
        if path.is_dir():
            hashed.update(str(file.relative_to(path)).encode("utf-8", "surrogateescape"))
        with file.open("rb") as data:
            while chunk := data.read(_CHUNK):
                hashed.update(chunk)
    return hashed.hexdigest()


def _rows(path: Path) -> Iterator[tuple[object, ...]]:
    with copied(path) as copy, closing(open_read_only(copy)) as connection:
        for table in _tables(connection):
            yield (table,)
            quoted = table.replace('"', '""')
            yield from (tuple(row) for row in connection.execute(f'SELECT * FROM "{quoted}" ORDER BY 1'))  # noqa: S608 - the names of its own tables


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [row["name"] for row in found if not row["name"].startswith("sqlite_")]


# --- whether a file can be replaced ---


def format_of_source(path: Path, kind: Format) -> Format | None:
    """In which format a file of this kind is written whole; None when only a part of it is known here."""
    match kind:
        case Format.STBME:
            return _graph_format(path)
        case Format.WORLDINFO | Format.LOREBOOK:
            return kind if _head(path)[:1] in (b"{", b"[", b"\xef", b"\xff", b"\xfe", b" ", b"\n") else None
        case Format.CARD:
            return kind if card_form(path) is not None else None
        case _:
            return kind


def card_form(path: Path) -> str | None:
    """How a card's file is written: as `.png`, `.charx` or `.json`; None for pictures of another kind."""
    head = _head(path)
    if head.startswith(SIGNATURE):
        return ".png"
    if head.startswith(_PACKAGE):
        return ".charx"
    return ".json" if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" else None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(64)


def _graph_format(path: Path) -> Format | None:
    """A graph alone, or in the first line of a chat; a graph inside of other JSON is not written there."""
    try:
        found = graph_in(load_json(path).value)
    except BadFile:
        return None
    if found is None:
        return None
    if not found[1]:
        return Format.STBME
    with path.open("rb") as file:
        first = file.readline().strip(b"\xef\xbb\xbf \t\r\n\x00")
    return Format.CHAT if first.endswith(b"}") else None


def obstacle_of(path: Path, kind: Format) -> Problem | None:
    """Why a file must not be replaced: it is in use, or would lose what is not known here."""
    args = {"name": storable(path.name)}
    if kind is Format.BOOKU:
        if in_use(path):
            return Problem("write_back.obstacle.in_use", args, "error")
        others = _other_tables(path)
        if others:
            listed = ", ".join(map(storable, others[:8]))
            return Problem("write_back.obstacle.tables", {**args, "tables": listed}, "error")
    elif sys.platform == "win32" and path.is_file() and in_use(path):
        return Problem("write_back.obstacle.in_use", args, "error")
    if format_of_source(path, kind) is None:
        return Problem("write_back.obstacle.inside", args, "error")
    return None


def _other_tables(path: Path) -> list[str]:
    with copied(path) as copy, closing(open_read_only(copy)) as connection:
        return [name for name in _tables(connection) if name not in (RECORDS, TAGS, MEMOS)]


def in_use(path: Path) -> bool:
    """Whether another program holds the file open: on Windows any, elsewhere one that has a database in use."""
    if sys.platform == "win32":
        try:
            path.rename(path)
        except PermissionError:
            return True
        return False
    import fcntl

    try:
        with path.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCK_BYTES, _LOCK_FROM)
    except BlockingIOError:
        return True
    return False


# --- keeping the old file ---


def keeper(source: Path | None, problems: Problems) -> Callable[[Path], None]:
    """What is to be done before `path` is replaced: a copy is kept beside it when it is the source itself."""

    def keep(path: Path) -> None:
        if not is_same_file(path, source):
            return
        kept = kept_name(path)
        try:
            for side in ("", *SIDES):
                beside = path.with_name(path.name + side)
                if beside.is_file():
                    shutil.copy2(beside, kept.with_name(kept.name + side))
        except OSError as error:
            raise UserError("error.export.cannot_write", path=str(kept), details=str(error)) from error
        problems.add("export.problem.backup", severity=INFO, name=kept.name)

    return keep
