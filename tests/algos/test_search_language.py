"""The search language by itself: canonical text gives the same terms again, and the page of keys is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.algos.search_keys import BY_WORD, KEYS, Vocabulary
from core.algos.search_language import is_plain, parse, render
from core.domain.errors import Invalid
from core.domain.search import All, Condition, Either, Meaning, Not, Word

DOCS = (Path(__file__).parents[2] / "docs/SEARCH.md").read_text("utf-8")
PIECES = [
    "雾",
    "钟声",
    "bell",
    "OR",
    "|",
    "-",
    "(",
    ")",
    "（",
    "）",
    '"',
    "“",
    "”",
    "「",
    "」",
    "~",
    "～",
    "/",
    ":",
    "：",
    ">",
    "＞",
    "=",
    "<",
    ">=",
    "type:",
    "类型：",
    "事件",
    "event",
    "floor:3-9",
    "楼层：3～9",
    "created>2026-01",
    "创建:7天",
    "field.mood:calm",
    "field.x!=3",
    "is:trash",
    "-tag:har*",
    "/a+b/",
    "10:30",
    "http://x",
    "注意：走",
    "\\",
    ",",
    "，",
    "?",
    "！",
    "today",
    "never:recalled",
]
TEXTS = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from([*PIECES, " ", " "]), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=10).map(" ".join),
)


def wrong(text: str) -> Invalid | None:
    try:
        parse(text)
    except Invalid as error:
        return error
    return None


@given(TEXTS)
def test_canonical_text_gives_the_same_terms(text: str) -> None:
    if error := wrong(text):
        assert error.key.startswith("error.search.")
        at = error.text_args["at"]
        assert isinstance(at, int)
        assert 0 < at <= len(text)
        return
    terms = parse(text)
    shown = render(terms)
    assert parse(shown) == terms
    assert render(parse(shown)) == shown


@given(TEXTS)
def test_plain_text_holds_words_only(text: str) -> None:
    if is_plain(text):
        terms = parse(text)
        assert isinstance(terms, All)
        assert all(isinstance(term.term if isinstance(term, Not) else term, Word) for term in terms.terms)


@pytest.mark.parametrize("text", ["10:30", "http://x", "注意：走", "re:zero", ":)", "a-b", "C:\\x", "e=mc2"])
def test_colon_without_a_key_is_a_word(text: str) -> None:
    assert parse(text) == All((Word(text),))


def test_groups_minus_and_or_bind_as_in_anki() -> None:
    a, b, c = Word("a"), Word("b"), Word("c")
    assert parse("a b OR c") == All((Either((All((a, b)), c)),))
    assert parse("a (b|c)") == All((a, Word("(b|c)"))) or parse("a (b | c)") == All((a, Either((b, c))))
    assert parse("-(a b)") == All((Not(All((a, b))),))
    assert parse("~近 海 type:event") == All((Meaning("近 海"), Condition("type", ":", "event")))


def test_value_that_is_wrong_names_the_nearest() -> None:
    known = Vocabulary({"type": {"event": "event", "事件": "event", "rule": "rule"}})
    assert parse("类型：事件", known) == All((Condition("type", ":", "event"),))
    with pytest.raises(Invalid) as caught:
        parse("fog type:evnt", known)
    assert caught.value.text_args == {"at": 5, "key": "type", "value": "evnt", "nearest": "event"}


@pytest.mark.parametrize("text", ["((((" * 60, "(" * 3000, "-" * 3000 + "a"])
def test_deep_nesting_never_breaks(text: str) -> None:
    error = wrong(text)
    assert error is None or error.key in ("error.search.deep", "error.search.bracket")


def test_every_key_is_documented_and_every_documented_word_is_a_key() -> None:
    table = DOCS.partition("## Keys")[2]
    rows = re.findall(r"^\| `(\w+):` \| (.+?) \| (.+) \|$", table, re.MULTILINE)
    assert {key for key, _, _ in rows} == set(KEYS)
    for key, words, values in rows:
        for word in re.findall(r"`(\w+):`", words):
            assert BY_WORD[word].name == key
        for value in KEYS[key].values:
            assert f"`{value}`" in values or "all layers and statuses" in values
