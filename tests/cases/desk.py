"""A library of its own for a case, opened as the program opens it, and what an import left in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from app.container import open_library
from app.library import Library
from app.writers import program
from core.adapters.formats.booku_db import read_tables
from core.adapters.formats.booku_write import records_of
from core.adapters.formats.problems import Problems
from core.adapters.formats.stbme_find import find_graph
from core.adapters.formats.stbme_write import graph_of
from core.domain.commands_transfer import ApplyImport
from core.domain.edge import Edge
from core.domain.errors import BadFile
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.queries_transfer import ReadFile
from core.domain.schema_data import default_schema
from core.domain.texts import LANGUAGES, has
from core.domain.transfer import FolderBundle, Format, ImportPlan
from core.services.exporting import export_folder
from core.settings import Settings
from tests.cases.sidecar import Case

SQLITE_SIDES = ("-wal", "-shm")


@dataclass(slots=True)
class Imported:
    """What importing the files of a case came to: rows as they stand in the library, in the order of the files."""

    plans: list[ImportPlan] = field(default_factory=list)
    errors: list[BadFile] = field(default_factory=list)
    bundles: list[FolderBundle] = field(default_factory=list)
    changed_files: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    goes_out_equal: bool = True
    same_again: bool = True

    @property
    def memories(self) -> list[Memory]:
        """All memories, by pk."""
        return sorted((m for bundle in self.bundles for m in bundle.memories), key=lambda m: m.pk)

    @property
    def edges(self) -> list[Edge]:
        """All edges, by pk."""
        return sorted((e for bundle in self.bundles for e in bundle.edges), key=lambda e: e.pk)

    def refs(self, *keys: str) -> list[str]:
        """What the problems of these kinds are about."""
        return [ref for plan in self.plans for p in plan.problems if p.key in keys for ref in p.refs]

    def pairs(self, key: str) -> list[list[str]]:
        """The pairs that the problems of a kind name."""
        found = [p.args.get("pairs") for plan in self.plans for p in plan.problems if p.key == key]
        return [[str(ref) for ref in pair] for pairs in found if isinstance(pairs, list) for pair in pairs]

    def count(self, key: str) -> int:
        """A count over all plans."""
        return sum(plan.counts.get(key, 0) for plan in self.plans)


def new_library(work: Path, *, keep: bool = False) -> Library:
    """An empty library with default settings."""
    return open_library(work / "library", program("cases"), Settings(), create=True, keep=keep)


def import_case(case: Case, work: Path) -> Imported:
    """Import every file of a case as a person would: each by itself, databases with what lies beside them."""
    found = Imported()
    files = case.files
    before = {path: digest(path) for path in files}
    asked = [path for path in files if not path.name.endswith(SQLITE_SIDES)]
    with closing(new_library(work)) as library:
        engine = library.engine
        for path in asked if case.input.is_dir() else [case.input]:
            try:
                plan = engine.ask(ReadFile(path))
            except BadFile as error:
                found.errors.append(error)
                continue
            found.plans.append(plan)
            found.same_again &= engine.ask(ReadFile(path)) == plan
            first = engine.run(ApplyImport(plan)).created_folder
            assert first is not None
            with library.store.read() as reader:
                pks = range(first, first + len(plan.folders))
                bundles = [export_folder(reader, FolderPk(pk)) for pk in pks]
            found.bundles += bundles
            found.goes_out_equal &= goes_out_equal(path, plan, bundles)
    after = {path: digest(path) for path in case.files}
    found.changed_files = [path.name for path in {*before, *after} if before.get(path) != after.get(path)]
    problems = (problem.key for plan in found.plans for problem in plan.problems)
    found.untold = _untold([*problems, *(error.key for error in found.errors)])
    return found


def goes_out_equal(path: Path, plan: ImportPlan, bundles: list[FolderBundle]) -> bool:
    """Whether a graph leaves as it came (but for vectors); of a database: with the same rows."""
    if plan.format is Format.BOOKU:
        records = records_of(bundles, Problems())
        raw = {str(row["memory_id"]): row for row in read_tables(path, Problems()).records}
        return all(
            record.row[column] == value
            for record in records
            for column, value in raw.get(str(record.row["memory_id"]), {}).items()
        )
    graph = find_graph(path).graph
    without_vectors = [
        item | {"embedding": None} if isinstance(item, dict) and "embedding" in item else item
        for item in graph["nodes"]  # type: ignore[union-attr]
    ]
    return graph_of(bundles[0], default_schema()) == graph | {"nodes": without_vectors}


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _untold(keys: Iterable[str]) -> list[str]:
    """Texts that a person would miss in one of the languages."""
    return [f"{key} ({language})" for key in keys for language in LANGUAGES if not has(key, language)]
