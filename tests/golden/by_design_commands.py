"""Commands of Booku's `memory_command` that our grammar takes otherwise (DESIGN §5, CLI grammar).

Three differences: an unknown option, type or status is an error; `&&` inside quotes does not split; `-key=value`
gives a value that may start with `-`.
"""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Sequence
from typing import Any

from tests.golden.by_design import rule
from tests.golden.table import TABLE, Case

_TAGS = "core_tags core diffusion_tags diffusion opposing_tags opposing triple_tags triplet"
_IDS = "id ids memory_id memory_ids"
_RECORD = (
    f"title content body type memory_type status person_id {_TAGS} relation_ids relation_memory_ids relation_aliases "
    "related_people event_start_at start_at event_end_at end_at knowledge_type place_type asset_type "
    "disposition_status procedure_type address_or_coord address"
)
_OPTIONS = {
    "search": (
        f"topn top_n n query q type memory_type status person_id relation_of related_to {_TAGS} include_archived "
        "include_knowledge include_related related"
    ).split(),
    "read": _IDS.split(),
    "create": _RECORD.split(),
    "update": f"{_RECORD} {_IDS}".split(),
    "delete": f"hard {_IDS}".split(),
}
_TYPES = ("person", "event", "knowledge", "place", "asset", "procedure")
_STATUSES = ("active", "archived", "expired")


def _balanced(text: str) -> bool:
    try:
        shlex.split(text)
    except ValueError:
        return False
    return True


# --- && inside quotes -------------------------------------------------------------------------------------


def _quoted_separator(text: str) -> bool:
    """Whether `&&` stands inside quotes: the whole can be read, the pieces of a plain split cannot."""
    return _balanced(text) and not all(_balanced(part) for part in text.split("&&"))


def _pieces(command: str) -> list[str]:
    """The pieces of the plain split, joined again where a quotation mark was open."""
    joined: list[str] = []
    for part in command.split("&&"):
        if joined and not _balanced(joined[-1]):
            joined[-1] += "&&" + part
        else:
            joined.append(part)
    return [part.strip() for part in joined if part.strip()]


@rule(
    "split_segments",
    "DESIGN §5, CLI grammar: && inside quotes does not split",
    lambda case: _quoted_separator(case.inputs["command"]),
)
def _unsplit(case: Case) -> Any:
    return _pieces(case.inputs["command"])


_STAND_IN = "\u27e6and\u27e7"


@rule(
    "execute",
    "DESIGN §5, CLI grammar: && inside quotes does not split",
    lambda case: _quoted_separator(case.inputs["command"]),
)
def _unsplit_command(case: Case) -> Any:
    """The same as with any other word in the place of the quoted sign."""
    pieces = [piece.replace("&&", _STAND_IN) for piece in _pieces(case.inputs["command"])]
    answer = TABLE[case.function].run({"command": " && ".join(pieces)})
    return json.loads(json.dumps(answer, ensure_ascii=False).replace(_STAND_IN, "&&"))


# --- -key=value -------------------------------------------------------------------------------------------


def _options(tokens: Sequence[str]) -> dict[str, list[str]]:
    """The values of each key of a command."""
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
    return options


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
    return [tokens[0].lower(), _options(tokens)]


# --- What there is not ------------------------------------------------------------------------------------


def _refused(segment: str) -> str:
    """Our error for a command with an option, type or status that there is not; "" for a good one."""
    tokens = shlex.split(segment) if _balanced(segment) else []
    known = _OPTIONS.get(tokens[0].lower()) if tokens else None
    if known is None:
        return ""
    options = _options(tokens)
    if any(key not in known for key in options):
        return "unknown_option"
    kinds = [options[key][-1].strip().lower() for key in ("type", "memory_type") if key in options]
    if kinds and kinds[0] and kinds[0] not in _TYPES:
        return "unknown_type"
    status = options.get("status", [""])[-1].strip().lower()
    return "unknown_status" if status and status not in _STATUSES else ""


def _first_refused(case: Case) -> tuple[int, str, str] | None:
    """Place, text and error of the first command that we refuse for what there is not."""
    for at, result in enumerate(case.expected["payload"]["results"]):
        if error := _refused(result["command"]):
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
    before = copy.deepcopy(case.expected["payload"]["results"][:at])
    calls = sum(result["result"].get("action") != "help" for result in before)
    results = [*before, {"command": command, "success": False, "error": error}]
    payload = {"action": "memory_command", "ok": False, "executed": len(results), "results": results}
    return {"tool_success": True, "payload": payload, "service_calls": case.expected["service_calls"][:calls]}
