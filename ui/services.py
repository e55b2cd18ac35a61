"""What one window needs, whatever library is open: handed down to everything it shows."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings import Settings
from ui.language import Language
from ui.libraries import Libraries
from ui.path_choice import PathChoice
from ui.tasks import TaskRunner
from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one window."""

    tasks: TaskRunner
    settings: Settings
    theme: Theme
    tr: Language
    libraries: Libraries
    paths: PathChoice
