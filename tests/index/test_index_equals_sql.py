"""Whatever was done: after the drain the index holds what SQL says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.domain.commands import (
    ArchiveMemories,
    DeletePermanently,
    EditMemory,
    EmptyTrash,
    MoveMemories,
    TrashMemories,
    UntrashMemories,
)
from core.domain.errors import CuratorError
from core.domain.ids import MemoryPk
from core.services.index_check import verify
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk

TEXTS = st.sampled_from(["钟楼的灯灭了", "她养了一只猫", "bread", "旧历 三月", "。", "雾" * 50])


class IndexMachine(RuleBasedStateMachine):
    """Changes at random, drains and losses between them."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.desk = Desk(Path(self.place.name) / "library", HashEmbedder())
        self.pks: list[MemoryPk] = []

    @initialize()
    def other_folder(self) -> None:
        self.other = self.desk.new_folder("别处")

    def _pick(self, data: st.DataObject) -> MemoryPk | None:
        return data.draw(st.sampled_from(self.pks)) if self.pks else None

    @rule(text=TEXTS)
    def add(self, text: str) -> None:
        try:
            self.pks += self.desk.add(text)
        except CuratorError:
            return  # the folder was undone

    @rule(data=st.data(), text=TEXTS, kind=st.integers(0, 6))
    def change(self, data: st.DataObject, text: str, kind: int) -> None:
        pk = self._pick(data)
        if pk is None:
            return
        commands = [
            EditMemory(memory=pk, body=text),
            TrashMemories(memories=(pk,)),
            UntrashMemories(memories=(pk,)),
            ArchiveMemories(memories=(pk,)),
            MoveMemories(memories=(pk,), folder=self.other),
            DeletePermanently(memories=(pk,)),
            EmptyTrash(),
        ]
        try:
            self.desk.engine.run(commands[kind])
        except CuratorError:
            return  # e.g. an edit of a memory in the trash

    @rule()
    def undo(self) -> None:
        try:
            self.desk.engine.undo()
        except CuratorError:
            return

    @rule(limit=st.integers(1, 3))
    def drain_a_part(self, limit: int) -> None:
        self.desk.indexer.drain(limit=limit)

    @rule()
    def lose_the_index(self) -> None:
        self.desk.indexer.rebuild()

    @rule(data=st.data())
    def lose_one_entry(self, data: st.DataObject) -> None:
        self.desk.indexer.open()
        ids = sorted(self.desk.index.entries()) if self.desk.indexer.waiting() == 0 else []
        if ids:
            self.desk.index.delete([data.draw(st.sampled_from(ids))])
            self.desk.indexer.reconcile()

    @invariant()
    def index_equals_sql_after_the_drain(self) -> None:
        if self.desk.indexer.waiting() > 4:
            self.desk.indexer.drain()
            self._compare()

    def _compare(self) -> None:
        desk = self.desk
        report = verify(desk.indexer, sample=None)
        assert report.healthy, report
        assert report.waiting == report.without_vector == 0
        expected = {
            entry.id: entry for page in desk.indexer.pages() for entry, _ in page if not entry.trashed
        }
        assert desk.index.entries() == expected
        pks, matrix = desk.queue.matrix(desk.embedder.identity.key)
        found = desk.exact.vectors(pks.tolist())
        assert desk.exact.size() == len(expected) == len(found)
        for pk, vector in zip(pks.tolist(), matrix, strict=True):
            assert np.array_equal(found[pk], vector)

    def teardown(self) -> None:
        try:
            self.desk.indexer.drain()
            self._compare()
        finally:
            self.desk.close()
            self.place.cleanup()


TestIndexEqualsSql = IndexMachine.TestCase
TestIndexEqualsSql.settings = settings(max_examples=6, stateful_step_count=25, deadline=None)
