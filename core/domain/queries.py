"""Queries: everything that can be asked. `engine.ask(query)` answers with the type in brackets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from core.domain.commands import FindAndReplace, NewDocument
from core.domain.document import CutSettings, DocumentRow, FoundFiles, QueueRow, ReadDocument
from core.domain.enums import Layer, Status, TagKind
from core.domain.folder import Document, Folder, Memo, Message
from core.domain.ids import DocumentPk, EdgePk, FolderPk, MemoryPk, OpId, TypeId
from core.domain.memory import Memory
from core.domain.recall import (
    Evaluation,
    RecallCase,
    RecallRequest,
    RecallResult,
    RecallRun,
    WhyNotAnswer,
)
from core.domain.recipes import Recipe
from core.domain.results import (
    EdgeView,
    Facets,
    FolderNode,
    HistoryEntry,
    LibraryCounts,
    MemoryDetail,
    MemoryRow,
    NoveltyReport,
    ReplacePreview,
    RowVersion,
    TrialRow,
    UndoPreview,
    UndoState,
    VerifyReport,
    WholeMemory,
)
from core.domain.schema import Schema
from core.domain.transfer import ExportReport, Format, Found, ImportPlan

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Query(Generic[T_co]):
    """Base of all queries; `T_co` is the type of the answer."""


class SortKey(StrEnum):
    """Columns by which memories can be sorted; INDEXED_SORTS have an index."""

    CREATED = "created"
    UPDATED = "updated"
    TITLE = "title"
    TYPE = "type"
    LAYER = "layer"
    STATUS = "status"
    FOLDER = "folder"
    IMPORTANCE = "importance"
    ACTIVATIONS = "activations"
    LAST_USED = "last_used"
    SEQ = "seq"
    LEVEL = "level"
    RELEVANCE = "relevance"


class TrashScope(StrEnum):
    """Which side of the trash a list shows."""

    OUTSIDE = "outside"
    INSIDE = "inside"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What a list shows. Empty sets do not filter. `text` = plain search words.

    `with_subfolders`: folders below the named ones (by `/`) too.
    """

    text: str = ""
    folders: frozenset[FolderPk] = frozenset()
    with_subfolders: bool = False
    types: frozenset[TypeId] = frozenset()
    layers: frozenset[Layer] = frozenset()
    statuses: frozenset[Status] = frozenset()
    tags: tuple[tuple[TagKind | None, str], ...] = ()
    importance_min: float | None = None
    importance_max: float | None = None
    seq_min: int | None = None
    seq_max: int | None = None
    level_min: int | None = None
    never_recalled: bool = False
    locked: bool | None = None
    document: int | None = None
    trash: TrashScope = TrashScope.OUTSIDE


@dataclass(frozen=True, slots=True)
class Sort:
    """Order of a list; ties by pk."""

    key: SortKey = SortKey.UPDATED
    descending: bool = True


@dataclass(frozen=True, slots=True)
class ListMemories(Query[Sequence[int]]):
    """Pks of all memories that pass the filter, in order (a compact array)."""

    filter: MemoryFilter = field(default_factory=MemoryFilter)
    sort: Sort = field(default_factory=Sort)


@dataclass(frozen=True, slots=True)
class MemoryRows(Query[tuple[MemoryRow, ...]]):
    """What the table shows of these memories, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class Memories(Query[tuple[Memory, ...]]):
    """Whole records, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class MemoryDetailOf(Query[MemoryDetail]):
    """All that the detail view shows of one memory. Errors: NotFound."""

    pk: MemoryPk


@dataclass(frozen=True, slots=True)
class ResolveMemories(Query[tuple[MemoryPk, ...]]):
    """Pks of public or foreign ids, in order; ids of merged memories follow to the survivor.

    Errors: NotFound naming the ids that are unknown or, without a folder, ambiguous.
    """

    ids: tuple[str, ...]
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class FacetCounts(Query[Facets]):
    """Counts by type, layer, status and tag under a filter."""

    filter: MemoryFilter = field(default_factory=MemoryFilter)


@dataclass(frozen=True, slots=True)
class Folders(Query[tuple[FolderNode, ...]]):
    """All folders with their counts, by name."""


@dataclass(frozen=True, slots=True)
class FolderByName(Query[Folder | None]):
    """The folder of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class CrossingEdges(Query[tuple[EdgeView, ...]]):
    """Relations with exactly one end among these memories (what a move would cut or stretch)."""

    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class LibrarySchema(Query[Schema]):
    """Memory types and relation types of the library."""


@dataclass(frozen=True, slots=True)
class TagNames(Query[tuple[tuple[str, int], ...]]):
    """Tags in use with their counts, most used first; `prefix` narrows."""

    kind: TagKind | None = None
    prefix: str = ""
    limit: int = 200


@dataclass(frozen=True, slots=True)
class MessagesOf(Query[tuple[Message, ...]]):
    """Floors `start` .. `stop`-1 of a folder's chat."""

    folder: FolderPk
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class History(Query[tuple[HistoryEntry, ...]]):
    """Ops, newest first."""

    limit: int = 200
    before: OpId | None = None


@dataclass(frozen=True, slots=True)
class VersionsOf(Query[tuple[RowVersion, ...]]):
    """What changed on one memory, newest first."""

    pk: MemoryPk


@dataclass(frozen=True, slots=True)
class PreviewUndo(Query[UndoPreview]):
    """What undoing an op (None = this writer's newest) would do, and which rows stand against it."""

    op: OpId | None = None


@dataclass(frozen=True, slots=True)
class UndoStateNow(Query[UndoState]):
    """What Ctrl+Z and Ctrl+Y would do now."""


@dataclass(frozen=True, slots=True)
class PreviewReplace(Query[ReplacePreview]):
    """Every change that a find-and-replace would make."""

    command: FindAndReplace
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Counts(Query[LibraryCounts]):
    """Size of the library and what waits for the index.

    `journal`: sum up the journal's text too, which reads all of it; without, `journal_bytes` is 0.
    """

    journal: bool = True


@dataclass(frozen=True, slots=True)
class Verify(Query[VerifyReport]):
    """Compare SQL with the vector index and check the store (doctor)."""

    sample: int = 50


@dataclass(frozen=True, slots=True)
class RebuildIndex(Query[int]):
    """Make the vector index anew from SQL; answers how many entries it then holds.

    What has a stored vector is not embedded again. No op: the index is a cache.
    Errors: Unavailable, Cancelled (the rest waits in the outbox).
    """


@dataclass(frozen=True, slots=True)
class SearchByMeaning(Query[tuple[tuple[MemoryPk, float], ...]]):
    """Memories nearest to a text, with cosine, best first. Errors: Unavailable(embedder)."""

    text: str
    limit: int = 50
    filter: MemoryFilter = field(default_factory=MemoryFilter)


@dataclass(frozen=True, slots=True)
class LastOpId(Query[OpId]):
    """Highest op id: polled to notice what other programs wrote."""


@dataclass(frozen=True, slots=True)
class LibraryPath(Query[Path]):
    """Directory of the library."""


@dataclass(frozen=True, slots=True)
class LiveEdges(Query[tuple[EdgeView, ...]]):
    """Relations of a memory; `at` None = all, past ones too."""

    memory: MemoryPk
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Edges(Query[tuple[EdgeView, ...]]):
    """These relations with titles of their ends, in the order asked; missing ones are left out."""

    pks: tuple[EdgePk, ...]


@dataclass(frozen=True, slots=True)
class ReadFile(Query[ImportPlan]):
    """The dry run of an import: what a file or directory holds. Nothing is written.

    A chat, lorebook or card that is in the library already is compared with it, unless `as_new`.
    Errors: BadFile, with what it is and how far it could be read. `partly`: of a file that breaks off
    take what stands before the break.
    """

    path: Path
    partly: bool = False
    as_new: bool = False


@dataclass(frozen=True, slots=True)
class FindFiles(Query[tuple[Found, ...]]):
    """Files in a directory and below it that can be imported, with their counts. Errors: BadFile."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFolder(Query[ExportReport]):
    """Write a folder to a file (Booku: a directory) in a foreign format; the library stays as it is.

    `also`: more folders that go into the same file (Booku, lorebooks). `vectors`: with a Chroma folder beside it.
    `source`: the chat or picture of which a changed copy is written (None: the one that the folder came from).
    Written over the source itself, a copy of that is kept beside it.
    Errors: UserError when `path` exists and `overwrite` is not set, or cannot be written.
    """

    folder: FolderPk
    format: Format
    path: Path
    overwrite: bool = False
    also: tuple[FolderPk, ...] = ()
    vectors: bool = True
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class ExportMemories(Query[ExportReport]):
    """Write chosen memories, of any folders, to a lorebook; the library stays as it is.

    Errors: UserError as for ExportFolder, and for a format that holds whole folders only.
    """

    memories: tuple[MemoryPk, ...]
    format: Format
    path: Path
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Recall(Query[RecallResult]):
    """What the next prompt would get for a message, and why (core.domain.recall).

    In mode preview nothing at all is written. In mode commit activations (and, where the recipe says so,
    importance) are counted and the run is kept: `result.run`. Errors: NotFound for a folder or recipe that
    does not exist, Invalid for a setting out of its range.
    """

    request: RecallRequest


@dataclass(frozen=True, slots=True)
class WhyNot(Query[WhyNotAnswer]):
    """Why a memory is or is not in the result of that request, and the smallest change that brings it in.

    Errors: those of Recall, and NotFound for a memory that does not exist.
    """

    request: RecallRequest
    memory: MemoryPk


@dataclass(frozen=True, slots=True)
class Recipes(Query[tuple[Recipe, ...]]):
    """The recipes with their settings, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class RecallRuns(Query[tuple[RecallRun, ...]]):
    """Runs that were handed out, newest first; of one folder or of all."""

    folder: FolderPk | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class LastInjection(Query[RecallRun | None]):
    """The run that was last handed out for a folder by any door."""

    folder: FolderPk | None


@dataclass(frozen=True, slots=True)
class RecallHistoryOf(Query[tuple[RecallRun, ...]]):
    """Runs in which a memory was recalled, newest first."""

    memory: MemoryPk
    limit: int = 100


@dataclass(frozen=True, slots=True)
class WholeMemories(Query[tuple[WholeMemory, ...]]):
    """Memories with tags, aliases and relations, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class FindMemories(Query[tuple[tuple[str, tuple[MemoryPk, ...]], ...]]):
    """The memories of public or foreign ids, by id as asked; none where an id is unknown (see ResolveMemories)."""

    ids: tuple[str, ...]
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class PersonMemories(Query[tuple[MemoryPk, ...]]):
    """Memories of type person with that `platform:id`, outside the trash, the one used last first."""

    person_id: str


@dataclass(frozen=True, slots=True)
class PeopleNamed(Query[tuple[tuple[str, tuple[MemoryPk, ...]], ...]]):
    """Memories of type person whose id, title or alias is that name, by name; case does not count."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VectorCounts(Query[tuple[int, int]]):
    """How many memories outside the trash have a vector: those of a folder (None = of all), and pieces of documents."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class MemosOf(Query[tuple[Memo, ...]]):
    """Memos of a folder (None = of all) that live at a time (None = now), newest first.

    With `expired` the dead ones too.
    """

    folder: FolderPk | None = None
    expired: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoveltyOf(Query[NoveltyReport]):
    """How new a text is among the memories of its folder (documents: among all documents).

    Texts that have no vector yet are embedded first. Errors: Unavailable(embedder).
    """

    folder: FolderPk | None
    title: str
    body: str
    layer: Layer = Layer.MEMORY
    neighbours: int = 8
    cutoff: float = 0.1


@dataclass(frozen=True, slots=True)
class EmbedWaiting(Query[int]):
    """Embed memories that have no vector yet, newest first; answers how many. No op: vectors are a cache.

    Errors: Unavailable(embedder).
    """

    limit: int = 256


@dataclass(frozen=True, slots=True)
class CountUse(Query[int]):
    """Count the memories as recalled once more, outside the journal; answers how many there were."""

    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionPlan(Query[tuple[TrialRow, ...]]):
    """Memories on trial in a folder (None = in all) with what the rule suggests for each (DESIGN §5, promote).

    Older than `days`: archived from `activations` recalls on, else trashed; younger ones stay on trial.
    """

    folder: FolderPk | None = None
    days: float = 7.0
    activations: int = 2
    at: datetime | None = None


# --- recall tests ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecallCases(Query[tuple[RecallCase, ...]]):
    """Saved expectations of a folder, or all of them, oldest first."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class Evaluate(Query[Evaluation]):
    """Run the saved expectations of a folder, or all of them, as previews, beside the run before.

    The figures are kept, to compare the next run with; nothing else is touched. Errors: Cancelled.
    """

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class ExportRecallCases(Query[str]):
    """Saved expectations as JSON lines, with the names of folders and the ids of memories."""

    folder: FolderPk | None = None


# --- documents ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Documents(Query[tuple[DocumentRow, ...]]):
    """Documents of a folder (None = of all), oldest first."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class DocumentOf(Query[Document]):
    """A document with its whole text. Errors: NotFound."""

    pk: DocumentPk


@dataclass(frozen=True, slots=True)
class PiecesOf(Query[tuple[Memory, ...]]):
    """The pieces of a document outside the trash, in the order of the text."""

    document: DocumentPk


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as it was read, and as it would be written."""

    read: ReadDocument
    new: NewDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareFile(Query[Prepared]):
    """Read and cut a file; nothing is written. A text whose hash is in `unless` is not cut (no pieces).

    Errors: EncodingQuestion, PasswordQuestion, BadFile, Invalid for sizes that make no sense, Cancelled.
    """

    path: Path
    title: str = ""
    encoding: str = ""
    password: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)
    unless: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareText(Query[Prepared]):
    """Cut a typed or pasted text; nothing is written. `plain`: lines with `#` in it are no headings.

    Errors: BadFile when it is blank, Invalid.
    """

    text: str
    plain: bool = False
    title: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)


@dataclass(frozen=True, slots=True)
class FindDocuments(Query[FoundFiles]):
    """Files at some paths and below them that an ingest would take, each once. Errors: Cancelled."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Queued:
    """What was put into the queue (keys of its rows), and what was found."""

    rows: tuple[int, ...]
    found: FoundFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFiles(Query[Queued]):
    """Put files, and what lies below directories, into the queue, which survives the program.

    A file that waits there already is not put in twice. `title` only for a single file. Errors: Cancelled.
    """

    paths: tuple[Path, ...]
    folder: str
    title: str = ""
    encoding: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)


@dataclass(frozen=True, slots=True)
class QueueRows(Query[tuple[QueueRow, ...]]):
    """The queue, oldest first: what waits, what is done, what failed and why."""


@dataclass(frozen=True, slots=True)
class RunQueue(Query[int]):
    """Work on the queue until nothing waits; answers how many files were looked at.

    One program at a time does that: beside another one it answers 0 at once. Each file is an op of its own.
    Errors: Cancelled; the file that was being worked on waits again.
    """


class QueueAction(StrEnum):
    """What can be done with rows of the queue."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    """Failed and cancelled ones, and questions, wait again."""
    CLEAR = "clear"
    """Forget those that are done, there already, or cancelled."""


@dataclass(frozen=True, slots=True)
class ChangeQueue(Query[int]):
    """Do something with rows of the queue (None = with all that it fits); answers how many it was done to."""

    action: QueueAction
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQueue(Query[bool]):
    """Answer the question of a row (or choose another encoding); it waits again then. False = it is gone.

    A password is kept in memory only. `confirmed`: a memory file with something odd about it comes in all the same.
    """

    row: int
    encoding: str = ""
    password: str = ""
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportDocuments(Query[tuple[Path, ...]]):
    """Write the texts of documents to a directory, one UTF-8 file each; answers the files.

    A document that came without its text is put together from its pieces. Errors: NotFound, UserError when a file
    is there and `overwrite` is not set, or cannot be written.
    """

    documents: tuple[DocumentPk, ...]
    directory: Path
    overwrite: bool = False
