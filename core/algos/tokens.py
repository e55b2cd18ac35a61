"""How many tokens a text costs: ST-BME's estimate, and real counts by tokenizer family.

Sources: spec/STBME §5 (estimate), MODELS.md (families).
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from enum import StrEnum

from core.algos.js_values import utf16_length

_HAN = re.compile("[\u4e00-\u9fff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNITS_PER_TOKEN = 4
_HAN_PER_TOKEN = 2


class TokenFamily(StrEnum):
    """How tokens are counted; `estimate` is ST-BME's rule, the others are vocabularies."""

    ESTIMATE = "estimate"
    CL100K = "cl100k_base"
    O200K = "o200k_base"
    QWEN3 = "qwen3"
    LLAMA3 = "llama3"


def estimate_tokens(text: str) -> int:
    """ceil(Chinese characters / 2 + other UTF-16 units / 4)."""
    han = len(_HAN.findall(text))
    return math.ceil(han / _HAN_PER_TOKEN + (utf16_length(text) - han) / _UNITS_PER_TOKEN)


def count_tokens(text: str, family: TokenFamily) -> int:
    """Tokens of the text in a family; its vocabulary is loaded at first use. Cost: O(n)."""
    if family is TokenFamily.ESTIMATE:
        return estimate_tokens(text)
    return len(_encoder(family)(_SURROGATE.sub("\ufffd", text)))


@functools.cache
def _encoder(family: TokenFamily) -> Callable[[str], list[int]]:
    import quicktok

    encode: Callable[[str], list[int]] = quicktok.get_encoding(family.value).encode
    return encode
