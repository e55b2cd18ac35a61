"""Words that say nothing about the subject of a message: articles, pronouns, auxiliaries, question words.

Source: measured (docs/RECALL.md): without them BM25 finds five of a hundred turns more, and the cut of common
terms (DESIGN §4) no longer has to be so low in a small scope that it takes the names of speakers with it.
"""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterable

_FILE = "function_words.txt"


@functools.cache
def function_words() -> frozenset[str]:
    """The words as `search_tokens` gives them: English words and pairs of Chinese characters."""
    source = importlib.resources.files("resources").joinpath("text", _FILE)
    lines = source.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def content_words(tokens: Iterable[str]) -> list[str]:
    """The tokens without function words, each once, in order; all of them when nothing else is left. Cost: O(n)."""
    each = list(dict.fromkeys(tokens))
    return [token for token in each if token not in function_words()] or each
