"""Booku's tag rows as tags of memories, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.adapters.formats.booku_db import Row
from core.adapters.formats.booku_rows import ReadRow
from core.adapters.formats.kept import mark
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.values import text
from core.domain.enums import TagKind
from core.domain.json_types import Json
from core.domain.memory import TagSet
from core.domain.safe_text import storable
from core.domain.tags import clean

_ORDER = (TagKind.GENERAL, TagKind.CORE, TagKind.DIFFUSION, TagKind.OPPOSING)


@dataclass(frozen=True, slots=True)
class ReadTags:
    """Tags by row key; `raw` the rows where they say more than the tags do; rows of no memory."""

    sets: Mapping[str, TagSet]
    raw: Mapping[str, Json]
    orphans: list[Json]


def read_tags(tag_rows: Iterable[Row], rows: Sequence[ReadRow], problems: Problems) -> ReadTags:
    """The tags of all rows. Orphans, doubles, blanks and unknown groups are noted, each once."""
    keys = {row.foreign_id: row.key for row in reversed(rows) if row.foreign_id}
    pairs: dict[str, list[tuple[str, str]]] = {row.key: [] for row in rows}
    orphans: list[Json] = []
    for tag_row in tag_rows:
        memory_id, kind, value = (
            storable(cell.decode("utf-8", "replace") if isinstance(cell, bytes) else text(cell))
            for cell in (tag_row.get("memory_id"), tag_row.get("tag_type"), tag_row.get("tag_value"))
        )
        key = keys.get(memory_id.strip())
        if key is None:
            orphans.append([memory_id, kind, value])
            problems.add("import.problem.orphan_tag", memory_id, severity=INFO)
            continue
        pairs[key].append((kind, value))
    sets: dict[str, TagSet] = {}
    raw: dict[str, Json] = {}
    for key, found in pairs.items():
        sets[key] = _tag_set(key, found, problems)
        if found != (as_rows := tag_rows_of(sets[key])):
            raw[key] = [mark(_plain(as_rows)), _plain(found)]
    return ReadTags(sets, raw, orphans)


def _tag_set(key: str, pairs: Sequence[tuple[str, str]], problems: Problems) -> TagSet:
    groups: dict[TagKind, list[str]] = {kind: [] for kind in TagKind}
    for kind, value in pairs:
        try:
            groups[TagKind(kind.strip().lower())].append(value)
        except ValueError:
            problems.add("import.problem.unknown_tag_group", key, severity=INFO)
    tags = clean(
        TagSet(
            general=tuple(groups[TagKind.GENERAL]),
            core=tuple(groups[TagKind.CORE]),
            diffusion=tuple(groups[TagKind.DIFFUSION]),
            opposing=tuple(groups[TagKind.OPPOSING]),
        )
    )
    if sum(len(tags.group(kind)) for kind in TagKind) < sum(map(len, groups.values())):
        problems.add("import.problem.doubled_tags", key, severity=INFO)
    return tags


def tag_rows_of(tags: TagSet) -> list[tuple[str, str]]:
    """(group, value) of all tags, in the order in which the original writes them."""
    return [(kind.value, value) for kind in _ORDER for value in tags.group(kind)]


def rows_to_write(tags: TagSet, kept: Json) -> list[tuple[str, str]]:
    """The rows to write: the imported ones as long as the tags are what they were, else those of the tags."""
    rows = tag_rows_of(tags)
    if not isinstance(kept, list) or len(kept) != 2 or kept[0] != mark(_plain(rows)):
        return rows
    imported = kept[1]
    assert isinstance(imported, list)
    return [(text(pair[0]), text(pair[1])) for pair in imported if isinstance(pair, list)]


def _plain(rows: Sequence[tuple[str, str]]) -> Json:
    return [[kind, value] for kind, value in rows]
