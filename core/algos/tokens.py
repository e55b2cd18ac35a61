"""ST-BME's estimate of how many tokens a text costs. Real counts: core.ports.token_counter.

Source: spec/STBME §5.
"""

from __future__ import annotations

import math
import re

from core.algos.js_values import utf16_length

_HAN = re.compile("[\u4e00-\u9fff]+")
_UNITS_PER_TOKEN = 4
_HAN_PER_TOKEN = 2


def estimate_tokens(text: str) -> int:
    """ceil(Chinese characters / 2 + other UTF-16 units / 4)."""
    han = sum(map(len, _HAN.findall(text)))
    return math.ceil(han / _HAN_PER_TOKEN + (utf16_length(text) - han) / _UNITS_PER_TOKEN)
