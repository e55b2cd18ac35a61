"""How JavaScript reads and writes plain values: the files and settings of ST-BME were made by it.

Source: spec/STBME, Conventions ("JS falsy", numeric prefixes, UTF-16 lengths).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

_INT_PREFIX = re.compile(r"[+-]?\d+", re.ASCII)
_FLOAT_PREFIX = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|0[xX][0-9a-fA-F]+", re.ASCII)
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_NUMBERS = (1e-6, 1e21)
"""Numbers of this size are written without an exponent."""


def trim(text: str) -> str:
    """The text without the white space that `String.trim` removes."""
    return text.strip(_BLANKS)


def truthy(value: object) -> bool:
    """Whether JavaScript takes the value as true: all but null, missing, 0, NaN, "" and false."""
    if isinstance(value, bool | int | float):
        return bool(value) and not math.isnan(value)
    return value is not None and value != ""


def number(value: object) -> float:
    """`Number(value)`: NaN for what is no number as a whole, 0 for null and blank text."""
    if value is None:
        return 0.0
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, list | tuple):
        return number(text(value))
    if not isinstance(value, str):
        return math.nan
    digits = trim(value)
    if not digits:
        return 0.0
    if not _NUMBER.fullmatch(digits):
        return math.nan
    return float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits.replace("Infinity", "inf"))


def is_finite_number(value: object) -> bool:
    """`Number.isFinite`: a number (not text, not a bool) that is neither NaN nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def parse_int(value: object) -> float:
    """`parseInt(value, 10)`: the whole number at the beginning of the text, NaN without one."""
    found = _INT_PREFIX.match(trim(text(value)))
    return float(found[0]) if found else math.nan


def parse_float(value: object) -> float:
    """`parseFloat(value)`: the number at the beginning of the text, NaN without one."""
    found = _FLOAT_PREFIX.match(trim(text(value)))
    return float(found[0].replace("Infinity", "inf")) if found else math.nan


def clamp_int(value: object, fallback: int, low: int, high: int) -> int:
    """The setting as a whole number between the bounds; the fallback when it does not begin with one."""
    parsed = parse_int(value)
    return int(min(high, max(low, fallback if math.isnan(parsed) else parsed)))


def clamp_float(value: object, fallback: float, low: float, high: float) -> float:
    """The setting as a number between the bounds; the fallback when it does not begin with one."""
    parsed = parse_float(value)
    return min(high, max(low, fallback if math.isnan(parsed) else parsed))


def text(value: object) -> str:
    """`String(value)`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number_text(value)
        case str():
            return value
        case list() | tuple():
            return ",".join("" if item is None else text(item) for item in value)
        case Mapping():
            return "[object Object]"
    return str(value)


def _number_text(value: float) -> str:
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign, digits, exponent = _digits(value)
    low, high = _PLAIN_NUMBERS
    if not low <= abs(value) < high:
        point = "." if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}{digits[1:]}e{exponent:+d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    rest = digits[exponent + 1 :]
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, shortest digits and decimal exponent of the first digit (both languages write the shortest)."""
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, rest = mantissa.partition(".")
    exponent = int(power or 0) + len(whole) - 1
    digits = (whole + ("" if rest == "0" else rest)).rstrip("0") or "0"
    stripped = digits.lstrip("0")
    return "-" if value < 0 else "", stripped, exponent - (len(digits) - len(stripped))


def json_text(value: object, indent: int | None = None, _depth: int = 1) -> str:
    """`JSON.stringify(value, null, indent)`: numbers as JavaScript writes them, halves of surrogate pairs escaped."""
    match value:
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)
        case float() if not math.isfinite(value):
            return "null"
        case Mapping():
            colon = ":" if indent is None else ": "
            items = [
                f"{json_text(str(key))}{colon}{json_text(item, indent, _depth + 1)}"
                for key, item in value.items()
            ]
            return _enclosed("{", items, "}", indent, _depth)
        case list() | tuple():
            return _enclosed(
                "[", [json_text(item, indent, _depth + 1) for item in value], "]", indent, _depth
            )
    return text(value)


def _enclosed(opener: str, items: list[str], closer: str, indent: int | None, depth: int) -> str:
    if indent is None or not items:
        return f"{opener}{','.join(items)}{closer}"
    inner, outer = "\n" + " " * (indent * depth), "\n" + " " * (indent * (depth - 1))
    return f"{opener}{inner}{(',' + inner).join(items)}{outer}{closer}"


def utf16_length(value: str) -> int:
    """`String.length`: UTF-16 code units, an emoji counts two."""
    return len(value) if value.isascii() else len(value.encode("utf-16-le", "surrogatepass")) // 2


def utf16_cut(value: str, units: int) -> str:
    """The first `units` code units; a character that would be halved is left out (JavaScript halves it)."""
    if len(value) <= units // 2:
        return value
    return value.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")
