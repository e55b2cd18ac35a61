"""The values of a recipe for one run: what the request gives over what the recipe has."""

from __future__ import annotations

from collections.abc import Mapping

from core.algos.js_values import clamp_float, clamp_int
from core.domain.recall import RecallNote, Setting
from core.domain.recipes import Recipe, RecipeSetting, RecipeValues, Runner, SettingForm


def values_of(recipe: Recipe, given: Mapping[str, Setting]) -> tuple[RecipeValues, list[RecallNote]]:
    """The values, and what had to be put right.

    The recipes of ST-BME read numbers as the original does: a numeric beginning counts, what lies outside the
    range is cut (spec/STBME §3.1, §6), and that is said. All others refuse: Errors: Invalid.
    """
    if recipe.runner is not Runner.STBME:
        return recipe.resolved(given), []
    clamped = {key: _clamped(recipe.setting(key), value) for key, value in given.items()}
    notes = [
        RecallNote("recall.note.clamped", {"setting": key, "value": str(given[key]), "used": value})
        for key, value in clamped.items()
        if value != given[key]
    ]
    return recipe.resolved(clamped), notes


def _clamped(setting: RecipeSetting, value: Setting) -> Setting:
    match setting.form:
        case SettingForm.WHOLE:
            return clamp_int(value, int(setting.default), int(setting.low or 0), int(setting.high or 0))
        case SettingForm.NUMBER:
            return clamp_float(value, float(setting.default), setting.low or 0.0, setting.high or 0.0)
        case SettingForm.FLAG | SettingForm.CHOICE:
            return value
