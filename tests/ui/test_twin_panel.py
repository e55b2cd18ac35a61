"""A new memory that says nearly the same as one that is there: merged in, or created anyway."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import container, writers
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.enums import Kind, Status, StatusReason
from core.domain.folder import Folder
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import LibrarySchema, ListMemories, Memories, NoveltyOf
from core.domain.queries_index import EmbedWaiting
from core.ports.store import OpDraft, UnitOfWork
from core.settings import Settings
from tests.booku.desk import TableEmbedder
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.drafts import DraftKeeper
from ui.language import Language
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme
from ui.views.detail import READ, DetailPane
from ui.views.editor import Editor

TEXT = "钟楼里有一扇暗门"


class Desk:
    """An editor on a library whose embedder knows one text."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, root: Path) -> None:
        self.qtbot, self.settings = qtbot, Settings()
        self.library = container.open_library(root, writers.person(), self.settings, create=True)
        self.library.__dict__["embedder"] = TableEmbedder({"暗门": [1.0, 0.0]}, [0.0, 1.0])
        self.tasks, self.theme, self.tr = TaskRunner(), Theme(qapp, Scheme.LIGHT), Language("en")
        engine = self.library.engine
        self.bridge = Bridge(engine, self.tasks)
        actions = Actions(self.tr, self.theme)
        context = Context(engine, self.tasks, self.bridge, self.settings, self.theme, self.tr, actions)
        self.context = context
        folder = engine.run(CreateFolder("a")).created_folder
        assert folder is not None
        self.there = engine.run(
            CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body=TEXT))
        ).created[0]
        engine.ask(EmbedWaiting())
        with self.library.store.read() as reader:
            self.folder = reader.records(Folder, [folder])[0]
        self.editor = Editor(context, DraftKeeper(engine, self.tasks))
        qtbot.addWidget(self.editor)
        self.editor.show()
        self.saved: list[object] = []
        self.editor.saved.connect(self.saved.append)

    def write(self, body: str) -> None:
        schema = self.library.engine.ask(LibrarySchema())
        self.editor.show_new(self.folder, schema, TypeId("event"), "memory")
        self.editor.form.set_value("body", body)
        self.editor.save()
        self.settle()

    def settle(self) -> None:
        for _ in range(2):
            self.qtbot.waitUntil(lambda: self.tasks.busy == 0, timeout=10_000)
            QApplication.processEvents()

    def bodies(self) -> list[str]:
        engine = self.library.engine
        pks = tuple(MemoryPk(pk) for pk in engine.ask(ListMemories()))
        return sorted(memory.body for memory in engine.ask(Memories(pks)))


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(qtbot, qapp, tmp_path / "library")
    yield made
    made.settle()
    made.bridge.close()
    made.tasks.close()
    made.theme.end()
    made.library.close()


def test_twin_is_shown_and_the_text_merged_into_it(desk: Desk) -> None:
    desk.write(f"{TEXT}。")
    assert desk.editor.twins.isVisible()
    assert TEXT in desk.editor.twins.text.text()
    assert desk.bodies() == [TEXT]
    desk.qtbot.mouseClick(desk.editor.twins.merge_button, Qt.MouseButton.LeftButton)
    desk.settle()
    assert desk.bodies() == [f"{TEXT}。"]
    assert desk.saved == [desk.there]


def test_twin_is_created_when_a_person_wants_it(desk: Desk) -> None:
    desk.write(f"{TEXT}。")
    desk.qtbot.mouseClick(desk.editor.twins.create_button, Qt.MouseButton.LeftButton)
    desk.settle()
    assert desk.bodies() == [TEXT, f"{TEXT}。"]
    assert not desk.editor.twins.isVisible()


def test_new_text_and_no_embedder_ask_nothing(desk: Desk) -> None:
    desk.write("艾琳走进码头")
    assert not desk.editor.twins.isVisible()
    desk.settings.set("embedder", "none")
    desk.write(TEXT)
    assert desk.bodies() == sorted([TEXT, TEXT, "艾琳走进码头"])


def test_new_memory_says_its_novelty_and_the_nearest_after_it_was_saved(desk: Desk) -> None:
    pane = DetailPane(desk.context)
    desk.qtbot.addWidget(pane)
    pane.show()
    asked: list[int] = []
    pane.open_memory.connect(asked.append)
    pane.new_memory(desk.folder.pk, "event")
    desk.settle()
    pane.editor.form.set_value("body", "艾琳走进码头")
    pane.save()
    desk.settle()
    desk.qtbot.waitUntil(pane.novelty.isVisible, timeout=10_000)
    assert pane.tabs.currentIndex() == READ
    assert pane.novelty.text.text().startswith("Novelty 1.00.")
    (near,) = pane.novelty.nearest
    desk.qtbot.mouseClick(near, Qt.MouseButton.LeftButton)
    assert asked == [desk.there]
    pane.show_memory(desk.there)
    desk.settle()
    assert not pane.novelty.isVisible()
    pane.close_drafts()


def test_novelty_of_a_text_is_kept_with_it(desk: Desk) -> None:
    desk.write(f"{TEXT}。")
    desk.qtbot.mouseClick(desk.editor.twins.create_button, Qt.MouseButton.LeftButton)
    desk.settle()
    (pk,) = desk.saved
    assert isinstance(pk, int)
    assert desk.library.engine.ask(Memories((MemoryPk(pk),)))[0].novelty < 0.1


def test_nearest_memory_is_found_behind_many_that_were_summed_up(desk: Desk) -> None:
    engine, folder = desk.library.engine, desk.folder.pk
    new = CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body=TEXT))
    folded = [desk.there, *(engine.run(new).created[0] for _ in range(20))]
    last = engine.run(new).created[0]

    def fold(uow: UnitOfWork) -> None:
        uow.update(Kind.MEMORY, folded, {"status": Status.ARCHIVED, "status_reason": StatusReason.COMPRESSED})

    desk.library.store.write(OpDraft("op.change", engine.actor), fold)
    engine.ask(EmbedWaiting())
    found = engine.ask(NoveltyOf(folder=folder, title="", body=TEXT))
    assert [each.pk for each in found.neighbours] == [last]
