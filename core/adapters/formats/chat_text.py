"""The text of a chat message as memory should see it: without thinking, markup and packed pictures."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from core.domain.json_types import Json

_TAG = re.compile(
    r"<\s*(/?)\s*(?:[\w.]+:)?(?:think(?:ing)?(?:[_-][\w~-]*)?|reasoning(?:_content)?|chain[_-]of[_-]thought|cot"
    r"|思考(?:过程)?|思维链?|推理(?:过程)?)(?:\s[^<>]*)?>",
    re.IGNORECASE,
)
"""Tags for what a model thought. `thought` and `analysis` are none of them: stories use them for their people."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_PACKED = re.compile(r"(data:[\w.+-]+/[\w.+-]+;base64,)[A-Za-z0-9+/=_-]{200,}")
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3"
        " h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul br",
    )
)
_INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr audio b big body button canvas cite code col colgroup del dfn em embed font head html i iframe img"
        " input ins kbd label link mark marquee meta object option picture q rp rt ruby s samp script select small"
        " source span strike strong style sub sup svg template textarea time title tt u var video wbr path circle rect",
    )
)
_UNSEEN = frozenset(("script", "style", "template", "title", "svg", "head", "iframe", "object", "canvas"))
_MARKUP = re.compile(
    r"</?(?:" + "|".join(sorted(_BLOCKS | _INLINE, key=len, reverse=True)) + r")(?=[\s/>])[^<>]*>|<!--",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(^[ \t]*(?:```|~~~).*?^[ \t]*(?:```|~~~)[ \t]*$)", re.DOTALL | re.MULTILINE)
_MACRO = re.compile(r"\{\{\s*(?:user|char)\s*\}\}|<(?:USER|BOT|CHAR)>", re.IGNORECASE)
_MANY_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n){2,}")
_REPLACEMENT = "\ufffd"


def storable_text(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates replaced by U+FFFD, and how many there were.

    SillyTavern cuts messages in the middle of an emoji; the replacement character is what a reader should see.
    """
    if text.isascii() and "\x00" not in text:
        return text, 0
    return _UNSTORABLE.subn(_REPLACEMENT, text)


def split_thinking(text: str) -> tuple[str, str, bool]:
    """Text, thinking, and whether a thinking block was never closed (then all of the rest is thinking).

    Whole blocks go wherever they stand; with only the closing tag all before it is thinking; an opening tag
    without a closing one counts at the start only: within a sentence it is a word.
    """
    if "<" not in text or not _TAG.search(text):
        return text, "", False
    kept: list[str] = []
    thoughts: list[str] = []
    at, opened = 0, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = opened or tag
        elif opened is not None:
            kept.append(text[at : opened.start()])
            thoughts.append(text[opened.end() : tag.start()])
            at, opened = tag.end(), None
        else:
            thoughts.append("".join([*kept, text[at : tag.start()]]))
            kept.clear()
            at = tag.end()
    if opened is not None and not "".join([*kept, text[at : opened.start()]]).strip():
        thoughts.append(text[opened.end() :])
        return "", _joined(thoughts), True
    if not thoughts:
        return text, "", False
    return "".join([*kept, text[at:]]).strip(), _joined(thoughts), False


def _joined(thoughts: list[str]) -> str:
    parts = (_TAG.sub("", part).strip() for part in thoughts)
    return "\n\n".join(part for part in parts if part)


def without_markup(text: str) -> str:
    """The text that a page made of it would show; code in fences, unknown tags and plain `<` stay as they are."""
    if "<" not in text or not _MARKUP.search(text):
        return text
    parts = _FENCE.split(text)
    shown = [part if index % 2 else _shown(part) for index, part in enumerate(parts)]
    return _MANY_LINES.sub("\n\n", "".join(shown)).strip()


def _shown(text: str) -> str:
    if not _MARKUP.search(text):
        return text
    reader = _Shown()
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)


class _Shown(HTMLParser):
    """Text as shown: block elements end a line, unseen elements and comments are dropped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _BLOCKS:
            self._line()
        elif tag not in _INLINE and not self._unseen:
            self.parts.append(self.get_starttag_text() or "")
        elif tag == "img" and not self._unseen:
            alt = next((value for name, value in attrs if name == "alt" and value), "")
            self.parts.append(alt)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            return
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen and self._unseen.pop() != tag:
                pass
        elif tag in _BLOCKS:
            self._line()
        elif tag not in _INLINE and not self._unseen:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)

    def handle_decl(self, decl: str) -> None:
        if not decl.lower().startswith("doctype"):
            self.parts.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.parts.append(f"<?{data}>")

    def _line(self) -> None:
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")


def with_names(text: str, user: str, character: str) -> str:
    """The text with the macros for the two names resolved, where these are known."""
    if "{{" not in text and "<" not in text:
        return text

    def name(match: re.Match[str]) -> str:
        return (user if match[0].strip("{<>}").strip().lower() == "user" else character) or match[0]

    return _MACRO.sub(name, text)


def without_packed(text: str) -> tuple[str, int]:
    """The text with base64 pictures cut to their head, and how many there were."""
    if ";base64," not in text:
        return text, 0
    return _PACKED.subn(r"\1…", text)


def shown_message(raw: Json) -> str | None:
    """The text of `mes`, also where it is an object (Chub) or a number; None when it is neither."""
    match raw:
        case str():
            return raw
        case None:
            return ""
        case bool():
            return None
        case int() | float():
            return str(raw)
        case dict():
            inner = next((raw[key] for key in ("message", "mes", "text", "content") if key in raw), None)
            return inner if isinstance(inner, str) else None
        case _:
            return None
