"""The extraction set: 30 pieces of chats with the operations that a careful reader expects, and how runs are scored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.algos.js_values import text as shown_text
from core.algos.lexical import fold
from core.domain.proposal import ChangePart, CreatePart, PartView

PIECES = Path(__file__).parents[1] / "data" / "extraction" / "pieces.jsonl"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a chat. `known`: memories that are there before it; `expected`: operations with words they must hold."""

    id: str
    language: str
    messages: tuple[tuple[str, str], ...]
    known: tuple[Mapping[str, Any], ...]
    expected: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Sums over pieces: operations that were made, of which were expected; expected ones, of which were made."""

    made: int = 0
    right: int = 0
    expected: int = 0
    found: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.made + other.made,
            self.right + other.right,
            self.expected + other.expected,
            self.found + other.found,
        )

    @property
    def precision(self) -> float:
        """Share of what was made that was expected, in per cent."""
        return 100 * self.right / self.made if self.made else 100.0

    @property
    def recall(self) -> float:
        """Share of what was expected that was made, in per cent."""
        return 100 * self.found / self.expected if self.expected else 100.0


def pieces() -> Iterator[Piece]:
    """All pieces."""
    for line in PIECES.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        yield Piece(
            data["id"],
            data["language"],
            tuple((role, text) for role, text in data["messages"]),
            tuple(data["known"]),
            tuple(data["expected"]),
        )


def score(piece: Piece, parts: Sequence[PartView]) -> Score:
    """Ticked creates and changes against what is expected; each counts once."""
    made = [view for view in parts if view.part.ticked and isinstance(view.part, CreatePart | ChangePart)]
    open_ones = list(piece.expected)
    right = 0
    for view in made:
        match = next((each for each in open_ones if _fits(each, view)), None)
        if match is not None:
            open_ones.remove(match)
            right += 1
    return Score(len(made), right, len(piece.expected), len(piece.expected) - len(open_ones))


def _fits(expected: Mapping[str, Any], view: PartView) -> bool:
    part = view.part
    said = fold(" ".join([view.title, *(shown_text(change.after) for change in view.changes)]))
    words = all(fold(word) in said for word in expected["words"])
    if expected["action"] == "update":
        changes = isinstance(part, ChangePart) or view.becomes_change
        return changes and fold(expected["title"]) == fold(view.title) and words
    new = isinstance(part, CreatePart) and not view.becomes_change
    return new and view.type == expected["type"] and words
