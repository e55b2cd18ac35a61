"""Settings: declared once, checked, kept; each one is read somewhere and has its texts."""

import json
import re
from pathlib import Path

import pytest

from core.domain import texts
from core.domain.errors import Invalid
from core.settings import BY_KEY, DECLARATIONS, Form, Settings, checked

ROOT = Path(__file__).parents[2]


def test_never_set_means_the_declared_default(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "none.json")
    assert {key: settings.get(key) for key in BY_KEY} == {item.key: item.default for item in DECLARATIONS}
    assert not (tmp_path / "none.json").exists()


def test_what_was_set_is_there_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "new" / "settings.json"
    settings = Settings(file)
    heard: list[str] = []
    end = settings.subscribe(heard.append)
    settings.set("theme", "dark")
    settings.set("theme", "dark")
    end()
    settings.set("text_size", 120)
    assert heard == ["theme"]
    again = Settings(file)
    assert (again.text("theme"), again.number("text_size")) == ("dark", 120)
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_recent_libraries_are_kept_newest_first_and_once(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    for number in [*range(12), 5]:
        settings.remember_library(tmp_path / str(number))
    again = Settings(tmp_path / "settings.json")
    assert again.text("last_library") == str(tmp_path / "5")
    recent = [Path(name).name for name in again.texts("recent_libraries")]
    assert recent == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("theme", "pink"),
        ("text_size", 89),
        ("text_size", 201),
        ("text_size", True),
        ("text_size", "100"),
        ("last_library", 3),
        ("recent_libraries", "x"),
        ("recent_libraries", [1]),
        ("language", None),
    ],
)
def test_value_that_its_declaration_refuses_is_not_set(tmp_path: Path, key: str, value: object) -> None:
    settings = Settings(tmp_path / "settings.json")
    with pytest.raises(Invalid):
        settings.set(key, value)  # type: ignore[arg-type]
    assert settings.get(key) == BY_KEY[key].default


def test_bad_values_in_the_file_count_as_not_set_and_unknown_keys_stay(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"theme": "pink", "text_size": 110, "of_a_later_version": [1]}), "utf-8")
    settings = Settings(file)
    assert settings.refused == ("theme",)
    assert settings.text("theme") == "system"
    settings.set("theme", "light")
    assert json.loads(file.read_text("utf-8")) == {
        "text_size": 110,
        "of_a_later_version": [1],
        "theme": "light",
    }


def test_damaged_file_means_defaults_and_is_kept_beside(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b'{"theme": "da\xff')
    settings = Settings(file)
    assert settings.damaged
    assert settings.text("theme") == "system"
    settings.set("theme", "dark")
    assert (tmp_path / "settings.damaged.json").read_bytes() == b'{"theme": "da\xff'
    assert Settings(file).text("theme") == "dark"


def test_directory_that_cannot_be_written_is_said_and_the_value_holds(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    settings = Settings(tmp_path / "file" / "settings.json")
    with pytest.raises(Invalid) as caught:
        settings.set("theme", "dark")
    assert caught.value.key == "error.setting.file"
    assert settings.text("theme") == "dark"


@pytest.mark.parametrize("setting", DECLARATIONS, ids=[item.key for item in DECLARATIONS])
def test_declaration_is_sound_read_somewhere_and_in_words(setting: object) -> None:
    item = next(each for each in DECLARATIONS if each is setting)
    assert checked(item, item.default) == item.default
    code = "\n".join(
        file.read_text("utf-8")
        for folder in ("app", "ui", "core")
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "settings.py"
    )
    assert re.search(rf'"{re.escape(item.key)}"', code), f"{item.key} is read nowhere"
    if item.shown:
        wanted = {item.text, f"{item.text}.hint"}
        wanted |= {f"{item.text}.{choice}" for choice in item.choices if item.form is Form.CHOICE}
        assert wanted <= texts.keys("en")


def test_every_setting_of_the_dialog_is_documented() -> None:
    page = (ROOT / "docs" / "SETTINGS.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", page, re.MULTILINE))
    assert set(rows) == {item.key for item in DECLARATIONS if item.shown}
    for item in DECLARATIONS:
        if item.shown and item.form is Form.CHOICE:
            assert all(f"`{choice}`" in rows[item.key] for choice in item.choices), item.key
