"""A folder goes back into the file it came from: what that would change, and doing it.

The file is written by the exporters; here is decided whether it may be replaced, and what is said before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.domain.api import Cancel
from core.domain.commands import Command
from core.domain.commands_transfer import NoteWritten
from core.domain.errors import BadFile, UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.queries import Query
from core.domain.queries_transfer import ExportFolder
from core.domain.queries_write_back import PreviewWriteBack, SourceChangesOf, SourceOf, WriteBack
from core.domain.results import Problem
from core.domain.source_file import (
    PARTLY_KEY,
    READ_KEY,
    FolderSource,
    SourceMark,
    SourceState,
    WriteBackPreview,
)
from core.domain.transfer import ExportReport, Format, ImportPlan
from core.ports.file_formats import FileFormats
from core.ports.store import Store
from core.services.file_differences import FileDifferences, differences_of
from core.services.sources import source_changes, source_of_folder

BACKUP = "export.problem.backup"
Export = Callable[[ExportFolder, "Cancel | None"], ExportReport]


@dataclass(frozen=True, slots=True)
class WriteBackDesk:
    """`export` writes folders (core.services.file_answers), `run` makes a change of the library."""

    store: Store
    formats: FileFormats
    export: Export
    run: Callable[[Command], object]

    def answers(self) -> Mapping[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """One function for each query of core.domain.queries_write_back."""
        return {
            SourceOf: lambda query, _cancel: source_of_folder(self.store, query.folder),
            SourceChangesOf: lambda query, _cancel: source_changes(self.store, query),
            PreviewWriteBack: self.preview,
            WriteBack: self.write,
        }

    def preview(self, query: PreviewWriteBack, cancel: Cancel | None) -> WriteBackPreview:
        """See PreviewWriteBack."""
        source = self._source(query.folder)
        state, obstacle = self._state(source)
        now, unreadable = self._read(source.path)
        with tempfile.TemporaryDirectory(prefix="memory-curator-") as place:
            report, then = self._trial(source, Path(place), cancel)
        found = FileDifferences((), 0) if now is None else differences_of(now, then)
        warnings = self._warnings(source)
        if source.changes and now is not None and not (found.memories or found.relations):
            warnings += (Problem("write_back.warning.no_place", {"count": source.changes}, "warning"),)
        report = replace(report, problems=tuple(each for each in report.problems if each.key != BACKUP))
        return WriteBackPreview(
            source=source,
            state=state,
            obstacle=obstacle or unreadable,
            warnings=warnings,
            differences=None if now is None else found.memories[: query.limit],
            totals=found.totals,
            relations=found.relations,
            report=report,
        )

    def write(self, query: WriteBack, cancel: Cancel | None) -> ExportReport:
        """See WriteBack."""
        source = self._source(query.folder)
        if query.path is not None and not _same(query.path, source.path):
            return self._export(source, query.path, overwrite=query.overwrite, cancel=cancel)
        state, obstacle = self._state(source)
        if obstacle is not None:
            raise UserError(f"error.{obstacle.key}", **dict[str, Any](obstacle.args))
        if state in (SourceState.CHANGED, SourceState.UNKNOWN) and not query.replace_changed:
            raise UserError(f"error.write_back.{state.value}", name=source.file)
        assert source.path is not None
        target = source.path.resolve()  # a link stays one
        report = self._export(source, target, overwrite=True, cancel=cancel)
        mark = self.formats.mark(target)
        self.run(NoteWritten(folders=source.folders, file=source.file, mark=mark, ids=report.ids))
        return report

    # --- the file ---

    def _source(self, folder: FolderPk) -> FolderSource:
        """Errors: UserError when there is none that can be written."""
        source = source_of_folder(self.store, folder)
        if source is None:
            raise UserError("error.write_back.no_source")
        if not source.writable:
            raise UserError("error.write_back.only_read", name=source.file)
        return source

    def _origins(self, source: FolderSource) -> list[Mapping[str, Json]]:
        with self.store.read() as reader:
            return [folder.origin for folder in reader.records(Folder, source.folders)]

    def _state(self, source: FolderSource) -> tuple[SourceState, Problem | None]:
        """How the file stands on disk, and why it must not be replaced."""
        args: dict[str, Json] = {"name": source.file}
        path = source.path
        if path is None:
            return SourceState.GONE, Problem("write_back.obstacle.no_place", args, "error")
        if not path.exists():
            return SourceState.GONE, Problem("write_back.obstacle.gone", {**args, "path": str(path)}, "error")
        origins = self._origins(source)
        try:
            state = self._compared(path, origins)
            obstacle = self.formats.obstacle(path, source.format)
        except (OSError, BadFile) as error:
            details: dict[str, Json] = {**args, "details": str(error)}
            return SourceState.CHANGED, Problem("write_back.obstacle.unreadable", details, "error")
        if any(PARTLY_KEY in origin for origin in origins):
            obstacle = obstacle or Problem("write_back.obstacle.partly", args, "error")
        return state, obstacle

    def _compared(self, path: Path, origins: list[Mapping[str, Json]]) -> SourceState:
        marks = [SourceMark.from_json(origin.get(READ_KEY)) for origin in origins]
        newest = max((mark for mark in marks if mark is not None), key=lambda m: m.mtime_ns, default=None)
        if newest is None:
            return SourceState.UNKNOWN
        return SourceState.SAME if self.formats.is_unchanged(path, newest) else SourceState.CHANGED

    def _read(self, path: Path | None) -> tuple[ImportPlan | None, Problem | None]:
        """What the file says now, or why that cannot be known."""
        if path is None or not path.exists():
            return None, None
        with self.store.read() as reader:
            schema = reader.schema()
        try:
            return self.formats.read(path, schema), None
        except BadFile as error:
            args: dict[str, Json] = {"name": path.name, "details": error.details or error.key}
            return None, Problem("write_back.obstacle.unreadable", args, "error")

    # --- writing ---

    def _trial(
        self, source: FolderSource, place: Path, cancel: Cancel | None
    ) -> tuple[ExportReport, ImportPlan]:
        """What would be written, written elsewhere and read again."""
        target = place / (source.path.name if source.path is not None else source.file or "file")
        if source.format is Format.MARKDOWN:
            target.mkdir()
        report = self._export(source, target, overwrite=True, cancel=cancel)
        with self.store.read() as reader:
            schema = reader.schema()
        try:
            return report, self.formats.read(report.path, schema)
        except BadFile:  # everything was deleted: an empty list is no file of any kind
            return report, ImportPlan(format=source.format, source_name="", folders=(), memories=())

    def _export(
        self, source: FolderSource, path: Path, *, overwrite: bool, cancel: Cancel | None
    ) -> ExportReport:
        there = source.path is not None and source.path.exists()
        kind = self.formats.format_of_source(source.path, source.format) if there and source.path else None
        return self.export(
            ExportFolder(
                folder=source.folders[0],
                also=source.folders[1:],
                format=kind or source.format,
                path=path,
                overwrite=overwrite,
                vectors=False,
                source=source.path.resolve() if there and source.path else None,
            ),
            cancel,
        )

    def _warnings(self, source: FolderSource) -> tuple[Problem, ...]:
        """What the other program will do with the file, and what holds only here."""
        found = [Problem(f"write_back.warning.{source.format.value}", {"name": source.file}, "warning")]
        with self.store.read() as reader:
            pks = [pk for folder in source.folders for pk in reader.memories_in(folder)]
            locked = sum(memory.locked for memory in reader.records(Memory, pks))
        if locked and source.format is not Format.MARKDOWN:
            found.append(Problem("write_back.warning.locks", {"count": locked}, "info"))
        if len(source.folders) > 1:
            names: list[Json] = list(source.names)
            found.append(
                Problem("write_back.warning.folders", {"folders": ", ".join(map(str, names))}, "info")
            )
        return tuple(found)


def _same(one: Path, other: Path | None) -> bool:
    """Whether both are the same file, also by another name."""
    if other is None:
        return False
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.absolute() == other.absolute()
