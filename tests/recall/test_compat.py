"""The recorded recalls of ST-BME, run through a real library: the graph is imported, then recalled with `stbme-compat`."""

from __future__ import annotations

import copy
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.adapters.formats.stbme_read import read_stbme
from core.algos import stbme_graph
from core.algos.injection import Row, injection_lines, injection_text, into_buckets
from core.algos.js_values import trim
from core.domain.commands_transfer import ApplyImport
from core.domain.recall import RecallMode, RecallRequest, Scope
from core.domain.schema_data import default_schema
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.vector_index import IndexEntry
from tests.golden import stbme_runs  # noqa: F401 - fills the table
from tests.golden.stbme import now_of
from tests.golden.table import TABLE, Case, find_cases
from tests.recall.desk import RecallDesk, ScriptedModel

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "stbme"
CASES = [case for case in find_cases(GOLDEN) if case.function == "retrieve"]
MEDIUM = Path(__file__).parents[1] / "data" / "exports" / "medium_300_zh.json"
CORE_TYPES = {"event", "rule", "thread", "synopsis"}


class MapEmbedder:
    """Vectors by text, as recorded; a text without one fails as the service did."""

    thresholds = Thresholds(same_text=0.95, duplicate=0.8, related=0.3)

    def __init__(self, by_text: dict[str, Any], dims: int) -> None:
        self._by_text = by_text
        self.identity = EmbedderIdentity("recorded", dims)

    def embed_query(self, text: str) -> Vectors:
        from core.domain.errors import Unavailable

        if self._by_text.get(text) is None:
            raise Unavailable("embedder", "recorded failure")
        return unit(self._by_text[text])

    def embed_documents(self, texts: Any, cancel: Any = None) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])


def unit(values: Any) -> Vectors:
    vector = np.asarray(values, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)


class Draws(random.Random):
    """Recorded random numbers, then 1."""

    def __init__(self, values: Any) -> None:
        super().__init__()
        self._values = list(values or [])

    def random(self) -> float:
        return float(self._values.pop(0)) if self._values else 1.0


def opened(tmp_path: Path, given: Any) -> RecallDesk:
    """The graph of a case as a library, with its vectors."""
    graph = given["graph"]
    lengths = [len(node["embedding"]) for node in graph["nodes"] if node.get("embedding")]
    dims = max(set(lengths), key=lengths.count) if lengths else 3
    embedder = MapEmbedder(given.get("embed_map") or {}, dims) if given.get("embeddings_on") else None
    desk = RecallDesk(tmp_path / "library", embedder)
    desk.now = datetime.fromtimestamp(now_of(given) / 1000, UTC)
    imported(desk, tmp_path, graph)
    if embedder is not None:
        keep_vectors(desk, graph, embedder)
    desk.now = datetime.fromtimestamp(now_of(given) / 1000, UTC)
    return desk


def imported(desk: RecallDesk, tmp_path: Path, graph: Any) -> None:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps({"version": 3, **graph}), encoding="utf-8")
    desk.run(ApplyImport(read_stbme(file, default_schema())))


def keep_vectors(desk: RecallDesk, graph: Any, embedder: MapEmbedder) -> None:
    memories = desk.by_foreign_id()
    entries = {entry.pk: entry for entry, _ in desk.store.queue.entries(0, 100_000)}  # type: ignore[arg-type]
    rows = {}
    for node in graph["nodes"]:
        entry: IndexEntry = entries[memories[node["id"]].pk]
        if node.get("embedding") and len(node["embedding"]) == embedder.identity.dims:
            rows[entry.text_hash] = unit(node["embedding"])
    desk.store.queue.save_vectors(embedder.identity.key, rows)


def request_of(given: Any) -> RecallRequest:
    options = given.get("options") or {}
    names = {
        "topK": "top_k",
        "maxRecallNodes": "rerank_keep",
        "enableLLMRecall": "rerank",
        "graphWeight": "graph_weight",
        "vectorWeight": "vector_weight",
        "importanceWeight": "importance_weight",
        "enableCrossRecall": "cross_recall",
    }
    merged = {**options, **(options.get("weights") or {})}
    settings = {names[key]: value for key, value in merged.items() if key in names and value is not None}
    chance = options.get("probRecallChance")
    if options.get("enableProbRecall") and chance != 0:
        settings |= {"lucky_recall": True} | ({} if chance is None else {"lucky_chance": float(chance)})
    viewer = (options.get("visibilityFilter") or "") if options.get("enableVisibility") else ""
    return RecallRequest(
        message=given["message"],
        scope=Scope.LIBRARY,
        viewer=viewer,
        recipe="stbme-compat",
        settings=settings,
        mode=RecallMode.COMMIT,
    )


def with_our_ids(replies: Any, desk: RecallDesk) -> list[str]:
    ids = {name: memory.id for name, memory in desk.by_foreign_id().items()}
    said = []
    for raw in replies or []:
        reply = raw
        if isinstance(raw, dict) and isinstance(raw.get("selected_ids"), list):
            reply = {**raw, "selected_ids": [ids.get(each, each) for each in raw["selected_ids"]]}
        said.append(reply if isinstance(reply, str) else json.dumps(reply))
    return said


def text_of(graph: Any, core: list[str], recalled: list[str]) -> str:
    """The original's text of these nodes."""
    from tests.golden.stbme import injection as algos

    nodes = {node["id"]: node for node in graph["nodes"]}

    def row(name: str) -> Row:
        return Row(name, nodes[name]["type"], nodes[name].get("fields") or {})

    tables = {
        str(item.id): algos.Table(item.table_name, tuple(column.name for column in item.columns))
        for item in default_schema().types
    }
    return trim(
        injection_text(injection_lines(list(map(row, core)), into_buckets(map(row, recalled)), tables))
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.id))
def test_recorded_recall_through_the_store_gives_the_same_ids_and_text(case: Case, tmp_path: Path) -> None:
    given = copy.deepcopy(dict(case.inputs))
    expected = TABLE["retrieve"].run(copy.deepcopy(given))
    desk = opened(tmp_path, given)
    try:
        if given.get("replies"):
            desk.model = ScriptedModel(with_our_ids(given["replies"], desk))
        desk.chance = lambda _: Draws(given.get("random_values"))
        result = desk.service.recall(request_of(given))
        names = {memory.pk: name for name, memory in desk.by_foreign_id().items()}
        after = desk.by_foreign_id()
        assert [names[each.pk] for each in result.selected] == expected["selectedNodeIds"]
        assert [names[pk] for pk in result.core] == expected["core"]
        assert result.injection.text == text_of(given["graph"], expected["core"], expected["recall"])
        for changed in expected["changed_nodes"]:
            node = next(node for node in given["graph"]["nodes"] if node["id"] == changed["id"])
            if node.get("importance") is not None:
                assert after[changed["id"]].importance == pytest.approx(changed["importance"])
            assert after[changed["id"]].activation_count == changed["accessCount"]
    finally:
        desk.engine.close()


def test_three_hundred_nodes_give_the_same_selection_as_the_pure_functions(tmp_path: Path) -> None:
    graph = json.loads(MEDIUM.read_text(encoding="utf-8"))
    names = [node["fields"]["name"] for node in stbme_graph.active_nodes(graph, "character")]
    given = {
        "graph": graph,
        "message": "，".join(names[:2]),
        "options": {"enableLLMRecall": False},
        "replies": [],
    }
    expected = TABLE["retrieve"].run(copy.deepcopy(given))
    desk = opened(tmp_path, given)
    try:
        result = desk.service.recall(request_of(given))
        by_pk = {memory.pk: name for name, memory in desk.by_foreign_id().items()}
        assert [by_pk[each.pk] for each in result.selected] == expected["selectedNodeIds"]
        assert result.injection.text == text_of(graph, expected["core"], expected["recall"])
    finally:
        desk.engine.close()
