"""What runs in the background: name, progress, cancel; shown only when it takes a while."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QToolButton, QWidget

from ui.language import Language
from ui.tasks import Task, TaskRunner, single_shot
from ui.theme import Theme

SHOW_AFTER_MS = 400
BAR_PX = 120


class TaskStrip(QWidget):
    """Shows the oldest named task; its cancel button stops it."""

    def __init__(self, tasks: TaskRunner, tr: Language, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tr, self._theme = tr, theme
        self._tasks: list[Task[object]] = []
        self.label = QLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.cancel = QToolButton()
        self.cancel.clicked.connect(self._cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.label, self.bar, self.cancel):
            row.addWidget(widget)
        self._late = single_shot(self, SHOW_AFTER_MS, self._show)
        tasks.started.connect(self._on_started)
        tasks.progressed.connect(self._on_progress)
        tasks.ended.connect(self._on_ended)
        theme.bind(self, self._look)
        tr.changed.connect(self._show)
        self.hide()

    def _on_started(self, task: Task[object]) -> None:
        if task.label:
            self._tasks.append(task)
            if not self.isVisible() and not self._late.isActive():
                self._late.start()

    def _on_progress(self, task: Task[object]) -> None:
        if self.isVisible() and self._tasks and task is self._tasks[0]:
            self._show()

    def _on_ended(self, task: Task[object]) -> None:
        if task in self._tasks:
            self._tasks.remove(task)
            if not self._tasks:
                self._late.stop()
                self.hide()
            elif self.isVisible():
                self._show()

    def _show(self) -> None:
        if not self._tasks:
            return
        task = self._tasks[0]
        done, total = task.progress
        text = self._tr(task.label, **task.label_args)
        if total:
            text = self._tr(
                "task.progress", name=text, done=self._tr.number(done), total=self._tr.number(total)
            )
        self.label.setText(text)
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.cancel.setToolTip(self._tr("task.cancel"))
        self.cancel.setAccessibleName(self._tr("task.cancel"))
        self.show()

    def _cancel(self) -> None:
        if self._tasks:
            self._tasks[0].cancel()
            self.label.setText(self._tr("task.cancelling"))

    def _look(self) -> None:
        self.bar.setFixedSize(self._theme.px(BAR_PX), self._theme.px(6))
        self.cancel.setIcon(self._theme.icon("mdi6.close"))
        self.cancel.setIconSize(self._theme.icon_size)
