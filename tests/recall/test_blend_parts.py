"""What the blend adds to plain words: coverage, answers, who took part, neighbours; a scene takes no place."""

from __future__ import annotations

import pytest

from core.domain.ids import FolderPk
from core.domain.recall import RecallRequest, Stage
from tests.recall.desk import RecallDesk

APART = {"session_weight": 0.0, "near_weight": 0.0, "scene": False}
FILLER = ("the weather was grey", "a letter came late", "bread and soup at noon", "the clock stood still")


def parts(desk: RecallDesk, message: str, folder: FolderPk, pk: int, **more: object) -> dict[str, float]:
    run = desk.service.run(RecallRequest(message=message, folder=folder, **more))  # type: ignore[arg-type]
    return dict(run.frame.trace.recalled(int(run.frame.corpus.rows_of([pk])[0])).parts)


def test_answer_is_found_through_its_question(desk: RecallDesk) -> None:
    folder = desk.folder()
    for seq, text in enumerate(FILLER):
        desk.memory(folder, body=text, seq=seq)
    desk.memory(folder, body="Which instrument did you buy?\n(a shop window)", seq=10)
    answer = desk.memory(folder, body="Only an old cello", seq=11)
    found = parts(desk, "what instrument was bought", folder, answer)
    assert found["answer"] > 0
    assert desk.selected("what instrument was bought", folder, top_k=2)[1] == answer


def test_statement_hands_nothing_on_as_a_question(desk: RecallDesk) -> None:
    folder = desk.folder()
    desk.memory(folder, body="They bought an instrument", seq=1)
    after = desk.memory(folder, body="Only an old cello", seq=2)
    assert "answer" not in parts(desk, "what instrument was bought", folder, after)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"participants": "Caroline, 闻潮"}, "what did Caroline paint"),
        ({"participants": "苏禾、闻潮"}, "闻潮画了什么"),
        ({"related_people": ["Caroline", "Mel"]}, "what did Caroline paint"),
    ],
)
def test_who_took_part_is_lifted_when_the_message_names_them(
    desk: RecallDesk, fields: dict[str, object], message: str
) -> None:
    folder = desk.folder()
    there = desk.memory(folder, body="a sunrise", fields=fields)
    other = desk.memory(folder, body="a sunset", fields={"participants": "Theo"})
    assert parts(desk, message, folder, there)["speaker"] > 0
    assert "speaker" not in parts(desk, message, folder, other)


def test_word_shared_with_a_long_message_counts_less_than_with_a_short_one(desk: RecallDesk) -> None:
    folder = desk.folder()
    memory = desk.memory(folder, body="the lighthouse keeper")
    short = parts(desk, "lighthouse", folder, memory)["lexical"]
    long = parts(desk, "lighthouse kangaroo umbrella saxophone mountain", folder, memory)["lexical"]
    assert short == pytest.approx(1.0)
    assert 0.15 < long < 0.2


def test_irregular_and_regular_forms_find_each_other(desk: RecallDesk) -> None:
    folder = desk.folder()
    bought = desk.memory(folder, body="She bought a boat")
    children = desk.memory(folder, body="The children were running")
    assert desk.selected("buy", folder, settings=APART) == [bought]
    assert desk.selected("child", folder, settings=APART) == [children]
    assert desk.selected("run", folder, settings=APART) == [children]


def test_scene_pushes_no_chosen_memory_out(desk: RecallDesk) -> None:
    folder = desk.folder()
    events = [desk.memory(folder, body=f"silver key number {at}", seq=at) for at in range(6)]
    for at in range(8):
        person = desk.memory(folder, "character", title=f"Person{at}")
        desk.edge(events[0], person)
    bare = desk.selected("silver key", folder, top_k=6, settings={"scene": False})
    whole = desk.recall("silver key", folder, top_k=6, settings={"scene": True, "scene_extra": 3})
    assert [each.pk for each in whole.selected][:6] == bare
    assert len(whole.selected) == 9
    assert all(each.stage is Stage.SELECTED for each in whole.selected)
