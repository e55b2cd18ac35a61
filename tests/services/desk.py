"""A real engine on a real store, without an index: the clock is the test's."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from core.domain.commands import Command, CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge
from core.domain.enums import ActorKind
from core.domain.ids import EdgePk, FolderPk, MemoryPk, OpId, RelationId, TypeId
from core.domain.memory import Memory
from core.domain.queries import Query
from core.domain.results import Actor, OpResult, UndoResult
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.store.comparable import comparable_rows
from core.store.library import LibraryFiles
from core.store.store import SqlStore

T = TypeVar("T")
PERSON = Actor(ActorKind.PERSON, "tester", "1")
PROGRAM = Actor(ActorKind.PROGRAM, "agent", "2")


class Desk:
    """run, ask, undo and redo on a library of its own; the clock moves a second at each command."""

    def __init__(self, root: Path) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.store = SqlStore(LibraryFiles(root), default_schema(), lambda: self.now)
        self.engine = Engine(self.store, PERSON)
        self.agent = Engine(self.store, PROGRAM)

    def run(self, command: Command, actor: Actor = PERSON, **more: Any) -> OpResult:
        self.now += timedelta(seconds=1)
        engine = self.engine if actor is PERSON else self.agent
        return engine.run(command, **more)

    def ask(self, query: Query[T]) -> T:
        return self.engine.ask(query)

    def undo(self, op: int | None = None, **more: Any) -> UndoResult:
        self.now += timedelta(seconds=1)
        return self.engine.undo(None if op is None else OpId(op), **more)

    def redo(self) -> UndoResult:
        self.now += timedelta(seconds=1)
        return self.engine.redo()

    # --- short forms ---------------------------------------------------------------------

    def folder(self, name: str = "a", **more: Any) -> FolderPk:
        pk = self.run(CreateFolder(name, **more)).created_folder
        assert pk is not None
        return pk

    def memory(self, folder: FolderPk, type: str = "event", actor: Actor = PERSON, **values: Any) -> MemoryPk:
        if type == "event":
            values.setdefault("body", "something happened")
        new = NewMemory(folder=folder, type=TypeId(type), **values)
        return self.run(CreateMemory(new), actor).created[0]

    def edge(self, source: MemoryPk, target: MemoryPk, relation: str = "related", **more: Any) -> EdgePk:
        command = AddEdge(source=source, target=target, relation=RelationId(relation), **more)
        pk = self.run(command).created_edge
        assert pk is not None
        return pk

    def get(self, pk: MemoryPk) -> Memory:
        with self.store.read() as reader:
            return reader.records(Memory, [pk])[0]

    def last_args(self) -> dict[str, Any]:
        return dict(self.store.history(1, None)[0].op.args)

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """All journaled rows, without what is outside images."""
        return dump_rows(self.store.files.database)


def dump_rows(database: Path) -> dict[str, list[dict[str, Any]]]:
    """All that an undo brings back."""
    return dict(comparable_rows(database))


def shown(tables: dict[str, list[dict[str, Any]]]) -> str:
    """The dump as text, for readable differences."""
    return "\n".join(
        f"{table} {json.dumps(row, ensure_ascii=False, sort_keys=True)}"
        for table, rows in tables.items()
        for row in rows
    )
