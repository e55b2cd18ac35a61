"""Adapters for the pure functions of ST-BME."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.algos import (
    anchors,
    batching,
    changes,
    decay,
    diffusion,
    injection,
    js_values,
    json_reply,
    schema_check,
    scoring,
    stbme_graph,
    tokens,
    trigger,
    vectors,
    visibility,
)
from tests.golden.stbme_schema import schema_of
from tests.golden.table import Inputs, golden

CLOCK_MS = 1767225600000
DAY_MS = 86_400_000


def made_ids() -> Iterator[str]:
    """The recorder's ids; compared up to renaming."""
    return (f"00000000-0000-4000-8000-{number:012x}" for number in itertools.count(1))


def now_of(given: Inputs) -> int:
    return int(given.get("now") or CLOCK_MS)


def vector(values: Any) -> vectors.Vector:
    return vectors.as_vector(values)


golden("cosineSimilarity")(lambda given: vectors.cosine(vector(given["a"]), vector(given["b"])))
golden("clampInt")(lambda given: js_values.clamp_int(*given["args"]))
golden("clampFloat")(lambda given: js_values.clamp_float(*given["args"]))
golden("estimateTokens")(lambda given: tokens.estimate_tokens(given["text"] or ""))
golden("extractJSON")(lambda given: json_reply.first_json(given["text"] or ""))
golden("buildFieldChangeSummary")(
    lambda given: changes.change_summary(given["before"] or {}, given["after"] or {})
)


@golden("searchSimilar")
def _similar(given: Inputs) -> Any:
    rows = [vector(item.get("embedding")) for item in given["candidates"]]
    top = given.get("topK")
    found = vectors.most_similar(vector(given["query"]), rows, 20 if top is None else top)
    return [{"nodeId": given["candidates"][at]["nodeId"], "score": score} for at, score in found]


def _number_or(value: Any, default: float) -> float:
    number = js_values.number(value)
    return default if value is None or math.isnan(number) else number


@golden(
    "propagateActivation + diffuseAndRank", shape=lambda value: {**value, "energies": dict(value["energies"])}
)
def _diffuse(given: Inputs) -> Any:
    adjacency, seeds, options = given["adjacency"], given["seeds"], given["options"] or {}
    rows = (adjacency or {}).items()
    links = [(start, link) for start, row in rows for link in row or [] if link and link.get("targetId")]
    given_seeds = [seed for seed in seeds or [] if seed and seed.get("id")]
    seeds = [(seed["id"], _number_or(seed.get("energy"), 0.0)) for seed in given_seeds]
    named = [name for start, link in links for name in (start, link["targetId"])]
    ids = list(dict.fromkeys([*(name for name, _ in seeds), *named]))
    place = {name: at for at, name in enumerate(ids)}
    built = diffusion.Links.build(
        len(ids),
        [place[start] for start, _ in links],
        [place[link["targetId"]] for _, link in links],
        [_number_or(link.get("strength"), 0.0) for _, link in links],
        [link.get("edgeType") == stbme_graph.INHIBITORY for _, link in links],
    )
    names = {
        "maxSteps": "steps",
        "decayFactor": "decay",
        "topK": "keep",
        "minEnergy": "smallest",
        "maxEnergy": "largest",
    }
    how = diffusion.Spread(**{names[key]: value for key, value in options.items() if value is not None})
    energies = diffusion.spread(built, [(place[name], energy) for name, energy in seeds], how)
    ties = np.argsort(np.argsort(np.array(ids, dtype=object), kind="stable")) if ids else None
    order = diffusion.ranked(energies, ties)
    return {
        "energies": [[ids[at], float(energies[at])] for at in np.flatnonzero(energies).tolist()],
        "ranked": [{"nodeId": ids[at], "energy": float(energies[at])} for at in order.tolist()],
    }


@golden("timeDecayFactor")
def _decay(given: Inputs) -> Any:
    return float(decay.time_decay((now_of(given) - given["createdTime"]) / DAY_MS))


@golden("hybridScore")
def _score(given: Inputs) -> Any:
    params, weights, now = given["params"], given["weights"] or {}, now_of(given)

    def weight(name: str, default: float) -> float:
        return default if weights.get(name) is None else float(weights[name])

    def part(name: str, default: float) -> float:
        return default if params.get(name) is None else float(params[name])

    return float(
        scoring.hybrid_score(
            part("graphScore", 0.0),
            part("vectorScore", 0.0),
            part("importance", decay.DEFAULT_IMPORTANCE),
            (now - part("createdTime", now)) / DAY_MS,
            scoring.ScoreWeights(
                weight("graphWeight", 0.6), weight("vectorWeight", 0.3), weight("importanceWeight", 0.1)
            ),
        )
    )


def reinforce(node: dict[str, Any], now: int) -> None:
    node["accessCount"] = (node.get("accessCount") or 0) + 1
    node["importance"] = decay.reinforced(node.get("importance"))
    node["lastAccessTime"] = now


@golden("reinforceAccess")
def _reinforce(given: Inputs) -> Any:
    node = dict(given["node"])
    for _ in range(int(given.get("times") or 1)):
        reinforce(node, now_of(given))
    return node


golden("reinforceAccess x60")(_reinforce)


@golden("decayEdgeWeights")
def _wear(given: Inputs) -> Any:
    edges, used = given["edges"], set(given.get("activated") or [])
    rate = given.get("decayRate")
    worn = decay.worn_strengths(
        [float(edge["strength"]) for edge in edges],
        [edge["id"] in used for edge in edges],
        0.02 if rate is None else rate,
    )
    return [{**edge, "strength": strength} for edge, strength in zip(edges, worn, strict=True)]


@golden("extractEntityAnchors")
def _anchors(given: Inputs) -> Any:
    fields = [node.get("fields") or {} for node in given["nodes"]]
    found = anchors.contained_names(
        given["message"] or "", [(row.get("name"), row.get("title")) for row in fields]
    )
    return [{"nodeId": given["nodes"][at]["id"], "entity": name} for at, name in found]


@golden("filterByVisibility")
def _visible(given: Inputs) -> Any:
    viewer = given.get("viewer") or ""
    return [
        node["id"]
        for node in given["nodes"]
        if visibility.original_sees((node.get("fields") or {}).get("visibility"), viewer)
    ]


# --- Chat -------------------------------------------------------------------------------------------------

_REASONS = {
    trigger.Trigger.KEYWORDS: "关键词: ",
    trigger.Trigger.PATTERN: "自定义触发: ",
    trigger.Trigger.EXCHANGE: "多轮往返互动",
    trigger.Trigger.EMOTION: "情绪/冲突波动",
    trigger.Trigger.ENTITY: "疑似新实体/新地点",
}


def trigger_decision(chat: list[Any], last: Any, settings: Mapping[str, Any]) -> trigger.TriggerDecision:
    start = int(last) if js_values.is_finite_number(last) else -1
    messages = [
        (bool(line.get("is_user")), str(line.get("mes") or ""))
        for line in chat[max(0, start + 1) :]
        if not line.get("is_system") and str(line.get("mes") or "").strip()
    ]
    threshold = settings.get("smartTriggerThreshold")
    patterns = trigger.split_patterns(str(settings.get("triggerPatterns") or ""))
    return trigger.decide(
        messages, patterns, js_values.number(threshold) if threshold else trigger.DEFAULT_THRESHOLD
    )


@golden("getSmartTriggerDecision")
def _trigger(given: Inputs) -> Any:
    made = trigger_decision(given["chat"], given.get("lastProcessed"), given.get("settings") or {})
    return {
        "triggered": made.triggered,
        "score": made.score,
        "reasons": [_REASONS[reason.trigger] + ", ".join(reason.found) for reason in made.reasons],
    }


@golden("extraction batching")
def _batching(given: Inputs) -> Any:
    chat, last, settings = given["chat"], given["lastProcessedSeq"], given.get("settings") or {}
    lines = [
        batching.ChatLine(str(raw.get("mes") or ""), raw.get("is_user"), bool(raw.get("is_system")))
        for raw in chat
    ]
    batch = None
    if settings.get("enabled", True):
        smart = bool(settings.get("enableSmartTrigger"))
        batch = batching.next_batch(
            lines,
            last,
            every=js_values.clamp_int(settings.get("extractEvery"), 1, 1, 50),
            context_turns=js_values.clamp_int(settings.get("extractContextTurns"), 2, 0, 20),
            triggered=smart and trigger_decision(chat, last, settings).triggered,
        )
    if batch is None:
        return {"extracted": False, "messages": None, "lastProcessedSeqAfter": last}
    messages = [
        {
            "seq": floor,
            "role": "user" if lines[floor].by_user else "assistant",
            "first_line": lines[floor].text.split("\n")[0],
        }
        for floor in batch.window
    ]
    return {"extracted": True, "messages": messages, "lastProcessedSeqAfter": max(last, batch.last)}


# --- Injection --------------------------------------------------------------------------------------------

_BUCKET_KEYS = {
    "state": injection.Bucket.STATE,
    "episodic": injection.Bucket.EPISODIC,
    "reflective": injection.Bucket.REFLECTIVE,
    "rule": injection.Bucket.RULE,
    "other": injection.Bucket.OTHER,
}


def rows_of(nodes: Any) -> list[injection.Row]:
    return [
        injection.Row(node.get("id"), str(node.get("type")), node.get("fields") or {})
        for node in nodes or []
        if node
    ]


@golden("formatInjection")
def _injection(given: Inputs) -> Any:
    tables = {
        str(item["id"]): injection.Table(
            item["tableName"], tuple(column["name"] for column in item["columns"])
        )
        for item in schema_of(given["schema"])
    }
    buckets = given.get("groupedRecallNodes")
    recalled = (
        injection.into_buckets(rows_of(given["recallNodes"]))
        if buckets is None
        else {bucket: rows_of(buckets.get(key)) for key, bucket in _BUCKET_KEYS.items()}
    )
    text = injection.injection_text(injection.injection_lines(rows_of(given["coreNodes"]), recalled, tables))
    trimmed = js_values.trim(text)
    return {"text": text, "trimmed": trimmed, "tokens": tokens.estimate_tokens(trimmed)}


@golden("validateSchema")
def _schema(given: Inputs) -> Any:
    findings = schema_check.check_schema(given["schema"])
    return {"valid": not findings, "error_count": len(findings)}


# --- Graph file and operations ----------------------------------------------------------------------------


@golden("deserializeGraph")
def _deserialize(given: Inputs) -> Any:
    """The host's load: a chat without a readable graph starts with an empty one (ours also says so)."""
    try:
        return stbme_graph.read_graph(given.get("data"), now_of(given))
    except stbme_graph.BrokenGraph:
        return stbme_graph.empty_graph()


@golden("importGraph")
def _import(given: Inputs) -> Any:
    return stbme_graph.without_vectors(stbme_graph.read_graph(given["data"], now_of(given)))


golden("exportGraph")(
    lambda given: stbme_graph.write_graph(stbme_graph.without_vectors(given["graph"]), indent=2)
)
golden("createEmptyGraph")(lambda _: stbme_graph.empty_graph())
golden("serializeGraph")(lambda given: stbme_graph.write_graph(given["graph"]))
golden("buildTemporalAdjacencyMap")(lambda given: stbme_graph.adjacency(given["graph"], now_of(given)))


@golden("invalidateEdge")
def _invalidate(given: Inputs) -> Any:
    edge = dict(given["edge"])
    stbme_graph.invalidate_edge(edge, now_of(given))
    return edge


class _Script:
    """Runs the steps of a graph script; `$x` stands for the id that a step saved `as: x`."""

    def __init__(self, given: Inputs) -> None:
        self.graph = given["start"]
        self.now = now_of(given)
        self.ids = made_ids()
        self.names: dict[str, str] = {}

    def resolve(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith("$"):
            return self.names.get(value[1:], value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value

    def run(self, step: dict[str, Any]) -> Any:
        raw, step = step, self.resolve(step)
        self.now = int(step.get("now") or self.now)  # it moves the clock from this step on
        result = self._operation(step, self.now)
        if "as" in raw and isinstance(result, str):
            self.names[raw["as"]] = result
        return result

    def _operation(self, step: dict[str, Any], now: int) -> Any:
        graph, target = self.graph, step.get("id")
        match step["op"]:
            case "createAndAddNode":
                node = stbme_graph.new_node(next(self.ids), step["params"], now)
                node["level"] = step.get("level", 0)
                return stbme_graph.add_node(graph, node)["id"]
            case "createAndAddEdge":
                edge = stbme_graph.new_edge(next(self.ids), step["params"], now) | (step.get("values") or {})
                added = stbme_graph.add_edge(graph, edge)
                return added["id"] if added else None
            case "updateNode":
                updates = step.get("updates") or step.get("values") or step.get("params") or {}
                return stbme_graph.update_node(graph, target, updates)
            case "removeNode":
                return stbme_graph.remove_node(graph, target)
            case "archive":
                stbme_graph.find_node(graph, target)["archived"] = True
            case "set":
                owners = [*graph["nodes"], *graph["edges"]]
                next(owner for owner in owners if owner["id"] == target).update(step["values"])
            case "invalidateEdge":
                for edge in graph["edges"]:
                    if edge["id"] == target:
                        stbme_graph.invalidate_edge(edge, now)
            case "removeEdge":
                return stbme_graph.remove_edge(graph, target)
            case _:
                return self._question(step)
        return None

    def _question(self, step: dict[str, Any]) -> Any:
        graph, target = self.graph, step.get("id")
        match step["op"]:
            case "findLatestNode":
                found = stbme_graph.find_latest(graph, *step["args"])
                return found["id"] if found else None
            case "getActiveNodeIds":
                return [node["id"] for node in stbme_graph.active_nodes(graph, step.get("type"))]
            case "getGraphStats":
                return stbme_graph.statistics(graph)
            case "edgeIds":
                return {
                    "out": [edge["id"] for edge in graph["edges"] if edge["fromId"] == target],
                    "in": [edge["id"] for edge in graph["edges"] if edge["toId"] == target],
                    "all": [edge["id"] for edge in stbme_graph.touching(graph, target)],
                }
        return None


@golden("graph script")
def _graph_script(given: Inputs) -> Any:
    script = _Script(given)
    returns = [script.run(step) for step in given["steps"]]
    return {"returns": returns, "graph": script.graph}
