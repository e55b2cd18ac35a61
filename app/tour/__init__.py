"""A scripted tour of the real program: what a person would do, a picture a step, checked in the store.

    python -m app --tour DIR [--endpoint URL] [--model NAME]

Each step acts on the window (types, clicks, chooses), waits until the window is quiet, is compared with
what the library's store says, and is photographed in light and dark, in English and Chinese. Pages that
later come bring steps of their own: a module with `STEPS`, named in `TOUR`. The steps of `endpoint_steps` go
through a language model: one by script on loopback, or the real one that is given.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from app import gui
from app.tour import (
    chat_steps,
    desk_steps,
    document_steps,
    endpoint_steps,
    graph_steps,
    health_steps,
    memory_steps,
    recall_steps,
    scripted_endpoint,
    search_steps,
    upkeep_steps,
)
from app.tour.stage import SCHEMES, Endpoint, Stage, StepFailed
from core.domain.texts import LANGUAGES
from core.settings import Settings

Step = Callable[[Stage], None]
TOUR = (
    *desk_steps.STEPS,
    *search_steps.STEPS,
    *memory_steps.STEPS,
    *recall_steps.STEPS,
    *chat_steps.STEPS,
    *document_steps.STEPS,
    *health_steps.STEPS,
    *upkeep_steps.STEPS,
    *endpoint_steps.STEPS,
    *graph_steps.STEPS,
)
"""All steps, in order: (name, function). The graph's come last: they open another library for a long story."""

SIZE_PX = (1440, 900)
NO_SCREEN = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
    "This plugin does not support grabbing the keyboard",
)


def play(
    pictures: Path | None,
    language: str,
    endpoint: Endpoint | None = None,
    steps: tuple[tuple[str, Step], ...] | None = None,
) -> list[str]:
    """Play the tour once in a language, with settings and library of its own. Returns what failed.

    `pictures`: where a picture of each step goes in light and dark; None = none are taken. `steps`: None = all.
    """
    with contextlib.ExitStack() as ends:
        if endpoint is None:
            endpoint = Endpoint(ends.enter_context(scripted_endpoint.serving()), scripted_endpoint.MODEL)
        return _play(pictures, language, endpoint, TOUR if steps is None else steps)


def _play(
    pictures: Path | None, language: str, endpoint: Endpoint, steps: tuple[tuple[str, Step], ...]
) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="memory-curator-tour-") as directory:
        place = Path(directory)
        settings = Settings(place / "settings.json")
        settings.set("language", language)
        settings.set("theme", SCHEMES[0])
        with gui.running(gui.application(["memory-curator"]), settings, place) as window:
            window.resize(*SIZE_PX)
            window.start(None)
            window.show()
            return _run(Stage(window, settings, place, pictures, endpoint), steps)


def _say_qt(_kind: QtMsgType, _context: QMessageLogContext, message: str | None) -> None:
    """What Qt has to say, but for what the platform without a screen repeats at every window."""
    if message and message not in NO_SCREEN:
        print(message, file=sys.stderr)


def _run(stage: Stage, steps: tuple[tuple[str, Step], ...]) -> list[str]:
    for name, step in steps:
        try:
            step(stage)
        except StepFailed as problem:
            stage.photograph(f"{name}-failed")
            return [f"{name}: {problem}"]
        stage.photograph(name)
    return []


def main(pictures: Path, endpoint: Endpoint | None = None) -> int:
    """Play the tour in every language and say how it went. Returns the exit code. `endpoint`: None = by script."""
    pictures.mkdir(parents=True, exist_ok=True)
    qInstallMessageHandler(_say_qt)
    failed = [f"{language}: {line}" for language in LANGUAGES for line in play(pictures, language, endpoint)]
    for line in failed:
        print(f"FAILED  {line}", file=sys.stderr)
    if not failed:
        taken = len(TOUR) * len(LANGUAGES) * len(SCHEMES)
        print(f"{len(TOUR)} steps in {len(LANGUAGES)} languages, {taken} pictures in {pictures}")
    return 1 if failed else 0


__all__ = ["TOUR", "Endpoint", "main", "play"]
