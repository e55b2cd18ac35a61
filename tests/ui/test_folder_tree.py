"""The sidebar: tree, counts, places, drops, renaming in place."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from core.domain.commands import CopyMemories, MoveMemories, SetLayer, TrashMemories
from core.domain.commands_folders import RenameFolder
from core.domain.enums import Layer
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.results import FolderNode
from tests.fakes.engine import START, FakeEngine
from tests.ui.conftest import settled
from ui.main_window import MainWindow
from ui.models.folder_names import as_tree
from ui.models.memory_table import encode_memories
from ui.models.scope import Part, Scope
from ui.session import Session
from ui.views.memories_page import command_of_drop

PKS = (MemoryPk(1), MemoryPk(2))
FOLDER = Scope(Part.FOLDER, FolderPk(2))


def node(pk: int, name: str, memories: int) -> FolderNode:
    return FolderNode(Folder(pk=FolderPk(pk), name=name, created_at=START), memories, 0, 0, 0, 0)


def test_folders_become_a_tree_with_plain_groups_between() -> None:
    top = as_tree([node(1, "default", 3), node(2, "聊天/雾港/一", 4), node(3, "聊天/雾港", 5)])
    assert [branch.label for branch in top] == ["default", "聊天"]
    assert top[1].node is None
    harbour = next(iter(top[1].children.values()))
    assert harbour.node is not None
    assert harbour.memories == 9


@pytest.mark.parametrize(
    ("scope", "copy", "in_trash", "expected"),
    [
        (FOLDER, False, False, MoveMemories(memories=PKS, folder=FolderPk(2))),
        (FOLDER, True, False, CopyMemories(memories=PKS, folder=FolderPk(2))),
        (FOLDER, False, True, None),
        (Scope(Part.LAYER, name="inherent"), False, False, SetLayer(memories=PKS, layer=Layer.INHERENT)),
        (Scope(Part.TRASH), False, False, TrashMemories(memories=PKS)),
        (Scope(Part.TRASH), False, True, None),
        (Scope(), False, False, None),
        (Scope(Part.TYPE, name="event"), False, False, None),
    ],
)
def test_a_drop_does_what_its_place_says(scope: Scope, copy: bool, in_trash: bool, expected: object) -> None:
    assert command_of_drop(PKS, scope, copy=copy, in_trash=in_trash) == expected


def place_of(session: Session, scope: Scope) -> QPoint:
    tree = session.memories.tree
    return tree.visualRect(tree._by_key[scope.key].index()).center()


def drop(session: Session, scope: Scope, data: QMimeData, modifiers: Qt.KeyboardModifier) -> bool:
    """Drop on a place; whether the place took it."""
    target = session.memories.tree.viewport()
    point = place_of(session, scope)
    actions = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(target, QDragEnterEvent(point, actions, data, left, modifiers))
    move = QDragMoveEvent(point, actions, data, left, modifiers)
    QApplication.sendEvent(target, move)
    if not move.isAccepted():
        return False
    QApplication.sendEvent(target, QDropEvent(QPointF(point), actions, data, left, modifiers))
    return True


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dropping_rows_on_a_folder_moves_and_with_ctrl_copies(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    plain = Qt.KeyboardModifier.NoModifier
    assert drop(opened, FOLDER, encode_memories([6, 9]), plain)
    settled(qtbot, window)
    assert {engine.rows[MemoryPk(pk)].folder for pk in (6, 9)} == {FolderPk(2)}
    qtbot.waitUntil(lambda: bool(opened.context.actions.situation.undo))
    assert "Moved 2" in opened.status.undo.text()
    opened.operations.undo()
    settled(qtbot, window)
    assert {engine.rows[MemoryPk(pk)].folder for pk in (6, 9)} == {FolderPk(1)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_places_that_mean_nothing_refuse_a_drop(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    plain = Qt.KeyboardModifier.NoModifier
    assert not drop(opened, Scope(), encode_memories([1]), plain)
    text = QMimeData()
    text.setText("words")
    assert not drop(opened, FOLDER, text, plain)
    assert engine.ran == []


def test_arrow_keys_choose_a_place(qtbot: QtBot, window: MainWindow, opened: Session) -> None:
    tree = opened.memories.tree
    tree.setFocus()
    tree.choose(Scope(Part.FOLDER, FolderPk(1)))
    QTest.keyClick(tree, Qt.Key.Key_Down)
    settled(qtbot, window)
    assert tree.scope == FOLDER
    assert opened.memories.model.rowCount() == 100


def test_sub_folders_are_listed_only_when_wanted(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    opened.memories.tree.choose(FOLDER)
    settled(qtbot, window)
    opened.context.actions.get("view.subfolders").trigger()
    settled(qtbot, window)
    assert opened.memories.filter.with_subfolders
    assert opened.context.settings.get("ui.with_subfolders") is True


def test_renaming_in_place_keeps_the_folders_above(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    tree = opened.memories.tree
    tree.choose(Scope(Part.FOLDER, FolderPk(3)))
    settled(qtbot, window)
    opened.context.actions.get("folder.rename").trigger()
    editor = tree.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "harbour"
    editor.setText("pier")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(engine.ran))
    assert engine.ran == [RenameFolder(FolderPk(3), "tale/pier")]
    settled(qtbot, window)


def test_folded_sections_stay_folded(qtbot: QtBot, window: MainWindow, opened: Session) -> None:
    tree = opened.memories.tree
    layers = tree._by_key[Scope(Part.LAYER, name="inherent").key].parent()
    tree.collapse(layers.index())
    tree._fill()
    layers = tree._by_key[Scope(Part.LAYER, name="inherent").key].parent()
    assert not tree.isExpanded(layers.index())


def test_every_entry_has_a_name_for_screen_readers(opened: Session) -> None:
    for item in opened.memories.tree._by_key.values():
        assert item.data(int(Qt.ItemDataRole.AccessibleTextRole))
