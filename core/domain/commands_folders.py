"""Commands on folders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import UNSET, Command, Unset
from core.domain.enums import FolderKind
from core.domain.ids import FolderPk
from core.domain.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class CreateFolder(Command):
    """Create a folder. Result: `created_folder`."""

    LABEL: ClassVar[str] = "op.folder.create"
    name: str
    kind: FolderKind = FolderKind.PLAIN
    character: str = ""


@dataclass(frozen=True, slots=True)
class RenameFolder(Command):
    """Rename a folder; folders below it (name/...) follow."""

    LABEL: ClassVar[str] = "op.folder.rename"
    folder: FolderPk
    name: str


@dataclass(frozen=True, slots=True)
class MergeFolders(Command):
    """Move all that `source` holds to `target` and remove `source`."""

    LABEL: ClassVar[str] = "op.folder.merge"
    source: FolderPk
    target: FolderPk


@dataclass(frozen=True, slots=True)
class DeleteFolder(Command):
    """Remove a folder. Its memories go to the trash in the default folder, so that they can be
    restored; messages and documents of it go with it (undo brings all back)."""

    LABEL: ClassVar[str] = "op.folder.delete"
    folder: FolderPk


@dataclass(frozen=True, slots=True)
class SetAlsoReads(Command):
    """Folders whose memories this one reads too."""

    LABEL: ClassVar[str] = "op.folder.also_reads"
    folder: FolderPk
    others: tuple[FolderPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditFolder(Command):
    """Character, kind, pointer and settings of a folder."""

    LABEL: ClassVar[str] = "op.folder.edit"
    folder: FolderPk
    character: str | Unset = UNSET
    kind: FolderKind | Unset = UNSET
    last_processed_seq: int | Unset = UNSET
    settings: JsonObject | Unset = UNSET
