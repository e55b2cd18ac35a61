"""From chosen rows to the text for the prompt: loads records, cuts a long core first, marks what did not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from core.domain.enums import Layer, Status
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory, TagSet
from core.domain.recall import Injection, InjectionSection, Layout, Stage
from core.domain.recipes import Runner
from core.ports.store import Store
from core.ports.token_counter import TokenCounters, TokenFamily
from core.services.inject import (
    Extras,
    InjectInput,
    InjectMemory,
    InjectOptions,
    Part,
    Position,
    PromptRole,
    build,
    gather,
)
from core.services.recall.corpus import LAYER_CODES, STATUS_CODES, Flags, Ints
from core.services.recall.frame import Frame
from core.services.recall.stages import only

MOST_BYTES_PER_TOKEN = 8
"""Running text of any script has fewer bytes a token; what of a type lies beyond so many is left out unread."""

_NONE: Ints = np.zeros(0, dtype=np.int64)

Loaded = dict[int, tuple[Memory, TagSet]]


@dataclass(frozen=True, slots=True)
class Injector:
    """Makes the injection of a run. `language` is asked at each run."""

    store: Store
    counters: TokenCounters
    language: Callable[[], str]

    def run(
        self, frame: Frame, order: Sequence[int], loaded: Loaded, folders: frozenset[FolderPk] | None
    ) -> Injection:
        """The text for the chosen rows and the core; recalled memories that do not fit are dropped in the trace."""
        options = self._options(frame)
        core, unread = core_rows(frame), _NONE
        if options.layout is Layout.TABLES:
            known = set(core.tolist())
            shown = _newest_first(frame, [row for row in order if row not in known]).tolist()
        else:
            shown = list(order)
            read = _that_may_fit(frame, core[~np.isin(core, order)], options)
            core, unread = core[read[core]], core[~read[core] & ~np.isin(core, order)]
        read_rows: list[int] = core.tolist()
        extras = self._read(frame, [*read_rows, *shown], options.layout, loaded, folders)
        memories = [
            InjectMemory(*_found(loaded, frame, row, part))
            for rows, part in ((read_rows, Part.CORE), (shown, Part.RECALLED))
            for row in rows
            if int(frame.corpus.pks[row]) in loaded
        ]
        given = InjectInput(
            memories=tuple(memories), schema=frame.corpus.schema, now=frame.now, extras=extras
        )
        counter = self.counters.counter(TokenFamily(frame.values.text("token_family")))
        injection = _with_unread(build(given, options, counter), frame, unread)
        if options.budget_tokens is not None:
            _drop_unfit(frame, order, injection)
        return injection

    def _read(
        self,
        frame: Frame,
        rows: Sequence[int],
        layout: Layout,
        loaded: Loaded,
        folders: frozenset[FolderPk] | None,
    ) -> Extras:
        """Read the records that are not known yet, and what comes in without being recalled."""
        missing = [MemoryPk(pk) for pk in frame.corpus.pks[list(rows)].tolist() if pk not in loaded]
        if not missing and layout is Layout.TABLES:
            return Extras()
        with self.store.read() as reader:
            if missing:
                tags = reader.tag_sets(missing)
                loaded.update(
                    (memory.pk, (memory, tags[memory.pk])) for memory in reader.records(Memory, missing)
                )
            hidden = frame.hidden_documents() if layout is Layout.BOOKU else ()
            extras = gather(reader, folders, layout, frame.viewer or None, frame.now, hidden)
        rows_of = frame.corpus.rows_of([memory.pk for memory in extras.overview])
        usable = [row >= 0 and bool(frame.usable[row]) for row in rows_of.tolist()]
        overview = tuple(memory for memory, kept in zip(extras.overview, usable, strict=True) if kept)
        return replace(extras, overview=overview)

    def _options(self, frame: Frame) -> InjectOptions:
        values, request = frame.values, frame.request
        budget = values.whole("budget_tokens") if request.budget_tokens is None else request.budget_tokens
        layout = request.layout or Layout(values.text("layout"))
        if layout is Layout.TABLES and budget > 0:
            if request.budget_tokens:
                frame.trace.note("recall.note.no_budget")
            budget = 0
        return InjectOptions(
            layout=layout,
            budget_tokens=budget if budget != 0 else None,
            language=self.language(),
            ids=values.flag("show_ids"),
            position=Position(values.text("position")),
            depth=values.whole("depth"),
            role=PromptRole(values.text("role")),
        )


def core_rows(frame: Frame) -> Ints:
    """Memories that are always injected, newest first: those the viewer may know, in use."""
    corpus = frame.corpus
    if frame.recipe.runner is Runner.BOOKU:
        always = corpus.layers == LAYER_CODES[Layer.INHERENT]
    else:
        always = corpus.always
    active = (corpus.statuses == STATUS_CODES[Status.ACTIVE]) | frame.back_then
    return _newest_first(frame, np.flatnonzero(always & active & frame.usable))


def _newest_first(frame: Frame, rows: Sequence[int] | Ints) -> Ints:
    """By end floor, then importance, both falling; equal ones in the order given (spec/STBME §4.10)."""
    given = np.asarray(rows, dtype=np.int64)
    ends = np.nan_to_num(frame.corpus.end_seq[given])
    return np.asarray(given[np.lexsort((-frame.importance[given], -ends))])


def _that_may_fit(frame: Frame, rows: Ints, options: InjectOptions) -> Flags:
    """Of each type the memories that could fit into the budget by rank, as flags over the scope."""
    corpus = frame.corpus
    fit = np.zeros(corpus.size, dtype=np.bool_)
    if options.budget_tokens is None:
        fit[rows] = True
        return fit
    room = options.budget_tokens * MOST_BYTES_PER_TOKEN
    ends = np.nan_to_num(corpus.end_seq[rows], nan=-1.0)
    ranked = rows[np.lexsort((-ends, -corpus.importance[rows], corpus.types[rows]))]
    before = np.cumsum(corpus.text_bytes[ranked]) - corpus.text_bytes[ranked]
    _, starts, groups = np.unique(corpus.types[ranked], return_index=True, return_inverse=True)
    fit[ranked[before - before[starts][groups] <= room]] = True
    return fit


def _found(loaded: Loaded, frame: Frame, row: int, part: Part) -> tuple[Memory, Part, float, TagSet]:
    memory, tags = loaded[int(frame.corpus.pks[row])]
    return memory, part, float(frame.trace.scores[row]) if part is Part.RECALLED else 0.0, tags


def _with_unread(injection: Injection, frame: Frame, unread: Ints) -> Injection:
    """Core memories that were not even read stand among the left out of the section of their kind."""
    if not len(unread) or not injection.sections:
        return injection
    corpus, rows = frame.corpus, unread
    sections = list(injection.sections)
    for code in np.unique(corpus.types[rows]):
        pks = corpus.pks[rows[corpus.types[rows] == code]].tolist()
        at = _section_of_type(frame, sections, int(code))
        sections[at] = replace(sections[at], left_out=(*sections[at].left_out, *cast("list[MemoryPk]", pks)))
    return replace(injection, sections=tuple(sections))


def _section_of_type(frame: Frame, sections: Sequence[InjectionSection], code: int) -> int:
    """The section that shows memories of a type, the last one when none does."""
    for at, section in enumerate(sections):
        shown = frame.corpus.rows_of([*(each.memory for each in section.memories), *section.left_out])
        if (frame.corpus.types[shown[shown >= 0]] == code).any():
            return at
    return len(sections) - 1


def _drop_unfit(frame: Frame, order: Sequence[int], injection: Injection) -> None:
    """Recalled memories that are in no section as shown go out at the stage of the budget."""
    shown = [each.memory for section in injection.sections for each in section.memories]
    kept = set(frame.corpus.rows_of(shown).tolist())
    unfit = [row for row in order if row not in kept]
    numbers = np.zeros(frame.corpus.size)
    numbers[np.asarray(unfit, dtype=np.int64)] = injection.tokens
    frame.trace.drop(Stage.BUDGET, only(frame.corpus.size, unfit), numbers, injection.budget or 0)
    frame.trace.count(Stage.BUDGET, len(order), len(order) - len(unfit))
