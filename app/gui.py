"""The window's door: application, theme, services, one window; errors that nobody caught."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTimer, QTranslator
from PySide6.QtWidgets import QApplication

from app import STARTED, container, crash, library_place, logbook, paths
from app.gui_libraries import GuiLibraries
from app.window_call import WindowServer, call_window
from core.domain.access import ReadOnly
from core.settings import Settings
from ui.clipboard import leave_plain
from ui.icons import font_icon
from ui.idle_gc import IdleCollector
from ui.language import Language
from ui.look_actions import language_of
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme

ALREADY_OPEN = 0
"""Exit code of a start that only brought the other window to the front: what was asked for is there."""
DOUBLE_START_S = 3.0
"""Starts that close together are one wish (a double click on the icon); a later one is asked what it wants."""
PYTHON_TURN_MS = 500
ICON_PX = 64


class QtTexts(QObject):
    """Qt's own words (buttons, menus of text fields) in the language of the window."""

    def __init__(self, app: QApplication, tr: Language) -> None:
        super().__init__(app)
        self._app, self._tr = app, tr
        self._translator = QTranslator(self)
        tr.changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Load the texts of the present language."""
        self._app.removeTranslator(self._translator)
        place = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        QLocale.setDefault(self._tr.locale)
        if self._translator.load(f"qtbase_{self._tr.code}", place):
            self._app.installTranslator(self._translator)


def application(arguments: list[str]) -> QApplication:
    """The one QApplication, named and with its icon."""
    running = QApplication.instance()
    app = running if isinstance(running, QApplication) else QApplication(arguments)
    app.setApplicationName("memory-curator")
    app.setApplicationDisplayName("Memory Curator")
    app.setDesktopFileName("memory-curator")
    icon = font_icon("mdi6.cards", "#1B5FCC", "#5B6472", ICON_PX)
    app.setWindowIcon(icon)
    return app


def main(library: Path | None = None, *, read_only: bool = False) -> int:
    """Open the window; a double start brings the first to the front instead. Returns the exit code."""
    settings = container.load_settings()
    path = start_path(library, settings)
    app = application(sys.argv[:1])
    asked = ReadOnly.ASKED if read_only else None
    if path is not None and asked is None and was_double_start(path):
        return ALREADY_OPEN
    log = logbook.start(paths.log_dir())
    try:
        with running(app, settings) as window:
            window.refused.connect(lambda taken: app.exit(ALREADY_OPEN) if was_double_start(taken) else None)
            window.start(path, asked)
            window.show()
            return app.exec()
    finally:
        logbook.stop(log)


def start_path(library: Path | None, settings: Settings) -> Path | None:
    """The library to open at the start: named, else the last one if it is still there."""
    if library is not None:
        return library.expanduser()
    last = settings.text("last_library")
    return Path(last) if last and library_place.library_exists(Path(last)) else None


def was_double_start(path: Path) -> bool:
    """Whether another window got the library at the same time, and came to the front."""
    holder = library_place.lock_holder(path) if library_place.library_exists(path) else None
    if holder is None or holder.since + DOUBLE_START_S < STARTED:
        return False
    return call_window(holder.address)


@contextlib.contextmanager
def running(app: QApplication, settings: Settings, place: Path | None = None) -> Iterator[MainWindow]:
    """A window with all it needs; afterwards everything has ended. `place`: where new libraries go."""
    server = WindowServer()
    tasks = TaskRunner()
    tr = Language(language_of(settings))
    theme = Theme(app, Scheme(settings.text("theme")), settings.number("text_size"))
    QtTexts(app, tr)
    libraries = GuiLibraries(settings, server.address, place)
    window = MainWindow(Services(tasks, settings, theme, tr, libraries, PathChoice()))
    server.called.connect(window.bring_to_front)
    tasks.bug.connect(crash.report)
    window.closed.connect(app.quit)
    collector = IdleCollector(app)
    hook, sys.excepthook = sys.excepthook, _say_bug(tasks)
    handler, turn = _on_interrupt(window)
    try:
        yield window
    finally:
        sys.excepthook = hook
        signal.signal(signal.SIGINT, handler)
        turn.stop()
        collector.stop()
        window.close()
        leave_plain()
        tasks.close()
        libraries.close_all()
        theme.end()
        server.close()
        window.deleteLater()


def _on_interrupt(window: MainWindow) -> tuple[signal.Handlers, QTimer]:
    """Ctrl+C in a terminal closes the window; Python gets a turn now and then to hear of it."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: window.close())
    turn = QTimer(window)
    turn.timeout.connect(lambda: None)
    turn.start(PYTHON_TURN_MS)
    return before, turn  # type: ignore[return-value]  # Python's own handler


def _say_bug(tasks: TaskRunner):  # type: ignore[no-untyped-def]
    """A hook that writes a report and says that something went wrong."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        crash.report(error)
        sys.__excepthook__(kind, error, trace)
        tasks.error.emit(error)

    return hook
