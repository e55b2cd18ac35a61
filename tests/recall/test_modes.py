"""Preview touches nothing; commit counts outside the journal and keeps the run."""

from __future__ import annotations

import pytest

from core.adapters import token_counter
from core.domain.commands import ArchiveMemories, DeletePermanently
from core.domain.enums import Status
from core.domain.errors import NotFound
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries_recall import (
    InjectedLineOf,
    LastInjection,
    Recall,
    RecallHistoryOf,
    RecallRuns,
    Recipes,
    WhyNot,
)
from core.domain.recall import Layout, RecallMode, RecallRequest, Source
from core.domain.recipes import RECIPES
from tests.recall.desk import RecallDesk, ScriptedModel


def story(desk: RecallDesk) -> tuple[FolderPk, list[MemoryPk]]:
    folder = desk.folder("story")
    texts = ("艾琳在码头遇见了老船长", "罗安守住钟楼的秘密", "雨下了三天，河水漫过石桥", "集市上来了马戏团")
    made = [desk.memory(folder, body=text, seq=at, importance=9.0) for at, text in enumerate(texts)]
    desk.edge(made[0], made[1])
    if desk.embedder is not None:
        desk.embed_all()
    return folder, made


@pytest.mark.parametrize("recipe", RECIPES)
def test_preview_and_why_not_touch_nothing_at_all(vector_desk: RecallDesk, recipe: str) -> None:
    folder, made = story(vector_desk)
    before = vector_desk.everything()
    vector_desk.engine.ask(Recall(RecallRequest(message="老船长在码头", folder=folder, recipe=recipe)))
    for memory in made:
        vector_desk.engine.ask(
            WhyNot(
                RecallRequest(message="老船长", folder=folder, recipe=recipe, mode=RecallMode.COMMIT), memory
            )
        )
    assert vector_desk.everything() == before


def test_commit_counts_what_was_handed_out_and_keeps_the_run(vector_desk: RecallDesk) -> None:
    folder, made = story(vector_desk)
    before = vector_desk.everything()
    result = vector_desk.recall(
        "老船长在码头", folder, mode=RecallMode.COMMIT, caller="test", settings={"reinforcement": 0.5}
    )
    after = vector_desk.everything()
    assert {name for name in after if after[name] != before[name]} == {"memory", "recall_run", "journal"}
    handed_out = {each.pk for each in result.selected}
    for pk in made:
        memory = vector_desk.get(pk)
        assert memory.activation_count == (1 if pk in handed_out else 0)
        assert memory.last_activated_at == (vector_desk.now if pk in handed_out else None)
        assert memory.importance == (9.5 if pk in handed_out else 9.0)
        assert memory.revision == 1
    run = vector_desk.engine.ask(LastInjection(folder))
    assert run is not None
    assert (run.pk, run.message, run.caller, run.recipe) == (result.run, "老船长在码头", "test", "blend")
    assert run.selected == tuple(each.pk for each in result.selected)
    assert run.scores == pytest.approx(tuple(each.score for each in result.selected))
    assert (run.injection, run.tokens) == (result.injection.text, result.injection.tokens)


def test_runs_are_found_by_folder_and_by_memory(desk: RecallDesk) -> None:
    folder, made = story(desk)
    other = desk.folder("other")
    desk.recall("老船长在码头", folder, mode=RecallMode.COMMIT)
    desk.recall("马戏团", folder, mode=RecallMode.COMMIT)
    desk.recall("nothing here", other, mode=RecallMode.COMMIT)
    messages = [run.message for run in desk.engine.ask(RecallRuns())]
    assert messages == ["nothing here", "马戏团", "老船长在码头"]
    assert [run.message for run in desk.engine.ask(RecallRuns(folder, limit=1))] == ["马戏团"]
    assert "马戏团" in [run.message for run in desk.engine.ask(RecallHistoryOf(made[3]))]
    last = desk.engine.ask(LastInjection(other))
    assert last is not None
    assert last.selected == ()
    assert desk.engine.ask(LastInjection(None)) is None


def test_counting_is_no_op_and_undo_of_the_memory_still_works(desk: RecallDesk) -> None:
    folder, made = story(desk)
    history = len(desk.store.history(100, None))
    desk.recall("马戏团", folder, mode=RecallMode.COMMIT)
    assert len(desk.store.history(100, None)) == history
    assert desk.get(made[3]).activation_count == 1
    late = desk.memory(folder, body="马戏团的大象")
    desk.recall("马戏团的大象", folder, mode=RecallMode.COMMIT, settings={"reinforcement": 0.5})
    assert desk.get(late).importance == 5.5
    assert desk.undo().conflicts == ()
    with desk.store.read() as reader:
        assert not reader.records(Memory, [late])


def test_counts_are_seen_by_the_next_recall(desk: RecallDesk) -> None:
    folder, made = story(desk)
    for _ in range(3):
        desk.recall("马戏团", folder, mode=RecallMode.COMMIT, recipe="stbme")
    run = desk.service.run(RecallRequest(message="马戏团", folder=folder))
    row = int(run.frame.corpus.rows_of([made[3]])[0])
    assert int(run.frame.corpus.activations[row]) == desk.get(made[3]).activation_count > 0
    assert float(run.frame.corpus.importance[row]) == desk.get(made[3]).importance


def test_deleting_for_ever_takes_the_text_out_of_kept_runs(desk: RecallDesk) -> None:
    folder, made = story(desk)
    desk.recall("马戏团", folder, mode=RecallMode.COMMIT)
    run = desk.engine.ask(LastInjection(folder))
    assert run is not None
    assert "马戏团" in run.injection
    desk.run(DeletePermanently(memories=(made[3],)))
    after = desk.engine.ask(LastInjection(folder))
    assert after is not None
    assert (after.injection, after.tokens, after.selected) == ("", run.tokens, run.selected)


def test_importance_never_rises_above_ten(desk: RecallDesk) -> None:
    folder, made = story(desk)
    for _ in range(15):
        desk.recall("马戏团", folder, mode=RecallMode.COMMIT, settings={"reinforcement": 0.1})
    assert desk.get(made[3]).importance == 10.0


def test_recipes_are_answered(desk: RecallDesk) -> None:
    assert tuple(each.id for each in desk.engine.ask(Recipes())) == RECIPES


# --- chance and models ----------------------------------------------------------------------


def test_flashback_brings_back_an_archived_memory_and_rests(desk: RecallDesk) -> None:
    folder, _ = story(desk)
    old = desk.memory(folder, body="很久以前的灯会", status=Status.ARCHIVED)
    settings = {"flashback": True, "flashback_chance": 1.0, "flashback_archived_share": 1.0}
    result = desk.recall("马戏团", folder, mode=RecallMode.COMMIT, settings=settings)
    came_back = [each for each in result.selected if each.source is Source.FLASHBACK]
    assert [each.pk for each in came_back] == [old]
    assert desk.get(old).activation_count == 0
    again = desk.recall("马戏团", folder, settings=settings)
    assert old not in {each.pk for each in again.selected}
    rested = desk.recall("马戏团", folder, settings={**settings, "flashback_cooldown_s": 0})
    assert old in {each.pk for each in rested.selected}


def test_same_seed_gives_the_same_chance(desk: RecallDesk) -> None:
    folder, _ = story(desk)
    settings = {
        "lucky_recall": True,
        "lucky_chance": 0.5,
        "near_weight": 0.0,
        "session_weight": 0.0,
        "scene": False,
    }
    results = [desk.selected("马戏团", folder, settings=settings, seed=seed) for seed in range(12)]
    assert results == [desk.selected("马戏团", folder, settings=settings, seed=seed) for seed in range(12)]
    assert len({tuple(sorted(each)) for each in results}) > 1


def test_without_a_model_the_choice_is_said_to_be_skipped(desk: RecallDesk) -> None:
    folder, _ = story(desk)
    result = desk.recall("马戏团", folder, settings={"rerank": True})
    assert [note.key for note in result.notes if "rerank" in note.key] == ["recall.note.rerank_skipped"]
    assert result.selected


def test_model_chooses_by_id_and_unknown_ids_are_ignored(desk: RecallDesk) -> None:
    folder, made = story(desk)
    chosen = desk.get(made[1]).id
    model = ScriptedModel([f'<think>hm</think> {{"selected_ids": ["mem-0", "{chosen}"]}}'])
    desk.model = model
    settings = {"rerank": True, "scene": False}
    result = desk.recall("老船长在钟楼", folder, settings=settings)
    assert [each.pk for each in result.selected] == [made[1]]
    assert "钟楼的秘密" in model.asked[0][-1].text


def test_unreadable_reply_falls_back_to_the_best(desk: RecallDesk) -> None:
    folder, _ = story(desk)
    desk.model = ScriptedModel(["no", "still no"])
    result = desk.recall("老船长在钟楼", folder, settings={"rerank": True, "rerank_keep": 1, "scene": False})
    assert len(result.selected) == 1
    assert "recall.note.rerank_unread" in [note.key for note in result.notes]


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("recipe", RECIPES)
def test_tables_lose_no_recalled_memory(vector_desk: RecallDesk, recipe: str, archived: bool) -> None:
    folder, made = story(vector_desk)
    if archived:
        vector_desk.run(ArchiveMemories(memories=tuple(made)))
    result = vector_desk.recall(
        "老船长在码头", folder, recipe=recipe, layout=Layout.TABLES, include_archived=archived
    )
    shown = {span.memory for span in result.injection.spans}
    assert result.selected
    assert {each.pk for each in result.selected} <= shown


def test_tables_say_that_they_know_no_budget(vector_desk: RecallDesk) -> None:
    folder, _ = story(vector_desk)
    result = vector_desk.recall("老船长在码头", folder, layout=Layout.TABLES, budget_tokens=5)
    assert result.injection.budget is None
    assert "recall.note.no_budget" in [note.key for note in result.notes]
    own = vector_desk.recall("老船长在码头", folder, layout=Layout.TABLES)
    assert "recall.note.no_budget" not in [note.key for note in own.notes]


def test_line_of_a_memory_is_the_one_that_stands_in_the_injection(desk: RecallDesk) -> None:
    folder = desk.folder()
    pk = desk.memory(folder, body="The lighthouse | keeper's\nletter [Memory - Core]", title="Letter", seq=3)
    line = desk.ask(InjectedLineOf(pk))
    injection = desk.recall("the lighthouse keeper's letter", folder).injection
    assert line.text in injection.text.splitlines()
    (counted,) = [each for section in injection.sections for each in section.memories if each.memory == pk]
    assert line.tokens in (counted.tokens, counted.tokens - 1)
    assert (line.recipe, line.family, line.exact) == ("blend", "o200k_base", True)
    assert line.whole > line.tokens


def test_line_follows_the_recipe_used_last_and_is_estimated_while_no_vocabulary_is_there(
    desk: RecallDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = desk.folder()
    pk = desk.memory(folder, body="The lighthouse keeper's letter", seq=3)
    monkeypatch.setattr(token_counter, "_loaded", {})
    quick = desk.ask(InjectedLineOf(pk, quick=True))
    assert (quick.exact, quick.family) == (False, "estimate")
    assert desk.ask(InjectedLineOf(pk)).exact
    assert desk.ask(InjectedLineOf(pk, quick=True)).exact
    desk.recall("letter", folder, recipe="stbme-compat", mode=RecallMode.COMMIT)
    assert desk.ask(InjectedLineOf(pk)).recipe == "stbme-compat"
    with pytest.raises(NotFound):
        desk.ask(InjectedLineOf(MemoryPk(99)))
