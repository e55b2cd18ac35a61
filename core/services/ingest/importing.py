"""Memory files of the queue: read, compared with the library, and imported, each as one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from core.domain.commands_transfer import ApplyImport
from core.domain.document import QueuedFile
from core.domain.errors import BadFile, UserError
from core.domain.folder import SEPARATOR
from core.domain.results import Problem
from core.domain.transfer import READABLE_ERRORS, ImportPlan

CONFIRM = "error.import.confirm"
UPDATE = "error.import.changes_here"

ReadPlan = Callable[[Path, bool], ImportPlan]
"""(path, partly) -> the dry run of an import, compared with what the library holds."""


class NeedsAnswer(Exception):
    """A memory file that waits for a person: `error` says for what, `problems` what the dry run found."""

    def __init__(self, error: UserError, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(str(error))
        self.error = error
        self.problems = problems


@dataclass(frozen=True, slots=True)
class ImportFile:
    """Makes the command that imports a file of the queue."""

    read: ReadPlan

    def command(self, file: QueuedFile) -> ApplyImport:
        """The import. Errors: NeedsAnswer unless it was confirmed, BadFile."""
        plan = self._plan(file)
        if plan.needs_confirmation and not file.confirmed:
            updates = any(folder.into is not None for folder in plan.folders)
            name = plan.folders[0].name if plan.folders else plan.source_name
            error = UserError(UPDATE if updates else CONFIRM, name=plan.source_name, folder=name)
            raise NeedsAnswer(error, plan.problems)
        return ApplyImport(_below(plan, file.folder), file.batch)

    def _plan(self, file: QueuedFile) -> ImportPlan:
        try:
            return self.read(file.path, file.confirmed)
        except BadFile as error:
            if error.key in READABLE_ERRORS and not file.confirmed:
                raise NeedsAnswer(error) from error
            raise


def _below(plan: ImportPlan, folder: str) -> ImportPlan:
    """The plan with its new folders made below another one."""
    if not folder:
        return plan
    folders = tuple(
        each if each.into is not None else replace(each, name=f"{folder}{SEPARATOR}{each.name}")
        for each in plan.folders
    )
    return replace(plan, folders=folders)
