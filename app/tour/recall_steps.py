"""The Recall page: ask, see why, bring a memory in, read the text, compare, count, look back."""

from __future__ import annotations

import time
from dataclasses import replace

from app.tour.stage import Stage, StepFailed
from core.domain.ids import MemoryPk
from core.domain.queries import Counts, FolderByName, Memories
from core.domain.queries_recall import LastInjection, Recall, RecallHistoryOf, RecallRuns, WhyNot
from core.domain.recall import RecallResult, Remedy
from ui.models.recall_results import ResultRow, RowKind
from ui.views.detail import RECALL
from ui.views.recall.page import RecallPage

CHAT = "聊天/雾港来信"
QUESTION = "老师傅的怀表和铜片，为什么雾天要停渡？"
RECALL_S = 2.0


def _page(stage: Stage) -> RecallPage:
    return stage.session.recall


def _rows(stage: Stage, kind: RowKind) -> list[ResultRow]:
    model = _page(stage).body.results.results
    rows = [model.row(model.index(at)) for at in range(model.rowCount())]
    return [row for row in rows if row is not None and row.kind is kind]


def _recalled(stage: Stage) -> tuple[MemoryPk, ...]:
    return tuple(row.pk for row in _rows(stage, RowKind.RECALLED) if row.pk is not None)


def _stored(stage: Stage) -> RecallResult:
    """What the engine answers to the request that stands on the page."""
    return stage.ask(Recall(_page(stage).body.request.request()))


def _agrees(stage: Stage) -> bool:
    return _recalled(stage) == tuple(each.pk for each in _stored(stage).selected)


def look(stage: Stage) -> None:
    """The page opens with the last message of the chat; the list is what the engine recalls."""
    folder = stage.ask(FolderByName(CHAT))
    assert folder is not None
    stage.session.context.settings.set("ui.recall_folder", str(folder.pk))
    stage.until(lambda: stage.ask(Counts()).waiting_for_index == 0, "the vectors")
    stage.notes["runs"] = len(stage.ask(RecallRuns()))
    stage.session.show_page("recall")
    page = _page(stage)
    stage.until(lambda: page.view is not None, "a recall")
    stage.until(lambda: _agrees(stage), "the recalled memories")
    stage.expect(page.body.request.folder_pk, folder.pk, "folder of the request")


def question(stage: Stage) -> None:
    """Ask something else: list and text follow, and nothing is written."""
    page = _page(stage)
    page.body.request.message.clear()
    stage.type_into(page.body.request.message, QUESTION)
    stage.until(lambda: page.view is not None and page.view.result.request.message == QUESTION, "the answer")
    stage.until(lambda: _agrees(stage), "the recalled memories")
    stage.expect(page.body.injection.text.text(), _stored(stage).injection.text, "injection text")
    stage.expect(len(stage.ask(RecallRuns())), stage.notes["runs"], "kept runs after previews")
    page.body.results.select(_recalled(stage)[0])


def left_out(stage: Stage) -> None:
    """Among those left out: the stage that dropped a memory, and what would bring it in."""
    page = _page(stage)
    results = page.body.results
    rows = _rows(stage, RowKind.LEFT_OUT)
    first = results.results.index_of(rows[0].pk) if rows and rows[0].pk is not None else None
    if first is None:
        raise StepFailed("nothing was left out")
    results.scrollTo(first, results.ScrollHint.PositionAtTop)
    stage.until(lambda: _rows(stage, RowKind.LEFT_OUT)[0].answer is not None, "its remedy")
    request = page.body.request.request()
    for row in _rows(stage, RowKind.LEFT_OUT):
        if row.pk is None or row.answer is None or row.answer.remedy is not Remedy.RAISE_TOP_K:
            continue
        stage.expect(stage.ask(WhyNot(request, row.pk)).value, row.answer.value, "the remedy's number")
        results.select(row.pk)
        stage.notes["wanted"] = row.pk
        return
    raise StepFailed("no remedy raises the number of memories")


def remedy(stage: Stage) -> None:
    """Use the button: the memory is recalled now."""
    page, wanted = _page(stage), stage.notes["wanted"]
    page.pin()
    clicked = 0.0

    def brought_in() -> bool:
        """A list that was refreshed at this moment asks for its remedies anew: then the button again, but
        not before the recall it asks for had time to come (each click begins that anew)."""
        nonlocal clicked
        if wanted in _recalled(stage):
            return True
        answered = {row.pk for row in _rows(stage, RowKind.LEFT_OUT) if row.answer is not None}
        waiting = time.monotonic() - clicked < RECALL_S
        if wanted in answered and not waiting and page.body.card.remedy.isVisible():
            clicked = time.monotonic()
            stage.click(page.body.card.remedy)
        return False

    stage.until(brought_in, "the memory that was left out")
    stage.expect(wanted in {each.pk for each in _stored(stage).selected}, True, "the engine's selection")
    page.body.results.select(MemoryPk(int(str(wanted))))


def compare(stage: Stage) -> None:
    """Compare with the run before, word by word."""
    page = _page(stage)
    page.body.tabs.setCurrentWidget(page.body.compare)
    stage.until(lambda: page.body.compare.table.rowCount() > 0, "the comparison")
    pinned = page.body.compare.pinned
    assert pinned is not None
    both = set(pinned.memories) | set(_recalled(stage))
    stage.expect(page.body.compare.table.rowCount(), len(both), "memories of both runs")


def count(stage: Stage) -> None:
    """Switch counting on and recall: the run is kept, every recalled memory counts one more."""
    page = _page(stage)
    chosen = _recalled(stage)
    before = {memory.pk: memory.activation_count for memory in stage.ask(Memories(chosen))}
    page.body.request.commit.setChecked(True)
    stage.click(page.body.request.run_button)
    runs = stage.notes["runs"]
    assert isinstance(runs, int)
    stage.until(lambda: len(stage.ask(RecallRuns())) == runs + 1, "the kept run")
    after = {memory.pk: memory.activation_count for memory in stage.ask(Memories(chosen))}
    stage.expect(after, {pk: times + 1 for pk, times in before.items()}, "times recalled")
    page.body.request.commit.setChecked(False)
    stage.act("recall.last")
    folder = page.body.request.folder_pk
    last = stage.ask(LastInjection(folder))
    assert last is not None
    stage.until(lambda: page.body.runs.text.text() == last.injection, "the last injection")


def back(stage: Stage) -> None:
    """On the page Memories the detail view tells when and for which message it was recalled."""
    chosen = _recalled(stage)[0]
    _page(stage).open_memories.emit((chosen,))
    detail = stage.session.detail
    stage.until(lambda: detail.memory == chosen, "the detail view")
    detail.tabs.setCurrentIndex(RECALL)
    stage.until(lambda: detail.recalls.list.count() > 0, "its recalls")
    stage.expect(
        detail.recalls.list.count(), len(stage.ask(RecallHistoryOf(chosen))), "recalls of the memory"
    )


def why(stage: Stage) -> None:
    """Ask for one memory: why is this not recalled?"""
    page = _page(stage)
    request = replace(page.body.request.request(), top_k=3)
    page.show_request(request)
    outside = next(pk for pk in reversed(_recalled(stage)))
    stage.session.memories.go_to((outside,))
    stage.until(lambda: stage.session.memories.table.current_memory == outside, "the memory in the list")
    stage.act("memory.why_not")
    stage.until(lambda: page.body.results.results.asked_about == outside, "the answer")
    asked = stage.ask(WhyNot(page.body.request.request(), outside))
    shown = _rows(stage, RowKind.ASKED)[0].answer
    assert shown is not None
    stage.expect((shown.selected, shown.remedy), (asked.selected, asked.remedy), "the answer")


STEPS = (
    ("20-recall", look),
    ("21-recall-question", question),
    ("22-recall-left-out", left_out),
    ("23-recall-remedy", remedy),
    ("24-recall-compare", compare),
    ("25-recall-count", count),
    ("26-recall-of-memory", back),
    ("27-recall-why", why),
)
