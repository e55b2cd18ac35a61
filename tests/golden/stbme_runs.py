"""Adapters for the vectors of ST-BME that run a whole procedure on a graph with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from core.algos import stbme_graph, stbme_retrieve, stbme_upkeep, stbme_write
from core.algos.compression import GroupingRule
from core.algos.injection import Bucket
from core.algos.js_values import clamp_float, number
from core.algos.json_reply import first_json
from core.algos.scoring import ScoreWeights
from tests.golden.stbme import made_ids, now_of
from tests.golden.stbme_schema import default_schema, schema_of
from tests.golden.table import Inputs, golden

EXTRACTION_ATTEMPTS = 3
OTHER_ATTEMPTS = 2


class Model:
    """Answers with the recorded replies, one for each call; an unreadable one is asked again."""

    def __init__(self, replies: Any) -> None:
        self._replies = _numbered() if isinstance(replies, str) else iter(replies or [])
        self.calls = 0

    def ask(self, attempts: int) -> Any:
        for _ in range(attempts):
            self.calls += 1
            reply = next(self._replies, None)
            found = first_json(reply) if isinstance(reply, str) else reply
            if found is not None:
                return found
        return None

    def object(self) -> Any:
        reply = self.ask(OTHER_ATTEMPTS)
        return reply if isinstance(reply, Mapping) else None


def _numbered() -> Iterator[dict[str, Any]]:
    return ({"fields": {"summary": f"总结{call}"}} for call in range(1, 10_000))


class Embedder:
    """Vectors by text, `default` for others; None = the service fails. `inputs` is what was sent."""

    def __init__(self, by_text: Any, default: Any) -> None:
        self._by_text = by_text or {}
        self._default = default
        self.inputs: list[Any] = []

    def _vector(self, text: str) -> Any:
        return self._by_text.get(text, self._default)

    def one(self, text: str) -> Any:
        self.inputs.append(text)
        return self._vector(text)

    def many(self, texts: list[str]) -> Any:
        self.inputs.append(list(texts))
        vectors = [self._vector(text) for text in texts]
        return None if any(vector is None for vector in vectors) else vectors


def making(given: Inputs) -> stbme_upkeep.Making:
    return stbme_upkeep.Making(now_of(given), made_ids().__next__)


# --- Write path -------------------------------------------------------------------------------------------


@golden("extractMemories")
def _extract(given: Inputs) -> Any:
    graph, messages, options = given["graph"], given["messages"], given.get("options") or {}
    raw = given.get("raw_llm_replies")
    replies = raw if raw is not None else [{"operations": given.get("operations")}]
    model = Model([*replies, *(given.get("conflict_replies") or [])])
    embedder = (
        Embedder(given.get("embed_map"), given.get("embed_default")) if given.get("embeddings_on") else None
    )
    last = graph["lastProcessedSeq"]
    outcome, span, success = stbme_write.Outcome(), [last, last], not messages
    reply = model.ask(EXTRACTION_ATTEMPTS) if messages else None
    operations = reply.get("operations") if isinstance(reply, Mapping) else None
    if messages and isinstance(operations, list):
        start, end = given.get("startSeq"), given.get("endSeq")
        end = messages[-1]["seq"] if end is None else end
        span, success = [messages[0]["seq"] if start is None else start, end], True
        if embedder is not None and options.get("enablePreciseConflict", True):
            threshold = options.get("conflictThreshold")
            operations = stbme_write.resolve_conflicts(
                graph,
                operations,
                end,
                embedder.one,
                lambda _: model.object(),
                stbme_write.CONFLICT_THRESHOLD if threshold is None else threshold,
            )
        types = {item["id"]: item for item in schema_of(given.get("schema"))}
        outcome = stbme_write.Execution(graph, types, end, now_of(given), made_ids().__next__).run(operations)
        if embedder is not None:
            stbme_write.fill_vectors(graph, embedder.many)
        graph["lastProcessedSeq"] = max(last, end)
    return {
        "result": {
            "success": success,
            "newNodes": outcome.new_nodes,
            "updatedNodes": outcome.updated_nodes,
            "newEdges": outcome.new_edges,
            "newNodeIds": outcome.new_ids,
            "processedRange": span,
        },
        "graph": graph,
        "llm_calls": model.calls,
        "embed_inputs": embedder.inputs if embedder is not None else [],
    }


# --- Upkeep -----------------------------------------------------------------------------------------------


@golden("evolveMemories")
def _evolve(given: Inputs) -> Any:
    graph, model = given["graph"], Model(given["replies"])
    done = stbme_upkeep.Evolution()
    if given.get("embeddings_on"):
        count = (given.get("options") or {}).get("neighborCount")
        done = stbme_upkeep.evolve(
            graph,
            given["newNodeIds"],
            lambda *_: model.object(),
            making(given),
            stbme_upkeep.NEIGHBOURS if count is None else count,
        )
    stats = {"evolved": done.evolved, "connections": done.connections, "updates": done.updates}
    return {"stats": stats, "graph": graph, "llm_calls": model.calls}


@golden("generateSynopsis")
def _synopsis(given: Inputs) -> Any:
    graph, model = given["graph"], Model(given["replies"])
    stbme_upkeep.update_synopsis(graph, lambda _: model.object(), given["currentSeq"], making(given))
    return {"graph": graph, "llm_calls": model.calls}


@golden("generateReflection")
def _reflection(given: Inputs) -> Any:
    graph, model = given["graph"], Model(given["replies"])
    node = stbme_upkeep.reflect(graph, lambda _: model.object(), given["currentSeq"], making(given))
    return {"returned": node["id"] if node else None, "graph": graph, "llm_calls": model.calls}


@golden("sleepCycle")
def _sleep(given: Inputs) -> Any:
    graph, now = given["graph"], now_of(given)
    threshold = (given.get("settings") or {}).get("forgetThreshold")
    values = {node["id"]: stbme_upkeep.node_retention(node, now) for node in graph["nodes"]}
    forgotten = stbme_upkeep.forget(graph, now, 0.5 if threshold is None else number(threshold))
    return {
        "result": {"forgotten": len(forgotten)},
        "archived": [node["id"] for node in graph["nodes"] if node.get("archived")],
        "retention_by_formula": values,
    }


def _rule(compression: Mapping[str, Any] | None) -> GroupingRule:
    given = compression or {}
    if given.get("mode") != "hierarchical":
        return GroupingRule(0, 0, 0, 0)
    return GroupingRule(given["threshold"], given["fanIn"], given["maxDepth"], given["keepRecentLeaves"])


def _compress(given: Inputs, types: list[tuple[str, GroupingRule]]) -> Any:
    graph, model = given["graph"], Model(given["replies"])
    vector = given.get("embed_default")
    made = making(given)
    known = {node["id"] for node in graph["nodes"]}
    done = [
        stbme_upkeep.compress_type(
            graph,
            name,
            rule,
            lambda _: model.object(),
            None if vector is None else lambda _: vector,
            made,
            forced=bool(given.get("force")),
        )
        for name, rule in types
    ]
    keys = (
        "id", "level", "childIds", "seq", "seqRange", "importance", "fields", "archived", "parentId", "prevId", "nextId",
        "embedding",
    )  # fmt: skip
    new = [node for node in graph["nodes"] if node["id"] not in known]
    return {
        "result": {
            "created": sum(one.created for one in done),
            "archived": sum(one.archived for one in done),
        },
        "llm_calls": model.calls,
        "groups": [{key: node[key] for key in keys} for node in new],
        "archived": [node["id"] for node in graph["nodes"] if node["archived"]],
        "active": [node["id"] for node in stbme_graph.active_nodes(graph)],
        "edges": len(graph["edges"]),
    }


golden("compressType")(lambda given: _compress(given, [(given["type"], _rule(given["compression"]))]))
golden("compressAll")(
    lambda given: _compress(given, [(item["id"], _rule(item["compression"])) for item in default_schema()])
)


# --- Read path --------------------------------------------------------------------------------------------

ALWAYS = [item["id"] for item in default_schema() if item["alwaysInject"]]


def _ids(nodes: list[dict[str, Any]]) -> list[str]:
    return [node["id"] for node in nodes]


@golden("reconstructSceneNodeIds")
def _scene(given: Inputs) -> Any:
    limit = given.get("limit")
    return stbme_retrieve.scene_ids(given["graph"], given["seeds"], 16 if limit is None else limit)


@golden("buildResult")
def _result(given: Inputs) -> Any:
    selected = given.get("selectedNodeIds") or given.get("selected") or []
    always = [item["id"] for item in schema_of(given.get("schema")) if item.get("alwaysInject")]
    result = stbme_retrieve.build_result(given["graph"], selected, always)
    return {
        "core": _ids(result.core),
        "recall": _ids(result.recalled),
        "groups": {bucket.name.lower(): _ids(result.buckets[bucket]) for bucket in Bucket},
        "selectedNodeIds": result.selected,
        "stats": stbme_retrieve.statistics(result),
    }


def _options(given: Mapping[str, Any]) -> stbme_retrieve.RecallOptions:
    weights = given.get("weights") or given

    def weight(key: str, default: float) -> float:
        return default if weights.get(key) is None else float(weights[key])

    chance = given.get("probRecallChance")
    return stbme_retrieve.RecallOptions(
        top_k=max(1, int(given.get("topK") or 15)),
        max_nodes=max(1, int(given.get("maxRecallNodes") or 8)),
        ask_model=given.get("enableLLMRecall", True) is not False,
        weights=ScoreWeights(
            weight("graphWeight", 0.6), weight("vectorWeight", 0.3), weight("importanceWeight", 0.1)
        ),
        viewer=(given.get("visibilityFilter") or "") if given.get("enableVisibility") else "",
        cross_recall=bool(given.get("enableCrossRecall")),
        lucky_chance=(0.15 if chance is None else clamp_float(chance, 0.15, 0.0, 1.0))
        if given.get("enableProbRecall")
        else 0.0,
    )


def _shown_score(score: float) -> str:
    return str(Decimal(score).quantize(Decimal("0.001"), ROUND_HALF_UP))


@golden("retrieve")
def _retrieve(given: Inputs) -> Any:
    graph, model = given["graph"], Model(given["replies"])
    embedder = Embedder(given.get("embed_map"), None)
    draws = iter(given.get("random_values") or [])
    offered: list[list[dict[str, str]]] = []

    def choose(candidates: stbme_retrieve.Scored) -> Any:
        offered.append([{"id": node["id"], "score": _shown_score(score)} for node, score in candidates])
        reply = model.object() or {}
        return reply["selected_ids"] if isinstance(reply.get("selected_ids"), list) else None

    keys = ("accessCount", "importance", "lastAccessTime")
    before = {node["id"]: [node.get(key) for key in keys] for node in graph["nodes"]}
    result = stbme_retrieve.retrieve(
        graph,
        given["message"],
        ALWAYS,
        _options(given.get("options") or {}),
        stbme_retrieve.Helpers(
            embed=embedder.one if given.get("embeddings_on") else None,
            choose=choose,
            random=lambda: next(draws, 1.0),
        ),
        now_of(given),
    )
    changed = [node for node in graph["nodes"] if [node.get(key) for key in keys] != before[node["id"]]]
    return {
        "selectedNodeIds": result.selected,
        "core": _ids(result.core),
        "recall": _ids(result.recalled),
        "stats": stbme_retrieve.statistics(result),
        "llm_calls": model.calls,
        "llm_candidates": offered[0] if offered else None,
        "embed_calls": len(embedder.inputs),
        "changed_nodes": [{"id": node["id"], **{key: node.get(key) for key in keys}} for node in changed],
    }
