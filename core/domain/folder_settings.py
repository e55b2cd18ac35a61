"""What can be set for each folder, declared once: extraction, and what follows it (spec/STBME §6, DESIGN §5).

Values lie in `Folder.settings` under these keys; what is not there has the default.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from core.domain.errors import Invalid, NotFound
from core.domain.json_types import Json, JsonObject

Value = bool | int | float | str
MAX_TEXT = 10_000


class ValueForm(StrEnum):
    """What kind of value a setting has."""

    FLAG = "flag"
    WHOLE = "whole"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSetting:
    """One declaration. `origin`: the key of ST-BME that it stands for ("" = ours).

    `text` is the key of its name, with `.hint` it explains itself; choices have `text.<choice>`.
    """

    key: str
    form: ValueForm
    default: Value
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    origin: str = ""

    @property
    def text(self) -> str:
        """Key of its name in the texts."""
        return f"folder.setting.{self.key}"

    @property
    def group(self) -> str:
        """The heading that it stands under."""
        return self.key.partition(".")[0]

    def checked(self, value: Json) -> Value:
        """The value in the setting's own type. Errors: Invalid, with what is allowed."""
        fitting = self.fitting(value)
        if fitting is None:
            raise Invalid(
                "error.folder.setting", setting=self.key, value=str(value)[:80], allowed=self.allowed
            )
        return fitting

    def fitting(self, value: Json) -> Value | None:
        """The value in the setting's own type; None when it does not fit."""
        match self.form:
            case ValueForm.FLAG:
                return value if isinstance(value, bool) else None
            case ValueForm.CHOICE:
                return value if isinstance(value, str) and value in self.choices else None
            case ValueForm.TEXT:
                return value if isinstance(value, str) and len(value) <= MAX_TEXT else None
            case ValueForm.WHOLE | ValueForm.NUMBER:
                return self._number(value)

    def _number(self, value: Json) -> int | float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            return None
        if self.form is ValueForm.NUMBER:
            return float(value)
        return int(value) if value == int(value) else None

    @property
    def allowed(self) -> str:
        """The range or the choices, for messages."""
        match self.form:
            case ValueForm.FLAG:
                return "true, false"
            case ValueForm.CHOICE:
                return ", ".join(self.choices)
            case ValueForm.TEXT:
                return f"<= {MAX_TEXT}"
            case ValueForm.WHOLE | ValueForm.NUMBER:
                return f"{self.low:g} .. {self.high:g}"


def _flag(key: str, origin: str = "", *, default: bool = False) -> FolderSetting:
    return FolderSetting(key=key, form=ValueForm.FLAG, default=default, origin=origin)


def _whole(key: str, default: int, low: int, high: int, origin: str = "") -> FolderSetting:
    return FolderSetting(key=key, form=ValueForm.WHOLE, default=default, low=low, high=high, origin=origin)


def _number(key: str, default: float, low: float, high: float, origin: str = "") -> FolderSetting:
    return FolderSetting(key=key, form=ValueForm.NUMBER, default=default, low=low, high=high, origin=origin)


DECLARED: tuple[FolderSetting, ...] = (
    _flag("extract.enabled", "enabled"),
    _whole("extract.every", 1, 1, 50, "extractEvery"),
    _whole("extract.context_turns", 2, 0, 20, "extractContextTurns"),
    _flag("extract.hidden"),
    FolderSetting(
        key="extract.language", form=ValueForm.CHOICE, default="auto", choices=("auto", "en", "zh_CN")
    ),
    _flag("extract.boundaries"),
    _number("extract.boundary_gamma", 1.0, 0.0, 5.0),
    _flag("extract.smart_trigger", "enableSmartTrigger"),
    FolderSetting(key="extract.trigger_patterns", form=ValueForm.TEXT, default="", origin="triggerPatterns"),
    _whole("extract.trigger_threshold", 2, 1, 10, "smartTriggerThreshold"),
    _flag("extract.conflict_check", "enablePreciseConflict", default=True),
    _flag("extract.conflict_compat"),
    _number("extract.conflict_threshold", 0.85, 0.5, 0.99, "conflictThreshold"),
    _flag("extract.force_update", default=True),
    _flag("evolution.enabled", "enableEvolution", default=True),
    _whole("evolution.neighbours", 5, 1, 20, "evoNeighborCount"),
    _whole("evolution.consolidate_every", 50, 1, 500, "evoConsolidateEvery"),
    _flag("synopsis.enabled", "enableSynopsis", default=True),
    _whole("synopsis.every", 5, 1, 100, "synopsisEveryN"),
    _flag("reflection.enabled", "enableReflection"),
    _whole("reflection.every", 10, 1, 200, "reflectEveryN"),
    _flag("forget.enabled", "enableSleepCycle"),
    _number("forget.threshold", 0.2, 0.1, 1.0, "forgetThreshold"),
    _whole("forget.every", 10, 1, 200, "sleepEveryN"),
    _flag("compress.enabled", default=True),
    _flag("recall.enabled", "recallEnabled", default=True),
)
"""In the order in which they are shown. The default of `forget.threshold` is ours (DESIGN §5, forgetting)."""

BY_KEY: Mapping[str, FolderSetting] = {setting.key: setting for setting in DECLARED}


@dataclass(frozen=True, slots=True)
class FolderValues:
    """The values of one folder, read by type. What does not fit its declaration counts as not set."""

    stored: JsonObject

    def value(self, key: str) -> Value:
        """The value. Errors: KeyError for a key that is not declared."""
        setting = BY_KEY[key]
        given = self.stored.get(key)
        fitting = None if given is None else setting.fitting(given)
        return setting.default if fitting is None else fitting

    def flag(self, key: str) -> bool:
        """Value of a flag."""
        return self.value(key) is True

    def whole(self, key: str) -> int:
        """Value of a whole number."""
        return int(self.value(key))

    def number(self, key: str) -> float:
        """Value of a number."""
        return float(self.value(key))

    def text(self, key: str) -> str:
        """Value of a text or choice."""
        return str(self.value(key))


def checked(values: Mapping[str, Json]) -> dict[str, Value]:
    """Values that may be stored. Errors: Invalid for an unknown key or a value that does not fit."""
    found: dict[str, Value] = {}
    for key, value in values.items():
        setting = BY_KEY.get(key)
        if setting is None:
            raise Invalid("error.folder.setting_unknown", setting=key[:80], known=", ".join(BY_KEY))
        found[key] = setting.checked(value)
    return found


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of values for a folder (UI.md: First start, Low cost, Long story)."""

    id: str
    values: Mapping[str, Value]

    @property
    def text(self) -> str:
        """Key of its name; `.hint` behind it explains it."""
        return f"folder.profile.{self.id}"


@cache
def profiles() -> tuple[Profile, ...]:
    """All profiles (resources/profiles.json), in order."""
    data = json.loads((resources.files("resources") / "profiles.json").read_text(encoding="utf-8"))
    return tuple(Profile(name, checked(values)) for name, values in data.items())


def profile(name: str) -> Profile:
    """The profile of that id. Errors: NotFound."""
    found = next((each for each in profiles() if each.id == name), None)
    if found is None:
        raise NotFound("error.folder.profile", profile=name[:80], known=", ".join(p.id for p in profiles()))
    return found
