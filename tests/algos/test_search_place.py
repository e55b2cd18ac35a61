"""What stands at the cursor of a search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.algos.search_language import parse, render
from core.algos.search_place import place_at
from core.algos.search_signs import quoted
from core.domain.search import All, Condition


@pytest.mark.parametrize(
    ("text", "key", "op", "typed", "replaced"),
    [
        ("ty|", None, ":", "ty", "ty"),
        ("fog -(ty|", None, ":", "ty", "ty"),
        ("type:ev|", "type", ":", "ev", "ev"),
        ("类型：事|", "type", ":", "事", "事"),
        ("type:ev|ent fog", "type", ":", "ev", "event"),
        ("ty|pe:event", None, ":", "ty", "type"),
        ("fog created>=2026|", "created", ">=", "2026", "2026"),
        ("创建＞|", "created", ">", "", ""),
        ('folder:"night sh|', "folder", ":", "night sh", '"night sh'),
        ('folder:"night| shift" fog', "folder", ":", "night", '"night shift"'),
        ("(tag:a| OR b)", "tag", ":", "a", "a"),
        ("tag:a |", None, ":", "", ""),
        ("field.mood:ca|", "field.mood", ":", "ca", "ca"),
        ("10:3|", None, ":", "10:3", "10:3"),
        ("~night ta|", None, ":", "ta", "ta"),
        ("/b.*g/ ta|", None, ":", "ta", "ta"),
    ],
)
def test_place_at_the_cursor_says_what_is_completed(
    text: str, key: str | None, op: str, typed: str, replaced: str
) -> None:
    cursor, plain = text.index("|"), text.replace("|", "")
    place = place_at(plain, cursor)
    assert place is not None
    assert (place.key, place.op, place.typed) == (key, op, typed)
    assert plain[place.start : place.end] == replaced


@pytest.mark.parametrize("text", ['"type:ev|', "/a ty|", 'tag:"a"|', "created>|=2026", "“类型|”"])
def test_nothing_is_completed_inside_phrases_patterns_and_signs(text: str) -> None:
    assert place_at(text.replace("|", ""), text.index("|")) is None


@given(st.text(max_size=24), st.integers(0, 24))
def test_place_lies_around_the_cursor_whatever_is_typed(text: str, cursor: int) -> None:
    place = place_at(text, cursor)
    if place is not None:
        assert place.start <= min(cursor, len(text)) <= place.end <= len(text)
        assert place.typed in text[place.start : place.end]


@given(st.text('ab "“”「」『』()（）<>=!:/\\~-*', min_size=1, max_size=8).map(str.strip).filter(bool))
def test_value_that_is_put_in_is_read_as_that_value(value: str) -> None:
    for written in (f"tag:{quoted(value)}", f"fog (a OR tag:{quoted(value)})"):
        text = render(parse(written))
        assert parse(text) == parse(written)
    assert parse(f"tag:{quoted(value)}") == All((Condition("tag", ":", value),))
