"""Joins endpoints, keys and counters to language models and embedders, as the settings say."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.domain import queries_models as q
from core.domain.endpoints import BUILTIN, MANUAL, Endpoint, EndpointKind, ModelTask, Secret, Usage
from core.domain.queries import Query
from core.model_settings import chosen_embedder, endpoint, served_by
from core.settings import Settings

if TYPE_CHECKING:
    from core.adapters.endpoints.caller import Caller
    from core.adapters.endpoints.chat import Abilities
    from core.adapters.endpoints.keys import Keys
    from core.adapters.endpoints.net import Net
    from core.adapters.endpoints.usage import UsageLog
    from core.domain.api import Cancel
    from core.domain.model_answers import EndpointReport, KeyPlace
    from core.ports.embedder import Embedder
    from core.ports.language_model import LanguageModel
    from core.ports.manual_requests import ManualRows
    from core.ports.progress import CancelToken
    from core.services.manual_model import ManualDesk

Answers = Mapping[type[Query[Any]], "Callable[[Any, Cancel | None], Any]"]
TESTED = "test"
EMBEDDED = "embed"
"""Tasks under which tests and embeddings are counted."""


class Models:
    """The models of one program. Nothing is loaded, and nobody is called, before a model is asked for."""

    def __init__(
        self,
        settings: Settings,
        usage_file: Path | None = None,
        requests: Callable[[], ManualRows | None] = lambda: None,
    ) -> None:
        self._settings, self._usage_file, self._requests = settings, usage_file, requests
        self._hands = threading.local()
        self._lock = threading.Lock()
        self._problems: dict[str, str] = {}
        self._callers: dict[str, tuple[Caller, Abilities, Secret | None]] = {}

    @cached_property
    def manual(self) -> ManualDesk | None:
        """Requests that wait for a person; None where they cannot be kept (no library, or one that is only read)."""
        from core.services.manual_model import ManualDesk

        rows = self._requests()
        return None if rows is None else ManualDesk(rows)

    @contextmanager
    def by_hand(self) -> Iterator[None]:
        """While it is entered a person serves every task that this thread asks for."""
        self._hands.only = True
        try:
            yield
        finally:
            self._hands.only = False

    @cached_property
    def keys(self) -> Keys:
        """Keys of endpoints."""
        from core.adapters.endpoints.keys import Keys

        return Keys()

    @cached_property
    def usage(self) -> UsageLog:
        """Tokens and cost since counting began."""
        from core.adapters.endpoints.usage import UsageLog

        return UsageLog(self._usage_file)

    @cached_property
    def _net(self) -> Net:
        from core.adapters.endpoints.net import Net

        return Net()

    # --- models --------------------------------------------------------------------------

    def model_for(self, task: ModelTask) -> LanguageModel | None:
        """The model chosen for a task, counting from zero; None = the program does the task by itself."""
        who = MANUAL if getattr(self._hands, "only", False) else served_by(self._settings, task)
        if who == MANUAL:
            from core.services.manual_model import ManualModel

            return None if self.manual is None else ManualModel(self.manual, task)
        found = None if who == BUILTIN else endpoint(self._settings, who)
        return None if found is None else self._model(found, self.keys.of(found), task.value)

    def embedder(self) -> Embedder | None:
        """The embedder of the chosen endpoint; None when the built-in one does, or nobody."""
        found = chosen_embedder(self._settings)
        return None if found is None else self.embedder_of(found)

    def embedder_of(self, chosen: Endpoint) -> Embedder:
        """The embedder of an endpoint that was measured."""
        return self._embedder(chosen, self.keys.of(chosen), EMBEDDED)

    def _model(self, chosen: Endpoint, key: Secret | None, task: str) -> LanguageModel:
        from core.adapters.endpoints.chat import EndpointModel

        caller, abilities = self._caller(chosen, key)
        return EndpointModel(
            caller,
            abilities,
            self._count,
            self._counted(chosen, task),
            lambda reason: self._problems.update({chosen.id: reason}),
        )

    def _embedder(self, chosen: Endpoint, key: Secret | None, task: str) -> Embedder:
        from core.adapters.endpoints.vectors import EndpointEmbedder

        return EndpointEmbedder(self._caller(chosen, key)[0], self._count, self._counted(chosen, task))

    def _counted(self, chosen: Endpoint, task: str) -> Callable[[Usage], None]:
        def add(usage: Usage) -> None:
            self._problems.pop(chosen.id, None)
            self.usage.add(chosen.id, task, usage)

        return add

    def in_use(self) -> tuple[tuple[str, str], ...]:
        """Endpoints that serve a task: name, and why it did not answer the last time ("" = well)."""
        served = dict.fromkeys(served_by(self._settings, task) for task in ModelTask)
        found = (endpoint(self._settings, who) for who in served if who not in (BUILTIN, MANUAL))
        return tuple(
            (each.model or each.name, self._problems.get(each.id, "")) for each in found if each is not None
        )

    def _count(self, text: str) -> int:
        from core.adapters.token_counter import QuicktokCounters
        from core.ports.token_counter import TokenFamily

        return QuicktokCounters().counter(TokenFamily(self._settings.text("token_family"))).count(text)

    def _caller(self, chosen: Endpoint, key: Secret | None) -> tuple[Caller, Abilities]:
        """One caller for an endpoint as it is now: all its calls share limits and what was learned."""
        from core.adapters.endpoints.caller import Caller
        from core.adapters.endpoints.chat import Abilities

        with self._lock:
            known = self._callers.get(chosen.id)
            if known is not None and known[0].endpoint == chosen and known[2] == key:
                return known[0], known[1]
            made = Caller(chosen, key, self._net), Abilities()
            self._callers[chosen.id] = (*made, key)
        if known is not None:
            known[0].retire()
        return made

    # --- answers -------------------------------------------------------------------------

    def answers(self) -> Answers:
        """Answers to the queries about models."""
        return {
            q.TestEndpoint: self._test,
            q.ListModels: self._list,
            q.KeepKey: self._keep,
            q.WhereIsKey: lambda query, _cancel: self.keys.place(query.endpoint),
            q.ModelUsage: lambda _query, _cancel: self.usage.totals(),
        }

    def _test(self, query: q.TestEndpoint, cancel: Cancel | None) -> EndpointReport:
        from core.adapters.endpoints.chat import Abilities, EndpointModel
        from core.adapters.endpoints.probe import test_endpoint
        from core.adapters.endpoints.vectors import EndpointEmbedder

        caller = self._tried(query.endpoint, query.key)
        abilities, counted = Abilities(), self._counted(query.endpoint, TESTED)
        try:
            return test_endpoint(
                caller,
                EndpointModel(caller, abilities, self._count, counted),
                EndpointEmbedder(caller, self._count, counted),
                abilities,
                cast("CancelToken | None", cancel),
            )
        finally:
            caller.close()

    def _list(self, query: q.ListModels, cancel: Cancel | None) -> tuple[str, ...]:
        from core.adapters.endpoints.failures import Failure
        from core.adapters.endpoints.probe import list_models

        caller = self._tried(query.endpoint, query.key)
        try:
            return list_models(caller, cast("CancelToken | None", cancel))
        except Failure as failure:
            raise failure.unavailable("model", caller.host) from None
        finally:
            caller.close()

    def _tried(self, chosen: Endpoint, key: Secret | None) -> Caller:
        """A caller that gives up soon, for a person who waits in front of a dialog."""
        from core.adapters.endpoints.caller import Caller, Patience

        return Caller(chosen, key or self.keys.of(chosen), self._net, Patience(tries=2))

    def _keep(self, query: q.KeepKey, _cancel: Cancel | None) -> KeyPlace:
        return self.keys.keep(query.endpoint, query.key, session_only=query.session_only)

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            callers = [each[0] for each in self._callers.values()]
            self._callers.clear()
        for caller in callers:
            caller.close()
        if "_net" in self.__dict__:
            self._net.close()


def tested(chosen: Endpoint) -> bool:
    """Whether the length of its vectors is known."""
    return chosen.kind is EndpointKind.EMBEDDING and chosen.measured.dims > 0


def address_of(chosen: Endpoint) -> str:
    """The address as it will be called. Errors: Invalid when it is none, or holds a key."""
    from core.adapters.endpoints.address import address

    return address(chosen.url).base
