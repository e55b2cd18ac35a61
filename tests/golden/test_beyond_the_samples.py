"""Vectors of our own beside the recorded ones: corners that the specs decide and no sample holds.

The expected values were worked out from spec/BOOKU and spec/STBME, those of ST-BME with JavaScript.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden.runner import Outcome, run_case
from tests.golden.table import TABLE, Case

NOW = 1767225600000
COMMAND = "memory_command"


def verdict(function: str, inputs: dict[str, Any], expected: Any) -> tuple[Outcome, str]:
    found = run_case(Case(Path("stbme/own.json"), "own", function, inputs, expected, tolerance=1e-12))
    return found.outcome, found.reason


def node(node_id: str, kind: str = "event", seq: int = 0, **values: Any) -> dict[str, Any]:
    return {
        "id": node_id,
        "type": kind,
        "level": 0,
        "parentId": None,
        "childIds": [],
        "seq": seq,
        "seqRange": [seq, seq],
        "archived": False,
        "fields": {"summary": node_id},
        "embedding": None,
        "importance": 5,
        "accessCount": 0,
        "lastAccessTime": NOW,
        "createdTime": NOW,
        "prevId": None,
        "nextId": None,
        "clusters": [],
        **values,
    }


def graph(*nodes: dict[str, Any], edges: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "version": 3,
        "lastProcessedSeq": 2,
        "nodes": list(nodes),
        "edges": list(edges),
        "lastRecallResult": None,
    }


HALF = "\ud83d"
NUMBERS = graph(node("a", importance=1e-7, embedding=[1e21, 5.0], fields={"summary": HALF, "n": -0.0}))

EXPORTED = """{
  "version": 3,
  "lastProcessedSeq": 1,
  "nodes": [
    {
      "id": "a",
      "x": [],
      "y": [
        1e-7
      ],
      "embedding": null
    }
  ],
  "edges": [],
  "lastRecallResult": null
}"""

PASSING: list[tuple[str, dict[str, Any], Any]] = [
    ("clampInt", {"args": [None, 5, 1, 50]}, 5),
    ("clampInt", {"args": ["", 5, 1, 50]}, 5),
    ("clampInt", {"args": ["Infinity", 5, 1, 50]}, 5),
    ("clampInt", {"args": [1e21, 5, 1, 50]}, 1),
    ("clampInt", {"args": [0.0000005, 1, 0, 20]}, 5),
    ("clampFloat", {"args": [".5x", 0.6, 0, 1]}, 0.5),
    ("clampFloat", {"args": [[0.25, 1], 0.6, 0, 1]}, 0.25),
    ("estimateTokens", {}, 0),
    ("estimateTokens", {"text": "\ufeff👨‍👩‍👧"}, 3),
    ("extractJSON", {"text": '\ufeff\u3000{"a":1}\u00a0'}, {"a": 1}),
    ("extractJSON", {"text": "```JSON\n[1]\n``` ```json\n[2]\n```"}, [1]),
    ("extractJSON", {"text": "}{"}, None),
    ("extractJSON", {"text": '{"a":NaN}'}, None),
    ("timeDecayFactor", {"createdTime": NOW - 86400000, "now": NOW}, 0.8 + 0.2 / (1 + 0.6931471805599453)),
    ("buildFieldChangeSummary", {"before": {"a": 1e21, "b": 0.1}, "after": {"a": 1e-7, "b": True}},
     "a: 1e+21 -> 1e-7；b: 0.1 -> true"),
    ("buildFieldChangeSummary", {"before": {"a": 1}, "after": {"a": True}}, "a: 1 -> true"),
    ("deserializeGraph", {"data": '{"version":0,"nodes":[],"edges":[{"id":"e","createdTime":7}]}', "now": NOW},
     {"version": 3, "lastProcessedSeq": -1, "nodes": [], "lastRecallResult": None,
      "edges": [{"id": "e", "createdTime": 7, "validAt": 7, "invalidAt": None, "expiredAt": None}]}),
    ("deserializeGraph", {"data": {"version": 9, "nodes": [], "edges": [], "x": 1}, "now": NOW},
     {"version": 9, "lastProcessedSeq": -1, "nodes": [], "edges": [], "lastRecallResult": None, "x": 1}),
    ("exportGraph", {"graph": {"version": 3, "lastProcessedSeq": 1.0, "nodes": [{"id": "a", "x": [], "y": [1e-7]}],
                               "edges": [], "lastRecallResult": None}},
     EXPORTED),
    ("serializeGraph", {"graph": {"a": [1e21, -0.0, 1e16, 0.1, HALF, "\u2028"]}},
     '{"a":[1e+21,0,10000000000000000,0.1,"\\ud83d","\u2028"]}'),
    ("propagateActivation + diffuseAndRank",
     {"adjacency": {"a": [None, {"targetId": "b", "strength": "0.5", "edgeType": 0}], "z": None},
      "seeds": [None, {"id": "a", "energy": 1}], "options": {}},
     {"energies": [["a", 1], ["b", 0.3]], "ranked": [{"nodeId": "a", "energy": 1}, {"nodeId": "b", "energy": 0.3}]}),
    ("graph script",
     {"start": graph(), "now": NOW, "steps": [
         {"op": "createAndAddNode", "as": "a", "params": {"type": "rule", "seq": 1}, "now": NOW + 5},
         {"op": "createAndAddNode", "as": "b", "params": {"type": "event", "seq": 2}},
         {"op": "updateNode", "id": "$b", "updates": {"fields": {"summary": "y"}, "importance": 42}}]},
     {"returns": ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", True],
      "graph": graph(
          node("00000000-0000-4000-8000-000000000001", "rule", 1, fields={}, createdTime=NOW + 5,
               lastAccessTime=NOW + 5),
          node("00000000-0000-4000-8000-000000000002", "event", 2, fields={"summary": "y"}, importance=42,
               createdTime=NOW + 5, lastAccessTime=NOW + 5))}),
    ("dedup_select", {"candidates": [{"id": "a", "embedding": ["x"], "score": 9},
                                     {"id": "b", "embedding": [[1, 0]], "score": 1}],
                      "limit": 5, "similarity_threshold": 0.88}, ["b"]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "inputs", "expected"), PASSING, ids=lambda value: str(value)[:40])
def test_corner_gives_what_the_spec_says(function: str, inputs: dict[str, Any], expected: Any) -> None:
    assert verdict(function, inputs, expected) == (Outcome.PASSED, "")


def extraction(nodes: dict[str, Any], operations: list[Any]) -> dict[str, Any]:
    return {
        "graph": nodes,
        "operations": operations,
        "messages": [{"seq": 4, "role": "assistant", "content": "x"}],
        "now": NOW,
    }


def test_broken_links_do_not_stop_the_good_ones() -> None:
    links = [7, {"targetNodeId": "a", "relation": ["x"]}, {"targetNodeId": "b", "relation": "advances"}]
    operations = [{"action": "create", "type": "thread", "fields": {"title": "t"}, "links": links}]
    found = TABLE["extractMemories"].run(extraction(graph(node("a"), node("b")), operations))
    assert [edge["relation"] for edge in found["graph"]["edges"]] == ["related", "advances"]


def test_equal_list_in_an_update_differs_by_design() -> None:
    """The original records a change of a list that is the same."""
    old = node("c", "character", fields={"name": "艾琳", "allies": ["罗安"]}, seq=2)
    inputs = extraction(graph(old), [{"action": "update", "nodeId": "c", "fields": {"allies": ["罗安"]}}])
    original = {
        "result": {
            "success": True,
            "newNodes": 1,
            "updatedNodes": 1,
            "newEdges": 1,
            "newNodeIds": [],
            "processedRange": [4, 4],
        }
    }
    assert verdict("extractMemories", inputs, original)[0] is Outcome.BY_DESIGN


@pytest.mark.parametrize("replies", ["numbered", [{"fields": {"summary": "x"}}]])
def test_exactly_fan_in_memories_differ_by_design(replies: Any) -> None:
    nodes = graph(node("a", seq=1), node("b", seq=2), node("c", seq=3))
    rule = {"mode": "hierarchical", "threshold": 9, "fanIn": 3, "maxDepth": 4, "keepRecentLeaves": 6}
    inputs = {"graph": nodes, "type": "event", "force": True, "compression": rule, "replies": replies}
    original = {
        "result": {"created": 0, "archived": 0},
        "llm_calls": 0,
        "groups": [],
        "archived": [],
        "active": ["a", "b", "c"],
        "edges": 0,
    }
    assert verdict("compressType", {**inputs, "embed_default": None, "now": NOW}, original) == (
        Outcome.BY_DESIGN,
        "DESIGN §5, compression: exactly fan-in memories are enough when forced",
    )


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("read -folder x", "unknown_option"),
        ("search -memory_type nonsense", "unknown_type"),
        ("search -query 'a && b' -status odd", "unknown_status"),
    ],
)
def test_command_with_what_there_is_not_differs_by_design(command: str, error: str) -> None:
    results = [{"command": command, "success": False, "error": "read_needs_id"}]
    payload = {"action": COMMAND, "ok": False, "executed": 1, "results": results}
    original = {"tool_success": True, "payload": payload, "service_calls": []}
    assert verdict("execute", {"command": command}, original)[0] is Outcome.BY_DESIGN
    assert TABLE["execute"].run({"command": command})["payload"]["results"][0]["error"] == error


def test_numbers_of_a_written_graph_can_be_read_again() -> None:
    text = TABLE["serializeGraph"].run({"graph": NUMBERS})
    assert json.loads(text) == NUMBERS
