"""Recall tests: saved, undone, run, compared, written out and read in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain import commands as c
from core.domain import commands_folders as cf
from core.domain import commands_recall as cr
from core.domain import queries_recall as qr
from core.domain.errors import BadFile, Invalid, NotFound
from core.domain.ids import FolderPk, MemoryPk
from core.domain.recall import RecallCase
from tests.recall.desk import RecallDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[RecallDesk]:
    made = RecallDesk(tmp_path / "library")
    yield made
    made.engine.close()


def story(desk: RecallDesk) -> tuple[FolderPk, MemoryPk, MemoryPk]:
    folder = desk.folder("story")
    key = desk.memory(folder, body="银钥匙藏在灯塔的台阶下")
    cat = desk.memory(desk.folder("cats"), body="The black cat sleeps on the router")
    return folder, key, cat


def case(folder: FolderPk | None, message: str, *expected: MemoryPk, **more: object) -> RecallCase:
    return RecallCase(name="", folder=folder, message=message, expected=expected, **more)  # type: ignore[arg-type]


def saved(desk: RecallDesk) -> tuple[RecallCase, ...]:
    return desk.ask(qr.RecallCases())


def test_case_is_saved_changed_removed_and_each_is_undone(desk: RecallDesk) -> None:
    folder, key, _ = story(desk)
    desk.run(cr.SaveRecallCases((case(folder, " 钥匙在哪里 ", key, settings={"top_k": 5}),)))
    (first,) = saved(desk)
    assert (first.name, first.message, first.expected) == ("钥匙在哪里", "钥匙在哪里", (key,))
    assert first.settings == {"top_k": 5}
    desk.run(cr.SaveRecallCases((case(folder, "钥匙", key, pk=first.pk),)))
    assert [each.message for each in saved(desk)] == ["钥匙"]
    desk.run(cr.RemoveRecallCases((first.pk, 999)))
    assert saved(desk) == ()
    desk.undo()
    desk.undo()
    assert saved(desk) == (first,)
    desk.undo()
    assert saved(desk) == ()
    desk.redo()
    assert saved(desk) == (first,)


@pytest.mark.parametrize(
    ("message", "known", "settings", "error"),
    [
        ("  ", True, {}, Invalid),
        ("x", False, {}, Invalid),
        ("x", True, {"no_such": 1}, Invalid),
        ("x", True, {"top_k": 100_000}, Invalid),
    ],
)
def test_case_that_could_not_run_is_refused(
    desk: RecallDesk, message: str, known: bool, settings: dict[str, int], error: type[Exception]
) -> None:
    folder, key, _ = story(desk)
    with pytest.raises(error):
        desk.run(cr.SaveRecallCases((case(folder, message, *([key] if known else []), settings=settings),)))
    assert saved(desk) == ()


def test_case_with_unknown_memory_folder_or_number_is_refused(desk: RecallDesk) -> None:
    folder, key, _ = story(desk)
    for wrong in (
        case(folder, "x", MemoryPk(999)),
        case(FolderPk(999), "x", key),
        case(folder, "x", key, pk=999),
    ):
        with pytest.raises(NotFound):
            desk.run(cr.SaveRecallCases((wrong,)))
    assert saved(desk) == ()


def test_run_gives_ranks_and_measures_and_touches_no_memory(desk: RecallDesk) -> None:
    folder, key, cat = story(desk)
    desk.run(cr.SaveRecallCases((case(folder, "银钥匙", key), case(folder, "银钥匙", key, cat))))
    before = desk.everything()
    evaluation = desk.ask(qr.Evaluate())
    assert [outcome.ranks for outcome in evaluation.outcomes] == [(1,), (1, None)]
    assert [outcome.passed for outcome in evaluation.outcomes] == [True, False]
    assert evaluation.recall_at == {1: 0.75, 5: 0.75, 10: 0.75}
    assert evaluation.mrr == 1.0
    assert evaluation.previous == {}
    after = desk.everything()
    assert {name for name in after if after[name] != before[name]} == {"evaluation"}


def test_second_run_is_compared_with_the_first(desk: RecallDesk) -> None:
    folder, key, _ = story(desk)
    desk.run(cr.SaveRecallCases((case(folder, "银钥匙", key),)))
    desk.ask(qr.Evaluate())
    desk.run(c.EditMemory(memory=key, body="雨下了三天"))
    second = desk.ask(qr.Evaluate())
    assert second.previous == {"recall@1": 1.0, "recall@5": 1.0, "recall@10": 1.0, "mrr": 1.0}
    (outcome,) = second.outcomes
    assert (outcome.before, outcome.passed, outcome.ranks) == (True, False, (None,))
    assert second.recall_at[10] == 0.0


def test_runs_of_a_folder_and_of_all_are_compared_apart(desk: RecallDesk) -> None:
    folder, key, cat = story(desk)
    desk.run(cr.SaveRecallCases((case(folder, "银钥匙", key), case(None, "black cat", cat))))
    assert len(desk.ask(qr.Evaluate()).outcomes) == 2
    first = desk.ask(qr.Evaluate(folder))
    assert len(first.outcomes) == 1
    assert first.previous == {}


def test_expected_memory_that_is_gone_for_ever_is_missed(desk: RecallDesk) -> None:
    _, key, cat = story(desk)
    desk.run(cr.SaveRecallCases((case(None, "银钥匙", key, cat),)))
    desk.run(c.TrashMemories(memories=(cat,)))
    desk.run(c.DeletePermanently(memories=(cat,)))
    (outcome,) = desk.ask(qr.Evaluate()).outcomes
    assert outcome.ranks == (1, None)


def test_no_cases_give_an_empty_run_that_is_not_kept(desk: RecallDesk) -> None:
    evaluation = desk.ask(qr.Evaluate())
    assert (evaluation.outcomes, evaluation.mrr) == ((), 0.0)
    assert desk.ask(qr.Evaluate()).previous == {}


def test_folder_that_goes_leaves_its_cases_to_the_one_it_is_merged_into_or_to_all(desk: RecallDesk) -> None:
    folder, key, _ = story(desk)
    other = desk.folder("other")
    desk.run(cr.SaveRecallCases((case(folder, "银钥匙", key),)))
    desk.run(cf.MergeFolders(source=folder, target=other))
    assert saved(desk)[0].folder == other
    desk.run(cf.DeleteFolder(other))
    assert saved(desk)[0].folder is None
    desk.undo()
    desk.undo()
    assert saved(desk)[0].folder == folder


def test_lines_come_back_as_they_went_out(desk: RecallDesk, tmp_path: Path) -> None:
    folder, key, cat = story(desk)
    cases = (
        case(folder, "银\n钥匙", key, viewer="博", settings={"top_k": 3, "scene": False}),
        case(None, "black cat", cat, key),
    )
    desk.run(cr.SaveRecallCases(cases))
    before = saved(desk)
    text = desk.ask(qr.ExportRecallCases())
    assert [json.loads(line)["folder"] for line in text.splitlines()] == ["story", None]
    assert desk.run(cr.ImportRecallCases(text)).counts == {"created": 0, "same": 2, "missing": 0}
    desk.run(cr.RemoveRecallCases(tuple(each.pk for each in before)))
    result = desk.run(cr.ImportRecallCases(text))
    assert result.counts == {"created": 2, "same": 0, "missing": 0}
    compared = [
        (each.folder, each.message, each.viewer, each.recipe, dict(each.settings), each.expected)
        for each in saved(desk)
    ]
    assert compared == [
        (each.folder, each.message, each.viewer, each.recipe, dict(each.settings), each.expected)
        for each in before
    ]
    desk.undo()
    assert saved(desk) == ()


def test_line_for_another_library_is_left_out_and_counted(desk: RecallDesk) -> None:
    story(desk)
    lines = [
        {"message": "x", "expected": ["mem-unknown"]},
        {"message": "x", "folder": "nowhere", "expected": ["mem-unknown"]},
    ]
    text = "\n".join(map(json.dumps, lines))
    assert desk.run(cr.ImportRecallCases(text)).counts == {"created": 0, "same": 0, "missing": 2}


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "null",
        '{"message": "x"}',
        '{"message": "x", "expected": []}',
        '{"message": "x", "expected": [1]}',
        '{"message": "", "expected": ["a"]}',
        '{"message": 5, "expected": ["a"]}',
        '{"message": "x", "expected": ["a"], "recipe": "none"}',
        '{"message": "x", "expected": ["a"], "settings": {"top_k": "many"}}',
        '{"message": "x", "expected": ["a"], "settings": {"top_k": [1]}}',
        '{"message": "x", "expected": ["a"], "settings": 3}',
        "[" * 100_000,
    ],
)
def test_line_that_is_none_is_named_and_nothing_is_saved(desk: RecallDesk, line: str) -> None:
    _, key, _ = story(desk)
    good = json.dumps({"message": "x", "expected": [desk.get(key).id]})
    with pytest.raises(BadFile) as caught:
        desk.run(cr.ImportRecallCases(f"{good}\n\n{line}\n"))
    assert caught.value.text_args["line"] == 3
    assert "error." not in str(caught.value.text_args["reason"])
    assert saved(desk) == ()


def test_message_with_odd_line_ends_comes_back(desk: RecallDesk) -> None:
    folder, key, _ = story(desk)
    desk.run(cr.SaveRecallCases((case(folder, "银\u2028钥\x85匙\x0b\x1c\r在哪", key),)))
    text = desk.ask(qr.ExportRecallCases())
    assert desk.run(cr.ImportRecallCases(text)).counts == {"created": 0, "same": 1, "missing": 0}
