"""Extraction of one opened library: its models, vectors and prompts, joined for its engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from core.domain.endpoints import ModelTask
from core.domain.queries import Query
from core.domain.queries_extract import PromptTask

if TYPE_CHECKING:
    from app.container import Library
    from core.domain.api import Cancel
    from core.domain.json_types import Json
    from core.ports.language_model import LanguageModel
    from core.services.extract.automatic import Automatic
    from core.services.extract.meaning import Meaning
    from core.services.extract.run import Extraction, Tools
    from core.services.extract.tasks import Tasks
    from core.services.prompts import PromptBook
    from core.settings import Settings

OWN_PROMPTS = "prompts.own"
_MODELS: Mapping[PromptTask, ModelTask] = {
    PromptTask.EXTRACT: ModelTask.EXTRACT,
    PromptTask.CONFLICT: ModelTask.EXTRACT,
    PromptTask.EVOLVE: ModelTask.CONSOLIDATE,
    PromptTask.SYNOPSIS: ModelTask.SYNOPSIS,
    PromptTask.REFLECT: ModelTask.REFLECTION,
    PromptTask.CONSOLIDATE: ModelTask.CONSOLIDATE,
}
"""Which of the person's models serves a task."""


class LibraryExtraction:
    """Extraction and the tasks after it. Nothing is loaded before it is asked for."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library, self._settings = library, settings
        self.instead: LanguageModel | None = None
        """Asked in place of the models that are chosen in the settings (the command line's manual model)."""

    @cached_property
    def prompts(self) -> PromptBook:
        """Prompts as they are in use."""
        from core.services.prompts import PromptBook

        return PromptBook(lambda: own_prompts(self._settings), lambda own: keep_prompts(self._settings, own))

    def _model(self, task: PromptTask) -> LanguageModel | None:
        return self.instead or self._library.models.model_for(_MODELS[task])

    def _meaning(self) -> Meaning | None:
        if self._settings.text("embedder") == "none":
            return None
        from core.services.extract.meaning import Meaning

        return Meaning(self._library.embedder, self._library.store.queue)

    @cached_property
    def _tools(self) -> Tools:
        from core.services.extract.run import Tools

        library = self._library
        return Tools(
            store=library.store,
            proposals=library.store.proposals,
            jobs=library.store.jobs,
            book=self.prompts,
            run=lambda command, cancel=None: library.engine.run(command, cancel=cancel),
            ask=library.engine.ask,
            model=lambda: self._model(PromptTask.EXTRACT),
            meaning=self._meaning,
        )

    @cached_property
    def extraction(self) -> Extraction:
        """Plans and runs extractions."""
        from core.services.extract.run import Extraction

        return Extraction(self._tools)

    @cached_property
    def tasks(self) -> Tasks:
        """What follows an extraction."""
        from core.services.extract.tasks import Tasks

        store = self._library.store
        return Tasks(store, store.proposals, self.prompts, self._model, self._meaning)

    @cached_property
    def automatic(self) -> Automatic:
        """What folders do by themselves."""
        from core.services.extract.automatic import Automatic

        return Automatic(self._tools, self.extraction, self.tasks)

    def answers(self) -> Mapping[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """Answers to the queries about extraction and prompts."""
        from core.domain.queries_extract import Prompts, SavePrompt
        from core.services.extract.answers import extract_answers

        return {
            **extract_answers(
                self._library.store, lambda: self.extraction, lambda: self.tasks, lambda: self.automatic
            ),
            Prompts: lambda _query, _cancel: self.prompts.all(),
            SavePrompt: lambda query, _cancel: self.prompts.save(query),
        }


def own_prompts(settings: Settings) -> dict[tuple[str, str], str]:
    """Prompts that the person wrote, by task and language."""
    listed = cast("Any", settings.get(OWN_PROMPTS))
    return {
        (str(each.get("task")), str(each.get("language"))): str(each["text"])
        for each in listed
        if isinstance(each, Mapping) and each.get("text")
    }


def keep_prompts(settings: Settings, own: Mapping[tuple[str, str], str]) -> None:
    """Keep them in place of all that were there."""
    rows: list[Json] = [
        {"task": task, "language": language, "text": text} for (task, language), text in own.items()
    ]
    settings.set(OWN_PROMPTS, rows)
