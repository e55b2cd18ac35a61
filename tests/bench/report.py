"""One measured figure, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure. `target` is what DESIGN promises ("<= 100", ">= 3000"), "" = none; `data_size` says on what."""

    name: str
    value: float
    unit: str
    target: str
    data_size: str

    @property
    def met(self) -> bool | None:
        """Whether the target is met, None where there is none."""
        if not self.target:
            return None
        sign, number = self.target.split()
        return self.value <= float(number) if sign == "<=" else self.value >= float(number)


def table(rows: Iterable[Row]) -> str:
    """The figures as aligned text, a missed target marked."""
    marks = {True: "ok", False: "MISSED", None: ""}
    lines = [
        f"{row.name:<58} {row.value:>10.1f} {row.unit:<6} {row.target:>9}  {marks[row.met]:<6}  {row.data_size}"
        for row in rows
    ]
    return "\n".join(lines)
