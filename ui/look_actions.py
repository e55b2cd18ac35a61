"""Language, colour scheme and text size: the actions that change them and the settings that keep them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from core.settings import SYSTEM, Settings
from ui.actions import Actions
from ui.language import Language, system_language
from ui.theme import Scheme, Theme

STEP_PERCENT = 10
SCHEMES = {"view.system": Scheme.SYSTEM, "view.light": Scheme.LIGHT, "view.dark": Scheme.DARK}
LANGUAGES = {"view.english": "en", "view.chinese": "zh_CN"}


def language_of(settings: Settings) -> str:
    """The language that the settings name."""
    chosen = settings.text("language")
    return system_language() if chosen == SYSTEM else chosen


class LookActions(QObject):
    """Keeps theme and language as the settings say, and the settings as a person chooses."""

    def __init__(
        self, actions: Actions, settings: Settings, theme: Theme, tr: Language, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._actions, self._settings, self._theme, self._tr = actions, settings, theme, tr
        for name, scheme in SCHEMES.items():
            actions.on(name, partial(self.set_scheme, scheme))
        for name, code in LANGUAGES.items():
            actions.on(name, partial(self.set_language, code))
        actions.on("view.still", self._toggle_still)
        actions.on("view.larger", lambda: self.set_percent(theme.percent + STEP_PERCENT))
        actions.on("view.smaller", lambda: self.set_percent(theme.percent - STEP_PERCENT))
        actions.on("view.normal_size", lambda: self.set_percent(100))
        actions.use_letters(bool(settings.get("ui.letters")))
        end = settings.subscribe(self._on_setting)
        self.destroyed.connect(end)
        self._mark()

    def set_scheme(self, scheme: Scheme) -> None:
        """Light, dark or as the system."""
        self._settings.set("theme", scheme.value)
        self._mark()

    def set_language(self, code: str) -> None:
        """Show everything in that language."""
        self._settings.set("language", code)
        self._mark()

    def set_percent(self, percent: int) -> None:
        """Text size."""
        self._settings.set("text_size", min(max(percent, 90), 200))

    def _toggle_still(self) -> None:
        self._settings.set("ui.reduce_motion", self._actions.get("view.still").isChecked())

    def _on_setting(self, key: str) -> None:
        match key:
            case "theme":
                self._theme.set_scheme(Scheme(self._settings.text("theme")))
            case "language":
                self._tr.switch(language_of(self._settings))
            case "text_size":
                self._theme.set_percent(self._settings.number("text_size"))
            case "ui.letters":
                self._actions.use_letters(bool(self._settings.get("ui.letters")))
        self._mark()

    def _mark(self) -> None:
        self._actions.get("view.still").setChecked(bool(self._settings.get("ui.reduce_motion")))
        for name, scheme in SCHEMES.items():
            self._actions.get(name).setChecked(self._theme.scheme is scheme)
        for name, code in LANGUAGES.items():
            self._actions.get(name).setChecked(self._tr.code == code)
