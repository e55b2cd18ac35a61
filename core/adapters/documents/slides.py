"""Slides: the text of each one in order, below its title; notes after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from core.adapters.documents.building import TextBuilder
from core.adapters.documents.packed import Package, PartDamaged, all_text, beside, child, properties
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile
from core.domain.json_types import Json
from core.domain.results import Problem

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_NUMBER = re.compile(r"\d+")
_NOT_NOTES = frozenset({"sldNum", "sldImg", "dt", "hdr", "ftr"})


def read_pptx(data: bytes, name: str) -> ReadDocument:
    """A .pptx file. Errors: BadFile when it is damaged or holds no text."""
    package = Package(data, name)
    builder = TextBuilder()
    with_text: list[int] = []
    damaged: list[int] = []
    slides = _slides(package)
    for number, part in enumerate(slides, start=1):
        builder.page = number
        builder.end_headings()
        before = builder.length
        try:
            _slide(package.xml(part), builder)
            notes = _notes(package, part)
            if notes is not None:
                for shape in _shapes(notes):
                    if _placeholder(shape) not in _NOT_NOTES:
                        _paragraphs(shape, builder)
        except PartDamaged:
            damaged.append(number)
        if builder.length > before:
            with_text.append(number)
    text, blocks = builder.done()
    if not text:
        raise BadFile("error.document.damaged" if damaged else "error.document.no_text", name=name)
    problems: tuple[Problem, ...] = ()
    if damaged:
        args: dict[str, Json] = {"count": len(damaged), "pages": ", ".join(map(str, damaged))}
        problems = (Problem("document.problem.pages_broken", args, refs=tuple(map(str, damaged))),)
    return ReadDocument(
        kind=DocumentKind.PPTX,
        text=text,
        blocks=blocks,
        title=properties(package).get("title", ""),
        pages=len(slides),
        text_pages=tuple(with_text),
        problems=problems,
    )


def _slides(package: Package) -> list[str]:
    """Slides in the order in which they are shown, which is not that of their names."""
    targets = _relations(package, _MAIN)
    listed = [
        beside(_MAIN, targets.get(item.get("id", ""), ("", ""))[1])
        for item in package.main_xml(_MAIN).iter("sldId")
    ]
    # `id` and `r:id` have the same local name: where only the number is left, the names decide
    found = [part for part in listed if package.has(part)]
    if found:
        return found
    named = [part for part in package.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", part)]
    return sorted(named, key=lambda part: int(_NUMBER.findall(part)[-1]))


def _relations(package: Package, part: str) -> dict[str, tuple[str, str]]:
    folder, _, file = part.rpartition("/")
    root = package.optional_xml(f"{folder}/_rels/{file}.rels")
    return {
        item.get("Id", ""): (item.get("Type", ""), item.get("Target", ""))
        for item in ([] if root is None else root)
    }


def _notes(package: Package, slide: str) -> Element | None:
    for kind, target in _relations(package, slide).values():
        if kind.endswith("/notesSlide"):
            return package.optional_xml(beside(slide, target))
    return None


def _shapes(root: Element) -> Iterator[Element]:
    return root.iter("sp")


def _placeholder(shape: Element) -> str:
    found = next(shape.iter("ph"), None)
    return "" if found is None else found.get("type", "")


def _slide(root: Element, builder: TextBuilder) -> None:
    shapes = list(_shapes(root))
    for shape in shapes:
        if _placeholder(shape) in _TITLES:
            builder.heading(" ".join(_lines(shape)), 1)
    for shape in shapes:
        if _placeholder(shape) not in _TITLES | _NOT_NOTES:
            _paragraphs(shape, builder)
    for table in root.iter("tbl"):
        builder.table([[" ".join(_lines(cell)) for cell in row.iter("tc")] for row in table.iter("tr")])


def _paragraphs(shape: Element, builder: TextBuilder) -> None:
    body = child(shape, "txBody")
    lines = list(_lines(shape)) if body is not None else []
    if len(lines) > 1:
        for line in lines:
            builder.item(line)
    else:
        builder.text("".join(lines))


def _lines(shape: Element) -> Iterator[str]:
    for paragraph in shape.iter("p"):
        parts = [
            "\n" if item.tag == "br" else all_text(item)
            for item in paragraph.iter()
            if item.tag in {"t", "br"}
        ]
        text = "".join(parts).strip()
        if text:
            yield text
