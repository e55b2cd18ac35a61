"""ST-BME graphs: what comes in goes out again, what is broken is put right and named."""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.adapters.formats.problems import Problems
from core.adapters.formats.stbme_find import FoundGraph
from core.adapters.formats.stbme_read import plan_of
from core.adapters.formats.values import EPOCH
from core.domain.commands import CreateMemory, EditMemory, NewMemory, TrashMemories
from core.domain.edge import lives
from core.domain.enums import Status, StatusReason
from core.domain.errors import BadFile
from core.domain.ids import MemoryPk, TypeId
from core.domain.schema_data import default_schema
from core.domain.transfer import ImportPlan
from tests.formats.desk import CASES, EXPORTS, FilesDesk, edge, graph, node

VECTORS = Path(__file__).parents[1] / "data" / "golden" / "stbme" / "serialization.json"
LOADED = [
    case["expected"]
    for case in json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    if case["function"] in ("deserializeGraph", "importGraph") and case["expected"].get("nodes")
]


def problem_keys(plan: ImportPlan) -> set[str]:
    return {problem.key.removeprefix("import.problem.") for problem in plan.problems}


def without_embeddings(data: dict[str, Any]) -> dict[str, Any]:
    for item in data["nodes"]:
        if "embedding" in item:
            item["embedding"] = None
    return data


@pytest.mark.parametrize("name", ["small_15_zh.json", "medium_300_zh.json"])
def test_real_export_goes_out_again_character_for_character(desk: FilesDesk, name: str) -> None:
    result = desk.take(EXPORTS / name)
    path = desk.root / "again.json"
    desk.export(result.created_folder, desk.plan(EXPORTS / name).format, path)
    assert path.read_text(encoding="utf-8") == (EXPORTS / name).read_text(encoding="utf-8").rstrip("\n")


def test_both_exports_live_in_one_library_although_their_ids_collide(desk: FilesDesk) -> None:
    first, second = (desk.take(EXPORTS / name) for name in ("small_15_zh.json", "medium_300_zh.json"))
    assert len(first.created) == 15
    assert len(second.created) == 300
    for result, name in ((first, "small_15_zh.json"), (second, "medium_300_zh.json")):
        raw = json.loads((EXPORTS / name).read_text(encoding="utf-8"))
        assert desk.graph_after(result.created_folder) == raw


@pytest.mark.parametrize("loaded", LOADED)
def test_graph_that_the_original_loaded_goes_out_equal(desk: FilesDesk, loaded: dict[str, Any]) -> None:
    result = desk.take(desk.graph(loaded))
    assert desk.graph_after(result.created_folder) == without_embeddings(loaded)


def test_import_is_one_op_that_undo_takes_back(desk: FilesDesk) -> None:
    desk.take(EXPORTS / "small_15_zh.json")
    desk.engine.undo()
    with desk.store.read() as reader:
        assert reader.counts().memories == 0
        assert reader.folder_nodes() == []


def test_same_file_twice_gives_a_second_folder_or_nothing_new(desk: FilesDesk) -> None:
    desk.take(EXPORTS / "small_15_zh.json")
    second = desk.take(EXPORTS / "small_15_zh.json")
    assert desk.bundle(second.created_folder).folder.name == "small_15_zh (2)"
    third = desk.take(EXPORTS / "small_15_zh.json", into_existing=True)
    assert third.created == ()
    assert third.counts["already_there"] == 15 + 13


def test_edited_memory_goes_out_under_its_column_names(desk: FilesDesk) -> None:
    data = graph(
        node("c", type="character", fields={"name": "Erin", "state": "calm", "visibility": "Erin，Bo"}),
        node("e", fields={"summary": "old", "participants": "Erin"}),
    )
    folder = desk.take(desk.graph(data)).created_folder
    character, event = (desk.memory(folder, each).pk for each in "ce")
    desk.engine.run(EditMemory(memory=character, title="Erin of the tower"))
    desk.engine.run(EditMemory(memory=event, body="new", fields={"participants": None}))
    nodes = {item["id"]: item["fields"] for item in desk.graph_after(folder)["nodes"]}
    assert nodes["c"] == {"name": "Erin of the tower", "state": "calm", "visibility": "Erin，Bo"}
    assert nodes["e"] == {"summary": "new"}


def test_changed_visibility_goes_out_as_a_list(desk: FilesDesk) -> None:
    folder = desk.take(
        desk.graph(graph(node("a", fields={"summary": "x", "visibility": "Erin"})))
    ).created_folder
    pk = desk.memory(folder, "a").pk
    desk.engine.run(EditMemory(memory=pk, visibility=("Erin", "Bo")))
    assert desk.graph_after(folder)["nodes"][0]["fields"]["visibility"] == ["Erin", "Bo"]


def test_trashed_memory_is_left_out_with_its_edges_and_new_one_gets_a_stable_uuid(desk: FilesDesk) -> None:
    data = graph(
        node("a", nextId="b"),
        node("b", prevId="a", seq=2),
        node("c", type="rule", fields={"title": "t", "constraint": "k"}),
        edges=[edge("e1", "a", "b"), edge("e2", "a", "c")],
        lastRecallResult=["a", "b"],
    )
    folder = desk.take(desk.graph(data)).created_folder
    assert folder is not None
    desk.engine.run(TrashMemories(memories=(desk.memory(folder, "b").pk,)))
    desk.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body="fresh", seq=3)))
    written = desk.graph_after(folder)
    assert [item["id"] for item in written["nodes"][:2]] == ["a", "c"]
    fresh = written["nodes"][2]
    assert str(uuid.UUID(fresh["id"])) == fresh["id"]
    assert fresh["prevId"] == "a"
    assert [item["id"] for item in written["edges"]] == ["e2"]
    assert written["lastRecallResult"] == ["a"]
    assert desk.graph_after(folder) == written


def test_unknown_keys_everywhere_come_out_again(desk: FilesDesk) -> None:
    data = graph(
        node(
            "a",
            scope={"regionPath": ["x", "y"]},
            storyTime={"label": "dawn"},
            _evolutionHistory=[{"reason": "r"}],
        ),
        node("b", type="dream", fields={"summary": "s", "depth": 3}),
        edges=[edge("e", "a", "b", relation="haunts", scope={"layer": "pov"})],
        historyState={"extractionCount": 4},
        version=9,
    )
    plan = desk.plan(desk.graph(data))
    assert problem_keys(plan) == {"unknown_type", "unknown_relation"}
    assert plan.memories[1].type == "dream"
    folder = desk.take(desk.graph(data)).created_folder
    assert desk.graph_after(folder) == data


def test_double_edge_keeps_the_earlier_start_and_the_larger_strength(desk: FilesDesk) -> None:
    double = edge("e2", "a", "b", strength=0.9, validAt=1774900000000, createdTime=1774900000000)
    data = graph(node("a"), node("b"), edges=[edge("e1", "a", "b"), double])
    written = desk.graph_after(desk.take(desk.graph(data)).created_folder)
    assert written["edges"] == [edge("e1", "a", "b", strength=0.9)]


def test_past_edges_and_edges_of_another_scope_are_no_doubles(desk: FilesDesk) -> None:
    edges = [
        edge("e1", "a", "b", invalidAt=1774300000000),
        edge("e2", "a", "b"),
        edge("e3", "a", "b", scope={"ownerId": "Erin"}),
        edge("e4", "b", "a"),
    ]
    data = graph(node("a"), node("b"), edges=edges)
    assert desk.graph_after(desk.take(desk.graph(data)).created_folder)["edges"] == edges


def test_compressed_children_are_archived_with_that_reason(desk: FilesDesk) -> None:
    data = graph(
        node("child", archived=True, parentId="parent"),
        node("gone", archived=True),
        node("parent", level=1, childIds=["child"]),
    )
    folder = desk.take(desk.graph(data)).created_folder
    child, gone, parent = (desk.memory(folder, each) for each in ("child", "gone", "parent"))
    assert (child.status, child.status_reason) == (Status.ARCHIVED, StatusReason.COMPRESSED)
    assert (gone.status, gone.status_reason) == (Status.ARCHIVED, StatusReason.IMPORTED)
    assert child.parent == parent.pk
    assert child.updated_at == child.created_at
    assert desk.graph_after(folder) == data


def test_long_chain_of_parents_is_read_in_one_go_and_circles_are_cut(desk: FilesDesk) -> None:
    chain = [node(f"n{i}", parentId=f"n{i + 1}") for i in range(5_000)]
    circle = [
        node("a", parentId="b"),
        node("b", parentId="c"),
        node("c", parentId="b"),
        node("d", parentId="a"),
    ]
    plan = desk.plan(desk.graph(graph(*chain, *circle)))
    parents = {memory.key: memory.parent for memory in plan.memories}
    assert (parents["n0"], parents["n4999"]) == ("n1", None)
    assert {key: parents[key] for key in "abcd"} == {"a": "b", "b": None, "c": None, "d": "a"}


def test_file_whose_name_is_no_text_comes_in(desk: FilesDesk) -> None:
    path = desk.root / os.fsdecode(b"\xff\n\xe5\x90\x8d.json")
    path.write_text(json.dumps(graph(node("a"))), encoding="utf-8")
    result = desk.take(path)
    assert desk.bundle(result.created_folder).folder.name == "\\udcff 名"


def test_pipe_is_no_file_to_wait_for(desk: FilesDesk) -> None:
    path = desk.root / "pipe.json"
    os.mkfifo(path)
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.key == "error.file.cannot_open"


def test_same_id_with_other_content_keeps_both(desk: FilesDesk) -> None:
    data = graph(node("a"), node("a", fields={"summary": "other"}), edges=[])
    assert problem_keys(desk.plan(desk.graph(data))) == {"id_twice"}
    folder = desk.take(desk.graph(data)).created_folder
    assert [m.body for m in desk.bundle(folder).memories] == ["text of a", "other"]
    ids = [item["id"] for item in desk.graph_after(folder)["nodes"]]
    assert ids[0] == "a"
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    ("version", "confirm", "key"),
    [
        (None, True, "no_version"),
        (12, True, "newer_version"),
        ("3", False, None),
        (1, False, None),
        (9, False, None),
    ],
)
def test_version_that_is_in_doubt_asks_first(
    desk: FilesDesk, version: object, confirm: bool, key: str | None
) -> None:
    data = graph(node("a"))
    data["version"] = version
    if version is None:
        del data["version"]
    plan = desk.plan(desk.graph(data))
    assert plan.needs_confirmation is confirm
    assert problem_keys(plan) == ({key} if key else set())
    assert len(plan.memories) == 1


def test_old_edge_without_start_starts_with_its_creation_at_every_import(desk: FilesDesk) -> None:
    old = edge("e", "a", "b")
    for key in ("validAt", "invalidAt", "expiredAt", "createdTime"):
        del old[key]
    path = desk.graph(graph(node("a"), node("b"), edges=[old], version=1))
    first, second = desk.plan(path), desk.plan(path)
    assert first == second
    assert first.edges[0].valid_from == first.memories[0].created_at


def test_bad_numbers_and_times_are_put_right_and_named(desk: FilesDesk) -> None:
    data = graph(
        node("a", importance="8", accessCount=-2, seq="x", seqRange=[5, 2], createdTime=1774200000),
        node("b", importance=None, createdTime="soon", lastAccessTime=9e20, level=1.5),
    )
    plan = desk.plan(desk.graph(data))
    first, second = plan.memories
    assert (first.importance, first.activation_count, first.seq) == (8, 0, 0)
    assert (first.seq_start, first.seq_end) == (2, 5)
    assert first.created_at == second.created_at
    assert (second.importance, second.level) == (5, 1)
    assert {"bad_importance", "bad_access_count", "bad_seq", "bad_seq_range", "bad_time"} <= problem_keys(
        plan
    )


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1066-10-14"])
def test_date_that_is_none_of_a_memory_is_no_date_in_words_either(desk: FilesDesk, written: str) -> None:
    last = edge("e", "a", "b", validAt=written, expiredAt=written)
    data = graph(node("a", createdTime=written), node("b", lastAccessTime=written), edges=[last])
    plan = desk.plan(desk.graph(data))
    assert plan.memories[0].created_at == plan.memories[1].created_at
    assert plan.memories[1].last_activated_at is None
    assert (plan.edges[0].valid_from, plan.edges[0].expired_at) == (plan.memories[0].created_at, None)
    assert "bad_time" in problem_keys(plan)


def test_graph_inside_a_chat_is_found_with_its_character(desk: FilesDesk) -> None:
    header = {
        "user_name": "unused",
        "character_name": "艾琳",
        "chat_metadata": {"st_bme_graph": graph(node("a")), "integrity": "x"},
    }
    message = {"name": "艾琳", "is_user": False, "mes": "…" * 100_000}
    lines = "\r\n".join(json.dumps(item, ensure_ascii=False) for item in (header, message, message))
    path = desk.root / "Erin - 2025-11-23@10h05m.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines.encode() + b"\r\n\x00\x00\x00")
    plan = desk.plan(path)
    assert plan.folders[0].character == "艾琳"
    assert plan.folders[0].name == "Erin - 2025-11-23@10h05m"
    assert len(plan.memories) == 1
    assert len(plan.messages) == 2
    assert problem_keys(plan) == {"graph_in_chat", "nul_bytes"}


@pytest.mark.parametrize("wrap", [lambda g: {"st_bme_graph": g}, lambda g: {"st_bme_graph": json.dumps(g)}])
def test_graph_inside_chat_metadata_is_found(desk: FilesDesk, wrap: Any) -> None:
    assert len(desk.plan(desk.graph(wrap(graph(node("a"), node("b"))))).memories) == 2


def test_older_graph_than_the_marker_says_is_named(desk: FilesDesk) -> None:
    inside = graph(node("a")) | {"__stBmePersistence": {"revision": 3}}
    metadata = {"st_bme_graph": inside, "st_bme_commit_marker": {"revision": 7}}
    plan = desk.plan(desk.graph({"chat_metadata": metadata}))
    assert problem_keys(plan) == {"older_than_marker"}


def test_graph_with_fewer_nodes_than_the_marker_says_is_named(desk: FilesDesk) -> None:
    metadata = {"st_bme_graph": graph(node("a")), "st_bme_commit_marker": {"nodeCount": 2}}
    assert problem_keys(desk.plan(desk.graph({"chat_metadata": metadata}))) == {"fewer_than_marker"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_other_encodings_are_read(desk: FilesDesk, encoding: str) -> None:
    path = desk.root / "graph.json"
    path.write_bytes(
        json.dumps(graph(node("a", fields={"summary": "钟楼的钥匙"})), ensure_ascii=False).encode(encoding)
    )
    assert desk.plan(path).memories[0].body == "钟楼的钥匙"


def test_truncated_file_says_where_and_how_much_and_gives_the_readable_part(desk: FilesDesk) -> None:
    whole = (EXPORTS / "medium_300_zh.json").read_text(encoding="utf-8")
    cut = whole[: whole.index('"id": "00000000-0000-4000-8000-000000000010"')]
    path = desk.root / "x.json"
    path.write_text(cut, encoding="utf-8")
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.key == "error.file.json_broken"
    assert caught.value.text_args["memories"] == cut.count('"createdTime"')
    assert caught.value.text_args["line"] in (cut.count("\n"), cut.count("\n") + 1)
    part = desk.plan(path, partly=True)
    assert len(part.memories) == cut.count('"createdTime"')
    assert "broken_json" in problem_keys(part)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("", "empty"),
        (" \n\x00", "empty"),
        ("hello", "not_json"),
        ("[1, 2]", "is_list"),
        ('{"st_bme_commit_marker": {"revision": 2}}', "graph_elsewhere"),
        ("42", "is_value"),
        ('{"entries": {"0": {"color": "red"}}}', "is_lorebook"),
        ('{"spec": "chara_card_v2"}', "is_card"),
        ('{"mapping": {}, "current_node": "x"}', "unread_chat"),
        ('{"nodes": [{"id": 1, "pos": [0, 0]}], "links": []}', "is_object"),
        ('{"nodes": {"a": {"x": 1}}, "version": 3}', "is_object"),
        ('{"nodes": ' + "[" * 5000, "too_deep"),
        ('{"nodes": [{"fields": {"summary": ' + "[" * 400 + "]" * 400 + "}}]}", "too_deep"),
        ('{"nodes": [{"clusters": ' + '{"a": ' * 400 + "1" + "}" * 400 + "}]}", "too_deep"),
        ('{"nodes": [{"fields": {}}], "x": ' + '{"a": ' * 700 + "!", "too_deep"),
        ('{"nodes": [{"fields": {}}], "x": ' + "[" * 700 + "!", "json_broken"),
    ],
)
def test_other_file_is_refused_with_what_it_is(desk: FilesDesk, content: str, key: str) -> None:
    path = desk.root / "file.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.key == f"error.file.{key}"
    assert path.read_text(encoding="utf-8") == content


def test_nul_and_half_an_emoji_are_escaped_at_the_door(desk: FilesDesk) -> None:
    path = desk.root / "graph.json"
    path.write_text(json.dumps(graph(node("a", fields={"summary": "cut \ud83d end\x00"}))), encoding="utf-8")
    result = desk.take(path)
    assert desk.memory(result.created_folder, "a").body == "cut \\ud83d end\\u0000"
    desk.graph_after(result.created_folder)


def test_edit_of_a_memory_in_a_case_with_damage_keeps_the_rest(desk: FilesDesk) -> None:
    folder = desk.take(CASES / "c308_broken_refs.json").created_folder
    written = desk.graph_after(folder)
    again = desk.take(desk.graph(written, "again.json"))
    assert desk.graph_after(again.created_folder) == written
    assert desk.plan(desk.root / "again.json").counts["rejected_edges"] == 0


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
nodes_of_any_kind = st.dictionaries(
    st.sampled_from([*node("x"), "scope", "updatedAt", "other"]), json_values, max_size=8
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(nodes=st.lists(nodes_of_any_kind | json_values, max_size=5), edges=st.lists(json_values, max_size=4))
def test_no_content_of_nodes_and_edges_breaks_the_reader(nodes: list[Any], edges: list[Any]) -> None:
    data = {"version": 3, "nodes": nodes, "edges": edges}
    found = FoundGraph(graph=json.loads(json.dumps(data)), problems=Problems())
    plan = plan_of(found, default_schema(), name="any.json", fallback_time=EPOCH)
    keys = [memory.key for memory in plan.memories]
    assert len(set(keys)) == len(keys)
    assert all(0 <= memory.importance <= 10 for memory in plan.memories)
    assert all(memory.parent in (None, *keys) for memory in plan.memories)


fields_of_any_kind = st.dictionaries(
    st.sampled_from(["summary", "title", "status", "mood", "visibility"]), json_values
)
clean_nodes = st.builds(
    lambda index, fields, seq, rest: node(
        f"n{index}", fields=fields, seq=seq, seqRange=[seq, seq + 1], **rest
    ),
    st.integers(0, 5),
    fields_of_any_kind,
    st.integers(0, 50),
    st.dictionaries(st.sampled_from(["scope", "storyTime", "flag"]), json_values, max_size=2),
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(nodes=st.lists(clean_nodes, max_size=5, unique_by=lambda item: item["id"]))
def test_any_clean_graph_goes_out_equal(tmp_path_factory: pytest.TempPathFactory, nodes: list[Any]) -> None:
    desk = FilesDesk(tmp_path_factory.mktemp("desk"))
    try:
        data = json.loads(json.dumps(graph(*nodes)))
        path = desk.graph(data)
        if "\\ud" in json.dumps(data) or "\\u0000" in json.dumps(data):
            return
        assert desk.graph_after(desk.take(path).created_folder) == data
    finally:
        desk.engine.close()


def test_pk_of_created_memories_follow_the_file(desk: FilesDesk) -> None:
    result = desk.take(EXPORTS / "small_15_zh.json")
    raw = json.loads((EXPORTS / "small_15_zh.json").read_text(encoding="utf-8"))
    by_pk = {memory.pk: memory.foreign_id for memory in desk.bundle(result.created_folder).memories}
    assert [by_pk[MemoryPk(pk)] for pk in result.created] == [item["id"] for item in raw["nodes"]]


@pytest.mark.parametrize("key", ["invalidAt", "expiredAt"])
@pytest.mark.parametrize(
    ("raw", "ended"),
    [
        (1, True),
        (-5, True),
        (True, True),
        ("1", True),
        (0, False),
        (None, False),
        ("never", False),
        (9e15, False),
    ],
)
def test_end_before_every_date_ends_a_relation_by_the_live_rule(
    desk: FilesDesk, key: str, raw: Any, ended: bool
) -> None:
    path = desk.graph(graph(node("a"), node("b"), edges=[edge("e", "a", "b", **{key: raw})]))
    folder = desk.take(path).created_folder
    [found] = desk.bundle(folder).edges
    assert lives(found, datetime(2027, 1, 1, tzinfo=UTC)) is not ended
    if raw == 1 and raw is not True:
        assert desk.graph_after(folder)["edges"][0][key] == 1


def test_list_in_the_place_of_a_text_is_shown_with_commas_and_goes_out_as_it_came(desk: FilesDesk) -> None:
    folder = desk.take(desk.graph(graph(node("a", fields={"summary": ["p", "q"]})))).created_folder
    assert desk.memory(folder, "a").body == "p, q"
    assert desk.graph_after(folder)["nodes"][0]["fields"] == {"summary": ["p", "q"]}
