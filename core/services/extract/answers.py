"""Answers to the queries about extraction and the tasks after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from core.domain import queries_extract as q
from core.domain.api import Cancel
from core.domain.queries import Query
from core.ports.store import Store
from core.services.extract.due import due_tasks
from core.services.folder_values import profile_diffs, values_of

if TYPE_CHECKING:
    from core.ports.progress import CancelToken
    from core.services.extract.automatic import Automatic
    from core.services.extract.run import Extraction
    from core.services.extract.tasks import Tasks

Answer = Callable[[Any, "Cancel | None"], Any]


def extract_answers(
    store: Store,
    extraction: Callable[[], Extraction],
    tasks: Callable[[], Tasks],
    automatic: Callable[[], Automatic],
) -> Mapping[type[Query[Any]], Answer]:
    """One function for each query. What works is made when it is first asked."""

    def due(query: q.DueTasks, _cancel: Cancel | None) -> tuple[q.PromptTask, ...]:
        with store.read() as reader:
            return due_tasks(reader, query)

    def values(query: q.FolderValuesOf, _cancel: Cancel | None) -> tuple[q.FolderValue, ...]:
        with store.read() as reader:
            return values_of(reader, query)

    def diffs(query: q.ProfileDiffs, _cancel: Cancel | None) -> tuple[q.ProfileDiff, ...]:
        with store.read() as reader:
            return profile_diffs(reader, query)

    return {
        q.FolderValuesOf: values,
        q.ProfileDiffs: diffs,
        q.DueTasks: due,
        q.PlanExtraction: lambda query, cancel: extraction().plan(query, _token(cancel)),
        q.SegmentBoundaries: lambda query, cancel: extraction().boundaries(query.folder, _token(cancel)),
        q.RunExtraction: lambda query, cancel: extraction().start(query, _token(cancel)),
        q.ResumeExtraction: lambda query, cancel: extraction().resume(query.run, _token(cancel)),
        q.ExtractionRuns: lambda _query, _cancel: extraction().runs(),
        q.ForgetRun: lambda query, _cancel: extraction().forget(query.run),
        q.RunAutomatic: lambda query, cancel: automatic().run(query, _token(cancel)),
        q.RunTask: lambda query, cancel: tasks().run(query, _token(cancel)),
    }


def _token(cancel: Cancel | None) -> CancelToken | None:
    return cast("CancelToken | None", cancel)
