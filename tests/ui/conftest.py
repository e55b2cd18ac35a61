"""One application, and a window over an engine in memory."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.access import ReadOnly
from core.domain.api import EngineApi
from core.domain.health import Backup
from core.settings import Settings
from tests.fakes.engine import FakeEngine, make_row
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.libraries import RecentLibrary
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["tests", "-platform", "offscreen"]


@pytest.fixture(autouse=True)
def widgets_are_gone(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test shows is deleted before the next one."""
    yield
    if "qapp" not in request.fixturenames:
        return
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()


class OneLibrary:
    """Libraries with a single engine in it."""

    def __init__(self, engine: EngineApi) -> None:
        self.engine = engine
        self.error: Exception | None = None
        self.raised: list[Path] = []

    def open(self, path: Path, read_only: ReadOnly | None = None) -> EngineApi:
        if self.error is not None:
            raise self.error
        return self.engine

    def check_writable(self, path: Path) -> None:
        if self.error is not None:
            raise self.error

    create = open

    def sample(self, *, reset: bool) -> EngineApi:
        return self.engine

    def newest_backup(self, path: Path) -> Backup | None:
        return None

    def restore(self, path: Path, name: str) -> EngineApi:
        return self.engine

    def close(self, engine: EngineApi) -> None:
        engine.close()

    def sample_path(self) -> Path:
        return Path("sample")

    def recent(self) -> tuple[RecentLibrary, ...]:
        return (RecentLibrary(Path("library"), there=True),)

    def forget(self, path: Path) -> None: ...

    def default_place(self) -> Path:
        return Path.cwd()

    def raise_other_window(self, path: Path) -> bool:
        self.raised.append(path)
        return True


@pytest.fixture
def settings() -> Settings:
    made = Settings()
    made.set("theme", "light")
    made.set("language", "en")
    return made


@pytest.fixture
def tr() -> Language:
    return Language("en")


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp, Scheme.LIGHT)
    yield made
    made.end()


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    runner = TaskRunner()
    yield runner
    runner.close()


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine([make_row(pk) for pk in range(1, 301)])


@pytest.fixture
def context(
    qapp: QApplication, engine: FakeEngine, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language
) -> Iterator[Context]:
    """A context without a window."""
    bridge = Bridge(engine, tasks)
    yield Context(engine, tasks, bridge, settings, theme, tr, Actions(tr, theme))
    bridge.close()


@pytest.fixture
def libraries(engine: FakeEngine) -> OneLibrary:
    return OneLibrary(engine)


@pytest.fixture
def window(
    qtbot: QtBot, libraries: OneLibrary, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language
) -> Iterator[MainWindow]:
    """The window at its start page."""
    made = MainWindow(Services(tasks, settings, theme, tr, libraries, PathChoice()))
    made.start()
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> Session:
    """The library, open and listed."""
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: window.session is not None)
    session = window.session
    assert session is not None
    qtbot.waitUntil(lambda: session.memories.model.rowCount() > 0)
    settled(qtbot, window)
    return session


def settled(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until nothing runs in the background any more."""
    tasks = window._services.tasks
    qtbot.waitUntil(lambda: tasks.busy == 0, timeout=5000)


Settle = Callable[[], None]
