"""Texts by key: one catalogue for window, CLI and messages, without Qt (resources/texts)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

LANGUAGES = ("en", "zh_CN")
FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Text:
    """A text to be shown later: key and arguments."""

    key: str
    args: Mapping[str, object] = field(default_factory=dict)


@cache
def _load(language: str) -> Mapping[str, str]:
    folder = resources.files("resources") / "texts" / language
    merged: dict[str, str] = {}
    for file in sorted(folder.iterdir(), key=lambda item: item.name):
        if file.name.endswith(".json"):
            merged.update(json.loads(file.read_text(encoding="utf-8")))
    return merged


def has(key: str, language: str) -> bool:
    """Whether the catalogue of that language holds the key."""
    return key in _load(language)


def keys(language: str) -> frozenset[str]:
    """All keys of a language."""
    return frozenset(_load(language))


def render(language: str, key: str, /, **args: object) -> str:
    """The text in that language with its places filled; the key itself when it is unknown.

    A count picks `key.one` where the language has it and `count` is 1.
    """
    texts = _load(language)
    if args.get("count") == 1 and f"{key}.one" in texts:
        key = f"{key}.one"
    template = texts.get(key) or _load(FALLBACK).get(key) or key
    return template.format_map(_Places(args)) if args or "{" in template else template


class _Places(dict[str, object]):
    """Arguments of a text; a missing one stays visible as its name."""

    def __missing__(self, name: str) -> str:
        return "{" + name + "}"
