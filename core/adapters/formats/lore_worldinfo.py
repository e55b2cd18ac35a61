"""Entries of other dialects in the form of SillyTavern's World Info, every field in its place there."""

from __future__ import annotations

from collections.abc import Mapping

from core.adapters.formats.lore_entries import REGEX_KEY, Dialect, Entry, keys_of
from core.domain.json_types import Json

_DEFAULTS: Mapping[str, Json] = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": True,
    "order": 100,
    "position": 0,
    "disable": False,
    "ignoreBudget": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "matchPersonaDescription": False,
    "matchCharacterDescription": False,
    "matchCharacterPersonality": False,
    "matchCharacterDepthPrompt": False,
    "matchScenario": False,
    "matchCreatorNotes": False,
    "delayUntilRecursion": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "outletName": "",
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": None,
    "sticky": None,
    "cooldown": None,
    "delay": None,
    "triggers": [],
}
_EXTENSIONS: Mapping[str, str] = {
    "exclude_recursion": "excludeRecursion",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "display_index": "displayIndex",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "selectiveLogic": "selectiveLogic",
    "outlet_name": "outletName",
    "group": "group",
    "group_override": "groupOverride",
    "group_weight": "groupWeight",
    "scan_depth": "scanDepth",
    "case_sensitive": "caseSensitive",
    "match_whole_words": "matchWholeWords",
    "use_group_scoring": "useGroupScoring",
    "automation_id": "automationId",
    "role": "role",
    "vectorized": "vectorized",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "match_persona_description": "matchPersonaDescription",
    "match_character_description": "matchCharacterDescription",
    "match_character_personality": "matchCharacterPersonality",
    "match_character_depth_prompt": "matchCharacterDepthPrompt",
    "match_scenario": "matchScenario",
    "match_creator_notes": "matchCreatorNotes",
    "triggers": "triggers",
    "ignore_budget": "ignoreBudget",
}
_AFTER_CHARACTER = 1


def worldinfo_of(raw: Mapping[str, Json], entry: Entry, dialect: Dialect) -> dict[str, Json]:
    """An entry of another dialect as SillyTavern would hold it, with all fields that have a place there."""
    made = dict(_DEFAULTS)
    match dialect:
        case Dialect.WORLDINFO:
            made |= raw
        case Dialect.BOOK:
            made |= _from_book(raw)
        case Dialect.NOVELAI:
            made |= {"order": _budget(raw)}
        case Dialect.AGNAI:
            made |= {"order": raw["weight"]} if isinstance(raw.get("weight"), int | float) else {}
        case Dialect.RISU:
            made |= _from_risu(raw)
    patterns = tuple(
        key if REGEX_KEY.fullmatch(key) else "/" + key.replace("/", r"\/") + "/" for key in entry.patterns
    )
    made |= {
        "key": [*entry.names, *patterns],
        "comment": entry.title,
        "content": entry.content,
        "constant": entry.constant,
        "disable": entry.disabled,
    }
    return made


def _from_book(raw: Mapping[str, Json]) -> dict[str, Json]:
    extensions = raw.get("extensions")
    extensions = extensions if isinstance(extensions, Mapping) else {}
    made: dict[str, Json] = {
        "keysecondary": list[Json](keys_of(raw.get("secondary_keys"))),
        "selective": raw.get("selective", False),
        "addMemo": bool(raw.get("comment")),
        "order": raw.get("insertion_order", 100),
        "position": _AFTER_CHARACTER if raw.get("position") == "after_char" else 0,
    }
    if "case_sensitive" in raw:
        made["caseSensitive"] = raw["case_sensitive"]
    if "position" in extensions:
        made["position"] = extensions["position"]
    made |= {name: extensions[key] for key, name in _EXTENSIONS.items() if key in extensions}
    if extensions:
        made["extensions"] = extensions
    return made


def _from_risu(raw: Mapping[str, Json]) -> dict[str, Json]:
    made: dict[str, Json] = {"keysecondary": list[Json](keys_of(raw.get("secondkey"), as_text=True))}
    if isinstance(raw.get("insertorder"), int | float):
        made["order"] = raw["insertorder"]
    if isinstance(raw.get("activationPercent"), int | float):
        made["probability"] = raw["activationPercent"]
    made["selective"] = raw.get("selective", False)
    return made


def _budget(raw: Mapping[str, Json]) -> Json:
    context = raw.get("contextConfig")
    priority = context.get("budgetPriority") if isinstance(context, Mapping) else None
    return priority if isinstance(priority, int | float) else 100
