"""Commands that take files in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from core.domain.commands import Command

if TYPE_CHECKING:
    from core.domain.transfer import ImportPlan


@dataclass(frozen=True, slots=True)
class ApplyImport(Command):
    """Write what an import plan (the result of a dry run) holds, as one op. `group`: see IngestDocument."""

    LABEL: ClassVar[str] = "op.import"
    plan: ImportPlan
    group: str = ""
