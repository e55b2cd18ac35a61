"""Where recall looks: folders, layers, status, floors; and that it sees every change at once."""

from __future__ import annotations

import random

import pytest

from core.domain.commands import (
    ArchiveMemories,
    DeletePermanently,
    EditMemory,
    SetAliases,
    TrashMemories,
    UntrashMemories,
)
from core.domain.commands_folders import SetAlsoReads
from core.domain.commands_graph import EndEdges
from core.domain.enums import Layer, Status, StatusReason
from core.domain.errors import NotFound
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_recall import PrepareRecall
from core.domain.recall import RecallRequest, Remedy, Scope, Stage
from core.domain.recipes import RECIPES
from core.ports.store import OpDraft
from core.services.chat_branches import write_branch
from core.services.recall.corpus import Corpus
from core.services.recall.recall import RecallService
from tests.recall.desk import RecallDesk, hash_embedder
from tests.services.desk import PERSON

ASKED = "银钥匙藏在哪里"
ALONE = {"near_weight": 0.0, "session_weight": 0.0, "scene": False}
"""Neither neighbours in time nor the scene bring anything."""


def key(desk: RecallDesk, folder: FolderPk, text: str = "银钥匙藏在灯塔的台阶下", **more: object) -> MemoryPk:
    return desk.memory(folder, "knowledge", title="钥匙", body=text, **more)


@pytest.mark.parametrize("recipe", RECIPES)
def test_scope_decides_which_folders_are_read(vector_desk: RecallDesk, recipe: str) -> None:
    desk = vector_desk
    here, also, far = desk.folder("here"), desk.folder("also"), desk.folder("far")
    mine, theirs, strange = key(desk, here), key(desk, also), key(desk, far)
    desk.run(SetAlsoReads(here, (also,)))
    desk.embed_all()
    settings = {"dedup_threshold": 1.0} if recipe == "booku" else {}

    def found(**more: object) -> set[int]:
        run = desk.service.run(
            RecallRequest(message=ASKED, folder=here, recipe=recipe, settings=settings, **more)
        )  # type: ignore[arg-type]
        return {int(pk) for pk in run.frame.corpus.pks}

    assert found(scope=Scope.FOLDER) == {mine}
    assert found() == {mine, theirs}
    assert found(scope=Scope.CHOSEN, chosen=frozenset({far})) == {strange}
    assert found(scope=Scope.CHOSEN) == set()
    assert found(scope=Scope.LIBRARY) == {mine, theirs, strange}
    outside = desk.why(strange, ASKED, here, recipe=recipe, settings=settings)
    assert outside.recalled.stage is Stage.SCOPE
    if recipe != "booku":
        assert (outside.remedy, outside.value) == (Remedy.WIDEN_SCOPE, float(far))


def test_without_a_folder_the_whole_library_is_read(desk: RecallDesk) -> None:
    first, second = key(desk, desk.folder("a")), key(desk, desk.folder("b"))
    assert set(desk.selected(ASKED)) == {first, second}


def test_energy_crosses_folders_inside_the_scope_only(desk: RecallDesk) -> None:
    here, far = desk.folder("here"), desk.folder("far")
    named = desk.memory(here, "character", title="罗安")
    other = desk.memory(far, body="船在北边的海湾沉没了")
    desk.edge(named, other)
    assert other not in desk.selected("罗安", here)
    assert other in desk.selected("罗安", here, scope=Scope.LIBRARY)


def test_every_change_is_seen_by_the_next_recall(desk: RecallDesk) -> None:
    folder = desk.folder()
    first = key(desk, folder)

    def found() -> set[int]:
        return set(desk.selected(ASKED, folder, settings=ALONE))

    assert found() == {first}
    second = desk.memory(folder, body="集市上有马戏团", aliases=("银钥匙",))
    assert found() == {first, second}
    desk.run(EditMemory(memory=second, aliases=()))
    assert found() == {first}
    desk.run(TrashMemories(memories=(first,)))
    assert found() == set()
    desk.undo()
    assert found() == {first}
    desk.run(DeletePermanently(memories=(first,)))
    assert found() == set()
    third = key(desk, folder)
    desk.edge(third, second)
    assert found() == {third, second}


def test_a_change_of_another_program_is_seen_too(desk: RecallDesk) -> None:
    folder = desk.folder()
    first = key(desk, folder)
    assert desk.selected(ASKED, folder) == [first]
    from core.store.store import SqlStore

    other = SqlStore(desk.store.files, None)  # type: ignore[arg-type]  # the library exists, so no schema is read
    from core.domain.commands import ArchiveMemories as Archive
    from core.engine import Engine
    from tests.services.desk import PROGRAM

    Engine(other, PROGRAM).run(Archive(memories=(first,)))
    other.close()
    assert desk.selected(ASKED, folder) == []


def test_many_changes_at_once_are_seen(desk: RecallDesk) -> None:
    folder = desk.folder()
    made = [desk.memory(folder, body=f"第{at}天") for at in range(120)]
    assert desk.recall(ASKED, folder).selected == ()
    hit = key(desk, folder)
    desk.run(ArchiveMemories(memories=tuple(made)))
    assert desk.selected(ASKED, folder) == [hit]
    assert desk.service.run(RecallRequest(message="x", folder=folder)).frame.usable.sum() == 1


@pytest.mark.parametrize("recipe", RECIPES)
def test_trash_status_and_layer_are_told_apart(vector_desk: RecallDesk, recipe: str) -> None:
    desk = vector_desk
    folder = desk.folder()
    settings = {"dedup_threshold": 1.0} if recipe == "booku" else {}
    archived = key(desk, folder, status=Status.ARCHIVED)
    document = key(desk, folder, "银钥匙藏在说明书的第三页", layer=Layer.KNOWLEDGE)
    trashed = key(desk, folder, "银钥匙藏在信里")
    desk.run(TrashMemories(memories=(trashed,)))
    desk.embed_all()
    more = {"recipe": recipe, "settings": settings, "include_knowledge": False}
    if recipe.startswith("stbme"):  # they find by names and meaning only
        more["settings"] = {**settings, "rerank": False}
    assert desk.selected(ASKED, folder, **more) == []
    for memory, stage, remedy in (
        (archived, Stage.STATUS, Remedy.INCLUDE_ARCHIVED),
        (document, Stage.LAYER, Remedy.INCLUDE_KNOWLEDGE),
        (trashed, Stage.STATUS, Remedy.RESTORE),
    ):
        answer = desk.why(memory, ASKED, folder, **more)
        assert (answer.recalled.stage, answer.remedy) == (stage, remedy)
    both = {**more, "include_knowledge": True, "include_archived": True}
    assert set(desk.selected(ASKED, folder, **both)) == {archived, document}
    desk.run(UntrashMemories(memories=(trashed,)))
    assert trashed in desk.selected(ASKED, folder, **both)


@pytest.mark.parametrize("recipe", RECIPES)
def test_as_of_a_floor_only_what_was_known_then(vector_desk: RecallDesk, recipe: str) -> None:
    desk = vector_desk
    folder = desk.folder()
    early = desk.memory(folder, body="银钥匙藏在灯塔", seq=3, seq_start=3, seq_end=3)
    late = desk.memory(folder, body="银钥匙藏在钟楼", seq=9, seq_start=9, seq_end=9)
    timeless = desk.memory(folder, body="银钥匙藏在传说里")
    desk.embed_all()
    settings = {"dedup_threshold": 1.0} if recipe == "booku" else {}
    then = desk.recall(ASKED, folder, recipe=recipe, as_of_seq=5, settings=settings)
    assert {each.pk for each in then.selected} | set(then.core) == {early, timeless}
    assert "钟楼" not in then.injection.text
    why = desk.why(late, ASKED, folder, recipe=recipe, as_of_seq=5, settings=settings)
    assert (why.recalled.stage, why.recalled.number, why.recalled.threshold) == (Stage.FLOOR, 9.0, 5.0)
    assert (why.remedy, why.value) == (Remedy.LATER_FLOOR, 9.0)


def test_at_an_early_floor_what_was_compressed_later_is_still_in_use(desk: RecallDesk) -> None:
    folder = desk.folder()
    child = desk.memory(folder, body="银钥匙藏在灯塔", seq=3)
    parent = desk.memory(folder, body="钥匙的故事", seq=9, seq_start=1, seq_end=9)
    _adopt(desk, child, parent)
    desk.run(ArchiveMemories(memories=(child,), reason=StatusReason.COMPRESSED))
    assert desk.selected(ASKED, folder) != [child]
    assert child in desk.selected(ASKED, folder, as_of_seq=5)
    assert desk.recall(ASKED, folder, as_of_seq=5).core == (child,)


def _adopt(desk: RecallDesk, child: MemoryPk, parent: MemoryPk) -> None:
    from core.domain.enums import Kind
    from core.ports.store import OpDraft
    from tests.services.desk import PERSON

    desk.store.write(
        OpDraft("test", PERSON), lambda unit: unit.update(Kind.MEMORY, [child], {"parent": parent})
    )


def test_ended_relations_carry_no_energy_but_did_at_their_floor(desk: RecallDesk) -> None:
    folder = desk.folder()
    named = desk.memory(folder, "character", title="罗安", seq=0)
    other = desk.memory(folder, body="船在北边的海湾沉没了", seq=1)
    edge = desk.edge(named, other, from_seq=1)
    settings = {"near_weight": 0.0, "session_weight": 0.0, "scene": False}
    assert other in desk.selected("罗安", folder, settings=settings)
    desk.run(EndEdges(edges=(edge,), seq=8))
    assert other not in desk.selected("罗安", folder, settings=settings)
    assert other in desk.selected("罗安", folder, settings=settings, as_of_seq=5)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_over_after_a_change_is_what_reading_anew_gives(desk: RecallDesk, seed: int) -> None:
    """Names, participants and relations are kept between changes as far as they hold (Corpus.take_over)."""
    chance = random.Random(seed)
    names = ["罗安", "罗安家", "艾琳", "白", "Elena", "钟楼", "小艾"]
    folder = desk.folder("story")
    made = [
        desk.memory(folder, title=chance.choice(names), fields={"participants": chance.choice(names)}, seq=at)
        for at in range(12)
    ]
    for _ in range(30):
        one, other = chance.sample(made, 2)
        match chance.randrange(9):
            case 0:
                desk.run(EditMemory(memory=one, title=chance.choice(names)))
            case 1:
                desk.run(EditMemory(memory=one, fields={"participants": chance.choice(names)}))
            case 2:
                desk.run(SetAliases(memory=one, aliases=tuple(chance.sample(names, 2))))
            case 3:
                made.append(desk.memory(folder, title=chance.choice(names), seq=len(made)))
            case 4:
                desk.run(TrashMemories(memories=(one,)))
                made.remove(one)
            case 5:
                desk.edge(one, other)
            case 6 | 7:  # whatever it was comes back, also what was trashed, with its relations
                desk.undo()
                made = [MemoryPk(each.pk) for each in desk.service.reads.load(None).memories]
            case _:
                desk.run(EditMemory(memory=one, importance=float(chance.randrange(10))))
        request = RecallRequest(message="罗安家的白和小艾在钟楼见Elena", folder=folder)
        fresh = RecallService(
            desk.store, desk.store.recall, desk.service.counters, clock=lambda: desk.now
        ).run(request)
        kept = desk.service.run(request)
        assert kept.frame.trace.scores.tolist() == fresh.frame.trace.scores.tolist()
        assert kept.selected == fresh.selected
        assert kept.injection == fresh.injection
        assert _everything(kept.frame.corpus) == _everything(fresh.frame.corpus)


def _everything(corpus: Corpus) -> dict[str, object]:
    """All that a corpus knows, as plain values; NaN as a text, since it equals nothing."""
    parts = {
        "columns": corpus.columns,
        "edges": corpus.edges,
        "own": corpus,
    }
    found: dict[str, object] = {}
    for of, part in parts.items():
        for name in getattr(part, "__slots__", ()) or ("parents", "places", "positions", "origin_ranks"):
            value = getattr(part, name)
            found[f"{of}.{name}"] = list(map(str, value.tolist())) if hasattr(value, "tolist") else value
    found["names"], found["cast"] = corpus.name_index._rows, corpus.cast_index._rows
    found["starts"] = {start: set(names) for start, names in corpus.name_index._by_start.items() if names}
    found["tags"] = corpus.tags
    return found


def test_prepared_recall_answers_as_one_that_was_not(vector_desk: RecallDesk) -> None:
    desk = vector_desk
    folder = desk.folder()
    named = key(desk, folder, aliases=("银钥匙",))
    desk.edge(named, key(desk, folder, "集市上有马戏团"))
    desk.embed_all()
    before = desk.recall(ASKED, folder)
    desk.embedder = None  # it is away
    desk.engine.ask(PrepareRecall(folder))
    desk.embedder = hash_embedder()
    fresh = RecallService(
        desk.store,
        desk.store.recall,
        desk.service.counters,
        embedder=desk.service.embedder,
        clock=lambda: desk.now,
    )
    desk.service = fresh
    desk.engine.ask(PrepareRecall(folder))
    with pytest.raises(NotFound):
        desk.engine.ask(PrepareRecall(FolderPk(99)))
    after = desk.recall(ASKED, folder)
    assert (after.selected, after.injection) == (before.selected, before.injection)


@pytest.mark.parametrize("recipe", RECIPES)
def test_branch_does_not_know_what_its_parent_lived_through_after_the_fork(
    vector_desk: RecallDesk, recipe: str
) -> None:
    desk = vector_desk
    parent, child, grandchild = desk.folder("parent"), desk.folder("child"), desk.folder("grandchild")
    places = {None: key(desk, parent), 4: key(desk, parent, seq=4), 5: key(desk, parent, seq=5)}
    ends = desk.memory(parent, "knowledge", title="钥匙", body="银钥匙", seq_start=3, seq_end=6)
    mine = key(desk, child, seq=9)
    for folder, of, shared in ((child, parent, 5), (grandchild, child, 2)):
        desk.store.write(
            OpDraft("op.import", PERSON),
            lambda uow, folder=folder, of=of, shared=shared: write_branch(uow, folder, of, shared),  # type: ignore[misc]
        )
    desk.run(SetAlsoReads(grandchild, (child, parent)))
    desk.embed_all()
    settings = {"dedup_threshold": 1.0} if recipe == "booku" else {}

    def usable(folder: FolderPk, **more: object) -> set[int]:
        request = RecallRequest(message=ASKED, folder=folder, recipe=recipe, settings=settings, **more)  # type: ignore[arg-type]
        frame = desk.service.run(request).frame
        return {int(pk) for pk in frame.corpus.pks[frame.usable]}

    assert usable(child) == {places[None], places[4], mine}
    assert usable(grandchild) == {places[None]}
    assert usable(child, as_of_seq=3) == {places[None]}
    assert usable(parent) == {*places.values(), ends}
    late = desk.why(places[5], ASKED, child, recipe=recipe, settings=settings)
    assert late.recalled.stage is Stage.FLOOR
    assert late.remedy is not Remedy.LATER_FLOOR
    everything = usable(child, scope=Scope.LIBRARY)
    assert places[5] in everything
