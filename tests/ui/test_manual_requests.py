"""Requests to the manual model in the window: the dialog, the page Review, after a restart; by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings as kept
from core.domain.commands import CreateMemory, EditMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.endpoints import MANUAL, ModelTask
from core.domain.enums import FolderKind
from core.domain.errors import WaitsForReply
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import FolderByName
from core.domain.queries_extract import PromptTask, RunTask
from core.domain.queries_models import ManualRequests
from core.domain.queries_proposals import ProposalOf, Proposals
from core.settings import Settings
from tests.ui.conftest import OneLibrary, settled
from ui.dialogs.manual_reply import ManualReplyDialog
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import Lane, TaskRunner
from ui.theme import Theme
from ui.views.review.page import ReviewPage

REPLY = '{"summary": "The bell rang."}'


def tale(library: Library) -> FolderPk:
    found = library.engine.ask(FolderByName("tale"))
    assert found is not None
    return found.pk


@dataclass
class Shown:
    """A library in a window, and what a person does there."""

    qtbot: QtBot
    library: Library
    window: MainWindow
    session: Session
    folder: FolderPk

    def run_synopsis(self) -> None:
        """As a page does it: in the background, errors said by the window."""
        engine, query = self.library.engine, RunTask(folder=self.folder, task=PromptTask.SYNOPSIS)
        context = self.session.context
        context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(query, cancel=cancel),
            owner=self.session,
            failed=self.session.operations.show_error,
        )

    def dialog(self) -> ManualReplyDialog:
        link = self.session.model_link
        self.qtbot.waitUntil(lambda: link.open_request is not None, timeout=5000)
        found = link.open_request
        assert isinstance(found, ManualReplyDialog)
        return found

    def review(self) -> ReviewPage:
        self.session.show_page("review")
        page = self.session.page("review")
        assert isinstance(page, ReviewPage)
        self.settle()
        return page

    def settle(self) -> None:
        settled(self.qtbot, self.window)

    def proposals(self) -> list[int]:
        return [row.pk for row in self.library.engine.ask(Proposals())]


@pytest.fixture
def memories(tmp_path: Path, settings: Settings) -> list[MemoryPk]:
    settings.set("embedder", "none")
    kept.choose(settings, ModelTask.SYNOPSIS, MANUAL)
    library = open_library(tmp_path / "library", person(), settings, create=True)
    folder = library.engine.run(CreateFolder("tale", kind=FolderKind.CHAT)).created_folder
    assert folder is not None
    new = [
        NewMemory(folder=folder, type=TypeId("event"), body=f"Night {at}: the bell.", seq=at)
        for at in range(3)
    ]
    pks = [library.engine.run(CreateMemory(each)).created[0] for each in new]
    library.close()
    return pks


@pytest.fixture
def show(
    qtbot: QtBot,
    tasks: TaskRunner,
    settings: Settings,
    theme: Theme,
    tr: Language,
    memories: list[MemoryPk],
    tmp_path: Path,
) -> Iterator[Callable[[], Shown]]:
    opened: list[Shown] = []

    def run() -> Shown:
        root = tmp_path / "library"
        library = open_library(root, person(), settings)
        window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
        window.start()
        window.show()
        window.open_library(root)
        qtbot.waitUntil(lambda: window.session is not None)
        session = window.session
        assert session is not None
        qtbot.waitUntil(lambda: session.memories.model.rowCount() == len(memories), timeout=20000)
        opened.append(Shown(qtbot, library, window, session, tale(library)))
        opened[-1].settle()
        return opened[-1]

    yield run
    for shown in opened:
        shown.window.close()
        shown.window.deleteLater()
        shown.library.close()


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_request_opens_is_copied_and_its_reply_leads_to_the_proposal(show: Callable[[], Shown]) -> None:
    shown = show()
    shown.run_synopsis()
    dialog = shown.dialog()
    click(dialog.copy)
    assert QGuiApplication.clipboard().text() == dialog.request.text
    assert "Night 2" in dialog.request.text
    assert not dialog.hand_in.isEnabled()
    assert not dialog.said.isVisible()
    QTest.keyClicks(dialog.reply, "I would rather not.")
    click(dialog.hand_in)
    first, link = dialog.request.number, shown.session.model_link
    shown.qtbot.waitUntil(
        lambda: isinstance(link.open_request, ManualReplyDialog) and link.open_request.request.number != first
    )
    dialog = shown.dialog()
    assert "asks once more" in dialog.said.text()
    assert dialog.said.isVisible()
    dialog.reply.setFocus()
    QTest.keyClicks(dialog.reply, REPLY)
    click(dialog.hand_in)
    shown.qtbot.waitUntil(lambda: bool(shown.proposals()))
    shown.settle()
    assert shown.session.shown_page == "review"
    part = shown.library.engine.ask(ProposalOf(shown.proposals()[0])).proposal.parts[0]
    assert getattr(part, "body", "") == "The bell rang."
    assert shown.session.model_link.open_request is None


def test_request_put_off_waits_on_the_page_review_and_is_given_up(show: Callable[[], Shown]) -> None:
    shown = show()
    link = shown.session.model_link
    shown.run_synopsis()
    dialog = shown.dialog()
    with shown.qtbot.waitSignal(link.warned) as told:
        click(dialog.later)
    assert "on the page Review" in told.args[0]  # type: ignore[index]
    page = shown.review()
    assert [each.title for each in page.waiting] == ["Synopsis"]
    assert page.place.currentWidget() is page.request
    page.request.reply.setFocus()
    QTest.keyClicks(page.request.reply, "half a rep")
    page.refresh()
    shown.settle()
    assert page.request.reply.toPlainText() == "half a rep"
    click(page.request.give_up)
    shown.qtbot.waitUntil(lambda: not page.waiting)
    assert not shown.library.engine.ask(ManualRequests())
    shown.session.context.actions.get("library.requests").trigger()
    shown.settle()
    assert link.open_request is None


def test_request_of_before_a_restart_is_answered_on_the_page_review(
    show: Callable[[], Shown], tmp_path: Path, settings: Settings
) -> None:
    before = open_library(tmp_path / "library", person(), settings)
    with pytest.raises(WaitsForReply):
        before.engine.ask(RunTask(folder=tale(before), task=PromptTask.SYNOPSIS))
    before.close()
    shown = show()
    page = shown.review()
    assert [each.source for each in page.waiting] == ["requests"]
    assert "tale" in page.request.about.text()
    page.request.reply.setFocus()
    QTest.keyClicks(page.request.reply, REPLY)
    click(page.request.hand_in)
    shown.qtbot.waitUntil(lambda: bool(shown.proposals()))
    shown.qtbot.waitUntil(lambda: page.place.currentWidget() is page.proposal)
    shown.settle()
    assert [each.source for each in page.waiting] == ["proposals"]


def test_reply_to_what_changed_since_says_so_and_the_new_request_is_shown(
    show: Callable[[], Shown], memories: list[MemoryPk]
) -> None:
    shown = show()
    page = shown.review()
    shown.run_synopsis()
    shown.qtbot.waitUntil(lambda: page.place.currentWidget() is page.request)
    assert shown.session.model_link.open_request is None  # it is in sight already
    shown.library.engine.run(EditMemory(memory=memories[0], body="Night 0: silence."))
    page.request.reply.setFocus()
    QTest.keyClicks(page.request.reply, REPLY)
    with shown.qtbot.waitSignal(shown.session.model_link.warned) as told:
        click(page.request.hand_in)
    assert "has changed since" in told.args[0]  # type: ignore[index]
    shown.qtbot.waitUntil(lambda: "silence" in page.request.text.toPlainText())
    assert page.request.reply.toPlainText() == ""
    shown.settle()
