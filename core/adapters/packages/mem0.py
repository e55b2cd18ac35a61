"""mem0's JSON: a list of memories (or `{"results": [...], "relations": [...]}`), read and written.

A row of ours carries all columns under `metadata.memory_curator`; `memory` is the text that other programs see
and may change.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.source_files import keeper
from core.adapters.formats.whole_file import new_file
from core.adapters.packages.members import memory_json, memory_of
from core.adapters.packages.plain import PlainContent
from core.adapters.packages.plan import content_plan
from core.adapters.packages.rows import time_of, time_text
from core.domain.edge import Edge
from core.domain.enums import Layer
from core.domain.errors import Invalid
from core.domain.folder import SEPARATOR, clean_folder_name
from core.domain.ids import MemoryId, RelationId, TypeId, new_edge_id
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, TagSet
from core.domain.package import NO_FOLDER, NO_MEMORY, PackageContent, PackedEdge, PackedMemory
from core.domain.safe_text import storable
from core.domain.transfer import ExportReport, Format, ImportPlan

OWN = "memory_curator"
"""Our columns, in a row's metadata."""
KEPT = "mem0"
"""In `Memory.extra`: the row as it came, without its text."""
_ROOT = "mem0"
_WHO = ("user_id", "agent_id", "app_id", "run_id")
_TYPE = TypeId("knowledge")
_ENTITY = TypeId("character")
_NAMESPACE = uuid.UUID("6f1d0c5e-2f0b-4a64-9a39-6a1f3d1c7b52")
_OWN_COLUMNS = frozenset(
    {
        "title",
        "body",
        "type",
        "layer",
        "status",
        "status_reason",
        "importance",
        "fields",
        "visibility",
        "locked",
    }
    | {"source", "tags", "core", "diffusion", "opposing", "aliases"}
)
"""What a row of ours changes of a memory that is here: nothing that only counts use or keeps time."""
_TEXT_KEYS = ("memory", "text", "data")


# --- reading ---


def mem0_rows(value: Json) -> Sequence[Json] | None:
    """The rows of a mem0 file; None when the JSON is something else."""
    if isinstance(value, Mapping):
        for key in ("results", "memories"):
            rows = value.get(key)
            if isinstance(rows, list) and (not rows or _is_row(rows[0])):
                return rows if rows or isinstance(value.get("relations"), list) else None
        return None
    if isinstance(value, list) and value and _is_row(value[0]):
        return value
    return None


def _is_row(row: Json) -> bool:
    if not isinstance(row, Mapping) or not isinstance(row.get("memory"), str):
        return False
    return "id" in row or "hash" in row or "metadata" in row or any(name in row for name in _WHO)


def mem0_plan(value: Json, rows: Sequence[Json], path: Path, now: datetime, problems: Problems) -> ImportPlan:
    """The memories of a mem0 file; rows that cannot be read are named in `problems`."""
    reader = _Reader(now, problems)
    for number, row in enumerate(rows, 1):
        reader.row(row, number)
    if isinstance(value, Mapping) and isinstance(relations := value.get("relations"), list):
        for relation in relations:
            reader.relation(relation)
    content = PlainContent(tuple(reader.memories.values()), tuple(reader.edges))
    counts = {"memories": len(reader.memories), "edges": len(reader.edges)}
    return content_plan(Format.MEM0, path, content, counts, reader.problems.all())


class _Reader:
    """Rows of one file as memories."""

    def __init__(self, now: datetime, problems: Problems) -> None:
        self._now = now
        self.problems = problems
        self.memories: dict[str, PackedMemory] = {}
        self.edges: list[PackedEdge] = []
        self._folder = _ROOT

    def row(self, row: Json, number: int) -> None:
        """Take one row."""
        given = row if isinstance(row, Mapping) else {}
        text = next((given[name] for name in _TEXT_KEYS if isinstance(given.get(name), str)), None)
        if not isinstance(row, Mapping) or not isinstance(text, str):
            self.problems.add("import.problem.mem0_row", str(number))
            return
        packed = self._own(row, text) or self._foreign(row, text)
        if packed.memory.id in self.memories:
            self.problems.add("import.problem.memory_file_twice", str(number), files=str(number))
            return
        self.memories[packed.memory.id] = packed

    def _own(self, row: JsonObject, text: str) -> PackedMemory | None:
        """A memory that this program wrote, with the text that the file has now."""
        metadata = row.get("metadata")
        own = metadata.get(OWN) if isinstance(metadata, Mapping) else None
        if not isinstance(own, Mapping):
            return None
        try:
            packed = memory_of(own)
        except (ValueError, TypeError):
            self.problems.add("import.problem.mem0_own", str(row.get("id", "")))
            return None
        memory = packed.memory
        if text != shown_text(memory):
            title, body = memory.title, storable(text)
            if title and (text == title or text.startswith(f"{title}\n")):
                body = storable(text[len(title) + 1 :])
            memory = replace(memory, title=title, body=body)
        return replace(packed, memory=memory, document=None, columns=_OWN_COLUMNS)

    def _foreign(self, row: JsonObject, text: str) -> PackedMemory:
        """A memory of mem0's own; its id becomes a foreign id, the rest is kept."""
        foreign = str(row["id"]) if isinstance(row.get("id"), str | int) else None
        folder = self._folder_of(row)
        self._folder = folder
        created = self._time(row, "created_at") or self._now
        kept = {name: value for name, value in row.items() if name not in _TEXT_KEYS}
        return PackedMemory(
            memory=Memory(
                id=_key(folder, foreign or text),
                foreign_id=None if foreign is None else storable(foreign),
                folder=NO_FOLDER,
                type=_TYPE,
                layer=Layer.MEMORY,
                body=storable(text),
                source=_ROOT,
                created_at=created,
                updated_at=self._time(row, "updated_at") or created,
                extra={KEPT: _storable(kept)},
            ),
            folder=folder,
            tags=TagSet(general=self._categories(row)),
            columns=frozenset({"body", "tags", "extra"}),
        )

    def _folder_of(self, row: JsonObject) -> str:
        named = [
            str(row[name]) for name in _WHO if isinstance(row.get(name), str | int) and str(row[name]).strip()
        ]
        try:
            return clean_folder_name(
                SEPARATOR.join([_ROOT, *(storable(each).replace("/", "_") for each in named)])
            )
        except Invalid:
            return _ROOT

    def _categories(self, row: JsonObject) -> tuple[str, ...]:
        value = row.get("categories")
        if isinstance(value, str):
            value = [value]
        found = (
            [storable(each).strip() for each in value if isinstance(each, str)]
            if isinstance(value, list)
            else []
        )
        return tuple(dict.fromkeys(each for each in found if each))

    def _time(self, row: JsonObject, name: str) -> datetime | None:
        value = row.get(name)
        if value is None:
            return None
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = datetime.fromtimestamp(value, UTC).isoformat()
            return time_of(value)
        except (ValueError, OverflowError, OSError):
            self.problems.add("import.problem.bad_time")
            return None

    def relation(self, value: Json) -> None:
        """Take a relation of mem0's graph: its ends are names, which become memories of their own."""
        row = value if isinstance(value, Mapping) else {}
        source, target = row.get("source"), row.get("destination", row.get("target"))
        name = row.get("relationship", row.get("relation"))
        if not (isinstance(source, str) and isinstance(target, str) and isinstance(name, str)):
            self.problems.add("import.problem.mem0_relation")
            return
        self.edges.append(
            PackedEdge(
                edge=Edge(
                    id=new_edge_id(),
                    source=NO_MEMORY,
                    target=NO_MEMORY,
                    relation=RelationId("related"),
                    created_at=self._now,
                    extra={KEPT: {"relation": storable(name)}},
                ),
                source=self._entity(source),
                target=self._entity(target),
            )
        )

    def _entity(self, name: str) -> str:
        key = _key(self._folder, "entity", name)
        if key not in self.memories:
            memory = Memory(
                id=key, folder=NO_FOLDER, type=_ENTITY, title=storable(name), source=_ROOT,
                created_at=self._now, updated_at=self._now,
            )  # fmt: skip
            self.memories[key] = PackedMemory(
                memory=memory, folder=self._folder, columns=frozenset({"title"})
            )
        return key


def _key(*parts: str) -> MemoryId:
    """The same id at each reading of the same file."""
    return MemoryId("mem-" + uuid.uuid5(_NAMESPACE, "\n".join(map(storable, parts))).hex)


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case Mapping():
            return {storable(str(name)): _storable(each) for name, each in value.items()}
        case list():
            return [_storable(each) for each in value]
        case _:
            return value


# --- writing ---


def shown_text(memory: Memory) -> str:
    """The text that other programs see."""
    return f"{memory.title}\n{memory.body}" if memory.title and memory.body else memory.title or memory.body


def write_mem0(
    content: PackageContent, path: Path, source: Path | None = None, *, overwrite: bool
) -> ExportReport:
    """Write memories as mem0 lists them; trashed ones stay out. Errors: UserError."""
    problems = Problems()
    count = 0
    trashed = 0
    with (
        new_file(path, overwrite=overwrite, before=keeper(source, problems)) as part,
        part.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write("[")
        for packed in content.memories():
            if packed.memory.deleted_at is not None:
                trashed += 1
                continue
            file.write((",\n " if count else "\n ") + json.dumps(_row(packed), ensure_ascii=False))
            count += 1
        file.write("\n]\n")
    if trashed:
        problems.add("export.problem.trashed", severity=INFO, trashed=trashed)
    for name, rows in _others(content):
        if number := sum(1 for _ in rows):
            problems.add(f"export.problem.no_{name}", count=number)
    return ExportReport(format=Format.MEM0, path=path, counts={"memories": count}, problems=problems.all())


def _others(content: PackageContent) -> Iterator[tuple[str, Iterator[object]]]:
    yield "edges", content.edges()
    yield "messages", content.messages()
    yield "documents", content.documents()
    yield "memos", content.memos()


def _row(packed: PackedMemory) -> dict[str, Json]:
    memory = packed.memory
    text = shown_text(memory)
    kept = memory.extra.get(KEPT)
    came = dict(kept) if isinstance(kept, Mapping) else {}
    metadata = came.get("metadata")
    own = memory_json(packed)
    if came:
        own["extra"] = {name: value for name, value in memory.extra.items() if name != KEPT}
    row: dict[str, Json] = {
        "id": memory.foreign_id or memory.id,
        "memory": text,
        "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {**(metadata if isinstance(metadata, Mapping) else {}), OWN: own},
        "created_at": time_text(memory.created_at),
        "updated_at": time_text(memory.updated_at),
        "categories": list(packed.tags.general),
    }
    if "user_id" not in came and not any(name in came for name in _WHO):
        row["user_id"] = packed.folder
    return {**{name: value for name, value in came.items() if name not in row}, **row}
