"""Writing an import plan into the library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from core.domain.commands_transfer import ApplyImport
from core.domain.edge import Edge
from core.domain.enums import FolderKind, Kind, TagKind
from core.domain.errors import Invalid
from core.domain.folder import Document, Folder, Memo
from core.domain.ids import (
    DocumentPk,
    FolderPk,
    MemoryPk,
    new_document_id,
    new_edge_id,
    new_memo_id,
    new_memory_id,
)
from core.domain.memory import Alias, Memory, Tag
from core.domain.schema import MemoryType
from core.domain.source_file import ids_given
from core.domain.transfer import (
    NAME_GIVEN,
    Format,
    ImportPlan,
    PlannedEdge,
    PlannedFolder,
    PlannedMemory,
    only_folders,
)
from core.ports.store import UnitOfWork
from core.services.chat_branches import adopt_branches, write_branch
from core.services.chat_floors import PlannedChats
from core.services.chat_update import message_of, update_chat
from core.services.content import check_limits
from core.services.folder_names import free_folder_name
from core.services.outcome import Outcome
from core.services.package_import import apply_package
from core.services.plan_draft import stem_of
from core.services.reimport_entries import LORE_KEY, write_book, write_updates
from core.services.sources import read_again

CHUNK_ROWS = 500
T = TypeVar("T")


def apply_import(uow: UnitOfWork, command: ApplyImport) -> Outcome:
    """Write what a plan holds, as one op. Nothing that is there is replaced.

    A folder whose name is taken gets a free one ("name (2)"), unless the plan goes into existing folders: then
    memories whose foreign id is there already, and relations that stand already, are left as they are and counted.
    A chat that is there already (`PlannedFolder.into`) is brought up to date with its file.
    """
    if command.group:
        uow.label(group=command.group)
    plan = command.plan
    if plan.content is not None:
        if command.only is not None:
            raise Invalid("error.import.whole_only", name=plan.source_name)
        return apply_package(uow, plan, plan.content)
    return _Import(uow, plan if command.only is None else only_folders(plan, command.only)).run()


@dataclass(slots=True)
class _Import:
    """One import on its way: plan keys to stored keys, and how far it is."""

    uow: UnitOfWork
    plan: ImportPlan
    folders: dict[str, FolderPk] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)
    documents: dict[str, DocumentPk] = field(default_factory=dict)
    memories: dict[str, MemoryPk] = field(default_factory=dict)
    created: list[MemoryPk] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    chats: PlannedChats = field(default_factory=lambda: PlannedChats(()))
    types: Mapping[str, MemoryType] = field(default_factory=dict)
    done: int = 0

    def run(self) -> Outcome:
        plan = self.plan
        self.types = {each.id: each for each in self.uow.schema().types}
        self._write_folders()
        new = self._not_there_yet() if self.filled else plan.memories
        self._write_documents({each.document for each in new})
        self._write_memories(new)
        self._write_edges()
        self._write_updates()
        self._write_messages()
        self._write_reads()
        self._write_memos()
        if plan.vector_model is not None:
            known = [
                (self.memories[each.memory], each.data)
                for each in plan.vectors
                if each.memory in self.memories
            ]
            self.uow.keep_vectors(plan.vector_model, known)
        first = next(iter(self.folders.values()), None)
        floors = sum(self.counts[name] for name in ("messages", "changed_floors", "removed_floors"))
        named = {"floors": floors} if floors else {}
        self.uow.label(count=len(self.created), file=plan.source_name, **named)
        return Outcome(
            changed=len(self.created) + self.counts["edges"] + self.counts["updated"],
            created=tuple(self.created),
            created_folder=first,
            counts=dict(self.counts),
        )

    def _chunks(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        """The items in chunks; after each one progress is told and the transaction may be committed."""
        plan = self.plan
        total = len(plan.memories) + len(plan.edges) + len(plan.messages) + len(plan.memos)
        for start in range(0, len(items), CHUNK_ROWS):
            chunk = items[start : start + CHUNK_ROWS]
            yield chunk
            self.done += len(chunk)
            self.uow.checkpoint(min(self.done, total), total)

    def _write_folders(self) -> None:
        for planned in self.plan.folders:
            there = self._existing(planned)
            if there is not None:
                self.folders[planned.key] = there.pk
                self.filled.add(planned.key)
                if planned.last_processed_seq > there.last_processed_seq:
                    self.uow.update(
                        Kind.FOLDER, [there.pk], {"last_processed_seq": planned.last_processed_seq}
                    )
                older = planned.branch is not None and planned.branch.parent == there.pk
                if self.plan.messages and not older:
                    read_again(self.uow, there, planned.origin)
                continue
            self.folders[planned.key] = FolderPk(self.uow.insert([self._folder(planned)])[0])
            self.counts["folders"] += 1

    def _write_updates(self) -> None:
        """Entries of a lorebook that came again; its folder knows the newest file from now on."""
        plan = self.plan
        books = {each.memory.folder for each in plan.updates} | {each.folder for each in plan.memories}
        for planned in plan.folders:
            if planned.into is not None and LORE_KEY in planned.extra and planned.key in books:
                write_book(self.uow, self.uow.records(Folder, [planned.into])[0], planned)
        self.counts["updated"] += write_updates(self.uow, plan)

    def _existing(self, planned: PlannedFolder) -> Folder | None:
        """The folder that is filled instead of making one."""
        if planned.into is not None and (found := self.uow.records(Folder, [planned.into])):
            return found[0]
        return self.uow.folder_named(planned.name) if self.plan.into_existing else None

    def _folder(self, planned: PlannedFolder) -> Folder:
        """The folder; its origin remembers the name that it was given here, so that a renaming shows."""
        name = free_folder_name(self.uow, planned.name)
        return Folder(
            name=name,
            kind=planned.kind,
            character=planned.character,
            last_processed_seq=planned.last_processed_seq,
            origin={**planned.origin, NAME_GIVEN: name},
            created_at=self.uow.now,
            extra=planned.extra,
        )

    def _write_documents(self, wanted: Collection[str | None]) -> None:
        """The documents; into existing folders only those of new pieces."""
        documents = [
            each for each in self.plan.documents if each.key in wanted or each.folder not in self.filled
        ]
        records = [
            Document(
                id=new_document_id(),
                folder=self.folders[planned.folder],
                title=planned.title,
                path=planned.path,
                media_type=planned.media_type,
                content_hash=planned.content_hash,
                text=planned.text,
                created_at=planned.created_at,
                extra=planned.extra,
            )
            for planned in documents
        ]
        for planned, pk in zip(documents, self.uow.insert(records), strict=True):
            self.documents[planned.key] = DocumentPk(pk)
        self.counts["documents"] += len(records)

    def _write_memories(self, new: Sequence[PlannedMemory]) -> None:
        for chunk in self._chunks(new):
            pks = self.uow.insert([self._memory(planned) for planned in chunk])
            for planned, pk in zip(chunk, pks, strict=True):
                self.memories[planned.key] = MemoryPk(pk)
                self.created.append(MemoryPk(pk))
            self._write_tags(chunk)
        self._write_links(new)
        self.counts["memories"] += len(self.created)

    def _not_there_yet(self) -> Sequence[PlannedMemory]:
        """The memories whose foreign id is new in their folder; the others are found, not replaced."""
        known: dict[tuple[FolderPk, str | None], MemoryPk] = {}
        for folder in self.uow.records(Folder, {self.folders[key] for key in self.filled}):
            memories = self.uow.records(Memory, self.uow.memories_in(folder.pk))
            own: dict[str, MemoryPk] = {memory.id: memory.pk for memory in memories}
            given = ids_given(folder.origin)
            known |= {(folder.pk, name): own[mine] for name, mine in given.items() if mine in own}
            known |= {(folder.pk, m.foreign_id): m.pk for m in memories if m.foreign_id is not None}
        new = []
        for planned in self.plan.memories:
            there = known.get((self.folders[planned.folder], planned.foreign_id))
            if there is None:
                new.append(planned)
            else:
                self.memories[planned.key] = there
                self.counts["already_there"] += 1
        return new

    def _memory(self, planned: PlannedMemory) -> Memory:
        """A new record. Errors: Invalid for a text that is longer than its column allows: nothing is imported then."""
        known = self.types.get(planned.type)
        if known is not None:
            check_limits(known, planned.title, planned.body, planned.fields)
        return Memory(
            id=new_memory_id(),
            foreign_id=planned.foreign_id,
            folder=self.folders[planned.folder],
            type=planned.type,
            layer=planned.layer,
            status=planned.status,
            status_reason=planned.status_reason,
            title=planned.title,
            body=planned.body,
            fields=planned.fields,
            importance=planned.importance,
            novelty=planned.novelty,
            activation_count=planned.activation_count,
            last_activated_at=planned.last_activated_at,
            seq=planned.seq,
            seq_start=planned.seq_start,
            seq_end=planned.seq_end,
            level=planned.level,
            visibility=planned.visibility,
            locked=planned.locked,
            source=planned.source,
            document=None if planned.document is None else self.documents[planned.document],
            span_start=planned.span_start,
            span_end=planned.span_end,
            created_at=planned.created_at,
            updated_at=planned.updated_at,
            deleted_at=planned.deleted_at,
            extra=planned.extra,
        )

    def _write_tags(self, chunk: Sequence[PlannedMemory]) -> None:
        tags: list[Tag] = []
        aliases: list[Alias] = []
        for planned in chunk:
            pk = self.memories[planned.key]
            for kind in TagKind:
                tags += [
                    Tag(memory=pk, kind=kind, value=value, position=position)
                    for position, value in enumerate(planned.tags.group(kind))
                ]
            aliases += [
                Alias(memory=pk, value=value, position=position)
                for position, value in enumerate(planned.aliases)
            ]
        self.uow.insert(tags)
        self.uow.insert(aliases)
        self.counts["tags"] += len(tags)

    def _write_links(self, new: Sequence[PlannedMemory]) -> None:
        """Parents and survivors may come after those that name them, so they are set when all are there."""
        values: dict[int, Mapping[str, object]] = {}
        for planned in new:
            links = {"parent": planned.parent, "merged_into": planned.merged_into}
            set_links = {name: self.memories[key] for name, key in links.items() if key is not None}
            if set_links:
                values[self.memories[planned.key]] = {**set_links, "updated_at": planned.updated_at}
        self.uow.update_each(Kind.MEMORY, values)

    def _write_edges(self) -> None:
        standing = self._standing_edges() if self.filled else set()
        new = []
        for planned in self.plan.edges:
            key = (self.memories[planned.source], self.memories[planned.target], planned.relation)
            if planned.invalid_from is None and planned.expired_at is None and key in standing:
                self.counts["already_there"] += 1
                continue
            new.append(planned)
        for chunk in self._chunks(new):
            self.uow.insert([self._edge(planned) for planned in chunk])
        self.counts["edges"] += len(new)

    def _standing_edges(self) -> set[tuple[MemoryPk, MemoryPk, str]]:
        return {
            (edge.source, edge.target, edge.relation)
            for folder in set(self.folders.values())
            for edge in self.uow.edges_in(folder)
            if edge.invalid_from is None and edge.expired_at is None
        }

    def _edge(self, planned: PlannedEdge) -> Edge:
        return Edge(
            id=new_edge_id(),
            foreign_id=planned.foreign_id,
            source=self.memories[planned.source],
            target=self.memories[planned.target],
            relation=planned.relation,
            strength=planned.strength,
            inhibits=planned.inhibits,
            created_at=planned.created_at,
            valid_from=planned.valid_from,
            invalid_from=planned.invalid_from,
            expired_at=planned.expired_at,
            from_seq=planned.from_seq,
            ended_seq=planned.ended_seq,
            extra=planned.extra,
        )

    def _write_messages(self) -> None:
        """New chats get their floors, those that are there are brought up to date."""
        updated = {folder.key for folder in self.plan.folders if folder.key in self.filled}
        if updated:
            self.chats = PlannedChats(self.plan.messages)
        for folder in self.plan.folders:
            if folder.key in updated:
                self._update_chat(folder)
        starts = {each.key: each.branch.shared for each in self.plan.folders if each.branch is not None}
        for chunk in self._chunks(self.plan.messages):
            new = [
                m
                for m in chunk
                if m.folder in self.folders and m.folder not in updated and m.seq >= starts.get(m.folder, 0)
            ]
            self.uow.insert([message_of(planned, self.folders[planned.folder]) for planned in new])
            self.counts["messages"] += len(new)

    def _update_chat(self, planned: PlannedFolder) -> None:
        """Floors as the file has them now. A file without any, or with only older ones, changes nothing."""
        folder, branch = self.folders[planned.key], planned.branch
        older = branch is not None and branch.parent == folder
        messages = () if older else self.chats.of(planned.key)
        if not messages:
            return
        start = branch.shared if branch is not None else 0
        changes = update_chat(self.uow, folder, messages, start)
        for name, floors in (
            ("new_floors", changes.added),
            ("changed_floors", changes.changed),
            ("removed_floors", changes.removed),
            ("moved_floors", changes.moved),
        ):
            self.counts[name] += len(floors)
        self.counts["messages"] += len(changes.added)

    def _write_reads(self) -> None:
        """What folders read besides their own, and whose floors a branch shares."""
        for planned in self.plan.folders:
            folder, branch = self.folders[planned.key], planned.branch
            if planned.also_reads:
                others = tuple(self.folders[key] for key in planned.also_reads if key in self.folders)
                reads = self.uow.records(Folder, [folder])[0].also_reads
                merged = tuple(dict.fromkeys((*reads, *(pk for pk in others if pk != folder))))
                self.uow.update(Kind.FOLDER, [folder], {"also_reads": merged})
            if branch is not None and branch.parent != folder:
                write_branch(self.uow, folder, branch.parent, branch.shared)
            elif planned.kind is FolderKind.CHAT and self.plan.format is not Format.FOREIGN_CHAT:
                self.counts["joined"] += adopt_branches(self.uow, folder, stem_of(planned))

    def _write_memos(self) -> None:
        taken = {memo.id for memo in self.uow.all_records(Memo)} if self.plan.memos else set()
        for chunk in self._chunks(self.plan.memos):
            records = []
            for planned in chunk:
                memo_id = new_memo_id() if planned.id in taken else planned.id
                taken.add(memo_id)
                records.append(
                    Memo(
                        id=memo_id,
                        folder=self.folders[planned.folder],
                        stream_id=planned.stream_id,
                        content=planned.content,
                        expires_at=planned.expires_at,
                        created_at=planned.created_at,
                        updated_at=planned.updated_at,
                    )
                )
            self.uow.insert(records)
        self.counts["memos"] += len(self.plan.memos)
