"""The word search finds what the text holds, and nothing else, in a real FTS5 table."""

from __future__ import annotations

import sqlite3
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algos.lexical import (
    FTS5_TOKENIZE,
    fold,
    fts_exclude,
    fts_match,
    parse_query,
    search_text,
    search_tokens,
)

WILD = st.text(alphabet=st.characters(), max_size=30)  # with surrogates
CHINESE = st.text(alphabet="上海洋龍龙国國のラ한국ก ab。，3", max_size=20)


def hits(texts: list[str], query: str, *, prefix: bool = False) -> list[int]:
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5(x, tokenize="{FTS5_TOKENIZE}")')
    connection.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", enumerate(map(search_text, texts)))
    match = fts_match(parse_query(query), prefix=prefix)
    rows = (
        connection.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (match,)).fetchall()
        if match
        else []
    )
    connection.close()
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我们在上海见面", "上海"),
        ("上海", "上海"),
        ("在上海", "海"),
        ("他去了臺灣", "台湾"),
        ("他去了台湾", "臺灣"),
        ("ＡＢＣ公司", "abc"),
        ("第３章节", "3章"),
        ("上海abc", '"海abc"'),
        ("abc上海", '"abc上"'),
        ("今天😀很好", "😀"),
        ("ラーメンを食べる", "ーメ"),
        ("한국어를 배운다", "국어"),
        ("กินข้าว", "ข้าว"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("葛\U000e0100城", "葛城"),
        ("Dragon’s lair", "“dragon's lair”"),
        ("well-known", "well known"),
        ("𠮷野家", "𠮷野"),
    ],
)
def test_text_that_holds_the_words_is_found(text: str, query: str) -> None:
    assert hits([text, "无关 unrelated"], query) == [0]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("上海。海洋", "上海洋"),
        ("上海 海洋", "上海洋"),
        ("海上", "上海"),
        ("上海和北京", '"上海北京"'),
        ("cat", "at"),
        ("hello big world", '"hello world"'),
        ("第13章", "3章"),
    ],
)
def test_text_without_the_piece_is_not_found(text: str, query: str) -> None:
    assert hits([text], query) == []


def test_phrase_does_not_reach_from_title_into_body() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5(x, tokenize="{FTS5_TOKENIZE}")')
    connection.execute("INSERT INTO t VALUES (?)", (search_text("hello", "world 上", "海"),))
    for query in ('"hello world"', "上海"):
        assert not connection.execute(
            "SELECT 1 FROM t WHERE t MATCH ?", (fts_match(parse_query(query)),)
        ).fetchall()
    connection.close()


def test_minus_excludes_and_all_words_must_be_there() -> None:
    texts = ["上海 dragon", "上海 cat", "dragon"]
    assert hits(texts, "上海 -cat") == [0]
    assert hits(texts, "上海 dragon") == [0]
    assert hits(texts, "drag", prefix=True) == [0, 2]
    assert hits(texts, "drag") == []


def test_query_of_unwanted_terms_only_has_no_match_but_an_exclusion() -> None:
    query = parse_query("-cat －“上海”")
    assert fts_match(query) == ""
    assert fts_exclude(query) == '"cat" OR "上海"'


@pytest.mark.parametrize("text", ["", " ", "-", '"', '""', "。，！", "\0", "\ud800", "--", '-"'])
def test_query_of_nothing_has_no_terms(text: str) -> None:
    assert parse_query(text).terms == ()


def test_fullwidth_comma_separates_terms() -> None:
    assert [term.text for term in parse_query("上海，北京").terms] == ["上海", "北京"]


def test_tokens_for_ranking_hold_single_characters_only_when_they_stand_alone() -> None:
    assert search_tokens("Go去上海。龙") == ["go", "去上", "上海", "龙"]


@given(WILD)
def test_anything_can_be_folded_indexed_and_asked(text: str) -> None:
    stored = search_text(text, text)
    stored.encode("utf-8")
    fold(text).encode("utf-8")
    assert "\0" not in fold(text)
    assert isinstance(hits([text], text), list)


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def stands_unbroken(piece: str) -> bool:
    return all(unicodedata.category(char) == "Lo" for char in piece)


@settings(max_examples=60, deadline=None)
@given(st.lists(CHINESE, min_size=1, max_size=8), st.integers(1, 4))
def test_search_equals_substring_for_every_piece_of_a_run(texts: list[str], length: int) -> None:
    folded = [fold(text) for text in texts]
    pieces = {text[at : at + length] for text in folded for at in range(len(text) - length + 1)}
    for piece in sorted(filter(stands_unbroken, pieces)):
        assert hits(texts, piece) == [at for at, text in enumerate(folded) if piece in text]
