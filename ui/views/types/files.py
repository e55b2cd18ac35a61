"""Types and relation types as a JSON file, out and in."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_health import ImportSchema
from core.domain.errors import BadFile, Invalid
from core.domain.queries import LibrarySchema
from core.domain.schema import Schema
from core.domain.schema_data import memory_type_to_json, relation_type_to_json, schema_of_json
from ui.context import Context
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.tasks import Lane

FILE = "memory-curator-types.json"


class TypeFiles(QObject):
    """`imported`: types came in."""

    imported = Signal()

    def __init__(self, ctx: Context, operations: Operations, paths: PathChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self._ctx, self._operations, self._paths, self._window = ctx, operations, paths, parent

    def ask_export(self) -> None:
        """Ask where all types go as JSON."""
        tr = self._ctx.tr
        path = self._paths.save_file(self._window, tr("types.export"), Path.home() / FILE, tr("types.json"))
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write all types and relation types as JSON."""
        engine, tr = self._ctx.engine, self._ctx.tr

        def work(_progress: Report, cancel: Cancel) -> Path:
            schema = engine.ask(LibrarySchema(), cancel=cancel)
            data = {
                "types": [memory_type_to_json(item) for item in schema.types],
                "relations": [relation_type_to_json(item) for item in schema.relations],
            }
            try:
                path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            except OSError as error:
                raise Invalid("error.schema.cannot_write", path=str(path), details=str(error)) from error
            return path

        self._ctx.tasks.run(
            Lane.NET,
            work,
            lambda done: self._operations.said.emit(tr("types.exported", path=str(done)), False),
            owner=self,
            failed=self._operations.show_error,
        )

    def ask_import(self) -> None:
        """Ask for a JSON file with types."""
        path = self._paths.file(self._window, self._ctx.tr("types.import"), Path.home())
        if path is not None:
            self.import_from(path)

    def import_from(self, path: Path) -> None:
        """Take in what a file holds, as one change; nothing when one of them breaks a rule."""

        def work(_progress: Report, _cancel: Cancel) -> Schema:
            try:
                text = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise BadFile("error.schema.unreadable", file=path.name, details=str(error)) from error
            return schema_of_json(text, path.name)

        def done(found: Schema) -> None:
            self._operations.run(
                ImportSchema(types=found.types, relations=found.relations),
                lambda _result: self.imported.emit(),
            )

        self._ctx.tasks.run(Lane.NET, work, done, owner=self, failed=self._operations.show_error)
