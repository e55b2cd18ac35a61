"""Cases of kind `json_repair`: what a model replied, and the value that was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.algos.model_reply import ReplyStatus, items_of, read_reply, without_repeats
from core.domain.errors import BadReply
from core.domain.json_types import Json
from tests.cases.sidecar import Case

ASKED: Json = {
    "anyOf": [
        {
            "type": "object",
            "properties": {key: {"type": "array"}, "thought": {"type": "string"}},
            "required": [key],
        }
        for key in ("operations", "facts", "memory", "selected_ids")
    ]
}
"""What the program asks models for: lists under these names."""
KEYS = ("operations", "facts", "memory")


def check_reply(case: Case, _work: Path) -> list[str] | None:
    """Faults of the reading; None when a key of the sidecar is unknown here."""
    text = case.input.read_bytes().decode("utf-8", "replace")
    allowed = str(case.checks.get("status", "ok")).split("-or-")
    try:
        read = read_reply(text, ASKED)  # type: ignore[arg-type]
    except BadReply as refusal:
        if any(each not in set(ReplyStatus) for each in allowed):
            return []
        return [f"refused: {refusal.key}"]
    faults = []
    if read.status.value not in allowed:
        faults.append(f"status {read.status.value}, expected {' or '.join(allowed)}: {read.value!r}")
    known = {"status"}
    for key, expected in case.checks.items():
        if (check := CHECKS.get(key)) is not None:
            known.add(key)
            if not check(read.value, expected):
                faults.append(f"{key}: {read.value!r} ({', '.join(read.repairs)})")
    return faults if faults or known >= case.checks.keys() else None


def _value(value: Json, expected: Any) -> bool:
    str(value).encode("utf-8")  # what cannot be stored is wrong whatever it is
    return bool(value == expected)


CHECKS = {
    "expected_value": _value,
    "operations": lambda value, expected: len(items_of(value, *KEYS)) == expected,
    "items": lambda value, expected: len(items_of(value, *KEYS)) == expected,
    "unique": lambda value, expected: len(without_repeats(next(iter(value.values())))[0]) == expected,
}
