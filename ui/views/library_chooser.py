"""The first start, and whenever no library is open: sample, new, open, import, recent; language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.language import Language, isolate
from ui.libraries import RecentLibrary
from ui.theme import Theme

COLUMN_PX, EDGE_PX = 560, 16
WAYS = (
    ("sample", "mdi6.flask-outline"),
    ("new", "mdi6.plus-box-outline"),
    ("open", "mdi6.folder-open-outline"),
    ("import_file", "mdi6.file-import-outline"),
    ("import_directory", "mdi6.folder-search-outline"),
)
LANGUAGES = (("en", "English"), ("zh_CN", "中文"))


class LibraryChooser(QScrollArea):
    """`wanted(way)` for one of WAYS or `reset_sample`; `opened`, `read_only_wanted`, `forgotten(Path)` for recent ones."""

    wanted = Signal(str)
    opened = Signal(object)
    forgotten = Signal(object)
    read_only_wanted = Signal(object)
    language_wanted = Signal(str)

    def __init__(self, tr: Language, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tr, self._theme = tr, theme
        self._recent: tuple[RecentLibrary, ...] = ()
        self._sample_there = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.ways: dict[str, QPushButton] = {}
        self._build()
        tr.changed.connect(self._say)
        theme.bind(self, self._say)

    def _build(self) -> None:
        inner = QWidget()
        inner.setProperty("surface", "base")
        inner.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QWidget()
        self._column.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(self._column)
        column.setSpacing(8)
        self._title, self._lead = QLabel(), QLabel()
        self._title.setProperty("role", "title")
        self._lead.setProperty("role", "secondary")
        self._lead.setWordWrap(True)
        column.addLayout(self._head())
        column.addWidget(self._lead)
        column.addSpacing(16)
        for way, _icon in WAYS:
            button_way = QPushButton()
            button_way.setProperty("card", "true")
            button_way.setObjectName(f"way.{way}")
            button_way.clicked.connect(lambda _checked=False, w=way: self.wanted.emit(w))
            self.ways[way] = button_way
            column.addWidget(button_way)
        self.ways["sample"].setProperty("primary", "true")
        self.reset = QPushButton()
        self.reset.setProperty("flat", "true")
        self.reset.clicked.connect(lambda: self.wanted.emit("reset_sample"))
        column.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(16)
        self._recent_title = QLabel()
        self._recent_title.setProperty("role", "large")
        column.addWidget(self._recent_title)
        self._recent_rows = QVBoxLayout()
        self._recent_rows.setSpacing(2)
        column.addLayout(self._recent_rows)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._column)
        row.addStretch(1)
        outer = QVBoxLayout(inner)
        outer.addStretch(2)
        outer.addLayout(row)
        outer.addStretch(3)
        self.setWidget(inner)

    def _head(self) -> QHBoxLayout:
        """The title and the language switch."""
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        self._languages = QButtonGroup(self)
        for code, name in LANGUAGES:
            button = QToolButton()
            button.setText(name)
            button.setProperty("chip", "true")
            button.setCheckable(True)
            button.setChecked(code == self._tr.code)
            button.setObjectName(f"language.{code}")
            button.clicked.connect(lambda _checked=False, c=code: self.language_wanted.emit(c))
            self._languages.addButton(button)
            head.addWidget(button)
        return head

    def show_recent(self, recent: Sequence[RecentLibrary], *, sample_there: bool) -> None:
        """List libraries that were open; the sample can be reset once there is a copy."""
        self._recent, self._sample_there = tuple(recent), sample_there
        self._say()

    def _say(self) -> None:
        tr, theme = self._tr, self._theme
        self._fit()
        self._title.setText(tr("chooser.title"))
        self._lead.setText(tr("chooser.lead"))
        for button in self._languages.buttons():
            button.setChecked(button.objectName() == f"language.{tr.code}")
        for way, icon in WAYS:
            button_way = self.ways[way]
            primary = way == "sample"
            button_way.setText(tr(f"chooser.{way}"))
            button_way.setToolTip(tr(f"chooser.{way}.tip"))
            button_way.setIcon(theme.icon(icon, "on_accent" if primary else "text"))
            button_way.setIconSize(theme.icon_size)
        self.reset.setText(tr("chooser.reset_sample"))
        self.reset.setToolTip(tr("chooser.reset_sample.tip"))
        self.reset.setVisible(self._sample_there)
        self._recent_title.setText(tr("chooser.recent"))
        self._recent_title.setVisible(bool(self._recent))
        self._fill_recent()

    def _fit(self) -> None:
        """As wide as the design says, or as there is room."""
        self._column.setFixedWidth(min(self._theme.px(COLUMN_PX), self.viewport().width() - 2 * EDGE_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fill_recent(self) -> None:
        while (item := self._recent_rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for library in self._recent:
            self._recent_rows.addWidget(self._recent_row(library))

    def _recent_row(self, library: RecentLibrary) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        text = f"{isolate(library.name)}  ·  {isolate(_short(library.path))}"
        if not library.there:
            text = self._tr("chooser.gone", name=text)
        button = QPushButton(text)
        button.setProperty("card", "true")
        button.setProperty("flat", "true")
        button.setIcon(self._theme.icon("mdi6.database-outline", "secondary"))
        button.setIconSize(self._theme.icon_size)
        button.setToolTip(str(library.path))
        button.setEnabled(library.there)
        button.clicked.connect(lambda: self.opened.emit(library.path))
        forget = QToolButton()
        forget.setIcon(self._theme.icon("mdi6.close", "secondary"))
        forget.setToolTip(self._tr("chooser.forget"))
        forget.setAccessibleName(self._tr("chooser.forget"))
        forget.clicked.connect(lambda: self.forgotten.emit(library.path))
        look = QToolButton()
        look.setObjectName("chooser.read_only")
        look.setIcon(self._theme.icon("mdi6.eye-outline", "secondary"))
        look.setToolTip(self._tr("chooser.read_only"))
        look.setAccessibleName(self._tr("chooser.read_only"))
        look.setEnabled(library.there)
        look.clicked.connect(lambda: self.read_only_wanted.emit(library.path))
        line.addWidget(button, 1)
        line.addWidget(look)
        line.addWidget(forget)
        return row


def _short(path: Path) -> str:
    """The directory around a library, with the home directory as ~."""
    home = Path.home()
    around = path.parent
    return f"~/{around.relative_to(home).as_posix()}" if around.is_relative_to(home) else str(around)
