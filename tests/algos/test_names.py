"""Names and terms without a model, and where a chat turns."""

from __future__ import annotations

import numpy as np

from core.algos.boundaries import segment_starts
from core.algos.names import NameKind, cut_line, find_names

ZH = [
    "艾琳推开钟楼的大门，发现了一扇隐藏的暗门。老周在门外等。",
    "林晚晴和陈子昂在青石镇的王国学院等她，张先生没有来。",
    "艾琳说：“钟楼的地下入口被封死了。”她拿着《失踪者名册》，格雷警长摇头。",
    "林晚晴去了青石镇。张先生也在王国学院，格雷警长问起地下入口。",
    "老周小心地走进王国学院，地下入口就在那里，格雷警长跟着。",
]
EN = [
    "The Clock Tower was dark. Irene found a trapdoor.",
    "Maybe Irene went to Old Harbour with Mr. Tom Hale.",
    "But the tower was locked. Irene’s lamp went out. Suddenly it rained.",
    "Tom Hale opened it. Rain fell on Old Harbour.",
]


def kinds(texts: list[str], **more: list[str]) -> dict[str, NameKind]:
    return {name.text: name.kind for name in find_names(texts, **more)}


def test_chinese_people_and_places_are_found() -> None:
    found = kinds(ZH)
    people = {name for name, kind in found.items() if kind is NameKind.PERSON}
    places = {name for name, kind in found.items() if kind is NameKind.PLACE}
    assert {"艾琳", "林晚晴", "陈子昂", "张先生", "格雷警长", "老周"} <= people
    assert {"钟楼", "青石镇", "王国学院", "地下入口"} <= places
    assert found["失踪者名册"] is NameKind.OTHER
    assert "小心" not in found


def test_english_capitalised_runs_without_what_only_begins_sentences() -> None:
    found = kinds(EN)
    assert {"Irene", "Tom Hale", "Clock Tower", "Old Harbour"} <= set(found)
    assert found["Clock Tower"] is NameKind.PLACE
    assert not {"The", "Maybe", "But", "Suddenly", "Rain", "Irene’s"} & set(found)


def test_known_names_and_speakers_are_found_as_they_stand() -> None:
    assert "暗影之镰" in kinds(["暗影之镰又出现了", "没有人见过暗影之镰"], known=["暗影之镰"])
    assert kinds(["你好呀", "小七来了"], speakers=["小七"])["小七"] is NameKind.PERSON


def test_names_are_counted_by_texts_and_short_ones_inside_longer_ones_go() -> None:
    names = {name.text: name for name in find_names(ZH)}
    assert names["艾琳"].places == (0, 2)
    assert names["王国学院"].count == 3
    assert "王国" not in names


def test_cut_line_grows_slowly() -> None:
    assert [cut_line(size) for size in (3, 30, 300, 3_000, 30_000)] == [1, 2, 2, 5, 17]


def test_odd_texts_give_no_names() -> None:
    assert find_names([]) == []
    assert find_names(["", "   ", "😀😀", "123 456", "。。。"]) == []


def test_segment_begins_where_the_meaning_turns() -> None:
    rows = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 5)
    assert segment_starts(rows, 1.0) == [0, 5]
    assert segment_starts(rows[:2], 1.0) == [0]
    assert segment_starts(np.zeros((0, 2)), 1.0) == []
    assert segment_starts(np.zeros((6, 2)), 1.0)[0] == 0
