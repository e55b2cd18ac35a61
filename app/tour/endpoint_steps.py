"""The whole chain with a language model: chosen, a chat extracted, recalled, summed up, forgotten, vectors anew.

After each change undo brings back the equal library (DESIGN §3), and redo goes on. The steps look at what the
store says and at no wording, so that they also hold for a real model whose replies are worth nothing: where it
gave nothing to go on with, the built-in extractor does.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox, QWidget

from app import library_place
from app.tour.scripted_endpoint import MODEL, QUESTION, STORY, TOWER
from app.tour.stage import Stage, StepFailed
from core import model_settings
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_transfer import ApplyImport
from core.domain.endpoints import BUILTIN, PRESETS, EndpointKind, ModelTask
from core.domain.enums import StatusReason
from core.domain.health import RebuildScope, RebuildState
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import (
    Counts,
    FolderByName,
    Folders,
    LibraryPath,
    ListMemories,
    Memories,
    MemoryFilter,
)
from core.domain.queries_extract import Reach, RunExtraction
from core.domain.queries_health import CurrentRebuild
from core.domain.queries_models import ModelUsage
from core.domain.queries_proposals import ProposalOf, Proposals
from core.domain.queries_recall import Recall
from core.domain.queries_transfer import ReadFile
from ui.views.chats.page import ChatsPage
from ui.views.health.page import REBUILD
from ui.views.review.page import ReviewPage
from ui.views.settings.dialog import MODELS, SettingsDialog
from ui.views.upkeep.compress import CompressTask
from ui.views.upkeep.forget import ForgetTask
from ui.views.upkeep.page import UpkeepPage

NAME = "Tour"
CHAT = "聊天/雾港来信"
MODEL_MS = 600_000
"""A real model on a slow machine may take its time."""
LONGEST_TOKENS = 300
"""A model that does not know when to stop is cut off here."""
FORGET_STEP = 0.05
W = TypeVar("W", bound=QWidget)
Step = Callable[[Stage], None]


def _rows(stage: Stage) -> object:
    return library_place.rows_of(stage.ask(LibraryPath()))


def _keep(stage: Stage) -> None:
    """Remember the library as it is before a change."""
    stage.notes["equal"] = _rows(stage)


def _there_and_back(stage: Stage) -> None:
    """Undo gives the library of before, redo the one of now."""
    before, now = stage.notes["equal"], _rows(stage)
    if before == now:
        raise StepFailed("the change changed nothing")
    stage.act("edit.undo")
    stage.until(lambda: _rows(stage) == before, "the equal library after undo")
    stage.act("edit.redo")
    stage.until(lambda: _rows(stage) == now, "the equal library after redo")


def _folder(stage: Stage) -> FolderPk:
    folder = stage.notes["story"]
    assert isinstance(folder, int)
    return FolderPk(folder)


def _of_folder(stage: Stage) -> tuple[MemoryPk, ...]:
    where = MemoryFilter(folders=frozenset({_folder(stage)}))
    return tuple(MemoryPk(pk) for pk in stage.ask(ListMemories(where)))


def _page(stage: Stage, name: str, kind: type[W]) -> W:
    page = stage.session.page(name)
    assert isinstance(page, kind)
    return page


def _task(stage: Stage, name: str, kind: type[W]) -> W:
    stage.session.show_page("upkeep")
    page = _page(stage, "upkeep", UpkeepPage)
    page.show_task(name)
    task = page.task(name)
    assert isinstance(task, kind)
    return task


def choose(stage: Stage) -> None:
    """Settings: an endpoint is added, tested and saved, and then serves every task."""
    stage.act("window.settings")
    dialog = stage.dialog(SettingsDialog)
    dialog.show_page(MODELS)
    models, form = dialog.models, dialog.models.form
    models.add_preset(PRESETS[0])
    for field, text in ((form.name, NAME), (form.url, stage.endpoint.url)):
        field.clear()
        stage.type_into(field, text)
    form.model.setEditText(stage.endpoint.model)
    longest = form.more["max_tokens"]
    assert isinstance(longest, QSpinBox)
    longest.setValue(LONGEST_TOKENS)
    stage.click(form.test)
    stage.until(lambda: len(form.results.lines) > 1, "the test of the connection", MODEL_MS)
    stage.notes["tested"] = tuple(form.results.lines)


def chosen(stage: Stage) -> None:
    """Saved: each task is served by it."""
    dialog = stage.dialog(SettingsDialog)
    stage.click(dialog.models.form.save)
    settings = stage.session.context.settings
    (endpoint,) = model_settings.endpoints(settings, EndpointKind.CHAT)
    served = {model_settings.served_by(settings, task) for task in ModelTask}
    stage.expect(served, {endpoint.id}, "who serves the tasks")


def extract(stage: Stage) -> None:
    """A chat with a known place comes in; the model makes a proposal of it, and nothing changes yet."""
    stage.dialog(SettingsDialog).close()
    stage.no_dialog()
    _take_story_in(stage)
    folder = _folder(stage)
    stage.session.show_page("chats")
    page = _page(stage, "chats", ChatsPage)
    stage.until(lambda: any(row.folder.pk == folder for row in page.chats.rows), "the chat")
    page.go_to(folder, 0)
    stage.until(lambda: page.extract.plan is not None and page.extract.folder == folder, "the plan")
    known = {row.pk for row in stage.ask(Proposals(state=None))}
    before = stage.ask(Counts()).memories
    page.extract.ways[Reach.ALL].trigger()
    stage.until(lambda: not page.extract.running, "the extraction", MODEL_MS)
    stage.expect(stage.ask(Counts()).memories, before, "memories before anything is applied")
    new = {row.pk for row in stage.ask(Proposals())} - known
    stage.expect(_calls(stage, ModelTask.EXTRACT) > 0, True, "calls of the model")
    if _waiting(stage, new):
        stage.expect(_rows(stage) == stage.notes["equal"], True, "the library before it is applied is equal")
    else:  # floors in which the model found nothing count as read: a change of its own
        new |= _built_in(stage, folder)
    stage.notes["proposal"] = max(pk for pk in new if stage.ask(ProposalOf(pk)).proposal.waiting)
    _show(stage)


def _take_story_in(stage: Stage) -> None:
    path = stage.place / "钟楼.jsonl"
    lines: list[dict[str, object]] = [{"user_name": "User", "character_name": "艾琳"}]
    for question, answer in STORY:
        lines += [
            {"name": "User", "is_user": True, "mes": question, "send_date": "2026-01-01 10:00"},
            {"name": "艾琳", "is_user": False, "mes": answer, "send_date": "2026-01-01 10:01"},
        ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    known = {node.folder.pk for node in stage.ask(Folders())}
    stage.engine.run(ApplyImport(stage.ask(ReadFile(path))))
    (folder,) = (n.folder.pk for n in stage.ask(Folders()) if n.folder.pk not in known and n.messages)
    stage.notes["story"] = int(folder)
    place = NewMemory(
        folder=folder, type=TypeId("location"), title=TOWER, fields={"state": "尘封多年"}, seq=0
    )
    stage.engine.run(CreateMemory(place))
    _keep(stage)


def _waiting(stage: Stage, proposals: set[int]) -> bool:
    return any(stage.ask(ProposalOf(pk)).proposal.waiting for pk in proposals)


def _built_in(stage: Stage, folder: FolderPk) -> set[int]:
    """What the built-in extractor makes of the same chat."""
    settings = stage.session.context.settings
    who = model_settings.served_by(settings, ModelTask.EXTRACT)
    model_settings.choose(settings, ModelTask.EXTRACT, BUILTIN)
    report = stage.ask(RunExtraction(folder=folder, reach=Reach.REBUILD))
    model_settings.choose(settings, ModelTask.EXTRACT, who)
    if report.proposal is None:
        raise StepFailed("neither the model nor the program made a proposal")
    return {report.proposal}


def _calls(stage: Stage, task: ModelTask) -> int:
    return sum(row.usage.calls for row in stage.ask(ModelUsage()) if row.task == task.value)


def _show(stage: Stage) -> None:
    """The proposal on the page Review."""
    proposal = stage.notes["proposal"]
    assert isinstance(proposal, int)
    stage.session.show_page("review")
    page = _page(stage, "review", ReviewPage)
    page.show_proposal(proposal)
    stage.until(
        lambda: page.proposal.view is not None and page.proposal.view.proposal.pk == proposal, "the proposal"
    )


def applied(stage: Stage) -> None:
    """Apply what is ticked: one change. Undo: the library of before. Redo."""
    before = _of_folder(stage)
    _keep(stage)
    _apply(stage)
    if stage.endpoint.model == MODEL:
        kinds = Counter(str(memory.type) for memory in stage.ask(Memories(_of_folder(stage))))
        stage.expect(
            (kinds["location"], kinds["thread"]), (1, 1), "places (the tower has no twin) and storylines"
        )
        stage.expect(kinds["event"] >= len(STORY), True, "events of the turns")
    _there_and_back(stage)
    if _of_folder(stage) == before:
        raise StepFailed("nothing came of the proposal")


def _apply(stage: Stage) -> None:
    page, pk = _page(stage, "review", ReviewPage), stage.notes["proposal"]
    assert isinstance(pk, int)
    if not page.proposal.apply_button.isEnabled():
        stage.click(page.proposal.tick_button)
        stage.until(page.proposal.apply_button.isEnabled, "a part with a tick")
    stage.click(page.proposal.apply_button)
    stage.until(lambda: not stage.ask(ProposalOf(pk)).proposal.waiting, "the proposal to be applied")


def recall(stage: Stage) -> None:
    """The next question about it: what came of the chat is in the prompt."""
    folder = _folder(stage)
    stage.session.show_page("recall")
    page = stage.session.recall
    request = page.body.request
    stage.until(lambda: request.folder.findData(int(folder)) >= 0, "the folder")
    request.folder.setCurrentIndex(request.folder.findData(int(folder)))
    request.message.clear()
    stage.type_into(request.message, QUESTION)

    def answered() -> bool:
        view = page.view
        return view is not None and view.result.request.message == QUESTION

    stage.until(answered, "the recall", MODEL_MS)
    stage.until(lambda: page.body.request.folder_pk == folder, "the folder of the request")
    text = stage.ask(Recall(page.body.request.request())).injection.text
    stage.until(lambda: page.body.injection.text.text() == text, "the injection text")
    if stage.endpoint.model == MODEL:
        missing = [word for word in (TOWER, "地下入口", "失踪案") if word not in text]
        stage.expect(missing, [], "what the injection leaves out")


def compress(stage: Stage) -> None:
    """Its events are summed up by the model; the proposal waits."""
    task = _task(stage, "compress", CompressTask)
    stage.until(lambda: task.folder.findData(_folder(stage)) >= 0, "the folders")
    task.forced.setChecked(True)
    if not _groups(stage, task, _folder(stage)) and stage.endpoint.model != MODEL:
        sample = stage.ask(FolderByName(CHAT))  # what came of the story is too little for a group
        assert sample is not None
        _groups(stage, task, sample.pk)
    for item in task.tree.groups()[1:]:
        item.setCheckState(0, Qt.CheckState.Unchecked)
    (group,) = task.tree.chosen()
    stage.notes["group"] = group.memories
    known = {row.pk for row in stage.ask(Proposals(state=None))}
    _keep(stage)
    _suggest(stage, task)
    stage.expect(_calls(stage, ModelTask.COMPRESS) > 0, True, "calls of the model")
    if {row.pk for row in stage.ask(Proposals(state=None))} == known and stage.endpoint.model != MODEL:
        settings = stage.session.context.settings
        who = model_settings.served_by(settings, ModelTask.COMPRESS)
        model_settings.choose(settings, ModelTask.COMPRESS, BUILTIN)
        _suggest(stage, task)
        model_settings.choose(settings, ModelTask.COMPRESS, who)
    stage.expect(_rows(stage), stage.notes["equal"], "the library before it is applied")
    made = {row.pk for row in stage.ask(Proposals(state=None))} - known
    if not made:
        raise StepFailed("no summary was suggested")
    stage.notes["proposal"] = max(made)
    _show(stage)


def _groups(stage: Stage, task: CompressTask, folder: FolderPk) -> bool:
    """The groups of a folder's memories; whether there are any."""
    task.folder.choose(folder)
    task.folder.picked.emit()
    stage.until(lambda: stage.session.context.tasks.busy == 0, "the groups")
    return bool(task.tree.chosen())


def _suggest(stage: Stage, task: CompressTask) -> None:
    """Ask for summaries of the ticked groups, and wait for what comes: a proposal, or words why there is none."""
    stage.until(lambda: task.apply_button.isEnabled() and bool(task.tree.chosen()), "the groups")
    stage.click(task.apply_button)
    stage.until(lambda: stage.session.context.tasks.busy == 0, "the summaries", MODEL_MS)


def summed_up(stage: Stage) -> None:
    """Apply: the events lie below their summary. Undo and redo."""
    _apply(stage)
    group = stage.notes["group"]
    assert isinstance(group, tuple)
    reasons = {memory.status_reason for memory in stage.ask(Memories(group))}
    stage.expect(reasons, {StatusReason.COMPRESSED}, "the memories of the group, below their summary")
    _there_and_back(stage)


def forget(stage: Stage) -> None:
    """Memories below the line are archived as forgotten. Undo and redo."""
    task = _task(stage, "forget", ForgetTask)
    stage.until(lambda: task.plan is not None and len(task.plan.retention) > 0, "the retention values")
    assert task.plan is not None
    task.threshold.setValue(float(task.plan.retention[0]) + FORGET_STEP)
    stage.until(lambda: len(task.table.rows.picked(1)) > 0, "memories below the line")
    ticked = tuple(MemoryPk(pk) for pk in task.table.rows.picked(1).tolist())
    _keep(stage)
    stage.click(task.apply_button)
    stage.until(
        lambda: all(m.status_reason is StatusReason.FORGOTTEN for m in stage.ask(Memories(ticked))),
        "forgetting",
    )
    _there_and_back(stage)


def rebuild(stage: Stage) -> None:
    """All vectors are made anew beside those in use, compared, and taken; no memory changes by it."""
    _keep(stage)
    stage.until(lambda: stage.ask(Counts()).waiting_for_index == 0, "the vectors")
    stage.act("library.health")
    page = stage.session.health
    page.tabs.setCurrentIndex(REBUILD)
    stage.pause()
    tab = page.rebuild
    tab.buttons[RebuildScope.ALL].click()
    stage.click(tab.do["start"])
    stage.until(lambda: _state(stage) is RebuildState.READY, "the new vectors", MODEL_MS)
    stage.until(tab.do["accept"].isVisible, "the figures of both")


def rebuilt(stage: Stage) -> None:
    """The new vectors come into use; then the endpoint goes, and everything is as before it came."""
    tab = stage.session.health.rebuild
    stage.click(tab.do["accept"])
    stage.until(lambda: stage.ask(CurrentRebuild()) is None, "the swap")
    stage.expect(_rows(stage), stage.notes["equal"], "the library after new vectors")
    settings = stage.session.context.settings
    (endpoint,) = model_settings.endpoints(settings, EndpointKind.CHAT)
    model_settings.remove_endpoint(settings, endpoint.id)
    stage.expect(
        {model_settings.served_by(settings, task) for task in ModelTask}, {BUILTIN}, "who serves now"
    )


def _state(stage: Stage) -> RebuildState | None:
    job = stage.ask(CurrentRebuild())
    return None if job is None else job.state


STEPS: tuple[tuple[str, Step], ...] = (
    ("86-endpoint", choose),
    ("87-endpoint-chosen", chosen),
    ("88-endpoint-extract", extract),
    ("89-endpoint-applied", applied),
    ("90-endpoint-recall", recall),
    ("91-endpoint-compress", compress),
    ("92-endpoint-summed-up", summed_up),
    ("93-endpoint-forget", forget),
    ("94-endpoint-rebuild", rebuild),
    ("95-endpoint-rebuilt", rebuilt),
)
