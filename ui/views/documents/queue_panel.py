"""The queue of files: how far it is and how fast, a row a file, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.domain.document import DocumentRow, FileState, QueueRow
from core.domain.queries_documents import QueueAction
from core.domain.queries_drop import QueueView
from ui.context import Context
from ui.models.queue_table import QueueColumn, QueueTable
from ui.queue_worker import QueueWorker, Rate
from ui.read_only import entries_need_writing, needs_writing

ENCODINGS = ("utf-8", "gb18030", "big5", "shift_jis", "euc-kr", "utf-16", "windows-1252", "windows-1251")
_ENDED = (FileState.DONE, FileState.SAME, FileState.SKIPPED, FileState.FAILED, FileState.CANCELLED)
_FORGOTTEN = (FileState.DONE, FileState.SAME, FileState.SKIPPED, FileState.CANCELLED)
_FITS: Mapping[QueueAction, tuple[FileState, ...]] = {
    QueueAction.PAUSE: (FileState.WAITING,),
    QueueAction.RESUME: (FileState.PAUSED,),
    QueueAction.CANCEL: (FileState.WAITING, FileState.READING, FileState.WRITING, FileState.PAUSED),
    QueueAction.RETRY: (FileState.FAILED,),
    QueueAction.CLEAR: _FORGOTTEN,
}
_ICONS: Mapping[QueueAction, str] = {
    QueueAction.PAUSE: "mdi6.pause",
    QueueAction.RESUME: "mdi6.play",
    QueueAction.CANCEL: "mdi6.close",
    QueueAction.RETRY: "mdi6.refresh",
    QueueAction.CLEAR: "mdi6.broom",
}


class QueuePanel(QWidget):
    """`cut_wanted(QueueRow)`: show its pieces with other settings; `opened(document)`: go to what came of it."""

    cut_wanted = Signal(object)
    opened = Signal(int)

    def __init__(self, ctx: Context, worker: QueueWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._worker = ctx, worker
        self._view = QueueView({}, ())
        self._embedding, self._embed_rate = 0, Rate()
        self.setProperty("surface", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.said.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.buttons = {action: self._button(action) for action in QueueAction}
        self.model = QueueTable(ctx, self)
        self.table = self._make_table()
        self._lay_out()
        worker.viewed.connect(self.show_view)
        ctx.tr.changed.connect(self._say)
        ctx.tr.changed.connect(self._say_heads)
        ctx.theme.bind(self, self._look)
        self.show_view(worker.view)

    def _button(self, action: QueueAction) -> QPushButton:
        button = QPushButton()
        button.setProperty("flat", "true")
        button.setObjectName(f"queue.{action.value}")
        button.clicked.connect(lambda: self._worker.change(action, self._meant(action)))
        needs_writing(self._ctx, button)
        return button

    def _meant(self, action: QueueAction) -> tuple[int, ...] | None:
        """Failed ones are retried alone: questions and cancelled files stay."""
        if action is not QueueAction.RETRY:
            return None
        return tuple(row.pk for row in self._view.rows if row.state is FileState.FAILED)

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head = table.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QueueColumn.STATE, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(QueueColumn.FILE, self._ctx.theme.px(220))
        table.setColumnWidth(QueueColumn.FOLDER, self._ctx.theme.px(112))
        table.customContextMenuRequested.connect(self._menu)
        for used in (table.activated, table.clicked):
            used.connect(lambda index: self._open(self.model.row(index.row())))
        return table

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 8, 4)
        head.setSpacing(4)
        head.addWidget(self.said, 1)
        for action in (
            QueueAction.PAUSE,
            QueueAction.RESUME,
            QueueAction.RETRY,
            QueueAction.CANCEL,
            QueueAction.CLEAR,
        ):
            head.addWidget(self.buttons[action])
        under = QVBoxLayout()
        under.setContentsMargins(12, 0, 12, 4)
        under.addWidget(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(under)
        column.addWidget(self.table, 1)

    # --- what is shown ---

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the queue."""
        return not any(self._view.counts.values())

    def show_view(self, view: QueueView) -> None:
        """Show how the queue stands."""
        kept = {self.model.row(index.row()).pk for index in self.table.selectionModel().selectedRows()}
        self._view = view
        self.model.show(view)
        for pk in kept:
            if (at := self.model.position(pk)) >= 0 and not self.table.selectionModel().isRowSelected(at):
                self.table.selectRow(at)
        self._say()

    def show_documents(self, documents: tuple[DocumentRow, ...]) -> None:
        """How much of the documents waits for the index."""
        self._embedding = sum(row.waiting for row in documents)
        self._embed_rate.saw(self._embedding)
        self.model.show_documents(documents)
        self._say()

    def _say(self) -> None:
        tr, counts, view = self._ctx.tr, self._view.counts, self._view
        total = sum(counts.values()) - counts.get(FileState.QUESTION, 0)
        ended = sum(counts.get(state, 0) for state in _ENDED)
        self.table.setAccessibleName(tr("queue.title"))
        self.bar.setRange(0, max(total, 1))
        self.bar.setValue(ended)
        self.bar.setVisible(bool(view.open))
        parts = []
        if view.open:
            rate = self._worker.rate.per_second
            parts.append(tr("queue.progress", done=tr.number(ended), total=tr.number(total)))
            if rate > 0:
                parts.append(tr("queue.rate", rate=tr.number(round(rate, 1))))
        if self._embedding:
            parts.append(tr("queue.embedding_left", count=self._embedding))
            if (rate := self._embed_rate.per_second) > 0:
                parts.append(tr("queue.embedding_rate", rate=tr.number(round(rate, 1))))
        parts += [
            tr(f"queue.count.{state.value}", count=counts[state])
            for state in (
                FileState.PAUSED,
                FileState.DONE,
                FileState.SAME,
                FileState.SKIPPED,
                FileState.FAILED,
                FileState.QUESTION,
            )
            if counts.get(state)
        ]
        hidden = sum(counts.values()) - len(view.rows)
        if hidden > 0:
            parts.append(tr("queue.more", count=hidden))
        self.said.setText(" · ".join(parts))
        for action, button in self.buttons.items():
            button.setText(tr(f"queue.{action.value}"))
            button.setToolTip(tr(f"queue.{action.value}.tip"))
            button.setVisible(any(counts.get(state) for state in _FITS[action]))

    def _say_heads(self) -> None:
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.model.columnCount() - 1)

    def _look(self) -> None:
        theme = self._ctx.theme
        self.bar.setFixedHeight(theme.px(4))
        self.table.verticalHeader().setDefaultSectionSize(theme.row_px)
        for action, button in self.buttons.items():
            button.setIcon(theme.icon(_ICONS[action], "secondary"))
            button.setIconSize(theme.icon_size)

    # --- single rows ---

    def selected(self) -> tuple[QueueRow, ...]:
        """The selected rows."""
        return tuple(self.model.row(index.row()) for index in self.table.selectionModel().selectedRows())

    def _open(self, row: QueueRow) -> None:
        if row.document is not None:
            self.opened.emit(row.document)

    def _menu(self, place: QPoint) -> None:
        rows = self.selected()
        if not rows:
            return
        menu = self.menu_for(rows)
        menu.popup(self.table.viewport().mapToGlobal(place))

    def menu_for(self, rows: tuple[QueueRow, ...]) -> QMenu:
        """What can be done with these rows."""
        tr, theme = self._ctx.tr, self._ctx.theme
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(rows) == 1 and rows[0].document is not None:
            menu.addAction(tr("queue.open"), lambda: self._open(rows[0]))
        if len(rows) == 1 and _can_be_cut(rows[0]):
            cut = menu.addAction(
                theme.icon("mdi6.content-cut"), tr("queue.cut"), lambda: self.cut_wanted.emit(rows[0])
            )
            entries_need_writing(self._ctx, menu, cut)
        if len(rows) == 1 and rows[0].encoding and not rows[0].file.imports:
            self._offer_encodings(menu, rows[0])
        for action in QueueAction:
            fits = tuple(row.pk for row in rows if row.state in (*_FITS[action], *_more(action)))
            if fits:
                entry = menu.addAction(theme.icon(_ICONS[action]), tr(f"queue.{action.value}"))
                entry.triggered.connect(partial(self._change, action, fits))
                entries_need_writing(self._ctx, menu, entry)
        return menu

    def _change(self, action: QueueAction, rows: tuple[int, ...], _checked: bool = False) -> None:
        self._worker.change(action, rows)

    def _offer_encodings(self, menu: QMenu, row: QueueRow) -> None:
        """A text that reads wrong is read again; it becomes a new version of its document."""
        tr = self._ctx.tr
        others = menu.addMenu(
            self._ctx.theme.icon("mdi6.format-letter-case"), tr("queue.encoding", encoding=row.encoding)
        )
        entries_need_writing(self._ctx, menu, others.menuAction())
        for name in ENCODINGS:
            if name != row.encoding:
                others.addAction(name, partial(self._worker.answer, row.pk, encoding=name))


def _can_be_cut(row: QueueRow) -> bool:
    return not row.file.imports and row.document is None and row.state is not FileState.SKIPPED


def _more(action: QueueAction) -> tuple[FileState, ...]:
    """States that an action takes too when a person names the rows."""
    if action is QueueAction.RETRY:
        return (FileState.CANCELLED, FileState.QUESTION)
    return (FileState.QUESTION,) if action is QueueAction.CANCEL else ()
