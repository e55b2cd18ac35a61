"""The desk: choose, open the sample, import a file, search, read, edit, move, trash, undo, history."""

from __future__ import annotations

from collections.abc import Callable

from app.tour.stage import Stage
from core.domain.commands_folders import CreateFolder
from core.domain.ids import MemoryPk
from core.domain.queries import Counts, FolderByName, ListMemories, Memories, MemoryDetailOf, MemoryFilter
from core.domain.queries_history import History
from core.domain.queries_transfer import ExportFolder
from core.domain.transfer import Format
from ui.dialogs.importing import ImportDialog
from ui.dialogs.move import MoveDialog

SEARCHED = "怀表"
EDITED = "The tour wrote this sentence. 这句话是导览写的。"
CHAT = "聊天/雾港来信"


def choose(stage: Stage) -> None:
    """First start: what the program offers."""
    stage.until(lambda: stage.window.session is None, "the chooser")


def open_sample(stage: Stage) -> None:
    """Open a copy of the sample library; the list fills."""
    stage.window.open_sample(reset=False)
    stage.until(lambda: stage.window.session is not None, "the library")
    stage.until(lambda: stage.session.memories.model.rowCount() > 0, "the list")
    listed = stage.session.memories.model.rowCount()
    stage.expect(listed, len(stage.ask(ListMemories())), "rows of the list")
    undo = stage.session.context.actions.get("edit.undo")
    stage.expect(undo.isEnabled(), False, "something to undo in a sample nobody touched")


def look_at_a_file(stage: Stage) -> None:
    """Choose a real file: the dry run says what is in it; nothing is written."""
    folder = stage.ask(FolderByName(CHAT))
    assert folder is not None
    path = stage.place / "harbour.json"
    stage.ask(ExportFolder(folder=folder.pk, format=Format.STBME, path=path))
    stage.notes["before_import"] = stage.ask(Counts()).memories
    stage.session.show_import(path)
    dialog = stage.dialog(ImportDialog)
    stage.until(dialog.ready, "the dry run")
    stage.expect(stage.ask(Counts()).memories, stage.notes["before_import"], "memories after a dry run")


def import_it(stage: Stage) -> None:
    """Import: one change, all memories of the file there."""
    dialog = stage.dialog(ImportDialog)
    plan = dialog.plan
    assert plan is not None
    stage.click(dialog.main_button)
    stage.until(lambda: dialog.imported is not None, "the import")
    came = sum(1 for memory in plan.memories if memory.deleted_at is None)
    before = stage.notes["before_import"]
    assert isinstance(before, int)
    stage.expect(stage.ask(Counts()).memories, before + came, "memories after the import")


def search(stage: Stage) -> None:
    """Search a two-character Chinese word."""
    stage.dialog(ImportDialog).reject()
    stage.no_dialog()
    field = stage.window.top.search
    stage.type_into(field, SEARCHED)
    wanted = tuple(stage.ask(ListMemories(MemoryFilter(text=SEARCHED))))
    stage.until(lambda: stage.session.memories.model.rowCount() == len(wanted), "the hits")
    stage.expect(set(stage.session.memories.model.pks), set(wanted), "hits of the search")


def read(stage: Stage) -> None:
    """Read the first hit."""
    memories = stage.session.memories
    first = memories.model.pk_at(0)
    assert first is not None
    memories.table.select((first,))
    stage.until(lambda: stage.session.detail.memory == first, "the detail view")
    stage.notes["edited"] = first


def edit(stage: Stage) -> None:
    """Edit its text and save."""
    pk = stage.notes["edited"]
    assert isinstance(pk, int)
    before = stage.ask(MemoryDetailOf(MemoryPk(pk))).memory
    detail = stage.session.detail
    detail.edit()
    stage.pause()
    stage.notes["body"] = before.body
    detail.editor.form.set_value("body", before.body + "\n" + EDITED)
    stage.pause()
    stage.click(detail.editor.save_button)
    stage.until(
        lambda: EDITED in stage.ask(MemoryDetailOf(MemoryPk(pk))).memory.body, "the edit in the store"
    )
    after = stage.ask(MemoryDetailOf(MemoryPk(pk))).memory
    stage.expect(after.body, before.body + "\n" + EDITED, "text after the edit")
    stage.expect(after.title, before.title, "title after the edit")


def move(stage: Stage) -> None:
    """Select the hits and choose a folder to move them to."""
    memories = stage.session.memories
    picked = tuple(memories.model.pks)[:5]
    stage.notes["picked"] = picked
    stage.notes["folders"] = {memory.pk: memory.folder for memory in stage.ask(Memories(_pks(picked)))}
    stage.engine.run(CreateFolder("聊天/怀表"))
    stage.pause()
    memories.table.select(_pks(picked))
    stage.pause()
    stage.act("memory.move")
    dialog = stage.dialog(MoveDialog)
    stage.type_into(dialog.picker.search, "怀表")
    stage.until(dialog.ready, "a folder to be picked")


def moved(stage: Stage) -> None:
    """Move them: all lie in the folder, and only they."""
    stage.click(stage.dialog(MoveDialog).main_button)
    stage.no_dialog()
    folder = stage.ask(FolderByName("聊天/怀表"))
    assert folder is not None
    there = stage.ask(ListMemories(MemoryFilter(folders=frozenset({folder.pk}))))
    picked = stage.notes["picked"]
    assert isinstance(picked, tuple)
    stage.expect(set(there), set(picked), "memories in the new folder")


def trash(stage: Stage) -> None:
    """Put some into the trash; they are out of the list."""
    picked = stage.notes["picked"]
    assert isinstance(picked, tuple)
    before = stage.ask(Counts()).trashed
    stage.window.top.search.clear()
    stage.until(lambda: stage.session.memories.model.rowCount() > len(picked), "the whole list")
    stage.session.memories.table.select(_pks(picked[:3]))
    stage.pause()
    stage.act("memory.trash")
    stage.until(lambda: stage.ask(Counts()).trashed == before + 3, "the trash")
    stage.expect(set(picked[:3]) & set(stage.ask(ListMemories())), set(), "trashed memories in the list")


def undo(stage: Stage) -> None:
    """Undo trash and move: everything lies where it lay."""
    folders = stage.notes["folders"]
    picked = stage.notes["picked"]
    assert isinstance(folders, dict)
    assert isinstance(picked, tuple)
    for _ in range(2):
        newest = len(stage.ask(History()))
        stage.act("edit.undo")
        stage.until(lambda seen=newest: len(stage.ask(History())) > seen, "the undo")  # type: ignore[misc]
    back = {memory.pk: memory.folder for memory in stage.ask(Memories(_pks(picked)))}
    stage.expect(back, folders, "folders after undo")
    stage.expect(len(stage.ask(Memories(_pks(picked)))), len(picked), "memories after undo")


def history(stage: Stage) -> None:
    """The history page names every change."""
    stage.session.show_page("history")
    stage.pause()
    entries = stage.ask(History())
    stage.expect(entries[0].op.role.value, "undo", "newest change")


def _pks(values: tuple[int, ...]) -> tuple[MemoryPk, ...]:
    return tuple(MemoryPk(value) for value in values)


Step = Callable[[Stage], None]

STEPS: tuple[tuple[str, Step], ...] = (
    ("01-chooser", choose),
    ("02-memories", open_sample),
    ("03-import-plan", look_at_a_file),
    ("04-imported", import_it),
    ("05-search", search),
    ("06-read", read),
    ("07-edit", edit),
    ("08-move", move),
    ("09-moved", moved),
    ("10-trash", trash),
    ("11-undo", undo),
    ("12-history", history),
)
