"""Answers to the queries that read and write foreign files; the container joins them to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.domain import queries as q
from core.domain import queries_transfer as qt
from core.domain.api import Cancel
from core.domain.commands import Command
from core.domain.errors import UserError
from core.domain.queries_packages import ExportLibrary, VerifyPackage
from core.domain.transfer import (
    CONTENT_FORMATS,
    SELECTION_FORMATS,
    ExportReport,
    Found,
    ImportPlan,
)
from core.ports.file_formats import FileFormats, VectorsOf
from core.ports.store import Store
from core.services.exporting import export_folder, export_memories, source_of, with_books
from core.services.familiar import with_familiar
from core.services.package_answers import ContentWriter
from core.services.package_compare import with_collisions
from core.services.package_content import ContentScope
from core.services.reimport import with_library
from core.services.write_back import WriteBackDesk

Answer = Callable[[Any, "Cancel | None"], Any]


def file_answers(
    store: Store,
    formats: FileFormats,
    vectors_of: VectorsOf | None,
    in_library: Callable[[Path], bool] = lambda _path: False,
    run: Callable[[Command], object] | None = None,
) -> Mapping[type[q.Query[Any]], Answer]:
    """One function for each of these queries. `vectors_of` None: there are no vectors to write.

    `in_library`: whether a path lies in a library, whose own files no export may replace. `run`: makes a change;
    without it nothing is written back.
    """
    contents = ContentWriter(store, formats, in_library)

    def read_file(query: qt.ReadFile, cancel: Cancel | None) -> ImportPlan:
        with store.read() as reader:
            schema = reader.schema()
        plan = formats.read(query.path, schema, partly=query.partly)
        _check(cancel)
        if plan.content is not None:
            with store.read() as reader:
                return with_collisions(reader, plan, plan.content, cancel)
        if query.as_new:
            return plan
        with store.read() as reader:
            return with_familiar(reader, with_library(reader, plan))

    def find_files(query: qt.FindFiles, _cancel: Cancel | None) -> tuple[Found, ...]:
        with store.read() as reader:
            schema = reader.schema()
        return formats.found_in(query.path, schema)

    def export(query: qt.ExportFolder, cancel: Cancel | None) -> ExportReport:
        if in_library(query.path):
            raise UserError("error.export.in_library", path=str(query.path))
        if query.format in CONTENT_FORMATS:
            scope = ContentScope(folders=(query.folder, *query.also))
            return contents.write(
                scope,
                query.format,
                query.path,
                overwrite=query.overwrite,
                source=query.source,
                cancel=cancel,
            )
        with store.read() as reader:
            schema = reader.schema()
            folders = dict.fromkeys((*with_books(reader, query.folder, query.format), *query.also))
            bundles = [export_folder(reader, folder) for folder in folders]
        _check(cancel)
        return formats.write(
            query.format,
            bundles,
            query.path,
            schema,
            overwrite=query.overwrite,
            vectors_of=vectors_of if query.vectors else None,
            source=query.source or source_of(bundles[0].folder),
        )

    def export_some(query: qt.ExportMemories, cancel: Cancel | None) -> ExportReport:
        if in_library(query.path):
            raise UserError("error.export.in_library", path=str(query.path))
        if query.format in CONTENT_FORMATS:
            scope = ContentScope(memories=query.memories)
            return contents.write(scope, query.format, query.path, overwrite=query.overwrite, cancel=cancel)
        if query.format not in SELECTION_FORMATS:
            raise UserError("error.export.whole_folder", format=query.format.value)
        with store.read() as reader:
            schema = reader.schema()
            bundles = export_memories(reader, query.memories)
        _check(cancel)
        return formats.write(query.format, bundles, query.path, schema, overwrite=query.overwrite)

    desk = None if run is None else WriteBackDesk(store, formats, export, run)
    return {
        **({} if desk is None else desk.answers()),
        qt.ReadFile: read_file,
        qt.FindFiles: find_files,
        qt.ExportFolder: export,
        qt.ExportMemories: export_some,
        ExportLibrary: contents.library,
        VerifyPackage: contents.verify,
    }


def _check(cancel: Cancel | None) -> None:
    """Errors: Cancelled. After a file was read and before one is written; nothing is half done then."""
    if cancel is not None:
        cancel.check()
