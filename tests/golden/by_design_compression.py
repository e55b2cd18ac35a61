"""What compression gives where DESIGN §5 differs from the original: worked out anew from the inputs of the case.

Two differences: a reply without fields is refused, and a forced compression takes exactly fan-in memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.algos.json_reply import first_json
from tests.golden.by_design import rule
from tests.golden.stbme_schema import default_schema
from tests.golden.table import Case

_ATTEMPTS = 2
_SHOWN = (
    *("id", "level", "childIds", "seq", "seqRange", "importance", "fields", "archived", "parentId", "prevId"),
    *("nextId", "embedding"),
)

Node = dict[str, Any]


class _Replies:
    """The recorder's model: numbered summaries, or the replies of the case, an unreadable one asked again."""

    def __init__(self, given: Any) -> None:
        self._left = _summaries() if isinstance(given, str) else iter(given or [])
        self.calls = 0

    def next(self) -> Any:
        for _ in range(_ATTEMPTS):
            self.calls += 1
            reply = next(self._left, None)
            reply = first_json(reply) if isinstance(reply, str) else reply
            if reply is not None:
                return reply
        return None


def _summaries() -> Iterator[dict[str, Any]]:
    return ({"fields": {"summary": f"总结{number}"}} for number in range(1, 10_000))


def _types(case: Case) -> list[tuple[str, Mapping[str, Any]]]:
    if case.function == "compressAll":
        return [(item["id"], item["compression"]) for item in default_schema()]
    return [(case.inputs["type"], case.inputs["compression"] or {})]


def _active(nodes: list[Node], kind: str, level: int) -> list[Node]:
    found = [
        node for node in nodes if node["type"] == kind and not node["archived"] and node["level"] == level
    ]
    return sorted(found, key=lambda node: float(node["seq"]))


def _groups(
    nodes: list[Node], kind: str, level: int, compression: Mapping[str, Any], forced: bool
) -> list[list[Node]]:
    fan_in = compression["fanIn"]
    own = _active(nodes, kind, level)
    exactly = forced and level == 0 and len(own) == fan_in > 1
    least = max(2, fan_in) if forced else compression["threshold"]
    candidates = own if forced else own[: max(0, len(own) - compression["keepRecentLeaves"])]
    if (len(own) <= least and not exactly) or len(candidates) < fan_in:
        return []
    cut = [candidates[start : start + fan_in] for start in range(0, len(candidates), fan_in)]
    return [group for group in cut if len(group) > 1]


def _parent(
    nodes: list[Node], group: list[Node], fields: Mapping[str, Any], number: int, vector: Any
) -> Node:
    leaves = _active(nodes, group[0]["type"], 0)
    return {
        "id": f"00000000-0000-4000-8000-{number:012x}",
        "type": group[0]["type"],
        "level": group[0]["level"] + 1,
        "childIds": [node["id"] for node in group],
        "seq": group[-1]["seq"],
        "seqRange": [group[0]["seqRange"][0], group[-1]["seqRange"][1]],
        "importance": max(node["importance"] for node in group),
        "fields": dict(fields),
        "archived": False,
        "parentId": None,
        "prevId": leaves[-1]["id"] if leaves else None,
        "nextId": None,
        "embedding": vector if fields.get("summary") else None,
    }


def _worked_out(case: Case) -> Any:
    given = [dict(node) for node in case.inputs["graph"]["nodes"]]
    nodes, made, hidden = list(given), [], 0
    replies = _Replies(case.inputs["replies"])
    for kind, compression in _types(case):
        hierarchical = compression.get("mode") == "hierarchical"
        for level in range(compression["maxDepth"] if hierarchical else 0):
            before = len(made)
            for group in _groups(nodes, kind, level, compression, bool(case.inputs["force"])):
                reply = replies.next()
                fields = reply.get("fields") if isinstance(reply, Mapping) else None
                if not fields:
                    continue
                parent = _parent(nodes, group, fields, len(made) + 1, case.inputs.get("embed_default"))
                nodes.append(parent)
                made.append(parent)
                hidden += len(group)
                for node in group:
                    node["archived"], node["parentId"] = True, parent["id"]
            if len(made) == before:
                break
    return {
        "result": {"created": len(made), "archived": hidden},
        "llm_calls": replies.calls,
        "groups": [{key: node[key] for key in _SHOWN} for node in made],
        "archived": [node["id"] for node in nodes if node["archived"]],
        "active": [node["id"] for node in nodes if not node["archived"]],
        "edges": len(case.inputs["graph"]["edges"]),
    }


def _without_fields(case: Case) -> bool:
    """Whether the original made a node of a reply that has no fields."""
    return any(not group["fields"] for group in case.expected["groups"])


def _exactly_fan_in(case: Case) -> bool:
    """Whether a forced compression meets exactly fan-in memories, where the original stops."""
    nodes = case.inputs["graph"]["nodes"]
    return bool(case.inputs["force"]) and any(
        compression.get("mode") == "hierarchical" and len(_active(nodes, kind, 0)) == compression["fanIn"] > 1
        for kind, compression in _types(case)
    )


for _function in ("compressType", "compressAll"):
    rule(_function, "DESIGN §5, compression: a reply without fields is refused", _without_fields)(_worked_out)
    rule(
        _function, "DESIGN §5, compression: exactly fan-in memories are enough when forced", _exactly_fan_in
    )(_worked_out)
