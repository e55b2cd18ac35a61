"""Saved expectations of recall: kept, removed, and to and from JSON lines.

A line: {"name", "message", "folder": name or null, "viewer", "recipe", "settings", "expected": [ids]}.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from core.domain import queries_recall as qr
from core.domain.commands_recall import ImportRecallCases, RemoveRecallCases, SaveRecallCases
from core.domain.enums import Kind
from core.domain.errors import BadFile, Invalid, NotFound, UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json, parse_exactly
from core.domain.memory import Memory
from core.domain.recall import RecallCase, Setting
from core.domain.recipes import DEFAULT_RECIPE, recipe
from core.domain.safe_text import storable
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import folder_of, states_of
from core.services.outcome import Outcome

NAME_CHARS = 80
REASON_CHARS = 200
_COLUMNS = ("name", "folder", "message", "viewer", "recipe", "settings", "expected")


# --- commands -------------------------------------------------------------------------------


def save(uow: UnitOfWork, command: SaveRecallCases) -> Outcome:
    """New cases, and saved ones with new values. Errors: Invalid, NotFound."""
    cases = [_checked(uow, case) for case in command.cases]
    _label(uow, cases)
    new = [replace(case, created_at=uow.now) for case in cases if not case.pk]
    changed = [case for case in cases if case.pk]
    if len(uow.records(RecallCase, [case.pk for case in changed])) != len({case.pk for case in changed}):
        raise NotFound("error.recall.no_case")
    uow.insert(new)
    count = uow.update_each(
        Kind.RECALL_CASE, {case.pk: {name: getattr(case, name) for name in _COLUMNS} for case in changed}
    )
    return Outcome(changed=count + len(new), counts={"created": len(new)})


def remove(uow: UnitOfWork, command: RemoveRecallCases) -> Outcome:
    """Remove cases; those that are gone already are left alone."""
    found = uow.records(RecallCase, command.cases)
    _label(uow, found)
    return Outcome(changed=uow.delete(Kind.RECALL_CASE, [case.pk for case in found]))


def import_lines(uow: UnitOfWork, command: ImportRecallCases) -> Outcome:
    """Cases from JSON lines; what is there already is not saved twice. Errors: BadFile."""
    known = {_key(case) for case in uow.all_records(RecallCase)}
    counts = {"created": 0, "same": 0, "missing": 0}
    new: list[RecallCase] = []
    for line in _lines(command.text):
        case = _found(uow, line)
        if case is None:
            counts["missing"] += 1
        elif (key := _key(case)) in known:
            counts["same"] += 1
        else:
            known.add(key)
            new.append(replace(case, created_at=uow.now))
    _label(uow, new)
    uow.insert(new)
    counts["created"] = len(new)
    return Outcome(changed=len(new), counts=counts)


def _label(uow: UnitOfWork, cases: Iterable[RecallCase]) -> None:
    names = [case.name for case in cases]
    uow.label(count=len(names), **({"title": names[0]} if len(names) == 1 else {}))


def _checked(reader: Reader, case: RecallCase) -> RecallCase:
    """The case as it is kept. Errors: Invalid, NotFound."""
    message = storable(case.message).strip()
    expected = tuple(dict.fromkeys(case.expected))
    if not message:
        raise Invalid("error.recall.case_message")
    if not expected:
        raise Invalid("error.recall.case_expected")
    if case.folder is not None:
        folder_of(reader, case.folder)
    states_of(reader, expected)
    values = recipe(case.recipe).resolved(case.settings).values
    settings = {key: values[key] for key in case.settings}
    name = " ".join(storable(case.name).split())[:NAME_CHARS] or " ".join(message.split())[:NAME_CHARS]
    viewer = storable(case.viewer).strip()
    return replace(case, name=name, message=message, viewer=viewer, settings=settings, expected=expected)


# --- queries --------------------------------------------------------------------------------


def cases(reader: Reader, query: qr.RecallCases) -> tuple[RecallCase, ...]:
    """Saved cases of a folder (None = all)."""
    return tuple(
        case for case in reader.all_records(RecallCase) if query.folder is None or case.folder == query.folder
    )


def export_lines(reader: Reader, query: qr.ExportRecallCases) -> str:
    """Saved cases as JSON lines. Memories that are gone are left out, and so are cases of which none is left."""
    found = cases(reader, qr.RecallCases(query.folder))
    folders = {folder.pk: folder.name for folder in reader.all_records(Folder)}
    wanted = {pk for case in found for pk in case.expected}
    ids = {memory.pk: memory.foreign_id or memory.id for memory in reader.records(Memory, sorted(wanted))}
    return "".join(f"{line}\n" for case in found if (line := _line(case, folders, ids)))


def _line(case: RecallCase, folders: Mapping[FolderPk, str], ids: Mapping[MemoryPk, str]) -> str:
    expected = [ids[pk] for pk in case.expected if pk in ids]
    if not expected:
        return ""
    data = {
        "name": case.name,
        "message": case.message,
        "folder": None if case.folder is None else folders.get(case.folder),
        "viewer": case.viewer,
        "recipe": case.recipe,
        "settings": dict(case.settings),
        "expected": expected,
    }
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


# --- reading lines --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    """One line, of sound form."""

    case: RecallCase
    folder: str | None
    expected: tuple[str, ...]


def _lines(text: str) -> Iterator[_Line]:
    """The lines. Errors: BadFile with the number of the first one that is none."""
    # a message may hold line separators of Unicode, so lines end at line feeds only
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                yield _parsed(parse_exactly(line))
            except (ValueError, RecursionError, Invalid, NotFound) as error:
                raise BadFile("error.recall.case_line", line=number, reason=_short(error)) from error


def _short(error: Exception) -> str:
    """What is wrong, for brackets: of an error with a text of its own its values (recipe: odd, known: ...)."""
    if not isinstance(error, UserError):
        return str(error)[:REASON_CHARS]
    return ", ".join(f"{name}: {value}" for name, value in error.text_args.items())[:REASON_CHARS]


def _parsed(data: Json) -> _Line:
    """A line from its JSON. Errors: ValueError, Invalid, NotFound (recipe)."""
    if not isinstance(data, dict):
        raise ValueError("no object")  # noqa: TRY004 - what a file holds is a value
    expected, settings = data.get("expected"), data.get("settings") or {}
    if not isinstance(expected, list) or not expected or not all(isinstance(each, str) for each in expected):
        raise ValueError("expected")
    if not isinstance(settings, dict):
        raise ValueError("settings")  # noqa: TRY004
    texts = {name: data.get(name) or "" for name in ("name", "message", "viewer", "recipe", "folder")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(name)  # noqa: TRY004
    chosen: dict[str, Setting] = {}
    for key, value in settings.items():
        if not isinstance(value, bool | int | float | str):
            raise ValueError(key)  # noqa: TRY004
        chosen[key] = value
    case = RecallCase(
        name=str(texts["name"]),
        folder=None,
        message=str(texts["message"]),
        viewer=str(texts["viewer"]),
        recipe=str(texts["recipe"]) or DEFAULT_RECIPE,
        settings=chosen,
    )
    recipe(case.recipe).resolved(chosen)
    if not storable(case.message).strip():
        raise ValueError("message")
    return _Line(case, str(texts["folder"]) or None, tuple(map(str, expected)))


def _found(reader: Reader, line: _Line) -> RecallCase | None:
    """The case with the folder and the memories of this library; None when one is not there or not alone."""
    folder = None if line.folder is None else reader.folder_named(line.folder)
    if line.folder is not None and folder is None:
        return None
    pk = None if folder is None else folder.pk
    found = reader.resolve(line.expected, pk)
    if any(len(found.get(each, ())) != 1 for each in line.expected):
        return None
    expected = tuple(found[each][0] for each in line.expected)
    return _checked(reader, replace(line.case, folder=pk, expected=expected))


def _key(case: RecallCase) -> tuple[object, ...]:
    return case.folder, case.message, case.viewer, case.recipe, frozenset(case.expected)
