"""Checks of kind `lorebook_card`: each key of a sidecar's `checks` has one function, whatever the case."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.domain.commands import EditMemory, TrashMemories
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import Status
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.queries_transfer import ExportFolder, ReadFile
from core.domain.transfer import Format, ImportPlan
from tests.cases.library import CaseLibrary, Fault, case_library, equal, inputs
from tests.cases.sidecar import Case

Check = Callable[[CaseLibrary, Any], Fault]
NEW_TEXT = "改过"


def check_lore(case: Case, work: Path) -> list[str] | None:
    """Faults of a case; None when there are none and one of its keys cannot be checked here."""
    if case.recipe() is not None:
        return None
    known = {key: expected for key, expected in case.checks.items() if key in CHECKS}
    files = inputs(case)
    if "created" in case.checks:
        stem = case.input.stem.split("_")[0]
        files = sorted(path for path in case.input.parent.glob(f"{stem}_*") if path.suffix != ".json")
    with case_library(case, work) as found:
        around = {path for path in work.rglob("*") if path.is_file()}
        found.take_all(files)
        faults = [fault for key, expected in known.items() if (fault := CHECKS[key](found, expected))]
        faults += found.general_faults()
        faults += _escaped(work, around)
        if found.errors and not {"created", "errors", "error"} & case.checks.keys():
            faults.append(f"refused: {found.errors}")
    nested = all(set(value) <= FIELDS.keys() for value in case.checks.values() if isinstance(value, dict))
    whole = known.keys() == case.checks.keys() and (nested or "created" in case.checks)
    return faults if faults or whole else None


def _escaped(work: Path, before: set[Path]) -> list[str]:
    new = {path for path in work.rglob("*") if path.is_file()} - before
    return [str(path) for path in new if path.relative_to(work).parts[0] not in ("library", "out")]


# --- cards ---


def _characters(found: CaseLibrary) -> list[Memory]:
    return [memory for memory in found.memories() if memory.type == "character"]


def _entries(found: CaseLibrary) -> list[Memory]:
    return [memory for memory in found.memories() if "lorebook" in memory.extra]


def _name(found: CaseLibrary, expected: Any) -> Fault:
    return equal("name", [memory.title for memory in _characters(found)][:1], [expected])


def _second_name(found: CaseLibrary, expected: Any) -> Fault:
    return equal("name", [memory.title for memory in _characters(found)][1:2], [expected])


def _data(plan: ImportPlan) -> Mapping[str, Any]:
    raw: Any = plan.folders[0].extra["card"]
    card = raw["raw"]
    data: Mapping[str, Any] = card.get("data", card)
    return data


def _field(name: str) -> Check:
    return lambda found, expected: equal(name, _data(found.plans[0]).get(name), expected)


def _nickname(found: CaseLibrary, expected: Any) -> Fault:
    memory = _characters(found)[0]
    return equal("nickname", found.bundle(memory.folder).aliases.get(memory.pk), (expected,))


def _character_count(found: CaseLibrary, expected: Any) -> Fault:
    return equal("characters", len(_characters(found)), expected)


def _created(found: CaseLibrary, expected: Any) -> Fault:
    stem = found.case.input.stem.split("_")[0]
    by_name = {name.removeprefix(f"{stem}_"): plan for name, plan in found.by_file.items()}
    counts = {}
    for name in expected:
        key = next((known for known in by_name if known == name or known.startswith(name)), "")
        counts[name] = by_name[key].counts.get("characters", 0) if key else 0
    return equal("created", counts, expected)


# --- lorebooks ---


def _lorebooks(found: CaseLibrary, expected: Any) -> Fault:
    books = [folder for folder in found.folders() if "lorebook" in folder.extra]
    cards = [folder for folder in found.folders() if "card" in folder.extra]
    linked = all(any(book.pk in card.also_reads for book in books) for card in cards)
    return equal("lorebooks, all linked", (len(books), linked), (expected, True))


def _entry_count(found: CaseLibrary, expected: Any) -> Fault:
    return equal("entries", len(_entries(found)), expected)


def _again(found: CaseLibrary, expected: Any) -> Fault:
    before = len(found.memories()), len(found.folders())
    found.take_all(inputs(found.case))
    after = len(found.memories()), len(found.folders())
    return equal("added", (after[0] - before[0], after[1] - before[1]), (expected, 0))


def _field_diff(found: CaseLibrary, expected: Any) -> Fault:
    """After editing only the content, an export differs in so many fields; read again it says the same."""
    plan, first = found.plans[0], found.results[0].created_folder
    assert first is not None
    memory = _entries(found)[0]
    found.library.engine.run(EditMemory(memory=memory.pk, body=NEW_TEXT))
    target = plan.format if plan.format in (Format.CARD, Format.WORLDINFO) else Format.LOREBOOK
    written = _export(found, first, target)
    source = json.loads(found.case.input.read_text(encoding="utf-8"))
    old, new = _leaves(source), _leaves(written)
    differing = [key for key in old.keys() | new.keys() if old.get(key) != new.get(key)]
    return equal("fields that differ", (len(differing), list(old) == list(new)), (expected, True))


def _export(found: CaseLibrary, folder: FolderPk, target: Format) -> Any:
    path = found.library.files.root.parent / "out" / f"{target.value}.json"
    found.library.engine.ask(ExportFolder(folder=folder, format=target, path=path, overwrite=True))
    return json.loads(path.read_text(encoding="utf-8"))


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        return {k: v for key, item in value.items() for k, v in _leaves(item, f"{path}.{key}").items()}
    if isinstance(value, list) and value:
        return {
            k: v for index, item in enumerate(value) for k, v in _leaves(item, f"{path}[{index}]").items()
        }
    return {path: value}


def _reported(found: CaseLibrary, expected: Any) -> Fault:
    return equal("reported", len(found.refs("hostile_paths")), expected)


def _escaped_files(found: CaseLibrary, expected: Any) -> Fault:
    parent = found.case.input.parent
    outside = [parent.parent.parent / "evil.txt", parent / "evil.txt", Path("/abs.txt"), Path("evil.txt")]
    return equal("escaped", sum(path.exists() for path in outside), expected)


def _warnings(found: CaseLibrary, expected: Any) -> Fault:
    kinds = found.warnings()
    single = sum(len(p.refs) or 1 for p in kinds)
    return None if expected in (len(kinds), single) else f"warnings: {kinds}, expected {expected}"


def _says(found: CaseLibrary, expected: Any) -> Fault:
    said = found.said().lower()
    return None if str(expected).lower() in said else f"does not say {expected}: {said}"


# --- fields of entries, by the file they are in ---


def _raw(memory: Memory) -> Mapping[str, Any]:
    own: Any = memory.extra["lorebook"]
    entry: Mapping[str, Any] = own["entry"]
    return entry


def _keys(memories: list[Memory], found: CaseLibrary) -> list[list[str]]:
    return [list(found.bundle(m.folder).aliases.get(m.pk, ())) for m in memories]


FIELDS: Mapping[str, Callable[[list[Memory], CaseLibrary], Any]] = {
    "entries": lambda ms, _: len(ms),
    "orders": lambda ms, _: [_raw(m).get("insertion_order", _raw(m).get("order")) for m in ms],
    "active": lambda ms, _: [m.status is Status.ACTIVE for m in ms],
    "regex": lambda ms, _: bool(_raw(ms[0]).get("use_regex")),
    "id": lambda ms, _: ms[0].foreign_id,
    "ids": lambda ms, _: [m.foreign_id for m in ms],
    "keys": _keys,
    "constant": lambda ms, _: [m.layer.value == "inherent" for m in ms],
    "contents": lambda ms, _: [m.body for m in ms],
    "titles": lambda ms, _: [m.title for m in ms],
    "comments": lambda ms, _: [m.title for m in ms],
    "keys_missing": lambda ms, found: sum(not keys for keys in _keys(ms, found)),
}


def _by_file(name: str) -> Check:
    """Fields of the file whose name begins with (or contains) the key's."""

    def check(found: CaseLibrary, expected: Any) -> Fault:
        folders = {str(f.origin["file"]): f for f in found.folders() if "lorebook" in f.extra}
        folder = next((f for file, f in folders.items() if name in file), None)
        if folder is None:
            return f"no lorebook of {name} in {list(folders)}"
        memories = found.memories(folder)
        values = {key: FIELDS[key](memories, found) for key in expected if key in FIELDS}
        fault = equal(name, values, {key: expected[key] for key in values})
        return fault or (_delete_first(found, folder.pk, memories) if len(memories) > 1 else None)

    return check


def _delete_first(found: CaseLibrary, folder: FolderPk, memories: list[Memory]) -> Fault:
    """Without its first entry the book goes out with the others, and no hole."""
    found.library.engine.run(TrashMemories(memories=(memories[0].pk,)))
    book = _export(found, folder, Format.LOREBOOK)
    world = _export(found, folder, Format.WORLDINFO)
    found.library.engine.undo()
    entries = book.get("data", book)["entries"]
    left = len(memories) - 1
    sizes = len(entries), len(world["entries"]), None in entries
    return equal("after deleting the first", sizes, (left, left, False))


def _plain(name: str) -> Check:
    return lambda found, expected: equal(name, FIELDS[name](_entries(found), found), expected)


def _goes_out_equal(found: CaseLibrary, expected: Any) -> Fault:
    """Unchanged, the file goes out with the same content."""
    first, plan = found.results[0].created_folder, found.plans[0]
    assert first is not None
    written = _export(found, first, plan.format)
    source = json.loads(found.case.input.read_text(encoding="utf-8"))
    return equal("goes out equal", written == source, bool(expected))


def _survives(found: CaseLibrary, expected: Any) -> Fault:
    """What an export as World Info holds is read again with the same entries."""
    books = [folder for folder in found.folders() if "lorebook" in folder.extra]
    path = found.library.files.root.parent / "out" / "again.json"
    found.library.engine.ask(ExportFolder(folder=books[0].pk, format=Format.WORLDINFO, path=path))
    plan = found.library.engine.ask(ReadFile(path))
    found.library.engine.run(ApplyImport(plan))
    return equal("again", len(plan.memories) or plan.counts.get("already_there", 0), expected)


CHECKS: Mapping[str, Check] = {
    "name": _name,
    "second_name": _second_name,
    "second_file": lambda _found, _expected: None,
    "nickname": _nickname,
    "characters": _character_count,
    "first_mes": _field("first_mes"),
    "description": _field("description"),
    "greetings": lambda found, expected: equal(
        "greetings", len(_data(found.plans[0]).get("alternate_greetings", [])), expected
    ),
    "created": _created,
    "lorebooks": _lorebooks,
    "entries": _entry_count,
    "second_import_added": _again,
    "field_diff": _field_diff,
    "reported": _reported,
    "escaped_files": _escaped_files,
    "array": _by_file("array"),
    "v3": _by_file("v3"),
    "novelai": _by_file("novelai"),
    "agnai": _by_file("agnai"),
    "risu": _by_file("risu"),
    "warnings": _warnings,
    "warning_contains": _says,
    "roundtrip": _goes_out_equal,
    "reimported": _survives,
    **{name: _plain(name) for name in FIELDS if name != "entries"},
}
