"""Files dropped on the window: the hint, what they lead to, and what does not take them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from core.domain.queries_documents import QueueFiles
from core.domain.queries_drop import DropKind
from tests.fakes.engine import FakeEngine
from tests.ui.conftest import OneLibrary, settled
from ui.dialogs.importing import ImportDialog
from ui.dialogs.sorting import SortingSheet
from ui.main_window import MainWindow
from ui.session import Session
from ui.widgets.plain_text import PlainLineEdit, PlainTextEdit
from ui.widgets.search_field import SearchField


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def hover(widget: QWidget, data: QMimeData) -> bool:
    """Whether the widget takes what hovers over it."""
    event = QDragEnterEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def let_go(widget: QWidget, data: QMimeData) -> None:
    hover(widget, data)
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        QEvent.Type.Drop,
    )
    QApplication.sendEvent(widget, event)


def dialogs() -> list[ImportDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, ImportDialog) and w.isVisible()]


def sheets() -> list[SortingSheet]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, SortingSheet) and w.isVisible()]


@pytest.fixture(autouse=True)
def closed_dialogs() -> Iterator[None]:
    yield
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.reject()


def test_hint_covers_the_window_while_files_hover(
    window: MainWindow, opened: Session, tmp_path: Path
) -> None:
    hint = window.drops.hint
    assert hover(window, files(tmp_path))
    assert hint.isVisible()
    area = hint.parentWidget()
    assert area is window.centralWidget()
    assert area is not None
    assert hint.size() == area.size()
    assert "Drop" in hint.label.text()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not hint.isVisible()


def test_text_and_links_are_left_alone(window: MainWindow, opened: Session) -> None:
    text, link = QMimeData(), QMimeData()
    text.setText("words")
    link.setUrls([QUrl("https://example.org/x.json")])
    assert not hover(window, text)
    assert not hover(window, link)
    assert not window.drops.hint.isVisible()


def test_dropped_file_is_shown_in_the_import_dialog(
    qtbot: QtBot, window: MainWindow, opened: Session, tmp_path: Path
) -> None:
    let_go(window, files(tmp_path / "a.json"))
    qtbot.waitUntil(lambda: len(dialogs()) == 1)
    assert not window.drops.hint.isVisible()


def test_several_files_are_shown_in_one_sorting_sheet(
    qtbot: QtBot, window: MainWindow, opened: Session, tmp_path: Path
) -> None:
    let_go(window, files(tmp_path / "a.json", tmp_path / "b.txt"))
    qtbot.waitUntil(lambda: len(sheets()) == 1 and bool(sheets()[0].groups))
    assert {kind: len(group.files) for kind, group in sheets()[0].groups.items()} == {
        DropKind.DOCUMENTS: 1,
        DropKind.GRAPHS: 1,
    }
    assert dialogs() == []


def test_one_document_goes_to_the_queue_without_a_question(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine, tmp_path: Path
) -> None:
    let_go(window, files(tmp_path / "a.txt"))
    qtbot.waitUntil(lambda: engine.count_asked(QueueFiles) == 1)
    qtbot.waitUntil(lambda: opened.page("documents").isVisible())
    assert dialogs() == []
    assert sheets() == []


def test_nothing_is_taken_while_a_dialog_is_open(
    qtbot: QtBot, window: MainWindow, opened: Session, tmp_path: Path
) -> None:
    opened.show_import(tmp_path / "a.json")
    qtbot.waitUntil(lambda: len(dialogs()) == 1)
    assert not hover(window, files(tmp_path))


def test_file_dropped_before_a_library_is_open_gets_one_of_its_own(
    qtbot: QtBot, window: MainWindow, libraries: OneLibrary, tmp_path: Path
) -> None:
    settled(qtbot, window)
    let_go(window, files(tmp_path / "story.json"))
    qtbot.waitUntil(lambda: len(dialogs()) == 1)
    assert window.session is not None


@pytest.mark.parametrize("kind", [PlainTextEdit, PlainLineEdit, SearchField])
def test_text_field_takes_words_but_leaves_files_to_the_window(
    qtbot: QtBot, kind: type[QWidget], tmp_path: Path
) -> None:
    field = kind()
    qtbot.addWidget(field)
    text = QMimeData()
    text.setText("words")
    place = field.viewport() if isinstance(field, PlainTextEdit) else field
    assert hover(place, text)
    assert not hover(place, files(tmp_path))
