"""Documents: a mixed folder is dropped, sorted, taken in; pieces in the text, cutting again, the drop undone."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from app.tour.stage import Stage, StepFailed
from core.domain.document import DocumentRow, FileState
from core.domain.queries import FolderByName
from core.domain.queries_documents import Documents, PiecesOf, QueueRows
from core.domain.queries_drop import DropKind
from core.domain.queries_history import History
from core.domain.queries_transfer import ExportFolder
from core.domain.transfer import Format
from ui.dialogs.cutting import CutAgainDialog
from ui.dialogs.sorting import SortingSheet
from ui.views.documents.page import DocumentsPage
from ui.views.op_groups import sittings

Step = Callable[[Stage], None]

CHAT = "聊天/雾港来信"
SHELF = "资料/灯塔"
ENDED = (FileState.DONE, FileState.SKIPPED)
GUIDE = """---
title: 灯塔值班手册
tags: [灯塔, 值班]
---
# 灯塔值班手册

## 点灯

日落前半小时上塔，先擦拭镜片，再检查灯芯。灯芯短于两指就换，备件放在二楼的柜子里。风大时先关上西窗。

## 雾天

能见度不足一里时敲钟，每两分钟一次，直到雾散。敲钟的人不得离开塔顶；换班的人要先报名字，再接过钟绳。

## 记录

风向、潮水和过往船只都写进值班簿。写错了就划掉重写，不要撕页。
"""
LETTER = "The lamp is lit at seven. The bell rings in fog, every two minutes, until it lifts.\n" * 8


def drop_a_folder(stage: Stage) -> None:
    """Drop a folder with documents, a graph, a picture and a file in doubt: one sheet says what each is."""
    folder = stage.place / "灯塔资料"
    _fill(stage, folder)
    stage.notes["drop"] = folder
    stage.notes["before_drop"] = len(stage.ask(History(1000)))
    _drop(stage, folder)
    sheet = stage.dialog(SortingSheet)
    stage.until(sheet.ready, "the files to be sorted")
    found = {kind: len(group.files) for kind, group in sheet.groups.items()}
    wanted = {DropKind.DOCUMENTS: 4, DropKind.GRAPHS: 1, DropKind.SKIPPED: 1}
    stage.expect(found, wanted, "kinds of the dropped files")
    stage.expect(len(stage.ask(History(1000))), stage.notes["before_drop"], "changes before Start")


def queue_works(stage: Stage) -> None:
    """Start: the queue works while the page shows it; the file in doubt waits with its previews."""
    sheet = stage.dialog(SortingSheet)
    line = sheet.groups[DropKind.DOCUMENTS].folder
    if line is None:
        raise StepFailed("no field for the folder of the documents")
    line.setText(SHELF)
    stage.click(sheet.main_button)
    stage.no_dialog()
    stage.until(lambda: not any(row.state.is_open for row in stage.ask(QueueRows())), "the queue to end")
    page = _page(stage)
    stage.until(lambda: page.questions.count == 1 and not page.worker.working, "the question")
    states = sorted(row.state.value for row in stage.ask(QueueRows()))
    stage.expect(states, ["done"] * 4 + ["question", "skipped"], "states of the queue")
    drops = [group for group in sittings(stage.ask(History(1000))) if group.is_drop]
    stage.expect([len(group.undoable) for group in drops], [4], "changes of the drop")


def answer(stage: Stage) -> None:
    """Choose the encoding that reads right; the file comes in, and all pieces find their place in the index."""
    page = _page(stage)
    card = next(iter(page.questions.cards.values()))
    card.choice.setCurrentText("big5")
    stage.pause()
    stage.click(card.answer_button)
    stage.until(lambda: all(row.state in ENDED for row in stage.ask(QueueRows())), "the answered file")
    stage.until(lambda: not any(row.waiting for row in _shelf(stage)), "all pieces in the index")
    stage.until(lambda: page.list.model.rowCount() == len(stage.ask(Documents())), "the list of documents")
    stage.expect(len(_shelf(stage)), 4, "documents of the drop")


def pieces(stage: Stage) -> None:
    """Select the handbook: its pieces are drawn in its text, as they are stored."""
    page, row = _page(stage), _handbook(stage)
    page.go_to(row.pk)
    stage.until(lambda: page.pane.document is not None and page.pane.document.pk == row.pk, "the handbook")
    stored = [(piece.span_start, piece.span_end) for piece in stage.ask(PiecesOf(row.pk))]
    preview = page.pane.preview
    stage.until(lambda: [(each.start, each.end) for each in preview.cut.pieces] == stored, "its pieces")
    preview.choose(1)
    stage.pause()
    stage.expect(preview.text.current, 1, "the piece that stands out")


def cut_again(stage: Stage) -> None:
    """Smaller pieces: shown before anything changes."""
    row = _handbook(stage)
    stage.act("documents.cut")
    dialog = stage.dialog(CutAgainDialog)
    stage.until(dialog.ready, "the pieces")
    dialog.form.chars.setValue(60)
    stage.until(dialog.ready, "the smaller pieces")
    stage.notes["planned"] = len(dialog.preview.cut.pieces)
    stage.expect(_handbook(stage).version, row.version, "version before the change")


def cut_done(stage: Stage) -> None:
    """Cut again: a new version; its tab says so. Undo brings the first one back."""
    before = _handbook(stage).version
    stage.click(stage.dialog(CutAgainDialog).main_button)
    stage.no_dialog()
    stage.until(lambda: _handbook(stage).version == before + 1, "the new version")
    stage.expect(_handbook(stage).pieces, stage.notes["planned"], "pieces after cutting")
    page = _page(stage)
    page.pane.tabs.setCurrentIndex(1)
    stage.until(lambda: page.pane.versions.list.count() == before + 1, "the versions")


def drop_undone(stage: Stage) -> None:
    """In the history the drop is one group: undone together, nothing of it is left."""
    stage.act("edit.undo")
    stage.until(lambda: _handbook(stage).version == 1, "the first version")
    _page(stage).pane.tabs.setCurrentIndex(0)
    stage.session.show_page("history")
    drop = next(group for group in sittings(stage.ask(History(1000))) if group.is_drop)
    for entry in drop.undoable:
        stage.engine.undo(entry.op.id, partly=True)
    stage.until(lambda: not _shelf(stage), "the drop to be undone")
    stage.pause()


def _page(stage: Stage) -> DocumentsPage:
    page = stage.session.page("documents")
    assert isinstance(page, DocumentsPage)
    return page


def _shelf(stage: Stage) -> list[DocumentRow]:
    return [row for row in stage.ask(Documents()) if row.folder_name == SHELF]


def _handbook(stage: Stage) -> DocumentRow:
    return next(row for row in _shelf(stage) if row.title == "灯塔值班手册")


def _fill(stage: Stage, folder: Path) -> None:
    """Files as a person has them: notes, a table, a text in Big5 too short to be sure of, a graph, a picture."""
    folder.mkdir()
    (folder / "手册.md").write_text(GUIDE, encoding="utf-8")
    (folder / "letter.txt").write_text(LETTER, encoding="utf-8")
    (folder / "tides.csv").write_text("day,high,low\nMon,3.1,0.4\nTue,3.4,0.2\n", encoding="utf-8")
    (folder / "旧信.txt").write_bytes("測試".encode("big5") + b"\nabc")
    (folder / "view.png").write_bytes(_picture())
    chat = stage.ask(FolderByName(CHAT))
    assert chat is not None
    stage.ask(ExportFolder(folder=chat.pk, format=Format.STBME, path=folder / "graph.json"))
    graph = json.loads((folder / "graph.json").read_text("utf-8"))
    if not graph.get("nodes"):
        raise StepFailed("the exported graph is empty")


def _picture() -> bytes:
    """A PNG of one grey pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\x00\x80"))
        + chunk(b"IEND", b"")
    )


def _drop(stage: Stage, folder: Path) -> None:
    """Hover with a directory over the window and let it go, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    hover = QDragEnterEvent(QPoint(200, 200), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(stage.window, hover)
    stage.pause()
    drop = QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, buttons, keys, QEvent.Type.Drop)
    QApplication.sendEvent(stage.window, drop)


STEPS: tuple[tuple[str, Step], ...] = (
    ("70-drop", drop_a_folder),
    ("71-queue", queue_works),
    ("72-answered", answer),
    ("73-pieces", pieces),
    ("74-cut", cut_again),
    ("75-versions", cut_done),
    ("76-drop-undone", drop_undone),
)
