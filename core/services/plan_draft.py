"""A plan while it is being compared with the library: counts and problems grow."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from core.domain.folder import Folder
from core.domain.json_types import Json
from core.domain.results import Problem
from core.domain.transfer import ImportPlan, PlannedFolder

INFO = "info"
_SEPARATELY = 3
"""So many chats of a file are named one by one."""
_NAMED = 5
_TOGETHER: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "import.problem.already_there": ("import.problem.chats_there", ()),
    "import.problem.chat_grown": ("import.problem.chats_grown", ("added",)),
    "import.problem.floors_changed": (
        "import.problem.chats_changed",
        ("changed", "removed", "moved", "added"),
    ),
    "import.problem.memories_of_changed_floors": (
        "import.problem.memories_of_changed_floors",
        ("count",),
    ),
}
"""What is said of many chats of one file: its key, and the numbers that add up."""


def stem_of(folder: Folder | PlannedFolder) -> str:
    """The name of the file that a folder came from, without its ending."""
    file = folder.origin.get("file")
    return PurePath(file).stem if isinstance(file, str) else ""


def same_name(one: str, other: str) -> bool:
    return bool(one) and _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@dataclass(slots=True)
class PlanDraft:
    """A plan as it grows."""

    counts: dict[str, int]
    problems: list[Problem]
    confirm: bool

    @classmethod
    def of(cls, plan: ImportPlan) -> PlanDraft:
        """What the file alone gave."""
        return cls(dict(plan.counts), list(plan.problems), plan.needs_confirmation)

    def note(self, key: str, *refs: str, severity: str = "warning", **args: Json) -> None:
        self.problems.append(Problem(f"import.problem.{key}", args, severity, refs))

    def take_off(self, name: str, number: int) -> None:
        self.counts[name] = max(0, self.counts.get(name, 0) - number)

    def count(self, name: str, number: int) -> None:
        if number:
            self.counts[name] = self.counts.get(name, 0) + number


def told_together(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The problems, those of a kind that many chats of one file have as one."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.key, []).append(problem)
    told: list[Problem] = []
    for key, group in kinds.items():
        many = key in _TOGETHER and len(group) > _SEPARATELY
        told += [_one_of(group, *_TOGETHER[key])] if many else group
    return tuple(told)


def _one_of(group: Sequence[Problem], key: str, summed: tuple[str, ...]) -> Problem:
    folders = [str(each.args["folder"]) for each in group if "folder" in each.args]
    shown = ", ".join(folders[:_NAMED]) + (" …" if len(folders) > _NAMED else "")
    args: dict[str, Json] = {"count": len(group), "folders": shown}
    for name in summed:
        args[name] = sum(number for each in group if isinstance(number := each.args.get(name), int))
    refs = tuple(ref for each in group for ref in each.refs)
    return Problem(key, args, group[0].severity, refs)
