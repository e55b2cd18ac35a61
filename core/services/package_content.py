"""The content of the library, or of a part of it, as packages and plain files hold it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.domain.api import Cancel
from core.domain.chat import BRANCH_KEY, CHAT_KEY, chat_of
from core.domain.edge import Edge
from core.domain.folder import Document, Folder, NotDuplicate
from core.domain.ids import DocumentPk, FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.package import (
    PackedCase,
    PackedDocument,
    PackedEdge,
    PackedFolder,
    PackedMemo,
    PackedMemory,
    PackedMessage,
    PackedPair,
    PackedPin,
    PackedVector,
    VectorSet,
)
from core.domain.pin import Pin
from core.domain.recall import RecallCase
from core.domain.saved_search import SavedSearch
from core.domain.sayings import KEPT_KEY
from core.domain.schema import MemoryType, RelationType
from core.ports.store import Reader
from core.services.chat_floors import branch_of, messages_in
from core.services.saved_searches import saved_searches

PAGE = 1000


@dataclass(frozen=True, slots=True)
class ContentScope:
    """What goes out: everything, whole folders with all that is in them, or nothing but some memories."""

    folders: tuple[FolderPk, ...] | None = None
    memories: tuple[MemoryPk, ...] | None = None

    @property
    def name(self) -> str:
        """How a package says it."""
        if self.memories is not None:
            return "memories"
        return "library" if self.folders is None else "folders"


class LibraryContent:
    """See core.domain.package.PackageContent. Lives as long as its reader, in the reader's one consistent view.

    Errors of all calls: Cancelled.
    """

    def __init__(self, reader: Reader, scope: ContentScope, cancel: Cancel | None = None) -> None:
        self._cancel = cancel
        self._reader = reader
        self._scope = scope
        self._all = scope.folders is None and scope.memories is None

    # --- what is in it ---

    @cached_property
    def _pks(self) -> list[MemoryPk]:
        """The memories in the order in which they came."""
        if self._scope.memories is not None:
            return sorted(state.pk for state in self._reader.states(set(self._scope.memories)))
        return sorted(MemoryPk(pk) for folder in self._folders for pk in self._reader.memories_in(folder.pk))

    @cached_property
    def _inside(self) -> frozenset[MemoryPk]:
        return frozenset(self._pks)

    @cached_property
    def _folders(self) -> list[Folder]:
        """The folders, by name."""
        found = self._reader.all_records(Folder)
        if self._scope.memories is not None:
            used = {state.folder for state in self._reader.states(set(self._scope.memories))}
            found = [folder for folder in found if folder.pk in used]
        elif self._scope.folders is not None:
            found = [folder for folder in found if folder.pk in self._scope.folders]
        return sorted(found, key=lambda folder: folder.name)

    @cached_property
    def _names(self) -> Mapping[FolderPk, str]:
        return {folder.pk: folder.name for folder in self._reader.all_records(Folder)}

    @cached_property
    def _within(self) -> frozenset[FolderPk]:
        return frozenset(folder.pk for folder in self._folders)

    def _pages(self) -> Iterator[Sequence[MemoryPk]]:
        for start in range(0, len(self._pks), PAGE):
            if self._cancel is not None:
                self._cancel.check()
            yield self._pks[start : start + PAGE]

    # --- schema and folders ---

    def types(self) -> Iterator[MemoryType]:
        """Memory types; of a part of the library those in use."""
        used = None if self._all else {state.type for state in self._reader.states(self._pks)}
        for kind in self._reader.all_records(MemoryType):
            if used is None or kind.id in used:
                yield kind

    def relation_types(self) -> Iterator[RelationType]:
        """Kinds of relations; of a part of the library those in use."""
        used = None if self._all else {packed.edge.relation for packed in self.edges()}
        for kind in self._reader.all_records(RelationType):
            if used is None or kind.id in used:
                yield kind

    def folders(self) -> Iterator[PackedFolder]:
        """Folders; a branch whose parent stays behind becomes a chat of its own."""
        for folder in self._folders:
            parent, shared = branch_of(folder)
            branch = (self._names[parent], shared) if parent in self._within and parent is not None else None
            chat = {key: value for key, value in chat_of(folder).items() if key != BRANCH_KEY}
            extra = {**folder.extra, CHAT_KEY: chat} if parent is not None else folder.extra
            yield PackedFolder(
                folder=replace(folder, extra=extra, also_reads=()),
                also_reads=tuple(self._names[pk] for pk in folder.also_reads if pk in self._names),
                branch=branch,
            )

    def documents(self) -> Iterator[PackedDocument]:
        """Documents of the folders; of chosen memories those that they are pieces of."""
        if self._scope.memories is None:
            for folder in self._folders:
                for document in self._reader.documents_of(folder.pk):
                    yield PackedDocument(document=document, folder=folder.name)
            return
        for document in self._reader.records(Document, sorted(self._documents)):
            yield PackedDocument(document=document, folder=self._names[document.folder])

    @cached_property
    def _documents(self) -> Mapping[DocumentPk, str]:
        """Ids of the documents of the memories."""
        if self._scope.memories is None:
            return {
                document.pk: document.id
                for folder in self._folders
                for document in self._reader.documents_of(folder.pk)
            }
        wanted = {
            memory.document
            for page in self._pages()
            for memory in self._reader.records(Memory, page)
            if memory.document is not None
        }
        return {
            document.pk: document.id
            for document in self._reader.records(Document, sorted(wanted))
            if document.folder in self._within
        }

    # --- memories ---

    def memories(self) -> Iterator[PackedMemory]:
        """Memories, trashed ones too."""
        for page in self._pages():
            records = self._reader.records(Memory, page)
            tags, aliases = self._reader.tag_sets(page), self._reader.aliases_of(page)
            ids = self._ids(pk for record in records for pk in (record.parent, record.merged_into))
            for record in records:
                yield PackedMemory(
                    memory=_elsewhere(record),
                    folder=self._names[record.folder],
                    parent=None if record.parent is None else ids.get(record.parent),
                    merged_into=None if record.merged_into is None else ids.get(record.merged_into),
                    document=None if record.document is None else self._documents.get(record.document),
                    tags=tags[record.pk],
                    aliases=tuple(alias.value for alias in aliases.get(record.pk, ())),
                )

    def _ids(self, pks: Iterable[MemoryPk | None]) -> dict[MemoryPk, str]:
        wanted = sorted({pk for pk in pks if pk is not None})
        return {state.pk: str(state.id) for state in self._reader.states(wanted)}

    def edges(self) -> Iterator[PackedEdge]:
        """Relations from or to the memories: an end outside is there again where the file meets its library."""
        seen: set[int] = set()
        for page in self._pages():
            found = [edge for edge in self._reader.edges_touching(page) if edge.pk not in seen]
            if self._scope.memories is not None:
                found = [
                    edge for edge in found if edge.source in self._inside and edge.target in self._inside
                ]
            seen.update(edge.pk for edge in found)
            yield from self._packed_edges(found)

    def _packed_edges(self, edges: Sequence[Edge]) -> Iterator[PackedEdge]:
        ids = self._ids(pk for edge in edges for pk in (edge.source, edge.target))
        for edge in edges:
            yield PackedEdge(edge=edge, source=ids[edge.source], target=ids[edge.target])

    # --- what lies in whole folders ---

    def messages(self) -> Iterator[PackedMessage]:
        """Floors; those of a parent that stays behind are the branch's own."""
        if self._scope.memories is not None:
            return
        for folder in self._folders:
            yield from self._floors(folder.pk, folder.name, None)

    def _floors(self, folder: FolderPk, name: str, before: int | None) -> Iterator[PackedMessage]:
        found = self._reader.records(Folder, [folder])
        if not found:
            return
        parent, shared = branch_of(found[0])
        if parent is not None and parent != folder and (before is not None or parent not in self._within):
            yield from self._floors(parent, name, shared if before is None else min(shared, before))
        for message in messages_in(self._reader, folder):
            if before is not None and message.seq >= before:
                return
            yield PackedMessage(message=message, folder=name)

    def memos(self) -> Iterator[PackedMemo]:
        """Memos of whole folders."""
        if self._scope.memories is None:
            for folder in self._folders:
                for memo in self._reader.memos_of(folder.pk):
                    yield PackedMemo(memo=memo, folder=folder.name)

    # --- what a person said about memories ---

    def pairs(self) -> Iterator[PackedPair]:
        """Pairs of which both are inside."""
        for pair in self._reader.all_records(NotDuplicate):
            if pair.a in self._inside and pair.b in self._inside:
                ids = self._ids((pair.a, pair.b))
                yield PackedPair(pair=pair, a=ids[pair.a], b=ids[pair.b])

    def cases(self) -> Iterator[PackedCase]:
        """Recall tests whose folder and memories are inside."""
        for case in self._reader.all_records(RecallCase):
            inside = self._all if case.folder is None else case.folder in self._within
            if self._scope.memories is not None or not inside:
                continue
            ids = self._ids(case.expected)
            yield PackedCase(
                case=case,
                folder=None if case.folder is None else self._names[case.folder],
                expected=tuple(ids[pk] for pk in case.expected if pk in ids),
            )

    def searches(self) -> Iterator[SavedSearch]:
        """Saved searches of a whole library."""
        return iter(saved_searches(self._reader) if self._all and self._scope.memories is None else ())

    def pins(self) -> Iterator[PackedPin]:
        """Pins of pictures of which all folders are inside."""
        if self._scope.memories is not None:
            return
        for pin in self._reader.all_records(Pin):
            place = _place(pin.place)
            if place is None or pin.memory not in self._inside:
                continue
            arrangement, folders, below = place
            if folders <= self._within and (folders or self._all):
                yield PackedPin(
                    arrangement=arrangement,
                    folders=tuple(sorted(self._names[pk] for pk in folders)),
                    below=below,
                    memory=self._ids([pin.memory])[pin.memory],
                    x=pin.x,
                    y=pin.y,
                )

    # --- vectors ---

    def vectors(self) -> Iterator[VectorSet]:
        """Vectors of the memories' present texts, of every model."""
        chosen = None if self._all else self._pks
        for model, size, count in self._reader.vector_groups(chosen):
            yield VectorSet(model, size // 4, count, self._vector_rows(model, size))

    def _vector_rows(self, model: str, size: int) -> Iterator[PackedVector]:
        for page in self._pages():
            for memory, text_hash, data in self._reader.stored_vectors(model, size, page):
                yield PackedVector(memory, text_hash, data)


def _place(place: str) -> tuple[str, frozenset[FolderPk], bool] | None:
    """The parts of core.domain.graph.place_key; None when it has another form."""
    arrangement, colon, scope = place.partition(":")
    below = scope.endswith("/")
    scope = scope.removesuffix("/")
    if not colon:
        return None
    if scope == "all":
        return arrangement, frozenset(), below
    numbers = scope.split(",")
    if not all(number.isdecimal() for number in numbers):
        return None
    return arrangement, frozenset(FolderPk(int(number)) for number in numbers), below


def _elsewhere(memory: Memory) -> Memory:
    """The memory as another library can have it: a mark that names a change of this one means nothing there."""
    if KEPT_KEY not in memory.extra:
        return memory
    return replace(memory, extra={name: kept for name, kept in memory.extra.items() if name != KEPT_KEY})
