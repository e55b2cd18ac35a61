"""Whom a message names: aliases, one character, longest match, folded."""

from __future__ import annotations

import pytest

from core.services.recall.names import NameIndex

NAMES = (
    ("艾琳", "小艾"),
    ("艾琳娜",),
    ("白",),
    ("Ann",),
    ("J. R. Smith", "Smitty"),
    ("鐵匠鋪",),
    ("O",),
    ("",),
    ("。！",),
    ("ＡＩ館",),
    ("이린",),
)


def named(message: str) -> list[int]:
    return [row for rows in NameIndex(NAMES).named_in(message).values() for row in rows]


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("艾琳来了", [0]),
        ("小艾来了", [0]),
        ("艾琳娜来了", [1]),
        ("艾琳娜和艾琳", [1, 0]),
        ("白天很热", []),
        ("我明白了", []),
        ("白", [2]),
        ("我问白在哪里", [2]),
        ("「白」是谁", [2]),
        ("白和艾琳", [2, 0]),
        ("Annabelle left", []),
        ("어제 이린은 떠났다", [10]),
        ("Ann은 떠났다", [3]),
        ("I saw ANN, yesterday", [3]),
        ("Ann说了什么", [3]),
        ("j. r. smith called", [4]),
        ("Smitty's hat", [4]),
        ("去铁匠铺看看", [5]),
        ("去鐵匠鋪看看", [5]),
        ("O said no", [6]),
        ("Oh no", []),
        ("ai馆在哪", [9]),
        ("", []),
        ("。！。！", []),
    ],
)
def test_message_names_whom_it_names(message: str, rows: list[int]) -> None:
    assert named(message) == rows


def test_same_name_of_several_names_all() -> None:
    assert NameIndex([("玛丽",), ("玛丽",)]).named_in("玛丽呢") == {"玛丽": [0, 1]}


def test_very_long_message_is_looked_through_from_its_end() -> None:
    index = NameIndex([("艾琳",)])
    assert index.named_in("无" * 100_000 + "艾琳")
    assert not index.named_in("艾琳" + "无" * 100_000)


def test_name_that_a_longer_one_swallows_would_help_nobody() -> None:
    index = NameIndex([("钟鼓楼",), ("茶馆",)])
    assert index.with_names({1: ("钟鼓",)}).named_in("钟鼓楼在哪里") == {"钟鼓楼": [0]}
    assert index.with_names({1: ("鼓楼",)}).named_in("鼓楼在哪里") == {"鼓楼": [1]}
    assert index.named_in("鼓楼在哪里") == {}
