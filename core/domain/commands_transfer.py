"""Commands that take files in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from core.domain.commands import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain.ids import FolderPk, MemoryPk
    from core.domain.source_file import SourceMark
    from core.domain.transfer import ImportPlan


@dataclass(frozen=True, slots=True)
class ApplyImport(Command):
    """Write what an import plan (the result of a dry run) holds, as one op. `group`: see IngestDocument.

    `only`: keys of the plan's folders that are to come in; None = all. Errors: Invalid for a plan of whole contents.
    """

    LABEL: ClassVar[str] = "op.import"
    plan: ImportPlan
    group: str = ""
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class NoteWritten(Command):
    """Folders were written back to the file they came from, which has this mark now.

    `ids`: under which id memories that did not come from the file stand in it, so that they are known again.
    It cannot be undone: the file outside of the library stays as it was written, and the copy beside it is the way
    back. Run by the query WriteBack.
    """

    LABEL: ClassVar[str] = "op.write_back"
    UNDOABLE: ClassVar[bool] = False
    folders: tuple[FolderPk, ...]
    file: str
    mark: SourceMark
    ids: Mapping[MemoryPk, str] = field(default_factory=dict)
