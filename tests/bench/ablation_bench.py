"""What each optional step of the recipe `blend` gains or loses: on against off, in points of recall@10.

Data: the sample library with 36 written questions (tests/data/recall/sample_cases.jsonl), and, where the variable
MEMORY_CURATOR_BENCH_DATA names a directory that holds them, files of the shapes of tests.bench.locomo (`*.json`)
and tests.bench.retrieval (`*.jsonl`). Without `full` only the first conversation of each file is asked about.

A model that chooses is scripted here: one that sees nothing but shared words (what the step costs when the model
is poor), and one that always knows (what it could gain at most: the evidence among the candidates).
The gains are the texts `recipe.setting.<key>.measured`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from core.adapters.embedder_builtin import BuiltinEmbedder
from core.adapters.sample import read_sample
from core.algos.function_words import content_words
from core.algos.lexical import search_tokens
from core.domain.commands_recall import ImportRecallCases
from core.domain.json_types import JsonObject
from core.domain.queries_recall import RecallCases
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from tests.bench.locomo import BARE, Settings, conversations
from tests.bench.recall_library import AskedLibrary, asked_library
from tests.bench.report import Row
from tests.bench.retrieval import APART, FOLDER, read

DATA = "MEMORY_CURATOR_BENCH_DATA"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CASES = Path(__file__).parents[1] / "data" / "recall" / "sample_cases.jsonl"
SEEDS = 5
TOP_K = 10
STEPS: Mapping[str, Settings] = {
    "cross_recall": {"cross_recall": True},
    "multi_intent": {"multi_intent": True},
    "context_weight": {"context_weight": 0.3},
    "flashback": {"flashback": True, "flashback_chance": 1.0},
    "lucky_recall": {"lucky_recall": True},
    "scene": {"scene": True},
    "visibility": {"visibility": True},
}
"""Steps by setting, switched on. `visibility` is measured by asking as the folder's character."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in a folder, with the keys of the memories that answer it."""

    text: str
    folder: str
    expected: frozenset[str]
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """A library with questions. `settings`: what the measurement takes out of the recipe."""

    name: str
    library: AskedLibrary
    asked: Sequence[Asked]
    settings: Settings


def run(full: bool) -> list[Row]:
    """All steps on all data that are here."""
    rows: list[Row] = []
    for opened in _grounds(full):
        with opened as ground:
            rows += _rows(ground)
    return rows


# --- data -----------------------------------------------------------------------------------


def _grounds(full: bool) -> Iterator[AbstractContextManager[Ground]]:
    yield _sample()
    directory = Path(os.environ.get(DATA, ""))
    if os.environ.get(DATA) and directory.is_dir():
        for file in sorted(directory.glob("*.json")):
            yield _locomo(file, full)
        for file in sorted(directory.glob("*.jsonl")):
            yield _retrieval(file)


@contextmanager
def _sample() -> Iterator[Ground]:
    with asked_library([read_sample(NOW)], NOW) as library:
        library.engine.run(ImportRecallCases(CASES.read_text(encoding="utf-8")))
        names = {pk: name for name, pk in library.folders.items()}
        keys = {memory.pk: key for key, memory in library.memories.items()}
        asked = [
            Asked(case.message, names[case.folder], frozenset(keys[pk] for pk in case.expected))
            for case in library.engine.ask(RecallCases())
            if case.folder is not None
        ]
        library.use(BuiltinEmbedder())
        yield Ground("sample", library, asked, {"scene": False})


@contextmanager
def _locomo(file: Path, full: bool) -> Iterator[Ground]:
    found = list(conversations(file))[: None if full else 1]
    with asked_library([each.plan for each in found], NOW) as library:
        asked = [
            Asked(question.text, each.name, question.evidence)
            for each in found
            for question in each.questions
        ]
        library.use(BuiltinEmbedder())
        yield Ground("locomo", library, asked, BARE)


@contextmanager
def _retrieval(file: Path) -> Iterator[Ground]:
    plan, queries = read(file)
    with asked_library([plan], NOW) as library:
        library.use(BuiltinEmbedder())
        asked = [Asked(query.text, FOLDER, frozenset({query.memory})) for query in queries]
        yield Ground("zh-en", library, asked, APART)


# --- measuring ------------------------------------------------------------------------------


def _rows(ground: Ground) -> Iterator[Row]:
    size = f"{len(ground.asked)} questions, {len(ground.library.memories)} memories"
    base = _recall(ground, {})
    yield Row(f"{ground.name}: blend, recall@{TOP_K}", base, "%", "", size)
    for step, settings in STEPS.items():
        if step == "visibility":
            value = _recall(ground, settings, viewer=None)
        elif step in {"flashback", "lucky_recall"}:
            value = float(np.mean([_recall(ground, settings, seed=seed) for seed in range(SEEDS)]))
        elif step == "context_weight":
            value = _recall(ground, settings, context=True)
        else:
            value = _recall(ground, settings)
        yield Row(f"{ground.name}: {step} on against off", value - base, "points", "", size)
    for name, model in (("by words", _ByWords()), ("that knows", _Knows(ground))):
        ground.library.model = model
        value = _recall(ground, {"rerank": True, "rerank_keep": TOP_K}, model=model)
        ground.library.model = None
        yield Row(f"{ground.name}: rerank, a model {name}, on against off", value - base, "points", "", size)


def _recall(
    ground: Ground,
    settings: Settings,
    *,
    viewer: str | None = "",
    seed: int = 0,
    context: bool = False,
    model: _Scripted | None = None,
) -> float:
    """Mean share of expected memories among the first ten, in percent."""
    shares = []
    before = ""
    for asked in ground.asked:
        if model is not None:
            model.asked = asked
        found = ground.library.recalled(
            asked.text,
            ground.library.folders[asked.folder],
            TOP_K,
            ground.settings | settings,
            viewer=viewer,
            seed=seed,
            context=(before,) if context and before else (),
        )
        before = asked.text
        shares.append(len(asked.expected & set(found[:TOP_K])) / len(asked.expected))
    return 100.0 * float(np.mean(shares))


class _Scripted:
    """A model whose choice among the candidates is a rule."""

    name = "scripted"
    asked: Asked | None = None

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,
        cancel: CancelToken | None = None,
    ) -> str:
        """The ids of the candidates, best first, as the reply."""
        asked = self.asked
        assert asked is not None
        lines = [line for line in messages[-1].text.splitlines() if line.startswith('{"id"')]
        candidates = [json.loads(line) for line in lines]
        ranked = sorted(candidates, key=lambda item: -self.worth(asked, item))
        return json.dumps({"selected_ids": [item["id"] for item in ranked[:TOP_K]]})

    def worth(self, asked: Asked, item: Mapping[str, str]) -> float:
        """How much a candidate helps."""
        raise NotImplementedError


class _ByWords(_Scripted):
    """Sees nothing but shared words."""

    def worth(self, asked: Asked, item: Mapping[str, str]) -> float:
        wanted = set(content_words(search_tokens(asked.text)))
        return len(wanted & set(search_tokens(item["text"])))


class _Knows(_Scripted):
    """Knows the answer."""

    def __init__(self, ground: Ground) -> None:
        self._keys = {str(memory.id): key for key, memory in ground.library.memories.items()}

    def worth(self, asked: Asked, item: Mapping[str, str]) -> float:
        return float(self._keys[item["id"]] in asked.expected)
