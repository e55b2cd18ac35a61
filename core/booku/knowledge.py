"""`BookuKnowledgeService`: the guide's methods for documents, name for name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from core.booku import documents
from core.booku.library import BookuLibrary, guide_errors
from core.booku.records import Item
from core.booku.settings import BookuSettings
from core.domain.api import EngineApi
from core.ports.clock import system_clock

T = TypeVar("T")


class BookuKnowledgeService:
    """Booku's knowledge service (spec/BOOKU §5, the developer's guide; DESIGN §5 where they disagree).

    Cheap and without state, like `BookuMemoryService`. Errors: ValueError for a text that is blank, a file that is
    no document or asks for an encoding or a password; FileNotFoundError; RuntimeError for what cannot be done now.
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

    async def ingest_document(
        self, *, title: str, content: str = "", file_path: str | None = None, source: str = "agent"
    ) -> Item:
        """Take a document in, from its text or from a file (the text wins).

        The same content is not taken in twice (mode `same`); another content for the same file or title is a new
        version (mode `replaced`). Returns action, mode, document_id, title, chunk_count, bucket, folder_id,
        collection, items (the first ids), problems.
        """
        return await self._do(lambda library: documents.ingest(library, title, content, file_path, source))

    async def export_document_titles(self) -> list[str]:
        """Titles of all documents, each once, in brackets as Booku keeps them."""
        return await self._do(documents.titles)

    async def dump_documents(self, *, limit: int = 100) -> Item:
        """The newest pieces with their texts and tags. Returns action, total, items."""
        return await self._do(lambda library: documents.dump(library, limit))

    async def remember_titles_json(self) -> str:
        """The titles as JSON text, for a prompt."""
        return json.dumps(await self.export_document_titles(), ensure_ascii=False)

    async def startup_ingest(self) -> Item:
        """Take in what lies below the start-up paths of the settings, and what changed there since.

        Returns action, ingested, updated, skipped, failed, titles.
        """
        return await self._do(documents.startup)
