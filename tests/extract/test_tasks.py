"""What follows an extraction: evolution, synopsis, reflection, consolidation, and what is due when."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain.commands import SetLocked, SetVisibility
from core.domain.errors import Invalid, Unavailable
from core.domain.folder_settings import DECLARED, FolderValues, profiles
from core.domain.ids import FolderPk, MemoryPk
from core.domain.proposal import BUILT_IN, ChangePart, LinkPart, RetirePart
from core.domain.queries_extract import (
    DueTasks,
    FolderValuesOf,
    ProfileDiffs,
    PromptTask,
    RunAutomatic,
    RunState,
    RunTask,
    TaskReport,
)
from core.domain.queries_proposals import Proposals, TickProposalParts
from core.domain.recall import RecallMode
from tests.extract.desk import ExtractDesk, turns
from tests.fakes.model import ScriptedModel

EVENTS = ("艾琳在钟楼发现暗门", "老周在码头失踪", "艾琳沿暗门走到地下入口", "地下入口里有老周的帽子")


def story(desk: ExtractDesk, count: int = 4, **values: Any) -> tuple[FolderPk, list[MemoryPk]]:
    chat = desk.chat((), **values)
    return chat, [desk.memory(chat, body=text, seq=at) for at, text in enumerate(EVENTS[:count])]


def run(desk: ExtractDesk, folder: FolderPk, task: PromptTask, **more: Any) -> TaskReport:
    return desk.ask(RunTask(folder=folder, task=task, **more))


# --- synopsis ----------------------------------------------------------------------------------------------


def test_synopsis_is_made_once_and_then_changed(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    model = ScriptedModel([{"summary": "艾琳追查失踪案。"}, {"summary": "艾琳找到了老周的帽子。"}])
    desk.chosen = model
    desk.apply(run(desk, chat, PromptTask.SYNOPSIS).proposal)
    assert "#3 地下入口里有老周的帽子" in model.asked[0][1].text
    made = next(m for m in desk.all_of(chat) if m.type == "synopsis")
    assert (made.body, made.importance, made.seq, made.fields["scope"]) == (
        "艾琳追查失踪案。",
        9,
        3,
        "楼 1 ~ 3",
    )
    second = run(desk, chat, PromptTask.SYNOPSIS)
    desk.apply(second.proposal)
    assert [m.body for m in desk.all_of(chat) if m.type == "synopsis"] == ["艾琳找到了老周的帽子。"]


def test_synopsis_needs_three_events_and_a_reply_with_text(desk: ExtractDesk) -> None:
    chat, _ = story(desk, 2)
    desk.chosen = ScriptedModel([])
    assert run(desk, chat, PromptTask.SYNOPSIS).why == "extract.why.few_events"
    desk.memory(chat, body=EVENTS[2])
    desk.chosen = ScriptedModel([{"summary": " "}])
    assert run(desk, chat, PromptTask.SYNOPSIS).why == "extract.why.empty_reply"


def test_locked_synopsis_is_left_alone(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    old = desk.memory(chat, "synopsis", body="by hand")
    desk.run(SetLocked(memories=(old,), locked=True))
    desk.chosen = ScriptedModel([{"summary": "other"}])
    report = run(desk, chat, PromptTask.SYNOPSIS)
    (part,) = desk.parts(report.proposal)
    assert isinstance(part, ChangePart)
    assert not part.ticked
    desk.apply(report.proposal)
    assert desk.get(old).body == "by hand"


# --- reflection --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "importance"), [(None, 7), (1, 5), (99, 10), ("8", 8)])
def test_reflection_leads_to_the_latest_events(desk: ExtractDesk, given: object, importance: float) -> None:
    chat, events = story(desk)
    reply = {"insight": "暗门连着失踪案", "importance": given}
    desk.chosen = ScriptedModel([reply if given is not None else {"insight": "暗门连着失踪案"}])
    desk.apply(run(desk, chat, PromptTask.REFLECT).proposal)
    made = next(m for m in desk.all_of(chat) if m.type == "reflection")
    assert (made.importance, made.fields["trigger"]) == (importance, EVENTS[3])
    with desk.store.read() as reader:
        links = {(edge.target, edge.relation, edge.strength) for edge in reader.edges_touching([made.pk])}
    assert links == {(event, "evolves", 0.75) for event in events[1:]}


# --- who may see it ----------------------------------------------------------------------------------------


def test_synopsis_for_everyone_holds_nothing_that_only_some_may_know(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    desk.memory(chat, body="罗恩是凶手", seq=9, visibility=("罗恩",))
    desk.memory(chat, "character", title="罗恩", fields={"state": "藏着刀"}, visibility=("罗恩",))
    model = desk.chosen = ScriptedModel([{"summary": "艾琳追查失踪案。"}, {"insight": "有人在说谎"}])
    for task in (PromptTask.SYNOPSIS, PromptTask.REFLECT):
        desk.apply(run(desk, chat, task).proposal)
    asked = "".join(message.text for each in model.asked for message in each)
    assert "凶手" not in asked
    assert "藏着刀" not in asked
    assert {m.visibility for m in desk.all_of(chat) if m.type in ("synopsis", "reflection")} == {()}


def test_synopsis_of_what_some_may_know_is_for_them(desk: ExtractDesk) -> None:
    chat = desk.chat(())
    for text, who in zip(EVENTS, (("艾琳", "罗恩"), ("艾琳",), ("*",), ("艾琳",)), strict=True):
        desk.memory(chat, body=text, visibility=who)
    desk.chosen = ScriptedModel([{"summary": "艾琳追查失踪案。"}])
    desk.apply(run(desk, chat, PromptTask.SYNOPSIS).proposal)
    assert [m.visibility for m in desk.all_of(chat) if m.type == "synopsis"] == [("艾琳",)]


def test_consolidated_memory_is_for_those_who_may_see_all_of_them(desk: ExtractDesk) -> None:
    chat = desk.chat(())
    pks = [desk.memory(chat, body=EVENTS[0], visibility=who) for who in ((), ("艾琳", "罗恩"), ("艾琳",))]
    labels = [f"M{pk}" for pk in pks]
    reply = {"same": labels, "keep": labels[0], "fields": {"summary": "艾琳与暗门"}, "reason": "x"}
    desk.chosen = ScriptedModel([reply])
    report = run(desk, chat, PromptTask.CONSOLIDATE)
    desk.ask(TickProposalParts(report.proposal or 0, ("g1:1", "g1:2"), ticked=False))
    desk.apply(report.proposal)
    assert (desk.get(pks[0]).body, desk.get(pks[0]).visibility) == ("艾琳与暗门", ("艾琳",))
    desk.run(SetVisibility(memories=(pks[1],), visibility=("老周",)))
    desk.chosen = ScriptedModel([reply])
    assert run(desk, chat, PromptTask.CONSOLIDATE).why == "extract.why.nothing_alike"


# --- evolution ---------------------------------------------------------------------------------------------


def test_evolution_touches_only_the_neighbours_that_were_shown(desk: ExtractDesk) -> None:
    chat, events = story(desk, evolution__neighbours=1)
    place = desk.memory(chat, "location", title="钟楼", fields={"danger": "低"})
    reply = {
        "should_evolve": True,
        "reason": "x",
        "suggested_connections": [f"M{events[0]}", "M999"],
        "neighbor_updates": [
            {"nodeId": f"M{events[0]}", "newContext": "暗门通向地下入口", "newTags": ["线索", ""]},
            {"nodeId": f"M{place}", "newContext": "no such column"},
            "odd",
        ],
    }
    desk.chosen = ScriptedModel([reply])
    report = run(desk, chat, PromptTask.EVOLVE, memories=(events[2],))
    parts = desk.parts(report.proposal)
    assert [part.target for part in parts if isinstance(part, LinkPart)] == [events[0]]
    changes = [part for part in parts if isinstance(part, ChangePart)]
    assert [(part.memory, part.body) for part in changes] == [(events[0], "暗门通向地下入口")]
    desk.apply(report.proposal)
    with desk.store.read() as reader:
        assert reader.tag_sets([events[0]])[events[0]].general == ("线索",)


def test_nothing_evolves_is_said(desk: ExtractDesk) -> None:
    chat, events = story(desk)
    desk.chosen = ScriptedModel([{"should_evolve": False}])
    assert run(desk, chat, PromptTask.EVOLVE, memories=events[:1]).why == "extract.why.nothing_evolves"  # type: ignore[arg-type]  # a list of pks will do
    desk.without_embedder = True
    assert run(desk, chat, PromptTask.EVOLVE).why == "extract.why.no_embedder"


# --- consolidation -----------------------------------------------------------------------------------------


def test_memories_that_say_the_same_become_one_and_can_be_taken_apart(desk: ExtractDesk) -> None:
    chat, _ = story(desk, 1)
    first = desk.memory(chat, body="艾琳在钟楼发现了一扇暗门", seq=1)
    second = desk.memory(chat, body="艾琳在钟楼发现了一扇暗门！", seq=2)
    before = desk.dump()
    reply = {"same": [f"M{first}", f"M{second}"], "keep": f"M{second}", "fields": {"summary": "艾琳发现暗门"}}
    desk.chosen = ScriptedModel([reply])
    report = run(desk, chat, PromptTask.CONSOLIDATE)
    assert any(isinstance(part, RetirePart) for part in desk.parts(report.proposal))
    desk.apply(report.proposal)
    assert (desk.get(second).body, desk.get(first).merged_into) == ("艾琳发现暗门", second)
    desk.undo()
    assert desk.dump() == before


def test_different_memories_stay_two(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    desk.chosen = ScriptedModel(lambda _messages: {"same": []})
    assert run(desk, chat, PromptTask.CONSOLIDATE).why == "extract.why.nothing_alike"
    with pytest.raises(Invalid):
        run(desk, chat, PromptTask.EXTRACT)


# --- without a model ---------------------------------------------------------------------------------------


def test_without_a_model_tasks_are_extractive_and_say_so(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    events = [desk.memory(chat, body=f"{EVENTS[2]}{mark}") for mark in "。！？"]
    for task in (PromptTask.SYNOPSIS, PromptTask.REFLECT, PromptTask.EVOLVE):
        report = run(desk, chat, task, memories=tuple(events[2:3]))
        view = desk.view(report.proposal)
        assert view.proposal.source == report.model == BUILT_IN
        assert any(
            note.key.startswith("extract.note.") for part in view.proposal.parts for note in part.notes
        )
    synopsis = run(desk, chat, PromptTask.SYNOPSIS)
    (part,) = desk.parts(synopsis.proposal)
    assert any(text in part.body for text in EVENTS)  # type: ignore[union-attr]  # a create or a change, both have one


def test_model_that_does_not_answer_leaves_nothing_behind(desk: ExtractDesk) -> None:
    chat, _ = story(desk)
    desk.chosen = ScriptedModel([Unavailable("model", "gone")])
    with pytest.raises(Unavailable):
        run(desk, chat, PromptTask.SYNOPSIS)
    assert desk.ask(Proposals(state=None)) == ()


# --- by itself ---------------------------------------------------------------------------------------------


def test_folder_that_extracts_by_itself_reads_applies_and_follows_up(desk: ExtractDesk) -> None:
    lines = turns("走吧", EVENTS[0], "然后呢", EVENTS[1], "后来呢", EVENTS[2], "再后来", "嗯")
    chat = desk.chat(
        lines,
        extract__enabled=True,
        extract__every=1,
        extract__conflict_check=False,
        evolution__enabled=False,
        synopsis__every=3,
    )
    other = desk.chat(lines, name="chats/b")
    replies: list[Any] = [
        {"operations": [{"action": "create", "type": "event", "fields": {"summary": text}}]}
        for text in EVENTS[:3]
    ]
    desk.chosen = ScriptedModel(
        [*replies, {"summary": "艾琳追查失踪案。"}, {"operations": []}, {"operations": []}]
    )
    reports = desk.ask(RunAutomatic())
    assert [report.state for report in reports] == [RunState.DONE] * 4
    assert desk.stored(chat).last_processed_seq == 7
    assert desk.stored(other).last_processed_seq == -1
    assert [m.body for m in desk.all_of(chat) if m.type == "synopsis"] == ["艾琳追查失踪案。"]
    assert desk.ask(RunAutomatic()) == ()


def test_folder_waits_until_there_is_enough_or_something_happens(desk: ExtractDesk) -> None:
    chat = desk.chat(turns("早", "早安"), extract__enabled=True, extract__every=3)
    desk.chosen = ScriptedModel(lambda _messages: {"operations": []})
    assert desk.ask(RunAutomatic()) == ()
    desk.set(chat, extract__smart_trigger=True)
    assert desk.ask(RunAutomatic()) == ()
    desk.add_floors(chat, turns("怎么了？！", "突然有人死亡，秘密暴露了！"))
    assert len(desk.ask(RunAutomatic())) == 1


def test_due_tasks_follow_the_counters(desk: ExtractDesk) -> None:
    chat, events = story(desk, synopsis__every=2, reflection__enabled=True, reflection__every=3)

    def due(count: int, created: tuple[MemoryPk, ...] = ()) -> list[str]:
        from core.domain.commands_folders import EditFolder

        desk.run(EditFolder(folder=chat, settings={**desk.stored(chat).settings, "extractions": count}))
        return [task.value for task in desk.ask(DueTasks(folder=chat, created=created))]

    assert due(0) == []
    assert due(1, tuple(events[:1])) == ["evolve"]
    assert due(2) == ["synopsis"]
    assert due(6) == ["synopsis", "reflect"]
    assert due(50) == ["synopsis", "consolidate"]


# --- settings ----------------------------------------------------------------------------------------------


def test_folder_settings_are_declared_checked_and_undone(desk: ExtractDesk) -> None:
    chat = desk.chat(())
    before = desk.dump()
    desk.set(chat, extract__every=7, extract__trigger_patterns="a,b")
    rows = {row.setting.key: row for row in desk.ask(FolderValuesOf(chat))}
    assert (rows["extract.every"].value, rows["extract.every"].own) == (7, True)
    assert set(rows) == {setting.key for setting in DECLARED}
    desk.set(chat, extract__every=None)
    assert FolderValues(desk.stored(chat).settings).whole("extract.every") == 1
    for key, value in (
        ("extract__every", 0),
        ("extract__every", "3"),
        ("forget__threshold", 2),
        ("nothing", 1),
    ):
        with pytest.raises(Invalid):
            desk.set(chat, **{key: value})
    desk.undo()
    desk.undo()
    assert desk.dump() == before


def test_value_that_does_not_fit_counts_as_not_set() -> None:
    values = FolderValues({"extract.every": "many", "synopsis.every": 9})
    assert (values.whole("extract.every"), values.whole("synopsis.every")) == (1, 9)


def test_profiles_are_shown_as_a_difference_and_then_are_none(desk: ExtractDesk) -> None:
    chat = desk.chat(())
    diffs = {diff.profile.id: diff for diff in desk.ask(ProfileDiffs(chat))}
    assert list(diffs) == ["first_start", "low_cost", "long_story"]
    assert diffs["first_start"].changes == ()
    for profile in profiles():
        desk.set(chat, **{key.replace(".", "__"): value for key, value in profile.values.items()})
        now = {diff.profile.id: diff for diff in desk.ask(ProfileDiffs(chat))}
        assert now[profile.id].changes == ()


def test_folder_that_recalls_nothing_hands_out_nothing(desk: ExtractDesk) -> None:
    chat, _ = story(desk, recall__enabled=False)
    preview = desk.recall("暗门在哪里？", chat)
    assert "暗门" in preview.injection.text
    handed = desk.recall("暗门在哪里？", chat, mode=RecallMode.COMMIT)
    assert (handed.injection.text, handed.selected, handed.run) == ("", (), None)
    assert handed.notes[-1].key == "recall.note.folder_off"
