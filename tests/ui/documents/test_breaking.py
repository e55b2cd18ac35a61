"""Impatient hands on the page Documents: everything at once, and things that go while they are looked at."""

from pathlib import Path

import pytest

from core.domain import queries_documents as qd
from core.domain.commands_documents import DeleteDocuments
from core.domain.document import FileState
from core.domain.queries_documents import QueueAction
from tests.ui.documents.conftest import Shown
from tests.ui.documents.test_documents import select, take_in
from ui.dialogs.sorting import SortingSheet
from ui.theme import Scheme


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:03}.txt").write_text(f"Note {number}. " + "word " * 300, encoding="utf-8")
    return folder


def through(shown: Shown, count: int) -> bool:
    """Whether that many files are in the queue and none waits any longer."""
    states = list(shown.states().values())
    return len(states) == count and not any(state.is_open for state in states)


def test_drops_language_and_theme_while_the_queue_runs(shown: Shown, many: Path, notes: Path) -> None:
    shown.ask(qd.QueueFiles(paths=(many,), folder="default"))
    shown.page.worker.look()
    shown.until(lambda: len(shown.documents()) > 2)
    services = shown.window._services
    for language, theme in (("zh_CN", "dark"), ("en", "light"), ("zh_CN", "dark"), ("en", "light")):
        services.tr.switch(language)
        services.theme.set_scheme(Scheme(theme))
    shown.drop(notes / "fog.md")
    shown.drop(notes / "fog.md")
    shown.until(lambda: through(shown, 61))
    shown.settle()
    assert len(shown.documents()) == 61
    assert shown.page.list.model.rowCount() == 61


def test_document_that_is_deleted_elsewhere_while_it_is_read_leaves_the_page(
    shown: Shown, notes: Path
) -> None:
    take_in(shown, notes)
    first, *others = shown.documents()
    select(shown, first)
    shown.page.list.table.selectRow(shown.page.list.model.position(others[0].pk))
    shown.library.engine.run(DeleteDocuments(documents=(first.pk, others[0].pk)))
    shown.page.refresh()
    shown.settle()
    assert shown.page.list.model.rowCount() == 1
    left = shown.page.pane._loaded
    assert left is None or left.document.pk == others[1].pk


def test_sheet_that_is_closed_while_it_sorts_takes_nothing_in(shown: Shown, many: Path) -> None:
    shown.drop(many)
    shown.dialog(SortingSheet).reject()
    shown.settle()
    assert shown.documents() == ()
    assert shown.states() == {}


def test_pause_cancel_and_retry_in_quick_succession_end_with_every_file_once(
    shown: Shown, many: Path
) -> None:
    shown.ask(qd.QueueFiles(paths=(many,), folder="default"))
    worker = shown.page.worker
    worker.look()
    for _ in range(5):
        for action in (QueueAction.PAUSE, QueueAction.CANCEL, QueueAction.RETRY, QueueAction.RESUME):
            worker.change(action)
    shown.until(lambda: through(shown, 60))
    shown.settle()
    worker.change(QueueAction.RETRY)
    shown.until(lambda: through(shown, 60) and FileState.CANCELLED not in shown.states().values())
    assert sorted(row.title for row in shown.documents()) == [f"{number:03}" for number in range(60)]
