"""Whatever commands are run: undoing all gives the starting rows, redoing all the ending ones."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.domain import commands as c
from core.domain import commands_folders as cf
from core.domain import commands_graph as cg
from core.domain import commands_schema as cs
from core.domain.commands_upkeep import ForgetMemories, JudgeTrials, UnfoldSummaries
from core.domain.enums import FolderKind, Kind, Layer, OpRole, Status, StatusReason, TagKind
from core.domain.errors import UserError
from core.domain.folder import Document, Folder, Memo, Message
from core.domain.ids import EdgePk, FolderPk, MemoryPk, RelationId, TypeId, new_document_id, new_memo_id
from core.domain.memory import TagSet
from core.domain.queries import LibrarySchema, ListMemories, MemoryFilter, TrashScope
from core.domain.schema import Column, ColumnRole, MemoryType, RelationType
from core.ports.store import OpDraft, UnitOfWork
from tests.services.desk import PERSON, Desk, shown

WORDS = st.sampled_from(["ash", "birch", "灯塔", "旧船", "elm"])
TEXTS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
NAMES = st.sampled_from(["a", "b", "a/x", "b/x", "聊天", "default"])
GENERAL = st.lists(WORDS, max_size=2).map(tuple)
TAGS = st.one_of(
    st.builds(TagSet, general=GENERAL),
    st.builds(
        TagSet, general=GENERAL, core=st.just(("k",)), diffusion=st.just(("d",)), opposing=st.just(("o",))
    ),
)
RELATIONS = st.sampled_from(["related", "contradicts", "updates"]).map(RelationId)


class AnyCommands(RuleBasedStateMachine):
    """Random commands on one library; a command that is refused must leave nothing behind."""

    def __init__(self) -> None:
        super().__init__()
        self._directory = tempfile.TemporaryDirectory()
        self.desk = Desk(Path(self._directory.name) / "library")
        self.start: dict[str, Any] = {}

    def teardown(self) -> None:
        if self.start:
            self._undo_all_redo_all()
        self.desk.engine.close()
        self._directory.cleanup()

    # --- the world -----------------------------------------------------------------------

    @initialize()
    def a_small_library(self) -> None:
        """Two folders, one with a chat, a document and a memo; nothing of it is undone later."""
        first, second = self.desk.folder("a"), self.desk.folder("b", kind=FolderKind.CHAT)
        pks = [self.desk.memory(first, body=f"event {number}", seq=number) for number in range(3)]
        pks.append(self.desk.memory(second, "character", title="林夏", tags=TagSet(general=("x",))))
        self.desk.edge(pks[0], pks[3], "involved_in")
        self.desk.store.write(
            OpDraft("op.import", PERSON, undoable=False), lambda uow: self._fill(uow, second, pks)
        )
        self.start = self.desk.dump()
        self.first_op = self.desk.store.last_op()

    @staticmethod
    def _fill(uow: UnitOfWork, folder: FolderPk, pks: Sequence[MemoryPk]) -> None:
        uow.insert([Message(folder=folder, seq=number, role=_role(number), text="hi") for number in range(3)])
        document = Document(id=new_document_id(), folder=folder, title="doc", text="text", created_at=uow.now)
        made = uow.insert([document])[0]
        uow.insert(
            [
                Memo(
                    id=new_memo_id(),
                    folder=folder,
                    content="note",
                    expires_at=uow.now,
                    created_at=uow.now,
                    updated_at=uow.now,
                )
            ]
        )
        uow.update(Kind.MEMORY, [pks[3]], {"document": made, "foreign_id": "n1"})
        uow.update(Kind.MEMORY, [pks[2]], {"parent": pks[1], "foreign_id": "n1"})

    def _folders(self) -> list[Folder]:
        with self.desk.store.read() as reader:
            return reader.all_records(Folder)

    def _all(self) -> list[MemoryPk]:
        where = MemoryFilter(trash=TrashScope.BOTH)
        return sorted(MemoryPk(pk) for pk in self.desk.ask(ListMemories(where)))

    def _some(self, data: st.DataObject) -> tuple[MemoryPk, ...]:
        pks = self._all()
        return tuple(data.draw(st.lists(st.sampled_from(pks), max_size=4))) if pks else ()

    def _one(self, data: st.DataObject) -> MemoryPk:
        return data.draw(st.sampled_from(self._all() or [MemoryPk(1)]))

    def _folder(self, data: st.DataObject) -> FolderPk:
        return data.draw(st.sampled_from([folder.pk for folder in self._folders()]))

    def _edge(self, data: st.DataObject) -> EdgePk:
        with self.desk.store.read() as reader:
            pks = [edge.pk for edge in reader.edges_touching(self._all())]
        return data.draw(st.sampled_from(pks or [EdgePk(999)]))

    def _run(self, command: c.Command) -> None:
        before = self.desk.dump()
        last = self.desk.store.last_op()
        try:
            result = self.desk.run(command)
        except UserError:
            assert self.desk.dump() == before
            assert self.desk.store.last_op() == last
            return
        if result.op is None:
            assert self.desk.dump() == before

    # --- commands ------------------------------------------------------------------------

    @rule(
        data=st.data(), text=TEXTS, tags=TAGS, aliases=GENERAL, kind=st.sampled_from(["event", "knowledge"])
    )
    def create(
        self, data: st.DataObject, text: str, tags: TagSet, aliases: tuple[str, ...], kind: str
    ) -> None:
        new = c.NewMemory(folder=self._folder(data), type=TypeId(kind), body=text, tags=tags, aliases=aliases)
        self._run(c.CreateMemory(new))

    @rule(data=st.data(), days=st.integers(0, 30))
    def judge(self, data: st.DataObject, days: int) -> None:
        pks = self._some(data)
        until = self.desk.now + timedelta(days=days)
        self._run(JudgeTrials(promote=pks[:1], archive=pks[1:2], keep=tuple((pk, until) for pk in pks[2:])))

    @rule(data=st.data(), hours=st.integers(0, 5), status=st.sampled_from(Status))
    def forget(self, data: st.DataObject, hours: int, status: Status) -> None:
        self.desk.now += timedelta(hours=hours)
        self._run(ForgetMemories(memories=self._some(data), status=status))

    @rule(data=st.data())
    def unfold(self, data: st.DataObject) -> None:
        self._run(UnfoldSummaries(memories=(self._one(data),)))

    @rule(data=st.data(), text=TEXTS, tags=st.one_of(st.just(c.UNSET), TAGS), importance=st.floats(0, 10))
    def edit(self, data: st.DataObject, text: str, tags: Any, importance: float) -> None:
        fields = data.draw(st.sampled_from([c.UNSET, {"status": text}, {"status": None}, {"own": [1, text]}]))
        self._run(
            c.EditMemory(memory=self._one(data), body=text, tags=tags, importance=importance, fields=fields)
        )

    @rule(data=st.data(), kind=st.sampled_from(TagKind), add=GENERAL, remove=GENERAL)
    def change_tags(
        self, data: st.DataObject, kind: TagKind, add: tuple[str, ...], remove: tuple[str, ...]
    ) -> None:
        self._run(c.ChangeTags(memories=self._some(data), kind=kind, add=add, remove=remove))

    @rule(data=st.data(), tags=TAGS)
    def set_tags(self, data: st.DataObject, tags: TagSet) -> None:
        self._run(c.SetTags(memories=self._some(data), tags=tags))

    @rule(data=st.data(), aliases=GENERAL)
    def set_aliases(self, data: st.DataObject, aliases: tuple[str, ...]) -> None:
        self._run(c.SetAliases(memory=self._one(data), aliases=aliases))

    @rule(data=st.data(), value=st.sampled_from([0.0, 5.0, 9.5, 11.0]), names=GENERAL, locked=st.booleans())
    def set_attributes(self, data: st.DataObject, value: float, names: tuple[str, ...], locked: bool) -> None:
        memories = self._some(data)
        self._run(c.SetImportance(memories=memories, importance=value))
        self._run(c.SetVisibility(memories=memories, visibility=names))
        self._run(c.SetLocked(memories=memories, locked=locked))

    @rule(data=st.data(), layer=st.sampled_from(Layer), kind=st.sampled_from(["event", "rule", "none"]))
    def set_layer_and_type(self, data: st.DataObject, layer: Layer, kind: str) -> None:
        memories = self._some(data)
        self._run(c.SetLayer(memories=memories, layer=layer))
        self._run(c.SetType(memories=memories, type=TypeId(kind)))

    @rule(data=st.data(), status=st.sampled_from(Status), reason=st.sampled_from([None, *StatusReason]))
    def set_status(self, data: st.DataObject, status: Status, reason: StatusReason | None) -> None:
        self._run(c.SetStatus(memories=self._some(data), status=status, reason=reason))

    @rule(
        data=st.data(),
        make=st.sampled_from([c.ArchiveMemories, c.RestoreMemories, c.TrashMemories, c.UntrashMemories]),
    )
    def life(self, data: st.DataObject, make: Callable[..., c.Command]) -> None:
        self._run(make(memories=self._some(data)))

    @rule(data=st.data(), border=st.sampled_from(c.Border))
    def move(self, data: st.DataObject, border: c.Border) -> None:
        self._run(c.MoveMemories(memories=self._some(data), folder=self._folder(data), border=border))

    @rule(data=st.data())
    def copy(self, data: st.DataObject) -> None:
        self._run(c.CopyMemories(memories=self._some(data)[:2], folder=self._folder(data)))

    @rule(data=st.data(), pattern=WORDS, replacement=st.sampled_from(["oak", "", "灯"]))
    def find_and_replace(self, data: st.DataObject, pattern: str, replacement: str) -> None:
        places = frozenset(c.TextPlace)
        self._run(
            c.FindAndReplace(
                memories=self._some(data), pattern=pattern, replacement=replacement, places=places
            )
        )

    @rule(name=NAMES)
    def create_folder(self, name: str) -> None:
        self._run(cf.CreateFolder(name))

    @rule(data=st.data(), name=NAMES)
    def rename_folder(self, data: st.DataObject, name: str) -> None:
        self._run(cf.RenameFolder(self._folder(data), name))

    @rule(data=st.data())
    def merge_folders(self, data: st.DataObject) -> None:
        self._run(cf.MergeFolders(self._folder(data), self._folder(data)))

    @precondition(lambda self: len(self._folders()) > 2)
    @rule(data=st.data())
    def delete_folder(self, data: st.DataObject) -> None:
        self._run(cf.DeleteFolder(self._folder(data)))

    @rule(data=st.data(), pointer=st.integers(-2, 5))
    def edit_folder(self, data: st.DataObject, pointer: int) -> None:
        folder = self._folder(data)
        self._run(
            cf.EditFolder(folder=folder, character="x", last_processed_seq=pointer, settings={"a": pointer})
        )
        self._run(cf.SetAlsoReads(folder, (self._folder(data),)))

    @rule(data=st.data(), relation=RELATIONS, strength=st.floats(0, 1))
    def add_edge(self, data: st.DataObject, relation: RelationId, strength: float) -> None:
        self._run(
            cg.AddEdge(source=self._one(data), target=self._one(data), relation=relation, strength=strength)
        )

    @rule(data=st.data(), relation=RELATIONS, strength=st.floats(0, 1), reverse=st.booleans())
    def edit_edge(self, data: st.DataObject, relation: RelationId, strength: float, reverse: bool) -> None:
        edge = self._edge(data)
        self._run(cg.EditEdge(edge=edge, relation=relation, strength=strength, reverse=reverse))

    @rule(data=st.data(), remove=st.booleans())
    def end_or_remove_edge(self, data: st.DataObject, remove: bool) -> None:
        edge = self._edge(data)
        self._run(cg.RemoveEdges((edge,)) if remove else cg.EndEdges(edges=(edge,), seq=7))

    @rule(name=st.sampled_from(["own", "other"]), label=WORDS, remove=st.booleans())
    def schema(self, name: str, label: str, remove: bool) -> None:
        if remove:
            self._run(cs.RemoveMemoryType(TypeId(name)))
            self._run(cs.RemoveRelationType(RelationId(name)))
            return
        columns = (Column(name="text", required=True, role=ColumnRole.BODY), Column(name=label))
        own = MemoryType(id=TypeId(name), labels={"en": label}, table_name=f"{name}_t", columns=columns)
        self._run(cs.SaveMemoryType(own))
        self._run(cs.SaveRelationType(RelationType(id=RelationId(name), labels={"en": label})))

    @rule()
    def edit_built_in_type(self) -> None:
        event = self.desk.ask(LibrarySchema()).type("event")
        assert event is not None
        columns = (*event.columns, Column(name=f"more{len(event.columns)}"))
        self._run(cs.SaveMemoryType(_with_columns(event, columns)))

    @rule(steps=st.integers(1, 3))
    def undo_and_redo_some(self, steps: int) -> None:
        """In the middle of the work: back and forth gives the same rows."""
        before = self.desk.dump()
        done = 0
        while done < steps and self._next_undo() is not None:
            self.desk.undo()
            done += 1
        for _ in range(done):
            self.desk.redo()
        assert shown(self.desk.dump()) == shown(before)

    # --- what must hold ------------------------------------------------------------------

    @invariant()
    def file_is_whole(self) -> None:
        assert self.desk.store.check() == []

    def _next_undo(self) -> int | None:
        found = self.desk.store.undo_state(PERSON).undo
        return None if found is None or found.id <= self.first_op else found.id

    def _undo_all_redo_all(self) -> None:
        end = self.desk.dump()
        steps = 0
        while self._next_undo() is not None:
            self.desk.undo()
            steps += 1
        assert shown(self.desk.dump()) == shown(self.start)
        for _ in range(steps):
            assert self.desk.redo().op.role in {OpRole.REDO, OpRole.CHANGE}
        assert shown(self.desk.dump()) == shown(end)


def _role(number: int) -> Any:
    from core.domain.enums import Role

    return Role.USER if number % 2 == 0 else Role.ASSISTANT


def _with_columns(memory_type: MemoryType, columns: tuple[Column, ...]) -> MemoryType:
    from dataclasses import replace

    return replace(memory_type, columns=columns)


TestAnyCommands = AnyCommands.TestCase
TestAnyCommands.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
