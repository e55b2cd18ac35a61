"""Collecting what is wrong with a file: one entry for each kind of problem, with all it is about."""

from __future__ import annotations

from core.domain.json_types import Json
from core.domain.results import Problem

WARNING = "warning"
INFO = "info"


class Problems:
    """Problems of one file, in the order in which their kinds were first met."""

    def __init__(self) -> None:
        self._refs: dict[str, list[str]] = {}
        self._args: dict[str, dict[str, Json]] = {}
        self._severity: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def add(self, key: str, *refs: str, severity: str = WARNING, **args: Json) -> None:
        """Note a problem of that kind; `args` of a later one replace those of an earlier one, a `count` adds up."""
        self._refs.setdefault(key, []).extend(refs)
        before, now = self._args.get(key, {}).get("count"), args.get("count")
        if isinstance(before, int) and isinstance(now, int):
            args["count"] = before + now
        self._args.setdefault(key, {}).update(args)
        self._severity.setdefault(key, severity)
        self._count[key] = self._count.get(key, 0) + 1

    def append(self, key: str, name: str, item: Json) -> None:
        """Add an item to a list argument of a problem that was noted before."""
        items = self._args[key].setdefault(name, [])
        if isinstance(items, list):
            items.append(item)

    def count(self, key: str) -> int:
        """How often that kind was noted."""
        return self._count.get(key, 0)

    def all(self) -> tuple[Problem, ...]:
        """One Problem for each kind, its number as `count` among the arguments."""
        return tuple(
            Problem(
                key=key,
                args={"count": self._count[key]} | args,
                severity=self._severity[key],
                refs=tuple(self._refs[key]),
            )
            for key, args in self._args.items()
        )
