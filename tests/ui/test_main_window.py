"""Opening, refusing, closing; the first start; messages; undo in words; the conflict question."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.domain.commands import SetImportance, TrashMemories
from core.domain.enums import Kind
from core.domain.errors import Conflict, LibraryInUse, UserError
from core.domain.ids import MemoryPk
from core.domain.queries import FacetCounts, MemoryRows
from core.domain.queries_history import PreviewUndo
from core.domain.queries_recall import PrepareRecall
from core.domain.results import UndoConflict, UndoPreview
from tests.fakes.engine import FakeEngine
from tests.ui.conftest import OneLibrary, settled
from ui.main_window import MainWindow, free_name
from ui.session import Session
from ui.views.undo_conflict import UndoConflictDialog


def test_first_start_offers_every_way_in_both_languages(qtbot: QtBot, window: MainWindow) -> None:
    settled(qtbot, window)
    ways = window.chooser.ways
    assert set(ways) == {"sample", "new", "open", "import_file", "import_directory"}
    assert ways["sample"].text() == "Open the sample"
    window.chooser.language_wanted.emit("zh_CN")
    assert ways["sample"].text() == "打开示例"
    assert window._services.settings.text("language") == "zh_CN"


def test_opening_shows_the_list_and_names_the_library(window: MainWindow, opened: Session) -> None:
    assert opened.memories.model.rowCount() == 300
    assert "library" in window.windowTitle()
    assert opened.memories.facets.count.text() == "300 memories"


def test_a_library_in_use_is_refused_in_words_with_a_way_to_it(
    qtbot: QtBot, window: MainWindow, libraries: OneLibrary
) -> None:
    """Case c619: the second window says so and calls the first."""
    libraries.error = LibraryInUse("error.library.in_use", path="library")
    window.open_library(Path("library"))
    qtbot.waitUntil(window.message.isVisible)
    assert "already open in another window" in window.message.label.text()
    button = next(b for b in window.message.findChildren(QPushButton) if b.text())
    button.click()
    qtbot.waitUntil(lambda: bool(libraries.raised))
    assert libraries.raised == [Path("library")]
    settled(qtbot, window)


def test_a_start_on_a_library_in_use_asks_to_step_back(
    qtbot: QtBot, window: MainWindow, libraries: OneLibrary
) -> None:
    libraries.error = LibraryInUse("error.library.in_use", path="library")
    with qtbot.waitSignal(window.refused):
        window.start(Path("library"))
    settled(qtbot, window)


def test_a_damaged_library_leaves_the_chooser_usable(
    qtbot: QtBot, window: MainWindow, libraries: OneLibrary
) -> None:
    libraries.error = UserError("error.library.missing", path="library")
    window.open_library(Path("library"))
    qtbot.waitUntil(window.message.isVisible)
    assert window.chooser.isEnabled()
    libraries.error = None
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: window.session is not None)
    assert not window.message.isVisible()
    settled(qtbot, window)


def test_closing_ends_the_engine(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    window.close()
    assert engine.closed


def test_undo_is_named_and_redo_after_it(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    opened.operations.run(TrashMemories(memories=(MemoryPk(1), MemoryPk(2))))
    undo = opened.context.actions.get("edit.undo")
    qtbot.waitUntil(undo.isEnabled)
    assert undo.text() == "Undo: Moved 2 memories to the trash"
    assert opened.status.undo.text() == "Undo: Moved 2 memories to the trash"
    opened.context.tr.switch("zh_CN")
    assert opened.status.undo.text().startswith("撤销：")
    opened.status.undo.click()
    redo = opened.context.actions.get("edit.redo")
    qtbot.waitUntil(redo.isEnabled)
    assert not any(row.trashed for row in engine.rows.values())
    settled(qtbot, window)


def test_an_error_of_a_command_is_said_and_stays(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    engine.fail[SetImportance] = UserError("error.importance", value=11)
    opened.operations.run(SetImportance(memories=(MemoryPk(1),), importance=11))
    qtbot.waitUntil(window.message.isVisible)
    settled(qtbot, window)


def conflict_preview(engine: FakeEngine, blocked: int, rest: int) -> UndoPreview:
    op = engine._op("op.memory.move", {"count": blocked + rest, "folder": "tale"})
    conflicts = tuple(
        UndoConflict(Kind.MEMORY, pk, ("importance",), f"Memory {pk}") for pk in range(1, blocked + 1)
    )
    return UndoPreview(op, rest, conflicts)


def test_a_conflict_says_how_many_and_undoes_the_rest(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = conflict_preview(engine, 2, 35)
    partly: list[bool] = []

    def undo(op: object = None, *, partly_: bool = False, **kwargs: object) -> object:
        partly.append(bool(kwargs.get("partly")))
        if not kwargs.get("partly"):
            raise Conflict("error.undo.conflict", [1, 2])
        return replace(FakeEngine._back(engine, [(preview.op, {})], [], preview.op.role), restored=35)

    answer = engine._answer
    monkeypatch.setattr(engine, "undo", undo)
    monkeypatch.setattr(
        engine, "_answer", lambda query: preview if isinstance(query, PreviewUndo) else answer(query)
    )
    opened.operations.undo()
    qtbot.waitUntil(lambda: bool(window.findChildren(UndoConflictDialog)))
    dialog = window.findChildren(UndoConflictDialog)[0]
    assert dialog.text.text() == "2 of 37 were changed since. The other 35 can be undone."
    dialog.each.click()
    assert dialog.rows.count() == 2
    assert "Importance" in dialog.rows.item(0).text()
    next(b for b in dialog.findChildren(QPushButton) if b.text() == "Undo 35").click()
    qtbot.waitUntil(lambda: partly == [False, True])
    settled(qtbot, window)


def test_a_free_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "tale").mkdir()
    assert free_name(tmp_path, "tale") == tmp_path / "tale 2"


def test_tab_reaches_everything_and_names_are_there(window: MainWindow, opened: Session) -> None:
    for widget in (window.top.search, window.top.library, opened.memories.tree, opened.memories.table):
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert widget.accessibleName()


def test_pages_are_built_when_they_are_first_shown(window: MainWindow, opened: Session) -> None:
    assert list(opened._pages) == ["memories"]
    opened.show_page("history")
    made = opened._pages["history"]
    assert made.isVisible()
    opened.show_page("memories")
    opened.show_page("history")
    assert opened._pages["history"] is made


def test_action_of_a_page_not_built_yet_is_shown_and_leads_there(window: MainWindow, opened: Session) -> None:
    action = opened.context.actions.get("recall.run")
    assert action.isVisible()
    assert not action.isEnabled()
    opened.context.actions._trigger("recall.run")
    assert opened._pages["recall"].isVisible()


def test_recall_is_made_ready_when_the_list_stands(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, engine: FakeEngine, window: MainWindow
) -> None:
    monkeypatch.setattr("ui.session.PREPARE_RECALL_MS", 1)
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: any(isinstance(query, PrepareRecall) for query in engine.asked))
    settled(qtbot, window)


def test_counts_come_after_the_first_rows(engine: FakeEngine, window: MainWindow, opened: Session) -> None:
    kinds = [type(query) for query in engine.asked]
    assert kinds.index(MemoryRows) < kinds.index(FacetCounts)
