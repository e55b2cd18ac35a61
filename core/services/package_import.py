"""Writing the content of a package into the library: as one op, read and written at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

from core.domain.chat import BRANCH_KEY, CHAT_KEY, chat_of
from core.domain.edge import Edge
from core.domain.enums import Kind
from core.domain.folder import Document, Folder
from core.domain.ids import (
    DocumentPk,
    FolderPk,
    MemoryId,
    MemoryPk,
    TypeId,
    new_document_id,
    new_edge_id,
    new_memory_id,
)
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.package import (
    Collision,
    PackageContent,
    PackedDocument,
    PackedFolder,
    PackedMemory,
)
from core.domain.schema import MemoryType, RelationType
from core.domain.transfer import Format, ImportPlan
from core.ports.store import UnitOfWork
from core.services.content import check_limits
from core.services.folder_names import free_folder_name
from core.services.outcome import Outcome
from core.services.package_extras import tag_rows, write_extras
from core.services.package_match import change_of, find_memories
from core.services.package_run import PackageRun

_FOLDER_COLUMNS = ("kind", "character", "last_processed_seq", "settings", "origin", "extra")


def apply_package(uow: UnitOfWork, plan: ImportPlan, content: PackageContent) -> Outcome:
    """Write a package; what is here already stays, gives way, or gets the package's beside it (`plan.collision`).

    Ids are kept where they are free. Types, folders and relations of the library that nothing uses take the
    package's values whatever the choice. Errors: BadFile, Invalid for a text that is longer than its column allows;
    the op is then taken back as a whole.
    """
    return PackageImport(uow, plan, content).run()


class PackageImport(PackageRun):
    """Writes a package, table by table."""

    def __init__(self, uow: UnitOfWork, plan: ImportPlan, content: PackageContent) -> None:
        super().__init__(uow, plan, content)
        self._documents: dict[str, DocumentPk] = {}
        self._new: set[MemoryPk] = set()
        self._types: dict[TypeId, MemoryType] = {}
        self._created: list[MemoryPk] = []

    def run(self) -> Outcome:
        """Write everything."""
        self._schema()
        self._types = {each.id: each for each in self.uow.schema().types}
        packed = list(self.content.folders())
        if self.plan.format is not Format.MCZ:
            self._origins = {each.folder.name: each.folder.origin for each in packed}
        self._folders(packed)
        self._write_documents()
        self._write_memories()
        self._write_edges()
        self._join_folders(packed)
        write_extras(self)
        self._write_vectors()
        self.uow.label(count=len(self._created), file=self.plan.source_name)
        changed = len(self._created) + sum(
            self.counts[name] for name in ("replaced", "edges", "messages", "documents", "memos")
        )
        return Outcome(
            changed=changed,
            created=tuple(self._created),
            created_folder=next(iter(self.folders.values()), None),
            counts={name: number for name, number in self.counts.items() if number},
        )

    # --- types and folders ---

    def _schema(self) -> None:
        used, linked = self.uow.types_in_use(), self.uow.relations_in_use()
        there = {kind.id: kind for kind in self.uow.all_records(MemoryType)}
        tables = {kind.table_name for kind in there.values()}
        for kind in self.content.types():
            mine = there.get(kind.id)
            if mine is not None and (not used.get(kind.id) or self.collision is Collision.THEIRS):
                self._take(Kind.MEMORY_TYPE, mine.pk, mine, kind)
            elif mine is None and kind.table_name not in tables:
                self.uow.insert([kind])
                tables.add(kind.table_name)
        known = {kind.id: kind for kind in self.uow.all_records(RelationType)}
        for relation in self.content.relation_types():
            old = known.get(relation.id)
            if old is None:
                self.uow.insert([relation])
            elif not linked.get(relation.id) or self.collision is Collision.THEIRS:
                self._take(Kind.RELATION_TYPE, old.pk, old, relation)

    def _take(self, kind: Kind, pk: int, mine: MemoryType | RelationType, theirs: object) -> None:
        names = [item.name for item in fields(mine) if item.name not in ("pk", "id", "table_name")]
        self.uow.update(kind, [pk], {name: getattr(theirs, name) for name in names})

    def _folders(self, packed: Sequence[PackedFolder]) -> None:
        for each in packed if self.plan.format is Format.MCZ else ():
            name = self._wanted.get(each.folder.name, each.folder.name)
            there = self.uow.folder_named(name)
            if there is not None and (self._is_empty(there.pk) or self.collision is not Collision.BOTH):
                self.folders[each.folder.name] = there.pk
                if self._is_empty(there.pk) or self.collision is Collision.THEIRS:
                    values = {column: getattr(each.folder, column) for column in _FOLDER_COLUMNS}
                    if self._is_empty(there.pk):
                        values["created_at"] = each.folder.created_at
                    self.uow.update(Kind.FOLDER, [there.pk], values)
                continue
            folder = replace(each.folder, name=free_folder_name(self.uow, name), also_reads=())
            pk = FolderPk(self.uow.insert([folder])[0])
            self.folders[each.folder.name] = pk
            self.made.add(pk)
            self.counts["folders"] += 1

    def _is_empty(self, folder: FolderPk) -> bool:
        return not (
            self.uow.memories_in(folder)
            or self.uow.messages_from(folder, 0, 1)
            or self.uow.documents_of(folder)
        )

    def _join_folders(self, packed: Sequence[PackedFolder]) -> None:
        """What folders read besides their own, and whose floors a branch shares."""
        for each in packed if self.plan.format is Format.MCZ else ():
            pk = self.folders[each.folder.name]
            mine = self.uow.records(Folder, [pk])[0]
            found = (self._folder_at(name) for name in each.also_reads)
            others = tuple(other for other in found if other is not None and other != pk)
            reads = tuple(dict.fromkeys((*mine.also_reads, *others)))
            values: dict[str, object] = {"also_reads": reads}
            if each.branch is not None and each.branch[0] in self.folders and BRANCH_KEY not in chat_of(mine):
                branch: dict[str, Json] = {"parent": self.folders[each.branch[0]], "shared": each.branch[1]}
                values["extra"] = {**mine.extra, CHAT_KEY: {**chat_of(mine), BRANCH_KEY: branch}}
            self.uow.update(Kind.FOLDER, [pk], values)

    def _folder_at(self, name: str) -> FolderPk | None:
        if name in self.folders:
            return self.folders[name]
        found = self.uow.folder_named(name)
        return None if found is None else found.pk

    def _places(self, names: Iterable[str]) -> dict[str, FolderPk]:
        """The folders of the library in which memories of these folders may be already."""
        places = {}
        for name in set(names):
            found = self.uow.folder_named(self._wanted.get(name, name))
            pk = self.folders.get(name) or (None if found is None else found.pk)
            if pk is not None and pk not in self.made:
                places[name] = pk
        return places

    # --- documents ---

    def _write_documents(self) -> None:
        for chunk in self.chunks(self.content.documents()):
            there = self.uow.keys_of(Kind.DOCUMENT, [each.document.id for each in chunk])
            new = []
            for each in chunk:
                pk = there.get(each.document.id)
                if pk is None or self.collision is Collision.BOTH:
                    new.append((each, self._new_document(each, taken=pk is not None)))
                    continue
                self._documents[each.document.id] = DocumentPk(pk)
                if self.collision is Collision.THEIRS:
                    skipped = ("pk", "id", "folder", "created_at")
                    names = [item.name for item in fields(Document) if item.name not in skipped]
                    self.uow.update(Kind.DOCUMENT, [pk], {n: getattr(each.document, n) for n in names})
            for (each, _), pk in zip(new, self.uow.insert([record for _, record in new]), strict=True):
                self._documents[each.document.id] = DocumentPk(pk)
            self.counts["documents"] += len(new)

    def _new_document(self, each: PackedDocument, *, taken: bool) -> Document:
        return replace(
            each.document,
            id=new_document_id() if taken else each.document.id,
            folder=self.folder_of(each.folder),
        )

    # --- memories ---

    def _write_memories(self) -> None:
        links: dict[MemoryPk, PackedMemory] = {}
        for chunk in self.chunks(self.content.memories()):
            there = self._found(chunk)
            new = [each for each in chunk if each.memory.id not in there]
            taken = self._taken(new)
            pks = self.uow.insert([self._new_memory(each, taken) for each in new])
            for each, raw in zip(new, pks, strict=True):
                self.memories[each.memory.id] = MemoryPk(raw)
                self._created.append(MemoryPk(raw))
                self._new.add(MemoryPk(raw))
            tags, aliases = tag_rows((self.memories[each.memory.id], each) for each in new)
            self.uow.insert(tags)
            self.uow.insert(aliases)
            old = [each for each in chunk if each.memory.id in there]
            replaced = self._replace(old, there) if self.collision is Collision.THEIRS else []
            self.memories.update((each.memory.id, there[each.memory.id]) for each in old)
            self.counts["already_there"] += len(old) - len(replaced)
            self.counts["replaced"] += len(replaced)
            for each in (*new, *replaced):
                if (known := self._types.get(each.memory.type)) is not None:
                    check_limits(known, each.memory.title, each.memory.body, each.memory.fields)
                if each.parent is not None or each.merged_into is not None:
                    links[self.memories[each.memory.id]] = each
        self.counts["memories"] += len(self._created)
        self._write_links(links)

    def _found(self, chunk: Sequence[PackedMemory]) -> dict[str, MemoryPk]:
        """Memories that are here already: by id, or by foreign id in their folder."""
        if self.collision is Collision.BOTH:
            return {}
        return find_memories(self.uow, chunk, self._places(each.folder for each in chunk))

    def _taken(self, new: Sequence[PackedMemory]) -> frozenset[str]:
        return frozenset(self.uow.keys_of(Kind.MEMORY, [each.memory.id for each in new]))

    def _new_memory(self, each: PackedMemory, taken: frozenset[str]) -> Memory:
        memory = each.memory
        fresh = memory.id in taken or not memory.id
        return replace(
            memory,
            id=new_memory_id() if fresh else MemoryId(memory.id),
            folder=self.folder_of(each.folder),
            parent=None,
            merged_into=None,
            document=None if each.document is None else self._documents.get(each.document),
        )

    def _replace(self, old: Sequence[PackedMemory], there: Mapping[str, MemoryPk]) -> list[PackedMemory]:
        """Give memories that are here the file's values; those that say the same already are left alone."""
        mine = {record.pk: record for record in self.uow.records(Memory, there.values())}
        pks = list(mine)
        tags, aliases = self.uow.tag_sets(pks), self.uow.aliases_of(pks)
        values: dict[int, Mapping[str, object]] = {}
        replaced = []
        new_tags: dict[MemoryPk, TagSet] = {}
        new_names: dict[MemoryPk, Sequence[str]] = {}
        for each in old:
            pk = there[each.memory.id]
            names = tuple(alias.value for alias in aliases.get(pk, ()))
            change = change_of(mine[pk], tags[pk], names, each)
            new = {**change.columns, **self._new_place(mine[pk], each)}
            if not new and change.tags is None and change.aliases is None:
                continue
            replaced.append(each)
            if new:
                values[pk] = new
            if change.tags is not None:
                new_tags[pk] = change.tags
            if change.aliases is not None:
                new_names[pk] = change.aliases
        self.uow.update_each(Kind.MEMORY, values)
        self.uow.replace_tags(new_tags)
        self.uow.replace_aliases(new_names)
        return replaced

    def _new_place(self, mine: Memory, each: PackedMemory) -> dict[str, object]:
        """The folder in which a package has a memory, unless its foreign id is taken there."""
        if each.columns is not None or (folder := self.folder_of(each.folder)) == mine.folder:
            return {}
        name = mine.foreign_id
        taken = name is not None and any(
            state.folder == folder
            for state in self.uow.states(self.uow.resolve([name], folder).get(name, []))
        )
        return {} if taken else {"folder": folder}

    def _write_links(self, links: Mapping[MemoryPk, PackedMemory]) -> None:
        """Parents and survivors may come after those that name them; of a part they may be in the library."""
        wanted = {name for each in links.values() for name in (each.parent, each.merged_into) if name}
        found = self.uow.keys_of(Kind.MEMORY, sorted(wanted - self.memories.keys()))
        for chunk in self.chunks(links.items()):
            values: dict[int, Mapping[str, object]] = {}
            for pk, each in chunk:
                named = {"parent": each.parent, "merged_into": each.merged_into}
                ends = {
                    column: self.memories.get(name) or found.get(name)
                    for column, name in named.items()
                    if name is not None
                }
                self.counts["links_left_out"] += sum(end is None for end in ends.values())
                values[pk] = {
                    **{column: end for column, end in ends.items() if end is not None and end != pk},
                    "updated_at": each.memory.updated_at,
                }
            self.uow.update_each(Kind.MEMORY, values)

    # --- relations ---

    def _write_edges(self) -> None:
        for chunk in self.chunks(self.content.edges()):
            names = {name for each in chunk for name in (each.source, each.target)}
            ends = self._ends(names)
            taken = self.uow.keys_of(Kind.EDGE, [each.edge.id for each in chunk])
            standing = self._standing(ends.values())
            new = []
            for each in chunk:
                source, target = ends.get(each.source), ends.get(each.target)
                if source is None or target is None or source == target:
                    self.counts["edges_left_out"] += 1
                    continue
                known = each.edge.id in taken and self.collision is not Collision.BOTH
                if known or (_stands(each.edge) and (source, target, each.edge.relation) in standing):
                    self.counts["edges_there"] += 1
                    continue
                edge_id = new_edge_id() if each.edge.id in taken else each.edge.id
                new.append(replace(each.edge, id=edge_id, source=source, target=target))
            self.uow.insert(new)
            self.counts["edges"] += len(new)

    def _ends(self, names: Iterable[str]) -> dict[str, MemoryPk]:
        """Memories by id; those outside of the package are found in the library."""
        found = {name: self.memories[name] for name in names if name in self.memories}
        outside = self.uow.keys_of(Kind.MEMORY, [name for name in names if name not in found])
        return found | {name: MemoryPk(pk) for name, pk in outside.items()}

    def _standing(self, ends: Iterable[MemoryPk]) -> set[tuple[MemoryPk, MemoryPk, str]]:
        """Relations that stand between memories which were here before."""
        old = [pk for pk in ends if pk not in self._new]
        return {
            (edge.source, edge.target, edge.relation)
            for edge in (self.uow.edges_touching(old) if old else ())
            if _stands(edge)
        }

    # --- vectors ---

    def _write_vectors(self) -> None:
        for vectors in self.content.vectors():
            for chunk in self.chunks(vectors.rows):
                rows = [(row.text_hash, row.data) for row in chunk]
                self.counts["vectors"] += self.uow.keep_hashed_vectors(vectors.model, rows)


def _stands(edge: Edge) -> bool:
    return edge.invalid_from is None and edge.expired_at is None
