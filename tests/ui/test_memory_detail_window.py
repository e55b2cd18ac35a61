"""A memory and what belongs to it, in the window over a real store: who still says the old thing."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain.commands import EditMemory
from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.queries import MemoryDetailOf
from core.domain.queries_proposals import Proposals
from core.ports.store import OpDraft, UnitOfWork
from core.settings import Settings
from tests.services.desk import PERSON, Desk
from tests.ui.conftest import OneLibrary, settled
from ui.dialogs.replace import ReplaceDialog
from ui.dialogs.select_related import SelectRelatedDialog
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.about.page import AboutPage
from ui.views.reading import TextBlock
from ui.views.review.page import ReviewPage

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@dataclass
class Shown:
    """A story, open in a window."""

    qtbot: QtBot
    library: Library
    window: MainWindow
    session: Session
    pks: dict[str, MemoryPk]

    def settle(self) -> None:
        settled(self.qtbot, self.window)

    def show(self, name: str) -> None:
        self.session.memories.go_to((self.pks[name],))
        self.settle()
        self.qtbot.waitUntil(lambda: self.session.detail.memory == self.pks[name], timeout=10_000)
        self.settle()

    def memory(self, name: str) -> Memory:
        with self.library.store.read() as reader:
            return reader.records(Memory, [self.pks[name]])[0]

    def click(self, widget: QWidget) -> None:
        self.qtbot.waitUntil(widget.isVisible, timeout=10_000)
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.settle()


def story(root: Path) -> dict[str, MemoryPk]:
    desk = Desk(root)
    folder = desk.folder("a")
    pks = {
        "irene": desk.memory(folder, "character", title="Irene", fields={"state": "hurt"}),
        "found": desk.memory(folder, body="They found 13 children.", seq=3),
        "other": desk.memory(folder, body="They slept.", seq=4),
        "left": desk.memory(folder, body="Then Irene left.", seq=5),
    }
    pks["sum"] = desk.memory(folder, body="13 children were found by Irene.")

    def fold(uow: UnitOfWork) -> None:
        uow.update(Kind.MEMORY, [pks["found"], pks["other"]], {"parent": pks["sum"]})

    desk.store.write(OpDraft("op.change", PERSON), fold)
    desk.edge(pks["found"], pks["irene"], "involved_in")
    desk.run(EditMemory(memory=pks["found"], body="They found 14 children."))
    desk.run(EditMemory(memory=pks["irene"], title="Irene Moss"))
    desk.engine.close()
    return pks


@pytest.fixture
def shown(
    qtbot: QtBot, tmp_path: Path, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language
) -> Iterator[Shown]:
    settings.set("embedder", "none")
    pks = story(tmp_path / "library")
    library = container.open_library(tmp_path / "library", writers.person(), settings)
    window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
    window.start()
    window.show()
    window.open_library(tmp_path / "library")
    qtbot.waitUntil(lambda: window.session is not None)
    session = window.session
    assert session is not None
    qtbot.waitUntil(lambda: session.memories.model.rowCount() == len(pks), timeout=20_000)
    settled(qtbot, window)
    yield Shown(qtbot, library, window, session, pks)
    window.close()
    library.close()
    window.deleteLater()


def test_old_texts_are_said_renewed_replaced_or_kept(shown: Shown) -> None:
    strip, session = shown.session.detail.old_texts, shown.session
    shown.show("other")
    assert strip.isHidden()
    shown.show("irene")
    assert "2 memories" in strip.named.text.text()
    shown.click(strip.replace)
    dialog = next(each for each in shown.window.findChildren(ReplaceDialog) if each.isVisible())
    shown.qtbot.waitUntil(dialog.ready, timeout=10_000)
    shown.click(dialog.main_button)
    assert shown.memory("left").body == "Then Irene Moss left."
    assert shown.memory("sum").body == "13 children were found by Irene Moss."
    shown.qtbot.waitUntil(strip.isHidden, timeout=10_000)
    session.operations.undo()
    shown.settle()
    shown.qtbot.waitUntil(strip.isVisible, timeout=10_000)
    shown.click(strip.alias)
    shown.qtbot.waitUntil(strip.isHidden, timeout=10_000)
    assert shown.library.engine.ask(MemoryDetailOf(shown.pks["irene"])).aliases == ("Irene",)
    shown.show("found")
    assert strip.above.text.text() == "One summary above still says the old thing."
    shown.click(strip.show_above)
    assert session.memories.selected() == (shown.pks["sum"],)
    shown.show("found")
    shown.click(strip.renew)
    shown.qtbot.waitUntil(lambda: session.shown_page == "review", timeout=10_000)
    shown.settle()
    assert isinstance(session.page("review"), ReviewPage)
    assert len(shown.library.engine.ask(Proposals())) == 1
    session.show_page("memories")
    shown.show("found")
    shown.click(strip.keep_above)
    shown.qtbot.waitUntil(strip.isHidden, timeout=10_000)
    session.operations.undo()
    shown.settle()
    shown.qtbot.waitUntil(strip.isVisible, timeout=10_000)


def test_a_name_leads_to_everything_about_it_and_back(shown: Shown) -> None:
    session = shown.session
    shown.show("irene")
    session.memories.table.setFocus()
    shown.qtbot.keyClick(session.memories.table, Qt.Key.Key_D)
    shown.settle()
    page = session.page("about")
    assert isinstance(page, AboutPage)
    assert (session.shown_page, page.name.text()) == ("about", "Irene Moss")
    assert page.steps.topLevelItem(0).text(2) == "Irene  →  Irene Moss"
    shown.qtbot.waitUntil(lambda: bool(page.mentions.heading.text()), timeout=10_000)
    assert page.mentions.content.topLevelItemCount() == 0
    page.name.setText("irene")
    shown.qtbot.keyClick(page.name, Qt.Key.Key_Return)
    shown.settle()
    assert page.kind.text().startswith("No memory is called")
    shown.qtbot.waitUntil(lambda: page.mentions.content.topLevelItemCount() == 3, timeout=10_000)
    item = page.events.content.topLevelItem(1)
    assert item.text(1) == "floor 5"
    place = page.events.content.visualItemRect(item).center()
    shown.qtbot.mouseClick(page.events.content.viewport(), Qt.MouseButton.LeftButton, pos=place)
    shown.settle()
    assert (session.shown_page, session.memories.selected()) == ("memories", (shown.pks["left"],))
    session.show_page("about")
    shown.click(page.back_button)
    assert page.name.text() == "Irene Moss"
    shown.qtbot.keyClick(shown.window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert page.name.selectedText() == "Irene Moss"
    shown.click(page.recall_button)
    assert session.shown_page == "recall"
    shown.qtbot.waitUntil(lambda: session.recall.live.request is not None, timeout=10_000)
    request = session.recall.live.request
    assert request is not None
    assert request.message == "Irene Moss"


def test_tokens_of_the_line_in_the_prompt_are_counted_below_the_text(shown: Shown) -> None:
    shown.show("left")
    fold = shown.session.detail.reading.injected
    assert fold is not None
    shown.qtbot.waitUntil(fold.isVisible, timeout=10_000)
    assert "tokens" in fold.button.text()
    shown.click(fold.button)
    assert "Then Irene left." in fold.line.text()
    shown.show("irene")
    fold = shown.session.detail.reading.injected
    assert fold is not None
    shown.qtbot.waitUntil(fold.isVisible, timeout=10_000)
    assert fold.is_open
    assert "Irene Moss" in fold.line.text()


def test_selected_text_offers_everything_about_it(shown: Shown) -> None:
    shown.show("left")
    reading = shown.session.detail.reading
    block = next(each for each in reading.findChildren(TextBlock) if "Irene" in each.text())
    place = block.text().index("Irene")
    cursor = block.textCursor()
    cursor.setPosition(place)
    cursor.setPosition(place + len("Irene"), cursor.MoveMode.KeepAnchor)
    block.setTextCursor(cursor)
    spot = block.cursorRect().center()
    QApplication.sendEvent(
        block.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, block.mapToGlobal(spot))
    )
    menu = next(each for each in block.findChildren(QMenu) if each.isVisible())
    action = menu.actions()[0]
    assert "Irene" in action.text()
    action.trigger()
    menu.close()
    shown.settle()
    assert shown.session.shown_page == "about"


def test_related_memories_are_counted_and_added_to_the_selection(shown: Shown) -> None:
    session, pks = shown.session, shown.pks
    shown.show("irene")
    session.memories.table.setFocus()
    shown.qtbot.keyClick(session.memories.table, Qt.Key.Key_R, CTRL_ALT)
    dialog = shown.window.findChild(SelectRelatedDialog)
    assert dialog is not None
    shown.qtbot.waitUntil(lambda: dialog.count.text() != "Counting…", timeout=10_000)
    shown.qtbot.waitUntil(dialog.main_button.isEnabled, timeout=10_000)
    assert dialog.count.text() == "One memory would be added to the selection."
    dialog.direction.setFocus()
    shown.qtbot.keyClick(dialog.direction, Qt.Key.Key_Down)
    assert not dialog.main_button.isEnabled()
    shown.settle()
    shown.qtbot.waitUntil(lambda: dialog.count.text().startswith("0"), timeout=10_000)
    shown.qtbot.keyClick(dialog.direction, Qt.Key.Key_Down)
    shown.qtbot.waitUntil(dialog.main_button.isEnabled, timeout=10_000)
    shown.click(dialog.main_button)
    assert set(session.memories.selected()) == {pks["irene"], pks["found"]}
