"""Cutting by structure: sizes, overlap, sentences, headings, and the whole text back."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.documents.markdown import markdown_blocks
from core.adapters.documents.plain import paragraph_blocks
from core.algos.cutting import cut_by_structure
from core.domain.document import DocumentKind, ReadDocument
from tests.documents.making import read, rejoined

ALPHABET = "灯塔守人。，！\n \n\n#-|`.?a b1…\u0301\u200d👩é"


def document(text: str, *, markdown: bool = True) -> ReadDocument:
    blocks = markdown_blocks(text) if markdown else paragraph_blocks(text)
    return ReadDocument(kind=DocumentKind.TEXT, text=text, blocks=blocks)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(alphabet=ALPHABET, max_size=400),
    limit=st.integers(1, 60),
    overlap=st.integers(0, 30),
    markdown=st.booleans(),
)
def test_pieces_never_exceed_the_limit_and_give_the_text_back(
    text: str, limit: int, overlap: int, markdown: bool
) -> None:
    overlap = min(overlap, limit - 1)
    made = document(text, markdown=markdown)
    pieces = cut_by_structure(made, limit, overlap)
    assert rejoined(pieces) == text
    assert all(0 < len(piece.body) <= limit for piece in pieces)
    assert all(piece.body == text[piece.start : piece.end] for piece in pieces)
    for left, right in pairwise(pieces):
        assert left.start < right.start
        assert left.end - right.start <= overlap


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet=ALPHABET, max_size=400))
def test_blocks_tile_the_text(text: str) -> None:
    for blocks in (markdown_blocks(text), paragraph_blocks(text)):
        assert [block.start for block in blocks][:1] == [0]
        assert blocks[-1].end == len(text)
        assert all(left.end == right.start for left, right in pairwise(blocks))


def test_sentences_are_not_cut_and_pieces_are_about_equal() -> None:
    text = "".join(f"第{number}句话说的是灯塔的事情。" for number in range(200))
    pieces = cut_by_structure(document(text), 500, 60)
    assert all(piece.body.endswith("。") for piece in pieces)
    assert all(300 <= len(piece.body) <= 500 for piece in pieces)
    assert all(left.end > right.start for left, right in pairwise(pieces))


def test_headings_name_the_pieces_and_a_bare_heading_goes_with_what_follows() -> None:
    made = read("# 手册\n\n## 故障\n\n灯芯断了就换。\n\n## 备件\n\n在二楼。\n", "x.md")
    pieces = cut_by_structure(made, 500, 60)
    assert [(piece.title, piece.body.split("\n")[0]) for piece in pieces] == [
        ("手册 > 故障", "# 手册"),
        ("手册 > 备件", "## 备件"),
    ]


def test_pieces_of_a_long_section_are_told_apart() -> None:
    made = read("# 手册\n\n" + "灯芯断了就换。" * 200, "x.md")
    titles = [piece.title for piece in cut_by_structure(made, 500, 60)]
    assert titles[:2] == ["手册", "手册 (2)"]


def test_a_code_fence_stays_in_one_piece() -> None:
    code = "```\n" + "\n".join(f"# line {number}" for number in range(30)) + "\n```"
    made = read(f"# A\n\n{'文字。' * 100}\n\n{code}\n\n{'文字。' * 50}", "x.md")
    pieces = cut_by_structure(made, 500, 60)
    assert sum(code in piece.body for piece in pieces) == 1


def test_a_row_of_a_long_table_carries_the_header() -> None:
    rows = "\n".join(f"| 零件{number} | {number} |" for number in range(100))
    made = read(f"# 备件\n\n| 名称 | 数量 |\n| --- | --- |\n{rows}\n", "x.md")
    pieces = cut_by_structure(made, 300, 0)
    assert len(pieces) > 3
    assert all("名称 | 数量" in piece.title or "| 名称 | 数量 |" in piece.body for piece in pieces)
    assert all(
        line.endswith("|") for piece in pieces for line in piece.body.strip().split("\n") if "零件" in line
    )


def test_a_hundred_thousand_characters_without_a_mark_are_cut_in_time() -> None:
    text = "".join(chr(0x4E00 + (number * 7919) % 5000) for number in range(100_000))
    began = time.process_time()
    pieces = cut_by_structure(document(text), 900, 120)
    assert time.process_time() - began < 5
    assert rejoined(pieces) == text
    assert max(len(piece.body) for piece in pieces) <= 900


def test_characters_made_of_several_are_not_torn() -> None:
    text = "👩\u200d🚀" * 100
    bodies = [piece.body for piece in cut_by_structure(document(text), 50, 0)]
    assert all(body.startswith("👩") and body.endswith("🚀") for body in bodies)


@pytest.mark.parametrize(("limit", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_sizes_that_make_no_sense_are_refused(limit: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        cut_by_structure(document("文字"), limit, overlap)


def test_pages_are_not_mixed() -> None:
    from tests.documents.making import pdf

    pieces = cut_by_structure(read(pdf("first page.", "second page."), "x.pdf"), 500, 60)
    assert [piece.page for piece in pieces] == [1, 2]
