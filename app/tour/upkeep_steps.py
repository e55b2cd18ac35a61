"""Upkeep and Review: promote, forget, sum up, look at the proposal, apply it, take it back; each checked in the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.tour.stage import Stage
from core.domain.enums import Layer, Status, StatusReason
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.proposal import CreatePart
from core.domain.queries import FolderByName, ListMemories, Memories, MemoryFilter
from core.domain.queries_proposals import CountWaiting, ProposalOf
from core.domain.queries_upkeep import ForgetPlan, TrialPlan
from ui.views.review.page import ReviewPage
from ui.views.upkeep.compress import CompressTask
from ui.views.upkeep.forget import ForgetTask
from ui.views.upkeep.page import UpkeepPage
from ui.views.upkeep.promote import PROMOTE, PromoteTask

CHAT = "聊天/雾港来信"
FORGET_STEP = 0.05
PROMOTED = 2
W = TypeVar("W", bound=QWidget)
Step = Callable[[Stage], None]


def _upkeep(stage: Stage, task_id: str, kind: type[W]) -> W:
    stage.session.show_page("upkeep")
    page = stage.session.page("upkeep")
    assert isinstance(page, UpkeepPage)
    page.show_task(task_id)
    task = page.task(task_id)
    assert isinstance(task, kind)
    return task


def _memories(stage: Stage, pks: tuple[MemoryPk, ...]) -> tuple[Memory, ...]:
    return stage.ask(Memories(pks))


def _chat(stage: Stage) -> FolderPk:
    folder = stage.ask(FolderByName(CHAT))
    assert folder is not None
    return folder.pk


def promote(stage: Stage) -> None:
    """Memories on trial with their numbers; two get a verdict by key, one change carries all out."""
    task = _upkeep(stage, "promote", PromoteTask)
    stage.until(lambda: task.plan is not None and len(task.table.rows.pks) > 0, "the memories on trial")
    stage.expect(len(task.table.rows.pks), len(stage.ask(TrialPlan()).rows), "rows of the plan")
    QTest.keyClick(task.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(task.table, Qt.Key.Key_K)
    for row in range(PROMOTED):
        task.table.selectRow(row)
        QTest.keyClick(task.table, Qt.Key.Key_P)
    chosen = tuple(MemoryPk(pk) for pk in task.table.rows.picked(PROMOTE).tolist())
    stage.expect(len(chosen), PROMOTED, "memories to be promoted")
    stage.notes["promoted"] = chosen
    stage.pause()


def promoted(stage: Stage) -> None:
    """Apply: the two are long-term, the others stay on trial."""
    task = _upkeep(stage, "promote", PromoteTask)
    chosen = stage.notes["promoted"]
    assert isinstance(chosen, tuple)
    stage.click(task.apply_button)
    stage.until(lambda: all(m.layer is Layer.MEMORY for m in _memories(stage, chosen)), "the promotion")
    stage.until(lambda: len(task.table.rows.pks) == len(stage.ask(TrialPlan()).rows), "the plan anew")
    stage.act("edit.undo")
    stage.until(lambda: all(m.layer is Layer.EMERGENT for m in _memories(stage, chosen)), "the undo")


def forget(stage: Stage) -> None:
    """The line in the histogram is moved until some memories lie below it; they are ticked."""
    task = _upkeep(stage, "forget", ForgetTask)
    stage.until(lambda: task.plan is not None, "the retention values")
    assert task.plan is not None
    lowest = float(task.plan.retention[0])
    task.threshold.setValue(lowest + FORGET_STEP)
    stage.until(lambda: len(task.table.rows.picked(1)) > 0, "memories below the line")
    plan = stage.ask(ForgetPlan())
    below = sum(value < task.threshold.value() for value in plan.retention.tolist())
    ticked = tuple(MemoryPk(pk) for pk in task.table.rows.picked(1).tolist())
    stage.expect(len(ticked), below, "memories below the line")
    stage.notes["forgotten"] = ticked


def remembered(stage: Stage) -> None:
    """Apply: they are archived as forgotten. Undo: all of them are in use again."""
    ticked = stage.notes["forgotten"]
    assert isinstance(ticked, tuple)
    stage.click(_upkeep(stage, "forget", ForgetTask).apply_button)
    stage.until(
        lambda: all(m.status_reason is StatusReason.FORGOTTEN for m in _memories(stage, ticked)), "forgetting"
    )
    stage.act("edit.undo")
    stage.until(lambda: all(m.status is Status.ACTIVE for m in _memories(stage, ticked)), "the undo")


def compress(stage: Stage) -> None:
    """The oldest events of a chat in groups; two are summed up. Nothing changes yet."""
    task = _upkeep(stage, "compress", CompressTask)
    stage.until(lambda: task.folder.findData(_chat(stage)) >= 0, "the folders")
    task.folder.choose(_chat(stage))
    task.folder.picked.emit()
    stage.until(lambda: len(task.tree.chosen()) > 2, "the groups")
    groups = [item for item in task.tree.groups() if item.checkState(0) == Qt.CheckState.Checked]
    for item in groups[2:]:
        item.setCheckState(0, Qt.CheckState.Unchecked)
    groups[0].setExpanded(True)
    chosen = task.tree.chosen()
    stage.notes["groups"] = tuple(group.memories for group in chosen)
    waiting = stage.ask(CountWaiting())
    active = MemoryFilter(statuses=frozenset({Status.ACTIVE}))
    before = len(stage.ask(ListMemories(active)))
    stage.pause()
    stage.click(task.apply_button)
    stage.until(lambda: stage.ask(CountWaiting()) == waiting + 1, "the proposal")
    stage.expect(len(stage.ask(ListMemories(active))), before, "memories in use")


def review(stage: Stage) -> None:
    """The proposal beside the memories it was made from, with what the summaries lost underlined."""
    page = stage.session.page("review")
    assert isinstance(page, ReviewPage)
    stage.until(lambda: page.proposal.view is not None, "the proposal")
    view = page.proposal.view
    assert view is not None
    stored = stage.ask(ProposalOf(view.proposal.pk))
    sums = tuple(part.sums for part in stored.proposal.parts if isinstance(part, CreatePart))
    stage.expect(sums, stage.notes["groups"], "memories of the summaries")
    stage.until(page.proposal.source.hint.isVisible, "what was lost")
    parts = page.proposal.tree
    stage.expect(parts.header().length(), parts.viewport().width(), "width of the columns of the parts")


def applied(stage: Stage) -> None:
    """Apply: the memories lie below their summaries. Undo: they are in use again, and the parts wait."""
    page = stage.session.page("review")
    assert isinstance(page, ReviewPage)
    view, groups = page.proposal.view, stage.notes["groups"]
    assert view is not None
    assert isinstance(groups, tuple)
    children = tuple(pk for group in groups for pk in group)
    stage.click(page.proposal.apply_button)
    stage.until(
        lambda: all(m.status_reason is StatusReason.COMPRESSED for m in _memories(stage, children)),
        "the compression",
    )
    stage.act("edit.undo")
    stage.until(lambda: all(m.status is Status.ACTIVE for m in _memories(stage, children)), "the undo")
    stage.until(lambda: bool(stage.ask(ProposalOf(view.proposal.pk)).proposal.waiting), "the parts")
    page.show_proposal(view.proposal.pk)
    shown = page.proposal
    stage.until(lambda: shown.view is not None and bool(shown.view.proposal.waiting), "the proposal anew")
    stage.until(shown.dismiss_button.isEnabled, "its buttons")
    stage.click(shown.dismiss_button)
    stage.until(lambda: not stage.ask(ProposalOf(view.proposal.pk)).proposal.waiting, "the dismissal")


STEPS: tuple[tuple[str, Step], ...] = (
    ("60-promote", promote),
    ("61-promoted", promoted),
    ("62-forget", forget),
    ("63-remembered", remembered),
    ("64-compress", compress),
    ("65-review", review),
    ("66-applied", applied),
)
