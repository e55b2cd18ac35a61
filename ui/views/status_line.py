"""The line below the page: what undo takes back, what waits for the index, tasks, health."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from core.domain.health import HealthState, Level
from core.domain.results import UndoState
from ui.actions import Actions
from ui.language import Language
from ui.tasks import TaskRunner, single_shot
from ui.theme import Theme
from ui.views.op_words import op_name
from ui.widgets.task_strip import TaskStrip

SAY_MS = 6000
LIGHTS = {
    Level.GOOD: ("mdi6.check-circle", "ok"),
    Level.LOOK: ("mdi6.alert", "warning"),
    Level.BAD: ("mdi6.close-circle", "danger"),
}


class StatusLine(QWidget):
    """Says what happened for a while; the rest is always in sight."""

    def __init__(
        self, actions: Actions, tasks: TaskRunner, tr: Language, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tr, self._theme = tr, theme
        self._state = UndoState(None, None)
        self._waiting = 0
        self._health: HealthState | None = None
        self.setProperty("surface", "window")
        self.setProperty("edge", "top")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.undo = QToolButton()
        self.undo.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.undo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.undo.clicked.connect(actions.get("edit.undo").trigger)
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setProperty("role", "secondary")
        self.said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.waiting = QLabel()
        self.waiting.setProperty("role", "secondary")
        self.tasks = TaskStrip(tasks, tr, theme)
        self.health = QToolButton()
        self.health.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.health.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.health.clicked.connect(actions.get("library.health").trigger)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 12, 2)
        row.setSpacing(12)
        row.addWidget(self.undo)
        row.addWidget(self.said, 1)
        for widget in (self.tasks, self.waiting, self.health):
            row.addWidget(widget)
        self._fade = single_shot(self, SAY_MS, self.said.clear)
        tr.changed.connect(self._show)
        theme.bind(self, self._show)

    def say(self, text: str) -> None:
        """Say for a few seconds what happened."""
        self.said.setText(text)
        self.said.setToolTip(text)
        self.said.setAccessibleName(text)
        self._fade.start()

    def show_undo(self, state: UndoState) -> None:
        """Name what undo takes back."""
        self._state = state
        self._show()

    def show_waiting(self, count: int) -> None:
        """How many memories wait for the index."""
        self._waiting = count
        self._show()

    def show_health(self, state: HealthState) -> None:
        """Colour the light, and say why."""
        self._health = state
        self._show()

    def _show(self) -> None:
        tr, theme = self._tr, self._theme
        undo = self._state.undo
        self.undo.setVisible(undo is not None)
        if undo is not None:
            text = tr("status.undo", name=op_name(undo, tr))
            shown = self.undo.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, theme.px(360))
            self.undo.setText(shown.replace("&", "&&"))
            self.undo.setAccessibleName(text)
            self.undo.setToolTip(tr("status.undo.tip", name=text))
        self.undo.setIcon(theme.icon("mdi6.undo"))
        self.waiting.setText(tr("status.waiting", count=self._waiting))
        self.waiting.setToolTip(tr("status.waiting.tip"))
        self.waiting.setVisible(self._waiting > 0)
        self._show_light()
        for button in (self.undo, self.health):
            button.setIconSize(theme.icon_size)

    def _show_light(self) -> None:
        tr, theme, state = self._tr, self._theme, self._health
        if state is None:
            icon, color, text, tip = "mdi6.heart-pulse", "secondary", tr("health.page"), tr("health.page")
        else:
            icon, color = LIGHTS[state.level]
            text = tr(f"health.level.{state.level.value}")
            reasons = [tr(reason.key, **dict(reason.args)) for reason in state.reasons]
            tip = "\n".join([tr(f"health.level.{state.level.value}.tip"), *reasons])
        self.health.setIcon(theme.icon(icon, color))
        self.health.setText(text)
        self.health.setToolTip(tip)
        self.health.setAccessibleDescription(tip)
