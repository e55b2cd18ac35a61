"""Compares the vector index with SQL and asks it for what it must know (doctor, `verify`).

A damaged index file answers wrongly without an error (cases c520), and a missing vector goes unnoticed
(c511): so ids, text hashes and metadata are compared, and a sample is searched by its own vectors.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.domain.errors import Unavailable
from core.domain.ids import MemoryPk
from core.domain.results import Problem, VerifyReport
from core.ports.embedder import Vectors
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.ports.vector_index import IndexEntry
from core.services.indexer import Indexer, belongs, has_place

SAMPLE = 200
SAME_VECTOR = 1e-3
"""Largest difference of a number between SQL's vector and the index's."""
SAME_SCORE = 1 - 1e-3
NEIGHBOURS = 10
MISSED_SHARE = 0.05
"""A healthy neighbour graph is approximate and may miss a memory in a hundred; more means damage."""
CLONES = 3
"""Memories with one text beyond this number are not searched for: a graph loses some of many equal rows."""


@dataclass(slots=True)
class _Found:
    """What the comparison gathers on its way."""

    missing: list[IndexEntry] = field(default_factory=list)
    differing: list[IndexEntry] = field(default_factory=list)
    equal: list[IndexEntry] = field(default_factory=list)
    extra: set[str] = field(default_factory=set)
    without_vector: int = 0
    checked: int = 0


def verify(
    indexer: Indexer,
    sample: int | None = SAMPLE,
    cancel: CancelToken | None = None,
    progress: Progress = ignore_progress,
) -> VerifyReport:
    """Where the index differs from SQL; memories that wait for it are left out. Changes nothing.

    `sample`: how many memories are searched by their own vectors (None = all). An index that cannot be
    read is a problem in the report, not an error. Errors: Cancelled.
    """
    found = _Found()
    failed: list[MemoryPk] = []
    problems: list[Problem] = []
    try:
        indexer.index.open(indexer.embedder.identity)
        stored = indexer.index.entries()
        _compare(indexer, stored, found, cancel, progress)
        tried = _sample(found.equal, sample)
        copies = Counter(entry.text_hash for entry in found.equal)
        clones = frozenset(digest for digest, count in copies.items() if count > CLONES)
        failed = _not_found(indexer, tried, clones, cancel)
        if failed:
            problems.append(
                Problem("index.damaged", {"count": len(failed), "checked": len(tried)}, severity="error")
            )
    except Unavailable as error:
        problems.append(Problem("index.unreadable", {"reason": error.reason}, severity="error"))
    waiting = indexer.queue.pending(indexer.waiting())
    late_pks, late_ids = {item.pk for item in waiting}, {item.id for item in waiting}
    return VerifyReport(
        checked=found.checked,
        missing_in_index=tuple(MemoryPk(e.pk) for e in found.missing if e.pk not in late_pks),
        extra_in_index=tuple(sorted(found.extra - late_ids)),
        differing=tuple(MemoryPk(e.pk) for e in found.differing if e.pk not in late_pks),
        self_query_failed=tuple(pk for pk in failed if pk not in late_pks),
        without_vector=found.without_vector,
        waiting=len(waiting),
        problems=tuple(problems),
        index=indexer.index.name,
    )


def _compare(
    indexer: Indexer,
    stored: dict[str, IndexEntry],
    found: _Found,
    cancel: CancelToken | None,
    progress: Progress,
) -> None:
    found.extra = set(stored)
    for page in indexer.pages():
        if cancel is not None:
            cancel.check()
        entries = [entry for entry, _ in page if belongs(entry)]
        vectors = indexer.stored_vectors([entry.text_hash for entry in entries])
        for entry in entries:
            found.without_vector += entry.text_hash not in vectors
            if not has_place(vectors, entry):
                continue
            found.extra.discard(entry.id)
            there = stored.get(entry.id)
            place = found.missing if there is None else found.equal if there == entry else found.differing
            place.append(entry)
        found.checked += len(page)
        progress(found.checked, 0)


def _sample(entries: Sequence[IndexEntry], size: int | None) -> list[IndexEntry]:
    """The same sample each time for the same library."""
    if size is None or size >= len(entries):
        return list(entries)
    return random.Random(len(entries)).sample(list(entries), size)


def _not_found(
    indexer: Indexer,
    entries: Sequence[IndexEntry],
    clones: frozenset[str],
    cancel: CancelToken | None,
) -> list[MemoryPk]:
    """Memories whose stored vector is another than SQL's, or which their own vector does not find."""
    expected = indexer.stored_vectors([entry.text_hash for entry in entries])
    stored = indexer.index.vectors_of([entry.id for entry in entries])
    wrong: list[MemoryPk] = []
    missed: list[MemoryPk] = []
    for entry in entries:
        if cancel is not None:
            cancel.check()
        vector = expected[entry.text_hash]
        if not _same(stored.get(entry.id), vector):
            wrong.append(MemoryPk(entry.pk))
        elif entry.text_hash not in clones and not _finds_itself(indexer, entry, vector):
            missed.append(MemoryPk(entry.pk))
    return wrong + missed if len(missed) > MISSED_SHARE * len(entries) else wrong


def _same(stored: Vectors | None, expected: Vectors) -> bool:
    return (
        stored is not None
        and stored.shape == expected.shape
        and bool(np.allclose(stored, expected, rtol=0, atol=SAME_VECTOR))
    )


def _finds_itself(indexer: Indexer, entry: IndexEntry, vector: Vectors) -> bool:
    """Among its neighbours, or as near as itself (several memories may have one text)."""
    hits = indexer.index.search(vector, NEIGHBOURS)
    return any(id_ == entry.id for id_, _ in hits) or bool(hits and hits[-1][1] >= SAME_SCORE)
