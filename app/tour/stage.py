"""What a step of the tour works with: the window, waiting, looking into the store, the camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QInputMethodEvent, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from core.domain.api import EngineApi
from core.domain.queries import Query
from core.settings import Settings
from ui.main_window import MainWindow
from ui.session import Session

T = TypeVar("T")
W = TypeVar("W", bound=QWidget)

PATIENCE_MS = 20_000
LOOK_MS = 25
SETTLE_MS = 350
SCHEMES = ("light", "dark")
SHADE = (0, 0, 0, 90)


class StepFailed(Exception):
    """What a step did is not what the store says."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a language model answers. Its key, when it needs one, is in `MEMORY_CURATOR_KEY_TOUR`."""

    url: str
    model: str = ""


class Stage:
    """One tour being played. `place`: a directory of its own for files and libraries."""

    def __init__(
        self, window: MainWindow, settings: Settings, place: Path, pictures: Path | None, endpoint: Endpoint
    ) -> None:
        self.window, self.place, self.endpoint = window, place, endpoint
        self._settings, self._pictures = settings, pictures
        self.notes: dict[str, object] = {}
        """What steps tell later steps, e.g. which memory was edited."""

    # --- waiting ---

    def pause(self, milliseconds: int = SETTLE_MS) -> None:
        """Let the window work."""
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def until(self, ready: Callable[[], bool], what: str, patience_ms: int = PATIENCE_MS) -> None:
        """Wait until something is so. Errors: StepFailed when it does not come."""
        waited = 0
        while not ready():
            if waited > patience_ms:
                raise StepFailed(f"waited in vain for {what}")
            self.pause(LOOK_MS)
            waited += LOOK_MS
        self._settle()

    def _settle(self) -> None:
        """Let what follows from it be drawn: until a person would look, or where nobody does until it is idle."""
        if self._pictures is not None or self.window.session is None:
            self.pause()
            return
        self.pause(LOOK_MS)
        tasks, waited = self.session.context.tasks, 0
        while tasks.busy and waited < SETTLE_MS:
            self.pause(LOOK_MS)
            waited += LOOK_MS

    def expect(self, found: object, wanted: object, what: str) -> None:
        """Errors: StepFailed when two things that should be equal are not."""
        if found != wanted:
            raise StepFailed(f"{what}: {found!r} instead of {wanted!r}")

    # --- the program ---

    @property
    def session(self) -> Session:
        """The open library's views. Errors: StepFailed when none is open."""
        if self.window.session is None:
            raise StepFailed("no library is open")
        return self.window.session

    @property
    def engine(self) -> EngineApi:
        """The open library's engine: what is really stored."""
        return self.session.context.engine

    def ask(self, query: Query[T]) -> T:
        """Ask the store, whatever the window shows."""
        return self.engine.ask(query)

    def act(self, action: str) -> None:
        """Use an action of the table, as its menu entry or shortcut would."""
        found = self.session.context.actions.get(action)
        if not found.isEnabled():
            raise StepFailed(f"the action {action} is not enabled")
        found.trigger()
        self.pause(LOOK_MS)

    def dialog(self, kind: type[W]) -> W:
        """The open dialog of that kind. Errors: StepFailed when none comes up."""
        self.until(lambda: any(isinstance(item, kind) for item in self._dialogs()), kind.__name__)
        return next(item for item in self._dialogs() if isinstance(item, kind))

    def no_dialog(self) -> None:
        """Wait until all dialogs are closed."""
        self.until(lambda: not self._dialogs(), "the dialog to close")

    def type_into(self, widget: QWidget, text: str) -> None:
        """Put the focus on a field and type; Chinese comes as an input method would give it."""
        widget.setFocus()
        if text.isascii():
            QTest.keyClicks(widget, text)
        else:
            event = QInputMethodEvent()
            event.setCommitString(text)
            QApplication.sendEvent(widget, event)
        self.pause(LOOK_MS)

    def click(self, widget: QWidget) -> None:
        """Click the middle of a widget."""
        QTest.mouseClick(
            widget, Qt.MouseButton.LeftButton, pos=QPoint(widget.width() // 2, widget.height() // 2)
        )
        self.pause(LOOK_MS)

    # --- the camera ---

    def _dialogs(self) -> list[QDialog]:
        return [
            widget
            for widget in QApplication.topLevelWidgets()
            if isinstance(widget, QDialog) and widget.isVisible()
        ]

    def photograph(self, name: str) -> None:
        """A picture of the window (with its dialog) in each colour scheme."""
        if self._pictures is None:
            return
        language = self._settings.text("language")
        for scheme in (*SCHEMES[1:], SCHEMES[0]):
            self._settings.set("theme", scheme)
            self.pause()
            self._take().save(str(self._pictures / f"{name}-{language}-{scheme}.png"))

    def _take(self) -> QPixmap:
        picture = self.window.grab()
        dialogs = self._dialogs()
        if dialogs:
            painter = QPainter(picture)
            shade = picture.rect()
            painter.fillRect(shade, QColor(*SHADE))
            for dialog in dialogs:
                shot = dialog.grab()
                corner = shade.center() - QPoint(dialog.width() // 2, dialog.height() // 2)
                painter.drawPixmap(corner, shot)
            painter.end()
        return picture
