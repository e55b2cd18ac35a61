"""Writing: create, upsert, update, memos (spec/BOOKU §3 with DESIGN §5)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.algos.titles import split_title, title_of_text
from core.booku import records
from core.booku.library import BookuLibrary
from core.booku.records import PEOPLE, RELATED, Item
from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain import queries_index as qi
from core.domain import queries_upkeep as qu
from core.domain.commands import UNSET, CreateMemory, EditMemory, MergeIntoMemory, MergePolicy, NewMemory
from core.domain.commands_upkeep import KeepMemo
from core.domain.enums import Layer, Status
from core.domain.errors import Conflict, Unavailable
from core.domain.folder import Memo
from core.domain.ids import MemoryPk, TypeId
from core.domain.json_types import Json
from core.domain.memory import TagSet
from core.domain.results import NoveltyReport, WholeMemory

PERSON = "person"
DEFAULT_TYPE = "knowledge"
NEW = 1.0
ATTEMPTS = 3
_one_at_a_time = threading.Lock()
"""Two like texts that come at once must not both be new; the lock covers comparing and writing."""
Values = Mapping[str, object]
"""The own fields of a type, and the lists, by the guide's names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """A record as the guide's methods are given it."""

    title: str | None
    content: str
    bucket: str
    folder_id: str | None
    tags: TagSet
    memory_type: str
    status: str
    source: str
    values: Values


def new_memory(library: BookuLibrary, record: NewRecord) -> NewMemory:
    """What is to be written, checked as far as this can be done without the library's rules.

    Errors: ValueError for a blank text or an unknown status.
    """
    text = str(record.content or "").strip()
    if not text:
        raise ValueError("content must not be empty")
    shown = (record.title or "").strip() or title_of_text(text)
    kind = record.memory_type.strip().lower() or DEFAULT_TYPE
    fields = records.own_fields(record.values)
    related, unknown_ids = _related(library, record.values.get(RELATED))
    people, unknown_people = _people(library, record.values.get(PEOPLE))
    fields |= {
        name: list[Json](rest) for name, rest in ((RELATED, unknown_ids), (PEOPLE, unknown_people)) if rest
    }
    wanted = records.status_of(record.status)
    if records.is_archive(record.bucket) and wanted is Status.ACTIVE:
        wanted = Status.ARCHIVED
    return NewMemory(
        folder=library.folder(record.folder_id),
        type=TypeId(kind),
        title=shown,
        body=split_title(shown, text)[1].strip(),
        fields=fields,
        layer=records.layer_of(record.bucket),
        source=record.source,
        tags=record.tags,
        aliases=records.texts(_listed(record.values.get("relation_aliases"))),
        status=wanted,
        related=related,
        people=people,
    )


def _listed(value: object) -> Iterable[object] | None:
    return value if isinstance(value, list | tuple | set | frozenset) else None


def _related(library: BookuLibrary, value: object) -> tuple[tuple[MemoryPk, ...], tuple[str, ...]]:
    """The memories of related ids, and the ids that name none (they are kept as they are)."""
    ids = records.texts(_listed(value))
    found = library.find(ids)
    return tuple(dict.fromkeys(found.values())), tuple(each for each in ids if each not in found)


def _people(library: BookuLibrary, value: object) -> tuple[tuple[MemoryPk, ...], tuple[str, ...]]:
    """Persons known by that id, title or alias, and the names that fit none or several."""
    names = records.texts(_listed(value))
    if not names:
        return (), ()
    found = {name: pks[0] for name, pks in library.ask(qb.PeopleNamed(names)) if len(pks) == 1}
    return tuple(dict.fromkeys(found.values())), tuple(name for name in names if name not in found)


def create(library: BookuLibrary, new: NewMemory) -> tuple[WholeMemory, float]:
    """Write a new memory, whatever there is already. Returns it and its novelty."""
    novelty = _novelty(library, new).novelty
    pk = library.run(CreateMemory(replace(new, novelty=novelty))).created[0]
    return library.whole([pk])[0], novelty


def upsert(library: BookuLibrary, new: NewMemory) -> Item:
    """Write a memory, or merge it into the one that says the same: the same person, or nearly the same text.

    Errors: Conflict when that one is changed by others again and again while it is compared.
    """
    for attempt in range(ATTEMPTS):
        try:
            with _one_at_a_time:
                return _upsert(library, new)
        except Conflict:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("not reached")


def _upsert(library: BookuLibrary, new: NewMemory) -> Item:
    report = _novelty(library, new)
    target, revision = _target(library, new, report)
    new = replace(new, novelty=report.novelty)
    policy = library.settings.policy
    if target is None:
        pk = library.run(CreateMemory(new)).created[0]
        return _answer(library.whole([pk])[0], "created", report.novelty)
    if policy is MergePolicy.ASK:
        return _answer(library.whole([target])[0], "proposed", report.novelty)
    command = MergeIntoMemory(target=target, memory=new, policy=policy, expected_revision=revision)
    written = library.run(command)
    answer = _answer(library.whole([target])[0], "merged", report.novelty)
    return {**answer, "changed": written.op is not None}


def _novelty(library: BookuLibrary, new: NewMemory) -> NoveltyReport:
    """How new the text is; without an embedder it counts as new."""
    try:
        library.ask(qi.EmbedWaiting())
        return library.ask(
            q.NoveltyOf(
                folder=new.folder,
                title=new.title,
                body=new.body,
                layer=new.layer or Layer.MEMORY,
                neighbours=library.settings.top_n,
                cutoff=library.settings.energy_cutoff,
            )
        )
    except Unavailable:
        return NoveltyReport(novelty=NEW)


def _target(
    library: BookuLibrary, new: NewMemory, report: NoveltyReport
) -> tuple[MemoryPk | None, int | None]:
    """The memory to merge into: the person of that id, else the nearest one that is not locked."""
    person_id = new.fields.get("person_id")
    if new.type == PERSON and isinstance(person_id, str):
        known = library.ask(qb.PersonMemories(person_id))
        if known:
            return known[0], None
    if not report.merges:
        return None, None
    nearest = report.neighbours[0]
    if nearest.locked:
        return None, None
    return nearest.pk, nearest.revision


def _answer(whole: WholeMemory, mode: str, novelty: float) -> Item:
    return {
        "mode": mode,
        "id": whole.memory.id,
        "collection": records.collection_of(whole.memory, whole.folder_name),
        "novelty_energy": novelty,
        "item": records.item(whole),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChange:
    """What of a record is to be changed; None leaves alone."""

    title: str | None
    content: str | None
    tags: TagSet | None
    memory_type: str | None
    status: str | None
    values: Values


def update(library: BookuLibrary, whole: WholeMemory, change: RecordChange) -> WholeMemory:
    """Change what was given: None leaves alone, an explicit empty clears. Returns the memory as it is then."""
    memory, values = whole.memory, change.values
    new_title = (change.title or "").strip() or memory.title
    body = None if change.content is None else split_title(new_title, change.content.strip())[1].strip()
    fields = _changed_fields(values)
    related = people = None
    if values.get(RELATED) is not None:
        related, unknown = _related(library, values[RELATED])
        fields[RELATED] = list(unknown) or None
    if values.get(PEOPLE) is not None:
        people, unknown = _people(library, values[PEOPLE])
        fields[PEOPLE] = list(unknown) or None
    aliases = values.get("relation_aliases")
    command = EditMemory(
        memory=memory.pk,
        title=UNSET if new_title == memory.title else new_title,
        body=UNSET if body is None else body,
        fields=fields or UNSET,
        type=UNSET
        if change.memory_type is None
        else TypeId(change.memory_type.strip().lower() or DEFAULT_TYPE),
        tags=UNSET if change.tags is None else replace(change.tags, general=whole.tags.general),
        aliases=UNSET if aliases is None else records.texts(_listed(aliases)),
        status=UNSET if change.status is None else records.status_of(change.status),
        related=UNSET if related is None else related,
        people=UNSET if people is None else people,
        may_empty=True,
        expected_revision=memory.revision,
    )
    library.run(command)
    return library.whole([memory.pk])[0]


def _changed_fields(values: Values) -> dict[str, Json]:
    """Own fields that are given; blank texts and the time 0 remove a field."""
    fields: dict[str, Json] = {}
    for name in (records.PERSON_ID, *records.TEXT_FIELDS):
        if values.get(name) is not None:
            fields[name] = str(values[name]).strip() or None
    for name in records.TIME_FIELDS:
        if values.get(name) is not None:
            fields[name] = records.number(values[name], name) or None
    return fields


def keep_memo(library: BookuLibrary, content: str, expire_hours: object, stream_id: str | None) -> Item:
    """Keep a memo or let it live on. Errors: ValueError."""
    hours = records.number(expire_hours, "expire_hours")
    command = KeepMemo(
        folder=library.folder(None), content=str(content or ""), stream_id=stream_id or "", hours=hours
    )
    result = library.run(command)
    memos = library.ask(qu.MemosOf(at=library.clock()))
    memo = next(each for each in memos if each.pk == result.created_memo)
    return {
        "action": "create_temporary_memo",
        "mode": "refreshed" if result.counts.get("refreshed") else "created",
        "memo_id": memo.id,
        "expires_at": memo.expires_at.timestamp(),
        "active_memo_count": len(memos),
        "item": _memo_item(memo),
    }


def _memo_item(memo: Memo) -> Item:
    return {
        "memo_id": memo.id,
        "stream_id": memo.stream_id,
        "content": memo.content,
        "expires_at": memo.expires_at.timestamp(),
        "created_at": memo.created_at.timestamp(),
        "updated_at": memo.updated_at.timestamp(),
    }
