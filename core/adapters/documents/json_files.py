"""JSON and JSON lines as documents: readable lines, cut between values, each below the key it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice

from core.adapters.documents.building import clean, one_line
from core.adapters.documents.encodings import Decoded
from core.adapters.documents.plain import broken_bytes
from core.domain.document import Block, BlockKind, DocumentKind, ReadDocument
from core.domain.json_types import Json

_PATH_KEY_CHARS = 60
_PROBE_LINES = 5
_MOST_INDENT = 16
_LINE = re.compile(r"[^\n]+")


def json_value(text: str) -> tuple[bool, Json]:
    """Whether the text is one JSON value that is an object or list, and that value."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start not in {"{", "["}:
        return False, None
    try:
        value: Json = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return False, None
    return True, value


def json_lines(text: str) -> bool:
    """Whether the first lines are each an object or list of its own."""
    lines = _first_lines(text)
    return len(lines) > 1 and all(json_value(line)[0] for line in lines)


def chat_in_lines(text: str) -> bool:
    """Whether a text is a chat with a line for each message, be some of its lines torn."""
    lines = _first_lines(text)
    if len(lines) < 2 or not all(line.startswith("{") for line in lines):
        return False
    return any(memory_file(json_value(line)[1]) == "chat" for line in lines)


def _first_lines(text: str) -> list[str]:
    """Some lines that are not blank, each whole: the first one of a chat may hold a graph of many megabytes."""
    lines = (match[0].strip("\ufeff\0 \t\r") for match in _LINE.finditer(text))
    return list(islice((line for line in lines if line), _PROBE_LINES))


def memory_file(value: Json) -> str:
    """What a JSON value is that this program imports in another way; "" when it is just data."""
    if isinstance(value, Mapping):
        if "chat_metadata" in value or ("mes" in value and "is_user" in value):
            return "chat"
        if ("user_name" in value or "character_name" in value) and "create_date" in value:
            return "chat"
        nodes = value.get("nodes")
        if isinstance(nodes, list) and isinstance(value.get("edges"), list) and _holds_objects(nodes):
            return "graph"
        if str(value.get("spec", "")).startswith(("chara_card", "lorebook_v")):
            return "card"
        if "first_mes" in value and "mes_example" in value:
            return "card"
        entries = value.get("entries")
        listed = list(entries.values()) if isinstance(entries, Mapping) else entries
        if isinstance(listed, list) and listed and all(_is_entry(item) for item in listed[:5]):
            return "lorebook"
    return ""


def _holds_objects(nodes: list[Json]) -> bool:
    return not nodes or any(isinstance(node, Mapping) for node in nodes)


def _is_entry(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and bool({"content", "text", "entry"} & value.keys())
        and bool({"key", "keys", "keywords"} & value.keys())
    )


def read_json(decoded: Decoded) -> ReadDocument:
    """A JSON file. Readable text stays as it is; a packed one is laid out, with its characters written out."""
    raw = clean(decoded.text)
    if "\n" in raw.strip() and "\\u" not in raw:
        return _document(decoded, raw, _line_blocks(raw))
    return _document(decoded, *laid_out(raw))


def read_json_lines(decoded: Decoded) -> ReadDocument:
    """A file with one value a line; each line stays one."""
    lines = []
    for line in clean(decoded.text).split("\n"):
        ok, value = json_value(line) if "\\u" in line else (False, None)
        lines.append(clean(json.dumps(value, ensure_ascii=False)) if ok else line)
    text = "\n".join(lines)
    return _document(decoded, text, _line_blocks(text))


def _document(decoded: Decoded, text: str, blocks: tuple[Block, ...]) -> ReadDocument:
    return ReadDocument(
        kind=DocumentKind.JSON,
        text=text,
        blocks=blocks,
        encoding=decoded.encoding,
        problems=broken_bytes(decoded),
    )


def _line_blocks(text: str) -> tuple[Block, ...]:
    return (Block(start=0, end=len(text), kind=BlockKind.LIST),)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_OPEN, _CLOSE, _COMMA, _COLON = frozenset("{["), frozenset("}]"), frozenset(","), frozenset(":")


def laid_out(raw: str) -> tuple[str, tuple[Block, ...]]:
    """Indented text, token by token, so that numbers and repeated keys stay as they are.

    The parts of the outermost value are blocks, those of an object below their key.
    """
    layout = _Layout()
    for match in _TOKEN.finditer(raw):
        layout.add(match[0])
    return layout.done()


class _Layout:
    """Puts tokens on lines."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._depth = 0
        self._cuts: list[tuple[int, str]] = []
        self._key_due = True

    def add(self, token: str) -> None:
        """The next token."""
        if token in _CLOSE:
            self._depth -= 1
            self._line()
        shown = _written_out(token) if token.startswith('"') else token
        if self._depth == 1 and self._key_due and token not in _CLOSE:
            is_key = self._parts[0] == "{" and token.startswith('"')
            self._cuts.append((self._length, shown.strip('"') if is_key else ""))
        self._key_due = False
        self._put(shown)
        if token in _OPEN:
            self._depth += 1
            self._line()
        elif token in _COMMA:
            self._line()
        elif token in _COLON:
            self._put(" ")

    def _line(self) -> None:
        self._put("\n" + " " * min(self._depth, _MOST_INDENT))
        self._key_due = self._depth == 1

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def done(self) -> tuple[str, tuple[Block, ...]]:
        """The text and its blocks."""
        text = "".join(self._parts)
        starts = [0, *(start for start, _ in self._cuts[1:])]
        ends = [*starts[1:], len(text)]
        names = [name for _, name in self._cuts] or [""]
        blocks = (
            Block(
                start=start,
                end=end,
                kind=BlockKind.LIST,
                path=(one_line(name)[:_PATH_KEY_CHARS],) if name.strip() else (),
            )
            for start, end, name in zip(starts, ends, names, strict=True)
        )
        return text, tuple(block for block in blocks if block.end > block.start)


def _written_out(token: str) -> str:
    """A string with its characters instead of escapes where it can have them."""
    try:
        return clean(json.dumps(json.loads(token), ensure_ascii=False))
    except ValueError:
        return token
