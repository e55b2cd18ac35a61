"""A library with chats, extraction and recall: a real store, scripted models, a tiny embedder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.domain.commands import SetLocked
from core.domain.commands_proposals import ApplyProposal
from core.domain.enums import FolderKind, Role
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.proposal import Part, ProposalView
from core.domain.queries_extract import ExtractionReport, PromptTask, Reach, RunExtraction
from core.domain.queries_proposals import ProposalOf
from core.domain.results import OpResult
from core.engine import Engine
from core.ports.embedder import Embedder
from core.ports.language_model import LanguageModel
from core.ports.store import OpDraft, UnitOfWork
from core.services.compress import Compression
from core.services.extract.answers import extract_answers
from core.services.extract.automatic import Automatic
from core.services.extract.meaning import Meaning
from core.services.extract.run import Extraction, Tools
from core.services.extract.tasks import Tasks
from core.services.prompts import PromptBook
from core.services.proposals import proposal_answers
from core.services.recall.answers import recall_answers
from core.services.summarise import Summariser
from core.services.upkeep_answers import upkeep_answers
from tests.fakes.embedder import HashEmbedder
from tests.recall.desk import RecallDesk
from tests.services.desk import PERSON

Line = tuple[str, str]
"""Role and text of a floor."""


class ExtractDesk(RecallDesk):
    """Commands and queries as in Desk, with extraction. `model`: the language model of all tasks, None = none."""

    def __init__(self, root: Path, embedder: Embedder | None = None) -> None:
        super().__init__(root, embedder or HashEmbedder(dims=512))
        self.own: dict[tuple[str, str], str] = {}
        self.chosen: LanguageModel | None = None
        self.without_embedder = False
        book = PromptBook(lambda: self.own, self._keep)
        tools = Tools(
            store=self.store,
            proposals=self.store.proposals,
            jobs=self.store.jobs,
            book=book,
            run=lambda command, cancel=None: self.run(command, cancel=cancel),
            ask=lambda query, cancel=None: self.engine.ask(query, cancel=cancel),
            model=lambda: self.chosen,
            meaning=self._meaning,
        )
        self.extraction = Extraction(tools)
        self.tasks = Tasks(self.store, self.store.proposals, book, self._model, self._meaning)
        automatic = Automatic(tools, self.extraction)
        self.engine = Engine(
            self.store,
            PERSON,
            {
                **recall_answers(lambda: self.service),
                **upkeep_answers(self.store, lambda: self.store.upkeep, self._compression),
                **proposal_answers(self.store, self.store.proposals),
                **extract_answers(self.store, lambda: self.extraction, lambda: self.tasks, lambda: automatic),
            },
        )

    def _keep(self, own: Any) -> None:
        self.own = dict(own)

    def _model(self, _task: PromptTask) -> LanguageModel | None:
        return self.chosen

    def _compression(self) -> Compression:
        return Compression(self.store, self.store.proposals, lambda: Summariser(self.chosen, "zh_CN"))

    def _meaning(self) -> Meaning | None:
        if self.without_embedder or self.embedder is None:
            return None
        return Meaning(self.embedder, self.store.queue)

    # --- short forms ---------------------------------------------------------------------

    def chat(self, lines: Sequence[Line] = (), name: str = "chats/a", **values: Any) -> FolderPk:
        """A folder with floors; `values` are its settings."""
        folder = self.folder(name, kind=FolderKind.CHAT)
        self.add_floors(folder, lines)
        if values:
            self.set(folder, **values)
        return folder

    def set(self, folder: FolderPk, **values: Any) -> None:
        """Settings of a folder; `__` stands for the point in a key."""
        from core.domain.commands_extract import SetFolderValues

        self.run(SetFolderValues(folder, {key.replace("__", "."): value for key, value in values.items()}))

    def add_floors(self, folder: FolderPk, lines: Iterable[Line], **more: Any) -> None:
        """More floors after those there are."""
        with self.store.read() as reader:
            start = len(reader.messages_of(folder))
        floors = [
            Message(folder=folder, seq=start + at, role=Role(role), text=text, **more)
            for at, (role, text) in enumerate(lines)
        ]

        def write(unit: UnitOfWork) -> None:
            unit.insert(floors)

        self.store.write(OpDraft("op.import", PERSON), write)

    def extract(self, folder: FolderPk, reach: Reach = Reach.ALL, **more: Any) -> ExtractionReport:
        return self.ask(RunExtraction(folder=folder, reach=reach, **more))

    def view(self, proposal: int | None) -> ProposalView:
        assert proposal is not None
        return self.ask(ProposalOf(proposal))

    def parts(self, proposal: int | None) -> tuple[Part, ...]:
        return self.view(proposal).proposal.parts

    def apply(self, proposal: int | None) -> OpResult:
        assert proposal is not None
        return self.run(ApplyProposal(proposal=proposal))

    def run_locked(self, *memories: MemoryPk) -> None:
        """Lock memories."""
        self.run(SetLocked(memories=memories, locked=True))

    def all_of(self, folder: FolderPk) -> list[Memory]:
        with self.store.read() as reader:
            return reader.records(Memory, reader.memories_in(folder))

    def stored(self, folder: FolderPk) -> Folder:
        with self.store.read() as reader:
            return reader.records(Folder, [folder])[0]


def turns(*texts: str) -> list[Line]:
    """Floors in turn of user and assistant."""
    return [("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(texts)]
