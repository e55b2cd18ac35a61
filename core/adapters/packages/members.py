"""What lies in a package: its members, and each row of them as a JSON object and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.adapters.packages.rows import (
    optional_text_at,
    read_record,
    text_at,
    texts_at,
    write_record,
)
from core.domain.edge import Edge
from core.domain.enums import TagKind
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, TagSet
from core.domain.package import (
    NO_FOLDER,
    NO_MEMORY,
    PackageContent,
    PackedCase,
    PackedDocument,
    PackedEdge,
    PackedFolder,
    PackedMemo,
    PackedMemory,
    PackedMessage,
    PackedPair,
    PackedPin,
)
from core.domain.recall import RecallCase
from core.domain.saved_search import SavedSearch
from core.domain.schema import MemoryType, RelationType

MANIFEST = "manifest.json"
FORMAT_NAME = "memory-curator-library"
VERSION = 1
"""Rises when an older program could not read what a newer one writes."""
VECTOR_NAME = re.compile(r"vectors/(\d+)\.(npy|jsonl)")
_TAG_GROUPS = {TagKind.GENERAL: "general", TagKind.CORE: "core"} | {
    kind: kind.value for kind in (TagKind.DIFFUSION, TagKind.OPPOSING)
}
_MEMORY_LINKS = ("folder", "parent", "merged_into", "document", "revision")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of JSON lines: where its rows come from, and how one is written and read (Errors: ValueError)."""

    rows: Callable[[PackageContent], Iterator[Any]]
    write: Callable[[Any], Mapping[str, Json]]
    read: Callable[[JsonObject], Any]


def tags_json(tags: TagSet) -> dict[str, Json]:
    """The groups of tags that are not empty."""
    return {name: list(tags.group(kind)) for kind, name in _TAG_GROUPS.items() if tags.group(kind)}


def tags_of(value: Json) -> TagSet:
    """The tags of an object. Errors: ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError("tags: no object")  # noqa: TRY004
    return TagSet(**{name: texts_at(value, name) for name in _TAG_GROUPS.values()})


def memory_json(packed: PackedMemory) -> dict[str, Json]:
    """A memory with all that hangs on it."""
    return {
        "id": packed.memory.id,
        "folder": packed.folder,
        **write_record(packed.memory, "id", *_MEMORY_LINKS),
        "parent": packed.parent,
        "merged_into": packed.merged_into,
        "document": packed.document,
        "tags": tags_json(packed.tags),
        "aliases": list(packed.aliases),
    }


def memory_of(row: JsonObject) -> PackedMemory:
    """The memory of a row. Errors: ValueError."""
    links: dict[str, object] = dict.fromkeys(("parent", "merged_into", "document"))
    return PackedMemory(
        memory=read_record(Memory, row, folder=NO_FOLDER, revision=1, **links),
        folder=text_at(row, "folder"),
        parent=optional_text_at(row, "parent"),
        merged_into=optional_text_at(row, "merged_into"),
        document=optional_text_at(row, "document"),
        tags=tags_of(row.get("tags", {})),
        aliases=texts_at(row, "aliases"),
    )


def _folder_json(packed: PackedFolder) -> dict[str, Json]:
    branch: Json = None if packed.branch is None else {"parent": packed.branch[0], "shared": packed.branch[1]}
    row = write_record(packed.folder, "also_reads")
    return {**row, "also_reads": list(packed.also_reads), "branch": branch}


def _folder_of(row: JsonObject) -> PackedFolder:
    branch = row.get("branch")
    shared: tuple[str, int] | None = None
    if isinstance(branch, Mapping):
        count = branch.get("shared")
        if not isinstance(count, int) or count < 0:
            raise ValueError("branch: shared")
        shared = text_at(branch, "parent"), count
    return PackedFolder(
        folder=read_record(Folder, row, also_reads=()),
        also_reads=texts_at(row, "also_reads"),
        branch=shared,
    )


def _edge_json(packed: PackedEdge) -> dict[str, Json]:
    row = write_record(packed.edge, "source", "target")
    return {"id": row.pop("id"), "source": packed.source, "target": packed.target, **row}


def _edge_of(row: JsonObject) -> PackedEdge:
    return PackedEdge(
        edge=read_record(Edge, row, source=NO_MEMORY, target=NO_MEMORY),
        source=text_at(row, "source"),
        target=text_at(row, "target"),
    )


def _case_json(packed: PackedCase) -> dict[str, Json]:
    row = write_record(packed.case, "folder")
    return {**row, "folder": packed.folder, "expected": list(packed.expected)}


def _case_of(row: JsonObject) -> PackedCase:
    return PackedCase(
        case=read_record(RecallCase, row, folder=None, expected=()),
        folder=optional_text_at(row, "folder"),
        expected=texts_at(row, "expected"),
    )


def _pin_json(packed: PackedPin) -> dict[str, Json]:
    return {
        "arrangement": packed.arrangement,
        "folders": list(packed.folders),
        "below": packed.below,
        "memory": packed.memory,
        "x": packed.x,
        "y": packed.y,
    }


def _pin_of(row: JsonObject) -> PackedPin:
    x, y = row.get("x"), row.get("y")
    if not isinstance(x, int | float) or not isinstance(y, int | float):
        raise ValueError("x, y: no numbers")  # noqa: TRY004
    return PackedPin(
        arrangement=text_at(row, "arrangement"),
        folders=texts_at(row, "folders"),
        below=row.get("below") is True,
        memory=text_at(row, "memory"),
        x=float(x),
        y=float(y),
    )


MEMBERS: Mapping[str, Member] = {
    "types.jsonl": Member(
        lambda content: content.types(), write_record, lambda row: read_record(MemoryType, row)
    ),
    "relation_types.jsonl": Member(
        lambda content: content.relation_types(), write_record, lambda row: read_record(RelationType, row)
    ),
    "folders.jsonl": Member(lambda content: content.folders(), _folder_json, _folder_of),
    "documents.jsonl": Member(
        lambda content: content.documents(),
        lambda packed: {**write_record(packed.document, "folder"), "folder": packed.folder},
        lambda row: PackedDocument(
            document=read_record(Document, row, folder=NO_FOLDER), folder=text_at(row, "folder")
        ),
    ),
    "memories.jsonl": Member(lambda content: content.memories(), memory_json, memory_of),
    "edges.jsonl": Member(lambda content: content.edges(), _edge_json, _edge_of),
    "messages.jsonl": Member(
        lambda content: content.messages(),
        lambda packed: {"folder": packed.folder, **write_record(packed.message, "folder")},
        lambda row: PackedMessage(
            message=read_record(Message, row, folder=NO_FOLDER), folder=text_at(row, "folder")
        ),
    ),
    "memos.jsonl": Member(
        lambda content: content.memos(),
        lambda packed: {**write_record(packed.memo, "folder"), "folder": packed.folder},
        lambda row: PackedMemo(memo=read_record(Memo, row, folder=NO_FOLDER), folder=text_at(row, "folder")),
    ),
    "not_duplicates.jsonl": Member(
        lambda content: content.pairs(),
        lambda packed: {"a": packed.a, "b": packed.b, **write_record(packed.pair, "a", "b")},
        lambda row: PackedPair(
            pair=read_record(NotDuplicate, row, a=NO_MEMORY, b=NO_MEMORY),
            a=text_at(row, "a"),
            b=text_at(row, "b"),
        ),
    ),
    "recall_cases.jsonl": Member(lambda content: content.cases(), _case_json, _case_of),
    "pins.jsonl": Member(lambda content: content.pins(), _pin_json, _pin_of),
    "saved_searches.jsonl": Member(
        lambda content: content.searches(), write_record, lambda row: read_record(SavedSearch, row)
    ),
}
"""All members of JSON lines, in the order in which they are written and read."""


def count_name(member: str) -> str:
    """Under which name a member's rows are counted (memories.jsonl -> memories)."""
    return member.removesuffix(".jsonl")
