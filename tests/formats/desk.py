"""An engine over a real store with the real file formats; vectors are the test's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.chroma_files import is_collection_name, write_collections
from core.adapters.formats.files import FormatFiles
from core.domain.commands import Command
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import ActorKind
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries_transfer import ExportFolder, ReadFile
from core.domain.results import Actor, OpResult
from core.domain.schema_data import default_schema
from core.domain.transfer import ExportReport, FolderBundle, Format, ImportPlan
from core.engine import Engine
from core.ports.embedder import Vectors
from core.services.exporting import export_folder
from core.services.file_answers import file_answers
from core.store.library import LibraryFiles
from core.store.store import SqlStore

DATA = Path(__file__).parents[1] / "data"
EXPORTS = DATA / "exports"
CASES = DATA / "cases"


class FilesDesk:
    """Import and export on a library of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = SqlStore(LibraryFiles(root / "library"), default_schema())
        answers = file_answers(
            self.store,
            FormatFiles(write_collections, is_collection_name),
            self.vectors,
            run=self._run,
        )
        self.engine = Engine(self.store, Actor(ActorKind.PERSON, "tester", "1"), answers)

    def _run(self, command: Command) -> object:
        return self.engine.run(command)

    def vectors(self, pks: Sequence[MemoryPk]) -> Mapping[MemoryPk, Vectors]:
        """A vector for each memory, told apart by its key."""
        return {pk: np.array([1.0, float(pk), 0.5], dtype=np.float32) for pk in pks}

    def plan(self, path: Path, *, partly: bool = False) -> ImportPlan:
        """The dry run."""
        return self.engine.ask(ReadFile(path, partly))

    def take(self, path: Path, *, into_existing: bool = False) -> OpResult:
        """Read and apply."""
        return self.engine.run(ApplyImport(replace(self.plan(path), into_existing=into_existing)))

    def bundle(self, folder: FolderPk | None) -> FolderBundle:
        """All of a folder."""
        assert folder is not None
        with self.store.read() as reader:
            return export_folder(reader, folder)

    def memory(self, folder: FolderPk | None, foreign_id: str) -> Memory:
        """The memory of a foreign id."""
        return next(m for m in self.bundle(folder).memories if m.foreign_id == foreign_id)

    def export(
        self, folder: FolderPk | None, target: Format, path: Path, *, overwrite: bool = False
    ) -> ExportReport:
        """Write a folder out."""
        assert folder is not None
        return self.engine.ask(ExportFolder(folder=folder, format=target, path=path, overwrite=overwrite))

    def graph_after(self, folder: FolderPk | None) -> dict[str, Any]:
        """The graph that an export of the folder holds."""
        path = self.root / "out" / "graph.json"
        self.export(folder, Format.STBME, path, overwrite=True)
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def graph(self, graph: object, name: str = "graph.json") -> Path:
        """A file with that JSON."""
        path = self.root / name
        path.write_text(json.dumps(graph, ensure_ascii=False), encoding="utf-8")
        return path


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY 1')]


def node(node_id: str, **values: Any) -> dict[str, Any]:
    """A node as ST-BME makes it."""
    made = {
        "id": node_id,
        "type": "event",
        "level": 0,
        "parentId": None,
        "childIds": [],
        "seq": 1,
        "seqRange": [1, 1],
        "archived": False,
        "fields": {"summary": f"text of {node_id}"},
        "embedding": None,
        "importance": 5,
        "accessCount": 0,
        "lastAccessTime": 1774200000000,
        "createdTime": 1774200000000,
        "prevId": None,
        "nextId": None,
        "clusters": [],
    }
    return made | values


def edge(edge_id: str, source: str, target: str, **values: Any) -> dict[str, Any]:
    """An edge as ST-BME makes it."""
    made = {
        "id": edge_id,
        "fromId": source,
        "toId": target,
        "relation": "related",
        "strength": 0.8,
        "edgeType": 0,
        "createdTime": 1774200000000,
        "validAt": 1774200000000,
        "invalidAt": None,
        "expiredAt": None,
    }
    return made | values


def graph(*nodes: dict[str, Any], edges: Sequence[dict[str, Any]] = (), **values: Any) -> dict[str, Any]:
    """A graph of version 3."""
    made = {
        "version": 3,
        "lastProcessedSeq": 9,
        "nodes": list(nodes),
        "edges": list(edges),
        "lastRecallResult": None,
    }
    return made | values


Desks = Callable[[str], FilesDesk]
"""A library by its name."""
