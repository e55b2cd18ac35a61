"""Commands about extraction: what is set for a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.ids import FolderPk
from core.domain.json_types import Json


@dataclass(frozen=True, slots=True)
class SetFolderValues(Command):
    """Set declared values of a folder (core.domain.folder_settings); None = back to the default.

    Errors: NotFound; Invalid for an unknown key or a value that does not fit.
    """

    LABEL: ClassVar[str] = "op.folder.values"
    folder: FolderPk
    values: Mapping[str, Json]
