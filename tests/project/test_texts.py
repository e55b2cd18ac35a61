"""The text catalogue: complete in both languages, same places, and no key in the code that it lacks."""

import ast
import json
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from core.domain import texts

ROOT = Path(__file__).parents[2]
CATALOGUE = ROOT / "resources" / "texts"
PLURAL = ".one"
SHOWN_BY = {"render", "tr", "say", "Text", "Problem", "_tr", "add"}
"""Calls whose first text is a key; errors and LABEL are looked at too."""
KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-zA-Z0-9_]+)+")
FAMILY = re.compile(r"(error|conflict|check|cli)(\.[a-z_]+)+")
"""Whatever looks like this anywhere in the code is a key."""


def files(language: str) -> list[Path]:
    return sorted((CATALOGUE / language).glob("*.json"))


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def catalogue(language: str) -> dict[str, str]:
    merged: dict[str, str] = {}
    for file in files(language):
        merged |= json.loads(file.read_text("utf-8"))
    return merged


def code_files() -> Iterator[Path]:
    for folder in ("app", "core", "ui"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def error_names() -> set[str]:
    tree = ast.parse((ROOT / "core" / "domain" / "errors.py").read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


@cache
def keys_in_code() -> tuple[tuple[str, str], ...]:
    """(key, where) of every literal key that the code shows, raises or names."""
    return tuple(_keys_in_code())


def _keys_in_code() -> Iterator[tuple[str, str]]:
    errors = error_names()
    for path in code_files():
        tree, short = ast.parse(path.read_text("utf-8"), str(path)), path.relative_to(ROOT)
        for node in ast.walk(tree):
            where = f"{short}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                yield from ((key, where) for key in _keys_of_call(node, errors))
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and FAMILY.fullmatch(node.value)
            ):
                yield node.value, where
            elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "LABEL":
                yield from ((key, where) for key in _literals(node.value))


def _keys_of_call(node: ast.Call, errors: set[str]) -> Iterator[str]:
    name = called(node)
    if name in SHOWN_BY or name in errors:
        # render(language, key): the key is the second one
        for argument in node.args[:2]:
            yield from _literals(argument)
    for keyword in node.keywords:
        if keyword.arg in {"key", "label"} and name in errors | SHOWN_BY | {"run"}:
            yield from _literals(keyword.value)


def _literals(node: ast.AST | None) -> Iterator[str]:
    """Literal keys of an expression, both sides of a condition included."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def test_both_languages_have_the_same_files() -> None:
    assert [file.name for file in files("en")] == [file.name for file in files("zh_CN")]


def test_both_languages_have_the_same_keys() -> None:
    en, zh = (
        {key.removesuffix(PLURAL) if key.endswith(PLURAL) else key for key in catalogue(language)}
        for language in texts.LANGUAGES
    )
    assert {"only en": sorted(en - zh), "only zh_CN": sorted(zh - en)} == {"only en": [], "only zh_CN": []}


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_no_key_stands_in_two_files_and_none_is_empty(language: str) -> None:
    seen: dict[str, str] = {}
    for file in files(language):
        pairs = json.loads(file.read_text("utf-8"), object_pairs_hook=list)
        for key, text in pairs:
            assert key not in seen, f"{key} in {seen[key]} and {file.name}"
            assert text.strip(), key
            seen[key] = file.name


def test_places_are_the_same_in_both_languages() -> None:
    en, zh = catalogue("en"), catalogue("zh_CN")
    wrong = [
        f"{key}: {sorted(places(en[key]))} / {sorted(places(zh[key]))}"
        for key in en.keys() & zh.keys()
        if places(en[key]) != places(zh[key])
    ]
    assert wrong == []


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_plural_forms_have_a_main_form_and_no_place_of_their_own(language: str) -> None:
    all_texts = catalogue(language)
    for key, text in all_texts.items():
        main = all_texts.get(key.removesuffix(PLURAL))
        if key.endswith(PLURAL) and main is not None:
            assert places(text) - {"title"} <= places(main) | {"count"}, key


def test_messages_about_files_know_the_singular() -> None:
    english = catalogue("en")
    missing = [
        key
        for key, text in english.items()
        if re.search(r"\{count\} [a-z]+s\b|\{count\} [a-z ]*memories\b", text)
        and key.startswith(("import.problem.", "export.problem.", "check."))
        and f"{key}{PLURAL}" not in english
    ]
    assert missing == []


def test_every_key_in_the_code_has_its_text() -> None:
    known = texts.keys("en")
    missing = sorted(f"{key} ({where})" for key, where in keys_in_code() if key not in known)
    assert missing == []


def test_the_scan_finds_keys() -> None:
    found = {key for key, _ in keys_in_code()}
    assert {"op.memory.move", "error.edge.self", "cli.nothing_found", "check.types"} <= found
