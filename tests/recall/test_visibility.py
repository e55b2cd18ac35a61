"""A memory hidden from the viewer appears nowhere: not in core, scene, energy, left out or trace."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.formats.stbme_read import read_stbme
from core.domain.commands import SetVisibility
from core.domain.commands_documents import IngestDocument, NewDocument
from core.domain.commands_folders import EditFolder
from core.domain.commands_transfer import ApplyImport
from core.domain.document import DocumentPiece
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import TagSet
from core.domain.recall import Layout, RecallRequest, Remedy, Scope, Stage
from core.domain.recipes import RECIPES
from core.domain.schema_data import default_schema
from tests.recall.desk import RecallDesk

CASES = Path(__file__).parents[1] / "data" / "cases"
SECRET = "只有博知道：钥匙藏在灯塔第三级台阶下"


def story(desk: RecallDesk) -> tuple[FolderPk, MemoryPk, list[MemoryPk]]:
    """A secret that only 博 may know, between an anchor and an event; enough others for every strategy."""
    folder = desk.folder("story")
    anchor = desk.memory(folder, "character", title="罗安", fields={"state": "在灯塔"})
    secret = desk.memory(folder, body=SECRET, seq=5, importance=10.0, visibility=("博",))
    behind = desk.memory(folder, body="船在北边的海湾沉没了", seq=6)
    others = [desk.memory(folder, body=f"第{at}天的集市很热闹", seq=10 + at) for at in range(25)]
    desk.edge(anchor, secret)
    desk.edge(secret, behind)
    if desk.embedder is not None:
        desk.embed_all()
    return folder, secret, [anchor, behind, *others]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("message", ["罗安在灯塔", SECRET, "钥匙藏在哪里", "船沉没了"])
@pytest.mark.parametrize("everything", [False, True])
def test_hidden_memory_appears_nowhere(
    vector_desk: RecallDesk, recipe: str, message: str, everything: bool
) -> None:
    folder, secret, _ = story(vector_desk)
    switched = {
        key: True
        for key in ("cross_recall", "multi_intent", "lucky_recall", "flashback", "scene")
        if everything and key in {setting.key for setting in _settings(recipe)}
    }
    request = RecallRequest(
        message=message,
        folder=folder,
        viewer="艾琳",
        recipe=recipe,
        settings=switched,
        include_archived=everything,
    )
    run = vector_desk.service.run(request)
    result = vector_desk.service.recall(request)
    assert secret not in {each.pk for each in (*result.selected, *result.left_out)}
    assert secret not in result.core
    assert SECRET not in result.injection.text
    assert all(step.memory != secret for each in (*result.selected, *result.left_out) for step in each.path)
    row = int(run.frame.corpus.rows_of([secret])[0])
    hidden = run.frame.trace.recalled(row)
    assert hidden.stage is Stage.VISIBILITY
    assert not any(value for key, value in hidden.parts.items() if key not in {"importance", "decay"})
    assert hidden.path == ()
    assert len(run.frame.network().neighbours(row)) == 0


def _settings(recipe: str) -> tuple[object, ...]:
    from core.domain.recipes import recipe as found

    return found(recipe).settings


@pytest.mark.parametrize("recipe", RECIPES)
def test_no_energy_runs_through_a_hidden_memory(vector_desk: RecallDesk, recipe: str) -> None:
    folder, _, others = story(vector_desk)
    behind = others[1]
    seen = vector_desk.service.run(RecallRequest(message="罗安", folder=folder, viewer="博", recipe=recipe))
    unseen = vector_desk.service.run(
        RecallRequest(message="罗安", folder=folder, viewer="艾琳", recipe=recipe)
    )
    row = int(seen.frame.corpus.rows_of([behind])[0])
    if recipe != "booku":
        assert seen.frame.trace.parts["graph"][row] > 0
        assert unseen.frame.trace.parts["graph"][row] == 0


def test_hidden_memory_takes_no_part_in_what_words_weigh(desk: RecallDesk) -> None:
    folder, secret, _ = story(desk)
    before = desk.service.run(RecallRequest(message="灯塔台阶", folder=folder, viewer="艾琳"))
    now = desk.now
    desk.run(SetVisibility(memories=(secret,), visibility=("别人",)))
    desk.now = now
    after = desk.service.run(RecallRequest(message="灯塔台阶", folder=folder, viewer="艾琳"))
    assert before.frame.trace.scores.tolist() == pytest.approx(after.frame.trace.scores.tolist())


def test_viewer_defaults_to_the_folders_character(desk: RecallDesk) -> None:
    folder, secret, _ = story(desk)
    desk.run(EditFolder(folder=folder, character="艾琳"))
    assert secret not in desk.selected("钥匙藏在灯塔哪里", folder)
    assert secret in desk.selected("钥匙藏在灯塔哪里", folder, viewer="博")
    assert secret in desk.selected("钥匙藏在灯塔哪里", folder, viewer="")


def test_stbme_heeds_the_characters_view_only_when_switched_on(desk: RecallDesk) -> None:
    folder, secret, _ = story(desk)
    desk.run(EditFolder(folder=folder, character="艾琳"))
    off = desk.recall("罗安", folder, recipe="stbme")
    on = desk.recall("罗安", folder, recipe="stbme", settings={"visibility": True})
    assert secret in {each.pk for each in off.selected}
    assert secret not in {each.pk for each in on.selected}


def test_why_not_names_a_viewer_who_may_know(desk: RecallDesk) -> None:
    folder, secret, _ = story(desk)
    answer = desk.why(secret, "钥匙藏在灯塔哪里", folder, viewer="艾琳")
    assert answer.recalled.stage is Stage.VISIBILITY
    assert (answer.remedy, answer.value) == (Remedy.CHANGE_VIEWER, "博")


def test_tags_of_a_hidden_memory_bend_no_query(vector_desk: RecallDesk) -> None:
    folder = vector_desk.folder("tags")
    tags = TagSet(core=("钥匙",), diffusion=("灯塔",), opposing=("集市",))
    hidden = vector_desk.memory(folder, "knowledge", title="秘密", body=SECRET, tags=tags, visibility=("博",))
    for at in range(5):
        vector_desk.memory(folder, "knowledge", title=f"事{at}", body=f"第{at}天的集市很热闹", tags=tags)
    vector_desk.embed_all()
    asked = RecallRequest(message="集市", folder=folder, viewer="艾琳", recipe="booku", tags=tags)
    before, now = vector_desk.service.recall(asked), vector_desk.now
    vector_desk.run(SetVisibility(memories=(hidden,), visibility=("谁也不是",)))
    vector_desk.now = now
    after = vector_desk.service.recall(asked)
    assert [(each.pk, each.score) for each in before.selected] == [
        (each.pk, each.score) for each in after.selected
    ]
    assert (before.logic_depth, before.beta) == (after.logic_depth, after.beta)


@pytest.mark.parametrize(("viewer", "key"), [("艾琳", "erin"), ("路人", "passerby")])
@pytest.mark.parametrize("recipe", ["blend", "stbme", "stbme-compat"])
def test_every_form_of_visibility_in_a_file_is_understood(
    desk: RecallDesk, viewer: str, key: str, recipe: str
) -> None:
    desk.run(ApplyImport(read_stbme(CASES / "c310_visibility.json", default_schema())))
    right = json.loads((CASES / "c310.case.json").read_text(encoding="utf-8"))["checks"][key]
    result = desk.recall("可见性", scope=Scope.LIBRARY, viewer=viewer, recipe=recipe, budget_tokens=0)
    numbers = {
        memory.pk: at for at, memory in enumerate(sorted(desk.by_foreign_id().values(), key=lambda m: m.pk))
    }
    assert sorted(numbers[pk] for pk in result.core) == right
    assert {numbers[each.pk] for each in (*result.selected, *result.left_out)} <= set(right)
    for pk, number in numbers.items():
        assert (f"可见性{number}" in result.injection.text) == (number in right), (pk, number)


def test_longer_name_of_a_hidden_memory_stands_in_no_other_names_way(vector_desk: RecallDesk) -> None:
    folder = vector_desk.folder("names")
    shown = vector_desk.memory(folder, "character", title="罗安", fields={"state": "在灯塔"})
    vector_desk.memory(folder, "character", title="罗安家的人", visibility=("博",))
    run = vector_desk.service.run(RecallRequest(message="罗安家的人来了", folder=folder, viewer="艾琳"))
    row = int(run.frame.corpus.rows_of([shown])[0])
    assert run.frame.trace.parts["anchor"][row] > 0


def test_hidden_memory_bridges_no_gap_between_sessions(desk: RecallDesk) -> None:
    folder = desk.folder("times")
    first = desk.memory(folder, body="老船长在码头")
    desk.now += timedelta(minutes=40)
    desk.memory(folder, body="钥匙在台阶下", visibility=("博",))
    desk.now += timedelta(minutes=40)
    later = desk.memory(folder, body="集市很热闹")
    seen, unseen = (
        desk.service.run(RecallRequest(message="老船长在码头", folder=folder, viewer=viewer))
        for viewer in ("博", "艾琳")
    )
    row = int(seen.frame.corpus.rows_of([later])[0])
    assert first
    assert seen.frame.trace.parts["session"][row] > 0
    assert unseen.frame.trace.parts["session"][row] == 0


def test_title_of_a_document_whose_pieces_are_hidden_is_not_told(desk: RecallDesk) -> None:
    folder = desk.folder("documents")
    pieces = (DocumentPiece(title="第一页", body="钥匙藏在台阶下", start=0, end=8),)
    for name in ("秘密手册", "公开手册"):
        new = NewDocument(title=name, text=name, content_hash=name, pieces=pieces)
        made = desk.run(IngestDocument("documents", new)).created
        if name == "秘密手册":
            desk.run(SetVisibility(memories=tuple(made), visibility=("博",)))
    seen, unseen = (
        desk.recall("集市", folder, recipe="booku", layout=Layout.BOOKU, viewer=viewer).injection.text
        for viewer in ("博", "艾琳")
    )
    assert "秘密手册" in seen
    assert "秘密手册" not in unseen
    assert "公开手册" in unseen
