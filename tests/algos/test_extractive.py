"""Summaries made of the text's own sentences."""

from __future__ import annotations

import numpy as np
import pytest

from core.algos.extractive import (
    MOST_CHARS,
    choose_sentences,
    joined,
    sentences_of,
    summary,
    weights_of,
    word_vectors,
)
from core.algos.lexical import search_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他说：“快走。别回头！”她点头。", ["他说：“快走。别回头！”", "她点头。"]),
        (
            'Mr. Smith left at 3.5 pm. "Go. Now!" he said.',
            ["Mr. Smith left at 3.5 pm.", '"Go. Now!" he said.'],
        ),
        ("第一行\n第二行。没有句号", ["第一行", "第二行。", "没有句号"]),
        ("真的吗？！……好吧。", ["真的吗？！……", "好吧。"]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected


def test_summary_is_made_of_whole_sentences_in_their_order() -> None:
    text = (
        "艾琳在钟楼发现暗门。天气很好。暗门通向地下入口。她说：“别告诉任何人。我们明晚再来。”大家都点了头。"
    )
    words = weights_of([search_tokens(text), search_tokens("天气很好。大家都点了头。")])
    made = summary([text], words, wanted=2)
    kept = [each for each in sentences_of(text) if each in made]
    assert len(kept) == 2
    assert made == "".join(kept)
    assert len(made) <= MOST_CHARS


def test_sentences_that_say_the_same_are_not_both_chosen() -> None:
    listed = ["the tower has a door", "the tower has a door!", "a ship came in"]
    rows = np.array([[1.0, 0.0], [0.999, 0.0447], [0.3, 0.954]])
    assert choose_sentences(listed, rows, 100, wanted=2) == [0, 2] or choose_sentences(
        listed, rows, 100, wanted=2
    ) == [1, 2]
    assert choose_sentences([], word_vectors([]), 10) == []
    assert choose_sentences(["much too long for the limit"], np.ones((1, 1)), 3) == [0]


def test_text_without_a_usable_sentence_is_cut() -> None:
    assert summary(["嗯"], {}) == "嗯"
    assert len(summary(["长" * 5_000], {})) == MOST_CHARS


def test_sentences_without_a_mark_at_their_end_do_not_run_together() -> None:
    assert joined(["沈岚回到潮汐镇", "灯塔亮着。", "有人来过"]) == "沈岚回到潮汐镇。灯塔亮着。有人来过"
    assert joined(["The lamp is lit", "Nobody knows why!", "A ship came"]) == (
        "The lamp is lit. Nobody knows why! A ship came"
    )
    assert joined(["一行\n", "两行\n"]) == "一行\n两行\n"
