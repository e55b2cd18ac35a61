"""What follows an extraction: evolution, synopsis, reflection and consolidation, each as a proposal.

Source: spec/STBME §3.8. We differ (DESIGN §5): each is a proposal, vectors follow by themselves, inputs have a limit,
and without a model the same is done from the memories' own sentences and their likeness, and labelled so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.domain.edge import Edge
from core.domain.errors import Invalid
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk, RelationId
from core.domain.proposal import (
    BUILT_IN,
    NewProposal,
)
from core.domain.queries_extract import PromptTask, RunTask, TaskReport
from core.ports.language_model import LanguageModel
from core.ports.progress import CancelToken
from core.ports.proposals import Proposals
from core.ports.store import Reader, Store
from core.services.extract.consolidation import consolidation
from core.services.extract.evolution import evolution
from core.services.extract.looking_back import reflection, synopsis
from core.services.extract.meaning import Meaning
from core.services.extract.request import language_of
from core.services.extract.shelf import open_shelf
from core.services.extract.task_job import Job, Nothing
from core.services.lookup import folder_of
from core.services.prompts import PromptBook

CONTRADICTS = RelationId("contradicts")


class Tasks:
    """Makes proposals of what follows an extraction. Calls may come from any thread."""

    def __init__(
        self,
        store: Store,
        proposals: Proposals,
        book: PromptBook,
        model: Callable[[PromptTask], LanguageModel | None],
        meaning: Callable[[], Meaning | None],
    ) -> None:
        self._store = store
        self._proposals = proposals
        self._book = book
        self._model = model
        self._meaning = meaning

    def run(self, query: RunTask, cancel: CancelToken | None = None) -> TaskReport:
        """One task; see RunTask."""
        maker = _MAKERS.get(query.task)
        if maker is None:
            raise Invalid("error.extract.task", task=query.task.value)
        model = None if query.built_in else self._model(query.task)
        with self._store.read() as reader:
            job = self._job(reader, query.folder, model, cancel)
            edges = [edge for edge in reader.edges_in(query.folder) if edge.relation == CONTRADICTS]
        name = BUILT_IN if model is None else model.name
        try:
            made = maker(job, query.memories, edges)
        except Nothing as nothing:
            return TaskReport(task=query.task, why=nothing.why, args=dict(nothing.places), model=name)
        pk = self._proposals.add(
            replace(
                made,
                folder=query.folder,
                source=name,
                used=job.used,
            )
        )
        return TaskReport(task=query.task, proposal=pk, model=name)

    def _job(
        self, reader: Reader, folder: FolderPk, model: LanguageModel | None, cancel: CancelToken | None
    ) -> Job:
        values = FolderValues(folder_of(reader, folder).settings)
        shelf = open_shelf(reader, folder)
        sample = " ".join(f"{each.title} {each.body}" for each in shelf.known[:40])
        language = language_of(values, sample)
        return Job(self._book, model, self._meaning(), values, folder, shelf, language, cancel)


_MAKERS: Mapping[PromptTask, Callable[[Job, Sequence[MemoryPk], Sequence[Edge]], NewProposal]] = {
    PromptTask.EVOLVE: evolution,
    PromptTask.SYNOPSIS: synopsis,
    PromptTask.REFLECT: reflection,
    PromptTask.CONSOLIDATE: consolidation,
}
