"""Checks of kind `st_chat`: each key of a sidecar's `checks` has one function, whatever the case."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.domain.chat import chat_of, for_memory, is_notice
from core.domain.commands import CreateMemory, NewMemory
from core.domain.ids import TypeId
from core.domain.queries import MemoryRows
from core.domain.transfer import Format
from core.services.chat_floors import branch_of
from tests.cases.desk import digest
from tests.cases.library import CaseLibrary, Fault, case_library, equal, inputs
from tests.cases.sidecar import Case

Check = Callable[[CaseLibrary, Any], Fault]
HEALTHY = "healthy"


def check_chat(case: Case, work: Path) -> list[str] | None:
    """Faults of a case; None when there are none and one of its keys cannot be checked here."""
    if case.recipe() is not None:
        return None
    known = {key: expected for key, expected in case.checks.items() if key in CHECKS}
    with case_library(case, work) as found:
        if "deleted_existing" in case.checks:
            _import_healthy(found, work)
        found.take_all(inputs(case))
        faults = [fault for key, expected in known.items() if (fault := CHECKS[key](found, expected))]
        faults += found.general_faults()
        if found.errors and not any(key.startswith("error") for key in case.checks):
            faults.append(f"refused: {found.errors}")
    return faults if faults or known.keys() == case.checks.keys() else None


def _import_healthy(found: CaseLibrary, work: Path) -> None:
    """The healthy version of the same chat, with a memory, before the file of the case comes."""
    path = work / HEALTHY / found.case.input.name
    path.parent.mkdir()
    header = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}
    lines = [header] + [{"name": "艾琳", "is_user": False, "mes": f"第{i}层"} for i in range(30)]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    found.take(path)
    folder = found.results[-1].created_folder
    assert folder is not None
    found.library.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body="x", seq=3)))
    found.plans.clear()
    found.results.clear()


def _chats(found: CaseLibrary) -> list[Any]:
    return [folder for folder in found.folders() if "chat" in folder.extra]


def _messages(found: CaseLibrary, expected: Any) -> Fault:
    if isinstance(expected, Mapping):
        counts = {name: len(found.by_file[name].messages) for name in expected}
        return equal("messages", counts, expected)
    return equal("messages", found.count("messages"), expected)


def _warnings(found: CaseLibrary, expected: Any) -> Fault:
    kinds = found.warnings()
    single = sum(len(p.refs) or int(str(p.args.get("count", 1))) for p in kinds)
    return None if expected in (len(kinds), single) else f"warnings: {kinds}, expected {expected}"


def _bad_lines(found: CaseLibrary, expected: Any) -> Fault:
    lines = sorted(int(ref) for ref in found.refs("bad_line"))
    padded = sorted({*lines, *(int(ref) for ref in found.refs("nul_bytes"))})
    return None if expected in (lines, padded, len(lines)) else f"bad lines: {lines}, expected {expected}"


def _sha(found: CaseLibrary, expected: Any) -> Fault:
    return equal("sha256", digest(found.case.input), expected)


def _deleted(found: CaseLibrary, expected: Any) -> Fault:
    folder = _chats(found)[0]
    kept = len(found.messages(folder)), len(found.memories(folder)), folder.last_processed_seq
    live = all(m.deleted_at is None and m.status.value == "active" for m in found.memories(folder))
    return equal("kept", (kept, live), ((30 - expected, 1, -1), True))


def _persons(found: CaseLibrary, expected: Any) -> Fault:
    names = {plan.folders[0].character for plan in found.plans} | {
        name
        for plan in found.plans
        for name in plan.folders[0].extra["chat"]["members"]  # type: ignore[call-overload,index,union-attr]
    }
    return equal("persons", sorted(name for name in names if name), sorted(expected))


def _says(found: CaseLibrary, expected: Any) -> Fault:
    said = found.said().lower()
    wanted = expected if isinstance(expected, list) else [expected]
    missing = [words for words in wanted if words.lower() not in said]
    return f"does not say {missing}: {said}" if missing else None


def _dates(found: CaseLibrary, expected: Any) -> Fault:
    written = []
    for message, wanted in zip(found.messages(), expected, strict=False):
        time = message.sent_at
        if time is None:
            written.append(None)
            continue
        shown = time.replace(tzinfo=None).isoformat(
            timespec="milliseconds" if time.microsecond else "seconds"
        )
        zoned = "zone" not in message.extra
        written.append(f"{shown}Z" if zoned and str(wanted).endswith("Z") else shown)
    return equal("dates", written, expected)


def _texts(found: CaseLibrary, expected: Any) -> Fault:
    return equal("texts", [m.text for m in found.messages()][: len(expected)], expected)


def _memory_texts(found: CaseLibrary, expected: Any) -> Fault:
    return equal("texts for memory", [m.text for m in for_memory(found.messages())], expected)


def _forbidden(found: CaseLibrary, expected: Any) -> Fault:
    words = expected if isinstance(expected, list) else [expected]
    used = " ".join(m.text for m in for_memory(found.messages(), with_hidden=True))
    reached = [word for word in words if word in used or len(found.search(word))]
    return f"reached memory: {reached}" if reached else None


def _rows(found: CaseLibrary, expected: Any) -> Fault:
    messages = found.messages()
    in_order = [m.seq for m in messages] == list(range(len(messages)))
    return equal("rows", (len(messages), in_order), (expected, True))


def _hidden(found: CaseLibrary, expected: Any) -> Fault:
    return equal("hidden", [m.seq for m in found.messages() if m.hidden and not is_notice(m)], expected)


def _notices(found: CaseLibrary, expected: Any) -> Fault:
    return equal("notices", [m.seq for m in found.messages() if is_notice(m)], expected)


def _extracted(*, with_hidden: bool) -> Check:
    return lambda found, expected: equal(
        "extracted", [m.seq for m in for_memory(found.messages(), with_hidden=with_hidden)], expected
    )


def _rejected(found: CaseLibrary, expected: Any) -> Fault:
    return equal("rejected", len(found.refs("not_a_message")), expected)


def _roles(found: CaseLibrary, expected: Any) -> Fault:
    if isinstance(expected, Mapping):
        roles = {name: [m.role.value for m in found.by_file[name].messages] for name in expected}
        return equal("roles", roles, expected)
    used = [m.role.value for m in for_memory(found.messages())]
    whole = [m.role.value for m in found.messages()]
    return None if expected in (used, whole) else f"roles: {whole}, expected {expected}"


def _first_texts(found: CaseLibrary, expected: Any) -> Fault:
    texts = {name: next((m.text for m in found.by_file[name].messages if m.text), "") for name in expected}
    return equal("first texts", texts, expected)


def _preview(found: CaseLibrary, expected: Any) -> Fault:
    rows = found.library.engine.ask(MemoryRows(tuple(m.pk for m in found.memories())))
    longest = max([*(len(row.snippet) for row in rows), *(len(m.text) for m in found.messages())], default=0)
    return None if longest <= expected else f"{longest} characters in a cell"


def _cleaned(found: CaseLibrary, expected: Any) -> Fault:
    return equal("cleaned", found.count("messages.cleaned"), expected)


def _counted(name: str) -> Check:
    return lambda found, expected: equal(name, found.count(name), expected)


def _speakers(found: CaseLibrary, expected: Any) -> Fault:
    names = list(dict.fromkeys(m.name for m in found.messages() if m.name and not is_notice(m)))
    wanted = sorted(expected) if isinstance(expected, list) else expected
    return None if wanted in (sorted(names), len(names)) else f"speakers: {names}, expected {expected}"


def _stored(found: CaseLibrary, expected: Any) -> Fault:
    return equal("messages stored", len(found.messages()), expected)


def _chat_count(found: CaseLibrary, expected: Any) -> Fault:
    return equal("chats", len(_chats(found)), expected)


def _shared(found: CaseLibrary, expected: Any) -> Fault:
    return equal("shared", max((branch_of(folder)[1] for folder in _chats(found)), default=0), expected)


def _character(found: CaseLibrary, expected: Any) -> Fault:
    return equal("character", next((f.character for f in _chats(found)), None), expected)


def _user(found: CaseLibrary, expected: Any) -> Fault:
    return equal("user", next((chat_of(f).get("user") for f in _chats(found)), None), expected)


def _title(found: CaseLibrary, expected: Any) -> Fault:
    return equal("title", [f.name for f in _chats(found)][:1], [expected])


def _titles(found: CaseLibrary, expected: Any) -> Fault:
    return equal("titles", sorted(f.name for f in _chats(found)), sorted(expected))


def _group(found: CaseLibrary, expected: Any) -> Fault:
    return equal("header", all(chat_of(f).get("header") for f in _chats(found)), bool(expected))


def _formats(found: CaseLibrary, expected: Any) -> Fault:
    kinds = {plan.format for plan in found.plans}
    return None if kinds <= {Format.CHAT, Format.FOREIGN_CHAT} else f"formats: {kinds}"


def _ignored(_found: CaseLibrary, _expected: Any) -> Fault:
    return None


CHECKS: Mapping[str, Check] = {
    "messages": _messages,
    "warnings": _warnings,
    "bad_lines": _bad_lines,
    "source_sha256": _sha,
    "deleted_existing": _deleted,
    "persons": _persons,
    "warning_contains": _says,
    "message_contains": _says,
    "dates": _dates,
    "note": _ignored,
    "active_texts": _texts,
    "texts": _texts,
    "clean": _texts,
    "plain": _texts,
    "plain_texts": _texts,
    "memory_texts": _memory_texts,
    "forbidden_in_index": _forbidden,
    "forbidden": _forbidden,
    "index_excludes": _forbidden,
    "rows": _rows,
    "floors": _rows,
    "hidden": _hidden,
    "notice": _notices,
    "default_extract": _extracted(with_hidden=False),
    "with_hidden": _extracted(with_hidden=True),
    "rejected": _rejected,
    "roles": _roles,
    "first_texts": _first_texts,
    "preview_max_chars": _preview,
    "cleaned": _cleaned,
    "speakers": _speakers,
    "names": _speakers,
    "stored": _stored,
    "total_messages": _stored,
    "unique_messages": _stored,
    "distinct_messages": _stored,
    "chats": _chat_count,
    "shared": _shared,
    "shared_messages": _shared,
    "character": _character,
    "user": _user,
    "title": _title,
    "titles": _titles,
    "has_header": _group,
    "recognised": _formats,
    "new": _counted("new_floors"),
    "changed": _counted("changed_floors"),
    "removed": _counted("removed_floors"),
    "nodes": _counted("memories"),
    "edges": _counted("edges"),
}
