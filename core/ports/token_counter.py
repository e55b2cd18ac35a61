"""What counts tokens the way a family of models does."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol


class TokenFamily(StrEnum):
    """How tokens are counted: ST-BME's estimate, or the vocabulary of a family of models."""

    ESTIMATE = "estimate"
    CL100K = "cl100k_base"
    O200K = "o200k_base"
    QWEN3 = "qwen3"
    LLAMA3 = "llama3"


class TokenCounter(Protocol):
    """Counts tokens of one family. Calls may come from any thread; vocabularies are loaded at first use."""

    @property
    def family(self) -> TokenFamily:
        """The family by which it counts."""

    def count(self, text: str) -> int:
        """Tokens of the text. Cost: O(n)."""

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""


class TokenCounters(Protocol):
    """Hands out the counter of a family."""

    def counter(self, family: TokenFamily) -> TokenCounter:
        """The counter of that family."""

    def ready(self, family: TokenFamily) -> bool:
        """Whether it counts at once; else its first count reads a vocabulary, which holds up all threads for long."""
