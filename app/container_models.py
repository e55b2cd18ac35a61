"""Joins endpoints, keys and counters to language models and embedders, as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.domain import queries_models as q
from core.domain.endpoints import BUILTIN, MANUAL, ModelTask
from core.domain.queries import Query
from core.model_settings import served_by
from core.settings import Settings

if TYPE_CHECKING:
    from core.domain.api import Cancel
    from core.ports.language_model import LanguageModel
    from core.services.manual_model import ManualDesk

Answers = Mapping[type[Query[Any]], "Callable[[Any, Cancel | None], Any]"]


class Models:
    """The models of one program. Nothing is loaded, and nobody is called, before a model is asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def manual(self) -> ManualDesk:
        """Requests that wait for a person."""
        from core.services.manual_model import ManualDesk

        return ManualDesk()

    def model_for(self, task: ModelTask) -> LanguageModel | None:
        """The model chosen for a task, counting from zero; None = the program does the task by itself."""
        match served_by(self._settings, task):
            case str(who) if who == MANUAL:
                from core.services.manual_model import ManualModel

                return ManualModel(self.manual, task)
            case str(who) if who == BUILTIN:
                return None
            case _:
                return None

    def answers(self) -> Answers:
        """Answers to the queries about models."""
        return {
            q.ManualRequests: lambda _query, _cancel: self.manual.requests(),
            q.AnswerManual: lambda query, _cancel: self.manual.answer(query.number, query.text),
            q.GiveUpManual: lambda query, _cancel: self.manual.give_up(query.number),
        }

    def close(self) -> None:
        """Give up what waits."""
        if "manual" in self.__dict__:
            self.manual.close()
