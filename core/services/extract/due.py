"""Which tasks are due after an extraction."""

from __future__ import annotations

from core.domain.folder import Folder
from core.domain.folder_settings import FolderValues
from core.domain.queries_extract import DueTasks, PromptTask
from core.ports.store import Reader
from core.services.lookup import folder_of
from core.services.proposal_apply import EXTRACTIONS


def due_tasks(reader: Reader, query: DueTasks) -> tuple[PromptTask, ...]:
    """What the folder's settings ask for after an extraction (spec/STBME §3.8). Errors: NotFound."""
    folder = folder_of(reader, query.folder)
    values = FolderValues(folder.settings)
    stored = folder.settings.get(EXTRACTIONS)
    count = stored if isinstance(stored, int) else 0
    due = []
    if query.created and values.flag("evolution.enabled"):
        due.append(PromptTask.EVOLVE)
    if count and values.flag("synopsis.enabled") and count % values.whole("synopsis.every") == 0:
        due.append(PromptTask.SYNOPSIS)
    if count and values.flag("reflection.enabled") and count % values.whole("reflection.every") == 0:
        due.append(PromptTask.REFLECT)
    if (
        count
        and values.flag("evolution.enabled")
        and count % values.whole("evolution.consolidate_every") == 0
    ):
        due.append(PromptTask.CONSOLIDATE)
    return tuple(due)


def forget_below(folder: Folder) -> float | None:
    """The retention value below which the folder forgets now by itself; None when it does not."""
    values = FolderValues(folder.settings)
    stored = folder.settings.get(EXTRACTIONS)
    count = stored if isinstance(stored, int) else 0
    if not values.flag("forget.enabled") or not count or count % values.whole("forget.every"):
        return None
    return values.number("forget.threshold")
