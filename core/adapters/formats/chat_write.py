"""A graph back into its chat file: every byte stays as it is, but for the graph in the metadata."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.adapters.formats.chat_lines import encoding_of
from core.adapters.formats.chat_message import is_header
from core.adapters.formats.json_text import BrokenJson, parse
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_find import GRAPH_KEY, MARKER_KEY, METADATA_KEY
from core.domain.errors import UserError
from core.domain.json_types import Json

_BLANK = b" \t\r\n\x00\xef\xbb\xbf"
_SPACE = " \t\r\n\ufeff\x00"
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object and where its value stands."""

    key: str
    start: int
    end: int


def write_into_chat(source: Path, part: Path, graph: Mapping[str, Json], problems: Problems) -> None:
    """A copy of the chat with this graph. Vectors of nodes that say the same are kept.

    Errors: UserError when the file is gone, has no header, or an encoding in which nothing can be put.
    """
    try:
        encoding = encoding_of(source)
        with source.open("rb") as chat, part.open("wb") as copy:
            before, line = _header_line(chat)
            copy.write(before)
            copy.write(_with_graph(line, encoding, graph, source, problems))
            shutil.copyfileobj(chat, copy)
    except FileNotFoundError as error:
        raise UserError("error.export.no_source", name=source.name) from error


def _header_line(chat: BinaryIO) -> tuple[bytes, bytes]:
    """Blank lines at the start, and the first line that is not."""
    before = b""
    while line := chat.readline():
        if line.strip(_BLANK):
            return before, line
        before += line
    return before, b""


def _with_graph(
    line: bytes, encoding: str, graph: Mapping[str, Json], source: Path, problems: Problems
) -> bytes:
    if encoding not in ("utf-8", "gb18030"):
        raise UserError("error.export.chat_encoding", name=source.name, encoding=encoding)
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    text = line.decode(encoding, errors)
    start = len(text) - len(text.lstrip(_SPACE))
    try:
        header, _ = _DECODER.raw_decode(text, start)
    except ValueError:
        header = None
    if not is_header(header) or not isinstance(header, dict):
        raise UserError("error.export.no_header", name=source.name)
    metadata = header.get(METADATA_KEY)
    old = metadata.get(GRAPH_KEY) if isinstance(metadata, dict) else None
    if isinstance(metadata, dict) and MARKER_KEY in metadata:
        problems.add("export.problem.chat_marker")
    as_text = isinstance(old, str)
    known = _parsed(old) if isinstance(old, str) else old
    new = _with_vectors(graph, known)
    if known == new:
        problems.add("export.problem.graph_same", severity=INFO)
        return line
    value = json.dumps(new, ensure_ascii=encoding != "utf-8", separators=(",", ":"), allow_nan=False)
    if as_text:
        value = json.dumps(value, ensure_ascii=encoding != "utf-8")
    written = _spliced(text, start, value, has_metadata=isinstance(metadata, dict))
    made = written.encode(encoding, errors)
    if text.encode(encoding, errors) != line:
        raise UserError("error.export.chat_encoding", name=source.name, encoding=encoding)
    return made


def _parsed(text: str) -> Json:
    try:
        return parse(text)
    except BrokenJson:
        return None


def _spliced(text: str, start: int, value: str, *, has_metadata: bool) -> str:
    """The line with the value in the place of the old graph, or as the last member of the metadata."""
    members, end = _members(text, start)
    metadata = next((each for each in reversed(members) if each.key == METADATA_KEY), None)
    if metadata is None or not has_metadata:
        member = f'"{METADATA_KEY}":{{"{GRAPH_KEY}":{value}}}'
        if metadata is not None:
            return text[: metadata.start] + f'{{"{GRAPH_KEY}":{value}}}' + text[metadata.end :]
        return text[:end] + ("," if members else "") + member + text[end:]
    inner, inner_end = _members(text, metadata.start)
    graph = next((each for each in reversed(inner) if each.key == GRAPH_KEY), None)
    if graph is not None:
        return text[: graph.start] + value + text[graph.end :]
    member = ("," if inner else "") + f'"{GRAPH_KEY}":{value}'
    return text[:inner_end] + member + text[inner_end:]


def _members(text: str, start: int) -> tuple[list[_Member], int]:
    """Members of the object that starts there, and the place of its closing brace (or of the space before it)."""
    found: list[_Member] = []
    at = _skip(text, start + 1)
    last = start + 1
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(_Member(str(key), at, end))
        last = end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found, last


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _with_vectors(graph: Mapping[str, Json], old: Json) -> dict[str, Json]:
    """The graph with the vectors that the file has for nodes whose fields are the same."""
    nodes = old.get("nodes") if isinstance(old, dict) else None
    vectors = {
        str(node.get("id")): (node.get("fields"), node.get("embedding"))
        for node in (nodes if isinstance(nodes, list) else [])
        if isinstance(node, dict) and node.get("embedding") is not None
    }
    written = graph.get("nodes")
    if not vectors or not isinstance(written, list):
        return dict(graph)
    made: list[Json] = []
    for node in written:
        if isinstance(node, dict) and node.get("embedding") is None and str(node.get("id")) in vectors:
            fields, vector = vectors[str(node["id"])]
            made.append({**node, "embedding": vector} if fields == node.get("fields") else node)
        else:
            made.append(node)
    return {**graph, "nodes": made}
