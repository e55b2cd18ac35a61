"""E-books: chapters in the order of the spine; a chapter that is damaged does not lose the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.adapters.documents.building import TextBuilder, one_line
from core.adapters.documents.encodings import decode
from core.adapters.documents.html_pages import add_page, declared_encoding
from core.adapters.documents.packed import Package, PartDamaged, all_text, beside, child
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile
from core.domain.json_types import Json
from core.domain.results import Problem

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_CONTENTS = frozenset({"toc", "nav", "landmarks", "page-list"})


@dataclass(slots=True)
class _Book:
    """What the package file lists: chapters in order, pages of contents to leave out, labels by part."""

    title: str
    author: str
    chapters: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)


def read_epub(data: bytes, name: str) -> ReadDocument:
    """An .epub file. Errors: BadFile when it is damaged or protected as a whole, or holds no text."""
    package = Package(data, name)
    if package.has("META-INF/encryption.xml") and package.has("META-INF/rights.xml"):
        raise BadFile("error.document.protected", name=name)
    book = _book(package, _package_file(package))
    builder = TextBuilder()
    damaged: list[str] = []
    for number, part in enumerate(book.chapters, start=1):
        builder.page = number
        builder.end_headings()
        try:
            _chapter(package, part, builder, book.labels.get(part, ""))
        except (PartDamaged, BadFile) as error:
            if isinstance(error, BadFile) and error.key == "error.document.bomb":
                raise
            damaged.append(book.labels.get(part) or part)
    text, blocks = builder.done()
    if not text:
        raise BadFile("error.document.damaged" if damaged else "error.document.no_text", name=name)
    problems: tuple[Problem, ...] = ()
    if damaged:
        args: dict[str, Json] = {"count": len(damaged), "chapters": ", ".join(damaged)}
        problems = (Problem("document.problem.chapters", args, refs=tuple(damaged)),)
    return ReadDocument(
        kind=DocumentKind.EPUB,
        text=text,
        blocks=blocks,
        title=book.title,
        problems=problems,
        properties={"creator": book.author} if book.author else {},
    )


def _chapter(package: Package, part: str, builder: TextBuilder, label: str) -> None:
    data = package.read(part)
    text = decode(data, part, hint=declared_encoding(data) or "utf-8").text
    page = TextBuilder()
    add_page(page, text)
    _, blocks = page.done()
    if not blocks:
        return
    if label and not blocks[0].path:
        builder.heading(label, 1)
    add_page(builder, text)


def _package_file(package: Package) -> str:
    container = package.optional_xml("META-INF/container.xml")
    for root in [] if container is None else container.iter("rootfile"):
        part = beside("", root.get("full-path", ""))
        if package.has(part):
            return part
    found = next((part for part in package.names if part.lower().endswith(".opf")), "")
    if not found:
        raise BadFile("error.document.damaged", name=package.name)
    return found


def _book(package: Package, part: str) -> _Book:
    root = package.main_xml(part)
    metadata = child(root, "metadata")
    names = {tag: one_line(all_text(next(metadata.iter(tag), None))) if metadata is not None else ""
             for tag in ("title", "creator")}  # fmt: skip
    book = _Book(title=names["title"], author=names["creator"])
    items = {item.get("id", ""): item for item in root.iter("item")}
    for item in items.values():
        target = beside(part, item.get("href", ""))
        if "nav" in item.get("properties", "").split():
            book.left_out.add(target)
            _nav_labels(package, target, book)
        elif item.get("media-type") == "application/x-dtbncx+xml":
            _ncx_labels(package, target, book)
    for reference in root.iter("reference"):
        if reference.get("type", "").lower() in _CONTENTS:
            book.left_out.add(beside(part, reference.get("href", "")))
    for reference in root.iter("itemref"):
        named = items.get(reference.get("idref", ""))
        if named is not None and named.get("media-type", "") in _PAGES:
            target = beside(part, named.get("href", ""))
            if target not in book.left_out and target not in book.chapters:
                book.chapters.append(target)
    return book


def _nav_labels(package: Package, part: str, book: _Book) -> None:
    root = package.optional_xml(part)
    for link in [] if root is None else root.iter("a"):
        _label(book, beside(part, link.get("href", "")), link)


def _ncx_labels(package: Package, part: str, book: _Book) -> None:
    root = package.optional_xml(part)
    for point in [] if root is None else root.iter("navPoint"):
        content = child(point, "content")
        if content is not None:
            _label(book, beside(part, content.get("src", "")), child(point, "navLabel"))


def _label(book: _Book, target: str, named: Element | None) -> None:
    label = one_line(all_text(named))
    if label:
        book.labels.setdefault(target, label)
