"""A scripted tour of the real program: what a person would do, a picture a step, checked in the store.

    python -m app --tour DIR

Each step acts on the window (types, clicks, chooses), waits until the window is quiet, is compared with
what the library's store says, and is photographed in light and dark, in English and Chinese. Pages that
later come bring steps of their own: a module with `STEPS`, named in `TOUR`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from app import gui
from app.tour import (
    chat_steps,
    desk_steps,
    document_steps,
    graph_steps,
    health_steps,
    recall_steps,
    upkeep_steps,
)
from app.tour.stage import SCHEMES, Stage, StepFailed
from core.domain.texts import LANGUAGES
from core.settings import Settings

TOUR = (
    *desk_steps.STEPS,
    *recall_steps.STEPS,
    *chat_steps.STEPS,
    *document_steps.STEPS,
    *health_steps.STEPS,
    *upkeep_steps.STEPS,
    *graph_steps.STEPS,
)
"""All steps, in order: (name, function). The graph's come last: they open another library for a long story."""

SIZE_PX = (1440, 900)
NO_SCREEN = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
    "This plugin does not support grabbing the keyboard",
)


def play(pictures: Path | None, language: str) -> list[str]:
    """Play the tour once in a language, with settings and library of its own. Returns what failed.

    `pictures`: where a picture of each step goes in light and dark; None = none are taken.
    """
    with tempfile.TemporaryDirectory(prefix="memory-curator-tour-") as directory:
        place = Path(directory)
        settings = Settings(place / "settings.json")
        settings.set("language", language)
        settings.set("theme", SCHEMES[0])
        with gui.running(gui.application(["memory-curator"]), settings, place) as window:
            window.resize(*SIZE_PX)
            window.start(None)
            window.show()
            return _run(Stage(window, settings, place, pictures))


def _say_qt(_kind: QtMsgType, _context: QMessageLogContext, message: str | None) -> None:
    """What Qt has to say, but for what the platform without a screen repeats at every window."""
    if message and message not in NO_SCREEN:
        print(message, file=sys.stderr)


def _run(stage: Stage) -> list[str]:
    for name, step in TOUR:
        try:
            step(stage)
        except StepFailed as problem:
            stage.photograph(f"{name}-failed")
            return [f"{name}: {problem}"]
        stage.photograph(name)
    return []


def main(pictures: Path) -> int:
    """Play the tour in every language and say how it went. Returns the exit code."""
    pictures.mkdir(parents=True, exist_ok=True)
    qInstallMessageHandler(_say_qt)
    failed = [f"{language}: {line}" for language in LANGUAGES for line in play(pictures, language)]
    for line in failed:
        print(f"FAILED  {line}", file=sys.stderr)
    if not failed:
        taken = len(TOUR) * len(LANGUAGES) * len(SCHEMES)
        print(f"{len(TOUR)} steps in {len(LANGUAGES)} languages, {taken} pictures in {pictures}")
    return 1 if failed else 0


__all__ = ["TOUR", "main", "play"]
