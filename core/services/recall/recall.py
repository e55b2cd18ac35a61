"""Recall: what the next prompt would get for a message, and why (core.domain.recall)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from core.domain.embedding_text import embedded_text
from core.domain.errors import NotFound, Unavailable
from core.domain.folder import Folder
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.recall import (
    InjectedLine,
    Injection,
    Recalled,
    RecallMode,
    RecallNote,
    RecallRequest,
    RecallResult,
    RecallRun,
    Scope,
    Source,
    Stage,
)
from core.domain.recipes import Recipe, RecipeValues, Runner, recipe
from core.ports.clock import Clock, system_clock
from core.ports.language_model import LanguageModel
from core.ports.progress import CancelToken
from core.ports.recall_store import Folders, HandedOut, RecallStore
from core.ports.store import Store
from core.ports.token_counter import TokenCounters, TokenFamily
from core.services.chat_floors import branch_of
from core.services.lookup import memory_of
from core.services.recall import blend, booku, stbme
from core.services.recall.corpus_cache import CorpusCache
from core.services.recall.evidence import FindEmbedder
from core.services.recall.frame import Frame, Tools
from core.services.recall.injecting import Injector, core_rows
from core.services.recall.one_line import OneLine
from core.services.recall.one_thread import one_thread
from core.services.recall.settings import values_of
from core.services.recall.stages import best_first, seeded
from core.services.recall.state import ScopeStates
from core.services.recall.trace import STAGES, Trace

SHOWN_LEFT_OUT = 50
"""So many of the best that were dropped are part of a result; any other is told on demand (WhyNot)."""
MODEL_TEXT_CHARS = 400
STBME_KEY = "stbme"
"""Where a folder keeps what its ST-BME file had at its top level."""
_SCORED = frozenset({Stage.SCORE, Stage.RERANK, Stage.DIVERSITY, Stage.LIMIT, Stage.SCENE, Stage.BUDGET})


@dataclass(slots=True, kw_only=True)
class Run:
    """A recall that is done, with everything that can be asked about it."""

    frame: Frame
    folders: Folders
    order: list[int]
    injection: Injection
    numbers: booku.Numbers
    took_ms: float

    @property
    def selected(self) -> list[int]:
        """Rows that are handed out, by score; in the recipe's own order where that is asked for."""
        trace = self.frame.trace
        kept = [row for row in self.order if trace.left[row]]
        in_order = self.frame.recipe.id == "stbme-compat" or self.frame.values.text("order") == "residual"
        return kept if in_order else best_first(trace.scores, kept)


@dataclass(slots=True)
class RecallService:
    """Recall over one library. Calls may come from any thread.

    `embedder` and `model` are asked at each run and may give None; `chance` gives the random numbers of a run.
    """

    store: Store
    reads: RecallStore
    counters: TokenCounters
    embedder: FindEmbedder = lambda: None
    model: Callable[[], LanguageModel | None] = lambda: None
    language: Callable[[], str] = lambda: "en"
    clock: Clock = system_clock
    chance: Callable[[RecallRequest], random.Random] = lambda request: seeded(request.seed, request.message)
    _corpora: CorpusCache = field(init=False)
    _states: ScopeStates = field(init=False)
    _flashed: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._corpora = CorpusCache(self.reads)
        self._states = ScopeStates(self.reads, self.embedder)

    # --- asking --------------------------------------------------------------------------

    def recall(self, request: RecallRequest, cancel: CancelToken | None = None) -> RecallResult:
        """See core.domain.queries.Recall. Errors: NotFound, Invalid, Cancelled."""
        run = self.run(request, cancel)
        if self._is_off(request):
            return _handing_out_nothing(_result(run, None))
        kept = self._hand_out(run) if request.mode is RecallMode.COMMIT else None
        return _result(run, kept)

    def _is_off(self, request: RecallRequest) -> bool:
        """Whether the folder is set to recall nothing (spec/STBME §6, recallEnabled)."""
        folder = self._folder(request.folder)
        return folder is not None and not FolderValues(folder.settings).flag("recall.enabled")

    def run(
        self,
        request: RecallRequest,
        cancel: CancelToken | None = None,
        names: Mapping[int, tuple[str, ...]] | None = None,
    ) -> Run:
        """A recall with its trace. `names`: names that memories (by pk) should be thought to bear besides."""
        started = time.perf_counter()
        chosen = recipe(request.recipe)
        values, repaired = values_of(chosen, request.settings)
        folder = self._folder(request.folder)
        folders = self._scope(request, folder)
        state = self._states.of(self._corpora.corpus(folders))
        state.try_again()
        corpus = state.corpus
        rows = corpus.rows_of(list(names or ()))
        trace = Trace.start(corpus)
        trace.notes += repaired
        frame = Frame(
            corpus=corpus,
            request=request,
            recipe=chosen,
            values=values,
            viewer=_viewer(request, values, folder),
            now=self.clock(),
            tools=Tools(store=self.reads, texts=self._texts, embedder=self.embedder, model=self.model),
            evidence=state.evidence,
            trace=trace,
            random=self.chance(request),
            cancel=cancel,
            names={
                int(row): each for row, each in zip(rows, (names or {}).values(), strict=True) if row >= 0
            },
            flashed=dict(self._flashed),
            shared=self._shared(request, folder),
            networks=state.networks,
        )
        frame.check()
        numbers = booku.Numbers()
        with one_thread():
            order = _recipe_run(chosen, frame, numbers)
        frame.check()
        injector = Injector(self.store, self.counters, self.language)
        injection = injector.run(frame, order, state.loaded, folders)
        took_ms = (time.perf_counter() - started) * 1000
        return Run(
            frame=frame, folders=folders, order=order, injection=injection, numbers=numbers, took_ms=took_ms
        )

    def prepare(self, folder: FolderPk | None, cancel: CancelToken | None = None) -> None:
        """See core.domain.queries_recall.PrepareRecall. Between the parts other threads have their turn."""
        request = RecallRequest(message="", folder=folder)
        values, _ = values_of(recipe(request.recipe), {})
        corpus = self._corpora.corpus(self._scope(request, self._folder(folder)))
        parts: tuple[Callable[[], object], ...] = (
            lambda: corpus.name_index,
            lambda: corpus.cast_index,
            lambda: corpus.edges,
            lambda: corpus.timeline(values.whole("session_gap_minutes")),
            self._read_vectors,
            lambda: self.counters.counter(TokenFamily(values.text("token_family"))).count(" "),
        )
        for part in parts:
            if cancel is not None:
                cancel.check()
            part()
            time.sleep(0)

    def _read_vectors(self) -> None:
        try:
            found = self.embedder()
        except Unavailable:
            return  # a recall says so
        if found is not None:
            found[1].size()

    def line_of(self, memory: MemoryPk, *, quick: bool = False) -> InjectedLine:
        """How a memory would stand in the prompt. Errors: NotFound."""
        with self.store.read() as reader:
            found, schema = memory_of(reader, memory), reader.schema()
        run = self.reads.last_run(found.folder)
        line = OneLine(schema, self.language(), self.clock())
        return line.of(found, "" if run is None else run.recipe, self.counters, quick=quick)

    def last_injection(self, folder: FolderPk | None) -> RecallRun | None:
        """What was last handed out for a folder by any door; else what its file says was recalled last."""
        kept = self.reads.last_run(folder)
        if kept is not None or folder is None:
            return kept
        found = self._folder(folder)
        named = found.extra.get(STBME_KEY) if found is not None else None
        ids = named.get("lastRecallResult") if isinstance(named, Mapping) else None
        if found is None or not isinstance(ids, Sequence) or isinstance(ids, str):
            return None
        names = [each for each in ids if isinstance(each, str)]
        with self.store.read() as reader:
            pks = reader.resolve(names, folder)
        return RecallRun(
            pk=0,
            at=found.created_at,
            folder=folder,
            viewer="",
            message="",
            recipe="stbme-compat",
            selected=tuple(pks[name][0] for name in names if pks.get(name)),
            scores=(),
            injection="",
            tokens=0,
            mode=RecallMode.COMMIT,
            caller="import",
        )

    # --- scope ---------------------------------------------------------------------------

    def _folder(self, pk: FolderPk | None) -> Folder | None:
        if pk is None:
            return None
        with self.store.read() as reader:
            found = reader.records(Folder, [pk])
        if not found:
            raise NotFound("error.folder.missing")
        return found[0]

    @staticmethod
    def _scope(request: RecallRequest, folder: Folder | None) -> Folders:
        match request.scope:
            case Scope.LIBRARY:
                return None
            case Scope.CHOSEN:
                return frozenset(request.chosen)
            case Scope.FOLDER:
                return None if folder is None else frozenset({folder.pk})
            case Scope.ALSO_READS:
                return None if folder is None else frozenset({folder.pk, *folder.also_reads})

    def _shared(self, request: RecallRequest, folder: Folder | None) -> Mapping[int, int]:
        """How many first floors of which chats are a branch's own past; only where it reads them by itself."""
        found: dict[int, int] = {}
        least = None
        while folder is not None and request.scope is Scope.ALSO_READS:
            parent, shared = branch_of(folder)
            if parent is None or parent in found or parent == request.folder:
                break
            least = shared if least is None else min(least, shared)
            found[parent] = least
            with self.store.read() as reader:
                folder = next(iter(reader.records(Folder, [parent])), None)
        return found

    def _texts(self, pks: Sequence[int]) -> dict[int, str]:
        """The text of memories as a model that chooses reads it."""
        with self.store.read() as reader:
            types = {item.id: item for item in reader.schema().types}
            records = reader.records(Memory, pks)
        return {
            memory.pk: embedded_text(memory, types.get(memory.type))[:MODEL_TEXT_CHARS] for memory in records
        }

    # --- handing out ---------------------------------------------------------------------

    def _hand_out(self, run: Run) -> int:
        """Keep the run and count it, outside the journal."""
        frame, rows = run.frame, run.selected
        pks = [MemoryPk(int(frame.corpus.pks[row])) for row in rows]
        sources = [frame.trace.recalled(row).source for row in rows]
        counted = [pk for pk, source in zip(pks, sources, strict=True) if source is not Source.FLASHBACK]
        for pk, source in zip(pks, sources, strict=True):
            if source is Source.FLASHBACK:
                self._flashed[pk] = frame.now_us
        kept = RecallRun(
            pk=0,
            at=frame.now,
            folder=frame.request.folder,
            viewer=frame.viewer,
            message=frame.request.message,
            recipe=frame.recipe.id,
            selected=tuple(pks),
            scores=tuple(float(frame.trace.scores[row]) for row in rows),
            injection=run.injection.text,
            tokens=run.injection.tokens,
            mode=frame.request.mode,
            caller=frame.request.caller,
        )
        reinforcement = frame.values.number("reinforcement")
        number = self.reads.keep(
            HandedOut(
                run=kept,
                activated=counted,
                injected=tuple(dict.fromkeys(span.memory for span in run.injection.spans)),
                reinforced=counted,
                reinforcement=reinforcement,
            )
        )
        self._corpora.counted(counted)
        return number


def _recipe_run(chosen: Recipe, frame: Frame, numbers: booku.Numbers) -> list[int]:
    match chosen.runner:
        case Runner.BLEND:
            return blend.run(frame)
        case Runner.BOOKU:
            return booku.run(frame, numbers)
        case Runner.STBME:
            return stbme.run(frame)


def _viewer(request: RecallRequest, values: RecipeValues, folder: Folder | None) -> str:
    """Who looks: as asked; else the folder's character where the recipe heeds visibility; "" = nobody."""
    if request.viewer is not None:
        return request.viewer.strip()
    return folder.character.strip() if folder is not None and values.flag("visibility") else ""


def _result(run: Run, kept: int | None) -> RecallResult:
    frame, trace = run.frame, run.frame.trace
    return RecallResult(
        request=frame.request,
        selected=tuple(trace.recalled(row) for row in run.selected),
        core=cast("tuple[MemoryPk, ...]", tuple(frame.corpus.pks[core_rows(frame)].tolist())),
        left_out=left_out(run),
        stages=tuple(trace.counts),
        injection=run.injection,
        logic_depth=run.numbers.logic_depth,
        resonance=run.numbers.resonance,
        beta=run.numbers.beta,
        notes=_each_once(trace.notes),
        took_ms=run.took_ms,
        run=kept,
    )


def _handing_out_nothing(result: RecallResult) -> RecallResult:
    """A preview shows what there would be; whoever asks for the next prompt gets nothing."""
    notes = (*result.notes, RecallNote("recall.note.folder_off"))
    if result.request.mode is not RecallMode.COMMIT:
        return replace(result, notes=notes)
    nothing = replace(result.injection, text="", sections=(), spans=(), tokens=0)
    return replace(result, notes=notes, selected=(), core=(), injection=nothing)


def left_out(run: Run) -> tuple[Recalled, ...]:
    """The best of those that were scored and dropped; nothing that was dropped before (hidden ones least of all)."""
    trace = run.frame.trace
    codes = [code for code, stage in enumerate(STAGES) if stage in _SCORED]
    rows = np.flatnonzero(np.isin(trace.stages, codes) & run.frame.usable)
    best = rows[np.argsort(-trace.scores[rows], kind="stable")][:SHOWN_LEFT_OUT]
    return tuple(trace.recalled(int(row)) for row in best)


def _each_once(notes: Sequence[RecallNote]) -> tuple[RecallNote, ...]:
    found: list[RecallNote] = []
    for note in notes:
        if note not in found:
            found.append(note)
    return tuple(found)
