"""Documents on their page: pieces in the text, cutting again, versions, rename, delete, export, source."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit

from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain import queries_transfer as qt
from core.domain.document import DocumentRow
from core.domain.queries_drop import DocumentVersions
from tests.ui.documents.conftest import CASES, Shown
from ui.dialogs.cutting import CutAgainDialog
from ui.dialogs.new_text import NewTextDialog
from ui.theme import Theme
from ui.widgets.pieces_text import MOST_CHARS, PiecesText, Span


def take_in(shown: Shown, *paths: Path) -> None:
    """Take files in and select the first document."""
    shown.ask(qd.QueueFiles(paths=paths, folder="default"))
    shown.ask(qd.RunQueue())
    shown.page.refresh()
    shown.until(lambda: shown.page.list.model.rowCount() == len(shown.documents()) > 0)
    select(shown, shown.documents()[0])


def select(shown: Shown, row: DocumentRow) -> None:
    at = shown.page.list.model.position(row.pk)
    shown.page.list.table.selectRow(at)
    shown.until(lambda: shown.page.pane._loaded is not None and shown.page.pane._loaded.document.pk == row.pk)
    shown.settle()


def click_in_text(text: PiecesText, position: int) -> None:
    cursor = QTextCursor(text.document())
    cursor.setPosition(text._position(position))
    place = text.cursorRect(cursor).center() + QPoint(2, 0)
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_piece_and_text_lead_to_each_other(shown: Shown, notes: Path) -> None:
    take_in(shown, notes / "灯塔.md")
    preview = shown.page.pane.preview
    pieces = shown.ask(qd.PiecesOf(shown.documents()[0].pk))
    assert [(piece.start, piece.end) for piece in preview.cut.pieces] == [
        (piece.span_start, piece.span_end) for piece in pieces
    ]
    assert preview.model.rowCount() == len(pieces) > 1
    preview.choose(1)
    assert preview.text.current == 1
    click_in_text(preview.text, preview.cut.pieces[0].start + 1)
    assert preview.current == 0


def test_clicks_hit_the_right_piece_behind_an_emoji(shown: Shown, tmp_path: Path) -> None:
    path = tmp_path / "emoji.md"
    path.write_text("# A\n\n" + "🌫️🌊 fog. " * 40 + "\n\n# B\n\n" + "sea. " * 60, encoding="utf-8")
    take_in(shown, path)
    preview = shown.page.pane.preview
    last = len(preview.cut.pieces) - 1
    preview.choose(last)
    click_in_text(preview.text, preview.cut.pieces[last].start + 1)
    assert preview.current == last
    cursor = preview.text._cursor(preview.text.spans[last])
    assert (
        cursor.selectedText().replace("\u2029", "\n")
        == preview.cut.text[preview.cut.pieces[last].start :][: len(cursor.selectedText())]
    )


def test_long_text_is_shown_in_part_around_the_piece(theme: Theme, shown: Shown) -> None:
    text = "".join(f"{number:06} words in between. " for number in range(20_000))
    spans = [Span(at, at + 500) for at in range(0, len(text) - 500, 500)]
    view = PiecesText(theme)
    shown.qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    view.show_text(text, spans)
    assert len(view.toPlainText()) == MOST_CHARS
    last = len(spans) - 1
    view.show_piece(last)
    shown_text = view._cursor(spans[last]).selectedText()
    assert shown_text == text[spans[last].start : spans[last].end]
    assert last in view.visible_pieces()


def test_document_is_cut_again_with_the_pieces_shown_first(shown: Shown, notes: Path) -> None:
    take_in(shown, notes / "灯塔.md")
    before = shown.documents()[0]
    shown.act("documents.cut")
    dialog = shown.dialog(CutAgainDialog)
    shown.until(dialog.ready)
    assert len(dialog.preview.cut.pieces) == before.pieces
    dialog.form.chars.setValue(80)
    shown.until(dialog.ready)
    planned = len(dialog.preview.cut.pieces)
    assert shown.documents()[0].version == 1
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    shown.until(lambda: shown.documents()[0].version == 2)
    assert shown.documents()[0].pieces == planned > before.pieces
    shown.until(lambda: len(shown.page.pane.preview.cut.pieces) == planned)
    shown.act("edit.undo")
    shown.until(lambda: shown.documents()[0].pieces == before.pieces)


def test_sizes_that_make_no_sense_are_refused_in_the_dialog(shown: Shown, notes: Path) -> None:
    take_in(shown, notes / "灯塔.md")
    shown.act("documents.cut")
    dialog = shown.dialog(CutAgainDialog)
    shown.until(dialog.ready)
    dialog.form.chars.setValue(60)
    assert dialog.form.overlap.maximum() == 30
    shown.until(dialog.ready)


def test_versions_say_what_changed(shown: Shown, notes: Path) -> None:
    path = notes / "log.txt"
    take_in(shown, path)
    path.write_text("A storm came to the lighthouse today.", encoding="utf-8")
    shown.ask(qd.QueueFiles(paths=(path,), folder="default"))
    shown.ask(qd.RunQueue())
    versions = shown.page.pane.versions
    shown.page.pane.tabs.setCurrentIndex(1)
    shown.until(lambda: versions.list.count() == 2)
    assert versions.list.item(0).text().startswith("Version 2")
    shown.until(lambda: "storm" in versions.text.text() and "Nothing" in versions.text.text())
    assert len(shown.ask(DocumentVersions(shown.documents()[0].pk))) == 2


def test_memories_of_a_document_are_listed_and_let_go(shown: Shown, notes: Path) -> None:
    take_in(shown, notes)
    row = shown.documents()[0]
    shown.act("documents.memories")
    memories = shown.session.memories
    assert memories.isVisible()
    wanted = {piece.pk for piece in shown.ask(qd.PiecesOf(row.pk))}
    shown.until(lambda: set(memories.model.pks) == wanted)
    QTest.mouseClick(memories.facets.document_button, Qt.MouseButton.LeftButton)
    total = shown.ask(q.Counts()).memories
    shown.until(lambda: memories.model.rowCount() == total > len(wanted))
    assert not memories.facets.document_button.isVisible()


def test_rename_and_delete_are_changes_that_undo_brings_back(shown: Shown, notes: Path) -> None:
    take_in(shown, notes / "fog.md")
    QTest.keyClick(shown.page.list.table, Qt.Key.Key_F2)
    dialog = shown.dialog(QInputDialog)
    field = dialog.findChild(QLineEdit)
    assert field is not None
    field.setText("Mist")
    QTest.keyClick(field, Qt.Key.Key_Return)
    shown.until(lambda: [row.title for row in shown.documents()] == ["Mist"])
    pieces = shown.ask(q.Counts()).memories
    QTest.keyClick(shown.page.list.table, Qt.Key.Key_Delete)
    shown.until(lambda: shown.documents() == ())
    shown.until(lambda: shown.page.list.stack.shows == "notice")
    assert shown.ask(q.Counts()).trashed == pieces
    shown.act("edit.undo")
    shown.until(lambda: [row.title for row in shown.documents()] == ["Mist"])
    assert shown.ask(q.Counts()).memories == pieces


def test_typed_text_becomes_a_document(shown: Shown) -> None:
    shown.act("documents.new_text")
    dialog = shown.dialog(NewTextDialog)
    assert not dialog.main_button.isEnabled()
    QTest.keyClicks(dialog.title, "Rules of the tower")
    dialog.folder.setText("shelf")
    dialog.text.insertPlainText("# Light\n\nThe lamp is lit at seven.\n\n# Bell\n\nThe bell rings in fog.")
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    shown.until(lambda: len(shown.documents()) == 1)
    (row,) = shown.documents()
    assert (row.title, row.folder_name, row.path) == ("Rules of the tower", "shelf", "")
    shown.until(lambda: shown.page.list.document is not None and shown.page.list.document.pk == row.pk)


def test_source_is_opened_and_a_missing_one_is_said(shown: Shown, notes: Path) -> None:
    take_in(shown, notes / "灯塔.md")
    opened: list[QUrl] = []
    shown.page.doing.sources.launch = lambda url: opened.append(url) is None  # type: ignore[assignment, method-assign]  # the system's program
    shown.page.pane.preview.choose(1)
    shown.act("documents.open_source")
    shown.until(lambda: any("点灯" in text for text in shown.said))
    assert opened == [QUrl.fromLocalFile(str(notes / "灯塔.md"))]
    (notes / "灯塔.md").unlink()
    shown.act("documents.open_source")
    shown.until(lambda: any("not there any more" in text for text in shown.said))
    assert len(opened) == 1


def test_text_is_exported(shown: Shown, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_in(shown, notes / "log.txt")
    target = tmp_path / "out"
    target.mkdir()
    shown.page.doing.export_to(shown.page.list.selected(), target)
    shown.until(lambda: bool(list(target.glob("*.txt"))))
    assert (target / "log.txt").read_text("utf-8") == "Nothing happened at the lighthouse today."


def test_search_narrows_the_list_and_keeps_the_document(shown: Shown, notes: Path) -> None:
    take_in(shown, notes)
    page = shown.page
    page.list.search.setText("fog")
    shown.until(lambda: page.list.model.rowCount() == 1)
    page.list.search.setText("nowhere")
    shown.until(lambda: page.list.stack.shows == "notice")
    QTest.mouseClick(page.list.stack.notice.button, Qt.MouseButton.LeftButton)
    shown.until(lambda: page.list.model.rowCount() == 3)


def test_document_without_its_text_shows_its_pieces(shown: Shown) -> None:
    from core.domain.commands_transfer import ApplyImport

    plan = shown.ask(qt.ReadFile(CASES / "c312_booku_v1" / "metadata.db"))
    shown.library.engine.run(ApplyImport(plan))
    shown.page.refresh()
    shown.until(lambda: shown.page.list.model.rowCount() == 1)
    select(shown, shown.documents()[0])
    preview = shown.page.pane.preview
    assert preview.model.rowCount() == shown.documents()[0].pieces
    assert preview.cut.text.strip()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_page_says_everything_in_both_languages(shown: Shown, notes: Path, language: str) -> None:
    take_in(shown, notes)
    shown.session.context.tr.switch(language)
    shown.settle()
    assert shown.page.pane.tabs.tabText(0) == {"en": "Pieces", "zh_CN": "片段"}[language]
