"""JSON files as hands, editors, forums and models leave them: read whole, or refused in words; never half in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.adapters.formats.detect import read_any
from core.adapters.formats.json_mended import mended
from core.adapters.formats.png_chunks import SIGNATURE, chunk
from core.domain.errors import BadFile
from core.domain.schema_data import default_schema
from core.domain.transfer import Format, ImportPlan
from tests.formats.desk import graph, node

SCHEMA = default_schema()
BOOK = {
    "entries": {
        "0": {"uid": 0, "key": ["钟楼"], "comment": "钟楼", "content": "钟楼有一道暗门。# 不是注释"},
        "1": {"uid": 1, "key": ["灯"], "comment": "灯", "content": "他说“走”，我们就走了。", "order": 7},
    }
}
PLAIN = json.dumps(BOOK, ensure_ascii=False)
PRETTY = json.dumps(BOOK, ensure_ascii=False, indent=2)
HEADER = {"user_name": "博", "character_name": "艾琳", "chat_metadata": {"st_bme_graph": graph(node("a"))}}
CHAT = [HEADER, *({"name": "艾琳", "is_user": False, "mes": text} for text in ("你好。", "门开了。"))]
LINES = [json.dumps(line, ensure_ascii=False) for line in CHAT]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., ImportPlan]:
    def reading(data: str | bytes, name: str = "file.json") -> ImportPlan:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        return read_any(path, SCHEMA)

    return reading


def keys(plan: ImportPlan) -> list[str]:
    return [problem.key.removeprefix("import.problem.") for problem in plan.problems]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN[:-1] + ",}",
        "// my book\n/* two\nlines */\n" + PRETTY.replace('"uid"', '// the id\n"uid"'),
        repr(BOOK),
        f"Here it is:\n```json\n{PRETTY}\n```\nEnjoy",
        f"~~~\n{PRETTY}\n~~~",
        json.dumps(PLAIN),
        json.dumps(json.dumps(PLAIN)),
        f"const book = {PRETTY};",
        PLAIN + "\n" + PLAIN,
        PLAIN.replace("}, ", "} ").replace('"uid"', "uid"),
    ],
)
def test_json_broken_in_small_ways_is_read_whole_and_said(read: Callable[..., ImportPlan], text: str) -> None:
    plan = read(text)
    assert [(m.title, m.body) for m in plan.memories] == [
        ("钟楼", "钟楼有一道暗门。# 不是注释"),
        ("灯", "他说“走”，我们就走了。"),
    ]
    assert "json_mended" in keys(plan)


def test_line_break_inside_a_text_is_part_of_it(read: Callable[..., ImportPlan]) -> None:
    plan = read(PLAIN.replace("一道", "一道\n\t"))
    assert plan.memories[0].body == "钟楼有一道\n\t暗门。# 不是注释"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (PLAIN[:-30], "error.file.json_broken"),
        (PLAIN[:60] + PLAIN[90:], "error.file.json_broken"),
        (PLAIN[:-1] + ', "x": 1, "x": 2,}', "error.file.json_broken"),
        (PLAIN + "\n-- the end", "error.file.json_broken"),
        (PLAIN + '\n{"a": 1}', "error.file.several_values"),
        (f"```\n{PLAIN}\n```\n```\n{PLAIN[:-1]},}}\n```", "error.file.not_json"),
        ('"only a text"', "error.file.is_value"),
        ("[注意] 参见 {角色}", "error.file.json_broken_nothing"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused(
    read: Callable[..., ImportPlan], text: str, key: str
) -> None:
    with pytest.raises(BadFile) as refused:
        read(text)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("".join(LINES), "chat.jsonl"),
        ("\u2028".join(LINES), "chat.jsonl"),
        ("\n".join(json.dumps(line, ensure_ascii=False, indent=2) for line in CHAT), "chat.jsonl"),
        ("[" + ",\n".join(LINES) + "]", "chat.jsonl"),
        (json.dumps(CHAT, ensure_ascii=False), "chat.json"),
        ("```json\n" + json.dumps(CHAT, ensure_ascii=False) + "\n```", "chat.txt"),
    ],
)
def test_chat_that_is_not_one_line_a_message_keeps_its_floors_and_its_graph(
    read: Callable[..., ImportPlan], text: str, name: str
) -> None:
    plan = read(text, name)
    assert plan.format is Format.FOREIGN_CHAT
    assert [message.text for message in plan.messages] == ["你好。", "门开了。"]
    assert (len(plan.memories), plan.folders[0].character) == (1, "艾琳")


TRADITIONAL = [
    *LINES[:1],
    json.dumps(
        {"name": "艾琳", "is_user": False, "mes": "鐘樓有一道暗門，在這裡等著我們的人。"}, ensure_ascii=False
    ),
]
JAPANESE = json.dumps(
    {"name": "アイリーン", "is_user": False, "mes": "時計塔には秘密の扉があります。"}, ensure_ascii=False
)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030"])
def test_file_without_a_mark_is_read_in_its_encoding(read: Callable[..., ImportPlan], encoding: str) -> None:
    plan = read(PLAIN.encode(encoding))
    assert [m.title for m in plan.memories] == ["钟楼", "灯"]
    assert keys(plan) == ["encoding"]
    for end in ("\n", "\r\n", "\r"):
        chat = read(end.join(LINES).encode(encoding), "chat.jsonl")
        assert [message.text for message in chat.messages] == ["你好。", "门开了。"]


@pytest.mark.parametrize(
    ("lines", "encoding", "said"),
    [
        (TRADITIONAL, "big5", "鐘樓有一道暗門，在這裡等著我們的人。"),
        (
            [json.dumps({"user_name": "a", "chat_metadata": {}}), JAPANESE],
            "shift-jis",
            "時計塔には秘密の扉があります。",
        ),
    ],
)
def test_old_encodings_are_told_from_gb18030_in_which_they_also_decode(
    read: Callable[..., ImportPlan], lines: list[str], encoding: str, said: str
) -> None:
    chat = read("\n".join(lines).encode(encoding), "chat.jsonl")
    assert [message.text for message in chat.messages] == [said]
    book = {"entries": [{"keys": ["a"], "content": said, "enabled": True, "insertion_order": 1}]}
    plan = read(json.dumps(book, ensure_ascii=False).encode(encoding))
    assert [memory.body for memory in plan.memories] == [said]


def test_torn_text_is_never_mended() -> None:
    whole = json.dumps(graph(*(node(f"n{number}") for number in range(4))), ensure_ascii=False)
    for start in range(0, len(whole) - 40, 7):
        found = mended(whole[:start] + whole[start + 37 :])
        nodes = found.value.get("nodes", []) if found is not None and isinstance(found.value, dict) else []
        assert not any("fromId" in str(each) or '"' in str(each.get("fields", "")) for each in nodes)


def test_card_whose_text_is_json_in_utf_8_keeps_its_names(read: Callable[..., ImportPlan]) -> None:
    card = {"spec": "chara_card_v2", "data": {"name": "艾琳 🌙", "description": "守塔人", "first_mes": ""}}
    text = b"chara\x00" + json.dumps(card, ensure_ascii=False).encode()
    plan = read(SIGNATURE + chunk(b"tEXt", text) + chunk(b"IEND", b""), "card.png")
    assert plan.memories[0].title == "艾琳 🌙"
