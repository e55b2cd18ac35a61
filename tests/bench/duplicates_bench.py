"""Doubles: precision and recall on the labelled pairs, and the time on big libraries.

The pairs (tests/data/duplicates/pairs.jsonl) were made for this project; every second one of each kind was kept
aside from tuning ("aside") and only measured.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.adapters.embedder_builtin import BuiltinEmbedder
from core.algos.differences import Text
from core.algos.doubles import Cuts, Level, judge
from core.domain.commands_merge import MergeMemories
from core.domain.ids import MemoryPk
from core.domain.queries import ListMemories
from core.domain.queries_merge import FindDuplicates
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.services.duplicates import DuplicateSearch
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH, cached
from tests.bench.report import Row

PAIRS = Path(__file__).parents[1] / "data" / "duplicates" / "pairs.jsonl"
NEAR_SHARE = 0.02
"""Of the vectors of a big library so many are near copies of another's."""


def run(full: bool) -> list[Row]:
    """Quality of both halves, then times."""
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    embedder = BuiltinEmbedder()
    left = embedder.embed_documents([pair["a"] for pair in pairs])
    right = embedder.embed_documents([pair["b"] for pair in pairs])
    cosines: Sequence[float | None] = [float(c) for c in (left * right).sum(axis=1)]
    cuts = Cuts(embedder.thresholds.duplicate, embedder.thresholds.related)
    rows: list[Row] = []
    for half in ("tune", "aside"):
        rows += _quality(pairs, cosines, cuts, half, f"{half}, words and meaning", targets=True)
    rows += _quality(pairs, [None] * len(pairs), cuts, "aside", "aside, words alone", targets=False)
    for memories, target in ((20_000, 20), (100_000, 180)):
        if full or memories == 20_000:
            rows += _times(memories, target, embedder)
    return rows


def _quality(
    pairs: Sequence[dict[str, object]],
    cosines: Sequence[float | None],
    cuts: Cuts,
    half: str,
    name: str,
    *,
    targets: bool,
) -> list[Row]:
    judged = [
        (
            bool(pair["same"]),
            judge(Text(str(pair["a"])), Text(str(pair["b"])), cosine=cosine, cuts=cuts).level,
        )
        for pair, cosine in zip(pairs, cosines, strict=True)
        if pair["half"] == half
    ]
    size = f"{len(judged)} labelled pairs"
    sure = [same for same, level in judged if level is Level.SURE]
    found = [level >= Level.LIKELY for same, level in judged if same]
    likely = [same for same, level in judged if level >= Level.LIKELY]
    return [
        Row(f"doubles, {name}: precision of sure", _share(sure), "%", ">= 98" if targets else "", size),
        Row(
            f"doubles, {name}: recall of sure or likely", _share(found), "%", ">= 90" if targets else "", size
        ),
        Row(f"doubles, {name}: precision of sure or likely", _share(likely), "%", "", size),
    ]


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return 100.0 * sum(listed) / max(1, len(listed))


def _times(memories: int, target: int, embedder: BuiltinEmbedder) -> list[Row]:
    """The search over a whole library with invented vectors, some of them near copies; and a merge of 50."""
    store = SqlStore(LibraryFiles(cached(memories).root), default_schema())
    engine = Engine(store, BENCH)
    try:
        pks = list(engine.ask(ListMemories()))
        vectors = _vectors(len(pks), embedder.identity.dims)
        place = {pk: at for at, pk in enumerate(pks)}

        def vectors_of(asked: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
            rows = [place[pk] for pk in asked if pk in place]
            return np.array([pks[row] for row in rows], dtype=np.int64), vectors[rows]

        search = DuplicateSearch(store, vectors_of, embedder.thresholds)
        start = time.perf_counter()
        groups = search.find(FindDuplicates(across=True))
        seconds = time.perf_counter() - start
        chosen = tuple(MemoryPk(pk) for pk in pks[:50])
        start = time.perf_counter()
        engine.run(MergeMemories(survivor=chosen[0], losers=chosen[1:], visibility=()))
        merge_ms = 1000 * (time.perf_counter() - start)
    finally:
        engine.close()
    size = f"{memories} memories, across folders"
    return [
        Row("doubles: whole library", seconds, "s", f"<= {target}", f"{size}, {len(groups)} groups"),
        Row("merge of 50 memories", merge_ms, "ms", "<= 200", f"library of {memories}"),
    ]


def _vectors(count: int, dims: int) -> NDArray[np.float32]:
    random = np.random.default_rng(5)
    vectors = random.normal(size=(count, dims)).astype(np.float32)
    near = random.choice(count, size=int(count * NEAR_SHARE), replace=False)
    vectors[near] = vectors[(near + 1) % count] + 0.3 * vectors[near]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
