"""Token counts by the vocabularies that quicktok carries, and by ST-BME's estimate (MODELS.md)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence

from core.algos.tokens import estimate_tokens
from core.ports.token_counter import TokenCounter, TokenFamily

_SURROGATE = re.compile("[\ud800-\udfff]")
_loaded: dict[TokenFamily, Callable[[str], list[int]]] = {}
_lock = threading.Lock()


class EstimateCounter:
    """ST-BME's estimate, under its name."""

    family = TokenFamily.ESTIMATE

    def count(self, text: str) -> int:
        """Half a token for a Chinese character, a quarter for everything else."""
        return estimate_tokens(text)

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """The same for each text."""
        return list(map(estimate_tokens, texts))


class VocabularyCounter:
    """Real counts of one family. Marks such as `<|endoftext|>` in a text are read as plain characters."""

    def __init__(self, family: TokenFamily) -> None:
        self._family = family

    @property
    def family(self) -> TokenFamily:
        """The family by which it counts."""
        return self._family

    def count(self, text: str) -> int:
        """Tokens of the text; a lone surrogate counts as the sign that replaces it."""
        return len(_encoder(self._family)(_SURROGATE.sub("\ufffd", text)))

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """The same for each text."""
        return [self.count(text) for text in texts]


class QuicktokCounters:
    """Counters of all families; each vocabulary is read at its first count, once for the whole process."""

    def counter(self, family: TokenFamily) -> TokenCounter:
        """The counter of that family."""
        return EstimateCounter() if family is TokenFamily.ESTIMATE else VocabularyCounter(family)

    def ready(self, family: TokenFamily) -> bool:
        """Whether the vocabulary is there: reading it takes up to half a second and lets no other thread run."""
        return family is TokenFamily.ESTIMATE or family in _loaded


def _encoder(family: TokenFamily) -> Callable[[str], list[int]]:
    known = _loaded.get(family)
    if known is not None:
        return known
    with _lock:
        if family not in _loaded:
            import quicktok

            _loaded[family] = quicktok.get_encoding(family.value).encode_ordinary
        return _loaded[family]
