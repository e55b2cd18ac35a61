"""What a summary left out that changes what is said: names, numbers, negations.

Source: DESIGN §5 and UI.md, Compress. Own rules: a number is kept when the summary has its value in any script, a
name when it stands in the summary in any case or script, a negation when the summary negates the same word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.algos.lexical import fold


class Detail(StrEnum):
    """What kind of detail was lost."""

    NAME = "name"
    NUMBER = "number"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class LostSpan:
    """A part of the text, as character places, and what it is."""

    start: int
    end: int
    kind: Detail


_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*%?")
_HAN_NUMBER = re.compile(
    r"第?([零〇一二两三四五六七八九十百千万亿]+)(?=[个条枚次天年月日岁层楼点位只把封页名章号人扇座声元块米里夜步号级杯张本件间分秒时周代])"
)
_QUOTED = re.compile(r"《([^》]{1,40})》|「([^」]{1,40})」|“([^”]{1,40})”|『([^』]{1,40})』")
_CAPITAL = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+)*", re.MULTILINE)
_HAN_NEGATION = re.compile(
    r"没有|并非|并未|从未|未曾|不曾|毫无|无法|不能|不会|不要|不再|不是|[不没未无勿莫别]"
)
_LATIN_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE
)
_NO_NEGATION = re.compile(
    r"不过|不仅|不但|不同|不久|不断|不得不|不如|不管|不论|不禁|差不多|了不起|对不起|无论|无数|别人|别处|别的|特别|区别|分别"
    r"|告别|离别|性别|个别|级别|未来|未婚|淹没|埋没|沉没|没收|出没|no one else|no\."
)
_WORD = re.compile(r"\w+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_VALUES = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_CONTENT_HAN = 2


def lost_details(text: str, summary: str, names: Iterable[str] = ()) -> list[LostSpan]:
    """Names, numbers and negations of the text that the summary does not have, in order and without overlaps.

    `names`: names to look for beside quoted and capitalised ones. Cost: O(length x names).
    """
    folded = fold(summary)
    found = [
        *_numbers(text, summary),
        *_names(text, folded, names),
        *_negations(text, summary),
    ]
    kept: list[LostSpan] = []
    for span in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _numbers(text: str, summary: str) -> Iterator[LostSpan]:
    there = {value for value, _, _ in _values(summary)}
    for value, start, end in _values(text):
        if value not in there:
            yield LostSpan(start, end, Detail.NUMBER)


def _values(text: str) -> Iterator[tuple[str, int, int]]:
    """Numbers with their places; the same value has the same text in both scripts."""
    for match in _DIGITS.finditer(text):
        digits = match[0].replace(",", "").removesuffix("%")
        value = digits.rstrip("0").rstrip(".") if "." in digits else digits
        yield value.lstrip("0") or "0", match.start(), match.end()
    for match in _HAN_NUMBER.finditer(text):
        if len(match[1]) == 1 and match[1] == "一" and not match[0].startswith("第"):
            continue  # 一个, 一次: an article, not a count
        yield str(han_number(match[1])), match.start(), match.end()


def han_number(text: str) -> int:
    """The value of a Chinese numeral: 二十三 -> 23, 三万五千 -> 35000; plain digits are read as such."""
    if not any(char in _HAN_UNITS or char in _HAN_MYRIADS for char in text):
        return int("".join(str(_HAN_VALUES[char]) for char in text))
    total = part = digit = 0
    for char in text:
        if char in _HAN_VALUES:
            digit = _HAN_VALUES[char]
        elif char in _HAN_UNITS:
            part += (digit or 1) * _HAN_UNITS[char]
            digit = 0
        else:
            total = (total + part + digit or 1) * _HAN_MYRIADS[char]
            part = digit = 0
    return total + part + digit


def _names(text: str, folded: str, names: Iterable[str]) -> Iterator[LostSpan]:
    for match in _QUOTED.finditer(text):
        group = next(number for number in range(1, 5) if match[number] is not None)
        if fold(match[group]) not in folded:
            yield LostSpan(*match.span(group), Detail.NAME)
    for match in _CAPITAL.finditer(text):
        if fold(match[0]) not in folded:
            yield LostSpan(*match.span(), Detail.NAME)
    lower = text.casefold()
    for name in names:
        wanted = name.strip().casefold()
        if len(wanted) < 2 or len(lower) != len(text) or fold(wanted) in folded:
            continue
        at = lower.find(wanted)
        while at >= 0:
            yield LostSpan(at, at + len(wanted), Detail.NAME)
            at = lower.find(wanted, at + len(wanted))


def _negations(text: str, summary: str) -> Iterator[LostSpan]:
    there = _negated(summary)
    for word, start, end in _negation_words(text):
        if word not in there:
            yield LostSpan(start, end, Detail.NEGATION)


def _negated(summary: str) -> set[str]:
    return {word for word, _, _ in _negation_words(summary)}


def _negation_words(text: str) -> Iterator[tuple[str, int, int]]:
    """What is negated, with the place of the negation and that word."""
    harmless: Sequence[tuple[int, int]] = [match.span() for match in _NO_NEGATION.finditer(text)]
    for pattern in (_HAN_NEGATION, _LATIN_NEGATION):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(first <= start < last for first, last in harmless):
                continue
            rest = text[end:].lstrip(" ") if pattern is _LATIN_NEGATION else text[end:]
            skipped = len(text) - end - len(rest)
            content = _content(rest)
            yield fold(content), start, end + (skipped + len(content) if content else 0)


def _content(rest: str) -> str:
    """The word that follows: two Chinese characters, or one word."""
    if rest and _HAN.match(rest[0]):
        return "".join(char for char in rest[:_CONTENT_HAN] if _HAN.match(char))
    match = _WORD.match(rest)
    return match[0] if match else ""
