"""What stands at the cursor of a search."""

import pytest

from core.algos.search_place import place_at


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
