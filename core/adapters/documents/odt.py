"""OpenDocument texts: headings, paragraphs, lists, tables; tracked deletions are not text."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from core.adapters.documents.building import TextBuilder
from core.adapters.documents.packed import Package, all_text, child
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile

_GONE = frozenset({"tracked-changes", "annotation", "annotation-end", "sequence-decls", "forms", "table-of-content",
                   "note-citation", "desc"})  # fmt: skip
_MOST_BLANKS = 1000


def read_odt(data: bytes, name: str) -> ReadDocument:
    """An .odt file. Errors: BadFile when it is damaged, protected or holds no text."""
    package = Package(data, name)
    manifest = package.optional_xml("META-INF/manifest.xml")
    if manifest is not None and any(True for _ in manifest.iter("encryption-data")):
        raise BadFile("error.document.protected", name=name)
    root = package.main_xml("content.xml")
    body = child(root, "body", "text")
    if body is None:
        raise BadFile("error.document.damaged", name=name)
    builder = TextBuilder()
    _blocks(body, builder, -1)
    text, blocks = builder.done()
    if not text:
        raise BadFile("error.document.no_text", name=name)
    meta = package.optional_xml("meta.xml")
    title = "" if meta is None else all_text(next(meta.iter("title"), None)).strip()
    return ReadDocument(kind=DocumentKind.ODT, text=text, blocks=blocks, title=title)


def _blocks(parent: Element, builder: TextBuilder, depth: int) -> None:
    for element in parent:
        match element.tag:
            case "h":
                level = element.get("outline-level", "1")
                builder.heading(_text(element), int(level) if level.isdigit() else 1)
            case "p" if depth >= 0:
                builder.item(_text(element), depth)
            case "p":
                builder.text(_text(element))
            case "list":
                _blocks(element, builder, depth + 1)
            case "table":
                builder.table([_row(row) for row in element.iter("table-row")])
            case tag if tag not in _GONE:
                _blocks(element, builder, depth)
        if element.tag in {"p", "h"}:
            for box in element.iter("text-box"):
                _blocks(box, builder, -1)


def _row(row: Element) -> list[str]:
    cells = (cell for cell in row if cell.tag == "table-cell")
    return [" ".join(_text(paragraph) for paragraph in cell.iter("p")) for cell in cells]


def _text(element: Element) -> str:
    parts = [element.text or ""]
    for inner in element:
        match inner.tag:
            case "line-break":
                parts.append("\n")
            case "tab":
                parts.append("\t")
            case "s":
                count = inner.get("c", "1")
                parts.append(" " * min(int(count) if count.isdigit() else 1, _MOST_BLANKS))
            case "text-box":
                pass
            case "note":
                parts.append(f" ({' '.join(_text(inner).split())})")
            case tag if tag not in _GONE:
                parts.append(_text(inner))
        parts.append(inner.tail or "")
    return "".join(parts)
