"""Chats of other programs as an import plan: a folder for each, of several below the program's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.formats.chat_exports import ExportNotes, NoExport, read_export
from core.adapters.formats.chat_lines import Line
from core.adapters.formats.chat_pack import PackedMessages
from core.adapters.formats.chat_read import ChatReading, folder_name
from core.adapters.formats.foreign_chat import ForeignChat
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_find import METADATA_KEY
from core.domain.errors import BadFile
from core.domain.folder import MAX_FOLDER_CHARS, clean_folder_name
from core.domain.json_types import Json
from core.domain.schema import Schema
from core.domain.transfer import CHATS_BROKEN, Format, ImportPlan, PlannedFolder, PlannedMessage

_TITLE_CHARS = 40


def read_foreign(chats: Iterable[ForeignChat], schema: Schema, path: Path, problems: Problems) -> ImportPlan:
    """The dry run of an import of another program's chats: one folder each, of several below the program's name."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    folders: list[PlannedFolder] = []
    messages = PackedMessages()
    counts: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    titles: list[str] = []
    program = parent = ""
    for number, chat in enumerate(chats):
        reading = ChatReading(path.name, schema, problems, key=f"chat{number}", program=chat.program)
        reading.reader.plain = chat.plain
        reading.take(_as_lines(chat))
        plan = reading.plan(changed, path=str(path.absolute()))
        counts.update(plan.counts)
        left_out.update(chat.left_out)
        for message in plan.messages:
            messages.append(message)
        folders.append(plan.folders[0])
        titles.append(chat.title or (_first_words(plan.messages) if chat.id else ""))
        program, parent = chat.program, chat.program if chat.id else parent
    problems.add("import.problem.chat_of", severity=INFO, program=program)
    for kind, count in left_out.items():
        if count:
            problems.add(f"import.problem.{kind}", severity=INFO, count=count)
    return ImportPlan(
        format=Format.FOREIGN_CHAT,
        source_name=path.name,
        folders=_named(folders, titles, parent),
        memories=(),
        messages=messages,
        problems=problems.all(),
        counts=counts,
        needs_confirmation=not messages,
    )


def _named(folders: list[PlannedFolder], titles: list[str], parent: str) -> tuple[PlannedFolder, ...]:
    """Chats are called by their titles, else like their file; several of them stand below `parent`."""
    several = len(folders) > 1
    named = []
    for number, (folder, title) in enumerate(zip(folders, titles, strict=True), start=1):
        name = folder_name(title or (f"{folder.name} ({number})" if several else folder.name))
        if several and parent:
            name = clean_folder_name(f"{parent}/{name}"[:MAX_FOLDER_CHARS])
        named.append(replace(folder, name=name))
    return tuple(named)


def _first_words(messages: Sequence[PlannedMessage]) -> str:
    """What a chat without a title is called by: how it begins."""
    said = next((m.text for m in messages if m.text.strip() and not m.hidden), "")
    words = " ".join(said[: 4 * _TITLE_CHARS].split())
    return words if len(words) <= _TITLE_CHARS else words[:_TITLE_CHARS].rstrip() + "…"


def export_plan(path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan | None:
    """The dry run of an import of a chat service's export (see chat_exports); None when the file is none.

    `partly`: of a file that breaks off take the chats before that. Errors: BadFile, OSError.
    """
    notes, problems = ExportNotes(), Problems()
    try:
        plan = read_foreign(read_export(path, notes), schema, path, problems)
    except NoExport:
        return None
    if notes.broken is not None:
        at = notes.broken.at
        if not partly:
            raise BadFile(
                CHATS_BROKEN,
                name=path.name,
                line=at.line,
                column=at.column,
                chats=len(plan.folders),
                messages=len(plan.messages),
                details=at.reason,
            )
        problems.add("import.problem.broken_json", line=at.line, column=at.column)
    if notes.empty:
        problems.add("import.problem.chats_empty", severity=INFO, count=notes.empty)
    notes.twice.note(problems)
    return replace(plan, problems=problems.all())


def _as_lines(chat: ForeignChat) -> Iterator[Line]:
    metadata: dict[str, Json] = {"integrity": f"{chat.program}:{chat.id}"} if chat.id else {}
    yield Line(
        0, {"user_name": chat.user, "character_name": chat.character, METADATA_KEY: metadata}, suspect=True
    )
    for number, message in enumerate(chat.messages, start=1):
        yield Line(number, message)
