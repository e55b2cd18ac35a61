"""Memories as Booku's record items, and Booku's values as ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.algos import booku_names
from core.domain.enums import Layer, Status
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.results import WholeMemory

SNIPPET_CHARS = 280
MORE = "..."
ARCHIVED = "archived"
TEXT_FIELDS = (
    "knowledge_type",
    "address_or_coord",
    "place_type",
    "asset_type",
    "disposition_status",
    "procedure_type",
)
PERSON_ID = "person_id"
TIME_FIELDS = ("event_start_at", "event_end_at")
RELATED, PEOPLE = "relation_memory_ids", "related_people"

Item = dict[str, Any]
"""A record item or an answer, with the guide's keys."""

_LAYERS = {layer.value: layer for layer in Layer} | {ARCHIVED: Layer.MEMORY}


def layer_of(bucket: str) -> Layer:
    """The layer that a bucket names; an unknown one counts as `memory`, as in the original."""
    return _LAYERS.get(bucket.strip().lower(), Layer.MEMORY)


def is_archive(bucket: str) -> bool:
    """Whether the bucket is the guide's archived layer (with us a status)."""
    return bucket.strip().lower() == ARCHIVED


def status_of(text: str) -> Status:
    """The status; blank = active. Errors: ValueError for a word that is none."""
    word = text.strip().lower()
    try:
        return Status(word) if word else Status.ACTIVE
    except ValueError:
        known = ", ".join(Status)
        raise ValueError(f"unknown status {text!r}; known are {known}") from None


def texts(values: Iterable[object] | None) -> tuple[str, ...]:
    """The items as stripped texts without blanks and doubles."""
    return tuple(dict.fromkeys(text for value in values or () if (text := str(value).strip())))


def triple(
    core: Iterable[object] | None, diffusion: Iterable[object] | None, opposing: Iterable[object] | None
) -> TagSet:
    """The three groups, normalised. Errors: ValueError when some are filled and others are not."""
    groups = [tuple(booku_names.tags(map(str, group or ()))) for group in (core, diffusion, opposing)]
    if any(groups) and not all(groups):
        raise ValueError(
            "core_tags, diffusion_tags and opposing_tags must be given together and not be empty"
        )
    return TagSet(core=groups[0], diffusion=groups[1], opposing=groups[2])


def with_general(tags: TagSet, general: Iterable[object] | None) -> TagSet:
    """The triple together with general tags."""
    return replace(tags, general=texts(general))


def bucket_of(memory: Memory) -> str:
    """The bucket under which a memory is given back (DESIGN §4): its layer."""
    return memory.layer.value


def collection_of(memory: Memory, folder_name: str) -> str:
    """Name of the collection that held such a record."""
    return booku_names.collection(booku_names.bucket(memory.layer.value), folder_name)


def item(whole: WholeMemory, *, full: bool = False) -> Item:
    """The record item of a memory (spec/BOOKU §1.6); with `full` its whole text too."""
    memory = whole.memory
    body = memory.body
    made: Item = {
        "id": memory.id,
        "title": memory.title or memory.shown_title,
        "content_snippet": body[:SNIPPET_CHARS] + (MORE if len(body) > SNIPPET_CHARS else ""),
        "is_truncated": len(body) > SNIPPET_CHARS,
        "metadata": metadata(whole),
    }
    return {**made, "content": body} if full else made


def metadata(whole: WholeMemory) -> Item:
    """Every public field of a record."""
    memory, fields = whole.memory, whole.memory.fields
    return {
        "title": memory.title or memory.shown_title,
        "folder_id": booku_names.folder(whole.folder_name),
        "bucket": bucket_of(memory),
        "source": memory.source,
        "memory_type": memory.type,
        "status": memory.status.value,
        "person_id": _text(fields.get(PERSON_ID)) or None,
        "relation_memory_ids": [*whole.related, *_list(fields.get(RELATED))],
        "relation_aliases": list(whole.aliases),
        **{name: _number(fields.get(name)) for name in TIME_FIELDS},
        "related_people": [*whole.people, *_list(fields.get(PEOPLE))],
        **{name: _text(fields.get(name)) for name in TEXT_FIELDS},
        "novelty_energy": memory.novelty,
        "created_at": memory.created_at.timestamp(),
        "updated_at": memory.updated_at.timestamp(),
        "last_activated_at": _seconds(memory.last_activated_at),
        "activation_count": memory.activation_count,
        "is_deleted": memory.deleted_at is not None,
        "deleted_at": _seconds(memory.deleted_at),
        "tags": list(whole.tags.general),
        "core_tags": list(whole.tags.core),
        "diffusion_tags": list(whole.tags.diffusion),
        "opposing_tags": list(whole.tags.opposing),
    }


def own_fields(values: Mapping[str, object]) -> dict[str, Json]:
    """The type's own fields of a new record; what is not set (blank, 0, None) is left out.

    Errors: ValueError for a time that is no number.
    """
    fields: dict[str, Json] = {
        name: text for name in (PERSON_ID, *TEXT_FIELDS) if (text := str(values.get(name) or "").strip())
    }
    for name in TIME_FIELDS:
        if seconds := number(values.get(name), name):
            fields[name] = seconds
    return fields


def number(value: object, name: str) -> float:
    """A number of an argument; None = 0. Errors: ValueError when it is none or not finite."""
    if value is None:
        return 0.0
    try:
        found = float(value)  # type: ignore[arg-type]  # whatever a caller gave: refused below
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number") from None
    if found != found or found in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
        raise ValueError(f"{name} must be a number")
    return found


def _seconds(at: datetime | None) -> float:
    return 0.0 if at is None else at.timestamp()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _list(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
