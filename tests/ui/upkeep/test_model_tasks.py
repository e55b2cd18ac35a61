"""Synopsis and the others on the page Upkeep: a proposal, or why there is none; the graph of a chat anew."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.domain.commands_folders import CreateFolder
from core.domain.enums import FolderKind, Role
from core.domain.errors import Unavailable
from core.domain.folder import Message
from core.domain.proposal import ProposalKind
from core.domain.queries_proposals import Proposals
from core.ports.store import OpDraft
from tests.fakes.model import ScriptedModel
from tests.ui.upkeep.conftest import Bench
from ui.views.upkeep.model_tasks import RebuildGraphTask, SynopsisTask


def test_a_synopsis_is_suggested_without_any_model_and_nothing_is_changed(bench: Bench) -> None:
    for at in range(4):
        bench.create(body=f"The bell rang {at} times in the night of the fair.", seq=at)
    task, shown = SynopsisTask(bench.context, bench.operations), list[int]()
    task.open_proposal.connect(shown.append)
    bench.show(task)
    bench.until(task.run_button.isEnabled)
    assert "built-in" in task.by.text()
    before = bench.dump()
    QTest.mouseClick(task.run_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bool(shown))
    assert bench.dump() == before
    (row,) = bench.library.engine.ask(Proposals())
    assert (row.pk, row.kind) == (shown[0], ProposalKind.SYNOPSIS)
    bench.until(lambda: task.list.topLevelItemCount() == 1)


def test_too_few_events_are_said_in_words(bench: Bench) -> None:
    bench.create(body="The bell rang.", seq=1)
    task = SynopsisTask(bench.context, bench.operations)
    bench.show(task)
    bench.until(task.run_button.isEnabled)
    bench.settle()
    QTest.mouseClick(task.run_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: "3" in task.stack.notice.message.text())
    assert bench.library.engine.ask(Proposals()) == ()


def test_a_chat_is_read_again_and_a_folder_without_one_says_so(bench: Bench) -> None:
    task, shown = RebuildGraphTask(bench.context, bench.operations), list[int]()
    task.open_proposal.connect(shown.append)
    bench.show(task)
    bench.until(lambda: "no chat" in task.plan_label.text())
    assert not task.run_button.isEnabled()
    folder = bench.library.engine.run(CreateFolder("chat", kind=FolderKind.CHAT)).created_folder
    assert folder is not None
    floors = [
        Message(
            folder=folder,
            seq=seq,
            role=Role.ASSISTANT if seq % 2 else Role.USER,
            name="艾琳",
            text=f"艾琳在钟楼发现了第 {seq} 道暗门。" * 3,
        )
        for seq in range(6)
    ]
    bench.library.store.write(
        OpDraft("op.import", bench.library.engine.actor), lambda uow: uow.insert(floors)
    )
    bench.library.engine.run(CreateFolder("later"))  # what the store wrote by itself told nobody
    bench.until(lambda: task.folder.findData(folder) >= 0)
    task.folder.choose(folder)
    bench.until(task.run_button.isEnabled)
    assert "floors" in task.plan_label.text()
    QTest.mouseClick(task.run_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: bool(shown))
    assert bench.library.engine.ask(Proposals())[0].kind is ProposalKind.EXTRACTION


def test_the_first_chat_is_chosen_and_a_model_that_is_gone_is_named(bench: Bench) -> None:
    engine = bench.library.engine
    engine.run(CreateFolder("a folder that comes before"))
    folder = engine.run(CreateFolder("a folder with a talk", kind=FolderKind.CHAT)).created_folder
    assert folder is not None
    floors = [
        Message(folder=folder, seq=seq, role=role, name="艾琳", text="艾琳在钟楼发现了暗门。")
        for seq, role in enumerate((Role.USER, Role.ASSISTANT))
    ]
    bench.library.store.write(OpDraft("op.import", engine.actor), lambda uow: uow.insert(floors))
    bench.library.extracting.instead = ScriptedModel([Unavailable("model", "connection refused")] * 9)
    task, shown = RebuildGraphTask(bench.context, bench.operations), list[int]()
    task.open_proposal.connect(shown.append)
    bench.show(task)
    bench.until(task.run_button.isEnabled)
    assert task.folder.folder == folder
    QTest.mouseClick(task.run_button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not task.run_button.isHidden() and task.run_button.isEnabled() and task._task is None)
    bench.settle()
    assert shown == []
    assert task.stack.notice.message.text()
    assert task.stack.notice.message.text() != bench.context.tr("model_task.none")
