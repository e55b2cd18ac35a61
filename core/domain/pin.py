"""A memory pinned in the graph's picture by a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.enums import Kind
from core.domain.ids import MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Where a memory was put by hand. `place` names the picture (core.domain.graph.place_key)."""

    KIND: ClassVar[Kind] = Kind.PIN

    pk: int = 0
    place: str
    memory: MemoryPk
    x: float
    y: float
