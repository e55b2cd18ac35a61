"""Settings dialog and models over a real library and a real server on loopback, by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings as kept
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.endpoints import MANUAL, PRESETS, Endpoint, EndpointKind, Measured, ModelTask
from core.domain.ids import TypeId
from core.settings import Settings
from tests.fakes.llm_server import FakeServer, serving
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.look_actions import LookActions
from ui.model_link import ModelLink
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.settings.dialog import MODELS, SettingsDialog

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def library(tmp_path: Path, settings: Settings, server: FakeServer) -> Iterator[Library]:
    settings.set("embedder", "none")
    opened = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    folder = opened.engine.run(CreateFolder(name="f")).created_folder
    assert folder is not None
    for text in ("铜钥匙", "银灯"):
        opened.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("knowledge"), body=text)))
    yield opened
    opened.close()


@pytest.fixture
def desk(
    qapp: QApplication, library: Library, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language
) -> Iterator[Context]:
    bridge = Bridge(library.engine, tasks)
    yield Context(library.engine, tasks, bridge, settings, theme, tr, Actions(tr, theme))
    tasks.close()
    bridge.close()


@pytest.fixture
def dialog(qtbot: QtBot, desk: Context) -> Iterator[SettingsDialog]:
    made = SettingsDialog(desk, None, MODELS)
    made.show()
    yield made
    if isValid(made):
        made.done(0)


def settled(qtbot: QtBot, context: Context) -> None:
    qtbot.waitUntil(lambda: context.tasks.busy == 0, timeout=60_000)  # the index process may have to start


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def typed(field: QWidget, text: str) -> None:
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, text)


def choose(combo: QComboBox, data: object) -> None:
    """Choose an entry with the keyboard, as a person would."""
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.findData(data)):
        QTest.keyClick(combo, Qt.Key.Key_Down)


def test_endpoint_is_added_tested_and_serves_every_task(
    qtbot: QtBot, desk: Context, dialog: SettingsDialog, server: FakeServer, settings: Settings
) -> None:
    models, form = dialog.models, dialog.models.form
    assert models.empty.isVisible()
    assert not form.isVisible()
    models.presets.actions()[0].trigger()
    typed(form.url, server.url + "/v1/chat/completions")
    click(form.fetch)
    settled(qtbot, desk)
    assert [form.model.itemText(at) for at in range(form.model.count())] == server.models
    typed(form.model, "fake-chat")
    click(form.test)
    settled(qtbot, desk)
    assert "Chat works" in " ".join(form.results.lines)
    assert len(form.results.lines) == 4
    click(form.save)
    (saved,) = kept.endpoints(settings)
    assert (saved.name, saved.model) == ("Ollama", "fake-chat")
    assert {kept.served_by(settings, task) for task in ModelTask} == {saved.id}
    settled(qtbot, desk)
    models.refresh()
    settled(qtbot, desk)
    assert models.usage.cells[0][1:3] == ["Connection tests", "2"]


def test_failed_test_says_why_in_words(
    qtbot: QtBot, desk: Context, dialog: SettingsDialog, server: FakeServer
) -> None:
    form = dialog.models.form
    dialog.models.add_preset(PRESETS[0])
    typed(form.url, "http://127.0.0.1:9")
    click(form.test)
    settled(qtbot, desk)
    assert "refused" in form.results.lines[0]
    typed(form.url, "nothing at all")
    click(form.test)
    settled(qtbot, desk)
    assert "no web address" in form.results.lines[0]


def test_key_is_masked_and_kept_for_the_session_where_there_is_no_keyring(
    qtbot: QtBot,
    desk: Context,
    dialog: SettingsDialog,
    server: FakeServer,
    settings: Settings,
    tmp_path: Path,
) -> None:
    server.key = KEY
    form = dialog.models.form
    dialog.models.add_preset(PRESETS[4])
    typed(form.url, server.url)
    typed(form.key, KEY)
    assert form.key.displayText() != KEY
    click(form.save)
    settled(qtbot, desk)
    assert "no keyring" in form.results.lines[0]
    assert form.session.isVisible()
    click(form.session)
    settled(qtbot, desk)
    assert form.key.text() == ""
    assert "…cdef" in form.key_place.text()
    click(form.test)
    settled(qtbot, desk)
    assert "Chat works" in " ".join(form.results.lines)
    assert KEY not in str([kept.endpoint_json(each) for each in kept.endpoints(settings)])


def test_unsaved_endpoint_is_said_once_before_closing(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.models.add_preset(PRESETS[1])
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.said.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_removed_endpoint_gives_tasks_back(
    qtbot: QtBot, desk: Context, dialog: SettingsDialog, server: FakeServer, settings: Settings
) -> None:
    kept.save_endpoint(settings, Endpoint(id="a", name="A", url=server.url))
    kept.choose(settings, ModelTask.RECALL, "a")
    dialog.models.refresh()
    click(dialog.models.remove)
    settled(qtbot, desk)
    assert kept.endpoints(settings) == ()
    assert kept.served_by(settings, ModelTask.RECALL) == ""
    assert dialog.models.empty.isVisible()


def test_task_is_given_to_a_person_by_keyboard(dialog: SettingsDialog, settings: Settings) -> None:
    choose(dialog.models.tasks.choices[ModelTask.EXTRACT], MANUAL)
    assert kept.served_by(settings, ModelTask.EXTRACT) == MANUAL


def test_another_embedder_is_planned_first_and_then_used(
    qtbot: QtBot,
    desk: Context,
    dialog: SettingsDialog,
    server: FakeServer,
    settings: Settings,
    library: Library,
) -> None:
    vectors = Endpoint(
        id="v",
        name="Vectors",
        url=server.url,
        model="bge",
        kind=EndpointKind.EMBEDDING,
        measured=Measured(32),
        price_in=100.0,
    )
    kept.save_endpoint(settings, vectors)
    tasks = dialog.models.tasks
    tasks.fill()
    choose(tasks.embedder, "v")
    settled(qtbot, desk)
    assert "2 memories are embedded anew" in tasks.said.text()
    assert "7 tokens and a second" in tasks.said.text()
    assert "At the price you gave" in tasks.said.text()
    click(tasks.keep)
    assert settings.text("embedder") == "none"
    choose(tasks.embedder, "v")
    settled(qtbot, desk)
    server.hold.clear()
    click(tasks.start)
    qtbot.waitUntil(tasks.pause.isVisible)
    click(tasks.pause)
    server.hold.set()
    settled(qtbot, desk)
    assert "Paused" in tasks.said.text()
    assert settings.text("embedder") == "none"
    choose(tasks.embedder, "v")
    settled(qtbot, desk)
    click(tasks.start)
    settled(qtbot, desk)
    assert not tasks.pause.isVisible()
    assert settings.text("embedder") == "endpoint"
    assert library.embedder.identity.model == "openai:bge"
    assert len(library.store.queue.matrix(library.embedder.identity.key)[0]) == 2


def test_general_page_changes_things_at_once_and_follows_the_language(
    qtbot: QtBot, desk: Context, dialog: SettingsDialog, settings: Settings
) -> None:
    look = LookActions(desk.actions, settings, desk.theme, desk.tr)
    dialog.show_page(0)
    language = dialog.general.editors["language"]
    assert isinstance(language, QComboBox)
    choose(language, "zh_CN")
    assert desk.tr.code == "zh_CN"
    assert dialog.windowTitle() == "设置"
    assert dialog.pages.item(1).text() == "模型"
    settled(qtbot, desk)
    look.deleteLater()


@pytest.fixture
def link(desk: Context) -> Iterator[ModelLink]:
    window = QWidget()
    made = ModelLink(desk, window)
    yield made
    window.close()
    window.deleteLater()


def test_top_bar_names_the_model_in_use(desk: Context, link: ModelLink, settings: Settings) -> None:
    assert link.model_name() == "Model: built-in"
    kept.save_endpoint(settings, Endpoint(id="a", name="A", url="http://h", model="qwen3"))
    with_names: list[str] = []
    link.named.connect(with_names.append)
    kept.serve_all(settings, "a")
    assert with_names[-1] == "Model: qwen3"
    kept.choose(settings, ModelTask.RECALL, MANUAL)
    assert link.model_name() == "Models: 2"
