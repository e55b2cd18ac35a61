"""Extraction of one opened library: its models, vectors and prompts, joined for its engine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from core.domain.endpoints import MANUAL, ModelTask
from core.domain.enums import ActorKind
from core.domain.queries import Query
from core.domain.queries_extract import PromptTask, RunAutomatic
from core.domain.queries_merge import AskAboutContradictions
from core.domain.results import Actor
from core.engine import Engine

if TYPE_CHECKING:
    from app.opened import Opened
    from core.domain.api import Cancel
    from core.domain.commands import Command
    from core.domain.json_types import Json
    from core.domain.queries_extract import PromptTrial, TryPrompt
    from core.domain.queries_merge import Opinion
    from core.domain.results import OpResult
    from core.ports.language_model import LanguageModel
    from core.ports.progress import CancelToken
    from core.services.extract.automatic import Automatic
    from core.services.extract.meaning import Meaning
    from core.services.extract.run import Extraction, Tools
    from core.services.extract.tasks import Tasks
    from core.services.extract.worker import AutomaticThread
    from core.services.prompts import PromptBook
    from core.settings import Settings

AUTOMATIC_NAME = "automatic extraction"
"""Under this name the history shows what folders do by themselves."""
OWN_PROMPTS = "prompts.own"
_MODELS: Mapping[PromptTask, ModelTask] = {
    PromptTask.EXTRACT: ModelTask.EXTRACT,
    PromptTask.CONFLICT: ModelTask.EXTRACT,
    PromptTask.EVOLVE: ModelTask.CONSOLIDATE,
    PromptTask.SYNOPSIS: ModelTask.SYNOPSIS,
    PromptTask.REFLECT: ModelTask.REFLECTION,
    PromptTask.CONSOLIDATE: ModelTask.CONSOLIDATE,
    PromptTask.COMPRESS: ModelTask.COMPRESS,
    PromptTask.CONTRADICT: ModelTask.CONSOLIDATE,
}
"""Which of the person's models serves a task."""


class LibraryExtraction:
    """Extraction and the tasks after it. Nothing is loaded before it is asked for."""

    def __init__(self, library: Opened, settings: Settings) -> None:
        self._library, self._settings = library, settings
        self._thread: AutomaticThread | None = None
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
        from core.services.extract.run import Extraction

        tools = replace(self._tools, run=self._run_by_itself)
        return Automatic(tools, Extraction(tools))

    def _run_by_itself(self, command: Command, *, cancel: Cancel | None = None) -> OpResult:
        """What a window does by itself is no change of the person's: Ctrl+Z does not take it."""
        engine = self._library.engine
        if engine.actor.kind is ActorKind.PERSON:
            engine = self._own_engine
        return engine.run(command, cancel=cancel)

    @cached_property
    def _own_engine(self) -> Engine:
        """Writes as a program; whoever listens to the library hears of it."""
        engine = Engine(self._library.store, Actor(ActorKind.PROGRAM, AUTOMATIC_NAME, uuid.uuid4().hex))
        engine.subscribe(lambda _changes: _hear(self._library.engine))
        return engine

    def _opinions(self, query: AskAboutContradictions, cancel: CancelToken | None) -> tuple[Opinion, ...]:
        from core.services.contradiction_opinions import Opinions

        model = lambda: self._model(PromptTask.CONTRADICT)  # noqa: E731 - asked for when it is needed
        return Opinions(self._library.store, self.prompts, model).ask(query, cancel)

    def _try(self, query: TryPrompt, cancel: CancelToken | None) -> PromptTrial:
        from core.services.extract.trial import try_prompt

        return try_prompt(self._library.store, self._model(query.task), query, cancel)

    # --- by itself -----------------------------------------------------------------------

    def keep_running(self) -> None:
        """From now on folders that are set to it extract by themselves. Only for the holder of the library's lock."""
        if self._thread is not None or not self._library.keeps_lock:
            return
        from core.services.extract.worker import AutomaticThread

        self._thread = AutomaticThread(self._work)
        self._library.engine.subscribe(self._thread.changed)
        self._thread.start()

    def _work(self, cancel: CancelToken) -> None:
        """All folders that ask for it; nobody is there to carry a request by hand."""
        model = self._model(PromptTask.EXTRACT)
        if model is None or model.name != MANUAL:
            self.automatic.run(RunAutomatic(), cancel)

    def stop(self) -> None:
        """End the thread."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()

    def answers(self) -> Mapping[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """Answers to the queries about extraction and prompts."""
        from core.domain.queries_extract import Prompts, SavePrompt, TryPrompt
        from core.services.extract.answers import extract_answers

        return {
            **extract_answers(
                self._library.store, lambda: self.extraction, lambda: self.tasks, lambda: self.automatic
            ),
            TryPrompt: lambda query, cancel: self._try(query, cast("CancelToken | None", cancel)),
            AskAboutContradictions: lambda query, cancel: self._opinions(
                query, cast("CancelToken | None", cancel)
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


def _hear(engine: Engine) -> None:
    engine.poll()
