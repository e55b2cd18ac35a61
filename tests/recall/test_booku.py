"""The recorded retrievals of Booku: same numbers, in order of score (DESIGN §5), and picking order by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.algos.reshape import TagGroups
from core.domain.enums import Layer, Status
from core.domain.ids import MemoryPk
from core.domain.memory import TagSet
from core.domain.recall import RecallResult, Scope, Stage
from core.domain.tags import clean
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.services.recall.corpus import folded_tags
from tests.recall.desk import RecallDesk

SCENARIOS = Path(__file__).parents[1] / "data" / "golden" / "booku" / "scenarios.json"


class TableEmbedder:
    """The recorded vectors: the first key that a text holds; of their own length, as the recorder had them."""

    thresholds = Thresholds(same_text=0.95, duplicate=0.8, related=0.3)

    def __init__(self, table: dict[str, Any], default: Any) -> None:
        self._table = table
        self._default = default
        self.identity = EmbedderIdentity("table", len(next(iter(table.values()))))

    def embed_query(self, text: str) -> Vectors:
        found = next((vector for key, vector in self._table.items() if key in text), self._default)
        return np.asarray(found, dtype=np.float32)

    def embed_documents(self, texts: Any, cancel: Any = None) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])


def scenario(name: str) -> dict[str, Any]:
    data = json.loads(SCENARIOS.read_text(encoding="utf-8"))
    return next(item for item in data["scenarios"] if item["name"] == name)


class Replay:
    """A library with the memories of the scenario, by their recorded names."""

    def __init__(self, root: Path, unit: bool) -> None:
        self.given = scenario("retrieve_and_search")
        table = {key: np.asarray(value) for key, value in self.given["embeddings"].items()}
        if unit:
            table = {key: value / np.linalg.norm(value) for key, value in table.items()}
        dims = len(next(iter(table.values())))
        self.desk = RecallDesk(root, TableEmbedder(table, np.full(dims, 0.5)))
        self.names: dict[int, str] = {}
        folders = {}
        for step in self.given["steps"]:
            call = step.get("call", {})
            if call.get("method") != "upsert_memory":
                continue
            name = call.get("folder_id", "default")
            folder = folders.setdefault(name, None) or self._folder(name)
            folders[name] = folder
            tags = TagSet(
                core=tuple(call["core_tags"]),
                diffusion=tuple(call["diffusion_tags"]),
                opposing=tuple(call["opposing_tags"]),
            )
            pk = self.desk.memory(
                folder,
                "knowledge",
                title=call["content"],
                body=call["content"],
                tags=tags,
                status=Status(call.get("status", "active")),
                layer=Layer.KNOWLEDGE if call.get("bucket") == "knowledge" else Layer.MEMORY,
            )
            self.names[pk] = step["expected"]["id"]
        self.desk.embed_all()

    def _folder(self, name: str) -> Any:
        from core.domain.queries import FolderByName

        found = self.desk.ask(FolderByName(name))
        return found.pk if found is not None else self.desk.folder(name)

    def retrieve(self, call: dict[str, Any], **settings: Any) -> RecallResult:
        tags = clean(
            TagSet(
                core=tuple(call.get("core_tags", ())),
                diffusion=tuple(call.get("diffusion_tags", ())),
                opposing=tuple(call.get("opposing_tags", ())),
            )
        )
        return self.desk.recall(
            call["query_text"],
            scope=Scope.LIBRARY,
            recipe="booku",
            viewer="",
            tags=tags,
            include_archived=True,  # the original always looked at archived memories
            include_knowledge=call.get("include_knowledge", False),
            top_k=call.get("top_k") or None,
            settings=settings,
            budget_tokens=0,
        )


STEPS = [
    step
    for step in scenario("retrieve_and_search")["steps"]
    if step.get("call", {}).get("method") == "retrieve_memories"
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["step"][:40])
def test_recorded_retrieval_gives_the_same_numbers(step: dict[str, Any], tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=False)
    try:
        words = step["step"].startswith("query words")
        result = replay.retrieve(step["call"], order="residual")
        expected = step["expected"]
        assert result.resonance == expected["resonance"]
        if not step["call"].get("include_knowledge"):  # the original counts documents once for each folder
            assert result.logic_depth == pytest.approx(expected["logic_depth"], abs=1e-4)
            assert result.beta == pytest.approx(expected["beta"], abs=1e-4)
        if not words:  # words stand in for tags, but never for the opposing group
            assert [replay.names[each.pk] for each in result.selected] == [
                item["id"] for item in expected["results"]
            ]
            for each, item in zip(result.selected, expected["results"], strict=True):
                assert each.score == pytest.approx(item["score"], abs=1e-4)
    finally:
        replay.desk.engine.close()


def test_order_is_by_score_unless_residual_is_asked_for(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=True)
    try:
        step = next(step for step in STEPS if step["step"] == "three tag groups")
        result = replay.retrieve(step["call"])
        scores = [each.score for each in result.selected]
        assert scores == sorted(scores, reverse=True)
        assert [replay.names[each.pk] for each in result.selected][:3] == ["R1", "R4", "R2"]
    finally:
        replay.desk.engine.close()


def test_words_and_pairs_stand_in_for_tags_but_never_for_the_opposing_group(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=True)
    try:
        with_words = replay.retrieve({"query_text": "QUERY cat work"})
        first = next(each for each in with_words.selected if replay.names[each.pk] == "R1")
        assert (
            first.parts["tags"] > 0
        )  # "cat" is its core tag; "work" is an opposing one and takes nothing away
        without = replay.retrieve({"query_text": "QUERY cat work"}, word_tags=False)
        assert all("tags" not in each.parts for each in without.selected)
    finally:
        replay.desk.engine.close()


def test_chinese_words_stand_in_for_tags(vector_desk: RecallDesk) -> None:
    folder = vector_desk.folder()
    tags = TagSet(core=("大學",), diffusion=("同学",), opposing=("工作",))
    memory = vector_desk.memory(folder, "knowledge", title="聚会", body="去年的聚会", tags=tags)
    vector_desk.embed_all()
    result = vector_desk.recall("大学同学的聚会", folder, recipe="booku")
    assert [each.pk for each in result.selected] == [memory]
    assert result.selected[0].parts["tags"] > 0


def test_archived_and_documents_only_when_asked(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=True)
    try:
        plain = replay.desk.recall("QUERY", scope=Scope.LIBRARY, recipe="booku", include_knowledge=False)
        assert {replay.names[each.pk] for each in plain.selected} == {"R1", "R2", "R3", "R5"}
        settings = {"include_archived": True, "include_knowledge": True}
        more = replay.desk.recall("QUERY", scope=Scope.LIBRARY, recipe="booku", settings=settings, top_k=6)
        assert {"R4", "K1"} <= {replay.names[each.pk] for each in (*more.selected, *more.left_out)}
    finally:
        replay.desk.engine.close()


def test_twins_are_recalled_once_and_the_other_says_why(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=True)
    try:
        result = replay.retrieve({"query_text": "QUERY", "include_knowledge": True, "top_k": 6})
        dropped = [each for each in result.left_out if each.stage is Stage.DIVERSITY]
        assert {replay.names[each.pk] for each in dropped} == {"R1"}
        assert dropped[0].number is not None
        assert dropped[0].number >= 0.88
    finally:
        replay.desk.engine.close()


def test_tags_alone_are_a_query(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "library", unit=True)
    try:
        call = {
            "query_text": " ",
            "core_tags": ["cat"],
            "diffusion_tags": ["home"],
            "opposing_tags": ["work"],
        }
        assert replay.retrieve(call).selected
    finally:
        replay.desk.engine.close()


def test_tags_are_compared_folded() -> None:
    assert folded_tags(TagSet(core=("ＣＡＴ ", "大學"))) == TagGroups(core=frozenset({"cat", "大学"}))


def test_without_vectors_words_find_and_tags_still_count(desk: RecallDesk) -> None:
    folder = desk.folder()
    tags = TagSet(core=("cat",), diffusion=("home",), opposing=("work",))
    tagged: MemoryPk = desk.memory(folder, "knowledge", title="a", body="the lighthouse keeper", tags=tags)
    plain = desk.memory(folder, "knowledge", title="b", body="the lighthouse keeper sleeps")
    result = desk.recall("lighthouse keeper", folder, recipe="booku", tags=tags)
    assert [each.pk for each in result.selected] == [tagged, plain]
    assert result.selected[0].parts["tags"] > 0
