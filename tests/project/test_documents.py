"""The documents name what is there: rooms, formats' messages, decisions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.domain.enums import Layer, Status, StatusReason
from core.domain.schema_data import default_schema

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGES = ("app", "ui", "core", "resources")
OTHER_ROOMS = ("packaging", "tests")


def packages() -> set[str]:
    """Every package of the program, and the rooms that are none."""
    found = {
        init.parent.relative_to(ROOT).as_posix()
        for top in PACKAGES
        for init in (ROOT / top).rglob("__init__.py")
    }
    return found | set(OTHER_ROOMS)


def rooms() -> list[str]:
    """Packages that need a paragraph; one deeper down belongs to the room it lies in."""
    return sorted(name for name in packages() if name.count("/") < 2)


@pytest.mark.parametrize("room", rooms())
def test_every_room_has_its_paragraph_in_the_map(room: str) -> None:
    text = (DOCS / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paragraph = re.search(rf"^### `{re.escape(room)}`\n(.+)$", text, re.MULTILINE)
    assert paragraph is not None, f"docs/ARCHITECTURE.md has no paragraph for {room}"
    assert len(paragraph[1]) > 40


def test_the_map_names_only_rooms_that_are_there() -> None:
    text = (DOCS / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### `(.+)`$", text, re.MULTILINE)) <= packages()


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "DOMAIN.md", "STORE.md", "FORMATS.md"])
def test_files_that_a_page_names_are_there(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:app|ui|core|resources|tests)/[\w/.]+\.(?:py|json))`", text))
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in DOCS.rglob("*.md")
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_message_about_files_is_explained() -> None:
    text = (DOCS / "FORMATS.md").read_text(encoding="utf-8")
    keys: set[str] = set()
    for file in (ROOT / "resources" / "texts" / "en").glob("*.json"):
        keys |= set(json.loads(file.read_text(encoding="utf-8")))
    unexplained = [
        key
        for key in sorted(keys)
        for prefix in ("import.problem.", "export.problem.", "error.file.", "error.export.")
        if key.startswith(prefix) and not key.endswith(".one") and f"`{key.removeprefix(prefix)}`" not in text
    ]
    assert unexplained == []


def test_the_words_name_every_type_with_its_columns() -> None:
    text = (DOCS / "DOMAIN.md").read_text(encoding="utf-8")
    for memory_type in default_schema().types:
        line = next((line for line in text.splitlines() if line.startswith(f"| {memory_type.id} |")), "")
        assert line, memory_type.id
        assert all(column.name in line for column in memory_type.columns), memory_type.id
    for relation in default_schema().relations:
        assert relation.id in text
    assert len(Layer) == 4
    for reason in StatusReason:
        assert reason.value.replace("_", " ").removesuffix(" by model") in text
    for status in Status:
        assert status.value in text


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(page.name[:4]) for page in sorted((DOCS / "adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
