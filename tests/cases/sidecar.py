"""Sidecars: what was done, the right behaviour, and the checks of one case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SUFFIX = ".case.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One sidecar. `input` is the file or directory that it names."""

    id: str
    kind: str
    input: Path
    checks: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the input, those that lie beside a database too."""
        if self.input.is_dir():
            return tuple(sorted(path for path in self.input.rglob("*") if path.is_file()))
        return tuple(sorted(self.input.parent.glob(self.input.name + "*")))

    def recipe(self) -> dict[str, Any] | None:
        """The recipe or scenario that the input is, instead of a file that a person would have."""
        if not self.input.name.endswith((".recipe.json", ".scenario.json")):
            return None
        found: dict[str, Any] = json.loads(self.input.read_text(encoding="utf-8"))
        return found


def find_cases(root: Path) -> Iterator[Case]:
    """All cases below a directory, by the path of their sidecars."""
    for sidecar in sorted(root.rglob(f"*{SUFFIX}")):
        data = json.loads(sidecar.read_text(encoding="utf-8"))
        yield Case(
            id=data["id"],
            kind=data["kind"],
            input=sidecar.parent / data["input_file"],
            checks=data.get("checks", {}),
        )
