"""What the Recall page computes without widgets."""

from dataclasses import replace

import pytest

from core.domain.ids import FolderPk, MemoryId, MemoryPk, TypeId
from core.domain.recall import (
    Injection,
    Layout,
    LineSpan,
    Recalled,
    RecallRequest,
    RecallResult,
    Remedy,
    Scope,
    Stage,
    StageCount,
    WhyNotAnswer,
)
from core.domain.recipes import recipe
from ui.models.recall_compare import Move, list_changes
from ui.models.recall_empty import why_empty
from ui.models.recall_remedy import remedied, restoring
from ui.models.recall_text import Places, Spans, utf16_length


def answer(remedy: Remedy | None, value: float | str | None = None) -> WhyNotAnswer:
    recalled = Recalled(
        pk=MemoryPk(7), id=MemoryId("mem-" + "0" * 32), type=TypeId("event"), title="a", score=0.1
    )
    return WhyNotAnswer(recalled=recalled, selected=False, remedy=remedy, value=value)


def test_lists_tell_new_gone_and_moved() -> None:
    a, b = [MemoryPk(1), MemoryPk(2), MemoryPk(3)], [MemoryPk(3), MemoryPk(2), MemoryPk(4)]
    found = {change.memory: change.move for change in list_changes(a, b)}
    assert found == {3: Move.UP, 2: Move.SAME, 4: Move.NEW, 1: Move.GONE}


@pytest.mark.parametrize("text", ["plain 中文", "a😀b𠮷c", "", "😀😀"])
def test_places_map_characters_to_utf16_and_back(text: str) -> None:
    places = Places(text)
    for at in range(len(text) + 1):
        position = places.in_document(at)
        assert position == utf16_length(text[:at])
        assert places.in_text(position) == at


def test_spans_know_their_memory_and_what_a_selection_holds() -> None:
    spans = Spans([LineSpan(10, 20, MemoryPk(2)), LineSpan(0, 5, MemoryPk(1)), LineSpan(30, 31, MemoryPk(1))])
    assert spans.at(0) == 1
    assert spans.at(5) is None
    assert spans.between(4, 11) == (1, 2)
    assert spans.between(5, 10) == ()
    assert len(spans.of(MemoryPk(1))) == 2


@pytest.mark.parametrize(
    ("remedy", "value", "field", "wanted"),
    [
        (Remedy.RAISE_TOP_K, 14.0, "top_k", 14),
        (Remedy.RAISE_BUDGET, 900.0, "budget_tokens", 900),
        (Remedy.LATER_FLOOR, 33.0, "as_of_seq", 33),
        (Remedy.CHANGE_VIEWER, "苏禾", "viewer", "苏禾"),
        (Remedy.CHANGE_VIEWER, None, "viewer", ""),
        (Remedy.INCLUDE_ARCHIVED, None, "include_archived", True),
        (Remedy.INCLUDE_KNOWLEDGE, None, "include_knowledge", True),
        (Remedy.LOWER_CUTOFF, 0.01, "settings", {"cutoff": 0.01}),
        (Remedy.LOWER_DIVERSITY, 0.05, "settings", {"diversity": 0.05}),
    ],
)
def test_remedy_changes_the_field_it_names(remedy: Remedy, value: object, field: str, wanted: object) -> None:
    request = RecallRequest(message="x", include_knowledge=False)
    changed = remedied(request, answer(remedy, value), recipe("blend"))  # type: ignore[arg-type]  # a value of the case
    assert changed is not None
    assert getattr(changed, field) == wanted


def test_booku_takes_diversity_as_its_threshold() -> None:
    changed = remedied(
        RecallRequest(message="x", recipe="booku"), answer(Remedy.LOWER_DIVERSITY, 0.9), recipe("booku")
    )
    assert changed is not None
    assert changed.settings == {"dedup_threshold": 0.9}


def test_wider_scope_keeps_the_folder_asked_and_adds_the_other() -> None:
    request = RecallRequest(message="x", folder=FolderPk(3))
    changed = remedied(request, answer(Remedy.WIDEN_SCOPE, 5.0), None)
    assert changed is not None
    assert (changed.scope, changed.chosen) == (Scope.CHOSEN, frozenset({3, 5}))


def test_changes_of_the_memory_itself_are_no_change_of_the_request() -> None:
    for remedy in (Remedy.RESTORE, Remedy.ADD_ALIAS, Remedy.MERGE_TWIN, None):
        assert remedied(RecallRequest(message="x"), answer(remedy, "a"), None) is None
    command = restoring(answer(Remedy.RESTORE), trashed=True)
    assert command is not None
    assert restoring(answer(Remedy.RAISE_TOP_K), trashed=True) is None


def result_of(request: RecallRequest, *counts: tuple[Stage, int, int]) -> RecallResult:
    return RecallResult(
        request=request,
        selected=(),
        core=(),
        left_out=(),
        stages=tuple(StageCount(stage, entered, left, 0.1) for stage, entered, left in counts),
        injection=Injection(text="", layout=Layout.BUDGETED),
    )


def test_empty_selection_names_the_stage_that_emptied_it() -> None:
    asked = RecallRequest(
        message="x", folder=FolderPk(1), as_of_seq=2, include_knowledge=False, budget_tokens=5
    )
    scope = (Stage.SCOPE, 5, 5)
    cases = {
        "folder": [(Stage.SCOPE, 0, 0)],
        "status": [scope, (Stage.STATUS, 5, 0)],
        "layer": [scope, (Stage.STATUS, 5, 2), (Stage.LAYER, 2, 0)],
        "floor": [scope, (Stage.FLOOR, 5, 0)],
        "visibility": [scope, (Stage.VISIBILITY, 5, 0)],
        "nothing": [scope, (Stage.CANDIDATES, 5, 0)],
        "budget": [scope, (Stage.BUDGET, 2, 0)],
    }
    for reason, counts in cases.items():
        empty = why_empty(result_of(asked, *counts))
        assert empty is not None, reason
        assert empty.reason == reason
        assert empty.request is not None, reason
        assert empty.request != asked, reason
    blank = why_empty(result_of(replace(asked, message="  "), scope))
    assert blank is not None
    assert (blank.reason, blank.request) == ("message", None)
