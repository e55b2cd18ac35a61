"""Vectors whose recorded value we do not want, with the reason and the right value.

DESIGN §5 decides. A rule names a function and says to which inputs it applies (the kept-back vectors have
other ids than those handed out); the runner checks that the right value is what our program gives.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import re
import shlex
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


# --- Booku: memory_command (DESIGN §5, CLI grammar) ---------------------------------------------------

_RECORD = [
    "title",
    "content",
    "body",
    "type",
    "memory_type",
    "status",
    "person_id",
    "core_tags",
    "core",
    "diffusion_tags",
    "diffusion",
    "opposing_tags",
    "opposing",
    "triple_tags",
    "triplet",
    "relation_ids",
    "relation_memory_ids",
    "relation_aliases",
    "related_people",
    "event_start_at",
    "start_at",
    "event_end_at",
    "end_at",
    "knowledge_type",
    "place_type",
    "asset_type",
    "disposition_status",
    "procedure_type",
    "address_or_coord",
    "address",
]
_IDS = ["id", "ids", "memory_id", "memory_ids"]
_OPTIONS: dict[str, list[str]] = {
    "search": [
        "topn",
        "top_n",
        "n",
        "query",
        "q",
        "type",
        "memory_type",
        "status",
        "person_id",
        "relation_of",
        "related_to",
        "include_archived",
        "include_knowledge",
        "include_related",
        "related",
        "core_tags",
        "core",
        "diffusion_tags",
        "diffusion",
        "opposing_tags",
        "opposing",
        "triple_tags",
        "triplet",
    ],
    "read": _IDS,
    "create": _RECORD,
    "update": [*_RECORD, *_IDS],
    "delete": ["hard", *_IDS],
}
_TYPES = ["person", "event", "knowledge", "place", "asset", "procedure"]
_STATUSES = ["active", "archived", "expired"]


def _refused(segment: str) -> str:
    """Our error for a command with an option, type or status that there is not; "" for a good one."""
    tokens = shlex.split(segment)
    known = _OPTIONS.get(tokens[0].lower())
    if known is None:
        return ""
    keys = [token.lstrip("-").lower() for token in tokens[1:] if token.startswith("-") and token.strip("-")]
    if any(key not in known for key in keys):
        return "unknown_option"
    values = dict(itertools.pairwise(tokens))
    if values.get("-type", "knowledge").lower() not in _TYPES:
        return "unknown_type"
    return "" if values.get("-status", "active").lower() in _STATUSES else "unknown_status"


def _first_refused(case: Case) -> tuple[int, str, str] | None:
    """Place, text and error of the first command that we refuse although the original ran it."""
    results = case.expected["payload"]["results"]
    for at, result in enumerate(results):
        if result["success"] and (error := _refused(result["command"])):
            return at, result["command"], error
    return None


@rule(
    "execute",
    "DESIGN §5, CLI grammar: unknown option, type or status is an error (the original ignored them)",
    lambda case: _first_refused(case) is not None,
)
def _refusal(case: Case) -> Any:
    refused = _first_refused(case)
    assert refused is not None
    at, command, error = refused
    before = case.expected["payload"]["results"][:at]
    calls = sum(result["result"].get("action") != "help" for result in before)
    results = [*before, {"command": command, "success": False, "error": error}]
    payload = {"action": "memory_command", "ok": False, "executed": len(results), "results": results}
    return {"tool_success": True, "payload": payload, "service_calls": case.expected["service_calls"][:calls]}


def _balanced(text: str) -> bool:
    try:
        shlex.split(text)
    except ValueError:
        return False
    return True


def _quoted_separator(text: str) -> bool:
    """Whether `&&` stands inside quotes: the whole can be read, the pieces of a plain split cannot."""
    return _balanced(text) and not all(_balanced(part) for part in text.split("&&"))


@rule(
    "split_segments",
    "DESIGN §5, CLI grammar: && inside quotes does not split",
    lambda case: _quoted_separator(case.inputs["command"]),
)
def _unsplit(case: Case) -> Any:
    """The pieces of the plain split, joined again where a quotation mark was open."""
    joined: list[str] = []
    for part in case.inputs["command"].split("&&"):
        if joined and (joined[-1].count('"') % 2 or joined[-1].count("'") % 2):
            joined[-1] += "&&" + part
        else:
            joined.append(part)
    return [part.strip() for part in joined if part.strip()]


@rule(
    "parse_segment",
    "DESIGN §5, CLI grammar: -key=value gives a value that may start with -",
    lambda case: (
        _balanced(case.inputs["segment"])
        and any(token.startswith("-") and "=" in token for token in shlex.split(case.inputs["segment"]))
    ),
)
def _key_value(case: Case) -> Any:
    tokens = shlex.split(case.inputs["segment"])
    options: dict[str, list[str]] = {}
    for at, token in enumerate(tokens[1:], start=1):
        if token.startswith("-") and "=" in token:
            key, _, value = token.lstrip("-").partition("=")
        elif token.strip("-") and token.startswith("-"):
            following = tokens[at + 1] if at + 1 < len(tokens) else "-"
            key, value = token.lstrip("-"), "true" if following.startswith("-") else following
        else:
            continue
        options.setdefault(key.lower(), []).append(value)
    return [tokens[0].lower(), options]


_QUOTED_SEARCH = re.compile(r"""\s*search\s+-(?:query|q)\s+(["'])([^"']*&&[^"']*)\1\s*""")


@rule(
    "execute",
    "DESIGN §5, CLI grammar: && inside quotes does not split",
    lambda case: _QUOTED_SEARCH.fullmatch(case.inputs["command"]) is not None,
)
def _unsplit_search(case: Case) -> Any:
    found = _QUOTED_SEARCH.fullmatch(case.inputs["command"])
    assert found is not None
    arguments: dict[str, Any] = dict.fromkeys(["memory_type", "status", "person_id", "relation_of"])
    arguments |= {
        "top_n": 10,
        "query_text": found[2],
        "core_tags": [],
        "diffusion_tags": [],
        "opposing_tags": [],
    }
    arguments |= {"include_archived": False, "include_knowledge": True, "include_related": False}
    result = {
        "command": case.inputs["command"].strip(),
        "success": True,
        "result": {"ok": "search_memory_entries"},
    }
    return {
        "tool_success": True,
        "payload": {"action": "memory_command", "ok": True, "executed": 1, "results": [result]},
        "service_calls": [{"method": "search_memory_entries", "kwargs": arguments}],
    }


# --- Booku: text ----------------------------------------------------------------------------------------


@rule(
    "split_title_and_content",
    "spec/BOOKU §8.19: a title that is only the beginning of the heading must not eat part of it",
    lambda case: (
        bool(case.inputs["title"].strip())
        and case.inputs["content"].startswith(f"# {case.inputs['title'].strip()}")
        and case.inputs["content"].split("\n")[0].rstrip() != f"# {case.inputs['title'].strip()}"
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
    return (
        ",".join(map(str, value))
        if isinstance(value, list)
        else str(value if value not in (None, "") else "空")
    )


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


@rule(
    "reinforceAccess",
    "spec/STBME §8.26: importance 0 is a value, not a missing one",
    lambda case: (
        case.inputs["node"].get("importance") == 0 and not isinstance(case.inputs["node"]["importance"], bool)
    ),
)
def _zero_importance(case: Case) -> Any:
    return {**case.expected, "importance": 0.1}


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


@rule("retrieve", _NOTHING, lambda case: case.note.startswith("quirk:"))
def _retrieve_usable(case: Case) -> Any:
    """The same as without those nodes; only the count of active nodes still has the hidden ones."""
    graph, options = case.inputs["graph"], case.inputs["options"]
    if len(_only_usable(graph, options)["nodes"]) == len(graph["nodes"]):
        return case.expected
    value = TABLE[case.function].run({**copy.deepcopy(case.inputs), "graph": _only_usable(graph, options)})
    active = sum(not node.get("archived") for node in graph["nodes"])
    return {**value, "stats": {**value["stats"], "totalActive": active}}


@rule("reconstructSceneNodeIds", _NOTHING, lambda case: case.note.startswith("quirk:"))
def _scene_usable(case: Case) -> Any:
    graph = _only_usable(case.inputs["graph"], {})
    return TABLE[case.function].run({**copy.deepcopy(case.inputs), "graph": graph})


# --- ST-BME: compression (DESIGN §5) ----------------------------------------------------------------------


@rule(
    "compressType",
    "DESIGN §5, compression: a reply without fields is refused",
    lambda case: (
        isinstance(case.inputs["replies"], list)
        and len(case.inputs["replies"]) == 1
        and isinstance(case.inputs["replies"][0], dict)
        and not case.inputs["replies"][0].get("fields")
        and case.expected["result"]["created"] == 1
    ),
)
def _refused_reply(case: Case) -> Any:
    nodes = case.inputs["graph"]["nodes"]
    return {
        "result": {"created": 0, "archived": 0},
        "llm_calls": case.expected["llm_calls"],
        "groups": [],
        "archived": [node["id"] for node in nodes if node["archived"]],
        "active": [node["id"] for node in nodes if not node["archived"]],
        "edges": len(case.inputs["graph"]["edges"]),
    }


def _exactly_fan_in(case: Case) -> bool:
    """Whether a forced compression meets a level with exactly fan-in nodes, where the original stops."""
    if not case.inputs["force"] or not isinstance(case.inputs["replies"], str):
        return False
    fan_in = (case.inputs["compression"] or {}).get("fanIn", 0)
    nodes = [node for node in case.inputs["graph"]["nodes"] if node["type"] == case.inputs["type"]]
    count = sum(not node["archived"] and not node.get("level") for node in nodes)
    return fan_in > 1 and count == fan_in


@rule(
    "compressType", "DESIGN §5, compression: exactly fan-in memories are enough when forced", _exactly_fan_in
)
def _one_group(case: Case) -> Any:
    graph = case.inputs["graph"]
    group = [node for node in graph["nodes"] if node["type"] == case.inputs["type"] and not node["archived"]]
    group.sort(key=lambda node: node["seq"])
    made = "00000000-0000-4000-8000-000000000001"
    tail = max(group, key=lambda node: (node["seq"], graph["nodes"].index(node)))
    vector = case.inputs.get("embed_default")
    node = {
        "id": made,
        "level": 1,
        "childIds": [child["id"] for child in group],
        "seq": group[-1]["seq"],
        "seqRange": [group[0]["seqRange"][0], group[-1]["seqRange"][1]],
        "importance": max(child["importance"] for child in group),
        "fields": {"summary": "总结1"},
        "archived": False,
        "parentId": None,
        "prevId": tail["id"],
        "nextId": None,
        "embedding": vector,
    }
    children = {child["id"] for child in group}
    return {
        "result": {"created": 1, "archived": len(group)},
        "llm_calls": 1,
        "groups": [node],
        "archived": [one["id"] for one in graph["nodes"] if one["archived"] or one["id"] in children],
        "active": [
            *(one["id"] for one in graph["nodes"] if not one["archived"] and one["id"] not in children),
            made,
        ],
        "edges": len(graph["edges"]),
    }
