"""Documents, commands, visibility, tables and graph files beyond what the recorded vectors hold."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.algos import stbme_graph, stbme_retrieve
from core.algos.changes import change_summary
from core.algos.chunking import cut_document, pack_paragraphs
from core.algos.command_line import CommandProblem, parse_segment, plan, split_segments
from core.algos.compression import GroupingRule, group_sizes
from core.algos.injection import Row, Table, injection_lines, injection_text, into_buckets
from core.algos.json_reply import first_json
from core.algos.schema_check import check_schema
from core.algos.trigger import decide
from core.algos.visibility import names_in, sees


@given(st.text(alphabet="ab \n", max_size=80), st.integers(1, 12), st.integers(-2, 15))
def test_packed_paragraphs_fit_and_lose_no_letter(text: str, size: int, overlap: int) -> None:
    pieces = pack_paragraphs(text, size, overlap)
    assert all(0 < len(piece) <= size for piece in pieces)
    if overlap <= 0:
        assert "".join("".join(pieces).split()) == "".join(text.split())


@given(st.text(alphabet="#ab. \n", max_size=120), st.booleans(), st.integers(1, 40))
def test_any_document_is_cut_without_loss_of_letters(text: str, markdown: bool, size: int) -> None:
    pieces = cut_document(
        text, markdown=markdown, max_chars=size, overlap_chars=0, embed=lambda texts: np.ones((len(texts), 2))
    )
    kept = sum(piece.content.count(letter) + piece.title.count(letter) for piece in pieces for letter in "ab")
    assert kept >= (0 if markdown else sum(text.count(letter) for letter in "ab"))


@pytest.mark.parametrize(
    ("command", "segments"),
    [
        ('search -query "a && b" && read -id x', ['search -query "a && b"', "read -id x"]),
        ("search -query 'a && b'", ["search -query 'a && b'"]),
        (r"search -query \" && read -id x", [r"search -query \"", "read -id x"]),
        ("search -query don't && read -id x", ["search -query don't", "read -id x"]),
        ("&& &&", []),
    ],
)
def test_separators_inside_quotes_do_not_split(command: str, segments: list[str]) -> None:
    assert split_segments(command) == segments


def test_value_behind_equals_may_start_with_a_dash() -> None:
    assert parse_segment("create -event_start_at=-5 --title='- item=1'").options == {
        "event_start_at": ["-5"],
        "title": ["- item=1"],
    }


@pytest.mark.parametrize(
    ("segment", "code", "subject"),
    [
        ("create -titel x", "unknown_option", "titel"),
        ("search -type nonsense", "unknown_type", "nonsense"),
        ("update -id a -status weird", "unknown_status", "weird"),
        ("dance", "unknown_command", "dance"),
        ("search -query 'open", "bad_quotes", "search -query 'open"),
        (
            "create -type person -title t -content c -core a -diffusion b -opposing c",
            "create_needs_person_id",
            "",
        ),
    ],
)
def test_wrong_command_says_what_is_wrong(segment: str, code: str, subject: str) -> None:
    with pytest.raises(CommandProblem) as caught:
        plan(parse_segment(segment))
    assert (caught.value.code, caught.value.subject) == (code, subject)


@given(st.text(max_size=40))
def test_any_command_is_planned_or_refused(command: str) -> None:
    for segment in split_segments(command):
        with contextlib.suppress(CommandProblem):
            plan(parse_segment(segment))


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["艾琳", "博"], ("艾琳", "博")),
        ("艾琳, 博", ("艾琳", "博")),
        ("艾琳，博", ("艾琳", "博")),
        ("艾琳、博", ("艾琳", "博")),
        ([" 艾琳 ", 3, ""], ("艾琳",)),
        ("*", ()),
        (["艾琳", "*"], ()),
        ("", ()),
        (" , ", ()),
        ([], ()),
        (None, ()),
        ({"a": 1}, ()),
    ],
)
def test_names_in_every_form_of_visibility(value: object, names: tuple[str, ...]) -> None:
    assert names_in(value) == names
    assert sees(names_in(value), None)
    assert sees(names_in(value), "路人") is not bool(names)


TABLES = {
    "event": Table("event_table", ("summary", "status")),
    "character": Table("character_table", ("name",)),
}


def test_every_row_of_a_table_carries_the_id_of_its_memory() -> None:
    core = [Row("e1", "event", {"summary": "a|b\nc"}), Row(None, "event", {"summary": "no id"})]
    lines = injection_lines(core, into_buckets([Row("c1", "character", {"name": "艾琳"})]), TABLES)
    assert [(line.text, line.id) for line in lines if line.id] == [("| a\\|b c |", "e1"), ("| 艾琳 |", "c1")]
    assert injection_text(lines).startswith("[Memory - Core]\nevent_table:\n| summary |\n| --- |\n")


def test_broken_graph_files_are_errors_and_never_empty_graphs() -> None:
    for data, reason in [
        ("{oops", "not_json"),
        ("42", "not_an_object"),
        ({"nodes": []}, "no_version"),
        (None, "not_an_object"),
    ]:
        with pytest.raises(stbme_graph.BrokenGraph) as caught:
            stbme_graph.read_graph(data, 0)
        assert caught.value.reason == reason


def test_newer_graph_keeps_its_version_and_unknown_keys() -> None:
    data = {
        "version": 9,
        "timelineState": {"a": 1},
        "nodes": [{"id": "n", "storyTime": {"x": 1}}, 7],
        "edges": [None],
    }
    graph = stbme_graph.read_graph(json.dumps(data), 5)
    assert (graph["version"], graph["timelineState"]) == (9, {"a": 1})
    assert graph["nodes"][0]["storyTime"] == {"x": 1}
    assert (len(graph["nodes"]), graph["edges"]) == (1, [])


def test_graph_text_is_written_as_javascript_writes_it() -> None:
    assert stbme_graph.write_graph({"a": 5.0, "b": "\ud800龙"}) == '{"a":5,"b":"\\ud800龙"}'


def test_circle_of_children_is_removed_without_end() -> None:
    graph = stbme_graph.empty_graph()
    for name, child in (("a", "b"), ("b", "a")):
        node = stbme_graph.new_node(name, {"type": "event"}, 0)
        graph["nodes"].append({**node, "childIds": [child], "parentId": child})
    assert stbme_graph.remove_node(graph, "a")
    assert graph["nodes"] == []


def leaking_graph() -> stbme_graph.Graph:
    graph = stbme_graph.empty_graph()
    for at in range(24):
        fields = {"name": f"名字{at}"} if at else {"name": "艾琳"}
        node = stbme_graph.new_node(
            f"n{at}", {"type": "event" if at == 5 else "character", "fields": fields}, 0
        )
        graph["nodes"].append(node)
    graph["nodes"][1]["fields"]["visibility"] = ["博"]
    graph["nodes"][2]["archived"] = True
    graph["nodes"][5]["fields"]["visibility"] = "博"
    ends = [("n0", "n1"), ("n1", "n3"), ("n0", "n2"), ("n2", "n4"), ("n0", "n5")]
    for at, (start, end) in enumerate(ends):
        graph["edges"].append(
            stbme_graph.new_edge(f"e{at}", {"fromId": start, "toId": end, "strength": 1}, 0)
        )
    return graph


def test_hidden_and_archived_memories_are_nowhere_in_a_recall() -> None:
    options = stbme_retrieve.RecallOptions(viewer="路人", cross_recall=True, lucky_chance=0.5)
    helpers = stbme_retrieve.Helpers(random=lambda: 0.0)
    result = stbme_retrieve.retrieve(leaking_graph(), "艾琳呢", ["event"], options, helpers, 0)
    assert result.selected == ["n0"]
    assert result.core == []


def test_forced_compression_is_content_with_exactly_fan_in() -> None:
    rule = GroupingRule(threshold=9, fan_in=3, max_depth=10, keep_recent=6)
    assert group_sizes(3, rule, forced=True) == [3]
    assert group_sizes(2, rule, forced=True) == []
    assert group_sizes(9, rule) == []
    assert group_sizes(11, rule) == [3, 2]


def test_equal_lists_are_no_change_and_types_are_told_apart() -> None:
    assert change_summary({"a": ["x"], "b": 1}, {"a": ["x"], "b": 1.0}) == ""
    assert change_summary({"b": 1}, {"b": True}) == "b: 1 -> true"


@pytest.mark.parametrize("pattern", ["[[a", "(", "a{1", "*"])
def test_odd_patterns_never_break_the_trigger(pattern: str) -> None:
    assert decide([(False, "a{1 [a")], [pattern]).score in {0, 2}


@given(st.text(max_size=60))
def test_any_reply_is_searched_for_json(reply: str) -> None:
    first_json(reply)


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "label", "tableName", "columns", "name"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_schema_is_checked(schema: object) -> None:
    check_schema(schema)
