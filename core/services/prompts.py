"""The prompts of tasks: the program's own (resources/prompts, versioned), and what a person put in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from core.domain.errors import Invalid
from core.domain.queries_extract import Prompt, PromptTask, SavePrompt
from core.domain.texts import LANGUAGES

MAX_CHARS = 50_000
_VERSION = re.compile(r"v(\d+)\.md")
FRAME = "frame.v1.json"

Own = tuple[str, str]
"""Task and language of a prompt that a person wrote."""


@cache
def built_in(task: PromptTask, language: str) -> tuple[str, int]:
    """The newest prompt of the program for a task, and its version."""
    folder = resources.files("resources") / "prompts" / task.value / language
    versions = {
        int(found[1]): item
        for item in folder.iterdir()
        if (found := _VERSION.fullmatch(item.name)) is not None
    }
    newest = max(versions)
    return versions[newest].read_text(encoding="utf-8").strip(), newest


@cache
def frame_words(language: str) -> Mapping[str, str]:
    """The words around what a request shows (headings and the like)."""
    file = resources.files("resources") / "prompts" / PromptTask.EXTRACT.value / language / FRAME
    words: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return words


@dataclass(frozen=True, slots=True)
class PromptBook:
    """Prompts as they are in use. `read` and `write` are all of the person's own prompts, by task and language."""

    read: Callable[[], Mapping[Own, str]]
    write: Callable[[Mapping[Own, str]], None]

    def of(self, task: PromptTask, language: str) -> Prompt:
        """The prompt of a task in a language."""
        text, version = built_in(task, language)
        own = self.read().get((task.value, language))
        return Prompt(task=task, language=language, text=own or text, built_in=text, version=version)

    def all(self) -> tuple[Prompt, ...]:
        """The prompts of all tasks in both languages."""
        return tuple(self.of(task, language) for task in PromptTask for language in LANGUAGES)

    def save(self, query: SavePrompt) -> Prompt:
        """Use another text, or the program's own again. Errors: Invalid."""
        if query.language not in LANGUAGES:
            raise Invalid("error.prompt.language", language=query.language[:40])
        text = "" if query.text is None else query.text.strip()
        if query.text is not None and not text:
            raise Invalid("error.prompt.empty")
        if len(text) > MAX_CHARS:
            raise Invalid("error.prompt.long", most=MAX_CHARS)
        key = (query.task.value, query.language)
        kept = {each: own for each, own in self.read().items() if each != key}
        if text and text != built_in(query.task, query.language)[0]:
            kept[key] = text
        self.write(kept)
        return self.of(query.task, query.language)
