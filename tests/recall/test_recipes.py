"""Recipes are data: every key of both seeds is declared, every setting is read, named and bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain import texts
from core.domain.errors import Invalid, NotFound
from core.domain.recall import Layout
from core.domain.recipes import RECIPES, SettingForm, recipe, recipes
from core.services.inject import Position, PromptRole
from core.services.recall.settings import values_of
from tests.project.test_seed_settings import BOOKU, STBME
from tests.recall.desk import RecallDesk

ROOT = Path(__file__).parents[2]
BOOKU_KEYS = {
    key: known
    for key, known in BOOKU.items()
    if key.startswith(("retrieval.", "write_conflict.", "flashback."))
}
RAG_KEYS = ("deduplicationThreshold", "coreBoostRange", "energyCutoff")
STBME_KEYS = {
    key: STBME[key]
    for key in (
        "recallEnabled",
        "recallTopK",
        "recallMaxNodes",
        "recallEnableLLM",
        "injectPosition",
        "injectRole",
        "injectDepth",
        "graphWeight",
        "vectorWeight",
        "importanceWeight",
        "enableVisibility",
        "enableCrossRecall",
        "enableProbRecall",
        "probRecallChance",
    )
}


def declared(name: str) -> dict[str, tuple[object, object, object]]:
    return {
        origin: (setting.default, setting.low, setting.high)
        for setting in recipe(name).settings
        for origin in setting.origin
    }


def test_every_key_of_bookus_table_is_declared_with_its_default_and_range() -> None:
    found = declared("booku")
    assert {key: found.get(key) for key in BOOKU_KEYS} == BOOKU_KEYS
    assert all(key in found for key in RAG_KEYS)


@pytest.mark.parametrize("name", ["stbme", "stbme-compat"])
def test_every_key_of_stbmes_table_is_declared_with_its_default_and_range(name: str) -> None:
    found = declared(name)
    assert {key: found.get(key) for key in STBME_KEYS} == STBME_KEYS


def test_every_setting_is_read_by_the_code() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "core/services/recall").glob("*.py"))
    weights = ("graph_weight", "vector_weight", "importance_weight")
    unread = {
        setting.key
        for each in recipes()
        for setting in each.settings
        if f'"{setting.key}"' not in code and setting.key not in weights
    }
    assert unread == set()
    assert '"{name}_weight"' in code


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_recipe_setting_and_choice_has_its_words(language: str) -> None:
    keys = [key for each in recipes() for key in (each.text, f"{each.text}.hint")]
    for each in recipes():
        for setting in each.settings:
            keys += [setting.text, f"{setting.text}.hint", f"recipe.group.{setting.group}"]
            keys += [f"{setting.text}.{choice}" for choice in setting.choices]
    assert [key for key in keys if not texts.has(key, language)] == []


def test_defaults_lie_in_their_ranges_and_keys_are_unique() -> None:
    for each in recipes():
        keys = [setting.key for setting in each.settings]
        assert len(keys) == len(set(keys))
        for setting in each.settings:
            assert setting.checked(setting.default) == setting.default


def test_choices_are_those_of_the_injection() -> None:
    for each in recipes():
        assert set(each.setting("layout").choices) == {item.value for item in Layout}
        assert set(each.setting("position").choices) == {item.value for item in Position}
        assert set(each.setting("role").choices) == {item.value for item in PromptRole}


def test_optional_steps_are_off_in_blend() -> None:
    values = recipe("blend").resolved({})
    assert not any(
        values.flag(key) for key in ("rerank", "flashback", "lucky_recall", "multi_intent", "cross_recall")
    )
    assert {setting.key for setting in recipe("blend").settings if setting.experimental} >= {
        "rerank",
        "flashback",
        "cross_recall",
        "multi_intent",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("top_k", 0),
        ("top_k", 2.5),
        ("top_k", True),
        ("lexical_weight", float("nan")),
        ("layout", "poem"),
        ("scene", 1),
    ],
)
def test_a_value_out_of_range_is_refused_with_what_is_allowed(key: str, value: float | str) -> None:
    with pytest.raises(Invalid) as caught:
        recipe("blend").resolved({key: value})
    assert caught.value.key == "error.recall.setting"
    assert caught.value.text_args["setting"] == key


def test_an_unknown_setting_names_those_there_are() -> None:
    with pytest.raises(Invalid) as caught:
        recipe("booku").resolved({"topk": 3})
    assert "top_k" in str(caught.value.text_args["known"])


def test_stbme_reads_numbers_as_the_original_does() -> None:
    values, notes = values_of(recipe("stbme-compat"), {"top_k": "12abc", "graph_weight": 7, "depth": "x"})
    assert (values.whole("top_k"), values.number("graph_weight"), values.whole("depth")) == (12, 1.0, 4)
    assert [note.args["setting"] for note in notes] == ["top_k", "graph_weight", "depth"]


def test_an_unknown_recipe_names_those_there_are(desk: RecallDesk) -> None:
    with pytest.raises(NotFound) as caught:
        desk.recall("hello", recipe="soup")
    assert caught.value.text_args["known"] == ", ".join(RECIPES)


def test_every_form_is_used() -> None:
    assert {setting.form for each in recipes() for setting in each.settings} == set(SettingForm)
