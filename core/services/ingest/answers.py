"""Answers to the queries about documents that need files, the queue or the embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain import queries_drop as qs
from core.domain.api import Cancel
from core.ports.document_reader import DocumentReader
from core.ports.jobs import Jobs
from core.ports.store import Store
from core.services.ingest.again import prepare_again
from core.services.ingest.exporting import export_documents
from core.services.ingest.importing import ImportFile, ReadPlan
from core.services.ingest.preparing import Embed, prepared
from core.services.ingest.queue import IngestQueue, Run
from core.services.ingest.rows import shown_path
from core.services.ingest.sorting import FindIn, sort_files

Answer = Callable[[Any, "Cancel | None"], Any]


def ingest_answers(
    store: Store,
    jobs: Jobs,
    reader: DocumentReader,
    run: Run,
    embed: Embed,
    read_plan: ReadPlan | None = None,
    find: FindIn = lambda _path: (),
) -> Mapping[type[q.Query[Any]], Answer]:
    """One function for each of these queries. `read_plan` and `find`: memory files come in too."""
    queue = IngestQueue(jobs, reader, run, embed, None if read_plan is None else ImportFile(read_plan))

    def prepare_file(query: qd.PrepareFile, cancel: Cancel | None) -> qd.Prepared:
        path = query.path.absolute()
        read = reader.read(path, encoding=query.encoding, password=query.password, cancel=cancel)
        new = prepared(
            read,
            settings=query.settings,
            embed=embed,
            title=query.title,
            path=path,
            shown=shown_path(path),
            source=query.source,
            unless=query.unless,
        )
        return qd.Prepared(read, new)

    def prepare_text(query: qd.PrepareText, _cancel: Cancel | None) -> qd.Prepared:
        read = reader.of_text(query.text, query.title, plain=query.plain)
        new = prepared(read, settings=query.settings, embed=embed, title=query.title, source=query.source)
        return qd.Prepared(read, new)

    return {
        qd.PrepareFile: prepare_file,
        qd.PrepareText: prepare_text,
        qd.FindDocuments: lambda query, cancel: reader.find(query.paths, cancel),
        qd.QueueFiles: queue.add,
        qd.QueueRows: lambda _query, _cancel: queue.rows(),
        qd.RunQueue: lambda _query, cancel: queue.run(cancel),
        qd.ChangeQueue: lambda query, _cancel: queue.change(query.action, query.rows),
        qd.AnswerQueue: lambda query, _cancel: queue.answer(
            query.row, query.encoding, query.password, confirmed=query.confirmed
        ),
        qs.SortFiles: lambda query, cancel: sort_files(query.paths, find, reader, cancel),
        qs.QueueSorted: lambda query, _cancel: queue.add_sorted(query),
        qs.LookAtQueue: lambda query, _cancel: queue.view(query.limit),
        qs.SetQueueCutting: lambda query, _cancel: queue.set_cutting(query),
        qs.PrepareAgain: lambda query, cancel: prepare_again(store, reader, embed, query, cancel),
        qs.DocumentVersions: lambda query, _cancel: tuple(store.document_versions(query.document)),
        qd.ExportDocuments: lambda query, _cancel: export_documents(store, query),
    }
