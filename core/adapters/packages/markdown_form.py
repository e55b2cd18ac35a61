"""One memory as a Markdown file: front matter for its columns, the text below; and back."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import yaml

from core.adapters.packages.rows import read_record, texts_at, time_of, write_record
from core.domain.edge import DEFAULT_RELATION, Edge
from core.domain.errors import Invalid
from core.domain.folder import clean_folder_name
from core.domain.ids import MemoryId, RelationId, is_memory_id, new_edge_id, new_memory_id
from core.domain.json_types import Json, KeyTwice, parse_exactly
from core.domain.memory import Memory, TagSet
from core.domain.package import NO_FOLDER, NO_MEMORY, PackedEdge, PackedMemory
from core.domain.safe_text import storable

MAX_FRONT_CHARS = 256 * 1024
_NAME_CHARS = 60
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_JSON_LINE = re.compile(r"([a-z_]+): (.+)")
_SEPARATORS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_NOT_IN_NAMES = re.compile(r"[^\w\- ]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
_TAGS = {"tags": "general", "core": "core", "diffusion": "diffusion", "opposing": "opposing"}
_SHOWN = (
    "type", "layer", "status", "status_reason", "importance", "novelty", "activation_count",
    "last_activated_at", "seq", "seq_start", "seq_end", "level", "visibility", "locked", "source", "foreign_id",
    "fields", "extra", "created_at", "updated_at", "deleted_at",
)  # fmt: skip
_ALWAYS = frozenset({"type", "layer", "status", "importance", "novelty", "created_at", "updated_at"})
_EDGE_LEFT_OUT = ("source", "target", "extra", "foreign_id")


# --- writing ---


def memory_text(packed: PackedMemory, edges: Sequence[PackedEdge]) -> str:
    """The file of a memory, with the relations that start from it. Each value is JSON, which YAML reads too."""
    row = write_record(packed.memory)
    front: dict[str, Json] = {"id": packed.memory.id, "title": packed.memory.title, "folder": packed.folder}
    front |= {name: row[name] for name in _SHOWN if name in _ALWAYS or not _is_empty(row[name])}
    front |= {name: list(getattr(packed.tags, group)) for name, group in _TAGS.items()}
    front["aliases"] = list(packed.aliases)
    links = {"parent": packed.parent, "merged_into": packed.merged_into}
    front |= {name: link for name, link in links.items() if link is not None}
    if edges:
        front["relations"] = [_relation(each) for each in edges]
    lines = [f"{name}: {_one_line(value)}" for name, value in front.items()]
    return "\n".join(["---", *lines, "---", "", packed.memory.body, ""])


def _is_empty(value: Json) -> bool:
    """Whether a column need not be written; floor 0 is a floor."""
    return value is None or value is False or value in ("", [], {})


def _one_line(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _SEPARATORS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _relation(packed: PackedEdge) -> dict[str, Json]:
    row = write_record(packed.edge, *_EDGE_LEFT_OUT)
    return {
        "to": packed.target,
        **{name: value for name, value in row.items() if value is not None and value is not False},
    }


def file_name(packed: PackedMemory) -> str:
    """A name that any system takes: words of the title and the beginning of the id, the same at each export."""
    words = safe_part(packed.memory.shown_title)
    return f"{words}-{packed.memory.id.removeprefix('mem-')[:12]}.md" if words else f"{packed.memory.id}.md"


def safe_part(text: str) -> str:
    """A part of a path without anything that some system does not take; may be empty."""
    plain = _NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", text))
    words = " ".join(plain.split())[:_NAME_CHARS].strip(" .-")
    return f"_{words}" if _RESERVED.fullmatch(words) else words


# --- reading ---


class NoMemory(ValueError):
    """A Markdown file without the front matter of a memory."""


def read_front(text: str) -> tuple[Mapping[str, Any], str]:
    """Front matter and the text below it. Errors: NoMemory when there is none, ValueError when it is broken."""
    found = _FRONT.match(text)
    if found is None or len(found[1]) > MAX_FRONT_CHARS:
        raise NoMemory("no front matter")
    value = _lines(found[1])
    if value is None:
        try:
            value = yaml.load(found[1], Loader=_Loader)  # noqa: S506 - a SafeLoader without references
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise ValueError(str(error)) from error
    if not isinstance(value, dict):
        raise NoMemory("front matter is no object")
    return {str(name): each for name, each in value.items()}, text[found.end() :]


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Plain values only: references could grow a small file without end."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not read")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The mapping; a key that stands twice is refused, because one of both values would be lost."""
        names = [key.value for key, _value in node.value if isinstance(key, yaml.ScalarNode)]
        if len(set(names)) < len(names):
            raise KeyTwice(next(name for name in names if names.count(name) > 1))
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _lines(text: str) -> dict[str, Json] | None:
    """Front matter as this program writes it: a JSON value a line; None when it is anything else."""
    values: dict[str, Json] = {}
    for line in text.removesuffix("\n").split("\n"):
        found = _JSON_LINE.fullmatch(line)
        if found is None or found[1] in values:
            return None
        try:
            values[found[1]] = parse_exactly(found[2])
        except (ValueError, RecursionError):
            return None
    return values


def is_memory_front(front: Mapping[str, Any]) -> bool:
    """Whether front matter is that of a memory."""
    return is_memory_id(str(front.get("id", ""))) and "type" in front


def memory_of_text(text: str, folder: str, now: datetime) -> tuple[PackedMemory, list[PackedEdge]]:
    """The memory of a file; what the front matter does not say is no column of it.

    `folder`: where the file lies, for front matter that names none. Errors: NoMemory, ValueError.
    """
    if "\r\n" in text[:200]:  # some systems and version controls turn all line ends
        text = text.replace("\r\n", "\n")
    front, below = read_front(text)
    front = _plain(front)
    columns = {
        name for name in (*_SHOWN, *_TAGS, "title", "aliases", "parent", "merged_into") if name in front
    }
    columns |= {"body"}
    values: dict[str, object] = {
        "id": MemoryId(str(front["id"])) if is_memory_id(str(front.get("id", ""))) else new_memory_id(),
        "folder": NO_FOLDER,
        "body": storable(below.removeprefix("\n").removesuffix("\n")),
        "parent": None,
        "merged_into": None,
        "document": None,
        "revision": 1,
    }
    if not front.get("type"):
        values["type"] = "knowledge"
    for name in ("created_at", "updated_at"):
        values[name] = time_of(front[name]) if front.get(name) else now
    memory = read_record(Memory, {"title": "", **front}, **values)
    groups = {group: _texts(front, name) for name, group in _TAGS.items()}
    packed = PackedMemory(
        memory=memory,
        folder=_folder(front.get("folder") or folder),
        parent=_link(front, "parent"),
        merged_into=_link(front, "merged_into"),
        tags=TagSet(**groups),
        aliases=_texts(front, "aliases"),
        columns=frozenset(columns - {"created_at", "updated_at"}),
    )
    relations = front.get("relations") or []
    if not isinstance(relations, list):
        raise ValueError("relations: no list")  # noqa: TRY004 - what a file holds
    return packed, [_edge(memory.id, each, now) for each in relations]


def _folder(name: Json) -> str:
    """A folder's name as stored. Errors: ValueError."""
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise ValueError("folder: no name")  # noqa: TRY004 - what a file holds
    try:
        return clean_folder_name(str(name))
    except Invalid as error:
        raise ValueError("folder: no name, or too long a name") from error


def _texts(front: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = front.get(name)
    if isinstance(value, str):  # `tags: one` or `tags: one, two`, as people write them
        value = [part.strip() for part in re.split(r"[,，、]", value) if part.strip()]
    return tuple(storable(each) for each in texts_at({name: value or []}, name))


def _link(front: Mapping[str, Any], name: str) -> str | None:
    return str(front[name]) if front.get(name) else None


def _edge(source: str, value: Json, now: datetime) -> PackedEdge:
    if not isinstance(value, Mapping) or not isinstance(value.get("to"), str):
        raise ValueError("relations: each needs `to`")  # noqa: TRY004 - what a file holds
    given: dict[str, object] = {"source": NO_MEMORY, "target": NO_MEMORY}
    if not value.get("id"):
        given["id"] = new_edge_id()
    if not value.get("created_at"):
        given["created_at"] = now
    if not value.get("relation"):
        given["relation"] = RelationId(DEFAULT_RELATION)
    return PackedEdge(edge=read_record(Edge, value, **given), source=source, target=str(value["to"]))


def _plain(value: Any) -> Any:
    """Values of YAML as JSON: times as text, keys as text, text that can be stored."""
    match value:
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        case date():
            return value.isoformat()
        case str():
            return storable(value)
        case Mapping():
            return {storable(str(name)): _plain(each) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return value
