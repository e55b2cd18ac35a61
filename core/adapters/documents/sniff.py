"""What a file is, by its content. A name only decides between kinds of text that look alike."""

from __future__ import annotations

import re
from pathlib import PurePath

from core.adapters.documents.json_files import chat_in_lines, json_lines, json_value, memory_file
from core.adapters.documents.markdown import looks_like_markdown
from core.adapters.documents.packed import Package, PartDamaged
from core.adapters.documents.sheets import delimiter_of
from core.adapters.formats.chat_foreign import foreign_chats
from core.adapters.packages.mem0 import mem0_rows
from core.adapters.packages.members import MANIFEST
from core.domain.document import DocumentKind
from core.domain.errors import BadFile
from core.domain.json_types import Json

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OTHER = (
    (b"\x89PNG\r\n\x1a\n", "error.document.picture"), (b"\xff\xd8\xff", "error.document.picture"),
    (b"GIF8", "error.document.picture"), (b"BM", ""), (b"RIFF", "error.document.media"),
    (b"II*\x00", "error.document.picture"), (b"MM\x00*", "error.document.picture"),
    (b"\x00\x00\x01\x00", "error.document.picture"), (b"8BPS", "error.document.picture"),
    (b"ID3", "error.document.media"), (b"OggS", "error.document.media"), (b"fLaC", "error.document.media"),
    (b"\x1aE\xdf\xa3", "error.document.media"), (b"\x1f\x8b", "error.document.archive"),
    (b"7z\xbc\xaf\x27\x1c", "error.document.archive"), (b"Rar!\x1a\x07", "error.document.archive"),
    (b"BZh", "error.document.archive"), (b"\xfd7zXZ\x00", "error.document.archive"),
    (b"SQLite format 3\x00", "error.document.for_import"), (b"\x7fELF", "error.document.program"),
)  # fmt: skip
_PICTURE_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_LOGS = frozenset({".log"})
_CODE = frozenset(
    {".py", ".pyi", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".java", ".kt", ".c", ".h", ".cc",
     ".cpp", ".hpp", ".cs", ".go", ".rs", ".rb", ".php", ".swift", ".scala", ".lua", ".sh", ".bash",
     ".zsh", ".ps1", ".bat", ".sql", ".r", ".pl", ".m", ".dart", ".vue", ".svelte", ".css", ".scss",
     ".less", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".xml", ".gradle",
     ".cmake", ".dockerfile", ".tf", ".proto", ".graphql", ".asm", ".hs", ".ex", ".exs", ".erl", ".clj",
     ".vb"}
)  # fmt: skip
_TABLES = {".csv": "", ".tsv": "\t", ".tab": "\t"}
_HTML = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_HTML_NAMES = frozenset({".html", ".htm", ".xhtml"})
_TAGS = re.compile(rb"</?(?:p|div|h[1-6]|body|table|br|span|a|ul|li)\b[^<>]*>", re.IGNORECASE)
_LOG_LINE = re.compile(r"\s*[\[(]?(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}[T ,]+)?\d{1,2}:\d{2}:\d{2}")
_TABLE_LINES = 5
_ODT = "application/vnd.oasis.opendocument.text"
_PDF_WITHIN = 1024
_UTF8_MARK = b"\xef\xbb\xbf"


def binary_kind(data: bytes, name: str) -> DocumentKind | None:
    """The kind of a file with a signature; None for what may be text. Errors: BadFile saying what it is instead."""
    if not data:
        raise BadFile("error.document.empty", name=name)
    head = data[:64]
    if b"%PDF-" in data[:_PDF_WITHIN] and not head.lstrip().startswith(b"<"):
        return DocumentKind.PDF
    if head.startswith(_ZIP):
        return _packed_kind(data, name)
    if head.startswith(_OLE):
        raise BadFile(_old_office(data), name=name)
    if head.lstrip().startswith(b"{\\rtf"):
        return DocumentKind.RTF
    if _is_newer_picture(head):
        raise BadFile("error.document.picture", name=name)
    for magic, key in _OTHER:
        if key and head.startswith(magic):
            raise BadFile(key, name=name)
    if head[4:8] == b"ftyp":
        raise BadFile("error.document.media", name=name)
    if head.startswith(b"MZ") and b"\x00" in head:
        raise BadFile("error.document.program", name=name)
    if _HTML.match(data[:4096].removeprefix(_UTF8_MARK)) or (
        _is_html_name(name) and _TAGS.search(data[:20_000])
    ):
        return DocumentKind.HTML
    return None


def _is_newer_picture(head: bytes) -> bool:
    """Whether a container that sound and video use too holds a picture (WebP, HEIC, AVIF)."""
    if head.startswith(b"RIFF"):
        return head[8:12] == b"WEBP"
    return head[4:8] == b"ftyp" and head[8:12] in _PICTURE_BRANDS


def is_page(text: str) -> bool:
    """Whether a text in whatever encoding begins as a web page does."""
    return _HTML.match(text[:4096].encode("utf-8", "replace")) is not None


def _is_html_name(name: str) -> bool:
    return PurePath(name).suffix.lower() in _HTML_NAMES


def _packed_kind(data: bytes, name: str) -> DocumentKind:
    package = Package(data, name)
    try:
        mimetype = (
            package.read("mimetype").strip().decode("ascii", "replace") if package.has("mimetype") else ""
        )
    except PartDamaged:
        mimetype = ""
    if mimetype == "application/epub+zip" or package.has("META-INF/container.xml"):
        return DocumentKind.EPUB
    if mimetype.startswith(_ODT):
        return DocumentKind.ODT
    if package.has("word/document.xml") or any(part.startswith("word/") for part in package.names):
        return DocumentKind.DOCX
    if package.has("ppt/presentation.xml"):
        return DocumentKind.PPTX
    if package.has("xl/workbook.xml"):
        return DocumentKind.XLSX
    memories = package.has("card.json") or (package.has(MANIFEST) and package.has("memories.jsonl"))
    key = "error.document.for_import" if memories else "error.document.archive"
    raise BadFile(key, name=name)


def _old_office(data: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "error.document.protected"
    return "error.document.old_office"


def text_kind(text: str, name: str) -> tuple[DocumentKind, Json]:
    """The kind of a text, and its value when it is JSON.

    Errors: BadFile for memory files (chats, graphs, lorebooks, cards), which are imported and not cut to pieces.
    """
    suffix = PurePath(name).suffix.lower()
    ok, value = json_value(text)
    if ok:
        _refuse_memory_file(value, name)
        return DocumentKind.JSON, value
    if chat_in_lines(text):
        raise BadFile("error.document.for_import", name=name, kind="chat")
    if json_lines(text):
        _refuse_memory_file(json_value(next(line for line in text.split("\n") if line.strip()))[1], name)
        return DocumentKind.JSON, None
    if suffix in _MARKDOWN:
        return DocumentKind.MARKDOWN, None
    if suffix in _TABLES and delimiter_of(text):
        return DocumentKind.TABLE, None
    if suffix in _LOGS or _is_log(text):
        return DocumentKind.LOG, None
    if suffix in _CODE or text.startswith("#!"):
        return DocumentKind.CODE, None
    if looks_like_markdown(text):
        return DocumentKind.MARKDOWN, None
    lines = sum(1 for line in text[:20_000].split("\n") if line.strip())
    if lines >= _TABLE_LINES and delimiter_of(text) == "\t":
        return DocumentKind.TABLE, None
    return DocumentKind.TEXT, None


def _is_log(text: str) -> bool:
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    return (
        len(lines) >= _TABLE_LINES and sum(bool(_LOG_LINE.match(line)) for line in lines) >= len(lines) * 0.8
    )


def _refuse_memory_file(value: Json, name: str) -> None:
    what = memory_file(value) or ("mem0" if mem0_rows(value) is not None else "")
    what = what or ("chat" if foreign_chats(value) else "")
    if what:
        raise BadFile("error.document.for_import", name=name, kind=what)


def table_delimiter(name: str) -> str:
    """What the name says about the cells; "" = find out."""
    return _TABLES.get(PurePath(name).suffix.lower(), "")
