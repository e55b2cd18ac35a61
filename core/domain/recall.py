"""Recall and injection as values: what is asked, what was chosen and why, and the text for the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from core.domain.enums import Kind
from core.domain.ids import EdgePk, FolderPk, MemoryId, MemoryPk, TypeId
from core.domain.memory import TagSet

Setting = bool | int | float | str
"""Value of one recipe setting."""


class Scope(StrEnum):
    """Where recall looks."""

    FOLDER = "folder"
    ALSO_READS = "also_reads"
    CHOSEN = "chosen"
    LIBRARY = "library"


class RecallMode(StrEnum):
    """Preview touches nothing at all; commit counts activations and reinforcement and is kept as a run."""

    PREVIEW = "preview"
    COMMIT = "commit"


class Layout(StrEnum):
    """How the injection text is made (DESIGN §5, the issue's layouts)."""

    TABLES = "tables"
    BUDGETED = "budgeted"
    BOOKU = "booku"


class Stage(StrEnum):
    """Stages through which a memory passes, in order. A memory that is not selected was dropped at one."""

    SCOPE = "scope"
    STATUS = "status"
    LAYER = "layer"
    FLOOR = "floor"
    VISIBILITY = "visibility"
    CANDIDATES = "candidates"
    SCORE = "score"
    RERANK = "rerank"
    DIVERSITY = "diversity"
    LIMIT = "limit"
    SCENE = "scene"
    FLASHBACK = "flashback"
    BUDGET = "budget"
    SELECTED = "selected"


class Source(StrEnum):
    """By what a candidate came in."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    ANCHOR = "anchor"
    CROSS = "cross"
    DIFFUSION = "diffusion"
    TAGS = "tags"
    SCENE = "scene"
    FLASHBACK = "flashback"
    ALL = "all"
    CORE = "core"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """One recall. `viewer` None = the folder's character, "" = nobody in particular (sees everything).

    `settings` override the recipe's (see core.domain.recipes); `top_k`, `budget_tokens` None = the
    recipe's. `as_of_seq`: only what was known at that floor. `seed` makes chance repeatable.
    """

    message: str
    context: tuple[str, ...] = ()
    folder: FolderPk | None = None
    scope: Scope = Scope.ALSO_READS
    chosen: frozenset[FolderPk] = frozenset()
    viewer: str | None = None
    as_of_seq: int | None = None
    recipe: str = "blend"
    settings: Mapping[str, Setting] = field(default_factory=dict)
    tags: TagSet = field(default_factory=TagSet)
    include_archived: bool = False
    include_knowledge: bool = True
    top_k: int | None = None
    budget_tokens: int | None = None
    layout: Layout | None = None
    mode: RecallMode = RecallMode.PREVIEW
    caller: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop of energy: from `memory` over `edge` (None = a seed, a time neighbour or a hub)."""

    memory: MemoryPk
    edge: EdgePk | None
    energy: float
    via: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A memory with its numbers. `parts` are the contributions that add up to `score` before the
    decay factor (keys: lexical, vector, graph, importance, tags ...; `decay` is the factor).

    `ranks`: place (from 1) after each stage it passed. `stage`, `number`, `threshold` say where a
    memory that is not selected was dropped, with what value against which limit.
    """

    pk: MemoryPk
    id: MemoryId
    type: TypeId
    title: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    source: Source = Source.LEXICAL
    path: tuple[PathStep, ...] = ()
    ranks: Mapping[Stage, int] = field(default_factory=dict)
    stage: Stage = Stage.SELECTED
    number: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class StageCount:
    """How many memories entered and left a stage, and how long it took."""

    stage: Stage
    entered: int
    left: int
    took_ms: float


class Remedy(StrEnum):
    """The smallest change of the request that would bring a memory in."""

    WIDEN_SCOPE = "widen_scope"
    INCLUDE_ARCHIVED = "include_archived"
    INCLUDE_KNOWLEDGE = "include_knowledge"
    RESTORE = "restore"
    LATER_FLOOR = "later_floor"
    CHANGE_VIEWER = "change_viewer"
    ADD_ALIAS = "add_alias"
    RAISE_TOP_K = "raise_top_k"
    LOWER_DIVERSITY = "lower_diversity"
    RAISE_BUDGET = "raise_budget"
    LOWER_CUTOFF = "lower_cutoff"
    MERGE_TWIN = "merge_twin"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNotAnswer:
    """Why a memory is or is not in the result. `value` = what to set for the remedy (e.g. top_k 14)."""

    recalled: Recalled
    selected: bool
    core: bool = False
    remedy: Remedy | None = None
    value: float | str | None = None
    twin: MemoryPk | None = None


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Characters `start`..`end` (end excluded) of the injection text that one memory gave."""

    start: int
    end: int
    memory: MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedMemory:
    """A memory inside a section: its tokens, and whether its text was cut to fit."""

    memory: MemoryPk
    tokens: int
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSection:
    """A section of the text with its share of the budget. `left_out` did not fit."""

    name: str
    tokens: int
    budget: int | None = None
    memories: tuple[InjectedMemory, ...] = ()
    left_out: tuple[MemoryPk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedLine:
    """One memory as it would stand in the prompt, uncut. `whole`: its tokens with the headings that it needs alone.

    `family`: by which they were counted; the estimate where the recipe's own was not at hand (`exact` false).
    """

    text: str
    tokens: int
    whole: int
    family: str
    recipe: str
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The text for the prompt. `position`, `depth` and `role` say where the host should put it."""

    text: str
    layout: Layout
    sections: tuple[InjectionSection, ...] = ()
    spans: tuple[LineSpan, ...] = ()
    tokens: int = 0
    token_family: str = ""
    budget: int | None = None
    position: str = "atDepth"
    depth: int = 4
    role: str = "system"


@dataclass(frozen=True, slots=True)
class RecallNote:
    """Something the person should know of this run (text key and arguments), e.g. vectors missing."""

    key: str
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """What a recall chose. `selected` by score, `core` always injected, `left_out` the best dropped."""

    request: RecallRequest
    selected: tuple[Recalled, ...]
    core: tuple[MemoryPk, ...]
    left_out: tuple[Recalled, ...]
    stages: tuple[StageCount, ...]
    injection: Injection
    logic_depth: float | None = None
    resonance: bool | None = None
    beta: float | None = None
    notes: tuple[RecallNote, ...] = ()
    took_ms: float = 0.0
    run: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRun:
    """A run that was handed out, as kept in the library."""

    pk: int
    at: datetime
    folder: FolderPk | None
    viewer: str
    message: str
    recipe: str
    selected: tuple[MemoryPk, ...]
    scores: tuple[float, ...]
    injection: str
    tokens: int
    mode: RecallMode
    caller: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCase:
    """A saved expectation: this message should recall these memories. `folder` None = the whole library."""

    KIND: ClassVar[Kind] = Kind.RECALL_CASE

    pk: int = 0
    name: str
    folder: FolderPk | None
    message: str
    viewer: str = ""
    recipe: str = "blend"
    settings: Mapping[str, Setting] = field(default_factory=dict)
    expected: tuple[MemoryPk, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """How one saved case went: ranks (from 1, None = not recalled) of its expected memories.

    `passed`: all of them were recalled. `before`: whether it passed in the run before, None = it was not in it.
    """

    case: RecallCase
    ranks: tuple[int | None, ...]
    passed: bool
    before: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All saved cases: recall@1, @5, @10 and mean reciprocal rank of the first expected one, as shares.

    `previous`: the figures of the run before (keys as in `figures`), empty when there was none.
    """

    outcomes: tuple[CaseOutcome, ...]
    recall_at: Mapping[int, float]
    mrr: float
    previous: Mapping[str, float] = field(default_factory=dict)
    previous_at: datetime | None = None

    @property
    def passed(self) -> int:
        """How many cases are green."""
        return sum(outcome.passed for outcome in self.outcomes)

    @property
    def figures(self) -> Mapping[str, float]:
        """The figures by name."""
        return {**{f"recall@{limit}": value for limit, value in self.recall_at.items()}, "mrr": self.mrr}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEvaluation:
    """An evaluation as kept: its figures, and which cases passed."""

    at: datetime
    folder: FolderPk | None
    figures: Mapping[str, float]
    passed: Mapping[int, bool]
