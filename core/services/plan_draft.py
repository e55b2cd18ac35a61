"""A plan while it is being compared with the library: counts and problems grow."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from pathlib import PurePath

from core.domain.folder import Folder
from core.domain.json_types import Json
from core.domain.results import Problem
from core.domain.transfer import ImportPlan, PlannedFolder

INFO = "info"


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

    def count(self, name: str, number: int) -> None:
        if number:
            self.counts[name] = self.counts.get(name, 0) + number
