"""Files dropped on the window: queue, sorting sheet, questions; what the store says afterwards."""

import shutil
from pathlib import Path, PurePath

import pytest
from pypdf import PdfReader, PdfWriter
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.container import open_library
from app.writers import person
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain import queries_history as qy
from core.domain import texts
from core.domain.document import CutSettings, FileState
from core.domain.errors import Unavailable
from core.domain.queries_drop import DropKind
from core.settings import Settings
from tests.ui.documents.conftest import CASES, Shown
from ui.dialogs.cutting import CutFileDialog
from ui.dialogs.importing import ImportDialog
from ui.dialogs.sorting import ASK_FROM_FILES, ICONS, SortingSheet
from ui.models.queue_table import QueueColumn
from ui.views.op_groups import sittings


def done(shown: Shown) -> bool:
    states = shown.states().values()
    return bool(states) and not any(state.is_open for state in states) and not shown.page.worker.working


def click(widget: object) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]  # a button of any kind


def test_empty_page_says_why_and_offers_one_button(shown: Shown) -> None:
    page = shown.page
    assert page.list.stack.shows == "notice"
    assert "Drop files" in page.list.stack.notice.message.text()
    assert page.list.stack.notice.button.isVisible()
    assert not page.upper.isVisible()


def test_one_dropped_document_is_taken_in_and_shown(shown: Shown, notes: Path) -> None:
    shown.drop(notes / "灯塔.md")
    shown.until(lambda: done(shown) and shown.page.list.model.rowCount() == 1)
    (document,) = shown.documents()
    assert (document.title, document.folder_name) == ("灯塔", "default")
    shown.settle()
    model = shown.page.queue.model
    assert model.words(0) == f"done: {document.pieces} pieces"
    assert "灯塔.md" in str(model.index(0, QueueColumn.FILE).data())


def test_mixed_folder_is_sorted_and_comes_in_as_one_group(shown: Shown, notes: Path) -> None:
    for name in ("c310_visibility.json", "c107_swipes.jsonl", "c208_no_card.png", "c402_gbk.txt"):
        shutil.copy(CASES / name, notes / name)
    shown.drop(notes)
    sheet = shown.dialog(SortingSheet)
    shown.until(lambda: bool(sheet.groups))
    counts = {kind: len(group.files) for kind, group in sheet.groups.items()}
    assert counts == {DropKind.DOCUMENTS: 4, DropKind.CHATS: 1, DropKind.GRAPHS: 1, DropKind.SKIPPED: 1}
    assert shown.ask(qy.History()) == ()
    sheet.groups[DropKind.DOCUMENTS].folder.setText("shelf")
    sheet.groups[DropKind.CHATS].folder.setText("chats")
    left_out = sheet.groups[DropKind.DOCUMENTS].shown[notes / "log.txt"]
    left_out.setCheckState(0, Qt.CheckState.Unchecked)
    assert sheet.main_button.text() == "Start with 5 files"
    click(sheet.main_button)
    shown.until(lambda: done(shown))
    assert {row.folder_name for row in shown.documents()} == {"shelf"}
    assert len(shown.documents()) == 3
    names = {node.folder.name for node in shown.ask(q.Folders())}
    assert {"shelf", "chats/c107_swipes", "c310_visibility"} <= names
    groups = sittings(shown.ask(qy.History()))
    assert [(group.is_drop, len(group.undoable)) for group in groups] == [(True, 5)]
    model = shown.page.queue.model
    shown.until(
        lambda: "1 skipped" in shown.page.queue.said.text() and "5 done" in shown.page.queue.said.text()
    )
    said = {PurePath(model.row(at).file.shown).name: model.words(at) for at in range(model.rowCount())}
    assert said["c208_no_card.png"].startswith("skipped: “\u2068c208_no_card.png\u2069” is a picture")
    assert said["c107_swipes.jsonl"].startswith("done: 5 messages")


def test_drop_is_undone_as_a_whole_in_the_history(shown: Shown, notes: Path) -> None:
    shown.drop(notes)
    sheet = shown.dialog(SortingSheet)
    shown.until(sheet.ready)
    click(sheet.main_button)
    shown.until(lambda: done(shown))
    assert len(shown.documents()) == 3
    shown.session.show_page("history")
    history = shown.session.page("history")
    tree = history.tree  # type: ignore[attr-defined]  # a page of another module
    shown.until(lambda: tree.topLevelItemCount() == 1)
    assert "one drop" in tree.topLevelItem(0).text(0)
    tree.setCurrentItem(tree.topLevelItem(0))
    click(history.undo_button)  # type: ignore[attr-defined]  # a page of another module
    shown.until(lambda: shown.documents() == ())
    assert shown.ask(q.Counts()).memories == 0


def test_single_memory_file_opens_the_import(shown: Shown) -> None:
    shown.drop(CASES / "c310_visibility.json")
    shown.until(shown.dialog(ImportDialog).ready)


def test_single_file_that_is_nothing_is_said(shown: Shown) -> None:
    shown.drop(CASES / "c208_no_card.png")
    shown.until(lambda: any("c208_no_card.png" in text for text in shown.said))
    assert shown.ask(qy.History()) == ()


def test_many_files_are_looked_into_only_when_asked(
    shown: Shown, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ASK_FROM_FILES == 5000
    monkeypatch.setattr("ui.dialogs.sorting.ASK_FROM_FILES", 2)
    shown.drop(notes)
    sheet = shown.dialog(SortingSheet)
    assert "3 files" in sheet.stack.notice.message.text()
    assert not sheet.main_button.isEnabled()
    click(sheet.stack.notice.button)
    shown.until(sheet.ready)


def test_password_is_asked_beside_the_queue_and_kept_nowhere(shown: Shown, tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    writer = PdfWriter(clone_from=PdfReader(CASES / "c411_mixed.pdf"))
    writer.encrypt("moonlight-7")
    writer.write(path)
    shown.drop(path)
    shown.until(lambda: shown.page.questions.count == 1)
    assert shown.page.questions.isVisible()
    (card,) = shown.page.questions.cards.values()
    QTest.keyClicks(card.password, "wrong")
    click(card.answer_button)
    shown.until(
        lambda: (
            [row.error.key for row in shown.page.questions._rows if row.error]
            == ["error.document.password_wrong"]
        )
    )
    shown.settle()
    (card,) = shown.page.questions.cards.values()
    card.password.clear()
    QTest.keyClicks(card.password, "moonlight-7")
    QTest.keyClick(card.password, Qt.Key.Key_Return)
    shown.until(lambda: shown.states() == {"locked.pdf": FileState.DONE})
    shown.settle()
    assert not shown.page.upper.isTabVisible(1)
    stored = shown.library.files.database.read_bytes()
    for side in shown.library.files.database.parent.glob("*-wal"):
        stored += side.read_bytes()
    assert b"moonlight-7" not in stored


def test_encoding_is_chosen_by_its_preview(shown: Shown, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes("測試".encode("big5") + b"\nabc")
    shown.drop(path)
    shown.until(lambda: shown.page.questions.count == 1)
    (card,) = shown.page.questions.cards.values()
    card.choice.setCurrentText("big5")
    assert "測試" in card.preview.text()
    click(card.answer_button)
    shown.until(lambda: shown.states() == {"odd.txt": FileState.DONE})
    document = shown.ask(qd.DocumentOf(shown.documents()[0].pk))
    assert "測試" in document.text


def test_text_that_reads_wrong_is_read_again_in_another_encoding(shown: Shown, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes("Déjà vu à la mairie, où l'été fut très chaud.".encode("windows-1252"))
    shown.ask(qd.QueueFiles(paths=(path,), folder="default", encoding="windows-1251"))
    shown.page.worker.look()
    shown.until(lambda: shown.states() == {"letter.txt": FileState.DONE})
    shown.settle()
    row = shown.page.queue.model.row(0)
    menu = shown.page.queue.menu_for((row,))
    others = next(action.menu() for action in menu.actions() if action.menu() is not None)
    next(action for action in others.actions() if action.text() == "windows-1252").trigger()
    shown.until(lambda: shown.documents()[0].version == 2)
    assert "Déjà vu" in shown.ask(qd.DocumentOf(shown.documents()[0].pk)).text


def test_odd_memory_file_waits_and_can_be_left_out_or_taken(shown: Shown, tmp_path: Path) -> None:
    for name in ("c305_no_version.json", "c104_header_only_unused.jsonl"):
        shutil.copy(CASES / name, tmp_path / name)
    shown.drop(tmp_path / "c305_no_version.json", tmp_path / "c104_header_only_unused.jsonl")
    sheet = shown.dialog(SortingSheet)
    shown.until(sheet.ready)
    click(sheet.main_button)
    shown.until(lambda: shown.page.questions.count == 2)
    cards = {card._row.file.path.name: card for card in shown.page.questions.cards.values()}
    click(cards["c104_header_only_unused.jsonl"].leave_button)
    shown.until(lambda: shown.page.questions.count == 1)
    (card,) = shown.page.questions.cards.values()
    click(card.answer_button)
    shown.until(lambda: shown.states()["c305_no_version.json"] is FileState.DONE)
    assert shown.states()["c104_header_only_unused.jsonl"] is FileState.CANCELLED


def test_failed_file_says_why_and_only_it_is_retried(shown: Shown, notes: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.docx"
    shutil.copy(CASES / "c414_cut.docx", broken)
    shown.ask(qd.QueueFiles(paths=(notes, broken), folder="default"))
    shown.page.worker.look()
    shown.until(lambda: done(shown))
    shown.settle()
    model = shown.page.queue.model
    assert "damaged" in model.words(0)
    shutil.copy(CASES / "c413_textbox_table.docx", broken)
    click(shown.page.queue.buttons[qd.QueueAction.RETRY])
    shown.until(lambda: shown.states()["broken.docx"] is FileState.DONE)
    assert len(shown.ask(qy.History())) == 4


def test_paused_files_wait_and_can_be_cut_otherwise(shown: Shown, notes: Path) -> None:
    shown.ask(qd.QueueFiles(paths=(notes / "灯塔.md",), folder="default"))
    shown.ask(qd.ChangeQueue(qd.QueueAction.PAUSE))
    shown.page.worker.look()
    shown.until(shown.page.queue.buttons[qd.QueueAction.RESUME].isVisible)
    row = shown.page.queue.model.row(0)
    assert row.state is FileState.PAUSED
    shown.page.queue.cut_wanted.emit(row)
    dialog = shown.dialog(CutFileDialog)
    shown.until(dialog.ready)
    dialog.form.chars.setValue(100)
    shown.until(dialog.ready)
    planned = len(dialog.preview.cut.pieces)
    click(dialog.main_button)
    shown.until(
        lambda: shown.ask(qd.QueueRows())[0].file.settings == CutSettings(max_chars=100, overlap_chars=50)
    )
    click(shown.page.queue.buttons[qd.QueueAction.RESUME])
    shown.until(lambda: shown.states() == {"灯塔.md": FileState.DONE})
    assert shown.documents()[0].pieces == planned


def test_queue_goes_on_after_a_restart(shown: Shown, notes: Path) -> None:
    shown.ask(qd.QueueFiles(paths=(notes,), folder="default"))
    assert shown.page.worker.working is False
    shown.session.documents_link._resume.start(0)
    shown.until(lambda: done(shown) and len(shown.documents()) == 3)


def test_closing_the_window_in_the_middle_loses_nothing(shown: Shown, tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(200):
        (many / f"{number:03}.txt").write_text(f"Note {number}. " + "word " * 300, encoding="utf-8")
    shown.ask(qd.QueueFiles(paths=(many,), folder="default"))
    shown.page.worker.look()
    shown.until(lambda: len(shown.documents()) > 3)
    shown.window.close()
    library = open_library(shown.library.files.root, person(), Settings())
    rows, documents = library.engine.ask(qd.QueueRows()), library.engine.ask(qd.Documents())
    library.close()
    assert len(rows) == 200
    assert {row.state for row in rows} == {FileState.DONE, FileState.WAITING}
    assert len(documents) == sum(row.state is FileState.DONE for row in rows)


def test_closing_the_library_lets_the_worker_put_its_file_back(shown: Shown, tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(100):
        (many / f"{number:03}.txt").write_text(f"Note {number}. " + "word " * 300, encoding="utf-8")
    shown.ask(qd.QueueFiles(paths=(many,), folder="default"))
    worker = shown.page.worker
    worker.look()
    shown.until(lambda: len(shown.documents()) > 3)
    shown.window.close_library()
    shown.until(lambda: shown.window._services.tasks.busy == 0)
    library = open_library(shown.library.files.root, person(), Settings())
    states = {row.state for row in library.engine.ask(qd.QueueRows())}
    library.close()
    assert states == {FileState.DONE, FileState.WAITING}


def test_queue_that_fails_as_a_whole_is_said_once_and_tried_again_later(
    shown: Shown, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, engine, said = shown.page.worker, shown.library.engine, list[Exception]()
    worker.failed.connect(said.append)
    full = dict(engine._answers)
    engine._answers[qd.RunQueue] = _disk_is_full
    shown.ask(qd.QueueFiles(paths=(notes,), folder="default"))
    worker.look()
    shown.until(lambda: bool(said) and not worker.working)
    shown.qtbot.wait(100)
    assert len(said) == 1
    assert worker._again.isActive()
    engine._answers.update(full)
    worker._again.start(0)
    shown.until(lambda: done(shown))
    assert len(shown.documents()) == 3


def _disk_is_full(_query: object, _cancel: object) -> int:
    raise Unavailable("store", "database or disk is full")


def test_every_kind_of_the_sheet_has_its_icon_and_words() -> None:
    assert set(ICONS) == set(DropKind)
    for language in texts.LANGUAGES:
        assert [kind for kind in DropKind if not texts.has(f"sorting.{kind.value}", language)] == []


def test_pages_that_could_not_be_read_are_said_at_queue_and_document(shown: Shown) -> None:
    """Case c411: a scanned page between two with text."""
    shown.drop(CASES / "c411_mixed.pdf")
    shown.until(lambda: done(shown) and shown.page.list.model.rowCount() == 1)
    shown.settle()
    model, table = shown.page.queue.model, shown.page.queue.table
    assert "2 of 3 pages" in model.words(0)
    assert "no text layer" in str(model.index(0, QueueColumn.STATE).data(Qt.ItemDataRole.ToolTipRole))
    at = table.visualRect(model.index(0, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    shown.settle()
    pane = shown.page.pane
    assert "2 of 3 pages" in pane.place.text()
    assert "no text layer" in pane.odd.text()
