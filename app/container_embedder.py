"""Changing the embedder of an open library: the new vectors are made beside, then taken into use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from app.container_models import tested
from core.domain import queries_models as q
from core.domain.errors import Invalid, LibraryInUse, NotFound
from core.domain.model_answers import EmbedderSwitch
from core.domain.queries import Query
from core.model_settings import endpoint, other_weights, use_embedder
from core.settings import Settings

if TYPE_CHECKING:
    from app.opened import Opened
    from core.domain.api import Cancel
    from core.ports.embedder import Embedder
    from core.ports.progress import CancelToken
    from core.services.indexer import Indexer

BUILTIN, NONE = "builtin", "none"
PRICED_TOKENS = 1_000_000
"""Prices are for so many."""


class EmbedderChange:
    """Plans and makes the change to another embedder."""

    def __init__(self, library: Opened, settings: Settings) -> None:
        self._library, self._settings = library, settings

    def answers(self) -> Mapping[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """For the engine."""
        return {
            q.PlanEmbedderSwitch: lambda query, cancel: self.measured(
                query.to, cast("CancelToken | None", cancel)
            ),
            q.SwitchEmbedder: lambda query, cancel: self.switch(query, cast("CancelToken | None", cancel)),
            q.CheckWeights: lambda _query, cancel: self.check(cast("CancelToken | None", cancel)),
        }

    def check(self, cancel: CancelToken | None) -> float | None:
        """How well the model agrees with what it made before; None without an embedder or vectors."""
        if self._settings.text("embedder") == NONE:
            return None
        from core.services.same_weights import agreement

        return agreement(self._indexer(self._library.embedder), cancel)

    def measured(self, to: str, cancel: CancelToken | None) -> EmbedderSwitch:
        """What the change would take, and what that costs. Errors: NotFound, Invalid, Unavailable, Cancelled."""
        plan, new = self.plan(to), self._embedder(to)
        if new is None or not plan.to_embed:
            return plan
        from core.services.embedding_cost import embedding_cost

        cost = embedding_cost(self._library.store.health, new, missing_in=new.identity.key, cancel=cancel)
        chosen = endpoint(self._settings, to)
        price = chosen.price_in / PRICED_TOKENS if chosen is not None else 0.0
        return replace(plan, tokens=cost.tokens, seconds=cost.seconds, cost=cost.tokens * price)

    def plan(self, to: str) -> EmbedderSwitch:
        """What the change would take. Errors: NotFound, Invalid."""
        old, new = self._present(), self._embedder(to)
        if old is None and new is None:
            return EmbedderSwitch(
                old="", new="", old_dims=0, new_dims=0, memories=0, old_vectors=0, new_vectors=0
            )
        from core.services.model_switch import plan_switch

        either = new or old
        assert either is not None
        plan = plan_switch(self._indexer(either), (old or either).identity)
        return EmbedderSwitch(
            old=_name(old) if old else "",
            new=_name(new) if new else "",
            old_dims=old.identity.dims if old else 0,
            new_dims=new.identity.dims if new else 0,
            memories=plan.memories if new else 0,
            old_vectors=plan.old_vectors if old else 0,
            new_vectors=plan.new_vectors if new else 0,
        )

    def switch(self, query: q.SwitchEmbedder, cancel: CancelToken | None) -> EmbedderSwitch:
        """Make the vectors, then use them. Errors: see the query."""
        to, plan = query.to, self.plan(query.to)
        new = self._embedder(to)
        if new is None:
            return self._used(plan, to)
        with self._library.index_lock() as free:
            if not free:
                raise LibraryInUse("error.library.in_use", path=str(self._library.files.root))
            from core.services.model_switch import fill_beside
            from core.services.same_weights import agreement

            agreed = agreement(self._indexer(new), cancel)
            plan = replace(plan, agreement=agreed)
            if plan.other_weights and to not in (BUILTIN, NONE):
                other_weights(self._settings, to)
                new = self._embedder(to)
                assert new is not None
                plan = replace(self.plan(to), agreement=agreed)

            def told(done: int, _total: int, /) -> None:
                if query.progress is not None:
                    query.progress(min(done, plan.memories), plan.memories)

            if not fill_beside(self._indexer(new), told, cancel):
                return plan
            return self._used(plan, to)

    def _used(self, plan: EmbedderSwitch, to: str) -> EmbedderSwitch:
        use_embedder(self._settings, to)
        self._library.use_embedder_anew()
        return replace(plan, complete=True)

    def _present(self) -> Embedder | None:
        return None if self._settings.text("embedder") == NONE else self._library.embedder

    def _embedder(self, to: str) -> Embedder | None:
        if to == NONE:
            return None
        if to == BUILTIN:
            from core.adapters.embedder_builtin import BuiltinEmbedder

            return BuiltinEmbedder()
        chosen = endpoint(self._settings, to)
        if chosen is None:
            raise NotFound("error.endpoint.missing", name=to)
        if not tested(chosen):
            raise Invalid("error.embedder.untested", name=chosen.name)
        return self._library.models.embedder_of(chosen)

    def _indexer(self, embedder: Embedder) -> Indexer:
        """An indexer of its own, whose collection lies beside the one in use."""
        return self._library.indexer_beside(embedder)


def _name(embedder: Embedder) -> str:
    return embedder.identity.model.removeprefix("openai:")
