"""All formats behind one port (core.ports.file_formats.FileFormats)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.adapters.formats.booku_write import collections_of, records_of, write_database
from core.adapters.formats.detect import DATABASE, DATABASE_ENDINGS, found_in, read_any
from core.adapters.formats.graphml_write import write_graphml
from core.adapters.formats.problems import Problems
from core.adapters.formats.source_files import (
    format_of_source,
    is_unchanged,
    keeper,
    mark_of,
    obstacle_of,
)
from core.adapters.formats.stbme_write import given_ids, graph_of, graph_text
from core.adapters.formats.whole_file import is_same_file, new_directory, new_file
from core.adapters.formats.written_files import write_card, write_chat, write_lorebook
from core.adapters.packages.markdown import write_markdown
from core.adapters.packages.mem0 import write_mem0
from core.adapters.packages.read import is_package
from core.adapters.packages.verify import verify_package
from core.adapters.packages.write import write_package
from core.domain.api import Cancel
from core.domain.errors import BadFile, Invalid
from core.domain.json_types import Json
from core.domain.package import PackageContent, PackageReport
from core.domain.results import Problem
from core.domain.safe_text import storable
from core.domain.schema import Schema
from core.domain.source_file import SourceMark
from core.domain.transfer import ExportReport, FolderBundle, Format, Found, ImportPlan
from core.ports.clock import system_clock
from core.ports.file_formats import VectorsOf
from core.ports.vector_files import CollectionData

_NAME = "memory-curator"
VECTOR_FOLDER = Path("chroma_db") / "booku_memory"


class FormatFiles:
    """Reads and writes the files of ST-BME and Booku, and writes GraphML.

    `write_collections` makes a Chroma folder in the index process, `is_collection_name` says which names it takes.
    """

    def __init__(
        self,
        write_collections: Callable[[Path, Sequence[CollectionData]], None],
        is_collection_name: Callable[[str], bool],
    ) -> None:
        self._write_collections = write_collections
        self._is_collection_name = is_collection_name

    def read(self, path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan:
        """See FileFormats."""
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would be waited for without end
            raise BadFile("error.file.cannot_open", name=path.name, details="no regular file")
        return _storable_names(read_any(path, schema, partly=partly))

    def found_in(self, path: Path, schema: Schema) -> tuple[Found, ...]:
        """See FileFormats."""
        return found_in(path, schema)

    def write(
        self,
        target: Format,
        bundles: Sequence[FolderBundle],
        path: Path,
        schema: Schema,
        *,
        overwrite: bool = False,
        vectors_of: VectorsOf | None = None,
        source: Path | None = None,
    ) -> ExportReport:
        """See FileFormats."""
        match target:
            case Format.STBME:
                return _write_graph(bundles, path, schema, source, overwrite=overwrite)
            case Format.BOOKU:
                return self._write_booku(bundles, path, vectors_of, source, overwrite=overwrite)
            case Format.WORLDINFO | Format.LOREBOOK:
                return write_lorebook(target, bundles, path, schema, source, overwrite=overwrite)
            case Format.CARD:
                return write_card(bundles, path, schema, source, overwrite=overwrite)
            case Format.CHAT:
                return write_chat(bundles, path, schema, source, overwrite=overwrite)
            case Format.GRAPHML:
                return _write_graphml(bundles, path, overwrite=overwrite)
            case _:
                raise Invalid("error.export.format", format=target.value)

    def write_content(
        self,
        target: Format,
        content: PackageContent,
        path: Path,
        *,
        scope: str = "library",
        overwrite: bool = False,
        source: Path | None = None,
    ) -> ExportReport:
        """See FileFormats."""
        match target:
            case Format.MCZ:
                return write_package(
                    content, path, overwrite=overwrite, program=_program(), scope=scope, now=system_clock()
                )
            case Format.MEM0:
                return write_mem0(content, path, source, overwrite=overwrite)
            case Format.MARKDOWN:
                return write_markdown(content, path, source, overwrite=overwrite)
            case _:
                raise Invalid("error.export.format", format=target.value)

    def verify(self, path: Path, cancel: Cancel | None = None) -> PackageReport:
        """See FileFormats."""
        if not path.exists():
            raise BadFile("error.file.missing", name=path.name)
        if not path.is_file() or not is_package(path):
            raise BadFile("error.package.none", name=path.name)
        return verify_package(path, cancel)

    def mark(self, path: Path) -> SourceMark:
        """See FileFormats."""
        return mark_of(path)

    def is_unchanged(self, path: Path, mark: SourceMark) -> bool:
        """See FileFormats."""
        return is_unchanged(path, mark)

    def format_of_source(self, path: Path, kind: Format) -> Format | None:
        """See FileFormats."""
        return format_of_source(path, kind)

    def obstacle(self, path: Path, kind: Format) -> Problem | None:
        """See FileFormats."""
        return obstacle_of(path, kind)

    def _write_booku(
        self,
        bundles: Sequence[FolderBundle],
        path: Path,
        vectors_of: VectorsOf | None,
        source: Path | None,
        *,
        overwrite: bool,
    ) -> ExportReport:
        problems = Problems()
        records = records_of(bundles, problems)
        collections: list[CollectionData] = []
        if path.suffix.lower() in DATABASE_ENDINGS or is_same_file(path, source):
            with new_file(path, overwrite=overwrite, before=keeper(source, problems)) as part:
                write_database(part, records, bundles)
        else:
            with new_directory(path, overwrite=overwrite) as part:
                write_database(part / DATABASE, records, bundles)
                if vectors_of is not None:
                    collections = collections_of(
                        records, bundles, vectors_of, self._is_collection_name, problems
                    )
                    self._write_collections(part / VECTOR_FOLDER, collections)
        return ExportReport(
            format=Format.BOOKU,
            path=path,
            counts={
                "folders": len(bundles),
                "memories": len(records),
                "tags": sum(len(record.tags) for record in records),
                "vectors": sum(len(each.ids) for each in collections),
            },
            problems=problems.all(),
            ids={
                record.memory.pk: str(record.row["memory_id"])
                for record in records
                if record.memory.foreign_id != record.row["memory_id"]
            },
        )


def _program() -> str:
    """Name and version of this program, as packages say it."""
    try:
        return f"{_NAME} {version(_NAME)}"
    except PackageNotFoundError:  # run from its sources
        return _NAME


def _write_graphml(bundles: Sequence[FolderBundle], path: Path, *, overwrite: bool) -> ExportReport:
    problems = Problems()
    with new_file(path, overwrite=overwrite) as part:
        nodes, edges = write_graphml(part, bundles, problems, system_clock())
    return ExportReport(
        format=Format.GRAPHML,
        path=path,
        counts={"folders": len(bundles), "memories": nodes, "edges": edges},
        problems=problems.all(),
    )


def _storable_names(plan: ImportPlan) -> ImportPlan:
    """The plan with its file's name as it can be stored: systems allow names that are no text."""
    name = storable(plan.source_name)
    if name == plan.source_name:
        return plan
    folders = [
        replace(each, name=storable(each.name), origin={**each.origin, "file": name}) for each in plan.folders
    ]
    return replace(plan, source_name=name, folders=tuple(folders))


def _write_graph(
    bundles: Sequence[FolderBundle], path: Path, schema: Schema, source: Path | None, *, overwrite: bool
) -> ExportReport:
    if len(bundles) != 1:
        raise Invalid("error.export.one_folder", count=len(bundles))
    problems = Problems()
    graph = graph_of(bundles[0], schema, problems)
    with new_file(path, overwrite=overwrite, before=keeper(source, problems)) as part:
        part.write_text(graph_text(graph), encoding="utf-8", newline="\n")
    return ExportReport(
        format=Format.STBME,
        path=path,
        counts={"folders": 1, "memories": _length(graph["nodes"]), "edges": _length(graph["edges"])},
        problems=problems.all(),
        ids=given_ids(bundles[0]),
    )


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0
