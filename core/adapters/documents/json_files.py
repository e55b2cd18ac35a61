"""JSON and JSON lines as documents: readable lines, cut between values, each below the key it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from core.adapters.documents.building import clean
from core.adapters.documents.encodings import Decoded
from core.adapters.documents.plain import broken_bytes
from core.domain.document import Block, BlockKind, DocumentKind, ReadDocument
from core.domain.json_types import Json

_PATH_KEY_CHARS = 60
_PROBE_LINES = 5


class _Twice(Exception):
    """An object names a key twice; as values one of the two would be lost."""


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
    lines = [line for line in text[:2_000_000].split("\n") if line.strip()][:_PROBE_LINES]
    return len(lines) > 1 and all(json_value(line)[0] for line in lines)


def memory_file(value: Json) -> str:
    """What a JSON value is that this program imports in another way; "" when it is just data."""
    if isinstance(value, Mapping):
        if "chat_metadata" in value or ("mes" in value and "is_user" in value):
            return "chat"
        if ("user_name" in value or "character_name" in value) and "create_date" in value:
            return "chat"
        if isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list):
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


def _is_entry(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and bool({"content", "text", "entry"} & value.keys())
        and bool({"key", "keys", "keywords"} & value.keys())
    )


def read_json(decoded: Decoded, value: Json) -> ReadDocument:
    """A JSON file. Readable text stays as it is; a packed one is laid out, with its characters written out."""
    raw = clean(decoded.text)
    if "\n" in raw.strip() and "\\u" not in raw:
        blocks = _line_blocks(raw)
        return _document(decoded, raw, blocks)
    text, blocks = _laid_out(value)
    if _says_twice(decoded.text):
        text, blocks = raw, _line_blocks(raw)
    return _document(decoded, text, blocks)


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


def _says_twice(text: str) -> bool:
    def pairs(items: Sequence[tuple[str, object]]) -> dict[str, object]:
        made = dict(items)
        if len(made) < len(items):
            raise _Twice
        return made

    try:
        json.loads(text.lstrip("\ufeff"), object_pairs_hook=pairs)
    except _Twice:
        return True
    return False


def _line_blocks(text: str) -> tuple[Block, ...]:
    return (Block(start=0, end=len(text), kind=BlockKind.LIST),)


def _laid_out(value: Json) -> tuple[str, tuple[Block, ...]]:
    """Indented text; the parts of the outermost value are blocks, those of an object below their key."""
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for part, path in _parts(value):
        end = length + len(part)
        blocks.append(Block(start=length, end=end, kind=BlockKind.LIST, path=path))
        parts.append(part)
        length = end
    return "".join(parts), tuple(blocks)


def _parts(value: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    def shown(item: Json) -> str:
        return clean(json.dumps(item, ensure_ascii=False, indent=1)).replace("\n", "\n ")

    if isinstance(value, Mapping) and value:
        last = len(value) - 1
        for index, (key, item) in enumerate(value.items()):
            begin = "{\n " if index == 0 else " "
            end = "\n}" if index == last else ",\n"
            path = (" ".join(clean(key).split())[:_PATH_KEY_CHARS],) if key.strip() else ()
            yield f"{begin}{clean(json.dumps(key, ensure_ascii=False))}: {shown(item)}{end}", path
    elif isinstance(value, list | tuple) and value:
        last = len(value) - 1
        for index, item in enumerate(value):
            yield f"{'[' if index == 0 else ''}\n {shown(item)}{chr(10) + ']' if index == last else ','}", ()
    else:
        yield clean(json.dumps(value, ensure_ascii=False)), ()
