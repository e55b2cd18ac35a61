"""The program's own words in the text for the prompt, by language (resources/prompts/inject)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

FALLBACK = "en"
_FILE = "v1.json"
"""A new wording is a new file, so that an old injection can be told from a new one."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one language, by name."""

    language: str
    words: Mapping[str, str]

    def __call__(self, name: str, /, **args: object) -> str:
        """The words of that name with their places filled."""
        return self.words[name].format_map(args)


@cache
def wording(language: str) -> Wording:
    """The words of a language; of English where there are none."""
    folder = resources.files("resources") / "prompts" / "inject"
    file = folder / language / _FILE
    if not file.is_file():
        return wording(FALLBACK)
    return Wording(language, json.loads(file.read_text(encoding="utf-8")))
