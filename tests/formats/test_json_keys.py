"""Keys that stand twice in one object: the last value counts, no other one is lost, both are named."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.formats.json_decoder import KEY_TWICE, Decoder, doubled_keys
from core.adapters.formats.json_stream import JsonStream
from core.adapters.formats.json_text import BrokenJson
from core.adapters.packages.markdown_form import read_front
from core.domain.errors import BadFile
from core.domain.results import Problem
from core.domain.schema_data import schema_of_json
from core.domain.texts import LANGUAGES, render
from core.domain.transfer import Format, ImportPlan
from tests.formats.chats import header, said
from tests.formats.desk import FilesDesk, graph, node


def told(plan: ImportPlan) -> Problem:
    return next(problem for problem in plan.problems if problem.key == KEY_TWICE)


def written(desk: FilesDesk, text: str, name: str = "file.json") -> Path:
    path = desk.root / name
    path.write_text(text, encoding="utf-8")
    return path


def test_graph_keeps_the_earlier_value_for_export_and_says_where_it_stands(desk: FilesDesk) -> None:
    text = json.dumps(graph(node("a", seq=1)), indent=1)
    text = text.replace('"importance": ', '"importance": 9,\n   "importance": ', 1)
    plan = desk.plan(written(desk, text))
    problem = told(plan)
    line = text[: text.rindex('"importance"')].count("\n") + 1
    assert (problem.args["count"], problem.args["line"], problem.refs) == (
        1,
        line,
        (f"{line}: nodes.0.importance",),
    )
    assert all(str(line) in render(language, KEY_TWICE, **problem.args) for language in LANGUAGES)
    folder = desk.take(written(desk, text)).created_folder
    assert desk.graph_after(folder)["nodes"][0]["importance (1)"] == 9


def test_lorebook_entries_under_one_number_all_come_in(desk: FilesDesk) -> None:
    entries = [json.dumps({"uid": 0, "key": [word], "comment": word, "content": word}) for word in "ab"]
    path = written(desk, f'{{"entries": {{"0": {entries[0]},\n"0": {entries[1]}}}}}')
    plan = desk.plan(path)
    assert (plan.format, sorted(memory.title for memory in plan.memories)) == (Format.WORLDINFO, ["a", "b"])
    assert told(plan).refs == ("2: entries.0",)


def test_chat_names_the_line_and_keeps_the_other_text(desk: FilesDesk) -> None:
    lines = [json.dumps(header()), json.dumps(said("one")).replace('"mes": ', '"mes": "other", "mes": ')]
    plan = desk.plan(written(desk, "\n".join(lines), "chat.jsonl"))
    (message,) = plan.messages
    assert (message.text, message.extra["rest"]) == ("one", {"mes (1)": "other"})
    assert told(plan).refs == ("2: mes",)


def test_card_and_mem0_and_export_say_it_too(desk: FilesDesk) -> None:
    card = '{"name": "A", "description": "x", "first_mes": "1", "first_mes": "2"}'
    mem0 = '[{"id": "1", "memory": "x", "user_id": "u", "user_id": "v"}]'
    export = '[{"uuid": "c", "name": "a", "name": "b", "chat_messages": [{"text": "x", "sender": "human"}]}]'
    refs = {"card": "1: first_mes", "mem0": "1: 0.user_id"}
    assert told(desk.plan(written(desk, card))).refs == (refs["card"],)
    assert told(desk.plan(written(desk, mem0))).refs == (refs["mem0"],)
    assert told(desk.plan(written(desk, export))).args["kept"] == "name (1)"


def test_types_with_a_key_twice_are_refused_in_words() -> None:
    with pytest.raises(BadFile) as caught:
        schema_of_json('{"types": [], "types": []}', "types.json")
    assert caught.value.text_args == {"file": "types.json", "key": "types"}


@pytest.mark.parametrize(
    "front",
    ["title: a\ntitle: b", 'title: "a"\ntitle: "b"', 'fields: {"x": 1, "x": 2}', "f:\n  x: 1\n  x: 2"],
)
def test_front_matter_with_a_key_twice_is_named_and_not_guessed(front: str) -> None:
    with pytest.raises(ValueError, match="× 2"):
        read_front(f"---\n{front}\n---\nbody\n")


def test_same_value_twice_loses_nothing_and_is_only_a_note(desk: FilesDesk) -> None:
    text = json.dumps(graph(node("a"))).replace('"nodes"', '"version": 3, "version": 3, "nodes"')
    assert told(desk.plan(written(desk, text))).severity == "info"


def test_what_stands_twice_before_a_break_is_kept(desk: FilesDesk) -> None:
    text = json.dumps(graph(node("a"))).replace('"nodes"', '"mood": 1, "mood": 2, "nodes"', 1)
    plan = desk.plan(written(desk, text[: text.rindex("]")]), partly=True)
    assert told(plan).args["kept"] == "mood (1)"


class Pairs(list[tuple[str, Any]]):
    """An object whose keys may stand several times."""


PAIRS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text('ab"\\{}[],:\n é', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(st.sampled_from(["a", "b", 'q"', "ü\\"]), inner), max_size=4).map(Pairs)
    ),
    max_leaves=12,
)


def dumped(value: Any, gap: str) -> str:
    if isinstance(value, Pairs):
        inner = (f"{json.dumps(key)}:{gap}{dumped(item, gap)}" for key, item in value)
        return "{" + f",{gap}".join(inner) + "}"
    if isinstance(value, list):
        return "[" + f",{gap}".join(dumped(item, gap) for item in value) + "]"
    return json.dumps(value)


def doubles(value: Any) -> int:
    if isinstance(value, Pairs):
        return len(value) - len({key for key, _ in value}) + sum(doubles(item) for _, item in value)
    return sum(map(doubles, value)) if isinstance(value, list) else 0


@given(PAIRS, st.sampled_from(["", " ", "\n"]))
def test_any_text_gives_the_usual_value_and_every_doubled_key(value: Any, gap: str) -> None:
    text = dumped(value, gap)
    decoder = Decoder()
    found, _ = decoder.raw_decode(text)
    assert decoder.doubled == len(list(doubled_keys(text))) == doubles(value)
    if not decoder.doubled:
        assert found == json.loads(text)
    stream = JsonStream(BytesIO(text.encode()), "utf-8")
    assert stream.value() == found
    assert stream.twice.count == decoder.doubled


@pytest.mark.parametrize("text", ["", "[", '{"a"', '{"a": [1, {"b": 2}', "[1 2]", '{"a" 1}', "[" * 5000])
def test_stream_of_broken_text_ends_with_the_place(text: str) -> None:
    stream = JsonStream(BytesIO(text.encode()), "utf-8")
    with pytest.raises(BrokenJson):
        walked(stream)


def walked(stream: JsonStream) -> None:
    for _ in stream.members() if stream.opens() == "{" else stream.items():
        stream.value()
