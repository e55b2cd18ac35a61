"""All readers behind one port (core.ports.document_reader.DocumentReader)."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.adapters.documents.building import clean
from core.adapters.documents.docx import read_docx
from core.adapters.documents.encodings import Decoded, decode
from core.adapters.documents.epub import read_epub
from core.adapters.documents.folders import find_files
from core.adapters.documents.html_pages import read_html, read_page
from core.adapters.documents.json_files import read_json, read_json_lines
from core.adapters.documents.markdown import markdown_blocks, read_markdown
from core.adapters.documents.odt import read_odt
from core.adapters.documents.pdf import read_pdf
from core.adapters.documents.plain import read_plain
from core.adapters.documents.rtf import read_rtf
from core.adapters.documents.sheets import read_table, read_xlsx
from core.adapters.documents.slides import read_pptx
from core.adapters.documents.sniff import binary_kind, is_page, table_delimiter, text_kind
from core.domain.api import Cancel
from core.domain.document import DocumentKind, FoundFiles, ReadDocument
from core.domain.errors import BadFile

MAX_FILE_BYTES = 512 << 20
MAX_TEXT_CHARS = 64 << 20
STABLE_TRIES = 5
STABLE_WAIT_S = 0.2
_LOCKED = frozenset({errno.EBUSY, errno.ETXTBSY, errno.EAGAIN})
_SHARING = frozenset({32, 33})
"""Windows' own numbers for a file that another program holds."""

_UNFORESEEN = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
    ArithmeticError,
    EOFError,
)
"""What a damaged file can make a parser raise; one odd file must not stop the others."""
_PACKED: dict[DocumentKind, Callable[[bytes, str], ReadDocument]] = {
    DocumentKind.DOCX: read_docx,
    DocumentKind.ODT: read_odt,
    DocumentKind.EPUB: read_epub,
    DocumentKind.XLSX: read_xlsx,
    DocumentKind.PPTX: read_pptx,
    DocumentKind.RTF: read_rtf,
}


def shown_name(path: Path) -> str:
    """The name of a file for people: bytes that are no text are shown as a replacement mark."""
    return os.fsencode(path.name).decode("utf-8", "replace")


class DocumentFiles:
    """Reads files from disk. `wait` is slept while a file is still being written."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        self._wait = wait

    def find(self, paths: Sequence[Path], cancel: Cancel | None = None) -> FoundFiles:
        """See DocumentReader."""
        return find_files(paths, cancel)

    def of_text(self, text: str, title: str = "", *, plain: bool = False) -> ReadDocument:
        """See DocumentReader."""
        text = clean(text)
        if not text.strip():
            raise BadFile("error.document.no_text", name=title or "—")
        if plain:
            return read_plain(Decoded(text, ""), DocumentKind.TEXT, title)
        return ReadDocument(kind=DocumentKind.MARKDOWN, text=text, blocks=markdown_blocks(text))

    def read(
        self, path: Path, *, encoding: str = "", password: str = "", cancel: Cancel | None = None
    ) -> ReadDocument:
        """See DocumentReader."""
        name = shown_name(path)
        data = self._bytes(path, name, cancel)
        document = read_document(data, name, encoding=encoding, password=password, cancel=cancel)
        if len(document.text) > MAX_TEXT_CHARS:
            raise BadFile("error.document.too_long", name=name)
        return replace(document, file_hash=hashlib.sha256(data).hexdigest())

    def _bytes(self, path: Path, name: str, cancel: Cancel | None) -> bytes:
        """The content once it stays the same while it is read."""
        for _ in range(STABLE_TRIES):
            if cancel is not None:
                cancel.check()
            try:
                before = path.stat()
                if not path.is_file():
                    raise BadFile("error.document.not_a_file", name=name)
                if before.st_size > MAX_FILE_BYTES:
                    raise BadFile("error.document.too_big", name=name, limit_mb=MAX_FILE_BYTES >> 20)
                data = path.read_bytes()
                after = path.stat()
            except OSError as error:
                raise _said(error, name) from error
            same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            if same and len(data) == after.st_size:
                return data
            self._wait(STABLE_WAIT_S)
        raise BadFile("error.document.growing", name=name)


def _said(error: OSError, name: str) -> BadFile:
    """A system's error in words."""
    if error.errno in _LOCKED or getattr(error, "winerror", None) in _SHARING:
        return BadFile("error.document.locked", name=name, details=str(error))
    if isinstance(error, FileNotFoundError):
        return BadFile("error.document.missing", name=name)
    if isinstance(error, PermissionError):
        return BadFile("error.document.permission", name=name, details=str(error))
    return BadFile("error.document.cannot_open", name=name, details=str(error))


def read_document(
    data: bytes, name: str, *, encoding: str = "", password: str = "", cancel: Cancel | None = None
) -> ReadDocument:
    """The document that the bytes are. Errors: those of DocumentReader.read."""
    try:
        return _read(data, name, encoding, password, cancel)
    except _UNFORESEEN as error:
        raise BadFile("error.document.damaged", name=name, details=repr(error)) from error


def _read(data: bytes, name: str, encoding: str, password: str, cancel: Cancel | None) -> ReadDocument:
    kind = binary_kind(data, name)
    if kind is DocumentKind.PDF:
        return read_pdf(data, name, password, cancel)
    if kind is DocumentKind.HTML:
        return read_html(data, name, encoding)
    if kind is not None:
        return _PACKED[kind](data, name)
    return _read_text(decode(data, name, chosen=encoding), name)


def _read_text(decoded: Decoded, name: str) -> ReadDocument:
    text = decoded.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise BadFile("error.document.no_text", name=name)
    if is_page(text):
        return read_page(decoded, name)
    kind, value = text_kind(text, name)
    match kind:
        case DocumentKind.MARKDOWN:
            return read_markdown(decoded, name)
        case DocumentKind.TABLE:
            return read_table(decoded, name, table_delimiter(name))
        case DocumentKind.JSON if value is not None:
            return read_json(decoded)
        case DocumentKind.JSON:
            return read_json_lines(decoded)
        case _:
            return read_plain(decoded, kind, name)
