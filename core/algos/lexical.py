"""Text as the word search sees it, and queries as a person types them.

One token stream serves both sides. Latin words and numbers are tokens as they stand. Scripts that write
no spaces (Chinese, kana, hangul, Thai, Khmer, Burmese, Lao) become *overlapping pairs in text order, and
the last character of a run stands once more by itself*::

    "Go去上海。海洋"  ->  "go 去上 上海 海 海洋 洋"

So every character begins exactly one token. That makes phrases of an index with positions exact: a piece
of n >= 2 characters is the sequence of its pairs, one character is a prefix, and two runs can never chain
into a piece that the text does not hold (上海。海洋 has no 上海洋), because the single 海 stands between.

The FTS5 table should be built with ``tokenize=FTS5_TOKENIZE``: SQLite's default drops emoji and vowel signs.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from operator import add

FTS5_TOKENIZE = "unicode61 remove_diacritics 2 categories 'L* M* N* S* Co'"
"""Value of the FTS5 option ``tokenize`` that keeps every token of `search_text` whole (write it in double quotes)."""

PART_BREAK = "\ue000"
"""Token between two parts (title, body): no query holds it, so no phrase reaches across."""

_RUN = (  # scripts without spaces between words; hangul has them, but its particles make pairs the better unit
    "\u0e00-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035"
    "\u303b\u303c\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = (  # combining signs that belong inside a word although they are no letters
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_SYMBOLS = "\u2190-\u2bff\U0001f000-\U0001faff"  # arrows, signs, emoji: a token each
_WORD = rf"[^\W_{_RUN}]"
_PIECES = re.compile(
    rf"([{_RUN}]+)|({_WORD}(?:{_WORD}+|[{_MARKS}]+)*)|([{_SYMBOLS}])",
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_IGNORED = "\u00ad\u200b\u200c\u200d\u2060\ufeff"  # soft hyphen and zero-width signs
_VARIANTS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))  # variation selectors
_TERMS = re.compile(
    r'(-?)(?:"([^"]*)(?:"|$)|[“”]([^“”]*)(?:[“”]|$)|「([^」]*)(?:」|$)|『([^』]*)(?:』|$)|([^\s"“”「『，。、；！？]+))'
)
_TABLE_FILE = "t2s_chars.txt"


@dataclass(frozen=True, slots=True)
class Term:
    """One condition of a query; `text` is folded. A word is found as it stands, a phrase as a sequence."""

    text: str
    phrase: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The conditions of a typed query, in the order typed; all of them must hold."""

    terms: tuple[Term, ...] = ()

    @property
    def wanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.negated)

    @property
    def unwanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.negated)


@functools.cache
def _folding() -> dict[int, str | int | None]:
    table: dict[int, str | int | None] = {0: " "}
    table.update((ord(char), None) for char in _IGNORED)
    table.update((code, None) for codes in _VARIANTS for code in codes)
    source = importlib.resources.files("resources").joinpath("text", _TABLE_FILE)
    for line in source.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            traditional, simplified = line.split("\t")
            table[ord(traditional)] = ord(simplified)
    return table


def simplify(text: str) -> str:
    """The text with traditional Chinese as simplified and invisible signs gone; case and width are kept.

    What an embedder gets (MODELS.md). NUL becomes a blank, lone surrogates U+FFFD. Cost: O(n).
    """
    if text.isascii():
        return text.replace("\0", " ")
    return _SURROGATE.sub("\ufffd", text.translate(_folding()))


def fold(text: str) -> str:
    """The text with everything levelled that a search should not distinguish.

    NFKC, lower case, traditional Chinese as simplified (OpenCC's characters, first candidate), zero-width
    signs and variation selectors gone, NUL as blank, lone surrogates as U+FFFD. Folding twice changes nothing.
    Source: DESIGN §4, search text. Cost: O(n), about 0.1 µs a character.
    """
    if text.isascii():
        return text.lower().replace("\0", " ")
    folded = unicodedata.normalize("NFKC", text).lower().translate(_folding())
    folded = unicodedata.normalize("NFKC", folded)
    return _SURROGATE.sub("\ufffd", folded)


def _pieces(folded: str) -> Iterator[tuple[str, bool]]:
    """Words, symbols and runs of a folded text in order, each with "is a run without spaces"."""
    for match in _PIECES.finditer(folded):
        yield match[0], match.lastindex == 1


def _run_tokens(run: str) -> list[str]:
    return [*map(add, run, run[1:]), run[-1]]


def search_text(*parts: str) -> str:
    """What the full-text index stores for a memory: the tokens of its parts, separated by blanks.

    Cost: O(n); about 10,000 texts of 200 Chinese characters a second.
    """
    return f" {PART_BREAK} ".join(filter(None, (" ".join(_tokens(fold(part))) for part in parts)))


def _tokens(folded: str) -> list[str]:
    tokens: list[str] = []
    for run, word, symbol in _PIECES.findall(folded):
        if run:
            tokens += _run_tokens(run)
        else:
            tokens.append(word or symbol)
    return tokens


def search_tokens(text: str) -> list[str]:
    """The terms of a text for ranking: words, symbols and pairs in order; a single character only if it is a whole run."""
    tokens: list[str] = []
    for piece, is_run in _pieces(fold(text)):
        tokens += _run_tokens(piece)[: max(1, len(piece) - 1)] if is_run else [piece]
    return tokens


def parse_query(text: str) -> SearchQuery:
    """The conditions in what a person typed: words, "phrases" (also “ ” 「 」 『 』), and -not before either.

    Never fails: an open quotation mark reaches to the end; what holds nothing to search for is dropped.
    """
    terms: list[Term] = []
    for match in _TERMS.finditer(text.replace("＂", '"').replace("－", "-")):
        word = match[6]
        body = word if word is not None else next(group for group in match.groups()[1:5] if group is not None)
        folded = " ".join(fold(body).split())
        if _PIECES.search(folded):
            terms.append(Term(folded, phrase=word is None, negated=bool(match[1])))
    return SearchQuery(tuple(terms))


def fts_match(query: SearchQuery, *, prefix: bool = False) -> str:
    """An FTS5 MATCH expression for the query: all wanted terms and none of the unwanted ones.

    "" when no term is wanted (nothing to match; see `fts_exclude` for a query of only unwanted ones).
    `prefix`: a word at the end of an unquoted term also finds longer words, as for search while typing.
    Safe for every input: nothing but word characters gets between the quotation marks.
    """
    wanted = [_fts_phrase(term, prefix) for term in query.wanted]
    if not wanted:
        return ""
    match = " AND ".join(wanted)
    exclude = fts_exclude(query)
    return f"({match}) NOT ({exclude})" if exclude else match


def fts_exclude(query: SearchQuery) -> str:
    """An FTS5 MATCH expression for the rows that the query's unwanted terms forbid; "" when there are none."""
    return " OR ".join(_fts_phrase(term, prefix=False) for term in query.unwanted)


def _fts_phrase(term: Term, prefix: bool) -> str:
    pieces = list(_pieces(term.text))
    tokens: list[str] = []
    for piece, is_run in pieces[:-1]:
        tokens += _run_tokens(piece) if is_run else [piece]
    last, is_run = pieces[-1]
    tokens += _run_tokens(last)[: max(1, len(last) - 1)] if is_run else [last]
    open_end = len(last) == 1 if is_run else prefix and not term.phrase
    phrase = " ".join(tokens).replace('"', '""')
    return f'"{phrase}"*' if open_end else f'"{phrase}"'
