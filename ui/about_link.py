"""What leads to the page Everything about, and from it: the action, selected text, names, the graph, recall."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.ids import FolderPk, MemoryPk
from ui.context import Context
from ui.desk import Desk
from ui.views.detail import DetailPane

if TYPE_CHECKING:
    from ui.views.about.page import AboutPage
    from ui.views.graph.page import GraphPage
    from ui.views.recall.page import RecallPage

ABOUT, RECALL = "about", "recall"


class AboutLink(QObject):
    """`show` makes a page the current one and gives it back; `shown()` names the current one."""

    def __init__(
        self,
        context: Context,
        desk: Desk,
        show: Callable[[str], QWidget],
        shown: Callable[[], str],
        show_graph: Callable[[], GraphPage],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._show, self._shown, self._show_graph = desk, show, shown, show_graph
        self._from = "memories"
        context.actions.on("memory.about", lambda: self._about(desk.current))
        context.actions.on("view.about", lambda: self._page().ask_name())

    def made(self, page: AboutPage) -> None:
        """The page is there."""
        page.graph_wanted.connect(lambda pk: self._show_graph().look_at((pk,)))
        page.recall_wanted.connect(self._recall)
        page.back.connect(lambda: self._show(self._from))

    def connect_detail(self, detail: DetailPane) -> None:
        """Names and selected text of the reading view lead to the page."""
        detail.reading.about_wanted.connect(lambda name: self.show_name(name, detail.folder))
        detail.reading.about_memory.connect(lambda: self._about(detail.memory))

    def show_name(self, name: str, folder: FolderPk | None = None) -> None:
        """Everything about whoever bears a name."""
        self._page().show_name(name, folder)

    def _about(self, memory: MemoryPk | None) -> None:
        if memory is not None:
            self._page().show_memory(memory)

    def _page(self) -> AboutPage:
        before = self._shown()
        page = cast("AboutPage", self._show(ABOUT))
        if before != ABOUT:
            self._from = before
            page.left_from()
        return page

    def _recall(self, name: str, folder: FolderPk | None) -> None:
        cast("RecallPage", self._show(RECALL)).recall_message(name, folder)
