"""Word documents: the accepted state of tracked changes; headings, lists, tables, text boxes once, footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.adapters.documents.building import TextBuilder
from core.adapters.documents.packed import Package, all_text, beside, child, children, properties
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile

_GONE = frozenset(
    {"del", "moveFrom", "delText", "instrText", "delInstrText", "fldData", "rPr", "pPr", "sectPr"}
)
_STYLE_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLES = frozenset({"title", "标题", "標題"})
_BREAKS = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-", "ptab": "\t"}
_BOX = "txbxContent"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_TITLE_LEVEL = 1


def read_docx(data: bytes, name: str) -> ReadDocument:
    """A .docx file. Errors: BadFile when it is damaged or holds no text."""
    package = Package(data, name)
    main = _main_part(package)
    root = package.main_xml(main)
    body = child(root, "body")
    if body is None:
        raise BadFile("error.document.damaged", name=name)
    styles = package.optional_xml(beside(main, "styles.xml"))
    walker = _Walker(_Styles.of(styles))
    walker.blocks(body)
    for part in _NOTES:
        notes = package.optional_xml(part)
        for note in [] if notes is None else notes:
            if note.get("type") not in {"separator", "continuationSeparator", "continuationNotice"}:
                walker.blocks(note)
    walker.end()
    text, blocks = walker.builder.done()
    if not text:
        raise BadFile("error.document.no_text", name=name)
    found = properties(package)
    return ReadDocument(
        kind=DocumentKind.DOCX,
        text=text,
        blocks=blocks,
        title=walker.title or found.get("title", ""),
        properties={key: value for key, value in found.items() if key != "title"},
    )


def _main_part(package: Package) -> str:
    relations = package.optional_xml("_rels/.rels")
    for relation in [] if relations is None else relations:
        if relation.get("Type", "").endswith("/officeDocument"):
            target = beside("", relation.get("Target", ""))
            if package.has(target):
                return target
    return "word/document.xml"


@dataclass(frozen=True, slots=True)
class _Styles:
    """Heading levels by style id; the style of the title."""

    levels: dict[str, int] = field(default_factory=dict)
    titles: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()

    @classmethod
    def of(cls, root: Element | None) -> _Styles:
        levels: dict[str, int] = {}
        parents: dict[str, str] = {}
        titles: set[str] = set()
        lists: set[str] = set()
        for style in [] if root is None else children(root, "style"):
            key = style.get("styleId", "")
            label = _value(child(style, "name"))
            outline = _value(child(style, "pPr", "outlineLvl"))
            parents[key] = _value(child(style, "basedOn"))
            if found := _STYLE_HEADING.fullmatch(label):
                levels[key] = int(found[1])
            elif outline.isdigit() and int(outline) < 9:
                levels[key] = int(outline) + 1
            elif label.lower() in _TITLE_STYLES:
                titles.add(key)
            if child(style, "pPr", "numPr") is not None:
                lists.add(key)
        for key, nearest in parents.items():
            seen, parent = {key}, nearest
            while parent and parent not in seen and key not in levels:
                if parent in levels:
                    levels[key] = levels[parent]
                seen.add(parent)
                parent = parents.get(parent, "")
        return cls(levels, frozenset(titles), frozenset(lists))

    def level(self, style: str) -> int:
        """The level of a heading style, 0 for others."""
        known = self.levels.get(style, 0)
        found = _STYLE_HEADING.fullmatch(style)
        return known or (int(found[1]) if found else 0)


def _value(element: Element | None) -> str:
    return "" if element is None else element.get("val", "")


class _Walker:
    """Goes through a body in reading order."""

    def __init__(self, styles: _Styles) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._styles = styles
        self._joined = ""
        """Text of paragraphs whose end was deleted: it runs on in the next one."""

    def blocks(self, parent: Element) -> None:
        """Paragraphs and tables of a body, a cell or a text box."""
        for element in _shown(parent):
            if element.tag == "p":
                self._paragraph(element)
            elif element.tag == "tbl":
                self._table(element)

    def end(self) -> None:
        """What is left of a paragraph whose end was deleted."""
        self.builder.text(self._joined)
        self._joined = ""

    def _paragraph(self, paragraph: Element) -> None:
        boxes: list[Element] = []
        text = self._joined + _text(paragraph, boxes)
        self._joined = ""
        settings = child(paragraph, "pPr")
        if child(settings, "rPr", "del") is not None:
            self._joined = text
        else:
            self._emit(text, settings)
        for box in boxes:
            self.blocks(box)

    def _emit(self, text: str, settings: Element | None) -> None:
        style = _value(child(settings, "pStyle"))
        outline = _value(child(settings, "outlineLvl"))
        level = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else self._styles.level(style)
        if text.strip() and (style in self._styles.titles or style.lower() in _TITLE_STYLES):
            self.title = self.title or " ".join(text.split())
            level = _TITLE_LEVEL
        numbering = child(settings, "numPr")
        if level:
            self.builder.heading(text, level)
        elif (
            numbering is not None and _value(child(numbering, "numId")) != "0"
        ) or style in self._styles.lists:
            depth = _value(child(numbering, "ilvl"))
            self.builder.item(text, int(depth) if depth.isdigit() else 0)
        else:
            self.builder.text(text)

    def _table(self, table: Element) -> None:
        rows: list[list[str]] = []
        boxes: list[Element] = []
        for row in _rows(table):
            cells = [_cell(cell, boxes) for cell in _shown(row) if cell.tag == "tc"]
            if any(cells):
                rows.append(cells)
        self.builder.table(rows)
        for box in boxes:
            self.blocks(box)


def _rows(table: Element) -> Iterator[Element]:
    for row in _shown(table):
        if row.tag == "tr" and child(row, "trPr", "del") is None:
            yield row


def _cell(cell: Element, boxes: list[Element]) -> str:
    parts: list[str] = []
    for element in _shown(cell):
        if element.tag == "p":
            parts.append(_text(element, boxes))
        elif element.tag == "tbl":
            parts += [
                " ".join(_cell(inner, boxes) for inner in _shown(row) if inner.tag == "tc")
                for row in _rows(element)
            ]
    return " ".join(part.strip() for part in parts if part.strip())


def _shown(parent: Element) -> Iterator[Element]:
    """Children as they stand when all changes are accepted; wrappers are looked through."""
    for element in parent:
        match element.tag:
            case "ins" | "moveTo" | "smartTag" | "customXml" | "sdtContent":
                yield from _shown(element)
            case "sdt":
                content = child(element, "sdtContent")
                yield from () if content is None else _shown(content)
            case "AlternateContent":
                yield from _alternative(element)
            case tag if tag not in _GONE:
                yield element


def _alternative(element: Element) -> Iterable[Element]:
    """One form of what Word writes twice: the new one, else the fallback."""
    chosen = child(element, "Choice")
    if chosen is None or not _has_text(chosen):
        fallback = child(element, "Fallback")
        chosen = fallback if fallback is not None else chosen
    return () if chosen is None else _shown(chosen)


def _has_text(element: Element) -> bool:
    return any(all_text(found).strip() for found in element.iter("t"))


def _text(paragraph: Element, boxes: list[Element]) -> str:
    """The text of a paragraph; text boxes in it are set aside."""
    parts: list[str] = []
    _collect(paragraph, parts, boxes)
    return "".join(parts)


def _collect(parent: Element, parts: list[str], boxes: list[Element]) -> None:
    for element in _shown(parent):
        tag = element.tag
        if tag == "t":
            parts.append(element.text or "")
        elif tag in _BREAKS:
            parts.append(_BREAKS[tag])
        elif tag == "sym":
            parts.append(_symbol(element.get("char", "")))
        elif tag == _BOX:
            boxes.append(element)
        elif tag == "r" and child(element, "rPr", "vanish") is not None:
            continue
        else:
            _collect(element, parts, boxes)


def _symbol(code: str) -> str:
    """The character of a symbol font where it means the same everywhere (private ones do not)."""
    try:
        character = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return "" if "\ue000" <= character <= "\uf8ff" else character
