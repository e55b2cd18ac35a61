"""A small engine in memory for fast tests of the window: lists, filters, counts, simple commands, undo.

Answers can be held back by kind of query (`hold`, `release`) and every query is recorded.
"""

import itertools
import threading
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.domain.access import ReadOnly
from core.domain.commands import (
    ArchiveMemories,
    Command,
    MoveMemories,
    RestoreMemories,
    SetImportance,
    SetLayer,
    SetLocked,
    SetType,
    TrashMemories,
    UntrashMemories,
)
from core.domain.commands_folders import CreateFolder, RenameFolder
from core.domain.commands_merge import MergeMemories
from core.domain.document import DocumentKind, FoundFiles
from core.domain.enums import ActorKind, FolderKind, Kind, Layer, OpRole, OpState, Status
from core.domain.errors import UserError
from core.domain.folder import Folder
from core.domain.health import HealthState
from core.domain.ids import FolderPk, MemoryId, MemoryPk, OpId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.queries import (
    Counts,
    CrossingEdges,
    FacetCounts,
    Folders,
    LibraryPath,
    LibrarySchema,
    ListMemories,
    Memories,
    MemoryDetailOf,
    MemoryFilter,
    MemoryRows,
    Query,
    SortKey,
    TagNames,
    TrashScope,
)
from core.domain.queries_chat import Chats
from core.domain.queries_documents import Documents, FindDocuments, Queued, QueueFiles, QueueRows
from core.domain.queries_drop import DropKind, LookAtQueue, QueueSorted, QueueView, SortedFile, SortFiles
from core.domain.queries_health import Health
from core.domain.queries_history import History, LastOpId, PreviewUndo, UndoStateNow, VersionsOf
from core.domain.queries_index import Verify
from core.domain.queries_proposals import Proposals
from core.domain.queries_recall import PrepareRecall
from core.domain.queries_search import CompleteSearch, SavedSearchCounts, SavedSearches
from core.domain.queries_upkeep import SummariesOutOfDate
from core.domain.queries_watching import Gone
from core.domain.results import (
    Actor,
    Changes,
    Facets,
    FolderNode,
    LibraryCounts,
    MemoryDetail,
    MemoryRow,
    OpInfo,
    OpResult,
    UndoPreview,
    UndoResult,
    UndoState,
    VerifyReport,
)
from core.domain.schema import MemoryType, Schema
from core.domain.search import Completion
from core.domain.transfer import Format

START = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = ("event", "character", "location", "rule", "thread", "person", "place")
SORTS: dict[SortKey, Callable[[MemoryRow], Any]] = {
    SortKey.TITLE: lambda row: row.title,
    SortKey.IMPORTANCE: lambda row: row.importance,
    SortKey.TYPE: lambda row: row.type,
    SortKey.FOLDER: lambda row: row.folder_name,
    SortKey.LAYER: lambda row: row.layer.value,
    SortKey.STATUS: lambda row: row.status.value,
    SortKey.CREATED: lambda row: row.created_at,
    SortKey.UPDATED: lambda row: row.updated_at,
    SortKey.RELEVANCE: lambda row: row.pk,
}


def make_row(pk: int, **changes: Any) -> MemoryRow:
    """A plain row; its place in the default order follows from the pk."""
    row = MemoryRow(
        pk=MemoryPk(pk),
        id=MemoryId(f"mem-{pk:032x}"),
        type=TypeId(TYPES[pk % len(TYPES)]),
        folder=FolderPk(1 + pk % 3),
        folder_name="",
        title=f"Memory {pk}",
        snippet=f"Body of memory {pk}",
        layer=Layer.MEMORY,
        status=Status.ACTIVE,
        importance=float(pk % 11),
        activation_count=0,
        last_activated_at=None,
        created_at=START + timedelta(minutes=pk),
        updated_at=START + timedelta(minutes=pk),
        seq=None,
        level=0,
        locked=False,
        trashed=False,
        revision=1,
    )
    return replace(row, **changes)


class FakeDrafts:
    """Drafts in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def save(self, key: str, data: Any) -> None:
        self.kept[key] = data

    def get(self, key: str) -> Any:
        return self.kept.get(key)

    def all(self) -> dict[str, Any]:
        return dict(self.kept)

    def discard(self, key: str) -> None:
        self.kept.pop(key, None)


class FakeEngine:
    """Implements EngineApi over a dict of rows."""

    def __init__(
        self, rows: Sequence[MemoryRow] = (), folders: Sequence[str] = ("default", "tale", "tale/harbour")
    ):
        self.folders = {
            FolderPk(pk): Folder(pk=FolderPk(pk), name=name, kind=FolderKind.PLAIN, created_at=START)
            for pk, name in enumerate(folders, 1)
        }
        self.rows = {row.pk: self._named(row) for row in rows}
        self.asked: list[Query[Any]] = []
        self.ran: list[Command] = []
        self.fail: dict[type, Exception] = {}
        self._gates: dict[type, threading.Event] = {}
        self._listeners: list[Callable[[Changes], None]] = []
        self._numbers = itertools.count(1)
        self._undo: list[tuple[OpInfo, dict[MemoryPk, MemoryRow]]] = []
        self._redo: list[tuple[OpInfo, dict[MemoryPk, MemoryRow]]] = []
        self._lock = threading.RLock()
        self.closed = False
        self.drafts = FakeDrafts()

    @property
    def read_only(self) -> ReadOnly | None:
        return None

    @property
    def actor(self) -> Actor:
        return Actor(ActorKind.PERSON, "person", "test")

    # --- the script ---

    def hold(self, query: type) -> None:
        """Let answers to this kind of query wait until `release`."""
        self._gates[query] = threading.Event()

    def release(self, query: type) -> None:
        """Let them go."""
        self._gates.pop(query).set()

    def put(self, *rows: MemoryRow) -> None:
        """Another program wrote these rows."""
        with self._lock:
            self.rows.update({row.pk: self._named(row) for row in rows})
        self._send(self._op("op.change", {}), [row.pk for row in rows], foreign=True)

    def drop(self, *pks: int) -> None:
        """Another program removed these rows."""
        with self._lock:
            for pk in pks:
                del self.rows[MemoryPk(pk)]
        self._send(self._op("op.change", {}), pks, foreign=True)

    def count_asked(self, query: type) -> int:
        """How often a kind of query was asked."""
        return sum(isinstance(item, query) for item in self.asked)

    # --- EngineApi ---

    def ask(self, query: Query[Any], *, cancel: Any = None) -> Any:
        self.asked.append(query)
        gate = self._gates.get(type(query))
        if gate is not None:
            gate.wait(5)
        if cancel is not None:
            cancel.check()
        if type(query) in self.fail:
            raise self.fail[type(query)]
        with self._lock:
            return self._answer(query)

    def _answer(self, query: Query[Any]) -> Any:
        match query:
            case ListMemories(filter_, sort):
                found = [row for row in self.rows.values() if self._passes(row, filter_)]
                found.sort(key=lambda row: (SORTS[sort.key](row), row.pk), reverse=sort.descending)
                return array("q", [row.pk for row in found])
            case MemoryRows(pks):
                return tuple(self.rows[pk] for pk in pks if pk in self.rows)
            case Memories(pks):
                return tuple(self._memory(pk) for pk in pks if pk in self.rows)
            case MemoryDetailOf(pk):
                memory = self._memory(pk)
                return MemoryDetail(memory, self.folders[memory.folder], TagSet(), (), (), None, ())
            case FacetCounts(filter_):
                return self._facets(filter_)
            case Folders():
                return tuple(
                    self._node(folder) for folder in sorted(self.folders.values(), key=lambda f: f.name)
                )
            case PrepareRecall():
                return None
        return self._answer_library(query)

    def _answer_library(self, query: Query[Any]) -> Any:
        match query:
            case LibrarySchema():
                labels = {"en": "", "zh_CN": ""}
                return Schema(
                    tuple(
                        MemoryType(
                            id=TypeId(name),
                            labels={**labels, "en": name.title(), "zh_CN": name},
                            table_name=name,
                            columns=(),
                            icon="mdi6.circle",
                            color="#575CDF",
                            color_dark="#6775FD",
                        )
                        for name in TYPES
                    ),
                    (),
                )
            case Counts():
                trashed = sum(row.trashed for row in self.rows.values())
                return LibraryCounts(
                    len(self.rows) - trashed, 0, trashed, 0, len(self.folders), 0, 0, 0, 0, 0
                )
            case UndoStateNow():
                undo = self._undo[-1][0] if self._undo else None
                return UndoState(undo, self._redo[-1][0] if self._redo else None)
            case PreviewUndo():
                op, before = self._undo[-1]
                return UndoPreview(op, len(before))
            case Health():
                return HealthState(
                    reasons=(), store_bytes=0, journal_bytes=0, index_bytes=0, backups_bytes=0,
                    memories=len(self.rows), ops=0, waiting=0, embedder="", dims=0,
                )  # fmt: skip
            case Verify():
                return VerifyReport(len(self.rows), (), (), (), (), 0, 0)
            case TagNames() | CrossingEdges() | History() | VersionsOf():
                return ()
            case Proposals() | QueueRows() | SummariesOutOfDate() | Chats():
                return ()
            case LastOpId():
                return OpId(0)
            case LibraryPath():
                return Path("library")
        return self._answer_documents(query)

    def _answer_documents(self, query: Query[Any]) -> Any:
        match query:
            case LookAtQueue():
                return QueueView({}, ())
            case CompleteSearch():
                return Completion()
            case SavedSearches():
                return ()
            case SavedSearchCounts():
                return {}
            case Gone():
                return ()
            case Documents():
                return ()
            case FindDocuments(paths):
                return FoundFiles(files=paths)
            case SortFiles(paths):
                return tuple(
                    SortedFile(path=path, shown=str(path), sort=DropKind.GRAPHS, format=Format.STBME)
                    if path.suffix == ".json"
                    else SortedFile(
                        path=path, shown=str(path), sort=DropKind.DOCUMENTS, kind=DocumentKind.TEXT
                    )
                    for path in paths
                )
            case QueueFiles():
                return Queued(tuple(range(len(query.paths))), FoundFiles(files=query.paths))
            case QueueSorted(files):
                return tuple(range(len(files)))
        raise AssertionError(query)

    def run(self, command: Command, *, progress: Any = None, cancel: Any = None) -> OpResult:
        self.ran.append(command)
        if type(command) in self.fail:
            raise self.fail[type(command)]
        with self._lock:
            before, result = dict(self.rows), OpResult(None)
            match command:
                case CreateFolder(name, kind, character):
                    pk = FolderPk(max(self.folders) + 1)
                    self.folders[pk] = Folder(
                        pk=pk, name=name, kind=kind, character=character, created_at=START
                    )
                    result = OpResult(None, 1, created_folder=pk)
                case RenameFolder(pk, name):
                    self.folders[pk] = replace(self.folders[pk], name=name)
                case MergeMemories():
                    for loser in command.losers:
                        self.rows[loser] = replace(self.rows[loser], status=Status.ARCHIVED)
                case _:
                    self._change(command)
            touched = [pk for pk, row in self.rows.items() if before.get(pk) is not row]
            op = self._op(command.LABEL, {"count": len(touched)})
            self._undo.append((op, {pk: before[pk] for pk in touched}))
            self._redo.clear()
        self._send(op, touched)
        return replace(result, op=op, changed=len(touched) or result.changed)

    def _change(self, command: Any) -> None:
        match command:
            case MoveMemories():
                values: dict[str, Any] = {
                    "folder": command.folder,
                    "folder_name": self.folders[command.folder].name,
                }
            case TrashMemories():
                values = {"trashed": True}
            case UntrashMemories():
                values = {"trashed": False}
            case SetLayer():
                values = {"layer": command.layer}
            case SetType():
                values = {"type": command.type}
            case SetImportance():
                values = {"importance": command.importance}
            case SetLocked():
                values = {"locked": command.locked}
            case ArchiveMemories():
                values = {"status": Status.ARCHIVED}
            case RestoreMemories():
                values = {"status": Status.ACTIVE}
            case _:
                raise AssertionError(command)
        for pk in command.memories:
            self.rows[pk] = replace(self.rows[pk], **values)

    def undo(
        self, op: Any = None, *, partly: bool = False, progress: Any = None, cancel: Any = None
    ) -> UndoResult:
        return self._back(self._undo, self._redo, OpRole.UNDO)

    def redo(self, *, progress: Any = None, cancel: Any = None) -> UndoResult:
        return self._back(self._redo, self._undo, OpRole.REDO)

    def _back(self, source: list[Any], target: list[Any], role: OpRole) -> UndoResult:
        if not source:
            raise UserError("error.undo.nothing")
        with self._lock:
            of, images = source.pop()
            target.append((of, {pk: self.rows[pk] for pk in images}))
            self.rows.update(images)
        op = replace(self._op(of.label, of.args), role=role, of=of.id)
        self._send(op, list(images))
        return UndoResult(op, of, len(images))

    def subscribe(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def poll(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True

    # --- inside ---

    def _named(self, row: MemoryRow) -> MemoryRow:
        return replace(row, folder_name=self.folders[row.folder].name)

    def _op(self, label: str, args: Any) -> OpInfo:
        return OpInfo(
            OpId(next(self._numbers)), label, args, self.actor, START, OpRole.CHANGE, OpState.COMPLETE, True
        )

    def _send(self, op: OpInfo, pks: Sequence[int], *, foreign: bool = False) -> None:
        memories = frozenset(MemoryPk(pk) for pk in pks)
        for listener in list(self._listeners):
            listener(Changes(op, {Kind.MEMORY: frozenset(pks)}, memories, foreign))

    def _memory(self, pk: MemoryPk) -> Memory:
        row = self.rows[pk]
        return Memory(
            pk=pk,
            id=row.id,
            folder=row.folder,
            type=row.type,
            title=row.title,
            body=row.snippet,
            importance=row.importance,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )

    def _passes(self, row: MemoryRow, where: MemoryFilter) -> bool:
        trash = where.trash is TrashScope.BOTH or row.trashed == (where.trash is TrashScope.INSIDE)
        text = where.text.lower() in f"{row.title} {row.snippet}".lower()
        return (
            trash
            and text
            and (not where.folders or row.folder in where.folders)
            and (not where.types or row.type in where.types)
            and (not where.layers or row.layer in where.layers)
            and (not where.statuses or row.status in where.statuses)
        )

    def _facets(self, where: MemoryFilter) -> Facets:
        found = [row for row in self.rows.values() if self._passes(row, where)]
        counts: list[dict[str, int]] = []
        for name in ("type", "layer", "status"):
            values = [str(getattr(row, name)) for row in found]
            counts.append({value: values.count(value) for value in set(values)})
        return Facets(len(found), *counts)

    def _node(self, folder: Folder) -> FolderNode:
        here = [row for row in self.rows.values() if row.folder == folder.pk]
        trashed = sum(row.trashed for row in here)
        return FolderNode(folder, len(here) - trashed, 0, trashed, 0, 0)
