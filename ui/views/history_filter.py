"""Which changes the history lists: by whom, about what, in which folder, with which words."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.enums import ActorKind, Kind
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.queries_history import OpFilter, Writers
from core.domain.results import FolderNode
from ui.context import Context
from ui.language import isolate
from ui.tasks import Lane, single_shot

TYPING_MS = 250
ABOUT: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("all", frozenset()),
    ("memories", frozenset({Kind.MEMORY})),
    ("tags", frozenset({Kind.TAG, Kind.ALIAS})),
    ("relations", frozenset({Kind.EDGE})),
    ("folders", frozenset({Kind.FOLDER})),
    ("chats", frozenset({Kind.MESSAGE, Kind.MEMO})),
    ("documents", frozenset({Kind.DOCUMENT})),
    ("types", frozenset({Kind.MEMORY_TYPE, Kind.RELATION_TYPE})),
)
Found = tuple[tuple[tuple[ActorKind, str], ...], tuple[FolderNode, ...]]


class HistoryFilter(QWidget):
    """`changed` when another filter is chosen."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._found: Found = ((), ())
        self.setProperty("role", "toolbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = QLineEdit()
        self.words.setClearButtonEnabled(True)
        self.who, self.about, self.folder = QComboBox(), QComboBox(), QComboBox()
        for name, _kinds in ABOUT:
            self.about.addItem("", name)
        self.clear_button = QToolButton()
        self.clear_button.clicked.connect(self.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        for box in (self.who, self.about, self.folder):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(context.theme.px(220))
            box.activated.connect(lambda _index: self._on_choice())
            row.addWidget(box)
        row.addWidget(self.clear_button)
        soon = single_shot(self, TYPING_MS, self._on_choice)
        self.words.textChanged.connect(lambda _text: soon.start())
        context.theme.bind(self, self.say)

    def filter(self, limit: int) -> OpFilter:
        """What is chosen."""
        who, folder = self.who.currentData(), self.folder.currentData()
        return OpFilter(
            limit=limit,
            writer=None if who is None else (ActorKind(who[0]), str(who[1])),
            kinds=dict(ABOUT)[str(self.about.currentData())],
            folder=None if folder is None else FolderPk(folder),
            words=self.words.text(),
        )

    def clear(self) -> None:
        """All changes again."""
        self.words.clear()
        for box in (self.who, self.about, self.folder):
            box.setCurrentIndex(0)
        self._on_choice()

    def refresh(self) -> None:
        """Read writers and folders again."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> Found:
            return engine.ask(Writers(), cancel=cancel), engine.ask(Folders(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._take, owner=self, query="choices", failed=lambda _error: None
        )

    def _take(self, found: Found) -> None:
        self._found = found
        self.say()

    def _on_choice(self) -> None:
        self.clear_button.setEnabled(self.filter(1).narrow)
        self.changed.emit()

    def say(self) -> None:
        """All texts anew; what is chosen stays chosen."""
        tr = self._context.tr
        writers, nodes = self._found
        who: list[tuple[str, object]] = [(tr("history.who.all"), None)]
        for kind, name in writers:
            words = tr("op.by_person") if kind is ActorKind.PERSON else isolate(name) or tr("op.by_program")
            who.append((words, (kind.value, name)))
        folders: list[tuple[str, object]] = [(tr("history.folder.all"), None)]
        folders += [(node.folder.name, int(node.folder.pk)) for node in nodes]
        for box, items in ((self.who, who), (self.folder, folders)):
            chosen = box.currentData()
            box.clear()
            for words, data in items:
                box.addItem(words, data)
            at = next((at for at, (_, data) in enumerate(items) if data == chosen), 0)
            box.setCurrentIndex(at)
        for at, (name, _kinds) in enumerate(ABOUT):
            self.about.setItemText(at, tr(f"history.about.{name}"))
        self.words.setPlaceholderText(tr("history.words"))
        for widget, key in (
            (self.words, "history.words"),
            (self.who, "history.who"),
            (self.about, "history.about"),
            (self.folder, "history.folder"),
        ):
            widget.setAccessibleName(tr(key))
            widget.setToolTip(tr(key))
        self.clear_button.setIcon(self._context.theme.icon("mdi6.filter-remove-outline"))
        self.clear_button.setToolTip(tr("history.clear_filter"))
        self.clear_button.setAccessibleName(tr("history.clear_filter"))
        self.clear_button.setEnabled(self.filter(1).narrow)
