"""Writing lorebooks, cards and chats to disk: whole or not at all, the original kept when it is replaced."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.adapters.formats.card_find import card_entry
from core.adapters.formats.card_write import card_of, write_picture
from core.adapters.formats.chat_write import write_into_chat
from core.adapters.formats.lore_write import LoreWriter
from core.adapters.formats.problems import Problems
from core.adapters.formats.source_files import card_form, keeper
from core.adapters.formats.stbme_write import given_ids, graph_of
from core.adapters.formats.whole_file import check_target, is_same_file, new_file
from core.domain.errors import Invalid, UserError
from core.domain.json_types import Json
from core.domain.schema import Schema
from core.domain.transfer import ExportReport, FolderBundle, Format

PICTURE, PACKAGE = ".png", ".charx"
_INDENT = 4
"""As SillyTavern writes World Info files."""


def write_lorebook(
    target: Format,
    bundles: Sequence[FolderBundle],
    path: Path,
    schema: Schema,
    source: Path | None = None,
    *,
    overwrite: bool,
) -> ExportReport:
    """Memories as World Info, or a folder as a book in the form of cards. Errors: UserError."""
    writer = LoreWriter(schema)
    if target is Format.LOREBOOK and len(bundles) != 1:
        raise Invalid("error.export.one_book", count=len(bundles))
    value: Json = writer.worldinfo(bundles) if target is Format.WORLDINFO else writer.book(bundles[0])
    _write_json(value, path, overwrite=overwrite, before=keeper(source, writer.problems))
    count = sum(memory.deleted_at is None for bundle in bundles for memory in bundle.memories)
    return ExportReport(
        format=target,
        path=path,
        counts={"folders": len(bundles), "memories": count},
        problems=writer.problems.all(),
        ids=writer.ids,
    )


def write_card(
    bundles: Sequence[FolderBundle], path: Path, schema: Schema, source: Path | None, *, overwrite: bool
) -> ExportReport:
    """The card of the first folder with its book, as JSON or in a copy of its picture or package.

    Errors: UserError.
    """
    writer = LoreWriter(schema)
    card = card_of(bundles, writer)
    form = _form(path, source)
    before = keeper(source, writer.problems)
    if form in (PICTURE, PACKAGE):
        if source is None or not source.is_file():
            raise UserError("error.export.no_source", name=bundles[0].folder.name)
        check_target(path, overwrite=overwrite)
        with new_file(path, overwrite=overwrite, before=before) as part:
            if form == PICTURE:
                write_picture(card, source, part)
            else:
                _write_package(card, source, part)
    else:
        _write_json(card, path, overwrite=overwrite, before=before)
    count = sum(memory.deleted_at is None for bundle in bundles for memory in bundle.memories)
    return ExportReport(
        format=Format.CARD,
        path=path,
        counts={"folders": 1, "memories": count},
        problems=writer.problems.all(),
        ids=writer.ids,
    )


def write_chat(
    bundles: Sequence[FolderBundle], path: Path, schema: Schema, source: Path | None, *, overwrite: bool
) -> ExportReport:
    """A copy of the chat with the folder's graph, or the chat itself after a copy of it was kept.

    Errors: UserError.
    """
    if len(bundles) != 1:
        raise Invalid("error.export.one_folder", count=len(bundles))
    if source is None:
        raise UserError("error.export.no_source", name=bundles[0].folder.name)
    problems = Problems()
    graph = graph_of(bundles[0], schema, problems)
    check_target(path, overwrite=overwrite)
    if not source.is_file():
        raise UserError("error.export.no_source", name=source.name)
    with new_file(path, overwrite=overwrite, before=keeper(source, problems)) as part:
        write_into_chat(source, part, graph, problems)
    nodes, edges = graph["nodes"], graph["edges"]
    return ExportReport(
        format=Format.CHAT,
        path=path,
        counts={
            "folders": 1,
            "memories": len(nodes) if isinstance(nodes, list) else 0,
            "edges": len(edges) if isinstance(edges, list) else 0,
        },
        problems=problems.all(),
        ids=given_ids(bundles[0]),
    )


def _form(path: Path, source: Path | None) -> str:
    """How a card is written: as the file that is replaced has it, else as the name says."""
    if source is not None and is_same_file(path, source):
        return card_form(source) or PICTURE
    return path.suffix.lower()


def _write_package(card: Mapping[str, Json], source: Path, part: Path) -> None:
    """A copy of the package (CHARX) with this card. Errors: UserError when it cannot be used."""
    try:
        with zipfile.ZipFile(source) as package, zipfile.ZipFile(part, "w", allowZip64=True) as copy:
            entry = card_entry(package)
            if entry is None:
                raise UserError("error.export.no_package", name=source.name)
            for each in package.infolist():
                if each is entry:
                    text = json.dumps(card, ensure_ascii=False, indent=_INDENT, allow_nan=False)
                    copy.writestr(each, text.encode("utf-8"))
                    continue
                with package.open(each) as old, copy.open(each, "w", force_zip64=True) as new:
                    shutil.copyfileobj(old, new)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UserError("error.export.no_package", name=source.name, details=str(error)) from error


def _write_json(
    value: Json | Mapping[str, Json], path: Path, *, overwrite: bool, before: Callable[[Path], None]
) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=_INDENT, allow_nan=False)
    with new_file(path, overwrite=overwrite, before=before) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
