"""Commands on recall tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.recall import RecallCase


@dataclass(frozen=True, slots=True)
class SaveRecallCases(Command):
    """Save expectations: new ones (pk 0), or in place of the saved ones with their pks.

    Errors: Invalid without a message or an expected memory, or for a setting that its recipe has not;
    NotFound for a folder, a memory or a case that is not there.
    """

    LABEL: ClassVar[str] = "op.recall.save_cases"
    cases: tuple[RecallCase, ...]


@dataclass(frozen=True, slots=True)
class RemoveRecallCases(Command):
    """Remove saved expectations; those that are gone already are left alone."""

    LABEL: ClassVar[str] = "op.recall.remove_cases"
    cases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImportRecallCases(Command):
    """Save expectations from JSON lines, as ExportRecallCases gives them, as one op.

    Counts of the result: `created`, `same` (there already) and `missing` (left out, because their folder or one
    of their memories is not there). Errors: BadFile, naming the line, for what is no such line; nothing is
    saved then.
    """

    LABEL: ClassVar[str] = "op.recall.import_cases"
    text: str
