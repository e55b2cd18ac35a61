"""Lists, search and counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.commands import (
    ArchiveMemories,
    EditMemory,
    SetAliases,
    SetImportance,
    SetTags,
    TrashMemories,
)
from core.domain.commands_folders import CreateFolder
from core.domain.enums import Layer, Status, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import TagSet
from core.domain.queries import (
    Counts,
    FacetCounts,
    Folders,
    ListMemories,
    MemoryFilter,
    Sort,
    SortKey,
    TagNames,
    TrashScope,
)
from core.engine import Engine
from tests.store.conftest import Make


def found(engine: Engine, text: str, **more: object) -> list[MemoryPk]:
    return sorted(engine.ask(ListMemories(MemoryFilter(text=text, **more))))  # type: ignore[arg-type] # filter fields


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("灯塔", True),
        ("塔", True),
        ("燈塔", True),
        ("塔灯", False),
        ("LIGHTHOUSE", True),
        ("light", True),
        ('"old lighthouse"', True),
        ('"lighthouse old"', False),
        ("灯塔 -海雾", False),
        ("灯塔 lighthouse", True),
        ("ＬＩＧＨＴ", True),
        ("%", False),
        ('"', True),
        ("-nothing", True),
    ],
)
def test_word_search_finds_what_a_person_expects(engine: Engine, make: Make, text: str, hit: bool) -> None:
    pk = make("她在灯塔下等到海雾散去 the old lighthouse")
    assert found(engine, text) == ([pk] if hit else [])


def test_search_finds_tags_aliases_fields_and_follows_edits(engine: Engine, make: Make) -> None:
    pk = make("正文", title="标题甲")
    engine.run(SetTags(memories=(pk,), tags=TagSet(general=("银钥匙",))))
    engine.run(SetAliases(memory=pk, aliases=("阿岚",)))
    engine.run(EditMemory(memory=pk, fields={"participants": "顾闻舟"}))
    for word in ("标题", "银钥", "阿岚", "闻舟"):
        assert found(engine, word) == [pk]
    engine.run(SetAliases(memory=pk, aliases=()))
    assert found(engine, "阿岚") == []
    engine.undo()
    assert found(engine, "阿岚") == [pk]


def test_relevance_puts_the_better_match_first(engine: Engine, make: Make) -> None:
    weak = make("铜钥匙 " + "别的事情" * 60)
    strong = make("铜钥匙 铜钥匙")
    ranked = list(engine.ask(ListMemories(MemoryFilter(text="铜钥匙"), Sort(SortKey.RELEVANCE))))
    assert ranked == [strong, weak]


def test_every_sort_lists_all_memories(engine: Engine, make: Make) -> None:
    pks = {make(f"m{n}", title=f"t{9 - n}") for n in range(5)}
    for key in SortKey:
        for descending in (True, False):
            assert set(engine.ask(ListMemories(sort=Sort(key, descending)))) == pks
    titles = list(engine.ask(ListMemories(sort=Sort(SortKey.TITLE, descending=False))))
    assert titles == sorted(pks, reverse=True)


def test_folder_filter_with_and_without_subfolders(engine: Engine, make: Make, folder: FolderPk) -> None:
    below = engine.run(CreateFolder("聊天/雾港/番外")).created_folder
    beside = engine.run(CreateFolder("聊天/雾港二")).created_folder
    top, deep, _other = make("a"), make("b", into=below), make("c", into=beside)
    assert list(engine.ask(ListMemories(MemoryFilter(folders=frozenset({folder}))))) == [top]
    both = engine.ask(ListMemories(MemoryFilter(folders=frozenset({folder}), with_subfolders=True)))
    assert sorted(both) == [top, deep]


def test_trash_is_apart_and_counted(engine: Engine, make: Make) -> None:
    kept, gone, filed = make("a"), make("b"), make("c")
    engine.run(TrashMemories(memories=(gone,)))
    engine.run(ArchiveMemories(memories=(filed,)))
    assert sorted(engine.ask(ListMemories())) == [kept, filed]
    assert list(engine.ask(ListMemories(MemoryFilter(trash=TrashScope.INSIDE)))) == [gone]
    archived = engine.ask(ListMemories(MemoryFilter(statuses=frozenset({Status.ARCHIVED}))))
    assert list(archived) == [filed]
    counts = engine.ask(Counts())
    assert (counts.memories, counts.archived, counts.trashed) == (2, 1, 1)
    node = engine.ask(Folders())[0]
    assert (node.memories, node.archived, node.trashed) == (2, 1, 1)


def test_facets_count_under_a_filter(engine: Engine, make: Make) -> None:
    for n in range(3):
        make(f"m{n}")
    facets = engine.ask(FacetCounts())
    assert facets.total == 3
    assert facets.types == {"event": 3}
    assert facets.layers == {Layer.MEMORY: 3}


def test_tag_names_by_use_and_prefix(engine: Engine, make: Make) -> None:
    make("a", tags=TagSet(general=("alpha", "beta")))
    make("b", tags=TagSet(general=("beta",)))
    assert engine.ask(TagNames()) == (("beta", 2), ("alpha", 1))
    assert engine.ask(TagNames(kind=TagKind.GENERAL, prefix="AL")) == (("alpha", 1),)


def test_tags_of_the_trash_are_not_counted(engine: Engine, make: Make) -> None:
    make("a", tags=TagSet(general=("alpha", "beta")))
    gone = make("b", tags=TagSet(general=("beta", "gamma")))
    engine.run(TrashMemories(memories=(gone,)))
    for kind in (None, TagKind.GENERAL):
        assert engine.ask(TagNames(kind=kind)) == (("alpha", 1), ("beta", 1))


def test_size_of_the_journal_only_when_asked_for(engine: Engine, make: Make) -> None:
    pk = make("a")
    engine.run(SetImportance(memories=(pk,), importance=9))
    assert engine.ask(Counts()).journal_bytes > 0
    assert engine.ask(Counts(journal=False)) == replace(engine.ask(Counts()), journal_bytes=0)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=30), types=st.sets(st.sampled_from(["event", "rule"])), low=st.floats(0, 10))
def test_filters_give_subsets_and_never_fail(
    engine: Engine, make: Make, text: str, types: set[str], low: float
) -> None:
    if not engine.ask(Counts()).memories:
        make("她在灯塔下 the old lighthouse 100%", tags=TagSet(general=("x",)))
    everything = set(engine.ask(ListMemories()))
    narrowed = MemoryFilter(text=text, types=frozenset(map(TypeId, types)), importance_min=low)
    assert set(engine.ask(ListMemories(narrowed))) <= everything
