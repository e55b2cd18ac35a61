"""Rich text: paragraphs and cells, in whatever code page the fonts name."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.adapters.documents.building import clean
from core.adapters.documents.plain import paragraph_blocks
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile

_TITLE = re.compile(rb"\{\\title\s+([^{}]{1,600})\}")
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")


def read_rtf(data: bytes, name: str) -> ReadDocument:
    """An .rtf file. Errors: BadFile when it is damaged or holds no text."""
    title = ""
    try:
        text = _text(data)
        if found := _TITLE.search(data):
            page = _CODE_PAGE.search(data)
            head = b"{\\rtf1\\ansi" + (page[0] if page else b"")
            title = " ".join(_text(head + b" " + found[1] + b"}").split())
    except (ValueError, LookupError, RecursionError, IndexError, TypeError) as error:
        raise BadFile("error.document.damaged", name=name, details=str(error)) from error
    text = clean(text).strip("\n")
    if not text.strip():
        raise BadFile("error.document.no_text", name=name)
    return ReadDocument(kind=DocumentKind.RTF, text=text, blocks=paragraph_blocks(text), title=title)


def _text(data: bytes) -> str:
    from striprtf.striprtf import rtf_to_text

    convert: Callable[..., str] = rtf_to_text
    text = convert(data.decode("latin-1"), errors="replace")
    text = text.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "replace"
    )  # halves that belong together
    return text.replace("|\n", "\n").replace("\x00", "")
