"""What dropped files are, by their content: memory files first, then documents, then what is neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from core.domain.api import Cancel
from core.domain.document import DocumentKind
from core.domain.errors import BadFile, EncodingQuestion, PasswordQuestion
from core.domain.queries_drop import SORT_OF, DropKind, SortedFile
from core.domain.results import Problem
from core.domain.transfer import CHATS_BROKEN, DATABASE_BROKEN, READABLE_ERRORS, Found
from core.ports.document_reader import DocumentReader
from core.services.ingest.rows import said, shown_path

FindIn = Callable[[Path], tuple[Found, ...]]
"""What can be imported of a file (core.ports.file_formats)."""

_READABLE = {CHATS_BROKEN: DropKind.CHATS, DATABASE_BROKEN: DropKind.DATABASES}
"""What the files are of which a part can be read."""
_GENERAL = frozenset(
    {
        "error.document.picture",
        "error.document.for_import",
        "error.document.archive",
        "error.document.not_text",
    }
)
"""What the reader of documents says of a file that is none: what the formats say of it is nearer."""
_VAGUE = frozenset({"error.file.not_json", "error.file.not_text"})
"""What the formats say of a file of which they know nothing."""
_PART_OF = "drop.part_of"
_DATABASE_SIDES = ("-wal", "-shm", "-journal")
_INDEX_FILE = "chroma.sqlite3"
_JSON_NAMES = frozenset({".json", ".jsonl"})
_BROKEN = "error.file.json_broken_nothing"


def sort_files(
    paths: Sequence[Path], find: FindIn, reader: DocumentReader, cancel: Cancel | None
) -> tuple[SortedFile, ...]:
    """What each file is. Errors: Cancelled."""
    done = []
    for path in paths:
        if cancel is not None:
            cancel.check()
        done.append(_sorted(path, find, reader, cancel))
    return tuple(done)


def _sorted(path: Path, find: FindIn, reader: DocumentReader, cancel: Cancel | None) -> SortedFile:
    owner = part_of(path)
    if owner is not None:
        return _skipped(path, Problem(_PART_OF, {"name": path.name, "of": owner}))
    try:
        found = next(iter(find(path)), None)
    except BadFile as error:
        found = Found(path, None, problem=_problem(error))
    if found is not None and found.format is not None:
        return SortedFile(
            path=path,
            shown=shown_path(path),
            sort=SORT_OF[found.format],
            format=found.format,
            counts=found.counts,
        )
    problem = None if found is None else found.problem
    if problem is not None and problem.key in READABLE_ERRORS:
        sort = _READABLE.get(problem.key, DropKind.GRAPHS)
        return SortedFile(path=path, shown=shown_path(path), sort=sort, problem=problem)
    return _document(path, problem, reader, cancel)


def _document(path: Path, other: Problem | None, reader: DocumentReader, cancel: Cancel | None) -> SortedFile:
    """A document, or why it is none. `other`: why it is no memory file either."""
    shown = shown_path(path)
    if other is not None and other.key == _BROKEN and path.suffix.lower() in _JSON_NAMES:
        return _skipped(path, other)
    try:
        read = reader.read(path, cancel=cancel)
    except EncodingQuestion as question:
        kind, problem = DocumentKind.TEXT, _problem(question)
    except PasswordQuestion as question:
        kind, problem = DocumentKind.PDF, _problem(question)
    except BadFile as error:
        nearer = other is not None and other.key not in _VAGUE and error.key in _GENERAL
        return _skipped(path, other if other is not None and nearer else _problem(error))
    else:
        return SortedFile(
            path=path,
            shown=shown,
            sort=DropKind.DOCUMENTS,
            kind=read.kind,
            counts={"characters": len(read.text)},
        )
    return SortedFile(path=path, shown=shown, sort=DropKind.DOCUMENTS, kind=kind, problem=problem)


def part_of(path: Path) -> str | None:
    """The name of the database or vector index of which a file is only a part; None for others."""
    for side in _DATABASE_SIDES:
        if path.name.endswith(side) and path.with_name(path.name.removesuffix(side)).is_file():
            return path.name.removesuffix(side)
    if path.name == _INDEX_FILE:
        return path.parent.name
    if path.suffix in {".bin", ".pickle"}:
        index = path.parent.parent
        return index.name if (index / _INDEX_FILE).is_file() else None
    return None


def _skipped(path: Path, problem: Problem) -> SortedFile:
    return SortedFile(path=path, shown=shown_path(path), sort=DropKind.SKIPPED, problem=problem)


def _problem(error: BadFile) -> Problem:
    key, args = said(error)
    return Problem(key, args)
