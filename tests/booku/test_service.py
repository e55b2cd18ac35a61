"""The service's methods on a real library, where the recorded runs do not show them."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.booku import BookuMemoryService, BookuSettings
from core.domain import queries as q
from core.domain import queries_history as qy
from core.domain import queries_upkeep as qu
from core.domain.commands import MergePolicy, SetLocked
from core.domain.commands_folders import CreateFolder
from core.domain.folder import Folder
from tests.booku.desk import Desk
from tests.fakes.embedder import HashEmbedder
from tests.services.desk import dump_rows

TRIPLE: dict[str, Any] = {"core_tags": ["cat"], "diffusion_tags": ["home"], "opposing_tags": ["work"]}


def upsert(desk: Desk, content: str, **more: Any) -> dict[str, Any]:
    return desk.do(desk.service.upsert_memory(content, **more))


def create(desk: Desk, title: str, content: str, **more: Any) -> dict[str, Any]:
    return desk.do(desk.service.create_memory(title=title, content=content, **more))


def meta(desk: Desk, memory_id: str) -> dict[str, Any]:
    metadata: dict[str, Any] = desk.do(desk.service.get_memory_detail(memory_id=memory_id))["item"][
        "metadata"
    ]
    return metadata


def dump(desk: Desk) -> Any:
    return dump_rows(desk.library.files.database)


def test_every_method_of_the_guide_is_there_and_async() -> None:
    for name in [
        "upsert_memory",
        "create_memory",
        "create_temporary_memo",
        "retrieve_memories",
        "search_memory_entries",
        "grep_memories",
        "read_full_content",
        "get_memory_detail",
        "list_memory_entries",
        "query_memory_status",
        "get_status",
        "list_folder_ids",
        "update_memory_by_id",
        "delete_memories",
        "move_memories",
        "archive_memories",
        "update_activated",
        "promote_stale_emergent",
    ]:
        assert inspect.iscoroutinefunction(getattr(BookuMemoryService, name)), name


def test_create_never_merges_and_lands_on_trial(desk: Desk) -> None:
    first, second = create(desk, "Cat", "The cat sleeps."), create(desk, "Cat", "The cat sleeps.")
    assert first["mode"] == second["mode"] == "created"
    assert first["id"] != second["id"]
    assert first["total"] == 1
    assert first["items"][0]["metadata"]["bucket"] == "emergent"
    assert second["items"][0]["metadata"]["novelty_energy"] == pytest.approx(0.0, abs=1e-6)


def test_create_takes_tags_source_and_every_own_field(desk: Desk) -> None:
    target = create(desk, "Harbour", "Where the boats are.")["id"]
    create(desk, "Mira", "Plays the violin.", memory_type="person", person_id="qq:7", relation_aliases=["Mi"])
    made = create(
        desk, "Concert", "Mira played.", memory_type="event", event_start_at=10.5, event_end_at=20,
        related_people=["mi", "nobody"], relation_memory_ids=[target, "mem-unknown"], relation_aliases=["the gig"],
        tags=["Music"], source="bot", folder_id="Town", **TRIPLE,
    )["items"][0]["metadata"]  # fmt: skip
    assert made["event_start_at"] == 10.5
    assert made["event_end_at"] == 20
    assert made["related_people"] == ["Mira", "nobody"]
    assert made["relation_memory_ids"] == [target, "mem-unknown"]
    assert made["relation_aliases"] == ["the gig"]
    assert (made["tags"], made["core_tags"], made["source"], made["folder_id"]) == (
        ["Music"],
        ["cat"],
        "bot",
        "town",
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": " "},
        {"core_tags": ["a"]},
        {"core_tags": ["a"], "diffusion_tags": ["b"], "opposing_tags": ["  "]},
        {"memory_type": "soup"},
        {"status": "asleep"},
        {"memory_type": "person"},
        {"memory_type": "person", "person_id": "zhang"},
        {"event_start_at": "soon"},
        {"event_start_at": float("nan")},
    ],
)
def test_wrong_records_are_refused_and_nothing_is_written(desk: Desk, wrong: dict[str, Any]) -> None:
    before = dump(desk)["memory"]
    for write in (create, upsert):
        given = {"content": "text", **wrong}
        more = {"title": "T"} if write is create else {}
        with pytest.raises(ValueError, match=r"."):
            write(desk, **more, **given)
    assert dump(desk)["memory"] == before


def test_upsert_unites_and_keeps_the_old_text_as_a_version(desk: Desk) -> None:
    first = upsert(desk, "Ada likes green tea with honey", tags=["Tea"], relation_aliases=["A."], **TRIPLE)
    other = create(desk, "Honey", "Sweet.")["id"]
    again = upsert(desk, "Ada likes green tea with honey!", tags=["Drinks"], relation_memory_ids=[other])
    assert (again["mode"], again["id"]) == ("merged", first["id"])
    found = again["item"]["metadata"]
    assert found["tags"] == ["Tea", "Drinks"]
    assert found["core_tags"] == ["cat"]
    assert found["relation_aliases"] == ["A."]
    assert found["relation_memory_ids"] == [other]
    assert again["item"]["content_snippet"] == "Ada likes green tea with honey!"
    engine = desk.library.engine
    [pk] = engine.ask(q.ResolveMemories((first["id"],)))
    assert any("honey" in str(version.before) for version in engine.ask(qy.VersionsOf(pk)))
    engine.undo()
    assert meta(desk, first["id"])["tags"] == ["Tea"]


def test_upsert_by_policy_overwrites_or_only_proposes(tmp_path: Path) -> None:
    for policy, mode in ((MergePolicy.OVERWRITE, "merged"), (MergePolicy.ASK, "proposed")):
        desk = Desk(tmp_path / policy, HashEmbedder(), policy=policy)
        try:
            first = upsert(desk, "Ada likes tea", tags=["Tea"], **TRIPLE)
            before = dump(desk)["tag"]
            again = upsert(desk, "Ada likes tea")
            assert (again["mode"], again["id"]) == (mode, first["id"])
            tags = again["item"]["metadata"]["tags"]
            assert tags == ([] if policy is MergePolicy.OVERWRITE else ["Tea"])
            assert (dump(desk)["tag"] == before) is (policy is MergePolicy.ASK)
        finally:
            desk.close()


def test_locked_memory_is_not_merged_into(desk: Desk) -> None:
    first = upsert(desk, "Ada likes tea")
    [pk] = desk.library.engine.ask(q.ResolveMemories((first["id"],)))
    desk.library.engine.run(SetLocked(memories=(pk,), locked=True))
    assert upsert(desk, "Ada likes tea")["mode"] == "created"


def test_without_an_embedder_everything_but_meaning_works(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "library")
    try:
        made = upsert(desk, "灯塔的守灯人叫阿海", title="守灯人")
        assert made["mode"] == "created"
        found = desk.do(desk.service.retrieve_memories("守灯人"))
        assert [item["id"] for item in found["results"]] == [made["id"]]
        assert desk.do(desk.service.get_status())["counts"]["vector"] == {"memory": 0, "knowledge": 0}
    finally:
        desk.close()


def test_update_leaves_alone_what_is_none_and_clears_what_is_empty(desk: Desk) -> None:
    made = create(
        desk, "Inn", "A small inn.", memory_type="place", place_type="inn", address_or_coord="Quay 1",
        relation_aliases=["the Anchor"], tags=["Town"], **TRIPLE,
    )["id"]  # fmt: skip
    desk.do(desk.service.update_memory_by_id(memory_id=made, title="The Inn"))
    kept = meta(desk, made)
    assert (kept["title"], kept["place_type"], kept["core_tags"], kept["tags"]) == (
        "The Inn",
        "inn",
        ["cat"],
        ["Town"],
    )
    desk.do(
        desk.service.update_memory_by_id(
            memory_id=made,
            place_type="",
            relation_aliases=[],
            core_tags=[],
            diffusion_tags=[],
            opposing_tags=[],
        )
    )
    cleared = meta(desk, made)
    assert (cleared["place_type"], cleared["relation_aliases"], cleared["core_tags"]) == ("", [], [])
    assert (cleared["address_or_coord"], cleared["tags"]) == ("Quay 1", ["Town"])
    for partly in ({"core_tags": ["x"]}, {"core_tags": ["x"], "diffusion_tags": ["y"], "opposing_tags": []}):
        with pytest.raises(ValueError, match="together"):
            desk.do(desk.service.update_memory_by_id(memory_id=made, **partly))


def test_update_is_one_change(desk: Desk) -> None:
    made = create(desk, "Inn", "A small inn.")["id"]
    before = dump(desk)
    desk.do(
        desk.service.update_memory_by_id(memory_id=made, title="X", content="Y", status="archived", **TRIPLE)
    )
    assert meta(desk, made)["status"] == "archived"
    desk.library.engine.undo()
    assert dump(desk) == before


def test_soft_deletion_is_the_trash_and_hard_is_for_ever(desk: Desk) -> None:
    made = [create(desk, name, f"{name} text")["id"] for name in "abc"]
    soft = desk.do(desk.service.delete_memories(memory_ids=[made[0], made[0], "nope"]))
    assert (soft["mode"], soft["deleted"], soft["requested"]) == ("soft", 1, 3)
    assert desk.do(desk.service.read_full_content(memory_ids=made))["missing"] == [made[0]]
    desk.library.engine.undo()
    assert desk.do(desk.service.read_full_content(memory_ids=made))["missing"] == []
    hard = desk.do(desk.service.delete_memories(memory_ids=made[:2], hard=True))
    assert (hard["mode"], hard["deleted"]) == ("hard", 2)
    assert desk.do(desk.service.get_memory_detail(memory_id=made[0]))["found"] is False


def test_move_by_bucket_and_folder_is_one_change(desk: Desk) -> None:
    made = create(desk, "a", "a text")["id"]
    moved = desk.do(desk.service.move_memories(memory_ids=[made], to_bucket="knowledge", to_folder_id="Work"))
    assert (moved["moved"], moved["to_bucket"], moved["to_folder_id"]) == (1, "knowledge", "work")
    assert (meta(desk, made)["bucket"], meta(desk, made)["folder_id"]) == ("knowledge", "work")
    desk.library.engine.undo()
    assert (meta(desk, made)["bucket"], meta(desk, made)["folder_id"]) == ("emergent", "default")
    desk.do(desk.service.move_memories(memory_ids=[made], to_bucket="archived"))
    assert (meta(desk, made)["bucket"], meta(desk, made)["status"]) == ("emergent", "archived")


def test_archived_and_documents_are_really_filtered(desk: Desk) -> None:
    plain = upsert(desk, "the lighthouse keeper is called Ahai")["id"]
    archived = upsert(desk, "the old lighthouse keeper was called Bo", status="archived")["id"]
    piece = upsert(desk, "a handbook on the lighthouse keeper", bucket="knowledge")["id"]

    def found(**more: Any) -> set[str]:
        result = desk.do(desk.service.retrieve_memories("lighthouse keeper", top_k=9, **more))
        return {item["id"] for item in result["results"]}

    assert found() == {plain}
    assert found(include_archived=True) == {plain, archived}
    assert found(include_knowledge=True) == {plain, piece}


def test_retrieval_counts_uses_and_can_be_counted_by_hand(desk: Desk) -> None:
    made = upsert(desk, "the lighthouse keeper")["id"]
    desk.do(desk.service.retrieve_memories("lighthouse"))
    desk.do(desk.service.update_activated(made))
    desk.do(desk.service.update_activated("nobody"))
    assert meta(desk, made)["activation_count"] == 2


def test_stale_trials_are_judged_and_undone_as_one_change(desk: Desk) -> None:
    used, unused = create(desk, "used", "x")["id"], create(desk, "unused", "y")["id"]
    for _ in range(2):
        desk.do(desk.service.update_activated(used))
    assert desk.do(desk.service.promote_stale_emergent())["promoted"] == 0
    desk.now += timedelta(days=8)
    fresh = create(desk, "fresh", "z")["id"]
    before = dump(desk)
    assert desk.do(desk.service.promote_stale_emergent()) == {
        "promoted": 1,
        "discarded": 1,
        "folder_id": "default",
    }
    assert meta(desk, used)["status"] == "archived"
    assert meta(desk, unused)["is_deleted"] is True
    assert (meta(desk, fresh)["status"], meta(desk, fresh)["is_deleted"]) == ("active", False)
    desk.library.engine.undo()
    assert dump(desk) == before


def test_search_follows_relations_and_conditions(desk: Desk) -> None:
    target = upsert(desk, "a violin of dark wood", memory_type="asset", asset_type="instrument")["id"]
    person = upsert(
        desk, "Mira plays every evening", memory_type="person", person_id="qq:7", relation_memory_ids=[target]
    )["id"]
    by_person = desk.do(desk.service.search_memory_entries(person_id="qq:7", include_related=True))
    assert [item["id"] for item in by_person["items"]] == [person, target]
    assert sorted(by_person["items"][0]) == ["id", "metadata", "title"]
    assert [i["id"] for i in desk.do(desk.service.search_memory_entries(relation_of=target))["items"]] == [
        person
    ]


def test_grep_takes_patterns_literally_unless_they_are_patterns(desk: Desk) -> None:
    made = upsert(desk, "100% of the rent is due on day_1")["id"]
    upsert(desk, "a walk in the park, day 2")

    def ids(query: str, **more: Any) -> list[str]:
        found = desk.do(desk.service.grep_memories(query=query, search_fields=["content"], **more))
        return [item["id"] for item in found["items"]]

    assert ids("100%") == [made]
    assert ids("day_1") == [made]
    assert ids(r"day_\d", use_regex=True) == [made]
    with pytest.raises(ValueError, match="pattern"):
        ids("(", use_regex=True)


def test_memos_live_on_and_are_undoable(desk: Desk) -> None:
    first = desk.do(desk.service.create_temporary_memo(content="call Bob"))
    with pytest.raises(ValueError, match=r"."):
        desk.do(desk.service.create_temporary_memo(content="x", expire_hours=float("inf")))
    assert len(desk.library.engine.ask(qu.MemosOf(at=desk.now))) == 1
    desk.now += timedelta(hours=3)
    second = desk.do(desk.service.create_temporary_memo(content="call Bob"))
    assert second["memo_id"] != first["memo_id"]
    assert second["active_memo_count"] == 1
    desk.library.engine.undo()
    assert desk.library.engine.ask(qu.MemosOf(at=desk.now)) == ()


def test_command_line_reaches_the_library(desk: Desk) -> None:
    line = 'create -title "A && B" -content "one && two" -triple_tags "c|d|o" && search -query two'
    ok, answer = desk.do(desk.service.memory_command(line))
    assert ok
    assert answer["ok"], answer
    assert answer["executed"] == 2
    made = answer["results"][0]["result"]["items"][0]
    assert made["title"] == "A && B"
    assert [item["id"] for item in answer["results"][1]["result"]["items"]] == [made["id"]]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "&&",
        "soup",
        "read",
        "read -colour red",
        "create -title T -content C",
        "create -type soup -title T -content C -triple_tags a|b|c",
        "create -type person -person_id zhang -title T -content C -triple_tags a|b|c",
        'read -id "open',
    ],
)
def test_wrong_command_is_answered_in_words(desk: Desk, line: str) -> None:
    ok, answer = desk.do(desk.service.memory_command(line))
    assert ok
    assert not answer["ok"]
    assert "." in answer["results"][-1]["error"]


def test_manual_is_there_in_both_languages(desk: Desk) -> None:
    for language in ("en", "zh_CN"):
        service = BookuMemoryService(desk.library.engine, language=language)
        _, answer = desk.do(service.memory_command("help"))
        assert "triple_tags" in answer["results"][0]["result"]["content"]


def test_memo_tool_answers_errors(desk: Desk) -> None:
    assert desk.do(desk.service.temporary_memo("call Bob"))[0] is True
    ok, answer = desk.do(desk.service.temporary_memo(" "))
    assert (ok, answer["ok"]) == (False, False)
    assert answer["error"]


def test_folders_are_the_librarys_own(desk: Desk) -> None:
    desk.library.engine.run(CreateFolder("聊天/艾琳"))
    made = upsert(desk, "她在钟楼", folder_id=" 聊天/艾琳 ")
    upsert(desk, "something else", folder_id="Chats")
    assert desk.do(desk.service.list_folder_ids())["items"] == ["default", "chats", "聊天/艾琳"]
    assert meta(desk, made["id"])["folder_id"] == "聊天/艾琳"
    found = desk.do(desk.service.list_memory_entries(folder_id="聊天/艾琳"))
    assert [item["id"] for item in found["items"]] == [made["id"]]


def test_settings_have_bookus_ranges() -> None:
    with pytest.raises(ValueError, match="default_top_k"):
        BookuSettings(default_top_k=51)
    assert BookuSettings().energy_cutoff == 0.1


def test_like_texts_that_come_at_once_are_one_memory(desk: Desk) -> None:
    async def all_at_once() -> list[dict[str, Any]]:
        calls = (desk.service.upsert_memory("the lighthouse keeper is called Ahai") for _ in range(4))
        return list(await asyncio.gather(*calls))

    answers = desk.do(all_at_once())
    assert sorted(answer["mode"] for answer in answers) == ["created", "merged", "merged", "merged"]
    assert len({answer["id"] for answer in answers}) == 1


def test_folder_that_another_call_makes_first_is_taken(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    library = desk.service._library
    answers = iter([None, True])
    find = library.find_folder

    def too_early(name: str) -> Folder | None:
        """Looks before the other call has made the folder, then after it."""
        return None if next(answers) is None else find(name)

    monkeypatch.setattr(library, "find_folder", too_early)
    made = library.run(CreateFolder("default")).created_folder
    assert library.folder("default") == made


@pytest.mark.parametrize("text", ["", " ", "？！…", "😀", "\ud800", "灯塔" * 50_000, "\x00"])
def test_odd_texts_are_answered(desk: Desk, text: str) -> None:
    upsert(desk, "the lighthouse keeper")
    found = desk.do(desk.service.retrieve_memories(text))
    assert found["total"] == len(found["results"])
    desk.do(desk.service.search_memory_entries(query_text=text))
    desk.do(desk.service.list_memory_entries(keyword=text, folder_id=text))
    desk.do(desk.service.grep_memories(query=text, search_fields=["content", "tags"], use_regex=False))
    assert desk.do(desk.service.memory_command(text))[0]
    if text.strip():
        made = upsert(desk, text)
        assert desk.do(desk.service.read_full_content(memory_ids=[made["id"]]))["total"] == 1


ODD: tuple[Any, ...] = (
    None, "", "  ", 0, -1, 1.5, True, [], ["a"], ["", None], [1], [["x"]], {"a": 1}, b"x",
    float("nan"), float("inf"), 10**30, "\ud83d", "\0", "a" * 5000,
)  # fmt: skip
GIVEN: dict[str, dict[str, Any]] = {
    "upsert_memory": {"content": "hello"},
    "create_memory": {"title": "t", "content": "c", **TRIPLE},
    "create_temporary_memo": {"content": "m"},
    "retrieve_memories": {"query_text": "hello"},
    "search_memory_entries": {"query_text": "h"},
    "grep_memories": {"query": "h", "search_fields": ["title"]},
    "read_full_content": {"memory_ids": ["x"]},
    "get_memory_detail": {"memory_id": "x"},
    "update_memory_by_id": {"memory_id": "x"},
    "delete_memories": {"memory_ids": ["x"]},
    "move_memories": {"memory_ids": ["x"], "to_folder_id": "zz"},
    "archive_memories": {"memory_ids": ["x"]},
    "update_activated": {"memory_id": "x"},
    "memory_command": {"command_line": "help"},
    "temporary_memo": {"content": "m"},
}
METHODS = [
    name
    for name, _ in inspect.getmembers(BookuMemoryService, inspect.iscoroutinefunction)
    if not name.startswith("_")
]


@pytest.mark.parametrize("name", METHODS)
def test_odd_arguments_raise_nothing_but_what_the_guide_says(tmp_path: Path, name: str) -> None:
    desk = Desk(tmp_path / "library", HashEmbedder(dims=16))
    method = getattr(desk.service, name)
    known = create(desk, "Luna", "the white cat", **TRIPLE)["id"]
    given = {**GIVEN.get(name, {}), **({"memory_id": known} if name == "update_memory_by_id" else {})}
    for argument in inspect.signature(method).parameters:
        for value in ODD:
            refused = () if name in {"memory_command", "temporary_memo"} else (ValueError, RuntimeError)
            with contextlib.suppress(*refused):
                desk.do(method(**{**given, argument: value}))


def test_one_text_is_no_list_of_letters(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "library")
    with pytest.raises(ValueError, match="core_tags"):
        create(
            desk, "Luna", "the white cat", core_tags="cat", diffusion_tags=["home"], opposing_tags=["work"]
        )
    with pytest.raises(ValueError, match="memory_ids"):
        desk.do(desk.service.delete_memories(memory_ids="mem-1"))
    made = create(desk, "Luna", "the cat", tags=["white", None, 7], **TRIPLE)["id"]
    assert meta(desk, made)["tags"] == ["white", "7"]
