"""The Recall page over a copy of the sample library, with an engine whose answers can be held back."""

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain.commands_transfer import ApplyImport
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import FolderByName, Query
from core.domain.recall import Stage
from core.settings import Settings
from tests.services.desk import dump_rows
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.models.recall_results import ResultRow, RowKind
from ui.operations import Operations
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.recall.page import RecallPage

HARBOUR = "聊天/雾港来信"


class HeldEngine:
    """A real engine that can keep answers back, count questions and fail on demand."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._gates: dict[type, threading.Event] = {}
        self.asked: list[Query[Any]] = []
        self.fail: dict[type, Exception] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def hold(self, query: type) -> None:
        self._gates[query] = threading.Event()

    def release(self, query: type) -> None:
        self._gates.pop(query).set()

    def ask(self, query: Query[Any], *, cancel: Any = None) -> Any:
        self.asked.append(query)
        gate = self._gates.get(type(query))
        if gate is not None:
            gate.wait(10)
        error = self.fail.get(type(query))
        if error is not None:
            raise error
        return self._engine.ask(query, cancel=cancel)


@dataclass
class Shown:
    """The page with everything a test looks at."""

    qtbot: QtBot
    library: Library
    engine: HeldEngine
    context: Context
    page: RecallPage
    said: list[str]

    def settle(self) -> None:
        """Wait until nothing runs and nothing is about to."""
        live = self.page.live

        def quiet() -> bool:
            QApplication.processEvents()
            timers = (live._soon, live._again, self.page.body.request._soon, self.page.body.results._tell)
            return self.context.tasks.busy == 0 and not any(timer.isActive() for timer in timers)

        self.qtbot.waitUntil(quiet, timeout=15_000)

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=15_000)

    def ask(self, message: str) -> None:
        """Type a message and wait for what it recalls."""
        self.page.body.request.message.set_text(message)
        self.settle()

    @property
    def folder(self) -> FolderPk:
        found = self.library.engine.ask(FolderByName(HARBOUR))
        assert found is not None
        return found.pk

    def rows(self, kind: RowKind) -> list[ResultRow]:
        model = self.page.body.results.results
        rows = [model.row(model.index(at)) for at in range(model.rowCount())]
        return [row for row in rows if row is not None and row.kind is kind]

    def recalled(self) -> list[MemoryPk]:
        return [row.pk for row in self.rows(RowKind.RECALLED) if row.pk is not None]

    def beyond_the_limit(self) -> ResultRow:
        """A memory that was left out because others rank before it."""
        return next(
            row
            for row in self.rows(RowKind.LEFT_OUT)
            if row.recalled is not None and row.recalled.stage in {Stage.LIMIT, Stage.SCENE}
        )

    def store(self) -> Any:
        return dump_rows(self.library.files.database)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample library, made once; tests work on copies."""
    root = tmp_path_factory.mktemp("recall") / "sample"
    settings = Settings()
    settings.set("embedder", "none")
    library = container.open_library(root, writers.person(), settings, create=True)
    library.engine.run(ApplyImport(library.sample_plan()))
    library.close()
    return root


@pytest.fixture
def copy(sample: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample, tmp_path / "library"))


@pytest.fixture
def shown(
    qtbot: QtBot,
    qapp: QApplication,
    copy: Path,
    tasks: TaskRunner,
    settings: Settings,
    theme: Theme,
    tr: Language,
) -> Iterator[Shown]:
    """The page, shown, with the sample's chat and its last message."""
    settings.set("embedder", "none")
    library = container.open_library(copy, writers.person(), settings)
    engine = HeldEngine(library.engine)
    bridge = Bridge(engine, tasks)
    context = Context(engine, tasks, bridge, settings, theme, tr, Actions(tr, theme))
    operations = Operations(context)
    said: list[str] = []
    operations.said.connect(lambda text, _error: said.append(text))
    page = RecallPage(context, operations)
    qtbot.addWidget(page)
    page.resize(1300, 820)
    page.show()
    made = Shown(qtbot, library, engine, context, page, said)
    made.until(lambda: page.view is not None)
    made.settle()
    yield made
    page.hide()
    bridge.close()
    tasks.close()
    library.close()
