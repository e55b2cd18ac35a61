"""ST-BME's default type schema as the vectors mean it by "default" (spec/STBME §2.1, §2.2)."""

from __future__ import annotations

from typing import Any

_TYPES = [
    ("event", ("summary", "participants", "status"), "always force", (9, 3, 10, 6)),
    ("character", ("name", "traits", "state", "goal", "inventory", "core_note"), "latest", None),
    ("location", ("name", "state", "features", "danger"), "latest", None),
    ("rule", ("title", "constraint", "scope", "status"), "always", None),
    ("thread", ("title", "summary", "status"), "always", (6, 3, 5, 3)),
    ("synopsis", ("summary", "scope"), "always latest", None),
    ("reflection", ("insight", "trigger", "suggestion"), "", (6, 3, 3, 3)),
]


def default_schema() -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "tableName": f"{name}_table",
            "columns": [{"name": column} for column in columns],
            "alwaysInject": "always" in flags,
            "latestOnly": "latest" in flags,
            "forceUpdate": "force" in flags,
            "compression": _compression(numbers),
        }
        for name, columns, flags, numbers in _TYPES
    ]


def _compression(numbers: tuple[int, int, int, int] | None) -> dict[str, Any]:
    threshold, fan_in, max_depth, keep = numbers or (0, 0, 0, 0)
    return {
        "mode": "hierarchical" if numbers else "none",
        "threshold": threshold,
        "fanIn": fan_in,
        "maxDepth": max_depth,
        "keepRecentLeaves": keep,
    }


def schema_of(value: Any) -> list[dict[str, Any]]:
    """The schema of a vector: its own, or the default one."""
    return value if isinstance(value, list) else default_schema()
