"""Answers to the queries about the graph; the container joins them to the engine.

Loads neither numpy nor a layout: the service is made when the first of them is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.domain import graph as g
from core.domain.api import Cancel
from core.domain.queries import Query

if TYPE_CHECKING:
    from core.services.graph import GraphService

Answer = Callable[[Any, "Cancel | None"], Any]


def graph_answers(service: Callable[[], GraphService]) -> Mapping[type[Query[Any]], Answer]:
    """One function for each query of core.domain.graph."""
    return {
        g.GraphOf: lambda query, _: service().graph(query),
        g.GraphAround: lambda query, _: service().around(query),
        g.PathBetween: lambda query, _: service().path(query),
        g.CommunitiesOf: lambda query, _: service().communities(query),
        g.TitlesOf: lambda query, _: service().titles(query),
        g.Arrange: lambda query, _: service().arrange(query),
        g.KeepPositions: lambda query, _: service().keep(query),
        g.HopsFrom: lambda query, _: service().hops(query),
        g.StandApart: lambda query, _: service().apart(query),
        g.Separate: lambda query, _: service().separate(query),
    }
