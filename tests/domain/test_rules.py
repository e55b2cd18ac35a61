"""Small rules of the domain: the live rule, the tag triple, folder names, ids, storable text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.domain.edge import Edge, lives
from core.domain.errors import Invalid
from core.domain.folder import MAX_FOLDER_CHARS, clean_folder_name
from core.domain.ids import MemoryPk, RelationId, is_memory_id, is_person_id, new_memory_id
from core.domain.memory import TagSet
from core.domain.safe_text import storable
from core.domain.tags import check_triple, clean

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("valid_from", "invalid_from", "expired_at", "live"),
    [
        (None, None, None, True),
        (NOW, None, None, True),
        (NOW + DAY, None, None, False),
        (None, NOW, None, False),
        (None, NOW + DAY, None, True),
        (None, None, NOW, False),
        (None, None, NOW + DAY, True),
        (NOW - DAY, NOW + DAY, NOW - DAY, False),
    ],
)
def test_edge_lives_from_its_start_to_its_end(
    valid_from: datetime | None, invalid_from: datetime | None, expired_at: datetime | None, live: bool
) -> None:
    edge = Edge(
        id="e",
        source=MemoryPk(1),
        target=MemoryPk(2),
        relation=RelationId("related"),
        created_at=NOW,
        valid_from=valid_from,
        invalid_from=invalid_from,
        expired_at=expired_at,
    )
    assert lives(edge, NOW) is live


@pytest.mark.parametrize("filled", range(8))
def test_triple_is_filled_all_or_none(filled: int) -> None:
    groups = [("x",) if filled & bit else () for bit in (1, 2, 4)]
    tags = TagSet(core=groups[0], diffusion=groups[1], opposing=groups[2])
    if filled in (0, 7):
        check_triple(tags)
    else:
        with pytest.raises(Invalid, match="triple"):
            check_triple(tags)


def test_tags_are_cleaned_by_group() -> None:
    dirty = TagSet(
        general=(" A ", "", "A", "b"), core=(" X", "x", " "), diffusion=("Y",), opposing=("z", "Z")
    )
    assert clean(dirty) == TagSet(general=("A", "b"), core=("x",), diffusion=("y",), opposing=("z",))


@pytest.mark.parametrize(
    ("given", "stored"),
    [("聊天 / 雾港 ", "聊天/雾港"), ("//a//b/", "a/b"), ("e\u0301", "\u00e9"), ("a\udcffb", "a\\udcffb")],
)
def test_folder_name_is_tidied(given: str, stored: str) -> None:
    assert clean_folder_name(given) == stored


@pytest.mark.parametrize("given", ["", " / ", "x" * (MAX_FOLDER_CHARS + 1)])
def test_folder_name_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(Invalid):
        clean_folder_name(given)


def test_ids_have_their_form() -> None:
    assert is_memory_id(new_memory_id())
    assert not is_memory_id("mem-xyz")
    assert [is_person_id(text) for text in ("qq:10001", "qq:", ":1", "a:b:c", "q q:1", "")] == [
        True,
        *[False] * 5,
    ]


def test_text_that_no_store_can_hold_is_escaped() -> None:
    assert storable("a\x00b\ud83dc") == "a\\u0000b\\ud83dc"
    assert storable("plain 文字 😀") == "plain 文字 😀"
