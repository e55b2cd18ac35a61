"""The backups: make, look at, verify, restore, remove."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.errors import BadFile
from core.domain.health import Backup, BackupCheck
from core.domain.queries_health import Backups, DeleteBackup, MakeBackup, VerifyBackup
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.health.parts import size_text
from ui.widgets.state_stack import StateStack

WHEN, REASON, HOLDS, SIZE, STATE = range(5)


class BackupsTab(QWidget):
    """`restore_wanted(name)`: bring a backup back, which closes and opens the library. `changed`: others now."""

    restore_wanted = Signal(str)
    changed = Signal()

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self.backups: tuple[Backup, ...] = ()
        self._checks: dict[str, BackupCheck] = {}
        self.said = QLabel()
        self.said.setProperty("role", "secondary")
        self.make_button, self.verify_button = QPushButton(), QPushButton()
        self.restore_button, self.delete_button = QPushButton(), QPushButton()
        self.make_button.setProperty("primary", "true")
        self.make_button.clicked.connect(self.make)
        self.verify_button.clicked.connect(self.verify)
        self.restore_button.clicked.connect(self.restore)
        self.delete_button.clicked.connect(self.delete)
        needs_writing(self._context, self.make_button, self.restore_button, self.delete_button)
        self.table = self._make_table()
        self.stack = StateStack(self.table)
        self._lay_out()

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(self._context.theme.row_px)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(REASON, QHeaderView.ResizeMode.Stretch)
        table.itemSelectionChanged.connect(self._enable)
        return table

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setProperty("role", "toolbar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.said, 1)
        for button in (self.verify_button, self.restore_button, self.delete_button, self.make_button):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.stack, 1)

    # --- reading -------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list again."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[Backup, ...]:
            return engine.ask(Backups(), cancel=cancel)

        self.stack.show_loading(self._context.tr("state.loading"))
        self._context.tasks.run(Lane.READ, ask, self._show, owner=self, query="backups", failed=self._fail)

    def _show(self, backups: tuple[Backup, ...]) -> None:
        self.backups = backups
        self.say()

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    def say(self) -> None:
        """All texts anew."""
        tr, current = self._context.tr, self._current()
        self.table.setHorizontalHeaderLabels(
            [tr(f"health.backups.{name}") for name in ("when", "reason", "holds", "size", "state")]
        )
        self.table.setAccessibleName(tr("health.tab.backups"))
        for button, name in (
            (self.make_button, "make"),
            (self.verify_button, "verify"),
            (self.restore_button, "restore"),
            (self.delete_button, "delete"),
        ):
            button.setText(tr(f"health.backups.{name}.do"))
            button.setToolTip(tr(f"health.backups.{name}.tip"))
        total = sum(backup.bytes for backup in self.backups)
        self.said.setText(
            tr("health.backups.total", count=len(self.backups), size=size_text(self._context, total))
        )
        self.table.setRowCount(len(self.backups))
        for at, backup in enumerate(self.backups):
            self._fill_row(at, backup)
            if current is not None and backup.name == current.name:
                self.table.selectRow(at)
        if self.backups:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("health.backups.none"), tr("health.backups.make.do"), self.make)
        self._enable()

    def _fill_row(self, at: int, backup: Backup) -> None:
        tr, theme = self._context.tr, self._context.theme
        when = QTableWidgetItem(tr.relative(backup.at))
        when.setToolTip(tr.exact(backup.at))
        reason = QTableWidgetItem(tr(f"backup.reason.{backup.reason.value}"))
        reason.setToolTip(backup.name)
        memories = backup.counts.get("memory")
        holds = QTableWidgetItem("" if memories is None else tr("health.backups.memories", count=memories))
        size = QTableWidgetItem(size_text(self._context, backup.bytes))
        size.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        state = QTableWidgetItem("")
        check = self._checks.get(backup.name)
        if check is not None:
            name, color = ("mdi6.check-circle", "ok") if check.whole else ("mdi6.close-circle", "danger")
            state.setIcon(theme.icon(name, color))
            said = [tr(key) for key in check.problems] or [tr("health.backups.whole")]
            state.setText(" ".join(said))
            state.setToolTip("\n".join([*said, check.details]).strip())
        for column, item in ((WHEN, when), (REASON, reason), (HOLDS, holds), (SIZE, size), (STATE, state)):
            self.table.setItem(at, column, item)

    # --- doing ---------------------------------------------------------------------------

    def _current(self) -> Backup | None:
        rows = self.table.selectionModel().selectedRows()
        at = rows[0].row() if rows else -1
        return self.backups[at] if 0 <= at < len(self.backups) else None

    def _enable(self) -> None:
        there = self._current() is not None
        for button in (self.verify_button, self.restore_button, self.delete_button):
            button.setEnabled(there)

    def make(self) -> None:
        """Back up now."""
        engine, tr = self._context.engine, self._context.tr

        def work(_progress: Report, cancel: Cancel) -> Backup:
            return engine.ask(MakeBackup(), cancel=cancel)

        def done(backup: Backup) -> None:
            size = size_text(self._context, backup.bytes)
            self._operations.said.emit(tr("health.backups.made", size=size), False)
            self._others()

        self._context.tasks.run(
            Lane.NET,
            work,
            done,
            owner=self,
            label="health.backups.making",
            failed=self._operations.show_error,
        )

    def verify(self) -> None:
        """Read a backup through and compare it with its manifest."""
        backup, engine = self._current(), self._context.engine
        if backup is None:
            return

        def work(_progress: Report, cancel: Cancel) -> BackupCheck:
            return engine.ask(VerifyBackup(backup.name), cancel=cancel)

        def done(check: BackupCheck) -> None:
            self._checks[check.backup.name] = check
            self.say()

        self._context.tasks.run(
            Lane.NET, work, done, owner=self, label="health.backups.verifying",
            failed=self._operations.show_error,
        )  # fmt: skip

    def restore(self) -> None:
        """Say what will happen, then bring it back."""
        backup = self._current()
        if backup is not None:
            dialog = RestoreDialog(self._context, backup, self.window())
            dialog.accepted.connect(lambda: self._restore(backup))
            dialog.open()

    def _restore(self, backup: Backup) -> None:
        """Nothing is closed for a backup that is not whole."""
        engine = self._context.engine

        def done(check: BackupCheck) -> None:
            self._checks[backup.name] = check
            self.say()
            if check.whole:
                self.restore_wanted.emit(backup.name)
            else:
                error = BadFile("error.backup.not_whole", file=backup.name, details=check.details)
                self._operations.show_error(error)

        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(VerifyBackup(backup.name), cancel=cancel),
            done,
            owner=self,
            label="health.backups.verifying",
            failed=self._operations.show_error,
        )

    def delete(self) -> None:
        """Remove a backup for ever, after asking once."""
        backup = self._current()
        if backup is not None:
            dialog = DeleteDialog(self._context, backup, self.window())
            dialog.accepted.connect(lambda: self._delete(backup.name))
            dialog.open()

    def _delete(self, name: str) -> None:
        engine = self._context.engine
        self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(DeleteBackup(name), cancel=cancel),
            lambda _done: self._others(),
            owner=self,
            failed=self._operations.show_error,
        )

    def _others(self) -> None:
        self.refresh()
        self.changed.emit()


class _AskDialog(QDialog):
    """One question, the way out and the way back."""

    def __init__(self, context: Context, backup: Backup, name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        tr = context.tr
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr(f"health.backups.{name}.title"))
        self.setMinimumWidth(context.theme.wide(440))
        when = tr.exact(backup.at)
        text = QLabel(tr(f"health.backups.{name}.ask", when=when, count=backup.counts.get("memory", 0)))
        text.setWordWrap(True)
        box = QDialogButtonBox()
        self.do = box.addButton(tr(f"health.backups.{name}.do"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.cancel = box.addButton(tr("dialog.cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(text)
        column.addWidget(box)


class RestoreDialog(_AskDialog):
    """What a restore does, before it does it."""

    def __init__(self, context: Context, backup: Backup, parent: QWidget | None = None) -> None:
        super().__init__(context, backup, "restore", parent)
        self.do.setDefault(True)


class DeleteDialog(_AskDialog):
    """A removed backup cannot be brought back."""

    def __init__(self, context: Context, backup: Backup, parent: QWidget | None = None) -> None:
        super().__init__(context, backup, "delete", parent)
        self.do.setProperty("danger", "true")
        self.cancel.setDefault(True)
