"""Token counts by family."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.adapters.token_counter import QuicktokCounters
from core.ports.token_counter import TokenFamily

ODD = ["", " ", "\n\n", "艾琳去了钟楼 \ud800", "<|endoftext|><|im_start|>", "😀" * 50, "a" * 100_000]


@pytest.mark.parametrize("family", list(TokenFamily))
def test_odd_texts_are_counted_in_every_family(family: TokenFamily) -> None:
    counter = QuicktokCounters().counter(family)
    counts = counter.count_each(ODD)
    assert counts[0] == 0
    assert all(count > 0 for count in counts[1:])
    assert counts == [counter.count(text) for text in ODD]
    assert counter.family is family


def test_families_know_their_vocabulary() -> None:
    text = "艾琳在钟楼上看到了一封旧信，信里说港口的灯塔今晚不会亮。" * 20
    counts = {family: QuicktokCounters().counter(family).count(text) for family in TokenFamily}
    assert counts[TokenFamily.CL100K] > counts[TokenFamily.LLAMA3] > counts[TokenFamily.QWEN3]
    assert counts[TokenFamily.CL100K] > counts[TokenFamily.O200K] > counts[TokenFamily.QWEN3]


def test_threads_count_alike() -> None:
    counter = QuicktokCounters().counter(TokenFamily.QWEN3)
    texts = [f"艾琳 number {at} " * 30 for at in range(200)]
    expected = counter.count_each(texts)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(counter.count, texts)) == expected
