"""The part of a graph that is in sight as a file for graph programs; the container joins it to the engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.domain.api import Cancel
from core.domain.errors import UserError
from core.domain.graph import ExportGraph
from core.domain.ids import EdgePk, FolderPk, MemoryPk
from core.domain.queries import Query
from core.domain.transfer import ExportReport, FolderBundle, Format
from core.ports.file_formats import FileFormats
from core.ports.store import Reader, Store
from core.services.exporting import export_folder

Answer = Callable[[Any, "Cancel | None"], Any]


def graph_file_answers(
    store: Store, formats: FileFormats, in_library: Callable[[Path], bool]
) -> Mapping[type[Query[Any]], Answer]:
    """The answer to ExportGraph. `in_library`: whether a path lies in a library."""

    def export(query: ExportGraph, cancel: Cancel | None) -> ExportReport:
        if in_library(query.path):
            raise UserError("error.export.in_library", path=str(query.path))
        with store.read() as reader:
            schema = reader.schema()
            bundles = bundles_of(reader, query)
        if cancel is not None:
            cancel.check()
        return formats.write(Format.GRAPHML, bundles, query.path, schema, overwrite=query.overwrite)

    return {ExportGraph: export}


def bundles_of(reader: Reader, query: ExportGraph) -> list[FolderBundle]:
    """These memories and relations by folder, each memory with its place in the picture."""
    places = _places(query)
    edges = frozenset(EdgePk(int(pk)) for pk in query.edges)
    by_folder: dict[FolderPk, set[MemoryPk]] = defaultdict(set)
    for state in reader.states(places):
        by_folder[state.folder].add(state.pk)
    found = []
    for folder, pks in by_folder.items():
        bundle = export_folder(reader, folder)
        found.append(
            replace(
                bundle,
                memories=tuple(memory for memory in bundle.memories if memory.pk in pks),
                edges=tuple(edge for edge in bundle.edges if edge.pk in edges),
                places={pk: place for pk in pks if (place := places[pk]) is not None},
                outside={},
            )
        )
    return found


def _places(query: ExportGraph) -> dict[MemoryPk, tuple[float, float] | None]:
    """Where each memory stands; None for those that have no place."""
    import numpy as np

    there = np.asarray(np.isfinite(query.positions).all(axis=1))
    places: list[tuple[float, float]] = [(float(x), float(y)) for x, y in query.positions]
    return {
        MemoryPk(pk): place if known else None
        for pk, place, known in zip(query.memories.tolist(), places, there, strict=True)
    }
