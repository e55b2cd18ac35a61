"""Recall made ready while nobody waits for it: in a large library its first answer would take seconds."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.domain.api import Cancel, Report
from core.domain.queries import Folders
from ui.context import Context
from ui.tasks import Lane


def prepare_recall(context: Context, owner: QObject) -> None:
    """Read what the page Recall will read for the folder with which it begins; a failure is said by the recall itself."""
    from core.domain.queries_recall import PrepareRecall  # not at start: the page's modules are there by now
    from ui.models.recall_choices import Choices
    from ui.views.recall.offer import SETTING_FOLDER

    engine, last = context.engine, str(context.settings.get(SETTING_FOLDER))

    def prepare(_progress: Report, cancel: Cancel) -> None:
        choices = Choices((), engine.ask(Folders(), cancel=cancel), {})
        engine.ask(PrepareRecall(choices.first_folder(last)), cancel=cancel)

    context.tasks.run(Lane.READ, prepare, owner=owner, query="prepare recall", failed=lambda _error: None)
