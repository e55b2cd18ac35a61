"""One JSON value out of text that is almost JSON, with a list of what had to be put right.

What models really write: comments, trailing and missing commas, bare and single-quoted keys, full-width
punctuation as syntax, real line breaks and unescaped quotes inside strings, escapes that JSON does not
know, Python's words, and an end that is missing. A cut last item is dropped, never completed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.json_types import Json

MAX_DEPTH = 200
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad"
"""Signs without width: space between tokens, text inside strings."""

_SPACE = re.compile(rf"(?:[\s{INVISIBLE}\u00a0\u3000]|//[^\n]*|/\*.*?(?:\*/|$)|#[^\n]*)*", re.DOTALL)
_QUOTES: Mapping[str, str] = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”“"',
    "‘": "’‘'",
    "’": "’‘'",
    "＂": "＂",
    "「": "」",
    "『": "』",
}
_OPEN_OBJECT, _CLOSE_OBJECT = "{｛", "}｝"
_OPEN_LIST, _CLOSE_LIST = "[［", "]］"
_COMMAS, _COLONS = ",，、;；", ":：="
_FULL_WIDTH = frozenset("｛｝［］，、；：“”‘’＂「」『』")
_WORD = re.compile(r"[^\s,，\]］}｝{｛\[［\"“”:：]+(?:[ \t]+[^\s,，\]］}｝{｛\[［\"“”:：]+)*")
_NAME = re.compile(r"[^\W\d][\w.$-]*|\d+")
_BARE_KEY = re.compile(r"""[^\W\d][\w.$-]*["'”’]?\s*[:：]""")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}\b")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ELLIPSIS = re.compile(r"\.{3,}|…+")
_TAIL = re.compile(r"[\s\]}］｝]*(?:```\s*)?$")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.)|$)", re.DOTALL)
_PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NEEDLESS_ESCAPES = "'`“”_*~#\n"
"""Signs that JavaScript's strings and Markdown escape; JSON does not."""
_PATH = re.compile(r"(?<![A-Za-z])[A-Z]:(?:\\[^\\\"/:*?<>|\s]+)+")
_PATH_SIGN = re.compile(r"\\(?!n|u[0-9a-fA-F]{4})")
_KEY_BEHIND = re.compile(r"""\s*[,，]\s*["“][^"“”\n]{1,80}["”]\s*[:：]""")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?=\s*(?:[,}｝\n]|$))")
_FENCE = "```"
_WORDS: Mapping[str, Json] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nil": None,
    "undefined": None,
}
_NO_NUMBERS = frozenset({"nan", "infinity", "inf", "+infinity", "-infinity", "-inf", "+inf", "-nan"})


class NoJson(ValueError):
    """No value begins at that place."""


class _Cut(Exception):
    """The text ended inside a value; `part` is what may be kept of it (`kept`)."""

    def __init__(self, part: Json = None, *, kept: bool = False) -> None:
        super().__init__()
        self.part, self.kept = part, kept


@dataclass(slots=True)
class Lenient:
    """A value and how it was read: `end` lies after it, `notes` name the repairs (see `model_reply`)."""

    value: Json
    end: int
    notes: tuple[str, ...] = ()
    truncated: bool = False
    ambiguous: bool = False


def read_value(text: str, start: int) -> Lenient:
    """The object or list that begins at `start`. Errors: NoJson. Cost: O(length of the value)."""
    reader = _Reader(text)
    try:
        value, end = reader.value(start, 0, "root", in_list=False)
    except _Cut as cut:
        if not cut.kept:
            raise NoJson from None
        reader.notes["cut"] = None
        return Lenient(cut.part, len(text), tuple(reader.notes), truncated=True, ambiguous=reader.ambiguous)
    return Lenient(value, end, tuple(reader.notes), ambiguous=reader.ambiguous)


def starts_value(text: str, start: int) -> bool:
    """Whether what begins at that opening bracket can be JSON at all, and not words in brackets."""
    at = _space(text, start + 1)
    following = text[at : at + 1]
    if not following:
        return False
    if text[start] in _OPEN_OBJECT:
        return following in _QUOTES or following in _CLOSE_OBJECT or bool(_BARE_KEY.match(text, at))
    listed = following in _QUOTES or following in _CLOSE_LIST + _OPEN_LIST + _OPEN_OBJECT
    return listed or bool(re.match(r"[-+\d]|true\b|false\b|null\b", text[at : at + 6], re.IGNORECASE))


def paths_kept(text: str) -> str:
    """The text with the single backslashes of Windows paths doubled; "Q:\\nA" is a line break, not a path."""

    def doubled(found: re.Match[str]) -> str:
        return found[0].replace("\\", "\\\\") if _PATH_SIGN.search(found[0]) else found[0]

    return _PATH.sub(doubled, text)


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


@dataclass(slots=True)
class _Reader:
    text: str
    notes: dict[str, None] = field(default_factory=dict)
    """What was put right, each once, in order of appearance."""
    ambiguous: bool = False
    _stack: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        self.notes[what] = None

    def peek(self, at: int) -> str:
        return self.text[at : at + 1]

    def skip(self, at: int) -> int:
        after = _space(self.text, at)
        if after > at and re.search(rf"[{INVISIBLE}\u00a0\u3000]", self.text[at:after]):
            self.note("invisible")
        return after

    # --- values --------------------------------------------------------------------------

    def value(self, at: int, depth: int, place: str, *, in_list: bool) -> tuple[Json, int]:
        """The value at `place` (root, item of a list, value of a key) and where it ends."""
        if depth > MAX_DEPTH:
            raise NoJson("too deep")
        at = self.skip(at)
        sign = self.peek(at)
        if not sign or self.text.startswith(_FENCE, at):
            raise _Cut
        if sign in _FULL_WIDTH:
            self.note("full_width")
        if sign in _OPEN_OBJECT:
            return self._object(at + 1, depth, in_list=in_list)
        if sign in _OPEN_LIST:
            return self._list(at + 1, depth, in_list=in_list)
        if place == "root":
            raise NoJson
        return self._joined(at, place) if sign in _QUOTES else self._bare(at, place)

    def _object(self, at: int, depth: int, *, in_list: bool) -> tuple[Json, int]:
        """A cut object inside a list is no item; outside of lists it keeps what it has."""
        found: dict[str, Json] = {}
        self._stack.append("}")
        try:
            while True:
                at = self._past_commas(at, first=not found)
                sign = self.peek(at)
                if not sign or self.text.startswith(_FENCE, at):
                    raise _Cut
                if sign in _CLOSE_OBJECT:
                    return found, self._closed(at)
                if sign in _CLOSE_LIST:
                    self.note("brackets")
                    if "]" in self._stack:
                        return found, at
                    at += 1
                    continue
                key, at = self._key(at)
                try:
                    value, at = self.value(at, depth + 1, "value", in_list=in_list)
                except _Cut as cut:
                    if cut.kept and not in_list:
                        self._put(found, key, cut.part)
                    raise
                self._put(found, key, value)
        except _Cut:
            raise _Cut(found, kept=not in_list) from None
        finally:
            self._stack.pop()

    def _list(self, at: int, depth: int, *, in_list: bool) -> tuple[Json, int]:
        """A cut list keeps its whole items, unless it belongs to an item of a list itself."""
        found: list[Json] = []
        self._stack.append("]")
        try:
            while True:
                at = self._past_commas(at, first=not found)
                sign = self.peek(at)
                if not sign or self.text.startswith(_FENCE, at):
                    raise _Cut
                if sign in _CLOSE_LIST:
                    return found, self._closed(at)
                if sign in _CLOSE_OBJECT:
                    self.note("brackets")
                    if "}" in self._stack and not self._goes_on(at + 1):
                        return found, at
                    at += 1
                    continue
                if gap := _ELLIPSIS.match(self.text, at):
                    self.note("gap")
                    at = gap.end()
                    continue
                value, at = self.value(at, depth + 1, "item", in_list=True)
                found.append(value)
        except _Cut:
            raise _Cut(found, kept=not in_list) from None
        finally:
            self._stack.pop()

    def _closed(self, at: int) -> int:
        if self.peek(at) in _FULL_WIDTH:
            self.note("full_width")
        return at + 1

    def _past_commas(self, at: int, *, first: bool) -> int:
        at = self.skip(at)
        commas = 0
        while self.peek(at) and self.peek(at) in _COMMAS:
            if self.peek(at) in _FULL_WIDTH:
                self.note("full_width")
            commas += 1
            at = self.skip(at + 1)
        sign = self.peek(at)
        closing = (bool(sign) and sign in _CLOSE_LIST + _CLOSE_OBJECT) or self.text.startswith(_FENCE, at)
        if (
            commas > 1
            or (commas and (first or closing))
            or (not commas and not first and sign and not closing)
        ):
            self.note("commas")
        return at

    def _goes_on(self, at: int) -> bool:
        """Whether the list goes on behind a brace that is one too many: with an object, or its own end."""
        following = self.skip(at)
        sign = self.peek(following)
        if sign and sign in _CLOSE_LIST:
            return True
        if not sign or sign not in _COMMAS:
            return False
        sign = self.peek(self.skip(following + 1))
        return bool(sign) and sign in _OPEN_OBJECT

    def _put(self, found: dict[str, Json], key: str, value: Json) -> None:
        """A key that comes twice with lists joins them: no operation is lost. With other values the last one counts."""
        before = found.get(key)
        if isinstance(before, list) and isinstance(value, list):
            self.note("twice")
            value = [*before, *value]
        elif key in found and before != value:
            self.ambiguous = True
        found[key] = value

    # --- keys, words, numbers --------------------------------------------------------------

    def _key(self, at: int) -> tuple[str, int]:
        if self.peek(at) in _QUOTES:
            if self.peek(at) in _FULL_WIDTH:
                self.note("full_width")
            key, at = self._string(at, "key")
        elif name := _NAME.match(self.text, at):
            self.note("keys")
            key, at = name[0], name.end()
            at += self.peek(at) in ('"', "'", "”", "’")  # the quote before the key is missing
        else:
            raise NoJson
        at = self.skip(at)
        sign = self.peek(at)
        if not sign:
            raise _Cut
        if sign in _OPEN_OBJECT + _OPEN_LIST:
            self.note("commas")
            return key, at
        if sign not in _COLONS:
            raise NoJson
        if sign in _FULL_WIDTH:
            self.note("full_width")
        at += 2 if self.text[at : at + 2] == "=>" else 1
        while self.peek(at := self.skip(at)) in (":", "："):
            self.note("commas")
            at += 1
        return key, at

    def _bare(self, at: int, place: str) -> tuple[Json, int]:
        """A number, a word that JSON or Python knows, or words without quotes."""
        grouped = _THOUSANDS.match(self.text, at) if place == "value" else None
        if grouped is not None:
            self.note("numbers")
            return int(grouped[0].replace(",", "")), grouped.end()
        if hexadecimal := _HEXADECIMAL.match(self.text, at):
            self.note("numbers")
            return int(hexadecimal[0], 16), hexadecimal.end()
        number = _NUMBER.match(self.text, at)
        if number is not None:
            after = self.skip(number.end())
            if not self.peek(after):
                raise _Cut
            if (
                self.peek(after) in _COMMAS + _CLOSE_LIST + _CLOSE_OBJECT
                or "\n" in self.text[number.end() : after]
            ):
                return self._number(number[0]), number.end()
        word = _WORD.match(self.text, at)
        if word is None:
            raise NoJson
        if not self.peek(self.skip(word.end())):
            raise _Cut
        known = word[0].strip().lower()
        if known in _NO_NUMBERS:
            self.note("numbers")
            return None, word.end()
        if known in _WORDS:
            if word[0].strip() not in ("true", "false", "null"):
                self.note("words")
            return _WORDS[known], word.end()
        self.note("words")
        self.ambiguous = self.ambiguous or place == "item"
        closed = self.peek(word.end()) in ('"', "”") and self._ends(word.end() + 1, place)
        return word[0].strip(), word.end() + closed

    def _number(self, text: str) -> Json:
        plain = text.replace("_", "")
        if plain != text or plain[0] in "+." or plain.endswith("."):
            self.note("numbers")
        if re.fullmatch(r"[+-]?\d+", plain) and len(plain) < 400:
            return int(plain)
        number = float(plain)
        if not math.isfinite(number):
            self.note("numbers")
            return None
        return number

    # --- strings ---------------------------------------------------------------------------

    def _joined(self, at: int, place: str) -> tuple[Json, int]:
        """A string, or several that a program's `+` would join."""
        text, at = self._string(at, place)
        while (
            self.peek(after := self.skip(at)) == "+"
            and self.peek(following := self.skip(after + 1)) in _QUOTES
        ):
            if not self.peek(following):
                break
            self.note("words")
            more, at = self._string(following, place)
            text += more
        return text, at

    def _string(self, at: int, place: str) -> tuple[str, int]:
        opening = self.peek(at)
        if opening in "'`":
            self.note("quotes")
        if self.text.startswith('"""', at) and (end := self.text.find('"""', at + 3)) >= 0:
            self.note("quotes")
            return self._plain(self.text[at + 3 : end]), end + 3
        found, kept = self._end_of_string(at + 1, _QUOTES[opening], place)
        if found is None:
            return self._unclosed(at + 1, place)
        end = found
        if self.peek(end) in _FULL_WIDTH:
            self.note("full_width")
        if kept:
            self.note("inner_quotes")
            self.ambiguous = self.ambiguous or kept % 2 == 1
        return self._plain(self.text[at + 1 : end]), end + 1

    def _end_of_string(self, at: int, closers: str, place: str) -> tuple[int | None, int]:
        """Where the string ends, and how many quotes inside it belong to its text.

        A string that begins with a straight quote may end with a curly one that nothing inside it opened, when the
        next straight one is the beginning of another string.
        """
        curly = "“”" if closers == '"' else ""
        special = re.compile(rf"[\\{re.escape(closers)}{curly}]")
        kept = opened = 0
        curly_end: int | None = None
        while found := special.search(self.text, at):
            if found[0] == "\\":
                at = found.end() + 1
                continue
            at = found.end()
            if found[0] in curly:
                if found[0] == "”" and not opened and curly_end is None and self._ends(at, place):
                    curly_end = found.start()
                opened = max(0, opened + (1 if found[0] == "“" else -1))
                continue
            if self._ends(at, place):
                return found.start(), kept
            if curly_end is not None:
                return curly_end, kept
            kept += 1
        return curly_end, kept

    def _ends(self, after: int, place: str) -> bool:
        """Whether a quote before `after` is the end: what follows must be able to follow a string."""
        text = self.text
        at = _space(text, after)
        sign = text[at : at + 1]
        if not sign or text.startswith(_FENCE, at):
            return True
        if place == "key":
            return sign in _COLONS + _OPEN_OBJECT + _OPEN_LIST
        if sign in _CLOSE_OBJECT + _CLOSE_LIST:
            return self._closes(at)
        if sign == "+":
            return text[_space(text, at + 1) : _space(text, at + 1) + 1] in _QUOTES
        if sign in _COMMAS:
            following = _space(text, at + 1)
            while text[following : following + 1] and text[following] in _COMMAS:
                following = _space(text, following + 1)
            return self._next_item(following, place, full_width=sign in _FULL_WIDTH)
        if place == "value":
            return at > after and self._is_key(at)
        return at > after and sign in '"“{['

    def _closes(self, at: int) -> bool:
        """A closing bracket ends the string when it is one that is waited for, or there is nothing else."""
        wanted = self._stack[-1] if self._stack else ""
        sign = "}" if self.text[at] in _CLOSE_OBJECT else "]"
        return sign == wanted or sign in self._stack

    def _next_item(self, at: int, place: str, *, full_width: bool) -> bool:
        sign = self.text[at : at + 1]
        if not sign or sign in _CLOSE_OBJECT + _CLOSE_LIST:
            return True
        if place == "value":
            return self._is_key(at)
        if sign in _QUOTES or sign in _OPEN_OBJECT + _OPEN_LIST:
            return True
        if full_width:
            return False
        bare = re.compile(r"(?:[-+]?\d[\d.eE+-]*|true|false|null|None|True|False|NaN|\.{3}|…)\s*[,\]}]")
        return bool(bare.match(self.text, at))

    def _is_key(self, at: int) -> bool:
        sign = self.text[at : at + 1]
        if sign in _QUOTES and sign:
            closers = re.escape(_QUOTES[sign])
            quoted = re.compile(rf"[^\n{closers}]{{0,200}}[{closers}]\s*[:：=]")
            return bool(quoted.match(self.text, at + 1))
        return bool(_BARE_KEY.match(self.text, at))

    def _unclosed(self, at: int, place: str) -> tuple[str, int]:
        """The last string without its quote: its end is where the brackets that are open close, if they do."""
        tail = _TAIL.search(self.text, at)
        closing = "".join(self.text[tail.start() :].replace("`", "").split()) if tail else ""
        closing = closing.translate(str.maketrans("］｝", "]}"))
        if place == "value" and (behind := _KEY_BEHIND.search(self.text, at)):
            self.note("quotes")
            self.ambiguous = True
            return self._plain(self.text[at : behind.start()]), behind.start()
        if place == "key" or tail is None or not closing or closing != "".join(reversed(self._stack)):
            raise _Cut
        self.note("quotes")
        return self._plain(self.text[at : tail.start()]), tail.start()

    def _plain(self, raw: str) -> str:
        if "\\" not in raw:
            return raw
        kept = paths_kept(raw)
        if kept != raw:
            self.note("escapes")
        return join_surrogates(_ESCAPE.sub(self._escaped, kept))

    def _escaped(self, found: re.Match[str]) -> str:
        braces, four, two, sign = found.groups()
        if code := braces or four or two:
            self.note("escapes") if not four else None
            number = int(code, 16)
            return chr(number) if number <= 0x10FFFF else "\ufffd"
        if sign is None:
            return "\\"
        if sign in '"\\/':
            return str(sign)
        if sign in _PLAIN_ESCAPES:
            return _PLAIN_ESCAPES[sign]
        self.note("escapes")
        return str(sign) if sign in _NEEDLESS_ESCAPES else found[0]


def join_surrogates(text: str) -> str:
    """Halves that belong together become one character, a lone one becomes U+FFFD."""
    if not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
