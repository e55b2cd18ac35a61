"""Recipes: named ways to recall, in data (resources/recipes), each with its settings and defaults."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from core.domain.errors import Invalid, NotFound
from core.domain.recall import Setting

DEFAULT_RECIPE = "blend"
RECIPES = ("blend", "booku", "stbme", "stbme-compat")
"""Ids of the built-in recipes, in the order in which they are offered."""


class SettingForm(StrEnum):
    """What kind of value a recipe setting has."""

    FLAG = "flag"
    WHOLE = "whole"
    NUMBER = "number"
    CHOICE = "choice"


class Runner(StrEnum):
    """Which procedure a recipe runs."""

    BLEND = "blend"
    BOOKU = "booku"
    STBME = "stbme"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeSetting:
    """One declared setting of a recipe.

    `text` is the key of its name, `.hint` behind it explains it, choices have `.<choice>`. `origin` is the
    key of the two seeds that it stands for (spec BOOKU §1.9, STBME §6). `group` puts it under a heading.
    `experimental`: off by default, with a measured gain or loss in docs/RECALL.md.
    """

    key: str
    form: SettingForm
    default: Setting
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    origin: tuple[str, ...] = ()
    group: str = ""
    experimental: bool = False

    @property
    def text(self) -> str:
        """Key of its name in the texts."""
        return f"recipe.setting.{self.key}"

    def checked(self, value: Setting) -> Setting:
        """The value in the setting's own type. Errors: Invalid, with the range or the choices."""
        fitting = self._fitting(value)
        if fitting is None:
            raise Invalid(
                "error.recall.setting", setting=self.key, value=str(value)[:80], allowed=self.allowed
            )
        return fitting

    def _fitting(self, value: Setting) -> Setting | None:
        match self.form:
            case SettingForm.FLAG:
                return value if isinstance(value, bool) else None
            case SettingForm.CHOICE:
                return value if value in self.choices else None
            case SettingForm.WHOLE | SettingForm.NUMBER:
                if isinstance(value, bool | str) or not math.isfinite(value) or not self._inside(value):
                    return None
                if self.form is SettingForm.NUMBER:
                    return float(value)
                return int(value) if value == int(value) else None

    def _inside(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def allowed(self) -> str:
        """The range or the choices, as text for messages."""
        if self.form is SettingForm.FLAG:
            return "true, false"
        return ", ".join(self.choices) if self.choices else f"{_plain(self.low)} .. {_plain(self.high)}"


def _plain(number: float | None) -> str:
    """A bound as a person writes it: 1000000, 0.01."""
    if number is None:
        return ""
    return str(int(number)) if number == int(number) else f"{number:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A named way to recall."""

    id: str
    runner: Runner
    settings: tuple[RecipeSetting, ...]

    @property
    def text(self) -> str:
        """Key of its name in the texts; `.hint` behind it explains it."""
        return f"recipe.{self.id}"

    def setting(self, key: str) -> RecipeSetting:
        """The setting of that key. Errors: Invalid, naming those there are."""
        found = next((setting for setting in self.settings if setting.key == key), None)
        if found is None:
            known = ", ".join(setting.key for setting in self.settings)
            raise Invalid("error.recall.unknown_setting", setting=key, recipe=self.id, known=known)
        return found

    def resolved(self, given: Mapping[str, Setting]) -> RecipeValues:
        """The recipe's values with some of them replaced. Errors: Invalid."""
        values = {setting.key: setting.default for setting in self.settings}
        for key, value in given.items():
            values[key] = self.setting(key).checked(value)
        return RecipeValues(values)


@dataclass(frozen=True, slots=True)
class RecipeValues:
    """All values of a recipe for one run, read by type. What a recipe does not declare reads as off."""

    values: Mapping[str, Setting]

    def flag(self, key: str) -> bool:
        """Value of a flag, False when the recipe has none of that name."""
        return self.values.get(key, False) is True

    def whole(self, key: str) -> int:
        """Value of a whole number, 0 when the recipe has none of that name."""
        return int(self.number(key))

    def number(self, key: str) -> float:
        """Value of a number, 0 when the recipe has none of that name."""
        value = self.values.get(key, 0.0)
        return 0.0 if isinstance(value, str) else float(value)

    def text(self, key: str) -> str:
        """Value of a choice, "" when the recipe has none of that name."""
        return str(self.values.get(key, ""))


@cache
def recipes() -> tuple[Recipe, ...]:
    """All built-in recipes."""
    return tuple(map(_read, RECIPES))


def recipe(name: str) -> Recipe:
    """The recipe of that id. Errors: NotFound, naming those there are."""
    if name not in RECIPES:
        raise NotFound("error.recall.unknown_recipe", recipe=name[:80], known=", ".join(RECIPES))
    return recipes()[RECIPES.index(name)]


def _read(name: str) -> Recipe:
    file = resources.files("resources") / "recipes" / f"{name}.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    return Recipe(id=name, runner=Runner(data["runner"]), settings=tuple(_settings(data["settings"])))


def _settings(items: Iterable[Mapping[str, Any]]) -> Iterable[RecipeSetting]:
    for item in items:
        yield RecipeSetting(
            key=item["key"],
            form=SettingForm(item["form"]),
            default=item["default"],
            low=item.get("low"),
            high=item.get("high"),
            choices=tuple(item.get("choices", ())),
            origin=tuple(item.get("origin", ())),
            group=item.get("group", ""),
            experimental=item.get("experimental", False),
        )
