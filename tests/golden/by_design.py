"""Vectors whose recorded value we do not want, with the reason and the right value.

DESIGN §5 decides. A rule names a function and says to which inputs it applies (the kept-back vectors have
other ids than those handed out); the runner checks that the right value is what our program gives.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.golden.table import TABLE, Case


@dataclass(frozen=True, slots=True)
class Right:
    """What our program gives for a case, and why it is not what was recorded."""

    value: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Rule:
    """`applies` looks at the inputs and the note of a case; `value` gives the right value."""

    function: str
    reason: str
    applies: Callable[[Case], bool]
    value: Callable[[Case], Any]


RULES: list[Rule] = []


def right_value(case: Case) -> Right | None:
    """The right value where we differ, None where the recorded one holds."""
    for rule in RULES:
        if rule.function == case.function and rule.applies(case):
            return Right(rule.value(case), rule.reason)
    return None


def rule(
    function: str, reason: str, applies: Callable[[Case], bool]
) -> Callable[[Callable[[Case], Any]], None]:
    """Enter the decorated "right value of a case" as a rule."""

    def enter(value: Callable[[Case], Any]) -> None:
        RULES.append(Rule(function, reason, applies, value))

    return enter


# --- Booku: text ----------------------------------------------------------------------------------------


def _heading_line(case: Case) -> tuple[str, str]:
    """The heading that the title makes, and the first line of the text without the white space after it."""
    return f"# {case.inputs['title'].strip()}", case.inputs["content"].split("\n")[0].rstrip()


@rule(
    "split_title_and_content",
    "spec/BOOKU §8.19: a title that is only the beginning of the heading must not eat part of it",
    lambda case: (
        bool(case.inputs["title"].strip())
        and case.inputs["content"].startswith(_heading_line(case)[0])
        and _heading_line(case)[1] != _heading_line(case)[0]
    ),
)
def _uneaten(case: Case) -> Any:
    return [case.inputs["title"].strip(), case.inputs["content"]]


# --- ST-BME -----------------------------------------------------------------------------------------------


@rule(
    "importGraph",
    "DESIGN §5, import: a broken file is an error, never a silent empty graph",
    lambda case: (
        case.expected
        == {"version": 3, "lastProcessedSeq": -1, "nodes": [], "edges": [], "lastRecallResult": None}
    ),
)
def _broken_import(case: Case) -> Any:
    try:
        data = (
            json.loads(case.inputs["data"]) if isinstance(case.inputs["data"], str) else case.inputs["data"]
        )
    except ValueError:
        data = None
    good = isinstance(data, dict) and bool(data.get("version"))
    return case.expected if good else {"raises": "BrokenGraph"}


@rule(
    "buildFieldChangeSummary",
    "spec/STBME §8.15: equal lists are no change (the original compared identity)",
    lambda case: any(
        isinstance(value, list | dict) and case.inputs["after"].get(key) == value
        for key, value in case.inputs["before"].items()
    ),
)
def _equal_lists(case: Case) -> Any:
    before, after = case.inputs["before"], case.inputs["after"]
    keys = [
        key
        for key in {**before, **after}
        if key not in before or key not in after or before[key] != after[key]
    ]
    return "；".join(f"{key}: {_plain(before.get(key))} -> {_plain(after.get(key))}" for key in keys[:3])


def _plain(value: Any) -> str:
    shown = ",".join(map(str, value)) if isinstance(value, list) else value
    return "空" if shown in (None, "") else str(shown)


def _equal_again(operation: Any, nodes: Mapping[str, Any]) -> list[str]:
    """Fields that an update gives a list or an object which the node has already."""
    if not isinstance(operation, dict) or operation.get("action") != "update":
        return []
    before = (nodes.get(str(operation.get("nodeId"))) or {}).get("fields") or {}
    return [
        key
        for key, value in (operation.get("fields") or {}).items()
        if isinstance(value, list | dict) and before.get(key) == value
    ]


def _without_equal_lists(case: Case) -> tuple[list[Any], bool]:
    """The operations without the fields that change nothing, and whether there was one."""
    nodes = {str(node.get("id")): node for node in case.inputs["graph"]["nodes"]}
    operations = copy.deepcopy(case.inputs.get("operations") or [])
    found = False
    for operation in operations:
        for key in _equal_again(operation, nodes):
            found = True
            del operation["fields"][key]
    return operations, found


@rule(
    "extractMemories",
    "spec/STBME §8.15: equal lists are no change (the original compared identity)",
    lambda case: _without_equal_lists(case)[1],
)
def _no_event_for_equal_lists(case: Case) -> Any:
    """The same as if those fields had not been given."""
    operations, _ = _without_equal_lists(case)
    return TABLE[case.function].run({**copy.deepcopy(case.inputs), "operations": operations})


_HALF = re.compile("[\ud800-\udfff]")


@rule(
    "formatInjection",
    "spec/STBME §8.31: a cell cut in the middle of an emoji loses it; half a character cannot be written as UTF-8",
    lambda case: _HALF.search(case.expected["text"]) is not None,
)
def _whole_characters(case: Case) -> Any:
    text, trimmed = (_HALF.sub("", case.expected[key]) for key in ("text", "trimmed"))
    han = sum("\u4e00" <= char <= "\u9fff" for char in trimmed)
    units = sum(1 + (char > "\uffff") for char in trimmed)
    return {"text": text, "trimmed": trimmed, "tokens": math.ceil(han / 2 + (units - han) / 4)}


_ZERO = "spec/STBME §8.26: importance 0 is a value, not a missing one"
_STEP = 0.1


def _is_zero(node: Mapping[str, Any]) -> bool:
    return node.get("importance") == 0 and not isinstance(node["importance"], bool)


@rule("reinforceAccess", _ZERO, lambda case: _is_zero(case.inputs["node"]))
def _zero_importance(case: Case) -> Any:
    return {**case.expected, "importance": _STEP}


@rule("reinforceAccess x60", _ZERO, lambda case: _is_zero(case.inputs["node"]))
def _zero_importance_again(case: Case) -> Any:
    return {**case.expected, "importance": min(10.0, _STEP * case.inputs["times"])}


# --- ST-BME: archived and hidden nodes take part in nothing (DESIGN §5, visibility and diffusion) -----------

_NOTHING = "DESIGN §5: diffusion, core and scene skip archived and hidden memories"


def _hidden(node: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    viewer = options.get("visibilityFilter") if options.get("enableVisibility") else None
    names = (node.get("fields") or {}).get("visibility")
    if not viewer or not names or not isinstance(names, list | str):
        return False
    listed = names if isinstance(names, list) else [name.strip() for name in names.split(",")]
    return viewer not in listed and "*" not in listed


def _only_usable(graph: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The graph as if archived and hidden nodes had never been in it."""
    nodes = [node for node in graph["nodes"] if not node.get("archived") and not _hidden(node, options)]
    ids = {node["id"] for node in nodes}
    edges = [edge for edge in graph["edges"] if edge["fromId"] in ids and edge["toId"] in ids]
    return copy.deepcopy({**graph, "nodes": nodes, "edges": edges})


def _unusable(case: Case) -> set[str]:
    graph, options = case.inputs["graph"], case.inputs.get("options") or {}
    usable = {node.get("id") for node in _only_usable(graph, options)["nodes"]}
    return {node.get("id") for node in graph["nodes"]} - usable


def _unusable_takes_part(case: Case) -> bool:
    """Whether an archived or hidden node is shown, chosen or asked for, or could hand energy on."""
    unusable = _unusable(case)
    named = json.dumps([case.expected, case.inputs.get("seeds")])
    linked = (end for edge in case.inputs["graph"]["edges"] for end in (edge.get("fromId"), edge.get("toId")))
    return any(f'"{name}"' in named for name in unusable) or any(end in unusable for end in linked)


@rule("retrieve", _NOTHING, _unusable_takes_part)
def _retrieve_usable(case: Case) -> Any:
    """The same as without those nodes; only the count of active nodes still has the hidden ones."""
    graph, options = case.inputs["graph"], case.inputs["options"]
    if len(_only_usable(graph, options)["nodes"]) == len(graph["nodes"]):
        return case.expected
    value = TABLE[case.function].run({**copy.deepcopy(case.inputs), "graph": _only_usable(graph, options)})
    active = sum(not node.get("archived") for node in graph["nodes"])
    return {**value, "stats": {**value["stats"], "totalActive": active}}


def _recalled_zeros(case: Case) -> set[str]:
    """Ids of nodes of importance 0 that were recalled; the original raised them as if they had none."""
    zeros = {node.get("id") for node in case.inputs["graph"]["nodes"] if _is_zero(node)}
    return zeros & {row["id"] for row in case.expected["changed_nodes"]}


@rule("retrieve", _ZERO, lambda case: bool(_recalled_zeros(case)))
def _retrieve_zeros(case: Case) -> Any:
    zeros = _recalled_zeros(case)
    rows = case.expected["changed_nodes"]
    raised = [{**row, "importance": _STEP} if row["id"] in zeros else row for row in rows]
    return {**case.expected, "changed_nodes": raised}


@rule("reconstructSceneNodeIds", _NOTHING, _unusable_takes_part)
def _scene_usable(case: Case) -> Any:
    graph = _only_usable(case.inputs["graph"], {})
    return TABLE[case.function].run({**copy.deepcopy(case.inputs), "graph": graph})
