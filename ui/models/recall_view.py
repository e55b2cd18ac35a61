"""A recall as the page shows it: the result with titles, relation names and who asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core.domain.api import Cancel, EngineApi
from core.domain.ids import EdgePk, MemoryPk
from core.domain.queries import Edges, LibrarySchema, MemoryRows
from core.domain.queries_recall import Recall
from core.domain.recall import Recalled, RecallRequest, RecallResult
from core.domain.results import EdgeView, MemoryRow
from core.domain.schema import Schema

SHOWN_CORE = 50
"""So many of the memories that are always injected are listed; a library can have thousands."""


@dataclass(frozen=True)
class RecallView:
    """A result with all that its words need: rows of every memory in it, relations of its paths, the schema."""

    result: RecallResult
    rows: Mapping[MemoryPk, MemoryRow] = field(default_factory=dict)
    edges: Mapping[EdgePk, EdgeView] = field(default_factory=dict)
    schema: Schema = field(default_factory=lambda: Schema((), ()))

    def title(self, pk: MemoryPk) -> str:
        """What a memory is called; "" when nothing is known of it any more."""
        row = self.rows.get(pk)
        return (row.title or row.snippet) if row is not None else ""

    @cached_property
    def in_text(self) -> frozenset[MemoryPk]:
        """Memories with a line in the injection text, recalled or always injected."""
        return frozenset(span.memory for span in self.result.injection.spans)

    @property
    def best(self) -> float:
        """The highest score, to which the bars are drawn."""
        scored = (*self.result.selected, *self.result.left_out)
        return max((recalled.score for recalled in scored), default=0.0)


def load_view(engine: EngineApi, request: RecallRequest, cancel: Cancel) -> RecallView:
    """Recall, and what the page needs to name it. Errors: those of Recall, Cancelled."""
    result = engine.ask(Recall(request), cancel=cancel)
    return name_parts(engine, result, cancel)


def name_parts(
    engine: EngineApi, result: RecallResult, cancel: Cancel, more: tuple[Recalled, ...] = ()
) -> RecallView:
    """The result with the names of everything in it. `more`: memories asked about besides."""
    told = (*result.selected, *result.left_out, *more)
    shown = [span.memory for span in result.injection.spans]
    pks = dict.fromkeys(
        [recalled.pk for recalled in told]
        + [step.memory for recalled in told for step in recalled.path]
        + list(result.core[:SHOWN_CORE])
        + shown
    )
    edges = dict.fromkeys(step.edge for recalled in told for step in recalled.path if step.edge is not None)
    cancel.check()
    rows = engine.ask(MemoryRows(tuple(pks)), cancel=cancel)
    views = engine.ask(Edges(tuple(edges)), cancel=cancel) if edges else ()
    return RecallView(
        result,
        {row.pk: row for row in rows},
        {view.edge.pk: view for view in views},
        engine.ask(LibrarySchema(), cancel=cancel),
    )
