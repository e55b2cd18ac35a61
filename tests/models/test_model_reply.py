"""The reader of replies: what models really write, and the value that is meant."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.algos.model_reply import ReplyStatus, items_of, read_reply, without_repeats
from core.domain.errors import BadReply

SCHEMA = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "operations": {"type": "array"}},
    "required": ["operations"],
}
FACTS = {"type": "object", "properties": {"facts": {"type": "array"}}, "required": ["facts"]}
ONE = {"operations": [{"action": "create"}]}
TRAP = '{"operations": [{"action": "delete", "nodeId": "n-1"}]}'
ANSWER = '{"operations": [{"action": "create"}]}'


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>\nFirst {TRAP}\n</think>\n{ANSWER}",
        f"First {TRAP}\n</think>\n{ANSWER}",
        f"{ANSWER}\n<think>or rather {TRAP}",
        f"<think>a</think>{ANSWER}<think>{TRAP}</think>",
        f"<think>outer <think>{TRAP}</think> {TRAP}</think>{ANSWER}",
        f"<Thinking lang='zh'>{TRAP}</Thinking>\n```json\n{ANSWER}\n```",
        f'<reasoning>an odd " and {TRAP}</reasoning>{ANSWER}',
        f"<thought>{TRAP}</thought>{ANSWER}",
        f"<思考>{TRAP}</思考>{ANSWER}",
        f"[THINK]{TRAP}[/THINK]{ANSWER}",
        f"◁think▷{TRAP}◁/think▷{ANSWER}",
        f"<|begin_of_thought|>{TRAP}<|end_of_thought|>{ANSWER}",
        f"<|channel|>analysis<|message|>{TRAP}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<|START_THINKING|>{TRAP}<|END_THINKING|>{ANSWER}",
        f"<seed:cot_budget_reflect>{TRAP}</seed:cot_budget_reflect>{ANSWER}",
        f"<chain-of-thought>{TRAP}</chain-of-thought>{ANSWER}",
        f"<思维链>{TRAP}</思维链>{ANSWER}",
        {"candidates": [{"content": {"parts": [{"text": TRAP, "thought": True}, {"text": ANSWER}]}}]},
        {"content": ANSWER, "reasoning_content": TRAP},
        {"content": [{"type": "thinking", "thinking": TRAP}, {"type": "text", "text": ANSWER}]},
        {"choices": [{"message": {"content": f"{TRAP}</think>{ANSWER}", "reasoning": "x"}}]},
    ],
)
def test_thinking_is_stripped_and_never_read(reply: object) -> None:
    read = read_reply(reply, SCHEMA)  # type: ignore[arg-type]
    assert read.value == ONE
    assert read.thinking
    assert "reply.repair.thinking" in read.repairs


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (f"<think>{TRAP}", "reply.only_thinking"),
        (f"{TRAP}</think>", "reply.only_thinking"),
        (f"<deep_think>{TRAP}", "reply.only_thinking"),
        (f"<推理过程>\n```json\n{TRAP}\n```", "reply.only_thinking"),
        ({"content": "", "reasoning_content": TRAP}, "reply.only_thinking"),
        ({"content": None}, "reply.empty"),
        ({"choices": []}, "reply.empty"),
        ("", "reply.empty"),
        ("\ufeff \n\u200b", "reply.empty"),
        ("<!DOCTYPE html><html><body>{502}</body></html>", "reply.html"),
        ("对不起，我不能处理这个请求。", "reply.no_value"),
        ("[注意] 参见 [链接](http://x) 与 {角色}", "reply.no_value"),
        ("null", "reply.no_value"),
        ('{"operat', "reply.no_value"),
        ("x" * 10_000_001, "reply.too_long"),
    ],
)
def test_reply_without_a_value_is_refused_with_its_reason(reply: object, reason: str) -> None:
    with pytest.raises(BadReply) as caught:
        read_reply(reply, SCHEMA)  # type: ignore[arg-type]
    assert caught.value.key == reason


def test_tag_inside_a_text_is_text() -> None:
    read = read_reply('{"facts": ["用 <think> 标签", "b"],}', FACTS)
    assert read.value == {"facts": ["用 <think> 标签", "b"]}
    assert read.thinking == ""


@pytest.mark.parametrize(
    "reply",
    [
        f'Example {{"note": 1}} and the answer {ANSWER} {{"done": true}}',
        '{"operations": [{"action": "delete"}]}\n\nNo. Finally:\n' + ANSWER,
        json.dumps(ANSWER),
        json.dumps(json.dumps(ANSWER)),
        ANSWER.replace('"', '\\"'),
        json.dumps({"result": ONE}),
        json.dumps({"operations": json.dumps(ONE["operations"])}),
        json.dumps({"name": "save", "arguments": ANSWER}),
        json.dumps([{"type": "function", "function": {"name": "save", "arguments": ONE}}]),
        json.dumps({"tool_calls": [{"function": {"name": "save", "arguments": ANSWER}}]}),
        json.dumps({"choices": [{"message": {"content": ANSWER}}]}),
        f"<tool_call>\n{json.dumps({'name': 'save', 'parameters': ONE})}\n</tool_call>",
        "{'operations': [{'action': 'create'}], }",
        "{operations: [{action: `create`}]}",
        "｛“operations”：［｛“action”：“create”｝］｝",
        '{"operations": [{"action": "create"}}',
        '{"operations": [{"action": "create"}, ...]}',
        '{"operations": [{"action": "create"}}]}',
        '{"operations": [{"action": "create"}]], "thought": "x"}'[:-15] + "}",
        "{&quot;operations&quot;: [{&quot;action&quot;: &quot;create&quot;}]}",
        '{"operations":: [{"action": create"}]}',
        ANSWER.replace("{", "{\n", 1).replace("\n", "\\n").replace('"', '\\"'),
        '"operations": [{"action": "create"}]}',
        '```json\n"operations": [{"action": "create"}]\n```',
        '{operations": [{"action": "create"}]}',
        '{"operations" [{"action": "create"}]}',
        '{"operations": [{"action": "create”, },, ]}',
        json.dumps({"model": "x", "message": {"role": "assistant", "content": ANSWER}, "done": True}),
        json.dumps({"content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}),
        json.dumps({"content": [{"type": "tool_use", "name": "save", "input": ONE}]}),
        json.dumps({"candidates": [{"content": {"parts": [{"text": ANSWER}]}}]}),
        json.dumps({"output": [{"type": "message", "content": [{"type": "output_text", "text": ANSWER}]}]}),
        '// the answer\n{"operations": [/* one */ {"action": "create"}]}',
    ],
)
def test_value_is_found_wherever_and_however_it_stands(reply: str) -> None:
    assert read_reply(reply, SCHEMA).value == ONE


def test_tool_call_of_a_message_is_read_when_there_is_no_text() -> None:
    message = {"content": None, "tool_calls": [{"function": {"name": "save", "arguments": ANSWER}}]}
    read = read_reply(message, SCHEMA)
    assert (read.value, read.repairs) == (ONE, ("reply.repair.tool_call",))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"facts": ["a", "b", "c', ["a", "b"]),
        ('{"facts": ["a", "b"', ["a", "b"]),
        ('```json\n{"facts": ["a", "b"]\n```', ["a", "b"]),
        ('{"facts": [{"t": 1}, {"t": [1, 2], "u": {"v":', [{"t": 1}]),
        ('{"facts": [1, 23', [1]),
        ('{"facts": [], "note": "尾', []),
    ],
)
def test_cut_last_item_is_dropped_and_said(reply: str, value: object) -> None:
    read = read_reply(reply, FACTS)
    assert read.value == {"facts": value}
    assert read.status is ReplyStatus.TRUNCATED
    assert "reply.repair.cut" in read.repairs


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (r'{"facts": ["C:\temp\new", "Q:\nA:\n"]}', ["C:\\temp\\new", "Q:\nA:\n"]),
        (r'{"facts": ["\x41 \u{1F319} \ud83c\udf19", "\ud83d", "a\"b"]}', ["A 🌙 🌙", "\ufffd", 'a"b']),
        ('{"facts": ["他说“走”，就走了", "她问"去？"，没人答"]}', ["他说“走”，就走了", '她问"去？"，没人答']),
        ('{"facts": [NaN, -Infinity, +7, 1e999, .5, 1_000]}', [None, None, 7, None, 0.5, 1000]),
        ('{"facts": [True, None, "a" + "b"]}', [True, None, "ab"]),
        ('{"facts": ["喜欢雨天”, "养猫",, "他说“走”"]}', ["喜欢雨天", "养猫", "他说“走”"]),
        (r'{"facts": ["a\_b", "\*c\*", "C:\_d", "\d+"], "n": 0x1F}', ["a_b", "*c*", "C:\\_d", "\\d+"]),
        ('{"facts": ["一\u200d二", "三"]}\u200b', ["一\u200d二", "三"]),
        ('{"facts": ["a"], "facts": ["b"]}', ["a", "b"]),
    ],
)
def test_strings_and_numbers_that_json_does_not_know(reply: str, value: object) -> None:
    read = read_reply(reply, FACTS).value
    assert isinstance(read, dict)
    assert read["facts"] == value
    assert read.get("n", 31) == 31


def test_closing_bracket_too_many_loses_nothing() -> None:
    reply = '{"operations": [{"action": "create"}}, {"action": "update"}]], "thought": "x"}'
    read = read_reply(reply, SCHEMA)
    assert read.value == {"operations": [{"action": "create"}, {"action": "update"}], "thought": "x"}
    assert "reply.repair.brackets" in read.repairs


def test_missing_quote_in_the_middle_is_ambiguous() -> None:
    read = read_reply('{"thought": "x, "operations": []}', SCHEMA)
    assert read.value == {"thought": "x", "operations": []}
    assert read.status is ReplyStatus.AMBIGUOUS


@pytest.mark.parametrize(
    "reply",
    [
        '[{"action": "create"}, {"action": "update"}]',
        '{"actions": [{"action": "create"}, {"action": "update"}]}',
        '{"action": "create"}\n{"action": "update"}',
    ],
)
def test_other_containers_give_the_same_items(reply: str) -> None:
    items = items_of(read_reply(reply, SCHEMA).value, "operations")
    assert [item["action"] for item in items] == ["create", "update"]


def test_single_object_is_one_item_and_nothing_is_none() -> None:
    single = read_reply('{"action": "create", "fields": {"summary": "A"}}', SCHEMA).value
    assert len(items_of(single, "operations")) == 1
    assert items_of({"operations": []}, "operations") == ()
    assert items_of({}, "operations") == ()


def test_loop_is_said_and_each_item_counts_once() -> None:
    read = read_reply('{"facts": ["a"' + ', "b"' * 60 + ', "b', FACTS)
    assert "reply.repair.repeats" in read.repairs
    assert without_repeats(read.value["facts"]) == (("a", "b"), 59)  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    "reply",
    ["[" * 400_000, "{" * 400_000, '{"a":[' * 100_000, '{"a{' * 100_000, "<think>" * 100_000, '"' * 400_000],
)
def test_hostile_reply_is_done_with_in_seconds(reply: str) -> None:
    start = time.process_time()
    with contextlib.suppress(BadReply):
        read_reply(reply, SCHEMA)
    assert time.process_time() - start < 10


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc键", max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


calmly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@calmly
@given(st.lists(json_values, max_size=4))
def test_json_is_read_as_json(items: list[object]) -> None:
    read = read_reply(json.dumps({"operations": items, "thought": "x"}, ensure_ascii=False), SCHEMA)
    assert read.value == {"operations": items, "thought": "x"}


@calmly
@given(st.text(max_size=200))
def test_no_reply_raises_anything_but_a_refusal(reply: str) -> None:
    with contextlib.suppress(BadReply):
        json.dumps(read_reply(reply, SCHEMA).value, ensure_ascii=False).encode("utf-8")


@calmly
@given(st.lists(st.text("艾琳“”，。：ab\n'", max_size=12), min_size=1, max_size=4))
def test_trailing_comma_and_wrapping_change_no_text(items: list[str]) -> None:
    body = json.dumps({"facts": items}, ensure_ascii=False)[:-2] + ",],}"
    assert read_reply(f"好的：\n```\n{body}\n```\n说明", FACTS).value == {"facts": items}
