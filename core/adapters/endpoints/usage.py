"""Tokens and cost of calls: of each object, and of all since counting began, in a file beside the settings."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.domain.endpoints import Endpoint, Usage
from core.domain.json_types import Json
from core.domain.model_answers import UsageRow

MILLION = 1_000_000
MOST_TOKENS = 10**12
"""What a server tells beyond this is no number of tokens of one call."""


def usage_of(endpoint: Endpoint, told: Json, texts_in: int, texts_out: int) -> Usage:
    """What one call took: as the server says, else as counted here."""
    tokens = (
        {key: told.get(key) for key in ("prompt_tokens", "completion_tokens")}
        if isinstance(told, Mapping)
        else {}
    )
    given: Any = tokens.get("prompt_tokens")
    made: Any = tokens.get("completion_tokens")
    counted = not is_count(given)
    tokens_in = texts_in if counted else int(given)
    tokens_out = int(made) if is_count(made) else (texts_out if counted else 0)
    cost = (tokens_in * endpoint.price_in + tokens_out * endpoint.price_out) / MILLION
    return Usage(1, tokens_in, tokens_out, cost, counted)


def is_count(told: Json) -> bool:
    """Whether that can be a number of tokens."""
    return isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= MOST_TOKENS


class UsageLog:
    """Totals by endpoint and task. Numbers only: no text of a request is in it."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._memory: dict[str, list[float]] = {}

    def add(self, endpoint_id: str, task: str, usage: Usage) -> None:
        """Count a call. A file that cannot be written costs the count, never the call."""
        with self._lock:
            rows = self._rows()
            before = rows.get(f"{endpoint_id}|{task}", [0, 0, 0, 0.0, 0])
            rows[f"{endpoint_id}|{task}"] = [
                before[0] + usage.calls,
                before[1] + usage.tokens_in,
                before[2] + usage.tokens_out,
                before[3] + usage.cost,
                float(bool(before[4]) or usage.counted),
            ]
            self._save(rows)

    def totals(self) -> tuple[UsageRow, ...]:
        """All rows, by endpoint and task."""
        with self._lock:
            rows = sorted(self._rows().items())
        found = []
        for name, each in rows:
            endpoint_id, _, task = name.partition("|")
            usage = Usage(int(each[0]), int(each[1]), int(each[2]), each[3], bool(each[4]))
            found.append(UsageRow(endpoint_id, task, usage))
        return tuple(found)

    def _rows(self) -> dict[str, list[float]]:
        if self._path is None:
            return self._memory
        try:
            data: Any = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return dict(self._memory)
        found = data if isinstance(data, dict) else {}
        return {str(name): row for name, row in found.items() if "|" in str(name) and _is_row(row)}

    def _save(self, rows: dict[str, list[float]]) -> None:
        self._memory = rows
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            beside.replace(self._path)
        except OSError:
            return


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 5
        and all(isinstance(each, int | float) and 0 <= each < float("inf") for each in row)
    )
