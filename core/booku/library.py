"""What the service asks of a library: folders, ids, whole records; errors as the guide knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from core.algos import booku_names
from core.booku.settings import BookuSettings
from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain import queries_index as qi
from core.domain.api import EngineApi
from core.domain.commands import Command
from core.domain.commands_folders import CreateFolder
from core.domain.errors import Conflict, CuratorError, Invalid, Unavailable, UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import MemoryFilter, Query, Sort
from core.domain.results import OpResult, WholeMemory
from core.domain.texts import render

T = TypeVar("T")
PAGE = 500


@contextmanager
def guide_errors(language: str) -> Iterator[None]:
    """What is wrong with a call is a ValueError, what the library cannot do now a RuntimeError."""
    try:
        yield
    except UserError as error:
        raise ValueError(render(language, error.key, **error.text_args)) from error
    except Conflict as error:
        raise RuntimeError(render(language, error.key, **error.text_args)) from error
    except Unavailable as error:
        text = render(language, error.key, **error.text_args) if error.key else error.reason
        raise RuntimeError(text) from error
    except CuratorError as error:
        raise RuntimeError(str(error)) from error


class BookuLibrary:
    """A library as Booku sees it. Cheap, and without state of its own."""

    def __init__(
        self, engine: EngineApi, settings: BookuSettings, clock: Callable[[], datetime], language: str
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.clock = clock
        self.language = language

    def ask(self, query: Query[T]) -> T:
        """Answer a query."""
        return self.engine.ask(query)

    def run(self, command: Command) -> OpResult:
        """Make a change."""
        return self.engine.run(command)

    # --- folders -------------------------------------------------------------------------

    def folder_id(self, name: str | None) -> str:
        """A folder id as Booku writes it: stripped, lower case, blank = the default."""
        return booku_names.folder(name, self.settings.default_folder_id)

    def find_folder(self, name: str | None) -> Folder | None:
        """The folder of that id: as written, else the one that differs in case only."""
        wanted = self.folder_id(name)
        exact = self.ask(q.FolderByName(name.strip() if name and name.strip() else wanted))
        if exact is not None:
            return exact
        folders = (node.folder for node in self.ask(q.Folders()))
        return next((folder for folder in folders if folder.name.lower() == wanted), None)

    def folder(self, name: str | None) -> FolderPk:
        """The folder of that id, made when there is none. Errors: Invalid for a name that cannot be one."""
        found = self.find_folder(name)
        if found is not None:
            return found.pk
        try:
            made = self.run(CreateFolder(self.folder_id(name))).created_folder
        except Invalid:
            found = self.find_folder(name)  # another call made it in the meantime
            if found is None:
                raise
            return found.pk
        assert made is not None
        return made

    # --- memories ------------------------------------------------------------------------

    def whole(self, pks: Sequence[int]) -> tuple[WholeMemory, ...]:
        """Records with all that hangs on them, in order."""
        return self.ask(qb.WholeMemories(tuple(MemoryPk(pk) for pk in pks))) if pks else ()

    def find(self, ids: Sequence[str]) -> dict[str, MemoryPk]:
        """Pks of ids that name exactly one memory; merged ones as what they were merged into."""
        asked = tuple(dict.fromkeys(str(each) for each in ids))
        if not asked:
            return {}
        found = {each: pks[0] for each, pks in self.ask(qb.FindMemories(asked)) if len(pks) == 1}
        if not found:
            return {}
        ends = self.ask(q.ResolveMemories(tuple(found)))
        return dict(zip(found, ends, strict=True))

    def one(self, memory_id: str) -> WholeMemory | None:
        """The record of an id, from the trash too."""
        pk = self.find([memory_id]).get(memory_id)
        return next(iter(self.whole([pk])), None) if pk is not None else None

    def live(self, ids: Sequence[str]) -> list[WholeMemory]:
        """The records of ids that are outside the trash, each once, in order."""
        pks = list(dict.fromkeys(self.find(ids).values()))
        return [whole for whole in self.whole(pks) if whole.memory.deleted_at is None]

    def pages(self, where: MemoryFilter, sort: Sort) -> Iterator[WholeMemory]:
        """Records that pass a filter, in order, read page by page as they are wanted."""
        pks = self.ask(q.ListMemories(where, sort))
        for start in range(0, len(pks), PAGE):
            yield from self.whole(pks[start : start + PAGE])

    def embed_waiting(self) -> None:
        """Give what was written just now its vector, so that it can be found; without embedder words must do."""
        try:
            self.ask(qi.EmbedWaiting())
        except Unavailable:
            return
