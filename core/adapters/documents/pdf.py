"""PDF: text page by page. A page without a text layer (scanned) is named, never dropped without a word."""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.adapters.documents.building import TextBuilder, one_line
from core.domain.api import Cancel
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile, PasswordQuestion
from core.domain.results import Problem

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_BROKEN = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, NotImplementedError,
    ArithmeticError, AssertionError, OSError, LookupError, EOFError, zlib.error, struct.error, MemoryError,
)  # fmt: skip
"""What damaged files make a PDF library raise besides its own errors."""
_JUNK_TITLE = re.compile(
    r"(microsoft (word|powerpoint) - .*|untitled.*|无标题.*|.*\.(docx?|indd|pdf|tex|dvi))", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[。！？!?…：:；;.]['\"”’」』）)]*$")
_BULLET = re.compile(r"([-•*·●▪◦‣]|\d{1,3}[.)、．]|[一二三四五六七八九十]+、|第.{1,6}[章节条])\s*\S")
_FULL_LINE = 0.7


def read_pdf(data: bytes, name: str, password: str = "", cancel: Cancel | None = None) -> ReadDocument:
    """A .pdf file. Errors: PasswordQuestion, BadFile (damaged, no text layer at all), Cancelled."""
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells the console of every oddity
    try:
        reader = _opened(data, name, password)
        pages = list(reader.pages)
        title = _title(reader)
    except (PyPdfError, *_BROKEN) as error:
        raise BadFile("error.document.damaged", name=name, details=str(error)) from error
    builder = TextBuilder()
    with_text: list[int] = []
    without: list[int] = []
    broken: list[int] = []
    for number, page in enumerate(pages, start=1):
        if cancel is not None:
            cancel.check()
        builder.page = number
        before = builder.length
        try:
            for paragraph in paragraphs(page.extract_text()):
                builder.text(paragraph)
        except (PyPdfError, *_BROKEN):
            broken.append(number)
            continue
        if builder.length > before:
            with_text.append(number)
        elif _shows_something(page):
            without.append(number)
    if not with_text:
        key = (
            "error.document.pdf_no_text"
            if without
            else "error.document.damaged"
            if broken
            else "error.document.no_text"
        )
        raise BadFile(key, name=name, count=len(pages), pages=len(pages))
    text, blocks = builder.done()
    return ReadDocument(
        kind=DocumentKind.PDF,
        text=text,
        blocks=blocks,
        title=title,
        pages=len(pages),
        text_pages=tuple(with_text),
        problems=tuple(_problems(without, broken)),
    )


def _opened(data: bytes, name: str, password: str) -> PdfReader:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted:
        try:
            opened = reader.decrypt("")  # many files only forbid printing, and open for everybody
            if opened is PasswordType.NOT_DECRYPTED and password:
                opened = reader.decrypt(password)
        except (DependencyError, NotImplementedError) as error:
            raise BadFile("error.document.protected", name=name, details=str(error)) from error
        if opened is PasswordType.NOT_DECRYPTED:
            key = "error.document.password_wrong" if password else "error.document.password"
            raise PasswordQuestion(key, name=name)
    return reader


def _title(reader: PdfReader) -> str:
    """What the file calls itself, unless a program wrote that."""
    metadata = reader.metadata
    title = one_line(str(metadata.title or "")) if metadata is not None else ""
    return "" if _JUNK_TITLE.fullmatch(title) or "\ufffd" in title else title


def _shows_something(page: PageObject) -> bool:
    """Whether a page without text has a picture or drawing on it (a blank one is nothing to warn of)."""
    try:
        contents = page.get_contents()
        return contents is not None and bool(contents.get_data().strip())
    except _BROKEN:
        return True


def _problems(without: list[int], broken: list[int]) -> Iterator[Problem]:
    for key, pages in (
        ("document.problem.pages_without_text", without),
        ("document.problem.pages_broken", broken),
    ):
        if pages:
            numbers = ranges(pages)
            yield Problem(key, {"count": len(pages), "pages": numbers}, refs=tuple(map(str, pages)))


def ranges(numbers: list[int]) -> str:
    """Sorted numbers in short: `2, 5-9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def paragraphs(text: str) -> Iterator[str]:
    """Lines of a page joined to paragraphs: a full line without a sentence end runs on in the next one."""
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n")]
    longest = max(map(len, lines), default=0)
    current = ""
    for line in lines:
        if not line:
            if current:
                yield current
            current = ""
        elif current and not _runs_on(current, line, longest):
            yield current
            current = line
        else:
            current = _joined(current, line)
        if len(line) < longest * _FULL_LINE and _SENTENCE_END.search(line):
            if current:
                yield current
            current = ""
    if current:
        yield current


def _runs_on(current: str, line: str, longest: int) -> bool:
    last = current.rpartition("\n")[2]
    return not _BULLET.match(line) and (len(last) >= longest * _FULL_LINE or not _SENTENCE_END.search(last))


def _joined(current: str, line: str) -> str:
    if not current:
        return line
    if current.endswith("-") and len(current) > 1 and current[-2].isalpha() and line[:1].islower():
        return current[:-1] + line
    wide = current[-1] >= "\u2e80" or line[0] >= "\u2e80"
    return current + ("" if wide else " ") + line
