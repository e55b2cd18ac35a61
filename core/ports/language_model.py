"""What answers in words: a language model, or whoever stands in for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from core.domain.endpoints import ModelTask, Usage
from core.domain.json_types import JsonObject
from core.ports.progress import CancelToken


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a request; `role` is system, user or assistant."""

    role: str
    text: str


class LanguageModel(Protocol):
    """Completes a conversation. May be called from any thread."""

    @property
    def name(self) -> str:
        """Name of the model, for messages."""

    @property
    def used(self) -> Usage:
        """Tokens and cost of the calls through this object: make one for each op to count them apart."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,
        cancel: CancelToken | None = None,
    ) -> str:
        """The reply. With a schema the reply should be one object of it, but callers must read it with care.

        Errors: Unavailable("model"), Cancelled.
        """


ModelFor: TypeAlias = Callable[[ModelTask], LanguageModel | None]
"""The model chosen for a task, counting from zero; None = the program does the task by itself."""
