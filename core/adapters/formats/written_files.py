"""Writing lorebooks, cards and chats to disk: whole or not at all, the original kept when it is replaced."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from core.adapters.formats.card_write import card_of, write_picture
from core.adapters.formats.chat_write import write_into_chat
from core.adapters.formats.lore_write import LoreWriter
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_write import graph_of
from core.adapters.formats.whole_file import check_target, new_file
from core.domain.errors import Invalid, UserError
from core.domain.json_types import Json
from core.domain.schema import Schema
from core.domain.transfer import ExportReport, FolderBundle, Format

PICTURE = ".png"
_INDENT = 4
"""As SillyTavern writes World Info files."""


def write_lorebook(
    target: Format, bundles: Sequence[FolderBundle], path: Path, schema: Schema, *, overwrite: bool
) -> ExportReport:
    """Memories as World Info, or a folder as a book in the form of cards. Errors: UserError."""
    writer = LoreWriter(schema)
    if target is Format.LOREBOOK and len(bundles) != 1:
        raise Invalid("error.export.one_book", count=len(bundles))
    value: Json = writer.worldinfo(bundles) if target is Format.WORLDINFO else writer.book(bundles[0])
    _write_json(value, path, overwrite=overwrite)
    count = sum(memory.deleted_at is None for bundle in bundles for memory in bundle.memories)
    return ExportReport(
        format=target,
        path=path,
        counts={"folders": len(bundles), "memories": count},
        problems=writer.problems.all(),
    )


def write_card(
    bundles: Sequence[FolderBundle], path: Path, schema: Schema, source: Path | None, *, overwrite: bool
) -> ExportReport:
    """The card of the first folder with its book, as JSON or in a copy of its picture. Errors: UserError."""
    writer = LoreWriter(schema)
    card = card_of(bundles, writer)
    if path.suffix.lower() == PICTURE:
        if source is None:
            raise UserError("error.export.no_source", name=bundles[0].folder.name)
        check_target(path, overwrite=overwrite)
        _keep_original(path, source, writer.problems)
        with new_file(path, overwrite=overwrite) as part:
            write_picture(card, source, part)
    else:
        _write_json(card, path, overwrite=overwrite)
    count = sum(memory.deleted_at is None for bundle in bundles for memory in bundle.memories)
    return ExportReport(
        format=Format.CARD,
        path=path,
        counts={"folders": 1, "memories": count},
        problems=writer.problems.all(),
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
    with new_file(path, overwrite=overwrite) as part:
        write_into_chat(source, part, graph, problems)
        _keep_original(path, source, problems)
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
    )


def _keep_original(path: Path, source: Path, problems: Problems) -> None:
    """Keep a copy beside a file that is about to be replaced by its own changed copy."""
    if not path.exists() or not path.samefile(source):
        return
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    kept = path.with_name(f"{path.name}.{stamp}.bak")
    try:
        shutil.copy2(path, kept)
    except OSError as error:
        raise UserError("error.export.cannot_write", path=str(kept), details=str(error)) from error
    problems.add("export.problem.backup", severity=INFO, name=kept.name)


def _write_json(value: Json | Mapping[str, Json], path: Path, *, overwrite: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=_INDENT, allow_nan=False)
    with new_file(path, overwrite=overwrite) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
