"""Tables: CSV and TSV, Excel sheets. Each row is one line that names its columns, so that it means something alone."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from core.adapters.documents.building import TextBuilder, clean, one_line
from core.adapters.documents.encodings import Decoded
from core.adapters.documents.packed import Package, PartDamaged, all_text, beside, child, children, properties
from core.adapters.documents.plain import broken_bytes, read_plain
from core.domain.document import Block, BlockKind, DocumentKind, ReadDocument
from core.domain.errors import BadFile
from core.domain.results import Problem

DELIMITERS = ("\t", ",", ";", "|")
_PROBE_LINES = 20
_FIELD_CHARS = 4 << 20
_TORN_LINES = 60
"""A cell with more lines than this is a quotation mark that was never closed."""
_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,%]*")
_CELL = re.compile(r"([A-Z]+)\d+")
_MOST_COLUMNS = 16_384


def delimiter_of(text: str) -> str:
    """What separates the cells of a table; "" when the text is none: the first lines must agree in their number."""
    lines = [line for line in text[:200_000].split("\n")[: _PROBE_LINES * 2] if line.strip()][:_PROBE_LINES]
    if len(lines) < 2:
        return ""
    best, score = "", 0.0
    for delimiter in DELIMITERS:
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
        width, agreeing = counts.most_common(1)[0]
        share = agreeing / sum(counts.values())
        if width > 1 and share >= 0.8 and share * width > score:
            best, score = delimiter, share * width
    return best


def read_table(decoded: Decoded, name: str, delimiter: str = "") -> ReadDocument:
    """A CSV or TSV file. A file that is no table after all is read as a text. Errors: BadFile when it is blank."""
    text = clean(decoded.text)
    delimiter = delimiter or delimiter_of(text) or ","
    csv.field_size_limit(_FIELD_CHARS)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(map(str.strip, row))]
    except csv.Error:
        return read_plain(decoded, DocumentKind.TEXT, name)
    if not rows:
        raise BadFile("error.document.no_text", name=name)
    if any(cell.count("\n") > _TORN_LINES for row in rows for cell in row):
        return read_plain(decoded, DocumentKind.TEXT, name)
    content, blocks = tabulated(rows)
    return ReadDocument(
        kind=DocumentKind.TABLE,
        text=content,
        blocks=blocks,
        encoding=decoded.encoding,
        problems=broken_bytes(decoded),
        properties={"rows": len(rows), "columns": max(map(len, rows))},
    )


def tabulated(rows: Sequence[Sequence[str]]) -> tuple[str, tuple[Block, ...]]:
    """Rows as lines `column: value | column: value`, with the header (when there is one) as their context."""
    header = _header(rows)
    lines = list(row_lines(header, rows[1:] if header else rows))
    shown = " | ".join(header)
    if header:
        lines.insert(0, shown)
    text = "\n".join(lines)
    return text, (Block(start=0, end=len(text), kind=BlockKind.TABLE, context=""),)


def _header(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The first row when it names columns: filled, different, no numbers, and something below it."""
    if len(rows) < 2:
        return ()
    cells = tuple(one_line(cell) for cell in rows[0])
    filled = [cell for cell in cells if cell]
    names = len(filled) >= max(1, len(cells) - 1) and len(set(filled)) == len(filled)
    return cells if names and not any(_NUMBER.fullmatch(cell) for cell in filled) else ()


def row_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """One line a row."""
    for row in rows:
        cells = [one_line(cell) for cell in row]
        named = [
            f"{header[index]}: {cell}" if index < len(header) and header[index] else cell
            for index, cell in enumerate(cells)
            if cell
        ]
        if named:
            yield " | ".join(named)


def read_xlsx(data: bytes, name: str) -> ReadDocument:
    """An .xlsx file: sheets in order, each below its name. Errors: BadFile when damaged or without text."""
    package = Package(data, name)
    workbook = package.main_xml("xl/workbook.xml")
    targets = _targets(package, "xl/_rels/workbook.xml.rels")
    shared = _shared_texts(package)
    builder = TextBuilder()
    damaged: list[str] = []
    for number, sheet in enumerate(workbook.iter("sheet"), start=1):
        part = beside("xl/workbook.xml", targets.get(sheet.get("id", ""), ""))
        label = sheet.get("name", "")
        try:
            rows = list(_sheet_rows(package.xml(part), shared))
        except PartDamaged:
            damaged.append(label)
            continue
        builder.page = number
        if rows:
            builder.heading(label, 1)
            header = _header(rows)
            if header:
                builder.code(" | ".join(header))
            builder.code("\n".join(row_lines(header, rows[1:] if header else rows)))
    text, blocks = builder.done()
    if not text:
        raise BadFile("error.document.damaged" if damaged else "error.document.no_text", name=name)
    problems = (
        (Problem("document.problem.sheets", {"count": len(damaged), "sheets": ", ".join(damaged)}),)
        if damaged
        else ()
    )
    found = properties(package)
    return ReadDocument(
        kind=DocumentKind.XLSX, text=text, blocks=blocks, title=found.get("title", ""), problems=problems
    )


def _targets(package: Package, part: str) -> dict[str, str]:
    root = package.optional_xml(part)
    return {item.get("Id", ""): item.get("Target", "") for item in ([] if root is None else root)}


def _shared_texts(package: Package) -> list[str]:
    root = package.optional_xml("xl/sharedStrings.xml")
    return [
        "".join(all_text(text) for text in item.iter("t"))
        for item in ([] if root is None else children(root, "si"))
    ]


def _sheet_rows(root: Element, shared: Sequence[str]) -> Iterator[list[str]]:
    for row in root.iter("row"):
        cells: list[str] = []
        for cell in children(row, "c"):
            column = _column(cell.get("r", ""), len(cells))
            if column >= _MOST_COLUMNS:
                continue
            cells += [""] * (column - len(cells))
            cells.append(_cell_text(cell, shared))
        if any(map(str.strip, cells)):
            yield cells


def _column(reference: str, otherwise: int) -> int:
    match = _CELL.fullmatch(reference)
    if match is None:
        return otherwise
    number = 0
    for letter in match[1][:4]:
        number = number * 26 + ord(letter) - 64
    return max(otherwise, number - 1)


def _cell_text(cell: Element, shared: Sequence[str]) -> str:
    kind = cell.get("t", "")
    if kind == "inlineStr":
        return "".join(all_text(text) for text in cell.iter("t"))
    value = all_text(child(cell, "v"))
    if kind == "s":
        return shared[int(value)] if value.isdigit() and int(value) < len(shared) else ""
    return value
