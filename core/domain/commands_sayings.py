"""Commands on what memories say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.ids import MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOldTexts(Command):
    """What others say of these memories' former texts is right as it is: it is not said again, until the next edit.

    Errors: NotFound.
    """

    LABEL: ClassVar[str] = "op.memory.keep_old_texts"
    memories: tuple[MemoryPk, ...]
