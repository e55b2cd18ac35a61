"""Whether new chat messages are worth an extraction now.

Source: spec/STBME §3.2; scores exactly as there.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

KEYWORDS = (
    *("突然", "没想到", "原来", "其实", "发现", "背叛", "死亡", "复活", "恢复记忆", "失忆", "告白", "暴露"),
    *("秘密", "计划", "规则", "契约", "位置", "地点", "离开", "来到"),
)
_KEYWORDS_COUNTED = 2
_KEYWORDS_NAMED = 3
_PATTERN_SCORE = 2
_ROLE_CHANGES = 2
_EXCITED_MARKS = 2
_MARKS = re.compile("[!?！？]")
_ENTITY = re.compile(
    "[A-Z][a-z]{2,}|[\u4e00-\u9fff]{2,6}(?:先生|小姐|王国|城|镇|村|学院|组织|公司|小队|军团)"
)
_PATTERN_SEPARATORS = re.compile(r"\r?\n|,")
LOWEST_THRESHOLD = 1.0
DEFAULT_THRESHOLD = 2.0


class Trigger(StrEnum):
    """What raised the score."""

    KEYWORDS = "keywords"
    PATTERN = "pattern"
    EXCHANGE = "exchange"
    EMOTION = "emotion"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of the score; `found` are the keywords or the pattern that matched."""

    trigger: Trigger
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerDecision:
    """Score 0..7, whether it reaches the threshold, and why."""

    score: int
    triggered: bool
    reasons: tuple[Reason, ...] = ()


def split_patterns(setting: str) -> list[str]:
    """The patterns of the setting: one a line or between ASCII commas, trimmed."""
    return [pattern for part in _PATTERN_SEPARATORS.split(setting) if (pattern := part.strip())]


def decide(
    messages: Sequence[tuple[bool, str]], patterns: Sequence[str] = (), threshold: float = DEFAULT_THRESHOLD
) -> TriggerDecision:
    """The decision for messages (is by the user, text) that are new, not of the system and not blank.

    `patterns` are regular expressions without regard to case; broken ones are left out. A threshold under 1 is 1.
    """
    text = "\n".join(content for _, content in messages)
    keywords = [word for word in KEYWORDS if word in text]
    pattern = next((pattern for pattern in patterns if text and _matches(pattern, text)), None)
    changes = sum(before != after for (before, _), (after, _) in pairwise(messages))
    parts = [
        (min(_KEYWORDS_COUNTED, len(keywords)), Reason(Trigger.KEYWORDS, tuple(keywords[:_KEYWORDS_NAMED]))),
        (_PATTERN_SCORE * (pattern is not None), Reason(Trigger.PATTERN, (pattern or "",))),
        (int(changes >= _ROLE_CHANGES), Reason(Trigger.EXCHANGE)),
        (int(len(_MARKS.findall(text)) >= _EXCITED_MARKS), Reason(Trigger.EMOTION)),
        (int(_ENTITY.search(text) is not None), Reason(Trigger.ENTITY)),
    ]
    score = sum(points for points, _ in parts)
    reached = bool(messages) and score >= max(LOWEST_THRESHOLD, threshold)
    return TriggerDecision(score, reached, tuple(reason for points, reason in parts if points))


def _matches(pattern: str, text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[": other languages read it differently
            return re.search(pattern, text, re.IGNORECASE) is not None
    except (re.error, OverflowError, RecursionError):
        return False
