"""Merging from the list by its keys, undoing it, and unmerging from the detail pane of a real window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app import container, writers
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.settings import Settings
from tests.services.desk import Desk
from tests.ui.conftest import OneLibrary, settled
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.merge.desk import MergeDesk

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def pks(tmp_path: Path) -> tuple[MemoryPk, ...]:
    desk = Desk(tmp_path / "library")
    folder = desk.folder("a")
    made = tuple(desk.memory(folder, "location", title=name) for name in ("钟楼", "旧钟楼"))
    desk.engine.close()
    return made


def test_selection_is_merged_by_keys_and_taken_apart_in_the_detail(
    qtbot: QtBot,
    tmp_path: Path,
    pks: tuple[MemoryPk, ...],
    tasks: TaskRunner,
    settings: Settings,
    theme: Theme,
    tr: Language,
) -> None:
    settings.set("embedder", "none")
    library = container.open_library(tmp_path / "library", writers.person(), settings)
    window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
    try:
        window.start()
        window.show()
        window.open_library(tmp_path / "library")
        qtbot.waitUntil(lambda: window.session is not None)
        session = window.session
        assert session is not None
        qtbot.waitUntil(lambda: session.memories.model.rowCount() == 2, timeout=20_000)
        settled(qtbot, window)

        def state(pk: MemoryPk) -> Memory:
            with library.store.read() as reader:
                return reader.records(Memory, [pk])[0]

        session.memories.go_to(pks)
        settled(qtbot, window)
        assert session.context.actions.get("memory.merge").isEnabled()
        qtbot.keyClick(session.memories.table, Qt.Key.Key_M, CTRL_SHIFT)
        settled(qtbot, window)
        desk = window.findChild(MergeDesk)
        assert desk is not None
        survivor, loser = (memory.pk for memory in desk.choice.memories)  # type: ignore[union-attr]
        qtbot.keyClick(desk, Qt.Key.Key_Return)
        settled(qtbot, window)
        assert state(loser).merged_into == survivor
        session.memories.go_to((loser,))
        settled(qtbot, window)
        strip = session.detail.merged
        qtbot.waitUntil(strip.isVisible)
        qtbot.mouseClick(strip.unmerge_button, Qt.MouseButton.LeftButton)
        settled(qtbot, window)
        assert state(loser).merged_into is None
        qtbot.waitUntil(lambda: not strip.isVisible())
        session.operations.undo()
        settled(qtbot, window)
        assert state(loser).merged_into == survivor
        session.memories.go_to((survivor,))
        settled(qtbot, window)
        session.context.actions.get("memory.unmerge").trigger()
        qtbot.waitUntil(lambda: state(loser).merged_into is None)
        settled(qtbot, window)
    finally:
        window.close()
        window.deleteLater()
        library.close()
