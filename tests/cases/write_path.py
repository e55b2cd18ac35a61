"""Scenarios of the write path: what a model says of new facts, corrections, and properties that do not agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.domain.commands import EditMemory
from core.domain.enums import Status
from core.domain.memory import Memory
from core.domain.proposal import ChangePart, CreatePart
from core.domain.queries_extract import Reach
from core.domain.queries_history import VersionsOf
from tests.extract.desk import ExtractDesk, turns
from tests.fakes.model import ScriptedModel


@contextmanager
def _desk(work: Path) -> Iterator[ExtractDesk]:
    desk = ExtractDesk(work / "library")
    try:
        yield desk
    finally:
        desk.engine.close()


def _differs(name: str, found: object, wanted: object) -> list[str]:
    return [] if found == wanted else [f"{name}: {found!r} instead of {wanted!r}"]


def _bodies(memories: Sequence[Memory], status: Status) -> list[str]:
    return [memory.body for memory in memories if memory.status is status]


def contradiction(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A new fact against an old one: the old one ends, linked to the new one, and nothing is lost."""
    with _desk(work) as desk:
        chat = desk.chat((), extract__force_update=False, extract__conflict_check=False)
        for at, text in enumerate(scenario["adds"]):
            old = [memory.pk for memory in desk.all_of(chat)]
            said = [{**each, "id": f"M{old[int(each['id'])]}"} for each in scenario["llm_says"] if at and old]
            desk.add_floors(chat, turns("嗯", text))
            desk.chosen = ScriptedModel([{"facts": [text], "memory": said}])
            desk.apply(desk.extract(chat, Reach.ALL).proposal)
        memories = desk.all_of(chat)
        with desk.store.read() as reader:
            linked = {(edge.source, edge.target) for edge in reader.edges_in(chat)}
        faults = _differs("active", _bodies(memories, Status.ACTIVE), checks["active"])
        faults += _differs("superseded", _bodies(memories, Status.ARCHIVED), checks["superseded"])
        by_text = {memory.body: memory.pk for memory in memories}
        for new, gone in zip(checks["active"], checks["superseded"], strict=True):
            if (by_text.get(new), by_text.get(gone)) not in linked:
                faults.append(f"{gone!r} does not hang on {new!r}")
        return faults


def prompt_leak(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """Each answer in a chat of its own: what is stored, and what waits for a person."""
    faults: list[str] = []
    with _desk(work) as desk:
        for number, answer in enumerate(scenario["answers"], start=1):
            chat = desk.chat(
                turns("你好", "你好，请多关照。"), name=f"chats/{number}", extract__force_update=False
            )
            for text in scenario["old_memories"]:
                desk.memory(chat, body=text)
            before = len(desk.all_of(chat))
            desk.chosen = ScriptedModel([answer])
            report = desk.extract(chat, Reach.ALL)
            candidates = [part for part in desk.parts(report.proposal) if isinstance(part, CreatePart)]
            if f"review_{number}" in checks:
                faults += _differs(f"review_{number}", len(candidates), checks[f"review_{number}"])
            if f"stored_{number}" in checks:
                desk.apply(report.proposal)
                stored = len(desk.all_of(chat)) - before
                faults += _differs(f"stored_{number}", stored, checks[f"stored_{number}"])
    return faults


def correction(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A corrected text: one memory, the old text in its history, and the way back."""
    with _desk(work) as desk:
        folder = desk.folder()
        pk = desk.memory(folder, body=scenario["old"])
        desk.run(EditMemory(memory=pk, body=scenario["new"]))
        desk.embed_all()
        active = _bodies(desk.all_of(folder), Status.ACTIVE)
        versions = [each for each in desk.ask(VersionsOf(pk)) if each.before.get("body") == scenario["old"]]
        faults = _differs("active", len(active), checks["active"])
        faults += _differs("active_text", active[0], checks["active_text"])
        faults += _differs("history", len(versions), checks["history"])
        faults += _differs("recalled once", desk.selected(scenario["old"], folder), [pk])
        desk.undo()
        return faults + _differs("the way back", desk.get(pk).body, scenario["old"])


def property_conflict(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """The same thing named twice: a change that shows what does not agree; nothing is lost or written silently."""
    with _desk(work) as desk:
        first, second = dict(scenario["first"]), dict(scenario["second"])
        chat = desk.chat((), extract__force_update=False, extract__conflict_check=False)
        report = None
        for fields in (first, second):
            desk.add_floors(chat, turns("嗯", " ".join(f"{key} {value}" for key, value in fields.items())))
            operation = {"action": "create", "type": "character", "fields": fields}
            desk.chosen = ScriptedModel([{"operations": [operation]}])
            report = desk.extract(chat, Reach.ALL)
            if fields is first:
                desk.apply(report.proposal)
        assert report is not None
        view = desk.view(report.proposal)
        changes = [part for part in view.parts if isinstance(part.part, ChangePart)]
        shown = [change.name for part in changes for change in part.changes if change.before is not None]
        faults = _differs("conflicts", shown, checks["conflicts"])
        (before,) = (m for m in desk.all_of(chat) if m.type == "character")
        faults += _differs("untouched", before.fields.get("weight"), first.get("weight"))
        desk.apply(report.proposal)
        (after,) = (m for m in desk.all_of(chat) if m.type == "character")
        faults += _differs("capacity", after.fields.get("capacity"), checks["capacity"])
        kept = [each for each in desk.ask(VersionsOf(after.pk)) if "fields" in each.before]
        return faults if kept else [*faults, "the old value is not in the history"]
