"""Markdown: front matter taken off, headings outside of code fences, blocks as CommonMark sees them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from core.adapters.documents.building import HeadingPath, clean, one_line
from core.adapters.documents.encodings import Decoded
from core.adapters.documents.front_matter import read_front_matter
from core.adapters.documents.plain import broken_bytes
from core.domain.document import Block, BlockKind, DocumentKind, ReadDocument
from core.domain.errors import BadFile
from core.domain.ids import is_memory_id

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"(\*\*|__|`+|~~)(.+?)\1")
_ANCHOR = re.compile(r"\s*\{#[\w-]+\}\s*$")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_KINDS = {
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
}
_RULE = re.compile(r"[\s|:-]+")


def read_markdown(decoded: Decoded, name: str) -> ReadDocument:
    """A note. Errors: BadFile when nothing but front matter is in it, or when it is a memory of ours."""
    whole = clean(decoded.text)
    front = read_front_matter(whole)
    if is_memory_id(str(front.values.get("id", ""))) and "type" in front.values:
        raise BadFile("error.document.for_import", name=name)
    text = whole[front.length :].lstrip("\n")
    if not text.strip():
        raise BadFile("error.document.no_text", name=name)
    blocks = markdown_blocks(text)
    first = next((block.path[0] for block in blocks if block.kind is BlockKind.HEADING and block.path), "")
    return ReadDocument(
        kind=DocumentKind.MARKDOWN,
        text=text,
        blocks=blocks,
        title=front.title or first,
        tags=front.tags,
        encoding=decoded.encoding,
        problems=broken_bytes(decoded),
        properties=dict(front.values),
    )


@cache
def _parser() -> MarkdownIt:
    """Finds blocks; what stands inside of lines is left alone, which makes it many times faster."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.disable(["inline"])
    return parser


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Blocks that tile the text. Code fences are one block, whatever their lines look like."""
    starts = _line_starts(text)
    headings = HeadingPath()
    found: list[Block] = []
    tokens = _parser().parse(text)
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        start = starts[min(token.map[0], len(starts) - 1)] if found else 0
        kind = _KINDS.get(token.type, BlockKind.TEXT)
        path, context = headings.path, ""
        if token.type == "heading_open":
            title = heading_text(tokens[index + 1].content)
            kind = BlockKind.HEADING
            path = headings.enter(int(token.tag[1]), title)
        elif kind is BlockKind.TABLE:
            context = _table_header(text[start : starts[min(token.map[0] + 1, len(starts) - 1)]])
        found.append(Block(start=start, end=len(text), kind=kind, path=path, context=context))
    if not found:
        return (Block(start=0, end=len(text)),)
    ends = [block.start for block in found[1:]] + [len(text)]
    return tuple(
        Block(start=block.start, end=end, kind=block.kind, path=block.path, context=block.context)
        for block, end in zip(found, ends, strict=True)
        if end > block.start
    )


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    starts.append(len(text))
    return starts


def heading_text(raw: str) -> str:
    """A heading as it reads: no comments, links, emphasis or anchors."""
    text = _ANCHOR.sub("", _COMMENT.sub("", raw))
    text = _LINK.sub(r"\1", text)
    text = _MARKS.sub(r"\2", _MARKS.sub(r"\2", text))
    return one_line(_TAG.sub("", text))


def _table_header(line: str) -> str:
    cells = (one_line(cell) for cell in line.strip().strip("|").split("|"))
    return " | ".join(cell for cell in cells if cell and not _RULE.fullmatch(cell))


def looks_like_markdown(text: str) -> bool:
    """Whether a text without a telling name is Markdown: front matter and a heading, or headings and other marks."""
    head = text[:20_000]
    front = read_front_matter(head)
    rest = head[front.length :]
    headings = len(re.findall(r"(?m)^#{1,6} \S", rest))
    others = len(
        re.findall(r"(?m)^(?:```|~~~|[-*+] \S|> \S|\|.+\|\s*$)|\[[^\]\n]+\]\([^)\n]+\)|\*\*[^*\n]+\*\*", rest)
    )
    return bool(front.length and headings) or (headings >= 1 and others >= 1) or headings >= 3
