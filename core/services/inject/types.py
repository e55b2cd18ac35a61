"""What an injection is made from: the memories that recall chose, and how the text is to look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.domain.folder import Memo
from core.domain.memory import Memory, TagSet
from core.domain.recall import Layout
from core.domain.schema import Schema

DEFAULT_BUDGET_TOKENS = 2000
DEFAULT_DEPTH = 4
MAX_DEPTH = 9999


class Part(StrEnum):
    """Why a memory is in the prompt: it always is, or this message recalled it."""

    CORE = "core"
    RECALLED = "recalled"


class Position(StrEnum):
    """Where the host puts the text."""

    AT_DEPTH = "atDepth"
    BEFORE_PROMPT = "beforePrompt"
    IN_PROMPT = "inPrompt"


class PromptRole(StrEnum):
    """As whose message the host puts the text."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class InjectMemory:
    """A memory to be shown. `score` ranks it within its section (core ones by importance and floor)."""

    memory: Memory
    part: Part = Part.RECALLED
    score: float = 0.0
    tags: TagSet = field(default_factory=TagSet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """What comes into the text without being recalled (`gather` reads it).

    `memos` that have expired are not shown. `overview`: the memories used last, `titles`: documents that can be
    looked up (both layout `booku`). `streams`: how a chat stream of a memo is named, where known.
    """

    memos: tuple[Memo, ...] = ()
    overview: tuple[Memory, ...] = ()
    titles: tuple[str, ...] = ()
    streams: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectInput:
    """All that may come into the text.

    `memories`: those that are core first, then the recalled ones, each in the order in which layout `tables`
    shows them (layout `budgeted` ranks for itself). What the viewer may not know, what lies in the trash and what
    recall left out must not be among them. `now` decides how long memos still live.
    """

    memories: tuple[InjectMemory, ...]
    schema: Schema
    now: datetime
    extras: Extras = field(default_factory=Extras)


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectOptions:
    """How the text is to look. `budget_tokens` None = no limit; layout `tables` knows none.

    `shares` are parts of the budget by section (each layout has its own where absent); they need not add up to
    1. Position, depth and role are handed on as they are: they belong to the result.
    """

    layout: Layout = Layout.BUDGETED
    budget_tokens: int | None = DEFAULT_BUDGET_TOKENS
    language: str = "zh_CN"
    ids: bool = False
    position: Position = Position.AT_DEPTH
    depth: int = DEFAULT_DEPTH
    role: PromptRole = PromptRole.SYSTEM
    shares: Mapping[str, float] = field(default_factory=dict)

    def share_of(self, section: str, default: float) -> float:
        """The part of the budget that a section gets."""
        return max(0.0, self.shares.get(section, default))
