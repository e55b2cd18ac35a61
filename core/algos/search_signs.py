"""The signs of the search language, half and full width, and how its keys and values are told and written."""

from __future__ import annotations

import re

from core.algos.search_keys import BY_WORD, FIELD_PREFIXES

QUOTES = {'"': '"＂', "＂": '"＂', "“": "”“", "”": "”“", "「": "」", "『": "』"}
MINUS = "-－"
OPEN, CLOSE = "(（", ")）"
SIGNS = {
    "：": ":",
    "＝": "=",
    "＞": ">",
    "＜": "<",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "！=": "!=",
    "！＝": "!=",
    "!＝": "!=",
    "＞＝": ">=",
    "＜＝": "<=",
    ">＝": ">=",
    "<＝": "<=",
    "＞=": ">=",
    "＜=": "<=",
}
KEYED = re.compile(r"([^\W\d][\w.．。-]*?)\s*([!！]?[=＝]|[>＞<＜][=＝]?|[≥≤≠:：])")


def key_named(typed: str) -> str | None:
    """The key that a word (folded) names."""
    for prefix in FIELD_PREFIXES:
        if typed.startswith(prefix) and len(typed) > len(prefix):
            return f"field.{typed[len(prefix) :]}"
    key = BY_WORD.get(typed)
    return None if key is None else key.name


def quoted(value: str) -> str:
    """A value as it may stand after its key: in quotation marks where it has to be."""
    strange = any(
        char.isspace() or char in "()（）" or char in QUOTES or char in "<>=!＜＞＝！≥≤≠" for char in value
    )
    if not strange and value:
        return value
    for opening in ('"', "「", "『", "“"):
        closing = QUOTES[opening]
        if not any(char in closing for char in value):
            return f"{opening}{value}{closing[0]}"
    return value  # holds every closing mark, so it cannot have come from between two
