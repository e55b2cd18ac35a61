"""What one memory made of several says: the rule for each column, and what a person chose instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from core.algos.lexical import fold
from core.algos.visibility import shared
from core.domain.commands import Unset
from core.domain.commands_merge import MergeMemories
from core.domain.enums import Status, TagKind
from core.domain.errors import Invalid
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.schema import ColumnRole, MemoryType
from core.domain.tags import TRIPLE, check_triple, clean
from core.services import content

T = TypeVar("T")
SOURCES_JOINED = "; "


@dataclass(frozen=True, slots=True)
class Member:
    """One of the memories to be merged; the first of several is the survivor."""

    memory: Memory
    tags: TagSet = field(default_factory=TagSet)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """What the survivor will be: columns of its row, its tags and its other names."""

    columns: dict[str, Any]
    tags: TagSet
    aliases: tuple[str, ...]


def merged(members: Sequence[Member], command: MergeMemories, memory_type: MemoryType) -> Merged:
    """The survivor's values: those chosen, else the union. `memory_type` is the type it will have.

    Errors: Invalid (nobody may see all of them and no audience was chosen, a value that does not fit).
    """
    memories = [member.memory for member in members]
    columns = _text(memories, command, memory_type) | _place(memories, command) | _counted(memories, command)
    tags = united_tags([member.tags for member in members])
    if not isinstance(command.tags, Unset):
        tags = clean(command.tags)
        check_triple(tags)
    aliases = united_aliases(members, str(columns["title"]), losers_titles=command.losers_titles)
    if not isinstance(command.aliases, Unset):
        aliases = content.clean_names(command.aliases)
    return Merged(columns, tags, aliases)


def _chosen(value: T | Unset, default: T) -> T:
    return default if isinstance(value, Unset) else value


# --- text -----------------------------------------------------------------------------------


def _text(memories: Sequence[Memory], command: MergeMemories, memory_type: MemoryType) -> dict[str, Any]:
    given = {} if isinstance(command.fields, Unset) else dict(command.fields)
    named_title, named_body, given = content.split_roles(memory_type, given)
    title = _chosen(command.title, named_title if named_title is not None else first_text(memories, "title"))
    body = _chosen(command.body, named_body if named_body is not None else first_text(memories, "body"))
    fields: dict[str, Json] = {**united_fields(memories, memory_type), **given}
    fields = {name: value for name, value in fields.items() if not (name in given and value is None)}
    touched = set(given)
    for role, value in ((ColumnRole.TITLE, command.title), (ColumnRole.BODY, command.body)):
        column = memory_type.column_of(role)
        if column is not None and not isinstance(value, Unset):
            touched.add(column.name)
    content.check_required(memory_type, title, body, fields, touched)
    content.check_fields(memory_type, {name: value for name, value in fields.items() if name in touched})
    if content.PERSON_ID in touched:
        content.check_person(memory_type, fields)
    return {"title": title, "body": body, "fields": fields, "type": memory_type.id}


def first_text(memories: Sequence[Memory], name: str) -> str:
    """The survivor's title or body; where it has none, the longest of the others."""
    texts = [str(getattr(memory, name)) for memory in memories]
    return texts[0] if texts[0].strip() else max(texts, key=len)


def united_fields(memories: Sequence[Memory], memory_type: MemoryType) -> dict[str, Json]:
    """The survivor's columns, filled from the others where it has nothing; lists are united.

    Of memories of another type only the columns that the survivor's type knows are taken.
    """
    survivor, known = memories[0], {column.name for column in memory_type.field_columns}
    fields: dict[str, Json] = dict(survivor.fields)
    for other in memories[1:]:
        for name, value in other.fields.items():
            if content.is_empty(value) or (other.type != memory_type.id and name not in known):
                continue
            own = fields.get(name)
            if content.is_empty(own):
                fields[name] = value
            elif _is_list(own) and _is_list(value):
                fields[name] = _both(own, value)
    return fields


def _is_list(value: Json) -> bool:
    return isinstance(value, list | tuple)


def _both(own: Any, value: Any) -> list[Json]:
    united = list(own)
    united += [item for item in value if item not in united]
    return united


# --- place, audience, numbers ---------------------------------------------------------------


def _place(memories: Sequence[Memory], command: MergeMemories) -> dict[str, Any]:
    survivor = memories[0]
    in_use = any(memory.status is Status.ACTIVE for memory in memories)
    columns: dict[str, Any] = {
        "folder": _chosen(command.folder, survivor.folder),
        "layer": _chosen(command.layer, survivor.layer),
        "status": Status.ACTIVE if in_use else survivor.status,
        "status_reason": None if in_use else survivor.status_reason,
        "visibility": narrower(memories)
        if isinstance(command.visibility, Unset)
        else content.clean_names(command.visibility),
        "source": SOURCES_JOINED.join(dict.fromkeys(m.source for m in memories if m.source)),
    }
    return columns


def narrower(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Who may see all of the memories. Errors: Invalid when nobody may (no name would mean everyone)."""
    names = shared(memory.visibility for memory in memories)
    if names is None:
        raise Invalid("error.merge.audience")
    return names


def _counted(memories: Sequence[Memory], command: MergeMemories) -> dict[str, Any]:
    survivor = memories[0]
    starts = [s for m in memories if (s := m.seq_start if m.seq_start is not None else m.seq) is not None]
    ends = [e for m in memories if (e := m.seq_end if m.seq_end is not None else m.seq) is not None]
    floors = [m.seq for m in memories if m.seq is not None]
    return {
        "importance": content.checked_importance(
            _chosen(command.importance, max(memory.importance for memory in memories))
        ),
        "activation_count": sum(memory.activation_count for memory in memories),
        "last_activated_at": _latest(memory.last_activated_at for memory in memories),
        "created_at": min(memory.created_at for memory in memories),
        "seq": survivor.seq if survivor.seq is not None else min(floors, default=None),
        "seq_start": min(starts, default=None),
        "seq_end": max(ends, default=None),
    }


def _latest(times: Iterable[datetime | None]) -> datetime | None:
    return max((time for time in times if time is not None), default=None)


# --- tags and names -------------------------------------------------------------------------


def united_tags(sets: Sequence[TagSet]) -> TagSet:
    """All tags. The three groups stay all or none: where one is missing, what the others hold becomes general."""
    groups = {kind: _flat(tags.group(kind) for tags in sets) for kind in TagKind}
    union = clean(
        TagSet(
            groups[TagKind.GENERAL],
            groups[TagKind.CORE],
            groups[TagKind.DIFFUSION],
            groups[TagKind.OPPOSING],
        )
    )
    filled = [kind for kind in TRIPLE if union.group(kind)]
    if not filled or len(filled) == len(TRIPLE):
        return union
    rest = _flat(union.group(kind) for kind in TRIPLE)
    return TagSet(general=_flat([union.general, rest]))


def _flat(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for group in groups for value in group))


def united_aliases(members: Sequence[Member], title: str, *, losers_titles: bool) -> tuple[str, ...]:
    """All other names, with the losers' titles when asked for; none that is the title itself."""
    names = list(members[0].aliases)
    for member in members[1:]:
        if losers_titles and member.memory.title:
            names.append(member.memory.title)
        names += member.aliases
    known = {fold(title).strip()}
    united = []
    for name in content.clean_names(names):
        if (key := fold(name).strip()) not in known or name in members[0].aliases:
            known.add(key)
            united.append(name)
    return tuple(united)
