"""Lorebooks and cards: what comes in goes out again, and any memory works as an entry."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.adapters.formats.card_find import card_text
from core.adapters.formats.png_chunks import SIGNATURE, chunk
from core.domain.commands import (
    CreateMemory,
    EditMemory,
    NewMemory,
    SetAliases,
    SetLayer,
    SetStatus,
    TrashMemories,
)
from core.domain.commands_folders import CreateFolder
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import Layer, Status
from core.domain.errors import BadFile, UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.package import Collision
from core.domain.queries import Folders
from core.domain.queries_transfer import ExportFolder, ExportMemories
from core.domain.transfer import Format, ImportPlan
from tests.formats.desk import CASES, FilesDesk


def keys(plan: ImportPlan) -> set[str]:
    return {problem.key.removeprefix("import.problem.") for problem in plan.problems}


def entry(uid: int, **values: Any) -> dict[str, Any]:
    return {
        "uid": uid,
        "key": [f"键{uid}"],
        "keysecondary": ["次"],
        "comment": f"标题{uid}",
        "content": f"内容{uid}",
        "constant": False,
        "order": 90 + uid,
        "position": 4,
        "disable": False,
        "probability": 35,
        "depth": 2,
        "somethingNew": {"x": [1, None]},
    } | values


def world(*entries: dict[str, Any], **around: Any) -> dict[str, Any]:
    return {"entries": {str(each["uid"]): each for each in entries}} | around


def export(desk: FilesDesk, folder: FolderPk | None, target: Format = Format.WORLDINFO, **more: Any) -> Any:
    assert folder is not None
    path = desk.root / "out" / "file.json"
    desk.engine.ask(ExportFolder(folder=folder, format=target, path=path, overwrite=True, **more))
    return json.loads(path.read_text(encoding="utf-8"))


def export_some(desk: FilesDesk, *pks: MemoryPk) -> Any:
    path = desk.root / "out" / "some.json"
    report = desk.engine.ask(ExportMemories(memories=pks, format=Format.WORLDINFO, path=path, overwrite=True))
    return json.loads(path.read_text(encoding="utf-8")), report


# --- World Info ---


def test_entry_becomes_a_memory(desk: FilesDesk) -> None:
    book = world(entry(0, constant=True), entry(1, disable=True, key=["灯", " 灯 ", "/雾.*/i", ""]), entry(2))
    result = desk.take(desk.graph(book, "town.json"))
    bundle = desk.bundle(result.created_folder)
    found = {m.foreign_id: m for m in bundle.memories}
    assert bundle.folder.name == "town"
    assert (found["0"].layer, found["1"].layer) == (Layer.INHERENT, Layer.MEMORY)
    assert (found["1"].status, found["1"].status_reason) == (Status.ARCHIVED, "by_hand")
    assert (found["2"].title, found["2"].body) == ("标题2", "内容2")
    assert bundle.aliases[found["1"].pk] == ("灯",)


@pytest.mark.parametrize(
    "book",
    [
        world(entry(0), entry(7), extensions={"k": 1}, originalData={"a": 2}),
        world(entry(0, key=["b", "a", "/re/"], comment="", extensions={}), name="名"),
        {"entries": {"0": entry(3), "1": entry(3)}, "x": 1},
        {"entries": {"0": entry(1), "1": entry(0)}},
        {"entries": {}},
    ],
)
def test_untouched_book_goes_out_equal(desk: FilesDesk, book: dict[str, Any]) -> None:
    assert export(desk, desk.take(desk.graph(book)).created_folder) == book


def test_only_what_was_edited_differs_in_the_export(desk: FilesDesk) -> None:
    book = world(entry(0), entry(1, comment=""))
    folder = desk.take(desk.graph(book)).created_folder
    first, second = (desk.memory(folder, each).pk for each in "01")
    desk.engine.run(EditMemory(memory=first, body="改过"))
    desk.engine.run(SetAliases(memory=second, aliases=("新键",)))
    desk.engine.run(SetLayer(memories=(second,), layer=Layer.INHERENT))
    desk.engine.run(SetStatus(memories=(first,), status=Status.ARCHIVED))
    expected = world(
        entry(0, content="改过", disable=True), entry(1, comment="", key=["新键"], constant=True)
    )
    assert export(desk, folder) == expected


def test_pattern_keys_stay_when_names_change(desk: FilesDesk) -> None:
    folder = desk.take(desk.graph(world(entry(0, key=["/雾.*/i", "灯"])))).created_folder
    desk.engine.run(SetAliases(memory=desk.memory(folder, "0").pk, aliases=("银灯",)))
    assert export(desk, folder)["entries"]["0"]["key"] == ["银灯", "/雾.*/i"]


def test_entry_without_keys_comes_in_and_goes_out_with_a_list(desk: FilesDesk) -> None:
    broken = entry(0)
    del broken["key"]
    plan = desk.plan(desk.graph(world(broken, entry(1))))
    assert "no_key_field" in keys(plan)
    written = export(desk, desk.take(desk.graph(world(broken, entry(1)))).created_folder)
    assert (written["entries"]["0"]["key"], written["entries"]["1"]) == ([], entry(1))


def test_doubled_numbers_keep_both_entries(desk: FilesDesk) -> None:
    plan = desk.plan(desk.graph({"entries": {"0": entry(3), "5": entry(3), "6": entry(6)}}))
    assert [m.foreign_id for m in plan.memories] == ["3", "5", "6"]
    assert next(p for p in plan.problems if p.key.endswith("uid_twice")).refs == ("0", "5")


def test_whole_word_matching_of_chinese_keys_is_named(desk: FilesDesk) -> None:
    book = world(entry(0, matchWholeWords=True), entry(1, matchWholeWords=True, key=["lamp"]))
    (problem,) = [p for p in desk.plan(desk.graph(book)).problems if p.key.endswith("whole_words")]
    assert problem.refs == ("0",)


def test_entries_that_are_none_are_named_and_left_out(desk: FilesDesk) -> None:
    plan = desk.plan(desk.graph({"entries": {"0": entry(0), "1": None, "2": "x", "3": {"color": 1}}}))
    assert (len(plan.memories), plan.counts["rejected_entries"]) == (1, 3)


def test_same_book_again_adds_nothing(desk: FilesDesk) -> None:
    path = desk.graph(world(entry(0)), "town.json")
    desk.take(path)
    assert desk.take(path).op is None


def _book(desk: FilesDesk, *entries: dict[str, Any]) -> Path:
    return desk.graph(world(*entries), "town.json")


def _said_now(desk: FilesDesk, folder: FolderPk | None) -> dict[str | None, str]:
    return {memory.foreign_id: memory.body for memory in desk.bundle(folder).memories}


def test_changed_book_updates_its_entries_one_by_one(desk: FilesDesk) -> None:
    folder = desk.take(_book(desk, entry(0), entry(1), entry(2))).created_folder
    edited = desk.memory(folder, "2")
    desk.engine.run(EditMemory(memory=edited.pk, body="我改过"))
    before = _said_now(desk, folder)
    path = _book(desk, entry(0), entry(1, content="新的", key=["灯塔"]), entry(2, content="也变了"), entry(3))
    plan = desk.plan(path)
    assert keys(plan) >= {"book_changed", "book_edited"}
    assert (plan.needs_confirmation, plan.counts["memories"], plan.counts["already_there"]) == (True, 1, 1)
    changed = next(problem for problem in plan.problems if problem.key.endswith("book_changed"))
    assert {name: changed.args[name] for name in ("same", "changed", "new", "gone")} == {
        "same": 1, "changed": 2, "new": 1, "gone": 0,
    }  # fmt: skip

    result = desk.take(path)
    after = _said_now(desk, folder)
    assert (result.counts["updated"], len(result.created)) == (1, 1)
    assert (after["1"], after["2"], after["0"]) == ("新的", "我改过", before["0"])
    assert desk.bundle(folder).aliases[desk.memory(folder, "1").pk] == ("灯塔",)
    desk.engine.undo()
    assert _said_now(desk, folder) == before
    assert [node.folder.name for node in desk.engine.ask(Folders())] == ["town"]


def test_entry_that_was_edited_here_gives_way_only_when_it_is_told_to(desk: FilesDesk) -> None:
    folder = desk.take(_book(desk, entry(0))).created_folder
    desk.engine.run(EditMemory(memory=desk.memory(folder, "0").pk, body="我改过"))
    plan = desk.plan(_book(desk, entry(0, content="文件里的")))
    desk.engine.run(ApplyImport(replace(plan, collision=Collision.THEIRS)))
    assert _said_now(desk, folder) == {"0": "文件里的"}
    again = desk.plan(_book(desk, entry(0, content="第三次")))
    assert "book_edited" not in keys(again)


def test_entry_that_went_from_its_file_stays_and_is_named(desk: FilesDesk) -> None:
    folder = desk.take(_book(desk, entry(0), entry(1))).created_folder
    path = _book(desk, entry(0))
    plan = desk.plan(path)
    gone = next(problem for problem in plan.problems if problem.key.endswith("book_gone"))
    assert gone.refs == (desk.memory(folder, "1").id,)
    desk.take(path)
    assert set(_said_now(desk, folder)) == {"0", "1"}


def test_changed_book_goes_out_as_its_newest_file(desk: FilesDesk) -> None:
    folder = desk.take(_book(desk, entry(0))).created_folder
    newest = world(entry(0, content="新的", order=7, something="new"))
    desk.take(_book(desk, *newest["entries"].values()))
    out = desk.root / "out.json"
    desk.export(folder, Format.WORLDINFO, out)
    assert json.loads(out.read_text("utf-8"))["entries"] == newest["entries"]


OTHERS: dict[str, tuple[Any, list[str], list[str]]] = {
    "novelai": (
        {
            "lorebookVersion": 4,
            "entries": [
                {
                    "text": "守钟人。",
                    "contextConfig": {"budgetPriority": 400},
                    "displayName": "艾琳",
                    "keys": ["艾琳", "/钟.?楼/"],
                    "enabled": True,
                    "forceActivation": False,
                }
            ],
        },
        ["艾琳"],
        ["艾琳", "/钟.?楼/"],
    ),
    "agnai": (
        {
            "kind": "memory",
            "name": "镇志",
            "entries": [
                {"name": "银灯", "entry": "守钟人。", "keywords": ["银灯"], "weight": 400, "enabled": True}
            ],
        },
        ["银灯"],
        ["银灯"],
    ),
    "risu": (
        {
            "type": "risu",
            "ver": 1,
            "data": [
                {
                    "key": "码头, 渡口",
                    "secondkey": "夜",
                    "comment": "码头",
                    "content": "守钟人。",
                    "mode": "normal",
                    "insertorder": 400,
                    "alwaysActive": False,
                    "selective": True,
                    "activationPercent": 40,
                }
            ],
        },
        ["码头", "渡口"],
        ["码头", "渡口"],
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_lorebook_of_another_program_is_read_and_goes_out_both_ways(desk: FilesDesk, name: str) -> None:
    book, names, written = OTHERS[name]
    result = desk.take(desk.graph(book, f"{name}.json"))
    bundle = desk.bundle(result.created_folder)
    (memory,) = bundle.memories
    assert (memory.body, list(bundle.aliases[memory.pk])) == ("守钟人。", names)
    made = export(desk, result.created_folder)["entries"]["0"]
    assert (made["key"], made["content"], made["order"]) == (written, "守钟人。", 400)
    assert export(desk, result.created_folder, Format.LOREBOOK) == book


def test_book_of_a_card_fills_all_places_of_world_info(desk: FilesDesk) -> None:
    plan = desk.plan(CASES / "c214_roundtrip.json")
    desk.engine.run(ApplyImport(plan))
    with desk.store.read() as reader:
        folder = next(f for f in reader.all_records(Folder) if "lorebook" in f.extra)
    made = export(desk, folder.pk)["entries"]["3"]
    expected = {
        "uid": 3,
        "key": ["灯"],
        "keysecondary": ["雾"],
        "comment": "银灯-标题",
        "order": 77,
        "position": 4,
        "depth": 2,
        "role": 1,
        "probability": 35,
        "sticky": 2,
        "cooldown": 3,
        "delay": 1,
        "group": "灯",
        "groupWeight": 50,
        "selectiveLogic": 3,
        "preventRecursion": True,
        "excludeRecursion": True,
        "matchWholeWords": False,
        "caseSensitive": True,
        "scanDepth": 6,
        "vectorized": True,
        "displayIndex": 8,
    }
    assert {name: made[name] for name in expected} == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)
known = {
    "uid": st.integers(0, 4),
    "key": st.lists(texts, max_size=3),
    "keysecondary": st.lists(texts, max_size=1),
    "content": texts,
}
any_entry = st.fixed_dictionaries(
    known,
    optional={
        "comment": texts | json_values,
        "constant": st.booleans() | json_values,
        "disable": st.booleans() | json_values,
        "order": json_values,
        "extensions": json_values,
        "future": json_values,
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries=st.lists(any_entry, max_size=4))
def test_any_book_goes_out_as_it_came(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]]
) -> None:
    book = {"entries": {str(index): each for index, each in enumerate(entries)}}
    text = json.dumps(book)
    if "\\u0000" in text or "\\ud" in text:
        return
    desk = FilesDesk(tmp_path_factory.mktemp("book"))
    try:
        folder = desk.take(desk.graph(book)).created_folder
        assert export(desk, folder) == book
    finally:
        desk.engine.close()


# --- any memories as a lorebook ---


def test_chosen_memories_work_as_a_lorebook(desk: FilesDesk) -> None:
    folder = desk.engine.run(CreateFolder(name="故事")).created_folder
    assert folder is not None

    def new(kind: str, **values: Any) -> MemoryPk:
        return desk.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId(kind), **values))).created[0]

    person = new("character", title="艾琳", fields={"traits": "冷静", "state": "疲惫"}, aliases=("小艾",))
    rule = new("rule", title="宵禁", body="夜里不许出门。", layer=Layer.INHERENT, visibility=("艾琳",))
    event = new("event", body="钟楼起火了。", fields={"participants": "艾琳，博"})
    lost = new("event", body="没有名字的事。")
    left_out = new("event", title="别的", body="不在里面。")
    book, report = export_some(desk, person, rule, event, lost)
    made = list(book["entries"].values())
    assert [each["key"] for each in made] == [["艾琳", "小艾"], ["宵禁"], ["艾琳", "博"], []]
    assert made[0]["content"] == "艾琳\n特征: 冷静\n现状: 疲惫"
    assert made[1]["content"] == "宵禁\n夜里不许出门。"
    assert (made[1]["constant"], made[1]["characterFilter"]["names"]) == (True, ["艾琳"])
    assert [each["uid"] for each in made] == [0, 1, 2, 3]
    assert made[0]["matchWholeWords"] is False
    assert "不在里面" not in json.dumps(book, ensure_ascii=False)
    assert left_out not in (person, rule, event, lost)
    assert {p.key: p.args["count"] for p in report.problems} == {"export.problem.no_keys": 1}
    again = desk.plan(desk.graph(book, "again.json"))
    assert (again.format, len(again.memories)) == (Format.WORLDINFO, 4)


def test_memories_of_several_folders_get_numbers_of_their_own(desk: FilesDesk) -> None:
    first = desk.take(desk.graph(world(entry(0), entry(1)), "a.json")).created_folder
    second = desk.take(desk.graph(world(entry(0, content="二"), entry(9)), "b.json")).created_folder
    pks = [m.pk for folder in (first, second) for m in desk.bundle(folder).memories]
    book, _ = export_some(desk, *pks)
    assert sorted(book["entries"]) == ["0", "1", "2", "9"]
    assert all(str(each["uid"]) == name for name, each in book["entries"].items())


def test_single_memories_go_only_into_a_lorebook(desk: FilesDesk) -> None:
    folder = desk.take(desk.graph(world(entry(0)))).created_folder
    pk = desk.memory(folder, "0").pk
    with pytest.raises(UserError) as caught:
        desk.engine.ask(ExportMemories(memories=(pk,), format=Format.BOOKU, path=desk.root / "x"))
    assert caught.value.key == "error.export.whole_folder"


# --- cards ---


def card(**data: Any) -> dict[str, Any]:
    base = {"name": "艾琳", "description": "守钟人", "personality": "冷静", "first_mes": "你来了。"}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": base | data}


def packed(value: Any) -> bytes:
    return base64.b64encode(json.dumps(value, ensure_ascii=False).encode())


def picture(*texts: bytes, after: bytes = b"", end: bytes = b"") -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(b"\x00\x00"))
    return SIGNATURE + head + b"".join(texts) + data + after + (end or chunk(b"IEND", b""))


def text_of(keyword: bytes, value: Any) -> bytes:
    return chunk(b"tEXt", keyword + b"\x00" + packed(value))


def file(desk: FilesDesk, data: bytes, name: str = "card.png") -> Path:
    path = desk.root / name
    path.write_bytes(data)
    return path


def name_in(desk: FilesDesk, data: bytes, name: str = "card.png") -> str:
    return desk.plan(file(desk, data, name)).memories[0].title


def test_card_is_found_wherever_and_however_it_is_kept(desk: FilesDesk) -> None:
    raw = json.dumps(card(), ensure_ascii=False).encode()
    kept = [
        picture(text_of(b"chara", card())),
        picture(after=text_of(b"Chara", card())),
        picture(chunk(b"zTXt", b"chara\x00\x00" + zlib.compress(packed(card())))),
        picture(chunk(b"iTXt", b"chara\x00\x00\x00\x00\x00" + raw)),
        picture(chunk(b"iTXt", b"ccv3\x00\x01\x00en\x00x\x00" + zlib.compress(packed(card())))),
        picture(text_of(b"chara", card(name="旧")), text_of(b"ccv3", card())),
        picture(chunk(b"tEXt", b"ccv3\x00" + b"!!!"), text_of(b"chara", card())),
        picture(text_of(b"chara", card()), end=b"\x00"),
    ]
    assert [name_in(desk, data) for data in kept] == ["艾琳"] * len(kept)
    assert keys(desk.plan(file(desk, kept[-1]))) == {"card_cut"}
    assert keys(desk.plan(file(desk, kept[-2]))) == {"card_older_used"}


def test_text_that_unpacks_to_gigabytes_is_no_card(desk: FilesDesk) -> None:
    machine = zlib.compressobj(9)
    bomb = b"".join(machine.compress(b"A" * 2**20) for _ in range(80)) + machine.flush()
    path = file(desk, picture(chunk(b"zTXt", b"chara\x00\x00" + bomb)))
    with pytest.raises(BadFile) as caught:
        desk.plan(path)
    assert caught.value.key == "error.file.card_unreadable"


def test_package_appended_to_a_picture_and_a_bomb_in_one(desk: FilesDesk) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("card.json", json.dumps(card()))
    assert name_in(desk, b"\xff\xd8\xff\xe0 picture " + buffer.getvalue(), "card.jpeg") == "艾琳"
    bomb = io.BytesIO()
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as package,
        package.open("card.json", "w") as inside,
    ):
        for _ in range(70):
            inside.write(b" " * 2**20)
    with pytest.raises(BadFile) as caught:
        desk.plan(file(desk, bomb.getvalue(), "bomb.charx"))
    assert caught.value.key == "error.file.package_too_big"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"name": "V1", "description": "d", "first_mes": "f"}, "V1"),
        (card(name="New") | {"spec": "chara_card_v4", "spec_version": "4.1"}, "New"),
        ({"char_name": "Pyg", "char_persona": "p", "char_greeting": "g"}, "Pyg"),
        ({"data": {"name": "No spec", "description": "", "scenario": ""}}, "No spec"),
    ],
)
def test_card_of_any_version_is_read(desk: FilesDesk, value: dict[str, Any], name: str) -> None:
    plan = desk.plan(desk.graph(value, "card.json"))
    assert (plan.format, plan.memories[0].title) == (Format.CARD, name)


def test_card_goes_out_as_it_came_but_for_what_was_edited(desk: FilesDesk) -> None:
    book = {
        "name": "本",
        "extensions": {},
        "entries": [
            {
                "id": 4,
                "keys": ["灯"],
                "content": "一",
                "enabled": True,
                "insertion_order": 5,
                "extensions": {},
            },
            {
                "id": 9,
                "keys": ["雾"],
                "content": "二",
                "enabled": True,
                "insertion_order": 6,
                "extensions": {},
            },
        ],
    }
    value = card(character_book=book, extensions={"x": [1]}, future={"y": None})
    folder = desk.take(desk.graph(value, "card.json")).created_folder
    assert export(desk, folder, Format.CARD) == value
    with desk.store.read() as reader:
        entries = next(f.pk for f in reader.all_records(Folder) if "lorebook" in f.extra)
    desk.engine.run(TrashMemories(memories=(desk.memory(entries, "4").pk,)))
    desk.engine.run(EditMemory(memory=desk.memory(entries, "9").pk, body="改过"))
    desk.engine.run(EditMemory(memory=desk.memory(folder, "card").pk, fields={"traits": "新的描述"}))
    made = export(desk, folder, Format.CARD)["data"]
    assert made == value["data"] | {
        "description": "新的描述",
        "character_book": book | {"entries": [book["entries"][1] | {"content": "改过"}]},
    }


def test_card_goes_into_a_copy_of_its_picture(desk: FilesDesk) -> None:
    value = card() | {"spec": "chara_card_v3", "spec_version": "3.0"}
    value["data"]["nickname"] = "小艾"
    other = chunk(b"tEXt", b"Comment\x00hello")
    path = file(desk, picture(other, text_of(b"chara", card(name="旧"))))
    path.write_bytes(picture(other, text_of(b"ccv3", value)))
    folder = desk.take(path).created_folder
    assert folder is not None
    desk.engine.run(EditMemory(memory=desk.memory(folder, "card").pk, title="艾琳二世"))
    copy = desk.root / "copy.png"
    desk.engine.ask(ExportFolder(folder=folder, format=Format.CARD, path=copy))
    assert other in copy.read_bytes()
    plan = desk.plan(copy)
    raw = plan.folders[0].extra["card"]
    assert isinstance(raw, dict)
    assert raw["raw"] == value | {"data": value["data"] | {"name": "艾琳二世"}}
    assert plan.memories[0].aliases == ("小艾",)


def test_world_that_is_here_already_is_linked_to_a_card_that_names_it(desk: FilesDesk) -> None:
    book = desk.take(desk.graph(world(entry(0)), "镇志.json")).created_folder
    path = desk.graph(card(extensions={"world": "镇志"}), "card.json")
    folder = desk.take(path).created_folder
    with desk.store.read() as reader:
        assert folder is not None
        assert reader.records(Folder, [folder])[0].also_reads == (book,)
        assert len(reader.records(Memory, reader.memories_in(folder))) == 1


@given(st.binary(max_size=60))
def test_no_bytes_make_reading_a_cards_text_fail(data: bytes) -> None:
    card_text(base64.b64encode(data).decode())
    card_text(data.decode("latin-1"))
