"""What a summary lost: names, numbers in both scripts, negations."""

import itertools

import pytest

from core.algos.lost_details import Detail, han_number, lost_details


def lost(text: str, summary: str, *names: str) -> list[tuple[Detail, str]]:
    return [(span.kind, text[span.start : span.end]) for span in lost_details(text, summary, names)]


def test_a_verbatim_summary_loses_nothing() -> None:
    text = "艾琳没有带走 7 枚银币。Mira never saw the Old Bell of 1893."
    assert lost(text, text, "艾琳") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10),
        ("十三", 13),
        ("二十", 20),
        ("一百零五", 105),
        ("三万五千", 35_000),
        ("两千", 2000),
        ("二〇二六", 2026),
    ],
)
def test_chinese_numerals_have_their_value(text: str, value: int) -> None:
    assert han_number(text) == value


def test_a_number_in_the_other_script_is_kept_and_a_changed_one_lost() -> None:
    assert lost("钟响了十三次", "钟响了 13 次") == []
    assert lost("钟响了十三次", "钟响了 12 次") == [(Detail.NUMBER, "十三")]
    assert lost("He paid 1,200 coins", "He paid 1200 coins") == []
    assert lost("He paid 1,200 coins", "He paid coins") == [(Detail.NUMBER, "1,200")]


def test_one_as_an_article_is_no_number() -> None:
    assert lost("有一个人来过", "有人来过") == []


def test_names_are_known_quoted_or_capitalised() -> None:
    text = "After dawn the ferryman told Mira Voss about “the drowned gate”."
    assert lost(text, "After dawn a man told somebody.", "ferryman") == [
        (Detail.NAME, "ferryman"),
        (Detail.NAME, "Mira Voss"),
        (Detail.NAME, "the drowned gate"),
    ]


def test_a_lost_negation_is_marked_with_what_it_negates() -> None:
    assert lost("艾琳没有告诉罗恩", "艾琳告诉了罗恩") == [(Detail.NEGATION, "没有告诉")]
    assert lost("She did not open it", "She opened it") == [(Detail.NEGATION, "not open")]
    assert lost("She didn't open it", "She never open it") == []


def test_words_that_only_look_like_negations_are_none() -> None:
    assert lost("不过他特别想去未来的城", "他想去城") == []


def test_marks_do_not_overlap() -> None:
    spans = lost_details("没有“第三扇门”", "空", ["第三扇门"])
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
