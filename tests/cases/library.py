"""A library into which the files of a case are imported one after the other, as a person would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.library import Library
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import BadFile
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries import ListMemories, MemoryFilter
from core.domain.queries_transfer import ReadFile
from core.domain.results import OpResult, Problem
from core.domain.texts import LANGUAGES, has, render
from core.domain.transfer import FolderBundle, ImportPlan
from core.services.exporting import export_folder
from tests.cases.desk import digest, new_library
from tests.cases.sidecar import Case

Fault = str | None


@dataclass(slots=True)
class CaseLibrary:
    """What was read and what it came to."""

    library: Library
    case: Case
    plans: list[ImportPlan] = field(default_factory=list)
    results: list[OpResult] = field(default_factory=list)
    errors: dict[str, BadFile] = field(default_factory=dict)
    by_file: dict[str, ImportPlan] = field(default_factory=dict)
    before: dict[Path, str] = field(default_factory=dict)

    def take(self, path: Path) -> ImportPlan | None:
        """Dry run and import of one file; None when it is refused."""
        engine = self.library.engine
        try:
            plan = engine.ask(ReadFile(path))
        except BadFile as error:
            self.errors[path.stem] = error
            return None
        self.plans.append(plan)
        self.by_file[path.stem] = plan
        self.results.append(engine.run(ApplyImport(plan)))
        return plan

    def take_all(self, paths: Sequence[Path]) -> None:
        """The same of all files."""
        for path in paths:
            self.take(path)

    @property
    def problems(self) -> list[Problem]:
        """All problems of all plans."""
        return [problem for plan in self.plans for problem in plan.problems]

    def refs(self, *keys: str) -> list[str]:
        """What the problems of these kinds are about."""
        names = {f"import.problem.{key}" for key in keys}
        return [ref for problem in self.problems if problem.key in names for ref in problem.refs]

    def warnings(self) -> list[Problem]:
        """Problems a person should look at."""
        return [problem for problem in self.problems if problem.severity == "warning"]

    def count(self, key: str) -> int:
        """A count over all plans."""
        return sum(plan.counts.get(key, 0) for plan in self.plans)

    def said(self) -> str:
        """All that the import said in English."""
        parts = [render("en", p.key, **dict(p.args)) for p in self.problems]
        return " ".join([*parts, *(render("en", e.key, **e.text_args) for e in self.errors.values())])

    def folders(self) -> list[Folder]:
        """Folders that an import made."""
        with self.library.store.read() as reader:
            return [folder for folder in reader.all_records(Folder) if folder.origin]

    def messages(self, folder: Folder | None = None) -> list[Message]:
        """Messages of a folder, or of all."""
        with self.library.store.read() as reader:
            wanted = [folder] if folder else self.folders()
            return [message for each in wanted for message in reader.messages_of(each.pk)]

    def bundle(self, folder: FolderPk) -> FolderBundle:
        """All of a folder."""
        with self.library.store.read() as reader:
            return export_folder(reader, folder)

    def memories(self, folder: Folder | None = None) -> list[Memory]:
        """Memories of a folder, or of all, by pk."""
        found = [
            m for each in ([folder] if folder else self.folders()) for m in self.bundle(each.pk).memories
        ]
        return sorted(found, key=lambda memory: memory.pk)

    def search(self, words: str) -> Sequence[int]:
        """Memories that a word search finds."""
        return self.library.engine.ask(ListMemories(MemoryFilter(text=words)))

    def pk(self, foreign_id: str) -> MemoryPk:
        """The memory of a foreign id."""
        return next(m.pk for m in self.memories() if m.foreign_id == foreign_id)

    def general_faults(self) -> list[str]:
        """What is a fault in any case: a changed file, a text that is missing."""
        after = {path: digest(path) for path in self.case.files}
        faults = [f"changed: {path.name}" for path in after if self.before.get(path) != after[path]]
        keys = [*(p.key for p in self.problems), *(e.key for e in self.errors.values())]
        faults += [f"no text: {key}" for key in keys for language in LANGUAGES if not has(key, language)]
        return faults


@contextmanager
def case_library(case: Case, work: Path) -> Iterator[CaseLibrary]:
    """An empty library for a case."""
    before = {path: digest(path) for path in case.files}
    with closing(new_library(work)) as library:
        yield CaseLibrary(library, case, before=before)


def equal(what: str, value: object, expected: object) -> Fault:
    """The fault that a value is another than expected."""
    return None if value == expected else f"{what}: {value!r}, expected {expected!r}"


def inputs(case: Case) -> list[Path]:
    """The files to import: those of a directory, or the one named and others that the checks name."""
    if case.input.is_dir():
        return [path for path in case.files if not path.name.startswith(".")]
    others: list[Any] = [case.checks.get(key) for key in ("second_file", "third_file")]
    return [case.input, *(case.input.parent / name for name in others if isinstance(name, str))]
