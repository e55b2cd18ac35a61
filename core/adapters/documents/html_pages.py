"""Web pages: headings, paragraphs, lists, tables and code; no scripts, styles, comments or navigation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from core.adapters.documents.building import TextBuilder, one_line
from core.adapters.documents.encodings import Decoded, decode
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile

_LEFT_OUT = frozenset(
    {
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "nav",
        "math",
        "object",
        "iframe",
        "select",
        "rp",
        "rt",
    }
)
_PARAGRAPHS = frozenset(
    {"p", "div", "section", "article", "main", "header", "footer", "aside", "blockquote", "figure", "figcaption",
     "address", "dl", "dt", "dd", "form", "fieldset", "body", "ul", "ol", "hr", "details", "summary", "caption",
     "center", "menu", "html", "head"}
)  # fmt: skip
_HEADING = re.compile(r"h([1-6])")
_COMMENT = re.compile(rb"<!--.*?(-->|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)
_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.-]+)""")
_HEAD_BYTES = 16 << 10


def declared_encoding(data: bytes) -> str:
    """What the page says about itself; comments do not count. "" when it says nothing."""
    head = _COMMENT.sub(b"", data[:_HEAD_BYTES])
    found = _DECLARED.search(head) or _CHARSET.search(head)
    return found[1].decode("ascii") if found else ""


def read_html(data: bytes, name: str, encoding: str = "") -> ReadDocument:
    """A saved page. Errors: EncodingQuestion, BadFile when there is no text in it."""
    return read_page(decode(data, name, chosen=encoding, hint=declared_encoding(data)), name)


def read_page(decoded: Decoded, name: str) -> ReadDocument:
    """The same of a page that is decoded. Errors: BadFile when there is no text in it."""
    builder = TextBuilder()
    title = add_page(builder, decoded.text)
    text, blocks = builder.done()
    if not text:
        raise BadFile("error.document.no_text", name=name)
    return ReadDocument(
        kind=DocumentKind.HTML, text=text, blocks=blocks, title=title, encoding=decoded.encoding
    )


def add_page(builder: TextBuilder, markup: str) -> str:
    """Adds a page to a document; answers the title that it gives itself."""
    reader = _Page(builder)
    reader.feed(markup)
    reader.close()
    reader.finish()
    return one_line(reader.title)


class _Page(HTMLParser):
    """Turns the stream of tags into parts. Wrong nesting is taken as it comes."""

    def __init__(self, builder: TextBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = builder
        self.title = ""
        self._text: list[str] = []
        self._skipped: list[str] = []
        self._in_title = False
        self._heading = 0
        self._lists = 0
        self._item = False
        self._code = 0
        self._rows: list[list[str]] = []
        self._tables = 0
        self._cell = False

    def handle_starttag(self, tag: str, _attributes: Sequence[tuple[str, str | None]]) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.append(tag)
            return
        if tag in _LEFT_OUT:
            self._skipped.append(tag)
        elif tag == "title":
            self._in_title = not self.title
        elif tag == "br":
            self._text.append("\n")
        elif heading := _HEADING.fullmatch(tag):
            self._flush()
            self._heading = int(heading[1])
        elif tag == "li":
            self._flush()
            self._item = True
        elif tag == "pre":
            self._flush()
            self._code += 1
        else:
            self._start_container(tag)

    def _start_container(self, tag: str) -> None:
        if tag in {"ul", "ol"}:
            self._flush()
            self._lists += 1
        elif tag == "table":
            self._flush()
            self._tables += 1
        elif self._tables and tag == "tr":
            self._end_cell()
            self._rows.append([])
        elif self._tables and tag in {"td", "th"}:
            self._end_cell()
            self._cell = True
        elif tag in _PARAGRAPHS:
            if self._tables:
                self._text.append("\n")
            elif not self._item or self._lists == 0:
                self._flush()
            else:
                self._text.append("\n")

    def handle_startendtag(self, tag: str, _attributes: Sequence[tuple[str, str | None]]) -> None:
        if tag == "br" and not self._skipped:
            self._text.append("\n")
        elif tag == "hr" and not self._skipped:
            self._flush()

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
            return
        if tag == "title":
            self._in_title = False
        elif _HEADING.fullmatch(tag) or tag in {"li", "pre"}:
            self._flush()
            if tag == "pre":
                self._code = max(0, self._code - 1)
        elif tag in {"ul", "ol"}:
            self._flush()
            self._lists = max(0, self._lists - 1)
        elif tag in {"td", "th"} and self._tables:
            self._end_cell()
        elif tag == "table":
            self._end_table()
        elif tag in _PARAGRAPHS:
            if self._tables or self._item:
                self._text.append("\n")
            else:
                self._flush()

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._in_title:
            self.title += data
        elif self._code:
            self._text.append(data)
        else:
            self._text.append(re.sub(r"[ \t\r\n\f]+", " ", data))

    def _end_cell(self) -> None:
        text = one_line("".join(self._text))
        self._text.clear()
        if self._cell or text:
            self._rows = self._rows or [[]]
            self._rows[-1].append(text)
        self._cell = False

    def _end_table(self) -> None:
        self._end_cell()
        self._tables = max(0, self._tables - 1)
        if not self._tables:
            self._builder.table(self._rows)
            self._rows = []

    def _flush(self) -> None:
        if self._tables:
            self._text.append(" ")
            return
        text = "".join(self._text)
        self._text.clear()
        if self._heading:
            self._builder.heading(text, self._heading)
        elif self._code:
            self._builder.code(text)
        elif self._item:
            self._builder.item(text, max(0, self._lists - 1))
        else:
            self._builder.text(text)
        self._heading = 0
        self._item = False

    def finish(self) -> None:
        """What an unclosed element still holds."""
        while self._tables:
            self._end_table()
        self._flush()
