"""Why a memory is or is not recalled, and the smallest change that brings it in.

A change is named only after a run with it has shown that it works: computed, not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.algos.function_words import content_words
from core.algos.lexical import fold, search_tokens
from core.domain.errors import NotFound
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.recall import Recalled, RecallMode, RecallRequest, Remedy, Scope, Source, Stage, WhyNotAnswer
from core.domain.recipes import Runner
from core.ports.progress import CancelToken
from core.services.recall.injecting import core_rows
from core.services.recall.recall import RecallService, Run

MOST_TOP_K = 100
"""A larger number of memories is no remedy."""
MOST_BUDGET = 1_000_000
_STEPS = 7
_NEAR = 1e-6
_SHORTEST_WORD = 3
_NO_NAME = frozenset("的了是在和与吗呢吧啊着过把被给让就都也不没很什么怎哪谁这那之所我你他她它们")
"""A pair of characters with one of these is torn out of two words, and no name to offer."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of the request (or a name more) that may bring the memory in."""

    remedy: Remedy
    value: float | str | None
    request: RecallRequest
    name: str = ""


class WhyNot:
    """Answers for one memory and one request."""

    def __init__(
        self,
        service: RecallService,
        request: RecallRequest,
        memory: MemoryPk,
        cancel: CancelToken | None = None,
    ) -> None:
        self._service = service
        self._request = replace(request, mode=RecallMode.PREVIEW)
        self._memory = memory
        self._cancel = cancel

    def answer(self) -> WhyNotAnswer:
        """See core.domain.queries.WhyNot. Errors: those of a recall, NotFound for an unknown memory."""
        run = self._service.run(self._request, self._cancel)
        row = _row(run, self._memory)
        if row < 0:
            return self._outside(run)
        recalled, core = run.frame.trace.recalled(row), row in core_rows(run.frame)
        if row in run.selected:
            return WhyNotAnswer(recalled=recalled, selected=True, core=core)
        if recalled.stage is Stage.SELECTED:  # no stage named it, so it was never looked at
            recalled = replace(recalled, stage=Stage.CANDIDATES)
        twin = run.frame.trace.twins.get(row)
        twin_pk = None if twin is None else MemoryPk(int(run.frame.corpus.pks[twin]))
        if twin in run.selected and self._is_double(recalled):
            found: _Change | None = _Change(Remedy.MERGE_TWIN, None, self._request)
        else:
            found = self._first_that_works(self._changes(run, row, recalled))
        return WhyNotAnswer(
            recalled=recalled,
            selected=False,
            core=core,
            remedy=None if found is None else found.remedy,
            value=None if found is None else found.value,
            twin=twin_pk,
        )

    def _outside(self, run: Run) -> WhyNotAnswer:
        """For a memory that is not in the scope at all."""
        with self._service.store.read() as reader:
            records = reader.records(Memory, [self._memory])
        if not records:
            raise NotFound("error.memory.missing", count=1)
        memory = records[0]
        trashed = memory.deleted_at is not None
        recalled = Recalled(
            pk=memory.pk,
            id=memory.id,
            type=memory.type,
            title=memory.title,
            score=0.0,
            source=Source.ALL,
            stage=Stage.STATUS if trashed else Stage.SCOPE,
        )
        if trashed:
            return WhyNotAnswer(recalled=recalled, selected=False, remedy=Remedy.RESTORE)
        wider = frozenset({*(run.folders or ()), memory.folder})
        request = replace(self._request, scope=Scope.CHOSEN, chosen=wider, viewer=run.frame.viewer)
        change = _Change(Remedy.WIDEN_SCOPE, float(memory.folder), request)
        works = self._works(change)
        return WhyNotAnswer(
            recalled=recalled,
            selected=False,
            remedy=change.remedy if works else None,
            value=change.value if works else None,
        )

    def _is_double(self, recalled: Recalled) -> bool:
        """Whether its likeness to the chosen one says that the two are one memory; merged, it is recalled."""
        pair = self._service.embedder()
        return pair is not None and (recalled.number or 0.0) >= pair[0].thresholds.duplicate

    # --- trying --------------------------------------------------------------------------

    def _first_that_works(self, changes: Iterator[_Change]) -> _Change | None:
        return next((change for change in changes if self._works(change)), None)

    def _works(self, change: _Change) -> bool:
        names: Mapping[int, tuple[str, ...]] = {self._memory: (change.name,)} if change.name else {}
        run = self._service.run(change.request, self._cancel, names)
        return _row(run, self._memory) in run.selected

    def _changes(self, run: Run, row: int, recalled: Recalled) -> Iterator[_Change]:
        """Changes to try for the stage that dropped the memory, the smallest first."""
        request, frame = self._request, run.frame
        match recalled.stage:
            case Stage.STATUS:
                yield _Change(Remedy.INCLUDE_ARCHIVED, None, _with(request, "include_archived"))
            case Stage.LAYER:
                yield _Change(Remedy.INCLUDE_KNOWLEDGE, None, _with(request, "include_knowledge"))
            case Stage.FLOOR:
                floor = int(frame.corpus.end_seq[row])
                yield _Change(Remedy.LATER_FLOOR, float(floor), replace(request, as_of_seq=floor))
            case Stage.VISIBILITY:
                for name in frame.corpus.audience_names[frame.corpus.audiences[row]]:
                    yield _Change(Remedy.CHANGE_VIEWER, name, replace(request, viewer=name))
            case Stage.SCORE:
                yield from self._lower_cutoffs(run, row)
            case Stage.DIVERSITY:
                yield from self._less_diverse(run, row)
            case Stage.BUDGET:
                yield from self._larger_budgets(run)
                return
            case _:
                pass
        if recalled.stage in {Stage.SCORE, Stage.LIMIT, Stage.SCENE, Stage.DIVERSITY, Stage.CANDIDATES}:
            yield from self._larger_limits(run, row, recalled)
            yield from self._names(run)

    def _larger_limits(self, run: Run, row: int, recalled: Recalled) -> Iterator[_Change]:
        """The rank itself as the limit; where other stages count too, a few more."""
        if run.frame.trace.scores[row] <= 0:
            return
        first = int(recalled.number or 0) if recalled.stage is Stage.LIMIT else run.frame.top_k + 1
        for extra in (0, 1, 3, 8, 20, 50):
            top_k = first + extra
            if run.frame.top_k < top_k <= MOST_TOP_K:
                yield _Change(Remedy.RAISE_TOP_K, float(top_k), replace(self._request, top_k=top_k))

    def _lower_cutoffs(self, run: Run, row: int) -> Iterator[_Change]:
        scores = run.frame.trace.scores
        best = float(scores[run.frame.usable].max(initial=0.0))
        if best > 0 and scores[row] > 0 and "cutoff" in run.frame.values.values:
            cutoff = max(0.0, float(scores[row]) / best - _NEAR)
            yield _Change(Remedy.LOWER_CUTOFF, cutoff, _set(self._request, "cutoff", cutoff))

    def _less_diverse(self, run: Run, row: int) -> Iterator[_Change]:
        """For Booku's recipe a higher limit of likeness; for ours a lower weight."""
        likeness, values = float(run.frame.trace.numbers[row]), run.frame.values.values
        if "dedup_threshold" in values and np.isfinite(likeness):
            limit = min(1.0, likeness + _NEAR)
            yield _Change(Remedy.LOWER_DIVERSITY, limit, _set(self._request, "dedup_threshold", limit))
        weight = run.frame.values.number("diversity")
        if "diversity" not in values:
            return
        for part in (0.5, 0.25, 0.1, 0.0):
            yield _Change(
                Remedy.LOWER_DIVERSITY, weight * part, _set(self._request, "diversity", weight * part)
            )

    def _larger_budgets(self, run: Run) -> Iterator[_Change]:
        """Doubled until it fits, then the smallest of a few between."""
        low = max(1, run.injection.budget or 1)
        high = low
        while high < MOST_BUDGET:
            high = min(MOST_BUDGET, 2 * high)
            if self._works(self._budget(high)):
                break
            low = high
        for _ in range(_STEPS):
            middle = (low + high) // 2
            if middle in {low, high}:
                break
            low, high = (low, middle) if self._works(self._budget(middle)) else (middle, high)
        yield self._budget(high)

    def _budget(self, tokens: int) -> _Change:
        return _Change(Remedy.RAISE_BUDGET, float(tokens), replace(self._request, budget_tokens=tokens))

    def _names(self, run: Run) -> Iterator[_Change]:
        """The rarest word of the message as another name of the memory, where the recipe knows other names."""
        word = _rarest_word(run) if run.frame.recipe.runner is Runner.BLEND else ""
        if word:
            yield _Change(Remedy.ADD_ALIAS, word, self._request, name=word)


def _row(run: Run, memory: MemoryPk) -> int:
    return int(run.frame.corpus.rows_of([memory])[0])


def _rarest_word(run: Run) -> str:
    """The word or pair of characters that the fewest memories hold; a name that some bear already is none."""
    evidence = run.frame.message
    taken = set(evidence.named(run.frame.usable))
    words = content_words(search_tokens(evidence.text))
    tokens = [token for token in dict.fromkeys(words) if token.isalnum()]
    long_enough = [token for token in tokens if len(token) >= (_SHORTEST_WORD if token.isascii() else 2)]
    free = [token for token in long_enough if token not in taken and _NO_NAME.isdisjoint(token)]
    known = {fold(text): at for at, text in enumerate(evidence.words.texts)}
    return min(free, key=lambda token: known.get(token, -1), default="")


def _with(request: RecallRequest, switch: str) -> RecallRequest:
    """The request with that switch on, wherever it was set."""
    settings = {key: value for key, value in request.settings.items() if key != switch}
    if switch == "include_archived":
        return replace(request, include_archived=True, settings=settings)
    return replace(request, include_knowledge=True, settings=settings)


def _set(request: RecallRequest, key: str, value: float) -> RecallRequest:
    return replace(request, settings={**request.settings, key: value})
