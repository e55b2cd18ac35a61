"""Commands about chats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.ids import FolderPk


@dataclass(frozen=True, slots=True)
class MoveChatPointer(Command):
    """Say up to which floor a chat counts as processed; -1 = from the start again.

    Errors: NotFound; Invalid below -1 or behind the chat's last floor.
    """

    LABEL: ClassVar[str] = "op.chat.pointer"
    folder: FolderPk
    seq: int
