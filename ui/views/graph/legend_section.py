"""A section of the legend: its lines below a heading; of very many the largest, and the others by their names."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from ui.context import Context
from ui.views.graph.legend_lines import Lines, Row, Section
from ui.widgets.fold import Fold
from ui.widgets.search_field import SearchField

MANY = 20
"""With more lines than this there is a field to find one in."""
SHOWN, FOUND = 40, 200
"""So many lines are listed by themselves, and of those that were searched for."""


class LegendSection(Fold):
    """`switched(value)`: a line was switched on or off."""

    switched = Signal(str)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(ctx.theme, "", parent, is_open=True)
        self._ctx = ctx
        self._rows: tuple[Row, ...] = ()
        self._words: list[str] = []
        self.search = SearchField()
        self.lines = Lines(ctx)
        self.more = QLabel()
        self.more.setWordWrap(True)
        self.more.setProperty("role", "small")
        self.column.setContentsMargins(0, 0, 0, 4)
        for widget in (self.search, self.lines, self.more):
            self.column.addWidget(widget)
        self.lines.switched.connect(self.switched)
        self.search.searched.connect(self._narrow)
        self.search.left_down.connect(self.lines.setFocus)

    def show_section(self, section: Section) -> None:
        """Show this one; what is searched for stays."""
        tr = self._ctx.tr
        self._rows = section.rows
        self.rename(section.title)
        self.lines.setAccessibleName(section.title)
        self.search.setPlaceholderText(tr("graph.legend.find"))
        self.search.setAccessibleName(tr("graph.legend.find"))
        many = len(section.rows) > MANY
        self.search.setVisible(many)
        if not many:
            self._words = []
        self._list()
        self.setVisible(bool(section.rows))

    def _narrow(self, words: str) -> None:
        self._words = words.casefold().split()
        self._list()

    def _list(self) -> None:
        """The largest, and after them what is switched off: it can always be switched on again."""
        found = [row for row in self._rows if all(word in row.label.casefold() for word in self._words)]
        most = FOUND if self._words else SHOWN
        listed = [*found[:most], *(row for row in found[most:] if not row.on)][: most + FOUND]
        self.lines.show_rows(listed)
        left = len(found) - len(listed)
        tr = self._ctx.tr
        key = "graph.legend.more" if found else "graph.legend.none"
        self.more.setText(tr(key, count=left))
        self.more.setVisible(left > 0 or (bool(self._words) and not found))
