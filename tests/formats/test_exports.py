"""Exports of chat services: each conversation a chat of its own, along the path that was shown."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.adapters.formats.chat_exports import export_values
from core.domain.chat import chat_of, for_memory
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import FolderKind, Role
from core.domain.errors import BadFile, Invalid
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk
from core.domain.queries_transfer import FindFiles
from core.domain.texts import render
from core.domain.transfer import Format, ImportPlan
from tests.formats.desk import DATA, FilesDesk

CHATS = DATA / "chats"
CHATGPT, CLAUDE = CHATS / "chatgpt_conversations.json", CHATS / "claude_conversations.json"
DISCORD, TELEGRAM, TELEGRAM_ALL = (
    CHATS / "discord_channel.json",
    CHATS / "telegram_chat.json",
    CHATS / "telegram_all.json",
)


def problems(plan: ImportPlan) -> dict[str, int]:
    return {each.key.removeprefix("import.problem."): int(str(each.args["count"])) for each in plan.problems}


def said(plan: ImportPlan, folder: int = 0) -> list[tuple[str, str, str]]:
    return [(m.role.value, m.name, m.text) for m in plan.messages if m.folder == plan.folders[folder].key]


def taken(desk: FilesDesk, path: Path) -> dict[str, tuple[Folder, tuple[Message, ...]]]:
    desk.take(path)
    with desk.store.read() as reader:
        return {
            folder.name: (folder, tuple(reader.messages_of(folder.pk)))
            for folder in reader.all_records(Folder)
        }


def test_chatgpt_follows_the_shown_path_and_keeps_answers_asked_for_again(desk: FilesDesk) -> None:
    found = taken(desk, CHATGPT)
    folder, messages = found["ChatGPT/Tea garden 茶园"]
    assert folder.kind is FolderKind.CHAT
    assert [m.text for m in for_memory(messages)] == [
        "Which soil does tea like? 茶树喜欢什么土？",
        "Acid soil, pH 4.5 to 5.5.\n\n```html\n<b>pH</b>\n```",
        "And how much <i>shade</i>? {{user}}",  # shown as it is: no markup, no name to fill in
        "About thirty percent.",
    ]
    assert messages[0].sent_at == datetime(2024, 5, 29, 16, 26, 41, 250000, tzinfo=UTC)
    assert messages[1].extra["swipes"] == ["Sandy soil.", messages[1].text]
    assert [(m.role, m.hidden) for m in messages[3:5]] == [(Role.ASSISTANT, True), (Role.SYSTEM, True)]
    assert messages[3].extra["thinking"] == "Slope\nNorth slopes need less."


def test_conversation_without_title_or_end_is_called_by_its_first_words(desk: FilesDesk) -> None:
    plan = desk.plan(CHATGPT)
    assert [folder.name for folder in plan.folders] == ["ChatGPT/Tea garden 茶园", "ChatGPT/Ping"]
    assert said(plan, 1) == [("user", "", "Ping"), ("assistant", "ChatGPT", "Pong")]
    assert problems(plan) == {"chat_of": 1, "attachments": 1, "other_branches": 1, "chats_empty": 1}


def test_claude_takes_blocks_of_text_and_keeps_thinking_apart(desk: FilesDesk) -> None:
    plan = desk.plan(CLAUDE)
    assert said(plan) == [
        ("user", "", "Read the log, please."),
        ("assistant", "Claude", "The lamp went out.\n\nAt ten past ten. 二十二点十分。"),
    ]
    assert plan.messages[1].extra["thinking"] == "Look at 22:10."
    assert said(plan, 1)[1] == ("assistant", "Claude", "Still read")


def test_claude_branches_end_where_the_file_says(desk: FilesDesk) -> None:
    messages = [
        {"uuid": "1", "text": "a", "sender": "human"},
        {"uuid": "2", "text": "b", "sender": "assistant", "parent_message_uuid": "1"},
        {"uuid": "3", "text": "c", "sender": "assistant", "parent_message_uuid": "1"},
    ]
    value = [{"uuid": "x", "name": "n", "chat_messages": messages, "current_leaf_message_uuid": "3"}]
    assert [m.text for m in desk.plan(desk.graph(value)).messages] == ["a", "c"]


def test_discord_channel_has_names_bots_and_notices(desk: FilesDesk) -> None:
    plan = desk.plan(DISCORD)
    (folder,) = plan.folders
    assert (folder.name, folder.character) == ("Harbour #night-watch", "StoryBot")
    assert said(plan) == [
        ("user", "Mara", "Who has the watch? <@123>"),
        ("assistant", "StoryBot", "The keeper. 守灯人。"),
        ("system", "", "Mara: Pinned a message."),
        ("user", "jo", "[map.png]"),
    ]
    assert plan.messages[0].sent_at == datetime(2025, 4, 30, 18, 15, 30, 500000, tzinfo=UTC)
    assert plan.messages[2].hidden


def test_telegram_texts_in_parts_and_the_other_one_of_two(desk: FilesDesk) -> None:
    plan = desk.plan(TELEGRAM)
    assert said(plan)[1:] == [
        ("assistant", "Lin", "See example.org — 明天见"),
        ("user", "Ada", "[photo_1.jpg]"),
        ("user", "Ada", "Ok"),
    ]
    assert plan.messages[1].sent_at == datetime(2024, 3, 1, 9, 1, tzinfo=UTC)


def test_telegram_export_of_everything_gives_a_folder_a_chat(desk: FilesDesk) -> None:
    assert set(taken(desk, TELEGRAM_ALL)) == {
        "Telegram/Lin",
        "Telegram/Saved Messages",
        "Telegram/Club ／ 俱乐部",
    }


def test_zip_as_the_service_sends_it_is_read_without_unpacking(desk: FilesDesk) -> None:
    path = desk.root / "export.zip"
    first, second = json.loads(CHATGPT.read_text("utf-8"))[:2]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("chat.html", "<html></html>")
        package.writestr("data/conversations-000.json", json.dumps([first]))
        package.writestr("data/conversations-001.json", json.dumps([second]))
    assert len(desk.plan(path).folders) == 2
    (found,) = desk.engine.ask(FindFiles(desk.root))
    assert (found.path, found.format) == (path, Format.FOREIGN_CHAT)


def test_only_the_chosen_chats_come_in_and_undo_takes_them_back(desk: FilesDesk) -> None:
    plan = desk.plan(TELEGRAM_ALL)
    chosen = frozenset({plan.folders[2].key})
    result = desk.engine.run(ApplyImport(plan, only=chosen))
    assert (result.counts["folders"], result.counts["messages"]) == (1, 1)
    desk.engine.undo()
    with desk.store.read() as reader:
        assert not reader.all_records(Folder)
    packed = replace(plan, content=object())  # type: ignore[arg-type]  # refused before it is looked at
    with pytest.raises(Invalid):
        desk.engine.run(ApplyImport(packed, only=chosen))


def test_next_export_brings_chats_up_to_date_wherever_they_are_called(desk: FilesDesk) -> None:
    desk.take(CHATGPT)
    value = json.loads(CHATGPT.read_text("utf-8"))
    value[0]["title"] = "Renamed there"
    value[1]["mapping"]["z"]["children"] = ["new"]
    value[1]["mapping"]["new"] = {
        "id": "new",
        "parent": "z",
        "children": [],
        "message": {"author": {"role": "user"}, "content": {"parts": ["More"]}},
    }
    plan = desk.plan(desk.graph(value, "another.json"))
    assert all(folder.into is not None for folder in plan.folders)
    assert plan.counts["messages"] == 3, "those of the chat that is there whole do not count"
    assert {"already_there", "chat_grown"} <= {p.key.rpartition(".")[2] for p in plan.problems}
    result = desk.engine.run(ApplyImport(plan))
    assert (result.counts.get("folders", 0), result.counts["messages"]) == (0, 1)


def test_many_chats_that_are_here_are_told_together(desk: FilesDesk) -> None:
    value = [
        {"uuid": f"c{n}", "name": f"Chat {n}", "chat_messages": [{"text": f"Hi {n}", "sender": "human"}]}
        for n in range(12)
    ]
    path = desk.graph(value)
    desk.take(path)
    there = [p for p in desk.plan(path).problems if p.key == "import.problem.chats_there"]
    assert [p.args["count"] for p in there] == [12]
    assert render("zh_CN", there[0].key, **there[0].args).startswith("有 12 个聊天")
    assert desk.take(path).op is None


@pytest.mark.parametrize("cut", [0.55, 0.9])
def test_torn_export_says_how_many_chats_can_be_read(desk: FilesDesk, cut: float) -> None:
    value = [
        {"uuid": f"c{n}", "name": f"Chat {n}", "chat_messages": [{"text": f"Hi {n}", "sender": "human"}]}
        for n in range(40)
    ]
    path = desk.root / "conversations.json"
    text = json.dumps(value, indent=1)
    path.write_text(text[: int(len(text) * cut)], "utf-8")
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.key == "error.file.chats_broken"
    plan = desk.plan(path, partly=True)
    assert len(plan.folders) == caught.value.text_args["chats"] == int(40 * cut)
    assert "broken_json" in problems(plan)


def test_torn_channel_gives_the_messages_before_the_break(desk: FilesDesk) -> None:
    path = desk.root / "channel.json"
    text = DISCORD.read_text("utf-8")
    path.write_text(text[: text.index('"9004"') + 60], "utf-8")
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.text_args["messages"] == len(desk.plan(path, partly=True).messages) == 3


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_export_in_another_encoding_is_the_same(desk: FilesDesk, encoding: str) -> None:
    path = desk.root / "telegram.json"
    path.write_bytes(TELEGRAM.read_text("utf-8").encode(encoding))
    assert said(desk.plan(path)) == said(desk.plan(TELEGRAM))


def test_members_in_another_order_are_read_as_one_value(desk: FilesDesk) -> None:
    value = json.loads(DISCORD.read_text("utf-8"))
    path = desk.graph({"messages": value.pop("messages"), **value})
    assert said(desk.plan(path)) == said(desk.plan(DISCORD))


@pytest.mark.parametrize("path", [CHATGPT, CLAUDE, DISCORD, TELEGRAM, TELEGRAM_ALL])
def test_stream_and_whole_value_give_the_same_chats(desk: FilesDesk, path: Path) -> None:
    whole = export_values(json.loads(path.read_text("utf-8")))
    plan = desk.plan(path)
    assert [len(chat.messages) for chat in whole] == [len(said(plan, n)) for n in range(len(plan.folders))]


@pytest.mark.parametrize(
    "odd",
    [
        [{"mapping": {"a": None, "b": {"parent": "b", "children": ["b"], "message": 3}}, "current_node": 5}],
        [{"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a"}],
        [{"chat_messages": [3, {"content": [None, 1], "sender": 2}, {"text": ["x"]}]}, 7],
        {"guild": {}, "channel": {}, "messages": [{"author": 3, "content": {}}, None, {"attachments": {}}]},
        {"type": "private_group", "messages": [{"text": [None, {"text": 3}, "x"], "from": None}]},
        {"chats": {"list": [None, {"type": "bot_chat", "messages": 3}]}, "messages": {}},
        {"type": {"risu": "chat"}, "data": {"message": []}, "messages": [{"text": "x"}]},
    ],
)
def test_odd_values_never_stop_an_import_without_words(desk: FilesDesk, odd: Any) -> None:
    path = desk.graph(odd)
    try:
        plan = desk.plan(path)
    except BadFile:  # says what it is
        return
    assert all(isinstance(message.text, str) for message in plan.messages)
    desk.take(path)


def test_chat_of_an_export_says_whose_it_is(desk: FilesDesk) -> None:
    folder = desk.take(TELEGRAM).created_folder
    assert folder is not None
    found = desk.bundle(FolderPk(folder)).folder
    assert chat_of(found)["integrity"] == "Telegram:4242"
    assert (found.origin["program"], found.character) == ("Telegram", "Lin")
