"""The search language on one sheet: what can be written, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.queries_search import SearchKeys
from core.domain.search import KeyWords
from ui.context import Context
from ui.tasks import Lane

TERMS = ("words", "phrase", "not", "or", "group", "meaning", "pattern")
SIGNS = ("range", "compared", "date", "quoted", "star", "unequal", "field")
WRITTEN, FINDS = 0, 1


class SearchHelp(QDialog):
    """Stays open beside the window. `wanted(text)`: what was chosen is to be put into the search."""

    wanted = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        tr, theme = context.tr, context.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("search.help.title"))
        self.resize(theme.wide(640), theme.high(620))
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels([tr("search.help.written"), tr("search.help.finds")])
        self.tree.setAccessibleName(tr("search.help.title"))
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setAlternatingRowColors(True)
        self.tree.setProperty("rows", "list")
        self.tree.setIndentation(theme.px(16))
        self.tree.header().setSectionResizeMode(WRITTEN, QHeaderView.ResizeMode.Interactive)
        self.tree.header().resizeSection(WRITTEN, theme.px(250))
        self.tree.itemActivated.connect(self._on_activated)
        note = QLabel(tr("search.help.note"))
        note.setWordWrap(True)
        note.setProperty("role", "secondary")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setText(tr("dialog.close"))
        buttons.rejected.connect(self.reject)
        tr.changed.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(note)
        column.addWidget(self.tree, 1)
        column.addWidget(buttons)
        self._ask()

    def _ask(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[KeyWords, ...]:
            return engine.ask(SearchKeys(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._fill, owner=self, query="keys")

    def _fill(self, keys: tuple[KeyWords, ...]) -> None:
        tr = self._context.tr
        self._section("terms", [(tr(f"search.help.{name}.as"), tr(f"search.help.{name}")) for name in TERMS])
        self._section("signs", [(tr(f"search.help.{name}.as"), tr(f"search.help.{name}")) for name in SIGNS])
        section = self._section("keys", ())
        for key in keys:
            item = self._row(section, self._written(key, ":"), tr(key.text), f"{self._first(key)}:")
            for value in key.values:
                put_in = f"{self._first(key)}:{self._first(value)}"
                self._row(item, self._written(value), tr(value.text), put_in)
        self.tree.setCurrentItem(section)
        self.tree.scrollToTop()
        self.tree.setFocus()

    def _section(self, name: str, rows: Sequence[tuple[str, str]]) -> QTreeWidgetItem:
        item = QTreeWidgetItem([self._context.tr(f"search.help.section.{name}")])
        item.setFont(WRITTEN, self._context.theme.font("base", bold=True))
        self.tree.addTopLevelItem(item)
        item.setFirstColumnSpanned(True)
        item.setExpanded(True)
        for written, finds in rows:
            self._row(item, written, finds, written)
        return item

    def _row(self, above: QTreeWidgetItem, written: str, finds: str, put_in: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([written, finds])
        item.setData(WRITTEN, Qt.ItemDataRole.UserRole, put_in)
        for column, text in ((WRITTEN, written), (FINDS, finds)):
            item.setToolTip(column, text)
        above.addChild(item)
        return item

    def _first(self, words: KeyWords) -> str:
        """The word that fits the language of the window."""
        if self._context.tr.code.startswith("zh"):
            return next((word for word in words.words if not word.isascii()), words.name)
        return words.name

    def _written(self, words: KeyWords, sign: str = "") -> str:
        """All words, that of the window's language first."""
        first = self._first(words)
        others = [word for word in (words.name, *words.words) if word != first]
        return "  ".join(f"{word}{sign}" for word in (first, *others))

    def _on_activated(self, item: QTreeWidgetItem, _column: int) -> None:
        put_in = item.data(WRITTEN, Qt.ItemDataRole.UserRole)
        if put_in:
            self.wanted.emit(str(put_in))
