"""The page Chats over a real library, through the mouse and the keys."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.commands import EditMemory
from core.domain.commands_chat import MoveChatPointer
from core.domain.commands_folders import CreateFolder
from core.domain.enums import ActorKind, FolderKind, Role
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.results import Actor
from core.ports.store import OpDraft
from tests.ui.real_library import RealLibrary, open_real
from ui.chat_link import ChatLink
from ui.operations import Operations
from ui.theme import Scheme
from ui.views.chats.page import ChatsPage

FLOORS = 300
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    opened = open_real(qtbot, qapp, tmp_path / "library")
    yield opened
    opened.close()


def add_chat(library: RealLibrary, name: str = "story", count: int = FLOORS) -> FolderPk:
    folder = library.engine.run(CreateFolder(name, FolderKind.CHAT)).created_folder
    assert folder is not None
    floors = [
        Message(
            folder=folder,
            seq=seq,
            role=Role.ASSISTANT if seq % 2 else Role.USER,
            name="艾琳" if seq % 2 else "阿澈",
            text=f"Line {seq} of {name}. " + ("钟楼的暗门。" if seq % 50 == 7 else ""),
            hidden=seq == 3,
            extra={"thinking": "she hides it", "swipes": ["Line 5 another way"]} if seq == 5 else {},
        )
        for seq in range(count)
    ]
    writer = OpDraft("op.import", Actor(ActorKind.PERSON, "me", "window"))
    library.store.write(writer, lambda uow: uow.insert(floors))
    return folder


def page_of(library: RealLibrary) -> ChatsPage:
    page = ChatsPage(library.context, Operations(library.context))
    library.qtbot.addWidget(page)
    page.resize(1200, 700)
    page.show()
    library.settle()
    return page


def pointer(library: RealLibrary, folder: FolderPk) -> int:
    with library.store.read() as reader:
        return reader.records(Folder, [folder])[0].last_processed_seq


def line_of(page: ChatsPage, floor: int) -> int:
    """Where the lower end of a floor's row is."""
    return page.list.visualRect(page.floors.index(page.floors.row_of(floor))).bottom()


def test_library_without_chats_says_so_and_leads_to_the_import(library: RealLibrary) -> None:
    asked: list[bool] = []
    library.context.actions.on("library.import", lambda: asked.append(True))
    library.context.actions.update(library=True)
    page = page_of(library)
    assert page.stack.shows == "notice"
    page.stack.notice.button.click()
    assert asked == [True]


def test_selected_floor_is_read_whole_with_thinking_and_other_answers(library: RealLibrary) -> None:
    add_chat(library)
    page = page_of(library)
    page.list.go_to(5)
    library.settle()
    assert page.card.text.text() == "Line 5 of story. "
    assert page.card.thinking.isVisibleTo(page.card)
    assert page.card.others_text.text() == "Line 5 another way"
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    library.settle()
    assert page.card.text.text() == "Line 6 of story. "
    assert not page.card.thinking.isVisibleTo(page.card)


def test_pointer_dragged_by_the_mouse_is_one_change_and_comes_back(library: RealLibrary) -> None:
    folder = add_chat(library)
    library.engine.run(MoveChatPointer(folder, 6))
    page = page_of(library)
    page.list.scrollToTop()
    viewport = page.list.viewport()
    QTest.mousePress(viewport, LEFT, pos=QPoint(60, line_of(page, 6)))
    QTest.mouseMove(viewport, QPoint(60, line_of(page, 4) - 8))
    QTest.mouseMove(viewport, QPoint(60, line_of(page, 3) - 4))
    assert pointer(library, folder) == 6
    QTest.mouseRelease(viewport, LEFT, pos=QPoint(60, line_of(page, 3) - 4))
    library.settle()
    assert pointer(library, folder) == 3
    library.engine.undo()
    library.until(lambda: page.list.pointer == 6)


def test_drag_that_ends_where_it_began_or_with_escape_changes_nothing(library: RealLibrary) -> None:
    folder = add_chat(library)
    library.engine.run(MoveChatPointer(folder, 6))
    page = page_of(library)
    page.list.scrollToTop()
    viewport = page.list.viewport()
    QTest.mousePress(viewport, LEFT, pos=QPoint(60, line_of(page, 6)))
    QTest.mouseMove(viewport, QPoint(60, line_of(page, 2)))
    QTest.keyClick(page.list, Qt.Key.Key_Escape)
    QTest.mouseRelease(viewport, LEFT, pos=QPoint(60, line_of(page, 2)))
    library.settle()
    assert pointer(library, folder) == 6


def test_button_puts_the_pointer_behind_the_selected_floors(library: RealLibrary) -> None:
    folder = add_chat(library)
    page = page_of(library)
    page.list.go_to(10)
    QTest.keyClick(page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    library.settle()
    QTest.mouseClick(page.pointer_button, LEFT)
    library.settle()
    assert pointer(library, folder) == 11
    assert not page.pointer_button.isEnabled()


def test_found_floors_are_gone_through_one_after_the_other(library: RealLibrary) -> None:
    add_chat(library)
    page = page_of(library)
    page.finder.field.setText("暗门")
    library.until(lambda: len(page.finder.found) == 6)
    assert page.list.selected_floors() == (7, 7)
    QTest.mouseClick(page.finder.on, LEFT)
    assert page.list.selected_floors() == (57, 57)
    QTest.mouseClick(page.finder.back, LEFT)
    QTest.mouseClick(page.finder.back, LEFT)
    assert page.list.selected_floors() == (257, 257)


def test_number_in_the_field_goes_to_that_floor(library: RealLibrary) -> None:
    add_chat(library)
    page = page_of(library)
    page.finder.field.setText("#123")
    library.until(lambda: page.list.selected_floors() == (123, 123))


def test_icons_of_its_memories_follow_the_theme(library: RealLibrary) -> None:
    folder = add_chat(library)
    library.create(folder=folder, body="the trapdoor", seq_start=8, seq_end=12, seq=12)
    page = page_of(library)
    page.list.go_to(9)
    library.settle()

    def icon() -> QImage:
        return page.card.list.item(0).icon().pixmap(16, 16).toImage()

    library.context.theme.set_scheme(Scheme.LIGHT)
    before = icon()
    library.context.theme.set_scheme(Scheme.DARK)
    assert icon() != before


def test_memories_of_a_floor_are_listed_and_opened(library: RealLibrary) -> None:
    folder = add_chat(library)
    inside = library.create(folder=folder, body="the trapdoor", seq_start=8, seq_end=12, seq=12)
    library.create(folder=folder, body="elsewhere", seq=40)
    page = page_of(library)
    opened: list[tuple[MemoryPk, ...]] = []
    page.open_memories.connect(opened.append)
    page.list.go_to(9)
    library.settle()
    assert page.card.list.count() == 1
    page.card.open_button.click()
    assert opened == [(inside,)]
    page.list.go_to(20)
    library.settle()
    assert page.card.list.count() == 0
    assert not page.card.open_button.isEnabled()


def test_memory_made_of_floors_knows_them(library: RealLibrary) -> None:
    add_chat(library)
    page = page_of(library)
    opened: list[tuple[MemoryPk, ...]] = []
    page.open_memories.connect(opened.append)
    page.list.go_to(7)
    library.settle()
    QTest.mouseClick(page.card.new_button, LEFT)
    library.until(lambda: bool(opened))
    made = library.memory(opened[0][0])
    assert (made.seq, made.seq_start, made.seq_end) == (7, 7, 7)
    assert made.body == "Line 7 of story. 钟楼的暗门。"


def test_change_elsewhere_keeps_the_chat_and_the_floor(library: RealLibrary) -> None:
    add_chat(library)
    second = add_chat(library, "the second", 40)
    pk = library.create(body="note")
    page = page_of(library)
    page.go_to(second, 21)
    library.settle()
    library.agent.run(EditMemory(memory=pk, body="another note"))
    library.foreign()
    library.qtbot.wait(400)
    library.settle()
    assert page.chats.current is not None
    assert page.chats.current.folder.pk == second
    assert page.list.selected_floors() == (21, 21)


def test_shown_texts_change_with_the_language(library: RealLibrary) -> None:
    add_chat(library)
    page = page_of(library)
    library.context.tr.switch("zh_CN")
    assert page.pointer_button.text() == "已处理到此处"
    assert page.chats.heading.text() == "1 段聊天"


def test_memory_leads_to_its_floor_also_before_the_page_was_shown(library: RealLibrary, qtbot: QtBot) -> None:
    add_chat(library)
    second = add_chat(library, "the second", 40)
    inside = library.create(folder=second, body="the trapdoor", seq_start=31, seq_end=33)
    outside = library.create(body="from no chat")
    page = ChatsPage(library.context, Operations(library.context))
    qtbot.addWidget(page)
    page.resize(1200, 700)
    said: list[str] = []
    operations = Operations(library.context)
    operations.said.connect(lambda text, _error: said.append(text))
    link = ChatLink(library.context, operations, lambda: inside, page.go_to, page)
    library.context.actions.update(library=True, selected=1)
    link.follow(outside)
    library.settle()
    assert said == ["This memory came from no floor of a chat that is in the library."]
    library.context.actions.get("memory.in_chat").trigger()
    library.settle()
    page.show()
    library.settle()
    assert page.list.selected_floors() == (31, 31)
    assert page.chats.current is not None
    assert page.chats.current.folder.pk == second
