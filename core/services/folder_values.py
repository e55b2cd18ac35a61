"""What is set for a folder: read with defaults, changed as an op, compared with profiles."""

from __future__ import annotations

from core.domain.commands_extract import SetFolderValues
from core.domain.enums import Kind
from core.domain.folder_settings import BY_KEY, DECLARED, FolderValues, checked, profiles
from core.domain.json_types import Json
from core.domain.queries_extract import (
    FolderValue,
    FolderValuesOf,
    ProfileChange,
    ProfileDiff,
    ProfileDiffs,
)
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import folder_of
from core.services.outcome import Outcome


def values_of(reader: Reader, query: FolderValuesOf) -> tuple[FolderValue, ...]:
    """All settings of a folder, in order. Errors: NotFound."""
    stored = folder_of(reader, query.folder).settings
    values = FolderValues(stored)
    return tuple(
        FolderValue(setting, value, value != setting.default)
        for setting in DECLARED
        for value in [values.value(setting.key)]
    )


def profile_diffs(reader: Reader, query: ProfileDiffs) -> tuple[ProfileDiff, ...]:
    """What each profile would change. Errors: NotFound."""
    values = FolderValues(folder_of(reader, query.folder).settings)
    return tuple(
        ProfileDiff(
            profile,
            tuple(
                ProfileChange(BY_KEY[key], values.value(key), after)
                for key, after in profile.values.items()
                if values.value(key) != after
            ),
        )
        for profile in profiles()
    )


def set_values(uow: UnitOfWork, command: SetFolderValues) -> Outcome:
    """Set values, or take them back to their defaults. Errors: NotFound, Invalid."""
    folder = folder_of(uow, command.folder)
    given = checked({key: value for key, value in command.values.items() if value is not None})
    checked_keys = {key: BY_KEY[key].default for key in command.values if key in BY_KEY}
    if len(checked_keys) < len(command.values):
        checked({key: None for key in command.values if key not in BY_KEY})
    kept: dict[str, Json] = {
        key: value
        for key, value in {**folder.settings, **given}.items()
        if key not in command.values or command.values[key] is not None
    }
    uow.label(folder=folder.name, count=len(command.values))
    return Outcome(changed=uow.update(Kind.FOLDER, [folder.pk], {"settings": kept}))
