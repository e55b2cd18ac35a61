"""Chats: every floor in the order of the file, whatever state the file is in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.formats.chat_dates import sent_at
from core.adapters.formats.chat_read import looks_like_chat
from core.adapters.formats.chat_text import split_thinking, storable_text, without_markup
from core.domain.chat import chat_of, for_memory
from core.domain.enums import FolderKind, Role
from core.domain.errors import BadFile
from core.domain.op_names import name_key
from core.domain.queries_history import History
from core.domain.queries_transfer import FindFiles
from core.domain.texts import render
from core.domain.transfer import Format, ImportPlan
from tests.formats.chats import CHARACTER, USER, floors, header, said, write_chat
from tests.formats.desk import FilesDesk, graph, node


def keys(plan: ImportPlan) -> set[str]:
    return {problem.key.removeprefix("import.problem.") for problem in plan.problems}


def chat(desk: FilesDesk, *lines: dict[str, Any], name: str = "chat.jsonl") -> Path:
    return write_chat(desk.root / name, [header(), *lines])


def test_chat_becomes_a_folder_with_its_floors_and_viewer(desk: FilesDesk) -> None:
    path = chat(desk, *floors(3), name="艾琳 #2 @夜 🌙／完.jsonl")
    result = desk.take(path)
    folder = desk.bundle(result.created_folder).folder
    assert (folder.name, folder.kind, folder.character) == ("艾琳 #2 @夜 🌙／完", FolderKind.CHAT, CHARACTER)
    assert chat_of(folder)["user"] == USER
    with desk.store.read() as reader:
        messages = reader.messages_of(folder.pk)
    assert [(m.seq, m.role, m.name) for m in messages] == [
        (0, Role.ASSISTANT, CHARACTER),
        (1, Role.USER, USER),
        (2, Role.ASSISTANT, CHARACTER),
    ]
    desk.engine.undo()
    with desk.store.read() as reader:
        assert reader.counts().messages == 0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_chat_in_another_encoding_with_windows_line_ends_is_read(desk: FilesDesk, encoding: str) -> None:
    path = desk.root / "chat.jsonl"
    lines = "\r\n".join(json.dumps(line, ensure_ascii=False) for line in [header(), *floors(2)])
    path.write_bytes((lines + "\r\n").encode(encoding))
    plan = desk.plan(path)
    assert [m.text for m in plan.messages] == [line["mes"] for line in floors(2)]
    assert not [p for p in plan.problems if p.severity == "warning"]


def test_nul_tail_on_the_last_line_keeps_its_message(desk: FilesDesk) -> None:
    path = chat(desk, *floors(2))
    path.write_bytes(path.read_bytes() + b"\x00" * 4096)
    plan = desk.plan(path)
    assert len(plan.messages) == 2
    assert keys(plan) == {"nul_bytes"}


def test_line_torn_within_a_character_is_named_and_takes_no_floor(desk: FilesDesk) -> None:
    path = chat(desk, *floors(3))
    path.write_bytes(path.read_bytes()[:-60].rstrip(b"\x80"))
    plan = desk.plan(path)
    assert [m.seq for m in plan.messages] == [0, 1]
    (problem,) = plan.problems
    assert (problem.key, problem.refs) == ("import.problem.bad_line", ("4",))
    assert "broken_lines" in json.dumps(dict(plan.folders[0].extra["chat"]))  # type: ignore[arg-type]


def test_torn_header_does_not_hide_the_messages(desk: FilesDesk) -> None:
    path = chat(desk, *floors(4))
    path.write_bytes(path.read_bytes()[40:])
    plan = desk.plan(path)
    assert (len(plan.messages), plan.folders[0].character) == (4, CHARACTER)


def test_old_group_chat_without_header_has_no_single_viewer(desk: FilesDesk) -> None:
    lines = [
        said("一", name="艾琳", original_avatar="a.png", is_group=True),
        said("二", name="博", original_avatar="b.png", is_group=True),
        said("三", user=True),
    ]
    path = write_chat(desk.root / "2023-6-1 @10h 05m 16s 343ms.jsonl", lines)
    plan = desk.plan(path)
    folder = plan.folders[0]
    assert (folder.character, [m.name for m in plan.messages]) == ("", ["艾琳", "博", USER])
    chat_entry = folder.extra["chat"]
    assert isinstance(chat_entry, dict)
    assert (chat_entry["members"], chat_entry["header"]) == (["艾琳", "博"], False)


def test_narrator_is_part_of_the_story_and_a_notice_is_not(desk: FilesDesk) -> None:
    path = chat(
        desk,
        said("旁白。", extra={"type": "narrator"}, name="System"),
        said("Checkpoint", is_system=True, name="SillyTavern System"),
        said("评注", is_system=True, extra={"type": "comment"}, name="Note"),
    )
    folder = desk.take(path).created_folder
    assert folder is not None
    with desk.store.read() as reader:
        messages = reader.messages_of(folder)
    assert [m.text for m in for_memory(messages, with_hidden=True)] == ["旁白。"]


def test_graph_in_the_metadata_comes_into_the_same_folder(desk: FilesDesk) -> None:
    lines = [header(st_bme_graph=graph(node("a", seq=1), lastProcessedSeq=1), integrity="x"), *floors(2)]
    result = desk.take(write_chat(desk.root / "chat.jsonl", lines))
    bundle = desk.bundle(result.created_folder)
    assert [m.foreign_id for m in bundle.memories] == ["a"]
    assert bundle.folder.last_processed_seq == 1
    assert result.counts["messages"] == 2


def test_unreadable_graph_does_not_keep_the_messages_out(desk: FilesDesk) -> None:
    plan = desk.plan(write_chat(desk.root / "c.jsonl", [header(st_bme_graph="{broken"), *floors(2)]))
    assert (len(plan.messages), len(plan.memories)) == (2, 0)
    assert "graph_unreadable" in keys(plan)


def test_packed_pictures_stay_in_the_file(desk: FilesDesk) -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgoAAAAN" * 30_000
    path = chat(desk, said("画好了。", extra={"image": picture}), said(f"看：![]({picture})", user=True))
    plan = desk.plan(path)
    assert max(len(json.dumps(dict(m.extra))) for m in plan.messages) < 1000
    assert plan.messages[1].text == "看：![](data:image/png;base64,…)"
    assert "packed_left_out" in keys(plan)


def test_macros_stand_for_the_names_and_the_files_text_is_kept(desk: FilesDesk) -> None:
    path = chat(desk, said("{{user}}看着{{ char }}。<BOT>笑了。"), said("我是{{char}}。", name="博"))
    plan = desk.plan(path)
    assert [m.text for m in plan.messages] == [f"{USER}看着{CHARACTER}。{CHARACTER}笑了。", "我是博。"]
    assert plan.messages[0].extra["raw"] == "{{user}}看着{{ char }}。<BOT>笑了。"


def test_directory_of_chats_is_listed_with_counts(desk: FilesDesk) -> None:
    lines = [header(st_bme_graph=graph(node("a"))), *floors(3)]
    write_chat(desk.root / "chats" / "艾琳" / "one.jsonl", lines)
    write_chat(desk.root / "chats" / "two.jsonl", floors(2))
    desk.graph({"id": "1", "name": "g", "members": ["a.png"], "chat_id": "x", "chats": ["x"]}, "group.json")
    found = {each.path.name: dict(each.counts) for each in desk.engine.ask(FindFiles(desk.root / "chats"))}
    assert found == {"one.jsonl": {"messages": 3, "memories": 1}, "two.jsonl": {"messages": 2}}
    with pytest.raises(BadFile) as caught:
        desk.plan(desk.root / "group.json")
    assert caught.value.key == "error.file.is_group"
    group = {
        "id": "1",
        "name": "守夜人",
        "members": ["a.png"],
        "chat_id": "x",
        "chats": ["x", "../y", "gone"],
    }
    (desk.root / "groups").mkdir()
    write_chat(desk.root / "group chats" / "x.jsonl", floors(2))
    with pytest.raises(BadFile) as caught:
        desk.plan(desk.graph(group, "groups/1.json"))
    assert caught.value.key == "error.file.is_group_with_chats"
    assert (caught.value.text_args["group"], caught.value.text_args["chats"]) == ("守夜人", "x.jsonl")


def test_same_file_read_twice_gives_equal_plans(desk: FilesDesk) -> None:
    path = chat(desk, *floors(1200))
    assert desk.plan(path) == desk.plan(path)
    assert [m.seq for m in desk.plan(path).messages[498:503]] == [498, 499, 500, 501, 502]


FOREIGN = {
    "cai": {
        "histories": {
            "histories": [
                {
                    "msgs": [
                        {"src": {"is_human": False}, "text": "Hi."},
                        {"src": {"is_human": True}, "text": "Yo."},
                    ]
                },
                {"msgs": [{"src": {"is_human": True}, "text": "Again."}]},
            ]
        }
    },
    "roles": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yo."}],
    "risu_all": {
        "type": "risuAllChats",
        "data": [{"name": "One", "message": [{"role": "user", "data": "x"}]}],
    },
    "kobold_both": {"savedsettings": {}, "actions": ["{{[INPUT]}}Hi.{{[OUTPUT]}}Yo."]},
    "ooba_new": {"internal": [["a", "b"]], "visible": [["Hi &amp; bye", "Yo"]]},
    "list": [header(), said("a"), said("b")],
}


@pytest.mark.parametrize(
    ("name", "texts", "folders"),
    [
        ("cai", ["Hi.", "Yo.", "Again."], 2),
        ("roles", ["Hi.", "Yo."], 1),
        ("risu_all", ["x"], 1),
        ("kobold_both", ["Hi.", "Yo."], 1),
        ("ooba_new", ["Hi & bye", "Yo"], 1),
        ("list", ["a", "b"], 1),
    ],
)
def test_chat_of_another_program_is_known_by_its_shape(
    desk: FilesDesk, name: str, texts: list[str], folders: int
) -> None:
    path = desk.graph(FOREIGN[name], f"{name}.json")
    plan = desk.plan(path)
    assert (plan.format, [m.text for m in plan.messages]) == (Format.FOREIGN_CHAT, texts)
    desk.take(path)
    with desk.store.read() as reader:
        assert (len(reader.folder_nodes()), reader.counts().messages) == (folders, len(texts))
    again = desk.take(path)
    assert again.op is None


def test_unread_form_says_whose_it_is(desk: FilesDesk) -> None:
    with pytest.raises(BadFile) as caught:
        desk.plan(desk.graph([{"mapping": {}, "current_node": "x", "title": "t"}]))
    assert caught.value.text_args["program"] == "ChatGPT"


@pytest.mark.parametrize(
    ("raw", "time", "zone"),
    [
        ("June 19, 2023 2:20pm", datetime(2023, 6, 19, 14, 20, tzinfo=UTC), "local"),
        ("Jun 9, 2023 12:05 AM", datetime(2023, 6, 9, 0, 5, tzinfo=UTC), "local"),
        ("2024-7-12 @01h 31m 37s 5ms", datetime(2024, 7, 12, 1, 31, 37, 5000, tzinfo=UTC), "assumed"),
        ("2025-11-23T16:09:06+01:00", datetime(2025, 11, 23, 15, 9, 6, tzinfo=UTC), ""),
        ("2025-11-23T15:09:06", datetime(2025, 11, 23, 15, 9, 6, tzinfo=UTC), "assumed"),
        ("June 31, 2023 2:20pm", None, "local"),
        ("June 1, 2023 0:20pm", None, "local"),
        ("2024-13-45@01h31m37s", None, "assumed"),
        (0, None, ""),
        (True, None, ""),
        ("", None, ""),
        ("1", None, ""),
        (["2025"], None, ""),
    ],
)
def test_time_is_read_or_unknown_never_now(raw: Any, time: datetime | None, zone: str) -> None:
    assert sent_at(raw) == (time, zone)


@given(st.one_of(st.text(max_size=40), st.integers(), st.floats(), st.none()))
def test_no_time_raises_or_lies_before_1971(raw: Any) -> None:
    time = sent_at(raw)[0]
    assert time is None or 1971 <= time.year < 2200


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<thinking>a</thinking>b<think>c</think>d", "bd"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("a</think>b<think>c", "b<think>c"),
        ("  <think>never ends", ""),
        ("<think>x</think><think>never ends", ""),
        ('<think type="deep">a</think>b', "b"),
        ("<thinking>a</thinking><思维链>c</思维链>b", "b"),
        ("a</推理过程>b", "b"),
        ("<thought>她想走。</thought>b", "<thought>她想走。</thought>b"),
        ("plain", "plain"),
        ("  spaces stay ", "  spaces stay "),
    ],
)
def test_thinking_is_taken_out_whole_closed_or_unclosed(raw: str, text: str) -> None:
    assert split_thinking(raw)[0] == text


def test_a_megabyte_of_opening_tags_takes_no_time() -> None:
    assert split_thinking("x" + "<think>" * 150_000)[0].startswith("x<think>")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<p>一</p><p>二</p>", "一\n二"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<div style='x'>a &amp; b</div><script>alert(1)</script>", "a & b"),
        ("<!-- hidden -->shown <b>bold</b>", "shown bold"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<status>HP 3</status>", "<status>HP 3</status>"),
        ("```html\n<b>code</b>\n```\n<i>text</i>", "```html\n<b>code</b>\n```\ntext"),
        ("AT&T &amp; co", "AT&T &amp; co"),
        ("<details><summary>状态</summary>HP</details>", "状态\nHP"),
    ],
)
def test_markup_becomes_the_text_a_page_would_show(raw: str, text: str) -> None:
    assert without_markup(raw) == text


@given(st.text())
def test_any_text_can_be_stored_after_cleaning(text: str) -> None:
    cleaned = storable_text(without_markup(split_thinking(text)[0]))[0]
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
odd_messages = st.fixed_dictionaries(
    {"mes": json_values},
    optional={
        "name": json_values,
        "is_user": json_values,
        "is_system": json_values,
        "send_date": json_values,
        "extra": json_values,
        "swipes": json_values,
        "swipe_id": json_values,
        "swipe_info": json_values,
    },
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(odd_messages | json_values, min_size=1, max_size=6))
def test_odd_lines_never_stop_an_import(tmp_path_factory: pytest.TempPathFactory, lines: list[Any]) -> None:
    path = tmp_path_factory.mktemp("odd") / "chat.jsonl"
    text = "\n".join(json.dumps(line) for line in [header(), *lines])
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert looks_like_chat(path)
    desk = FilesDesk(path.parent)
    try:
        plan = desk.plan(path)
        desk.take(path)
        said_lines = [line for line in lines if isinstance(line, dict)]
        assert [m.seq for m in plan.messages] == list(range(len(plan.messages)))
        assert len(plan.messages) <= len(said_lines)
        assert all("None" not in m.text or "None" in text for m in plan.messages)
    finally:
        desk.engine.close()


def test_history_names_a_chat_by_its_floors_and_memories(desk: FilesDesk) -> None:
    said = []
    graph_of = {"st_bme_graph": graph(node("a"), node("b"))}
    for start, name, metadata in ((0, "plain.jsonl", {}), (9, "with graph.jsonl", graph_of)):
        desk.take(write_chat(desk.root / name, [header(**metadata), *floors(3, start)]))
        op = desk.engine.ask(History())[0].op
        said.append(render("en", name_key(op), **op.args))
    assert said == ["Imported plain.jsonl (3 floors)", "Imported with graph.jsonl (3 floors, 2 memories)"]


def test_chat_of_a_group_knows_its_members_also_those_who_say_nothing(desk: FilesDesk) -> None:
    root = desk.root / "data"
    members = ["艾琳.png", "博.png", "默.png"]
    group = {
        "id": "17",
        "name": "夜/谈",
        "members": members,
        "disabled_members": ["默.png"],
        "chats": ["2024-7-12"],
    }
    (root / "groups").mkdir(parents=True)
    (root / "groups" / "broken.json").write_text("{")
    (root / "groups" / "17.json").write_text(json.dumps(group), "utf-8")
    lines = [
        said("一", name="艾琳", original_avatar="艾琳.png"),
        said("二", name="博", original_avatar="博.png"),
    ]
    path = write_chat(root / "group chats" / "2024-7-12.jsonl", [header(), *lines])
    folder = desk.bundle(desk.take(path).created_folder).folder
    chat_extra = chat_of(folder)
    assert folder.name == "夜／谈/2024-7-12"
    assert list(chat_extra["members"]) == ["艾琳", "博", "默"]  # type: ignore[arg-type]
    assert chat_extra["group"] == {
        "id": "17",
        "name": "夜/谈",
        "members": ["艾琳", "博", "默"],
        "disabled": ["默"],
    }
    assert folder.character == ""
    assert desk.take(path).op is None
    alone = write_chat(root / "group chats" / "other.jsonl", [header(), *lines[:1]])
    assert "group" not in chat_of(desk.bundle(desk.take(alone).created_folder).folder)


def test_lines_that_end_with_cr_alone_are_read(desk: FilesDesk) -> None:
    path = write_chat(desk.root / "old mac.jsonl", [header(), *floors(3)])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    plan = desk.plan(path)
    assert [message.text for message in plan.messages] == [each["mes"] for each in floors(3)]
    assert desk.engine.ask(FindFiles(path))[0].counts["messages"] == 3
