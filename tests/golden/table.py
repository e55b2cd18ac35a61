"""The one table from the function name of a vector to what runs it, and what a case is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEFAULT_TOLERANCE = 1e-9

Inputs = Mapping[str, Any]
Run = Callable[[Inputs], Any]
Shape = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Golden:
    """What runs a vector: `run` gets its inputs; `shape` brings expected and actual value to comparable form."""

    run: Run
    shape: Shape = field(default=lambda value: value)


@dataclass(frozen=True, slots=True)
class Case:
    """One vector of a file."""

    file: Path
    id: str
    function: str
    inputs: Inputs
    expected: Any
    note: str = ""
    tolerance: float = DEFAULT_TOLERANCE

    @property
    def name(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}:{self.id}"


TABLE: dict[str, Golden] = {}


def golden(name: str, *, shape: Shape | None = None) -> Callable[[Run], Run]:
    """Enter the decorated adapter into the table under the vector's function name."""

    def enter(run: Run) -> Run:
        if name in TABLE:
            raise ValueError(f"{name} is in the table already")
        TABLE[name] = Golden(run) if shape is None else Golden(run, shape)
        return run

    return enter


def load(file: Path) -> Iterator[Case]:
    """The cases of a vector file of either shape (`cases`, or `scenarios` whose steps are run as one case).

    A file with neither holds no vectors. Errors: ValueError when it is not JSON.
    """
    data = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        return
    tolerance = float(data.get("tolerance", DEFAULT_TOLERANCE))
    suite = str(data.get("suite") or file.stem)
    for number, raw in enumerate(data.get("cases") or []):
        yield Case(
            file=file,
            id=str(raw.get("id", number)),
            function=str(raw.get("function") or suite),
            inputs=raw.get("inputs") or {},
            expected=raw.get("expected"),
            note=str(raw.get("note") or ""),
            tolerance=float(raw.get("tolerance", tolerance)),
        )
    for number, raw in enumerate(data.get("scenarios") or []):
        steps = raw.get("steps") or []
        yield Case(
            file=file,
            id=str(raw.get("id") or raw.get("name") or number),
            function=str(raw.get("function") or raw.get("name") or suite),
            inputs=raw,
            expected=[step.get("expected") for step in steps],
            note=str(raw.get("note") or ""),
            tolerance=float(raw.get("tolerance", tolerance)),
        )


def find_cases(root: Path) -> list[Case]:
    """All cases of the vector files at or below a path, by file name."""
    files = [root] if root.is_file() else sorted(root.rglob("*.json"))
    return [case for file in files for case in load(file)]
