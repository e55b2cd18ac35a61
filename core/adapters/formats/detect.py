"""Which format a file has, by its content, and what a directory holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from core.adapters.formats.booku_chroma import CHROMA_FILE, note_vectors
from core.adapters.formats.booku_db import is_sqlite
from core.adapters.formats.booku_read import read_booku
from core.adapters.formats.card_find import card_in_package, card_in_picture, card_in_png, find_card
from core.adapters.formats.card_read import read_card
from core.adapters.formats.chat_foreign import foreign_chats, foreign_name
from core.adapters.formats.chat_group import refusal
from core.adapters.formats.chat_lines import read_lines
from core.adapters.formats.chat_message import is_header
from core.adapters.formats.chat_read import (
    is_listed_chat,
    looks_like_chat,
    read_chat,
    read_listed,
)
from core.adapters.formats.foreign_read import export_plan, read_foreign
from core.adapters.formats.lore_read import find_book, read_book
from core.adapters.formats.png_chunks import SIGNATURE
from core.adapters.formats.problems import Problems
from core.adapters.formats.source_files import with_source
from core.adapters.formats.stbme_find import (
    SEVERAL_VALUES,
    Loaded,
    graph_in,
    graph_of_value,
    load_json,
    what_it_is,
)
from core.adapters.formats.stbme_read import read_graph
from core.adapters.packages.markdown import ENDINGS as MARKDOWN_ENDINGS
from core.adapters.packages.markdown import is_markdown_folder, markdown_plan
from core.adapters.packages.mem0 import mem0_plan, mem0_rows
from core.adapters.packages.plan import package_plan
from core.adapters.packages.read import is_package
from core.domain.errors import BadFile
from core.domain.results import Problem
from core.domain.schema import Schema
from core.domain.transfer import READABLE_ERRORS, Format, Found, ImportPlan
from core.ports.clock import system_clock

DATABASE = "metadata.db"
DATABASE_ENDINGS = (".db", ".sqlite", ".sqlite3")
_ENDINGS = frozenset({".json", ".jsonl", ".png", ".charx", ".mcz", ".zip", *DATABASE_ENDINGS})
_SIDES = ("-wal", "-shm", "-journal")
_MOST_FILES = 5000
_HEAD_BYTES = 64
_LMDB_MAGIC = b"\xde\xc0\xef\xbe"
_PICTURES = (b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")
_PACKAGES = (b"PK\x03\x04", b"PK\x05\x06")
_OTHER = ((b"\x1f\x8b", "error.file.is_archive"), (b"%PDF-", "error.file.is_document"))
_PACKAGE_FAULT = "error.package."
_LARGEST_JSON = 2 * 2**30


def read_any(path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan:
    """The dry run of an import of whatever `path` is; a directory must hold exactly one importable file.

    Errors: BadFile saying what it is instead, and how far it could be read.
    """
    if path.is_dir() and not (path / DATABASE).is_file() and is_markdown_folder(path):
        return with_source(markdown_plan(path, system_clock()), path)
    if path.is_dir():
        return read_any(_only_file(path, schema), schema, partly=partly)
    try:
        head = _head(path)
        if not head:
            raise BadFile("error.file.empty", name=path.name)
        if is_sqlite(path):
            problems = Problems()
            note_vectors(path, problems)
            return with_source(read_booku(path, schema, problems, partly=partly), path)
        _refuse_other(path, head)
        plan = _read_card_file(path, head, schema, partly=partly) or _read_text(path, schema, partly=partly)
        return with_source(plan, path)
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
    if _LMDB_MAGIC in head or path.suffix.lower() in DATABASE_ENDINGS:
        raise BadFile("error.file.not_sqlite", name=path.name)


def _read_card_file(path: Path, head: bytes, schema: Schema, *, partly: bool) -> ImportPlan | None:
    """What a picture or package holds: a card, a library, chats; None for other files. Errors: BadFile."""
    problems = Problems()
    if head.startswith(SIGNATURE):
        return read_card(card_in_png(path, problems), problems, path)
    if head.startswith(_PACKAGES) and is_package(path):
        return package_plan(path)
    if head.startswith(_PACKAGES):
        if (plan := export_plan(path, schema, partly=partly)) is not None:
            return plan
        return read_card(card_in_package(path, problems), problems, path)
    if head.startswith(_PICTURES):
        return read_card(card_in_picture(path, problems), problems, path)
    return None


def _read_text(path: Path, schema: Schema, *, partly: bool) -> ImportPlan:
    """A chat in lines, or whatever the JSON of the file is. Errors: BadFile."""
    if path.suffix.lower() in MARKDOWN_ENDINGS and is_markdown_folder(path):
        return markdown_plan(path, system_clock())
    if (plan := export_plan(path, schema, partly=partly)) is not None:
        return plan
    if looks_like_chat(path) and not _is_whole_list(path):
        return read_chat(path, schema)
    if path.stat().st_size > _LARGEST_JSON:
        raise BadFile("error.file.too_big", name=path.name, limit=_LARGEST_JSON // 2**20)
    loaded = load_json(path, partly=partly)
    value = loaded.value
    if isinstance(value, list) and is_listed_chat(value):
        return read_listed(value, schema, path, loaded.problems)
    if graph_in(value) is not None:
        return read_graph(graph_of_value(loaded, path.name), schema, path)
    return _read_value(loaded, schema, path)


def _is_whole_list(path: Path) -> bool:
    """Whether lines that look like a chat's are the items of one JSON list."""
    with path.open("rb") as file:
        if not file.read(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return False
    try:
        return isinstance(load_json(path).value, list)
    except BadFile:
        return False


def _read_value(loaded: Loaded, schema: Schema, path: Path) -> ImportPlan:
    value, problems = loaded.value, loaded.problems
    if (card := find_card(value, problems)) is not None:
        return read_card(card, problems, path)
    if (book := find_book(value)) is not None:
        return read_book(book, path, problems)
    if (rows := mem0_rows(value)) is not None:
        return mem0_plan(value, rows, path, system_clock(), problems)
    if chats := foreign_chats(value):
        return read_foreign(chats, schema, path, problems)
    if program := foreign_name(value):
        raise BadFile("error.file.unread_chat", name=path.name, program=program)
    if isinstance(value, list) and problems.count(SEVERAL_VALUES):
        raise BadFile("error.file.several_values", name=path.name, count=len(value))
    if (key := what_it_is(value)) == "error.file.is_group":
        raise refusal(path, value)
    raise BadFile(key, name=path.name)


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

    Files that are plainly something else (pictures without a card, other JSON) are left out; links are not
    followed. Errors: BadFile when there is nothing at `path`.
    """
    if not path.exists():
        raise BadFile("error.file.missing", name=path.name)
    if path.is_dir() and is_markdown_folder(path):
        plan = markdown_plan(path, system_clock())
        others = [candidate for candidate in _candidates(path) if candidate.suffix.lower() != ".md"]
        listed = (_look(candidate, schema, asked=False) for candidate in others)
        return (Found(path, plan.format, plan.counts), *(each for each in listed if each is not None))
    candidates = [path] if path.is_file() else _candidates(path)
    listed = (_look(candidate, schema, asked=path.is_file()) for candidate in candidates)
    return tuple(each for each in listed if each is not None)


def _candidates(directory: Path) -> Iterator[Path]:
    seen = 0
    for place, folders, files in os.walk(directory):
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for name in sorted(files):
            path = Path(place) / name
            if path.suffix.lower() not in _ENDINGS or name == CHROMA_FILE or name.endswith(_SIDES):
                continue
            if path.is_file():  # not a pipe, a device or a broken link
                seen += 1
                if seen > _MOST_FILES:
                    return
                yield path


def _look(path: Path, schema: Schema, *, asked: bool) -> Found | None:
    try:
        if (counts := _chat_counts(path)) is not None:
            return Found(path, Format.CHAT, counts)
        plan = read_any(path, schema)
    except OSError as error:
        return Found(
            path, None, problem=Problem("error.file.cannot_open", {"name": path.name, "details": str(error)})
        )
    except BadFile as error:
        if not asked and error.key not in _WORTH_NAMING and not error.key.startswith(_PACKAGE_FAULT):
            return None
        args = {key: value for key, value in error.text_args.items() if isinstance(value, str | int)}
        return Found(path, None, problem=Problem(error.key, args))
    return Found(path, plan.format, plan.counts)


def _chat_counts(path: Path) -> dict[str, int] | None:
    """Numbers of a chat without reading all of it, which a directory of hundreds could not wait for."""
    if path.suffix.lower() != ".jsonl" or not path.stat().st_size or not looks_like_chat(path):
        return None
    first = next(iter(read_lines(path)), None)
    with path.open("rb") as file:
        lines = sum(1 for line in file if not line.isspace())
    if lines == 1:  # or only CR ends a line
        lines = sum(1 for _ in read_lines(path))
    header = first.value if first is not None and is_header(first.value) else None
    graph = None if header is None else graph_in(header)
    nodes = graph[0].get("nodes") if graph is not None else None
    found = {"messages": lines - (header is not None)}
    return found | ({"memories": len(nodes)} if isinstance(nodes, list | dict) else {})


_WORTH_NAMING = frozenset(
    {
        *READABLE_ERRORS,
        "error.file.sqlite_damaged",
        "error.file.empty",
        "error.file.not_sqlite",
        "error.file.card_cut",
        "error.file.card_unreadable",
        "error.file.package_damaged",
        "error.file.package_too_big",
        "error.file.unread_chat",
    }
)
"""Faults that a person would want to know of; other files are just no files of ours."""
