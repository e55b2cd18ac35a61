"""Rows that break a rule of the domain: imports keep them, the check-up names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.domain.chat import FLOORS_CHANGED_KEY, chat_of
from core.domain.enums import TagKind
from core.domain.folder import Folder
from core.domain.ids import MemoryPk, is_person_id
from core.domain.memory import Memory
from core.domain.results import LibraryCounts, Problem, VerifyReport
from core.domain.tags import TRIPLE
from core.ports.store import Reader
from core.services.content import PERSON, PERSON_ID
from core.services.lookup import chunks

MANY = 100
"""So many rows are named; the count is always full."""


def checked_store(reader: Reader) -> tuple[Problem, ...]:
    """Unknown types and relations, persons without an account, half-filled triples, floors changed since."""
    schema = reader.schema()
    types = {item.id for item in schema.types}
    relations = {item.id for item in schema.relations}
    strange_types = {name: count for name, count in reader.types_in_use().items() if name not in types}
    strange = {name: count for name, count in reader.relations_in_use().items() if name not in relations}
    found = [
        *_unknown("check.types", strange_types),
        *_unknown("check.relations", strange),
        *_named("check.person_id", _persons_without_account(reader)),
        *_named("check.triple", _half_triples(reader)),
        *_named("check.floors_changed", _from_changed_floors(reader)),
    ]
    return tuple(found)


def store_report(counts: LibraryCounts, problems: Sequence[Problem], index: str) -> VerifyReport:
    """The report of a check-up that did not look at an index; `index` says why."""
    return VerifyReport(
        checked=counts.memories + counts.trashed,
        missing_in_index=(),
        extra_in_index=(),
        differing=(),
        self_query_failed=(),
        without_vector=0,
        waiting=counts.waiting_for_index,
        problems=tuple(problems),
        index=index,
    )


def _unknown(key: str, found: dict[str, int]) -> Iterator[Problem]:
    if found:
        yield Problem(key, {"count": sum(found.values()), "names": ", ".join(sorted(found))})


def _named(key: str, ids: Iterable[str]) -> Iterator[Problem]:
    listed = list(ids)
    if listed:
        yield Problem(key, {"count": len(listed)}, refs=tuple(listed[:MANY]))


def _all_pages(reader: Reader) -> Iterator[Sequence[MemoryPk]]:
    for folder in reader.all_records(Folder):
        yield from chunks([MemoryPk(pk) for pk in reader.memories_in(folder.pk)])


def _persons_without_account(reader: Reader) -> Iterator[str]:
    if not reader.types_in_use().get(PERSON):
        return
    for page in _all_pages(reader):
        persons = [state.pk for state in reader.states(page) if state.type == PERSON]
        for memory in reader.records(Memory, persons):
            value = memory.fields.get(PERSON_ID)
            if not (isinstance(value, str) and is_person_id(value)):
                yield memory.id


def _half_triples(reader: Reader) -> Iterator[str]:
    if not any(reader.tag_names(kind, "", 1) for kind in TagKind if kind in TRIPLE):
        return
    for page in _all_pages(reader):
        half = [
            pk
            for pk, tags in reader.tag_sets(page).items()
            if 0 < sum(bool(tags.group(kind)) for kind in TRIPLE) < len(TRIPLE)
        ]
        yield from (state.id for state in reader.states(half))


def _from_changed_floors(reader: Reader) -> Iterator[str]:
    """Memories of imported chats whose floors say something else now."""
    for folder in reader.all_records(Folder):
        if not chat_of(folder):
            continue
        for page in chunks([MemoryPk(pk) for pk in reader.memories_in(folder.pk)]):
            yield from (m.id for m in reader.records(Memory, page) if FLOORS_CHANGED_KEY in m.extra)
