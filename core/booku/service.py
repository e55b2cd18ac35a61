"""`BookuMemoryService`: the guide's methods, name for name, over the library that the window shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from core.algos.command_line import ServiceCall
from core.booku import command, reading, records, upkeep, writing
from core.booku.arguments import checked
from core.booku.library import BookuLibrary, guide_errors
from core.booku.reading import Retrieval, Wanted
from core.booku.records import Item
from core.booku.settings import BookuSettings
from core.booku.writing import NewRecord, RecordChange
from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain.api import EngineApi
from core.domain.ids import MemoryPk
from core.domain.memory import TagSet
from core.ports.clock import system_clock

T = TypeVar("T")
Texts = Sequence[str] | None


class BookuMemoryService:
    """Booku's memory service (spec/BOOKU §3, the developer's guide; DESIGN §5 where they disagree).

    Cheap to make and without state: several may work on one engine. Every method runs its work in a thread, so
    that the caller's loop goes on. Errors: ValueError for a call that cannot be right (blank text, half a tag
    triple, unknown type or status, a person without `platform:id`), RuntimeError for what cannot be done now.
    """

    def __init__(
        self,
        engine: EngineApi,
        settings: BookuSettings | None = None,
        *,
        clock: Callable[[], datetime] = system_clock,
        language: str = "en",
    ) -> None:
        self._library = BookuLibrary(engine, settings or BookuSettings(), clock, language)

    async def _do(self, work: Callable[[BookuLibrary], T]) -> T:
        def run() -> T:
            with guide_errors(self._library.language):
                return work(self._library)

        return await asyncio.to_thread(run)

    # --- write ---------------------------------------------------------------------------

    @checked
    async def upsert_memory(  # noqa: PLR0913 - the guide's signature
        self,
        content: str,
        *,
        title: str | None = None,
        bucket: str = "memory",
        folder_id: str | None = None,
        tags: Texts = None,
        core_tags: Texts = None,
        diffusion_tags: Texts = None,
        opposing_tags: Texts = None,
        memory_type: str = "knowledge",
        status: str = "active",
        person_id: str | None = None,
        relation_memory_ids: Texts = None,
        relation_aliases: Texts = None,
        event_start_at: float = 0.0,
        event_end_at: float = 0.0,
        related_people: Texts = None,
        knowledge_type: str = "",
        address_or_coord: str = "",
        place_type: str = "",
        asset_type: str = "",
        disposition_status: str = "",
        procedure_type: str = "",
        source: str = "agent",
    ) -> Item:
        """Write a memory, or merge it into the one that says the same.

        Merged: novelty below the cut-off and the nearest memory's cosine at the embedder's `same_text`, or a
        person whose `person_id` is known. By policy the two are united, overwritten, or only proposed.
        Returns mode (created, merged, proposed), id, collection, novelty_energy, item.
        """
        record = _new_record(locals())
        return await self._do(lambda library: writing.upsert(library, writing.new_memory(library, record)))

    @checked
    async def create_memory(  # noqa: PLR0913 - the guide's signature
        self,
        *,
        title: str,
        content: str,
        folder_id: str | None = None,
        bucket: str = "emergent",
        core_tags: Texts = None,
        diffusion_tags: Texts = None,
        opposing_tags: Texts = None,
        memory_type: str = "knowledge",
        status: str = "active",
        person_id: str | None = None,
        relation_memory_ids: Texts = None,
        relation_aliases: Texts = None,
        event_start_at: float = 0.0,
        event_end_at: float = 0.0,
        related_people: Texts = None,
        knowledge_type: str = "",
        address_or_coord: str = "",
        place_type: str = "",
        asset_type: str = "",
        disposition_status: str = "",
        procedure_type: str = "",
        tags: Texts = None,
        source: str = "agent",
    ) -> Item:
        """Write a new memory: never merges. Returns action, mode `created`, total, items."""
        record = _new_record(locals())

        def work(library: BookuLibrary) -> Item:
            whole, novelty = writing.create(library, writing.new_memory(library, record))
            return {
                "action": "create_memory",
                "mode": "created",
                "total": 1,
                "items": [records.item(whole)],
                "id": whole.memory.id,
                "collection": records.collection_of(whole.memory, whole.folder_name),
                "novelty_energy": novelty,
            }

        return await self._do(work)

    @checked
    async def create_temporary_memo(
        self, *, content: str, expire_hours: float = 2.0, stream_id: str | None = None
    ) -> Item:
        """Keep a short-lived memo; the same text in the same stream lives on."""
        return await self._do(lambda library: writing.keep_memo(library, content, expire_hours, stream_id))

    # --- retrieve ------------------------------------------------------------------------

    @checked
    async def retrieve_memories(
        self,
        query_text: str,
        *,
        top_k: int | None = None,
        include_archived: bool | None = None,
        include_knowledge: bool | None = None,
        core_tags: Texts = None,
        diffusion_tags: Texts = None,
        opposing_tags: Texts = None,
    ) -> Item:
        """What the recipe `booku` recalls over all folders, best first; counts as recalled."""
        asked = Retrieval(
            text=query_text,
            top_k=top_k,
            include_archived=include_archived,
            include_knowledge=include_knowledge,
            tags=records.triple(core_tags, diffusion_tags, opposing_tags),
        )
        return await self._do(lambda library: reading.retrieve(library, asked))

    @checked
    async def search_memory_entries(  # noqa: PLR0913 - the guide's signature
        self,
        *,
        top_n: int = 10,
        query_text: str | None = None,
        memory_type: str | None = None,
        status: str | None = None,
        person_id: str | None = None,
        relation_of: str | None = None,
        include_archived: bool = False,
        include_knowledge: bool = True,
        include_related: bool = False,
        core_tags: Texts = None,
        diffusion_tags: Texts = None,
        opposing_tags: Texts = None,
    ) -> Item:
        """Id, title and metadata of what fits: by meaning, tags and words, or by the conditions alone."""
        tags = records.triple(core_tags, diffusion_tags, opposing_tags)
        wanted = Wanted(
            memory_type=memory_type,
            status=status,
            person_id=person_id,
            relation_of=relation_of,
            include_archived=include_archived,
            include_knowledge=include_knowledge,
        )
        return await self._do(
            lambda library: reading.search(
                library, top_n, query_text, tags, wanted, include_related=include_related
            )
        )

    @checked
    async def grep_memories(
        self,
        *,
        query: str,
        search_fields: Sequence[str],
        folder_id: str | None = None,
        include_archived: bool = False,
        top_k: int = 10,
        use_regex: bool = False,
    ) -> Item:
        """Records in whose fields (title, summary, content, tags, metadata) the words or the pattern stand."""
        return await self._do(
            lambda library: reading.grep(
                library,
                query,
                search_fields,
                folder_id,
                top_k,
                include_archived=include_archived,
                use_regex=use_regex,
            )
        )

    # --- read ----------------------------------------------------------------------------

    @checked
    async def read_full_content(self, *, memory_ids: Sequence[str]) -> Item:
        """Whole texts in the order asked; `missing` names unknown and trashed ids."""

        def work(library: BookuLibrary) -> Item:
            asked = [str(each) for each in memory_ids]
            found = library.find(asked)
            wholes = {whole.memory.pk: whole for whole in library.whole(list(found.values()))}
            live = {
                each: wholes[pk]
                for each, pk in found.items()
                if pk in wholes and wholes[pk].memory.deleted_at is None
            }
            items = [records.item(live[each], full=True) for each in asked if each in live]
            missing = [each for each in dict.fromkeys(asked) if each not in live]
            return {
                "action": "read",
                "requested": len(asked),
                "total": len(items),
                "items": items,
                "missing": missing,
            }

        return await self._do(work)

    @checked
    async def get_memory_detail(self, *, memory_id: str, include_deleted: bool = True) -> Item:
        """One record with its whole text, from the trash too unless `include_deleted` is off."""

        def work(library: BookuLibrary) -> Item:
            whole = library.one(memory_id)
            if whole is not None and whole.memory.deleted_at is not None and not include_deleted:
                whole = None
            item = None if whole is None else records.item(whole, full=True)
            return {"action": "get_memory_detail", "found": whole is not None, "item": item}

        return await self._do(work)

    @checked
    async def list_memory_entries(  # noqa: PLR0913 - the guide's signature
        self,
        *,
        keyword: str | None = None,
        memory_type: str | None = None,
        status: str | None = None,
        person_id: str | None = None,
        folder_id: str | None = None,
        bucket: str | None = None,
        include_archived: bool = True,
        include_deleted: bool = False,
        limit: int = 50,
    ) -> Item:
        """Records by conditions, the ones used last first."""
        wanted = Wanted(
            memory_type=memory_type, status=status, person_id=person_id, include_archived=include_archived
        )
        return await self._do(
            lambda library: reading.entries(
                library, keyword, wanted, folder_id, bucket, include_deleted=include_deleted, limit=limit
            )
        )

    @checked
    async def query_memory_status(
        self, *, folder_id: str | None = None, include_archived: bool = True, recent_limit: int = 8
    ) -> Item:
        """Counts, newest records and ids of a folder (None = the default one)."""
        return await self._do(
            lambda library: reading.status(
                library, folder_id, recent_limit, include_archived=include_archived
            )
        )

    @checked
    async def get_status(self, folder_id: str | None = None) -> Item:
        """The same in short, of a folder or (None) of all."""

        def work(library: BookuLibrary) -> Item:
            if folder_id is None:
                return reading.whole_status(library, recent_limit=8)
            found = reading.status(library, folder_id, 8, include_archived=True)
            return {
                "folder_id": found["folder_id"],
                "counts": {"vector": found["vector_counts"], "metadata": found["metadata_counts"]},
                "recent": found["recent"],
                "folder_memory_ids": found["folder_memory_ids"],
            }

        return await self._do(work)

    @checked
    async def list_folder_ids(self) -> Item:
        """Folders that hold memories, the default one first."""
        return await self._do(reading.folder_ids)

    # --- change and delete ---------------------------------------------------------------

    @checked
    async def update_memory_by_id(  # noqa: PLR0913 - the guide's signature
        self,
        *,
        memory_id: str,
        title: str | None = None,
        content: str | None = None,
        core_tags: Texts = None,
        diffusion_tags: Texts = None,
        opposing_tags: Texts = None,
        memory_type: str | None = None,
        status: str | None = None,
        person_id: str | None = None,
        relation_memory_ids: Texts = None,
        relation_aliases: Texts = None,
        event_start_at: float | None = None,
        event_end_at: float | None = None,
        related_people: Texts = None,
        knowledge_type: str | None = None,
        address_or_coord: str | None = None,
        place_type: str | None = None,
        asset_type: str | None = None,
        disposition_status: str | None = None,
        procedure_type: str | None = None,
    ) -> Item:
        """Change a memory in place: None leaves alone, an explicit empty clears; the tag triple all or none."""
        given = locals()
        change = RecordChange(
            title=title,
            content=content,
            tags=_given_triple(core_tags, diffusion_tags, opposing_tags),
            memory_type=memory_type,
            status=status,
            values=_values(given),
        )

        def work(library: BookuLibrary) -> Item:
            whole = library.one(memory_id)
            if whole is None or whole.memory.deleted_at is not None:
                return {"action": "update_memory_by_id", "updated": 0, "items": []}
            changed = writing.update(library, whole, change)
            return {"action": "update_memory_by_id", "updated": 1, "items": [records.item(changed)]}

        return await self._do(work)

    @checked
    async def delete_memories(self, *, memory_ids: Sequence[str], hard: bool = False) -> Item:
        """Into the trash; with `hard` for ever."""
        return await self._do(lambda library: upkeep.delete(library, memory_ids, hard=hard))

    @checked
    async def move_memories(
        self, *, memory_ids: Sequence[str], to_bucket: str | None = None, to_folder_id: str | None = None
    ) -> Item:
        """To a folder, a bucket, or both."""
        return await self._do(lambda library: upkeep.move(library, memory_ids, to_bucket, to_folder_id))

    @checked
    async def archive_memories(self, memory_ids: Sequence[str], *, folder_id: str | None = None) -> Item:
        """Archive memories (of a folder; None = of any). Returns archived and skipped."""
        return await self._do(lambda library: upkeep.archive(library, memory_ids, folder_id))

    @checked
    async def update_activated(self, memory_id: str) -> None:
        """Count a memory as recalled once more; an unknown id is ignored."""

        def work(library: BookuLibrary) -> None:
            pks = tuple(MemoryPk(pk) for pk in library.find([memory_id]).values())
            if pks:
                library.ask(qb.CountUse(pks))

        await self._do(work)

    @checked
    async def promote_stale_emergent(self, folder_id: str | None = None) -> Item:
        """Judge what has been on trial too long in a folder (None = the default one).

        Recalled often enough: archived, else into the trash. Returns promoted, discarded, folder_id.
        """
        return await self._do(lambda library: upkeep.promote(library, folder_id))

    # --- tools of a model ----------------------------------------------------------------

    async def memory_command(self, command_line: str) -> command.Answer:
        """Run a line of the command language (spec/BOOKU §4.1). Always answers, never raises."""

        async def call(planned: ServiceCall) -> object:
            return await getattr(self, planned.method)(**planned.arguments)

        types = await self._do(lambda library: library.ask(q.LibrarySchema()))
        language = self._library.language
        given: object = command_line  # a model may hand over anything
        return await command.run_command(
            given if isinstance(given, str) else "",
            call,
            help_text=command.manual(language),
            describe=lambda problem: command.problem_text(problem, language),
            types=frozenset(str(item.id) for item in types.types),
        )

    async def temporary_memo(
        self, content: str, expire_hours: float = 2.0, *, stream_id: str | None = None
    ) -> command.Answer:
        """The tool for memos (spec/BOOKU §4.2). Always answers, never raises."""
        return await command.keep_memo(
            lambda: self.create_temporary_memo(
                content=content, expire_hours=expire_hours, stream_id=stream_id
            )
        )


_NOT_VALUES = frozenset(
    {"self", "title", "content", "bucket", "folder_id", "tags", "memory_type", "status", "source"}
)


def _values(given: dict[str, Any]) -> dict[str, object]:
    """The own fields of a type and the lists among the arguments of a call."""
    return {name: value for name, value in given.items() if name not in _NOT_VALUES}


def _new_record(given: dict[str, Any]) -> NewRecord:
    """The arguments of a call that writes a record. Errors: ValueError for half a tag triple."""
    tags = records.triple(given["core_tags"], given["diffusion_tags"], given["opposing_tags"])
    return NewRecord(
        title=given["title"],
        content=given["content"],
        bucket=str(given["bucket"] or ""),
        folder_id=given["folder_id"],
        tags=records.with_general(tags, given["tags"]),
        memory_type=str(given["memory_type"] or ""),
        status=str(given["status"] or ""),
        source=str(given["source"] or ""),
        values=_values(given),
    )


def _given_triple(core: Texts, diffusion: Texts, opposing: Texts) -> TagSet | None:
    """The triple when it is given; None leaves the tags alone. Errors: ValueError for half a triple."""
    given = [group is not None for group in (core, diffusion, opposing)]
    if any(given) and not all(given):
        raise ValueError("core_tags, diffusion_tags and opposing_tags must be given together")
    return records.triple(core, diffusion, opposing) if all(given) else None
