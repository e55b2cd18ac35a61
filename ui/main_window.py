"""The main window: rail, search, page and status line around one open library, or the chooser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSize, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from core.domain.access import ReadOnly
from core.domain.api import Cancel, EngineApi, Report
from core.domain.errors import BadFile, LibraryInUse
from core.domain.health import Backup
from core.domain.queries import LibraryPath
from ui.actions import Actions, Reach
from ui.file_drops import FileDrops
from ui.libraries import RecentLibrary
from ui.look_actions import LookActions
from ui.menus import fill_menu_bar
from ui.read_only import why_not
from ui.services import Services
from ui.session import Session
from ui.tasks import Lane, single_shot
from ui.views.library_chooser import LibraryChooser
from ui.views.top_bar import TopBar
from ui.widgets.message_strip import MessageStrip, Way

SETTING_WINDOW = "ui.window"
START_PX = (1280, 800)
SCREEN_SHARE = 0.95
WORK_WAIT_S = 3.0
"""How long the queue's worker may take to put its file back before the library is closed."""
NEXT_TURN_MS = 5
"""Long enough for what waits in the event loop to have its turn."""


class MainWindow(QMainWindow):
    """Shows the chooser, or one library. `closed` when it has let go of everything."""

    closed = Signal()
    shown_library = Signal(object)
    refused = Signal(object)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._session: Session | None = None
        self._opening = False
        self._starting = False
        self._after_open: Callable[[Session], None] | None = None
        self._shown_path = Path()
        self._show_soon = single_shot(self, NEXT_TURN_MS, self._show_session)
        self._start_soon = single_shot(self, NEXT_TURN_MS, self._start_session)
        self.actions_table = Actions(services.tr, services.theme, self)
        self.look = LookActions(self.actions_table, services.settings, services.theme, services.tr, self)
        self._build()
        self._connect()
        self._own_actions = self.actions_table.handled
        self._restore()
        self._say_texts()
        services.theme.dress(self)

    @property
    def session(self) -> Session | None:
        """The open library with its views."""
        return self._session

    def _build(self) -> None:
        services = self._services
        self.top = TopBar(self.actions_table, services.tr, services.theme)
        self.message = MessageStrip(services.tr, services.theme)
        self.chooser = LibraryChooser(services.tr, services.theme)
        self._place = QStackedWidget()
        self._place.addWidget(self.chooser)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self._place, 1)
        whole = QHBoxLayout()
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(body)
        holder = QWidget()
        holder.setLayout(whole)
        self.setCentralWidget(holder)
        self.drops = FileDrops(self, holder, services.tr, services.theme)
        self.drops.refusal = self._why_no_drops
        self.top.hide()

    def _connect(self) -> None:
        on = self.actions_table.on
        on("library.open", self.ask_open)
        on("library.open_read_only", lambda: self.ask_open(ReadOnly.ASKED))
        on("library.new", self.ask_new)
        on("library.sample", lambda: self.open_sample(reset=False))
        on("library.close", self.close_library)
        on("window.quit", self._quit)
        on("library.reset_sample", lambda: self.open_sample(reset=True))
        self.drops.dropped.connect(self._on_files)
        self.actions_table.attach(self, Reach.WINDOW)
        self.chooser.wanted.connect(self._on_way)
        self.chooser.opened.connect(self.open_library)
        self.chooser.read_only_wanted.connect(lambda path: self.open_library(path, ReadOnly.ASKED))
        self.chooser.forgotten.connect(self._forget)
        self.chooser.language_wanted.connect(self.look.set_language)
        self._services.tr.changed.connect(self._say_texts)
        self.top.library_menu.aboutToShow.connect(self._fill_library_menu)

    def start(self, path: Path | None = None, read_only: ReadOnly | None = None) -> None:
        """Open a library, or show the chooser. `refused(path)` when another window has it open."""
        self._show_chooser()
        self._starting = path is not None
        if path is not None:
            self.open_library(path, read_only)
        elif self._services.theme.chinese_font_missing and not self._services.settings.get("ui.font_told"):
            self._services.settings.set("ui.font_told", True)
            self.message.say(self._services.tr("font.missing"), error=True)

    # --- opening and closing ---

    def open_library(self, path: Path, read_only: ReadOnly | None = None) -> None:
        """Open the library in that directory; with `read_only` for reading alone, which needs nobody's leave."""
        libraries = self._services.libraries
        self._open(lambda: libraries.open(path, read_only), path)

    def try_writing(self) -> None:
        """Open the library that is only read for writing; it stays as it is when that cannot be."""
        path, session, libraries = self._shown_path, self._session, self._services.libraries
        if session is None:
            return
        page = session.shown_page

        def go(_nothing: None) -> None:
            if self._session is session:
                self.open_library(path)
                self._after_open = lambda opened: opened.show_page(page)

        self._services.tasks.run(
            Lane.READ,
            lambda _p, _c: libraries.check_writable(path),
            go,
            owner=self,
            query="writable",
            failed=lambda error: self._say_taken(error, path),
        )

    def _say_taken(self, error: Exception, path: Path) -> None:
        tr = self._services.tr
        taken = isinstance(error, LibraryInUse)
        text = tr("read_only.still_in_use") if taken else tr.error(error)
        ways = [(tr("library.switch"), lambda: self._raise_other(path))] if taken else []
        self.message.say(text, error=True, ways=ways)

    def create_library(self, path: Path, then: Callable[[Session], None] | None = None) -> None:
        """Make a library and open it."""
        libraries = self._services.libraries
        self._after_open = then
        self._open(lambda: libraries.create(path), path)

    def open_sample(self, *, reset: bool) -> None:
        """Open the copy of the sample library."""
        libraries = self._services.libraries
        self._open(lambda: libraries.sample(reset=reset), libraries.sample_path())

    def restore_backup(self, path: Path, name: str) -> None:
        """Close the library, bring a backup of it back, and open it again."""
        libraries, tr = self._services.libraries, self._services.tr
        self._open(lambda: libraries.restore(path, name), path)
        self._after_open = lambda session: session.status.say(tr("health.backups.restored"))

    def _open(self, opener: Callable[[], EngineApi], path: Path) -> None:
        if self._opening:
            return
        self.close_library()
        self._opening = True
        self.message.hide()
        self.chooser.setEnabled(False)

        def work(_progress: Report, _cancel: Cancel) -> tuple[EngineApi, Path]:
            engine = opener()
            return engine, engine.ask(LibraryPath())

        self._services.tasks.run(
            Lane.WRITE,
            work,
            self._on_open,
            owner=self,
            failed=lambda error: self._on_open_failed(error, path),
            label="task.open",
        )

    def _on_open(self, opened: tuple[EngineApi, Path]) -> None:
        """Build the views now, show them in the next turn, fill them after it: together they hold the event loop."""
        engine, self._shown_path = opened
        self._session = Session(engine, self._services, self.actions_table)
        self._show_soon.start()

    def _show_session(self) -> None:
        session, path = self._session, self._shown_path
        if session is None:
            return
        self._place.addWidget(session)
        self._place.setCurrentWidget(session)
        session.bar.insertWidget(0, self.top)
        self.top.name_library(path.name, str(path))
        self.top.show()
        session.said.connect(self._on_said)
        session.model_link.named.connect(self.top.name_model)
        session.model_link.say()
        session.write_wanted.connect(self.try_writing)
        session.restore_wanted.connect(lambda name: self.restore_backup(path, name))
        self._start_soon.start()

    def _start_session(self) -> None:
        session, path = self._session, self._shown_path
        if session is None:
            return
        self._opening = self._starting = False
        self.chooser.setEnabled(True)
        if path == self._services.libraries.sample_path():
            session.offer_first_steps(lambda: self.open_sample(reset=True))
        session.start(self.top.search)
        self.setWindowTitle(self._services.tr("window.title", name=path.name))
        self._fill_menus()
        self.shown_library.emit(session)
        then, self._after_open = self._after_open, None
        if then is not None:
            then(session)

    def _on_open_failed(self, error: Exception, path: Path) -> None:
        tr = self._services.tr
        self._opening = False
        self._after_open = None
        self.chooser.setEnabled(True)
        self._show_chooser()
        ways: list[Way] = []
        starting, self._starting = self._starting, False
        if isinstance(error, LibraryInUse):
            if starting:
                self.refused.emit(path)
            ways = [
                (tr("library.switch"), lambda: self._raise_other(path, alone=starting)),
                (tr("library.read_only"), lambda: self.open_library(path, ReadOnly.IN_USE)),
                (tr("library.other"), self.ask_open),
            ]
        self.message.say(tr.error(error), error=True, ways=ways)
        if isinstance(error, BadFile):
            self._offer_backup(error, path)

    def _offer_backup(self, error: Exception, path: Path) -> None:
        """A library that cannot be opened may have a backup that can."""
        libraries, tr = self._services.libraries, self._services.tr

        def offer(newest: Backup | None) -> None:
            if newest is not None and self._session is None:
                way = tr("library.restore_newest", when=tr.relative(newest.at))
                self.message.say(
                    tr.error(error), error=True, ways=[(way, lambda: self.restore_backup(path, newest.name))]
                )

        self._services.tasks.run(
            Lane.READ, lambda _p, _c: libraries.newest_backup(path), offer, owner=self, query="newest backup"
        )

    def _raise_other(self, path: Path, *, alone: bool = False) -> None:
        """Bring the other window to the front. `alone`: this one was started for nothing else, and ends then."""
        libraries = self._services.libraries

        def done(raised: bool) -> None:
            if raised and alone:
                self.close()
            elif not raised:
                self.message.say(self._services.tr("library.no_window"), error=True)

        self._services.tasks.run(
            Lane.NET, lambda _p, _c: libraries.raise_other_window(path), done, owner=self
        )

    def close_library(self, *, wait: bool = False) -> None:
        """Let go of the open library; typed text is kept as a draft."""
        session, self._session = self._session, None
        if session is None:
            return
        self._show_soon.stop()
        self._start_soon.stop()
        self._opening = False
        self.chooser.setEnabled(True)
        self.top.hide()
        self.top.setParent(self.centralWidget())
        engine = session.close_library()
        self._place.removeWidget(session)
        session.hide()
        session.deleteLater()
        libraries, wait_for_work = self._services.libraries, session.wait_for_work
        if wait:
            self._services.tasks.close()
            libraries.close(engine)
            return

        def close(_progress: Report, _cancel: Cancel) -> None:
            wait_for_work(WORK_WAIT_S)
            libraries.close(engine)

        self._services.tasks.run(Lane.WRITE, close, owner=self)
        self._show_chooser()

    def _show_chooser(self) -> None:
        self._place.setCurrentWidget(self.chooser)
        self.actions_table.forget_library(self._own_actions)
        self._say_texts()
        self._ask_recent()

    def _ask_recent(self) -> None:
        libraries = self._services.libraries

        def ask(_progress: Report, _cancel: Cancel) -> tuple[tuple[RecentLibrary, ...], bool]:
            return libraries.recent(), libraries.sample_path().exists()

        def show(found: tuple[tuple[RecentLibrary, ...], bool]) -> None:
            self.chooser.show_recent(found[0], sample_there=found[1])

        self._services.tasks.run(Lane.READ, ask, show, owner=self, query="recent")

    def _forget(self, path: Path) -> None:
        self._services.libraries.forget(path)
        self._ask_recent()

    # --- what a person asks for ---

    def _on_way(self, way: str) -> None:
        match way:
            case "sample":
                self.open_sample(reset=False)
            case "reset_sample":
                self.open_sample(reset=True)
            case "new":
                self.ask_new()
            case "open":
                self.ask_open()
            case "import_file" | "import_directory":
                self._import_first(directory=way == "import_directory")

    def ask_open(self, read_only: ReadOnly | None = None) -> None:
        """Ask for a library's directory and open it."""
        path = self._services.paths.directory(self, self._services.tr("library.open.title"), self._around())
        if path is not None:
            self.open_library(path, read_only)

    def ask_new(self) -> None:
        """Ask where a new library is to be, and make it."""
        path = self._services.paths.new_directory(
            self,
            self._services.tr("library.new.title"),
            self._around() / self._services.tr("library.new.name"),
        )
        if path is not None:
            self.create_library(path)

    def _import_first(self, *, directory: bool) -> None:
        """At the first start: choose a file or directory, make a library for it, show what it holds."""
        paths, tr = self._services.paths, self._services.tr
        ask = paths.directory if directory else paths.file
        source = ask(self, tr("chooser.import.title"), Path.home())
        if source is not None:
            self._into_new(source, lambda session: session.show_import(source))

    def _into_new(self, first: Path, then: Callable[[Session], None]) -> None:
        target = free_name(self._around(), first.stem if first.is_file() else first.name)
        self.create_library(target, then)

    def _on_files(self, paths: tuple[Path, ...]) -> None:
        """Files were dropped: look into them, in a new library where none is open."""
        if self._session is not None:
            self._session.take_files(paths)
        elif not self._opening:
            self._into_new(paths[0], lambda session: session.take_files(paths))

    def _why_no_drops(self) -> str:
        why = None if self._session is None else self._session.context.read_only
        return "" if why is None else why_not(self._services.tr, why)

    def _around(self) -> Path:
        return self._services.libraries.default_place()

    def _fill_library_menu(self) -> None:
        menu = self.top.library_menu
        menu.clear()
        ids = (
            "library.open",
            "library.open_read_only",
            "library.new",
            "library.sample",
            "",
            "library.import",
            "library.import_directory",
            "library.export",
            "library.export_all",
            "",
            "library.types",
            "library.health",
            "library.backup",
            "library.close",
        )
        menu.addActions(self.actions_table.working(ids))

    def _on_said(self, text: str, error: bool) -> None:
        if error:
            self.message.say(text, error=True)

    def _say_texts(self) -> None:
        if self._session is None:
            self.setWindowTitle(self._services.tr("app.name"))
        self._fill_menus()

    def _fill_menus(self) -> None:
        fill_menu_bar(self.menuBar(), self.actions_table, self._services.tr)

    # --- the window itself ---

    def bring_to_front(self) -> None:
        """Another start of the program asked for this library: here it is."""
        self.setWindowState(self.windowState() & ~self.windowState().WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _restore(self) -> None:
        px = self._services.theme.px
        room = self.screen().availableGeometry().size() * SCREEN_SHARE
        self.resize(QSize(px(START_PX[0]), px(START_PX[1])).boundedTo(room))
        saved = str(self._services.settings.get(SETTING_WINDOW))
        if saved:
            self.restoreGeometry(QByteArray.fromBase64(saved.encode("ascii")))

    def _quit(self) -> None:
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        self._services.settings.set(SETTING_WINDOW, geometry)
        self.close_library(wait=True)
        self._services.tasks.close()
        super().closeEvent(event)
        self.closed.emit()


def free_name(around: Path, name: str) -> Path:
    """A directory of that name that does not exist yet; numbers make it free."""
    path, number = around / name, 2
    while path.exists():
        path, number = around / f"{name} {number}", number + 1
    return path
