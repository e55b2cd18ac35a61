"""The facet bar above the table: type, layer, status and tag with counts, what is chosen, how many are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from core.domain.enums import Layer, Status
from core.domain.ids import DocumentPk, TypeId
from core.domain.queries import MemoryFilter
from core.domain.queries_search import RELATED_OF
from core.domain.results import Facets
from ui.context import Context
from ui.widgets.flow_layout import FlowLayout

TAGS_OFFERED = 60
COUNT_PX = 26


class FacetBar(QWidget):
    """`changed(MemoryFilter)` when a facet was chosen: only its types, layers, statuses and tags count."""

    changed = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._chosen = MemoryFilter()
        self._facets = Facets(0, {}, {}, {})
        self._tags: tuple[tuple[str, int], ...] = ()
        self._shown = (0, 0)
        self._related: tuple[int, bool] | None = None
        self._document_title = ""
        self.setProperty("surface", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.buttons = {name: self._button(name) for name in ("type", "layer", "status", "tag")}
        self.clear_button = QPushButton()
        self.clear_button.setProperty("flat", "true")
        self.clear_button.clicked.connect(self.clear)
        self.count = QLabel()
        self.count.setProperty("role", "secondary")
        self.count.setContentsMargins(8, 0, 0, 0)
        chips = QWidget()
        flow = FlowLayout(chips, stretch_last=True)
        self.document_button = QToolButton()
        self.document_button.setProperty("chip", "true")
        self.document_button.setCheckable(True)
        self.document_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.document_button.setLayoutDirection(
            Qt.LayoutDirection.RightToLeft
        )  # the cross stands after the text
        self.document_button.clicked.connect(lambda: self._set(replace(self._chosen, document=None)))
        flow.addWidget(self.document_button)
        for button in self.buttons.values():
            flow.addWidget(button)
        flow.addWidget(self.clear_button)
        flow.addWidget(self.count)
        chips.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 12, 6)
        row.addWidget(chips, 1)
        context.theme.bind(self, self._show)
        context.tr.changed.connect(self._show)

    @property
    def chosen(self) -> MemoryFilter:
        """A filter that holds only the facets."""
        return self._chosen

    @property
    def active(self) -> bool:
        """Whether anything is chosen."""
        return self._chosen != MemoryFilter()

    def show_facets(self, facets: Facets) -> None:
        """Counts under the present filter."""
        self._facets = facets
        self._show()

    def show_tags(self, tags: Sequence[tuple[str, int]]) -> None:
        """Tags to choose from, with counts in the whole library."""
        self._tags = tuple(tags[:TAGS_OFFERED])
        self._show()

    def show_related(self, related: int | None, *, limited: bool = False) -> None:
        """How many more are listed because they are related (None = not asked for).

        `limited`: only relations of the first RELATED_OF were looked at.
        """
        self._related = None if related is None else (related, limited)

    def show_count(self, shown: int, total: int) -> None:
        """How many of how many are listed."""
        self._shown = (shown, total)
        tr = self._context.tr
        if self._related is not None:
            related, limited = self._related
            key = "table.count_related.limited" if limited else "table.count_related"
            text = tr(key, found=tr.number(shown), related=tr.number(related), limit=tr.number(RELATED_OF))
        elif shown == total:
            text = tr("table.count", count=total if total == 1 else tr.number(total))
        else:
            text = tr("table.count_of", shown=tr.number(shown), total=tr.number(total))
        self.count.setText(text)
        self.count.setMinimumHeight(self._context.theme.px(COUNT_PX))
        self.count.setAccessibleName(text)

    def clear(self) -> None:
        """Choose nothing."""
        if self.active:
            self._set(MemoryFilter())

    def choose_document(self, document: DocumentPk, title: str) -> None:
        """Only the pieces of one document, until the chip with its title is clicked."""
        self._document_title = title
        self._chosen = MemoryFilter(document=document)
        self._show()

    def clear_quietly(self) -> None:
        """Choose nothing without telling."""
        self._chosen = MemoryFilter()
        self._show()

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"facet.{name}")
        button.setProperty("chip", "true")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands after the text
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(lambda: self._fill(name, menu))
        button.setMenu(menu)
        return button

    def _options(self, name: str) -> list[tuple[str, str, int, bool]]:
        """(value, label, count, chosen) of one facet; chosen ones stay although their count is 0."""
        tr, theme, chosen = self._context.tr, self._context.theme, self._chosen
        if name == "type":
            values = _with(self._facets.types, chosen.types)
            return [(v, theme.type_label(v, tr.code), n, v in chosen.types) for v, n in values]
        if name == "layer":
            values = _with(self._facets.layers, chosen.layers)
            return [(v, tr(f"layer.{v}"), n, v in chosen.layers) for v, n in values]
        if name == "status":
            values = _with(self._facets.statuses, chosen.statuses)
            return [(v, tr(f"status.{v}"), n, v in chosen.statuses) for v, n in values]
        picked = {value for _, value in chosen.tags}
        return [(value, value, count, value in picked) for value, count in self._tags]

    def _fill(self, name: str, menu: QMenu) -> None:
        menu.clear()
        for value, label, count, chosen in self._options(name):
            text = f"{label.replace('&', '&&')}\t{self._context.tr.number(count)}"
            entry = QAction(text, menu)
            entry.setCheckable(True)
            entry.setChecked(chosen)
            if name == "type":
                entry.setIcon(self._context.theme.type_icon(value))
            entry.triggered.connect(lambda on, v=value: self._toggle(name, v, on=on))
            menu.addAction(entry)

    def toggle(self, name: str, value: str) -> None:
        """Choose a value of a facet, or drop it."""
        chosen = next((on for found, _, _, on in self._options(name) if found == value), False)
        self._toggle(name, value, on=not chosen)

    def _toggle(self, name: str, value: str, *, on: bool) -> None:
        now = self._chosen
        match name:
            case "type":
                self._set(replace(now, types=now.types ^ {TypeId(value)}))
            case "layer":
                self._set(replace(now, layers=now.layers ^ {Layer(value)}))
            case "status":
                self._set(replace(now, statuses=now.statuses ^ {Status(value)}))
            case _:
                rest = tuple(tag for tag in now.tags if tag[1] != value)
                self._set(replace(now, tags=(*rest, (None, value)) if on else rest))

    def _set(self, chosen: MemoryFilter) -> None:
        self._chosen = chosen
        self._show()
        self.changed.emit(chosen)

    def _show(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        for name, button in self.buttons.items():
            options = self._options(name)
            labels = [label for _, label, _, chosen in options if chosen]
            title = tr(f"facet.{name}")
            text = tr("facet.chosen", name=title, values=tr("list.comma").join(labels)) if labels else title
            metrics = button.fontMetrics()
            button.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, theme.px(240)))
            button.setToolTip(tr("facet.tip", name=text))
            button.setAccessibleName(text)
            button.setIcon(theme.icon("mdi6.chevron-down", "secondary"))
            button.setIconSize(theme.icon_size)
            button.setCheckable(True)
            button.setChecked(bool(labels))
            button.setVisible(bool(options))
        document = tr("facet.chosen", name=tr("facet.document"), values=self._document_title)
        metrics = self.document_button.fontMetrics()
        self.document_button.setText(metrics.elidedText(document, Qt.TextElideMode.ElideRight, theme.px(280)))
        self.document_button.setToolTip(tr("facet.document.tip", name=document))
        self.document_button.setAccessibleName(document)
        self.document_button.setIcon(theme.icon("mdi6.close", "secondary"))
        self.document_button.setIconSize(theme.icon_size)
        self.document_button.setChecked(True)
        self.document_button.setVisible(self._chosen.document is not None)
        self.clear_button.setText(tr("facet.clear"))
        self.clear_button.setToolTip(tr("facet.clear.tip"))
        self.clear_button.setVisible(self.active)
        self.show_count(*self._shown)


def _with(
    counts: Mapping[str, int], chosen: frozenset[str] | frozenset[Layer] | frozenset[Status]
) -> list[tuple[str, int]]:
    """Counts, greatest first; chosen values without any are kept with 0."""
    full = {str(value): 0 for value in sorted(chosen)} | {str(key): count for key, count in counts.items()}
    return sorted(full.items(), key=lambda pair: (-pair[1], pair[0]))
