"""Arguments as callers really give them: what a method cannot take is refused in words, before anything is done.

A model's tool call is parsed by others, so numbers arrive as texts, one text in place of a list, and worse.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def checked(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The method with its arguments looked at by their annotations (texts, lists of texts, whole numbers).

    Errors: ValueError that names the argument.
    """
    signature = inspect.signature(method)
    rules = {name: _RULES.get(str(each.annotation)) for name, each in signature.parameters.items()}

    @wraps(method)
    async def looked_at(*args: P.args, **kwargs: P.kwargs) -> T:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            rule = rules[name]
            if rule is not None and (value is not None or signature.parameters[name].default is not None):
                bound.arguments[name] = rule(name, value)
        return await method(*bound.args, **bound.kwargs)

    return looked_at


def _text(name: str, value: object) -> str:
    """A text; None is an empty one. Errors: ValueError."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} must be a text")
    return value or ""


def _texts(name: str, value: object) -> list[str]:
    """A list of texts, without None; numbers as they are written. Errors: ValueError, also for a single text.

    A text is a list of its characters to Python: three tags of one letter each would be kept.
    """
    listed = isinstance(value, list | tuple | set | frozenset)
    items = [item for item in value if item is not None] if listed else []  # type: ignore[attr-defined]
    if not listed or any(isinstance(item, bool) or not isinstance(item, str | int | float) for item in items):
        raise ValueError(f"{name} must be a list of texts")
    return [str(item) for item in items]


def _whole(name: str, value: object) -> int:
    """A whole number, also one that is written as a text. Errors: ValueError."""
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]  # whatever a caller gave
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a whole number") from None


_RULES: dict[str, Callable[[str, object], object]] = {
    "str": _text,
    "str | None": _text,
    "Texts": _texts,
    "Sequence[str]": _texts,
    "int": _whole,
    "int | None": _whole,
}
