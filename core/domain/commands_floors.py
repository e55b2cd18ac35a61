"""Commands about memories and the floors that they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.ids import MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkLookedAt(Command):
    """Take the mark off memories whose floors were changed or removed since: a person looked at them.

    They stay as they are. Memories without the mark are left alone. Errors: NotFound.
    """

    LABEL: ClassVar[str] = "op.memory.looked_at"
    memories: tuple[MemoryPk, ...]
