"""Answers to the queries that read and write foreign files; the container joins them to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.domain import queries as q
from core.domain.api import Cancel
from core.domain.errors import UserError
from core.domain.transfer import ExportReport, Found, ImportPlan
from core.ports.file_formats import FileFormats, VectorsOf
from core.ports.store import Store
from core.services.exporting import export_folder

Answer = Callable[[Any, "Cancel | None"], Any]


def file_answers(
    store: Store,
    formats: FileFormats,
    vectors_of: VectorsOf | None,
    in_library: Callable[[Path], bool] = lambda _path: False,
) -> Mapping[type[q.Query[Any]], Answer]:
    """One function for each of these queries. `vectors_of` None: there are no vectors to write.

    `in_library`: whether a path lies in a library, whose own files no export may replace.
    """

    def read_file(query: q.ReadFile, cancel: Cancel | None) -> ImportPlan:
        with store.read() as reader:
            schema = reader.schema()
        plan = formats.read(query.path, schema, partly=query.partly)
        _check(cancel)
        return plan

    def find_files(query: q.FindFiles, _cancel: Cancel | None) -> tuple[Found, ...]:
        with store.read() as reader:
            schema = reader.schema()
        return formats.found_in(query.path, schema)

    def export(query: q.ExportFolder, cancel: Cancel | None) -> ExportReport:
        if in_library(query.path):
            raise UserError("error.export.in_library", path=str(query.path))
        with store.read() as reader:
            schema = reader.schema()
            bundles = [export_folder(reader, folder) for folder in dict.fromkeys((query.folder, *query.also))]
        _check(cancel)
        return formats.write(
            query.format,
            bundles,
            query.path,
            schema,
            overwrite=query.overwrite,
            vectors_of=vectors_of if query.vectors else None,
        )

    return {q.ReadFile: read_file, q.FindFiles: find_files, q.ExportFolder: export}


def _check(cancel: Cancel | None) -> None:
    """Errors: Cancelled. After a file was read and before one is written; nothing is half done then."""
    if cancel is not None:
        cancel.check()
