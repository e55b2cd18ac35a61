"""The search language: text -> terms, and terms -> their canonical text.

Words stand together for "and"; `OR` or `|` binds looser; brackets group; a minus before anything turns it round.
`key:value` is a condition only where the key is known: "10:30", "http://x" and "注意：…" stay words.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from datetime import datetime

from core.algos.search_keys import (
    BY_WORD,
    KEYS,
    Key,
    ValueKind,
    Vocabulary,
    canonical_date,
    canonical_number,
    date_span,
    number_range,
)
from core.algos.search_signs import CLOSE, KEYED, MINUS, OPEN, QUOTES, SIGNS, key_named, quoted
from core.domain.errors import Invalid
from core.domain.search import All, Condition, Either, Listed, Meaning, Not, Pattern, Term, Word

_OR = ("OR", "|", "｜", "||")
_NEAR = 0.75
_LEAST_KEY = 4
_DEEPEST = 40
_HINTS = re.compile(r"[:：=＝<＜>＞≥≤≠()（）/~～|｜]|\bOR\b")


def is_plain(text: str) -> bool:
    """Whether a text holds nothing but words, phrases and minus signs for sure."""
    return _HINTS.search(text) is None


def parse(text: str, known: Vocabulary | None = None) -> Term:
    """The terms of a query; All(()) when nothing is asked. Errors: Invalid, with the place as `at` (from 1)."""
    return _Parser(text, known or Vocabulary()).query()


class _Parser:
    def __init__(self, text: str, known: Vocabulary) -> None:
        self._text, self._known = text, known
        self._at = self._depth = 0

    def query(self) -> Term:
        term = self._either()
        whole = term if isinstance(term, All) else All((term,))
        if any(_asks_meaning(each) and not isinstance(each, Meaning) for each in whole.terms):
            raise Invalid(
                "error.search.meaning_inside", at=max(self._text.find("~"), self._text.find("～")) + 1
            )
        return whole

    # --- signs ---

    def _blank(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _next_or(self) -> bool:
        for sign in _OR:
            end = self._at + len(sign)
            if self._text.startswith(sign, self._at) and (self._ends(end) or self._text[end] in OPEN):
                self._at = end
                return True
        return False

    def _ends(self, at: int) -> bool:
        """Whether a term that reaches to here is over."""
        return (
            at >= len(self._text) or self._text[at].isspace() or (self._depth > 0 and self._text[at] in CLOSE)
        )

    # --- groups ---

    def _either(self) -> Term:
        groups = [self._all()]
        while True:
            self._blank()
            if not self._next_or():
                break
            groups.append(self._all())
        full = tuple(_single(group) for group in groups if group.terms)
        return Either(full) if len(full) > 1 else All(full) if not full else full[0]

    def _all(self) -> All:
        terms: list[Term] = []
        while True:
            self._blank()
            start = self._at
            if self._ends(start):
                break
            if self._next_or():
                self._at = start
                break
            term = self._term()
            if isinstance(term, All):
                terms += term.terms
            elif term is not None:
                terms.append(term)
        return All(tuple(terms))

    def _term(self) -> Term | None:
        sign = self._text[self._at]
        if sign in MINUS:
            return self._negated()
        if sign in OPEN:
            return self._group()
        if sign in QUOTES:
            quoted = self._quoted()
            return Word(quoted, phrase=True) if quoted else None
        if sign == "/":
            return self._pattern()
        if sign in "~～":
            return self._meaning()
        return self._test() or self._word()

    def _negated(self) -> Term | None:
        start = self._at
        while not self._ends(self._at) and self._text[self._at] in MINUS:
            self._at += 1
        if self._ends(self._at):
            return None  # a minus and nothing yet
        signs = self._at - start
        term = self._term()
        if signs % 2 == 0:
            return term
        if term is None or (isinstance(term, All) and not term.terms):
            return None
        return Not(_single(term) if isinstance(term, All) else term)

    def _group(self) -> Term:
        start = self._at
        if self._depth >= _DEEPEST:
            raise Invalid("error.search.deep", at=start + 1)
        self._at += 1
        self._depth += 1
        inside = self._either()
        self._depth -= 1
        if self._at >= len(self._text) or self._text[self._at] not in CLOSE:
            raise Invalid("error.search.bracket", at=start + 1)
        self._at += 1
        return inside

    # --- single terms ---

    def _quoted(self) -> str:
        return " ".join(self._between().replace('"', " ").split())

    def _between(self) -> str:
        """What stands between quotation marks, as it stands."""
        closing = QUOTES[self._text[self._at]]
        start = end = self._at + 1
        while end < len(self._text) and self._text[end] not in closing:
            end += 1
        self._at = min(end + 1, len(self._text))
        return self._text[start:end]

    def _bare(self) -> str:
        start = self._at
        while not self._ends(self._at):
            self._at += 1
        return self._text[start : self._at]

    def _word(self) -> Term:
        start = self._at
        while not self._ends(self._at) and (self._at == start or self._text[self._at] not in QUOTES):
            self._at += 1
        return Word(self._text[start : self._at])

    def _pattern(self) -> Term:
        start = end = self._at
        while True:
            end = self._text.find("/", end + 1)
            if end < 0:
                raise Invalid("error.search.regex_open", at=start + 1)
            if self._text[end - 1] == "\\" and end > start + 1:
                continue
            if self._ends(end + 1):
                break
        self._at = end + 1
        pattern = self._text[start + 1 : end].replace("\\/", "/")
        if not pattern:
            return Word("//")
        import regex

        try:
            regex.compile(pattern)
        except regex.error as error:
            raise Invalid("error.search.regex", at=start + 1, reason=str(error)) from error
        return Pattern(pattern)

    def _meaning(self) -> Term | None:
        """`~"text"`, or all words up to the next sign of the language."""
        self._at += 1
        if self._at < len(self._text) and self._text[self._at] in QUOTES:
            text = self._quoted()
            return Meaning(text) if text else None
        words: list[str] = []
        while True:
            self._blank()
            start = self._at
            if self._ends(start) or self._text[start] in MINUS + OPEN + "/~～" or self._text[start] in QUOTES:
                break
            if self._next_or() or self._test() is not None:
                self._at = start
                break
            words.append(self._bare().replace('"', " "))
        text = " ".join(" ".join(words).split())
        return Meaning(text) if text else None

    def _test(self) -> Term | None:
        found = KEYED.match(self._text, self._at)
        if not found or (" " in found[0].rstrip() and found[2] in ":："):
            return None
        start, typed = self._at, unicodedata.normalize("NFKC", found[1]).casefold()
        name = key_named(typed)
        if name is None:
            self._maybe_misspelt(typed, found, start)
            return None
        op = SIGNS.get(found[2], found[2])
        self._at = found.end()
        if op == ":" and (more := re.match(r"[>＞<＜][=＝]?|[≥≤≠=＝]|[!！][=＝]", self._text[self._at :])):
            op = SIGNS.get(more[0], more[0])
            self._at += more.end()
        is_quoted = self._at < len(self._text) and self._text[self._at] in QUOTES
        value = self._between().strip() if is_quoted else self._bare()
        if not value:
            raise Invalid("error.search.value_missing", at=start + 1, key=name)
        return self._checked(name, op, value, start)

    def _maybe_misspelt(self, typed: str, found: re.Match[str], start: int) -> None:
        """Errors: Invalid where the word is nearly a key, and cannot be meant otherwise."""
        if len(typed) < _LEAST_KEY or self._text.startswith("//", found.end()):
            return
        near = difflib.get_close_matches(typed, [word for word in BY_WORD if len(word) > 2], 1, _NEAR)
        if near:
            raise Invalid("error.search.key", at=start + 1, key=found[1], nearest=near[0])

    def _checked(self, name: str, op: str, value: str, start: int) -> Term:
        key = KEYS.get(name)
        if key is None:
            return Condition(name, op, value)
        if key.kind in (ValueKind.CHOICE, ValueKind.TEXT) and op not in (":", "=", "!="):
            raise Invalid("error.search.sign", at=start + 1, key=name, sign=op)
        match key.kind:
            case ValueKind.CHOICE:
                value = self._choice(key, value, start)
            case ValueKind.NUMBER:
                value = _number(key, op, value, start)
            case ValueKind.DATE:
                value = _date(key, value, start)
            case ValueKind.USE:
                plain = unicodedata.normalize("NFKC", value)
                counted = number_range(plain) is not None
                value = _number(key, op, value, start) if counted else _date(key, value, start)
        return Condition(name, ":" if op == "=" else op, value)

    def _choice(self, key: Key, value: str, start: int) -> str:
        words = self._known.of(key)
        if words is None or (key.name == "folder" and "*" in value):
            return value
        folded = unicodedata.normalize("NFKC", value).casefold()
        if folded in words:
            return words[folded]
        if key.name == "folder" and value.casefold() in words:
            return words[value.casefold()]
        near = difflib.get_close_matches(folded, list(words), 1, 0.5)
        nearest = near[0] if near else next(iter(sorted(set(words.values()))), "")
        which = "error.search.value" if nearest else "error.search.value_none"
        raise Invalid(which, at=start + 1, key=key.name, value=value, nearest=nearest)


def _number(key: Key, op: str, value: str, start: int) -> str:
    plain = unicodedata.normalize("NFKC", value)
    limits = number_range(plain)
    if limits is None or (op in (">", ">=", "<", "<=") and limits[0] != limits[1]):
        raise Invalid("error.search.number", at=start + 1, key=key.name, value=value)
    return canonical_number(plain)


def _date(key: Key, value: str, start: int) -> str:
    plain = unicodedata.normalize("NFKC", value)
    if date_span(plain, datetime.now().astimezone()) is None:
        raise Invalid("error.search.date", at=start + 1, key=key.name, value=value)
    return canonical_date(plain)


def _asks_meaning(term: Term) -> bool:
    match term:
        case Meaning():
            return True
        case Not(inner):
            return _asks_meaning(inner)
        case All(terms) | Either(terms):
            return any(map(_asks_meaning, terms))
    return False


def _single(group: Term) -> Term:
    return group.terms[0] if isinstance(group, All) and len(group.terms) == 1 else group


# --- back to text ---


def render(term: Term, *, inside: bool = False) -> str:
    """The canonical text: parsed again it gives the same terms."""
    match term:
        case Word(text, phrase):
            return f'"{text}"' if phrase else text
        case Listed(text):
            return text
        case Pattern(pattern):
            return "/" + pattern.replace("/", "\\/") + "/"
        case Meaning(text):
            return f'~"{text}"'
        case Condition(key, op, value):
            return f"{key}{op}{quoted(value)}"
        case Not(inner):
            text = render(inner, inside=True)
            return f"-{text}"
        case All(terms):
            several = len(terms) > 1
            text = " ".join(render(each, inside=several and isinstance(each, Either)) for each in terms)
            return f"({text})" if inside and several else text
        case Either(terms):
            text = " OR ".join(render(each, inside=isinstance(each, Either)) for each in terms)
            return f"({text})" if inside else text
