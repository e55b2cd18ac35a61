"""Cases that are grown or played instead of read: `recipe` and `scenario` inputs of kind `stbme_booku`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.library import Library
from core.domain.commands import ArchiveMemories, CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import Layer
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import Counts
from core.domain.queries_index import SearchByMeaning, Verify
from core.domain.queries_transfer import ReadFile
from core.services.exporting import export_folder
from tests.cases.desk import new_library

Run = Callable[[Mapping[str, Any], Mapping[str, Any], Path], list[str]]
DRAIN_S = 60.0


def grow_booku(recipe: Mapping[str, Any], directory: Path) -> Path:
    """The database of a `booku_db` recipe: pieces of many documents."""
    path = directory / "metadata.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE booku_memory_records (memory_id TEXT PRIMARY KEY, title TEXT, folder_id TEXT, bucket TEXT,"
            " content TEXT, created_at REAL, updated_at REAL)"
        )
        connection.executemany(
            "INSERT INTO booku_memory_records VALUES (?, ?, 'default', 'knowledge', ?, ?, ?)",
            (
                (
                    f"kn-{i:05d}-{j}",
                    f"《第{i}号文档》-片段{j + 1}",
                    recipe["content_template"].format(i=i, j=j + 1),
                    1772500000.0 + i,
                    1772500000.0 + i,
                )
                for i in range(recipe["knowledge_titles"])
                for j in range(recipe["chunks_per_title"])
            ),
        )
    return path


def many_titles(recipe: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """All documents are listed, and importing the same file again gives nothing new to embed."""
    path = grow_booku(recipe, work)
    faults = []
    with closing(new_library(work)) as library:
        engine = library.engine
        plan = engine.ask(ReadFile(path))
        first = engine.run(ApplyImport(plan)).created_folder
        assert first is not None
        with library.store.read() as reader:
            titles = {document.title for document in export_folder(reader, first).documents.values()}
        if len(titles) != checks["titles"]:
            faults.append(f"{len(titles)} titles, expected {checks['titles']}")
        waiting = engine.ask(Counts()).waiting_for_index
        again = engine.run(ApplyImport(replace(engine.ask(ReadFile(path)), into_existing=True)))
        embedded = engine.ask(Counts()).waiting_for_index - waiting + len(again.created)
        if embedded != checks["second_run_embeddings"]:
            faults.append(f"{embedded} pieces to embed again")
    return faults


def archive_and_search(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """What was archived is still found by meaning after a restart, and store and index agree."""
    ids: dict[str, MemoryPk] = {}
    found: list[str] = []
    library = new_library(work, keep=True)
    try:
        for step in scenario["steps"]:
            match step["op"]:
                case "add":
                    ids |= _add(library, step)
                case "archive":
                    library.engine.run(ArchiveMemories(memories=tuple(ids[name] for name in step["ids"])))
                case "restart":
                    _drain(library)
                    library.close()
                    library = new_library(work, keep=True)
                case "search":
                    _drain(library)
                    hits = library.engine.ask(SearchByMeaning(step["query"], limit=step["top_k"]))
                    found = [name for name, pk in ids.items() if pk in {hit[0] for hit in hits}]
        report = library.engine.ask(Verify())
        vectors = len(library.store.queue.matrix(library.embedder.identity.key)[0])
    finally:
        library.close()
    differing = (*report.missing_in_index, *report.extra_in_index, *report.differing)
    faults = [f"not found: {name}" for name in checks["found"] if name not in found]
    if vectors != checks["vectors"]:
        faults.append(f"{vectors} vectors, expected {checks['vectors']}")
    if len(differing) != checks["diff"]:
        faults.append(f"store and index differ: {differing}")
    return faults


def _add(library: Library, step: Mapping[str, Any]) -> dict[str, MemoryPk]:
    folder = library.engine.run(CreateFolder(name=step["folder"])).created_folder
    assert folder is not None
    texts: Sequence[str] = step["text"]
    return {
        name: library.engine.run(
            CreateMemory(
                NewMemory(folder=folder, type=TypeId("knowledge"), body=body, layer=Layer(step["bucket"]))
            )
        ).created[0]
        for name, body in zip(step["ids"], texts, strict=True)
    }


def _drain(library: Library) -> None:
    library.indexer.drain()


RECIPES: Mapping[str, Run] = {
    "booku_db": many_titles,
    "add+archive+restart+search": archive_and_search,
}
