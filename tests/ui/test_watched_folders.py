"""The dialog of watched directories, over a real library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain import queries_documents as qd
from core.domain.document import Cutting
from core.domain.queries_watching import Gone, SetWatched, Watching
from core.domain.watching import GoneFile, WatchedFolder
from core.engine import Engine
from core.services.ingest.answers import ingest_answers
from core.services.ingest.watch_answers import watch_answers
from core.services.ingest.watched_list import WatchedList
from tests.ui.real_library import RealLibrary, open_real
from ui.dialogs.watched_folders import WatchedFoldersDialog, open_watched_folders
from ui.operations import Operations
from ui.watch_link import WatchLink


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    opened = open_real(qtbot, qapp, tmp_path / "library")
    from core.adapters.documents.reader import DocumentFiles

    engine = opened.engine
    watched = WatchedList(opened.store.jobs)
    engine._answers |= {
        **ingest_answers(opened.store, opened.store.jobs, DocumentFiles(), engine.run, lambda _texts: None),  # type: ignore[arg-type, return-value]
        **watch_answers(watched, lambda: None, lambda _path: False, lambda: engine.ask(qd.Documents())),
    }
    yield opened
    opened.close()


def show(library: RealLibrary) -> WatchedFoldersDialog:
    dialog = open_watched_folders(library.context, None)
    library.settle()
    return dialog


def test_directory_is_added_with_its_folder_and_saved(library: RealLibrary, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    dialog = show(library)
    assert not dialog.main_button.isEnabled()
    assert "watched" in dialog.stack.notice.message.text()
    dialog.add_path(notes)
    row = dialog.rows[0]
    assert row.folder.text() == "notes"
    row.folder.selectAll()
    QTest.keyClicks(row.folder, "shelf/new")
    QTest.keyClicks(row.ignore, "*.tmp, drafts/")
    row.cutting.setCurrentIndex(row.cutting.findData(Cutting.COMPAT.value))
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    folder = library.engine.ask(Watching()).folders[0]
    assert (folder.path, folder.folder, folder.ignore) == (notes, "shelf/new", ("*.tmp", "drafts/"))
    assert folder.settings.cutting is Cutting.COMPAT


def test_directory_is_removed_and_what_is_refused_is_said(library: RealLibrary, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "below").mkdir(parents=True)
    library.engine.ask(SetWatched((WatchedFolder(path=notes, folder="a"),)))
    dialog = show(library)
    dialog.add_path(notes / "below")
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    assert dialog.isVisible()
    assert "lie in each other" in dialog.said.text()
    dialog.remove(dialog.rows[0])
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    assert [folder.path for folder in library.engine.ask(Watching()).folders] == [notes / "below"]


def _gone(library: RealLibrary, tmp_path: Path) -> GoneFile:
    file = tmp_path / "a.md"
    file.write_text("words", "utf-8")
    library.engine.ask(qd.QueueFiles(paths=(file,), folder="shelf"))
    library.engine.ask(qd.RunQueue())
    row = library.engine.ask(qd.Documents())[0]
    gone = GoneFile(str(file), row.pk, row.title)
    WatchedList(library.store.jobs).add_gone([gone])
    return gone


@pytest.mark.parametrize("trash", [True, False])
def test_documents_of_files_that_went_are_asked_about(
    library: RealLibrary, tmp_path: Path, trash: bool
) -> None:
    gone = _gone(library, tmp_path)
    dialog = show(library)
    assert dialog.gone.isVisible()
    assert gone.title in dialog.gone_text.text()
    QTest.mouseClick(dialog.trash_gone if trash else dialog.keep_gone, Qt.MouseButton.LeftButton)
    library.settle()
    assert not dialog.gone.isVisible()
    dialog.reject()
    assert library.engine.ask(Gone()) == ()
    assert len(library.engine.ask(qd.Documents())) == (0 if trash else 1)
    if trash:
        library.engine.undo()
        assert len(library.engine.ask(qd.Documents())) == 1


def test_file_that_went_is_told_once(library: RealLibrary, tmp_path: Path) -> None:
    dialog = show(library)
    operations = Operations(library.context, dialog)
    said: list[str] = []
    operations.said.connect(lambda text, _error: said.append(text))
    link = WatchLink(library.context, operations, dialog)
    link.look()
    library.settle()
    _gone(library, tmp_path)
    for _ in range(2):
        link.look()
        library.settle()
    assert len(said) == 1
    assert "no longer there" in said[0]
    link.close()
    dialog.reject()
    assert isinstance(library.engine, Engine)
