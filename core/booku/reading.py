"""Reading: retrieve, search, grep, list, status (spec/BOOKU §3 with DESIGN §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from core.algos import booku_names
from core.booku import records
from core.booku.library import BookuLibrary
from core.booku.records import Item
from core.domain import queries as q
from core.domain import queries_index as qi
from core.domain import queries_recall as qr
from core.domain.enums import Layer, Status
from core.domain.errors import Unavailable
from core.domain.ids import FolderPk, MemoryId, TypeId
from core.domain.memory import TagSet
from core.domain.queries import MemoryFilter, Sort, SortKey, TrashScope
from core.domain.recall import RecallMode, RecallRequest, RecallResult, Scope
from core.domain.results import WholeMemory

RECIPE = "booku"
CALLER = "booku"
MOST_RECALLED = 50
"""retrieval.default_top_k goes up to this."""
LISTED_IDS = 200
PATTERN_SECONDS = 1.0
GREP_FIELDS = ("title", "summary", "content", "tags", "metadata")
_BY_USE = Sort(SortKey.LAST_USED)
_BY_CHANGE = Sort(SortKey.UPDATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Conditions on records; None and blank ask for nothing."""

    memory_type: str | None = None
    status: str | None = None
    person_id: str | None = None
    relation_of: str | None = None
    include_archived: bool = True
    include_knowledge: bool = True

    def fits(self, whole: WholeMemory) -> bool:
        """Whether a record meets all of them."""
        memory = whole.memory
        return (
            (not self.memory_type or memory.type == self.memory_type.strip().lower())
            and (not self.status or memory.status == self.status.strip().lower())
            and (not self.person_id or memory.fields.get(records.PERSON_ID) == self.person_id)
            and (not self.relation_of or self.relation_of in records.metadata(whole)[records.RELATED])
            and (self.include_archived or memory.status is Status.ACTIVE)
            and (self.include_knowledge or memory.layer is not Layer.KNOWLEDGE)
        )

    @property
    def filter(self) -> MemoryFilter:
        """What of it the store can look up."""
        kind = (self.memory_type or "").strip().lower()
        word = (self.status or "").strip().lower()
        return MemoryFilter(
            types=frozenset({TypeId(kind)}) if kind else frozenset(),
            statuses=frozenset({Status(word)}) if word in set(Status) else frozenset(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retrieval as asked for."""

    text: str
    top_k: int | None = None
    include_archived: bool | None = None
    include_knowledge: bool | None = None
    tags: TagSet


# --- retrieve -------------------------------------------------------------------------------


def recalled(library: BookuLibrary, asked: Retrieval) -> tuple[RecallResult, list[tuple[WholeMemory, float]]]:
    """What the recipe `booku` chooses over the whole library, counted as recalled, best first."""
    settings = library.settings
    library.embed_waiting()
    archived, knowledge = asked.include_archived, asked.include_knowledge
    request = RecallRequest(
        message=asked.text,
        scope=Scope.LIBRARY,
        viewer="",
        recipe=RECIPE,
        tags=asked.tags,
        include_archived=settings.include_archived_default if archived is None else bool(archived),
        include_knowledge=settings.include_knowledge_default if knowledge is None else bool(knowledge),
        top_k=min(int(asked.top_k or settings.default_top_k), MOST_RECALLED),
        budget_tokens=0,  # the answer is a list of records: no budget of a prompt cuts it
        mode=RecallMode.COMMIT,
        caller=CALLER,
    )
    result = library.ask(qr.Recall(request))
    wholes = {whole.memory.pk: whole for whole in library.whole([item.pk for item in result.selected])}
    found = [(wholes[item.pk], item.score) for item in result.selected if item.pk in wholes]
    return result, found


def retrieve(library: BookuLibrary, asked: Retrieval) -> Item:
    """The answer of retrieve_memories."""
    result, found = recalled(library, asked)
    return {
        "query": asked.text,
        "logic_depth": float(result.logic_depth or 0.0),
        "resonance": bool(result.resonance),
        "beta": float(result.beta or 0.0),
        "total": len(found),
        "results": [
            {
                **records.item(whole),
                "score": score,
                "collection": records.collection_of(whole.memory, whole.folder_name),
            }
            for whole, score in found
        ],
    }


# --- search ---------------------------------------------------------------------------------


def search(
    library: BookuLibrary,
    top_n: int,
    query_text: str | None,
    tags: TagSet,
    wanted: Wanted,
    *,
    include_related: bool,
) -> Item:
    """The answer of search_memory_entries: by meaning, then by tags, then by words; or by conditions alone."""
    limit = max(1, int(top_n))
    query = (query_text or "").strip()
    meant = query or " ".join((*tags.core, *tags.diffusion, *tags.opposing))
    found: dict[MemoryId, WholeMemory] = {}
    ways = (
        _ways(library, query, meant, limit, tags, wanted)
        if meant
        else [library.pages(wanted.filter, _BY_USE)]
    )
    for way in ways:
        _take(found, (whole for whole in way if wanted.fits(whole)), limit)
    if include_related:
        targets = list(dict.fromkeys(each for whole in found.values() for each in whole.related))
        _take(found, library.live(targets), limit)
    entries = [
        {"id": whole.memory.id, "title": records.item(whole)["title"], "metadata": records.metadata(whole)}
        for whole in found.values()
    ]
    return {"action": "search_memory_entries", "total": len(entries), "items": entries}


def _take(found: dict[MemoryId, WholeMemory], more: Iterable[WholeMemory], limit: int) -> None:
    """Add records until there are enough; reading stops then."""
    if len(found) >= limit:
        return
    for whole in more:
        found.setdefault(whole.memory.id, whole)
        if len(found) >= limit:
            return


def _ways(
    library: BookuLibrary, query: str, meant: str, limit: int, tags: TagSet, wanted: Wanted
) -> Iterator[Iterable[WholeMemory]]:
    asked = Retrieval(
        text=meant,
        top_k=3 * limit,
        include_archived=wanted.include_archived,
        include_knowledge=wanted.include_knowledge,
        tags=tags,
    )
    yield (whole for whole, _ in recalled(library, asked)[1])
    if tags.has_triple:
        yield (whole for whole in library.pages(wanted.filter, _BY_USE) if _shares_triple(whole.tags, tags))
    if query:
        yield (whole for whole in library.pages(wanted.filter, _BY_USE) if _holds(whole, query))


def _shares_triple(own: TagSet, tags: TagSet) -> bool:
    pairs = ((own.core, tags.core), (own.diffusion, tags.diffusion), (own.opposing, tags.opposing))
    return all(set(left) & set(right) for left, right in pairs)


def _holds(whole: WholeMemory, words: str) -> bool:
    memory = whole.memory
    needle = words.casefold()
    return any(needle in text.casefold() for text in (memory.title, memory.body, memory.id))


# --- grep and list --------------------------------------------------------------------------


def grep(
    library: BookuLibrary,
    query: str,
    search_fields: Iterable[str],
    folder_id: str | None,
    top_k: int,
    *,
    include_archived: bool,
    use_regex: bool,
) -> Item:
    """The answer of grep_memories, newest changes first. `%` and `_` stand for themselves.

    Errors: ValueError for a pattern that cannot be read or takes too long.
    """
    words = query.strip()
    chosen = [name for name in dict.fromkeys(search_fields) if name in GREP_FIELDS] or ["title", "content"]
    items: list[Item] = []
    if words and (where := _in_folder(library, folder_id)) is not None:
        matches = _matcher(words, use_regex=use_regex)
        if not include_archived:
            where = replace(where, statuses=frozenset({Status.ACTIVE}))
        for whole in library.pages(where, _BY_CHANGE):
            if any(matches(text) for name in chosen for text in _grep_texts(whole, name)):
                items.append(records.item(whole))
            if len(items) >= max(1, int(top_k)):
                break
    return {"action": "grep_memories", "query": query, "total": len(items), "items": items}


def _matcher(words: str, *, use_regex: bool) -> Callable[[str], bool]:
    if not use_regex:
        needle = words.casefold()
        return lambda text: needle in text.casefold()
    try:
        pattern = regex.compile(words)
    except regex.error as error:
        raise ValueError(f"the pattern cannot be read: {error}") from error

    def matches(text: str) -> bool:
        try:
            return pattern.search(text, timeout=PATTERN_SECONDS) is not None
        except TimeoutError:
            raise ValueError("the pattern takes too long; make it simpler") from None

    return matches


def _grep_texts(whole: WholeMemory, name: str) -> Sequence[str]:
    memory, tags = whole.memory, whole.tags
    match name:
        case "title":
            return (memory.title,)
        case "tags":
            return (*tags.general, *tags.core, *tags.diffusion, *tags.opposing)
        case "metadata":
            return (memory.id, memory.source, whole.folder_name, records.bucket_of(memory))
        case _:
            return (memory.title, memory.body)


def _in_folder(library: BookuLibrary, folder_id: str | None) -> MemoryFilter | None:
    """The filter of a folder (None = all); no filter when there is no such folder."""
    if folder_id is None or not folder_id.strip():
        return MemoryFilter()
    folder = library.find_folder(folder_id)
    return None if folder is None else MemoryFilter(folders=frozenset({folder.pk}))


def entries(
    library: BookuLibrary,
    keyword: str | None,
    wanted: Wanted,
    folder_id: str | None,
    bucket: str | None,
    *,
    include_deleted: bool,
    limit: int,
) -> Item:
    """The answer of list_memory_entries, the ones used last first; every condition before the limit."""
    found: dict[MemoryId, WholeMemory] = {}
    where = _in_folder(library, folder_id)
    if where is not None:
        where = replace(
            where,
            types=wanted.filter.types,
            statuses=wanted.filter.statuses,
            layers=_layers(bucket),
            trash=TrashScope.BOTH if include_deleted else TrashScope.OUTSIDE,
        )
        words = (keyword or "").strip()
        fitting = (
            whole
            for whole in library.pages(where, _BY_USE)
            if wanted.fits(whole)
            and (not words or _holds(whole, words))
            and (not bucket or not records.is_archive(bucket) or whole.memory.status is not Status.ACTIVE)
        )
        _take(found, fitting, max(1, int(limit)))
    items = [records.item(whole) for whole in found.values()]
    return {"action": "list_memory_entries", "total": len(items), "items": items}


def _layers(bucket: str | None) -> frozenset[Layer]:
    """Layers of a bucket: `memory` is everything outside the documents, the guide's layers are themselves."""
    name = (bucket or "").strip().lower()
    if not name:
        return frozenset()
    if name in {Layer.EMERGENT, Layer.INHERENT, Layer.KNOWLEDGE}:
        return frozenset({Layer(name)})
    return frozenset(Layer) - {Layer.KNOWLEDGE}


# --- status ---------------------------------------------------------------------------------


def status(
    library: BookuLibrary, folder_id: str | None, recent_limit: int, *, include_archived: bool
) -> Item:
    """The answer of query_memory_status."""
    folder = library.find_folder(folder_id)
    statuses = frozenset[Status]() if include_archived else frozenset(Status) - {Status.ARCHIVED}
    pks: Sequence[int] = ()
    recent: list[Item] = []
    metadata_counts = {"memory": 0, "knowledge": 0}
    if folder is not None:
        where = MemoryFilter(folders=frozenset({folder.pk}), statuses=statuses)
        pks = library.ask(q.ListMemories(where, _BY_CHANGE))
        recent = [records.item(whole) for whole in library.whole(pks[: max(0, int(recent_limit))])]
        metadata_counts = counts(library, folder.pk)
    return {
        "action": "query_memory_status",
        "folder_id": library.folder_id(folder_id),
        "vector_counts": vectors(library, folder.pk if folder is not None else FolderPk(0)),
        "metadata_counts": metadata_counts,
        "recent": recent,
        "folder_memory_ids": [whole.memory.id for whole in library.whole(pks[:LISTED_IDS])],
    }


def whole_status(library: BookuLibrary, recent_limit: int) -> Item:
    """The answer of get_status for all folders."""
    pks = library.ask(q.ListMemories(MemoryFilter(), _BY_CHANGE))[:recent_limit]
    return {
        "folder_id": "all",
        "counts": {"vector": vectors(library, None), "metadata": counts(library, None)},
        "recent": [records.item(whole) for whole in library.whole(pks)],
        "folder_memory_ids": [],
    }


def counts(library: BookuLibrary, folder: FolderPk | None) -> Item:
    """Live records of a folder (None = of all) by bucket."""
    where = MemoryFilter(folders=frozenset() if folder is None else frozenset({folder}))
    layers = library.ask(q.FacetCounts(where)).layers
    knowledge = layers.get(Layer.KNOWLEDGE.value, 0)
    return {"memory": sum(layers.values()) - knowledge, "knowledge": knowledge}


def vectors(library: BookuLibrary, folder: FolderPk | None) -> Item:
    """Vectors of the records of a folder (None = of all), and of all documents; 0 without an embedder."""
    library.embed_waiting()
    try:
        memory, knowledge = library.ask(qi.VectorCounts(folder))
    except Unavailable:
        memory = knowledge = 0
    return {"memory": memory, "knowledge": knowledge}


def folder_ids(library: BookuLibrary) -> Item:
    """The answer of list_folder_ids: the default folder, then those that hold memories, by name."""
    names = sorted(
        booku_names.folder(node.folder.name) for node in library.ask(q.Folders()) if node.memories > 0
    )
    items = list(dict.fromkeys([library.folder_id(None), *names]))
    return {"action": "list_folder_ids", "total": len(items), "items": items}
