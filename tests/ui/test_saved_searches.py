"""Saved searches in the sidebar: saved, run by a click, changed, ordered, removed; and what is related to hits."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from core.domain.commands_graph import AddEdge
from core.domain.edge import DEFAULT_RELATION
from core.domain.queries_search import SavedSearches
from tests.ui.real_library import RealLibrary, open_real
from ui.dialogs.saved_search import RenameSearchDialog, SaveSearchDialog
from ui.models.memory_table import RELATED_ROLE
from ui.models.scope import Part, Scope
from ui.models.table_columns import TITLE
from ui.operations import Operations
from ui.saved_link import SavedLink
from ui.views.folder_tree import SCOPE_ROLE
from ui.views.memories_page import MemoriesPage


class Sidebar:
    """The page Memories over a real library of three memories, without a window around it."""

    def __init__(self, library: RealLibrary) -> None:
        self.library, self.qtbot = library, library.qtbot
        self.operations = Operations(library.context)
        self.page = MemoriesPage(library.context, self.operations)
        self.page.resize(1000, 900)
        self.qtbot.addWidget(self.page)
        self.link = SavedLink(library.context, self.operations, self.page, self.page)
        self.words: list[str] = []
        self.page.words_set.connect(self.words.append)
        self.page.show()
        self.page.start()
        library.settle()

    def search(self, text: str) -> None:
        self.page.search(text)
        self.library.settle()

    def dialog(self, kind: type[SaveSearchDialog] | type[RenameSearchDialog], name: str) -> str:
        """Fill in the dialog that is open and press its button; the search that it showed."""
        self.library.settle()
        found = next(each for each in QApplication.topLevelWidgets() if isinstance(each, kind))
        said = found.text.text()
        found.name.setText(name)
        self.qtbot.mouseClick(found.main_button, Qt.MouseButton.LeftButton)
        self.library.settle()
        return said

    def save(self, text: str, name: str) -> str:
        self.search(text)
        action = self.library.context.actions.get("search.save")
        assert action.isEnabled()
        action.trigger()
        return self.dialog(SaveSearchDialog, name)

    @property
    def kept(self) -> list[tuple[str, str]]:
        return [(each.name, each.text) for each in self.library.engine.ask(SavedSearches())]

    def index(self, name: str) -> QModelIndex:
        model = self.page.tree.model()
        found = model.match(
            model.index(0, 0), 0, name, 1, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
        )
        assert isinstance(found[0].data(SCOPE_ROLE), Scope)
        return found[0]

    def click(self, name: str, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        tree = self.page.tree
        tree.scrollTo(self.index(name))
        spot = tree.visualRect(self.index(name)).center()
        self.qtbot.mouseClick(tree.viewport(), button, pos=spot)
        if button is Qt.MouseButton.RightButton:
            tree.customContextMenuRequested.emit(spot)
        self.library.settle()

    def menu(self, name: str, action: str) -> None:
        self.click(name, Qt.MouseButton.RightButton)
        menu = next(each for each in self.page.findChildren(QMenu) if each.isVisible())
        entry = menu.findChild(QAction, action)
        assert entry is not None
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
        self.library.settle()


@pytest.fixture
def sidebar(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Sidebar]:
    library = open_real(qtbot, qapp, tmp_path / "library")
    for body in ("the bell in the fog", "the bell at noon", "fog"):
        library.create(body=body)
    made = Sidebar(library)
    yield made
    library.close()


def test_searches_are_saved_run_changed_ordered_and_removed(sidebar: Sidebar) -> None:
    page, tree = sidebar.page, sidebar.page.tree
    assert not sidebar.library.context.actions.get("search.save").isEnabled()
    tree.choose(Scope(Part.FOLDER, sidebar.library.folder))
    assert sidebar.save("bell 层：长期", "Bells") == "bell layer:memory folder:chats/银灯港"
    tree.choose(Scope())
    sidebar.save("fog", "Fog")
    assert sidebar.kept == [("Bells", "bell layer:memory folder:chats/银灯港"), ("Fog", "fog")]

    sidebar.click("Bells")
    assert page.model.rowCount() == 2
    assert sidebar.words[-1] == page.words == "bell layer:memory folder:chats/银灯港"
    sidebar.search("noon")
    assert page.model.rowCount() == 1
    sidebar.menu("Fog", "saved.change")
    assert sidebar.kept[1] == ("Fog", "noon")
    assert page.words == "noon"
    sidebar.click("Bells")
    assert page.model.rowCount() == 2
    sidebar.qtbot.waitUntil(
        lambda: sidebar.index("Fog").data(Qt.ItemDataRole.AccessibleTextRole) == "Fog, one memory"
    )

    sidebar.menu("Fog", "saved.up")
    assert [name for name, _ in sidebar.kept] == ["Fog", "Bells"]
    sidebar.menu("Fog", "saved.rename")
    sidebar.dialog(RenameSearchDialog, "Noon")
    sidebar.menu("Noon", "saved.delete")
    assert [name for name, _ in sidebar.kept] == ["Bells"]
    sidebar.operations.undo()
    sidebar.library.settle()
    assert sidebar.kept[0] == ("Noon", "noon")

    sidebar.click("Noon")
    sidebar.search("the")
    sidebar.menu("Noon", "saved.change")
    assert sidebar.kept[0] == ("Noon", "the")
    tree.choose(Scope(Part.FOLDER, sidebar.library.folder))
    sidebar.library.settle()
    assert (page.words, sidebar.words[-1], page.model.rowCount()) == ("", "", 3)


def test_related_are_listed_behind_with_a_sign_and_counted(
    sidebar: Sidebar, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[str] = []
    monkeypatch.setattr("ui.views.memories_page.announce", lambda _table, text: announced.append(text))
    library, page = sidebar.library, sidebar.page
    noon = library.memory(2).pk
    friend = library.create(body="quiet harbour")
    library.engine.run(AddEdge(source=noon, target=friend, relation=DEFAULT_RELATION))
    library.settle()
    sidebar.search("noon")
    assert page.facets.count.text() == "1 of 4"
    library.context.actions.get("view.related").trigger()
    library.settle()
    assert page.model.pks.tolist() == [noon, friend]
    assert page.facets.count.text() == "1 found, 1 related"
    marks = [page.model.index(row, TITLE).data(RELATED_ROLE) for row in (0, 1)]
    assert marks == [False, True]
    said = page.model.index(1, TITLE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "quiet harbour, related"
    sidebar.search("nothing")
    sidebar.search("type:nothing")
    assert announced[:2] == ["1 found", "1 found, 1 related"]
    assert announced[2].startswith("Nothing here holds")
    assert "knows no" in announced[3]
    sidebar.search("")
    assert (page.model.rowCount(), page.facets.count.text()) == (4, "4 memories")
    library.context.actions.get("view.related").trigger()
