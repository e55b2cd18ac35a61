"""Settings: declared once with type, default, range and text key; kept as one JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.domain.errors import Invalid
from core.domain.json_types import Json, parse_object

SYSTEM = "system"
MAX_TEXT = 1_000_000
RECENT_LIBRARIES = 10


class Form(StrEnum):
    """What kind of value a setting has."""

    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"
    TEXTS = "texts"
    FLAG = "flag"
    OBJECTS = "objects"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One declaration. `shown`: it stands in the settings dialog; the others are the window's memory.

    `text` is the key of its name; with `.hint` it explains itself. Choices have `text.<choice>`.
    """

    key: str
    form: Form
    default: Json
    text: str
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    shown: bool = False


def _choice(key: str, default: str, *choices: str) -> Setting:
    text = f"setting.{key}"
    return Setting(key=key, form=Form.CHOICE, default=default, text=text, choices=choices, shown=True)


def _number(key: str, default: int, low: int, high: int) -> Setting:
    text = f"setting.{key}"
    return Setting(key=key, form=Form.NUMBER, default=default, text=text, low=low, high=high, shown=True)


def _kept(key: str, form: Form, default: Json) -> Setting:
    return Setting(key=key, form=form, default=default, text=f"setting.{key}")


DECLARATIONS: tuple[Setting, ...] = (
    _choice("language", SYSTEM, SYSTEM, "en", "zh_CN"),
    _choice("theme", SYSTEM, SYSTEM, "light", "dark"),
    _number("text_size", 100, low=90, high=200),
    _choice("embedder", "builtin", "builtin", "none", "endpoint"),
    _choice("token_family", "o200k_base", "o200k_base", "cl100k_base", "qwen3", "llama3", "estimate"),
    _kept("models.embedding", Form.TEXT, ""),
    _kept("models.endpoints", Form.OBJECTS, ()),
    _kept("models.task.extract", Form.TEXT, ""),
    _kept("models.task.recall", Form.TEXT, ""),
    _kept("models.task.compress", Form.TEXT, ""),
    _kept("models.task.synopsis", Form.TEXT, ""),
    _kept("models.task.reflection", Form.TEXT, ""),
    _kept("models.task.consolidate", Form.TEXT, ""),
    _kept("prompts.own", Form.OBJECTS, ()),
    _number("backup.every_days", 1, low=0, high=30),
    _number("backup.keep", 20, low=3, high=500),
    Setting(
        key="backup.before_big", form=Form.FLAG, default=True, text="setting.backup.before_big", shown=True
    ),
    _kept("last_library", Form.TEXT, ""),
    _kept("recent_libraries", Form.TEXTS, ()),
    _kept("ui.table_columns", Form.TEXT, ""),
    _kept("ui.table_order", Form.TEXT, ""),
    _kept("ui.sidebar_closed", Form.TEXT, ""),
    _kept("ui.with_subfolders", Form.FLAG, default=False),
    _kept("ui.show_related", Form.FLAG, default=False),
    _kept("ui.recent_memories", Form.TEXT, ""),
    _kept("ui.window", Form.TEXT, ""),
    _kept("ui.splitter", Form.TEXT, ""),
    _kept("ui.recall_folds", Form.TEXT, ""),
    _kept("ui.recall_splitter", Form.TEXT, ""),
    _kept("ui.recall_card_closed", Form.FLAG, default=False),
    _kept("ui.recall_folder", Form.TEXT, ""),
    _kept("ui.graph_splitter", Form.TEXT, ""),
    _kept("ui.chats_splitter", Form.TEXT, ""),
    _kept("ui.documents_splitter", Form.TEXT, ""),
    Setting(
        key="ui.reduce_motion", form=Form.FLAG, default=False, text="setting.ui.reduce_motion", shown=True
    ),
    _kept("ui.first_steps", Form.TEXT, ""),
    _kept("ui.font_told", Form.FLAG, default=False),
    Setting(key="ui.letters", form=Form.FLAG, default=True, text="setting.ui.letters", shown=True),
)
BY_KEY = {setting.key: setting for setting in DECLARATIONS}


def checked(setting: Setting, value: Json) -> Json:
    """The value when the declaration allows it. Errors: Invalid."""
    if not _fits(setting, value):
        raise Invalid("error.setting.value", setting=setting.key, value=str(value)[:80])
    return value


def _fits(setting: Setting, value: Json) -> bool:
    match setting.form:
        case Form.CHOICE:
            return value in setting.choices
        case Form.NUMBER:
            if isinstance(value, bool) or not isinstance(value, int):
                return False
            low, high = setting.low, setting.high
            return (low is None or value >= low) and (high is None or value <= high)
        case Form.TEXT:
            return isinstance(value, str) and len(value) <= MAX_TEXT
        case Form.TEXTS:
            return _listed(value) is not None
        case Form.FLAG:
            return isinstance(value, bool)
        case Form.OBJECTS:
            if isinstance(value, str) or not isinstance(value, Sequence):
                return False
            return all(isinstance(item, Mapping) for item in value)


def _listed(value: Json) -> tuple[str, ...] | None:
    """The texts of a list of texts; None when it is something else."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    items = [item for item in value if isinstance(item, str)]
    return tuple(items) if len(items) == len(value) else None


class Settings:
    """Live settings. Keys that this version does not know are kept in the file.

    A value in the file that its declaration refuses counts as not set, and is named in `refused`.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Settings of that file (None = in memory only). A missing or damaged file means defaults."""
        self._path = path
        self._values: dict[str, Json] = {}
        self._listeners: list[Callable[[str], None]] = []
        self.refused: tuple[str, ...] = ()
        self.damaged = False
        if path is not None:
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            data = parse_object(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            self.damaged = True
            return
        self.refused = tuple(
            key for key, value in data.items() if key in BY_KEY and not _fits(BY_KEY[key], value)
        )
        self._values = {key: value for key, value in data.items() if key not in self.refused}

    def get(self, key: str) -> Json:
        """The value now; the declared default when never set. Errors: KeyError for an undeclared key."""
        return self._values.get(key, BY_KEY[key].default)

    def text(self, key: str) -> str:
        """The value of a text or choice."""
        return str(self.get(key))

    def number(self, key: str) -> int:
        """The value of a number."""
        value = self.get(key)
        return value if isinstance(value, int) else 0

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of a list of texts."""
        return _listed(self.get(key)) or ()

    def set(self, key: str, value: Json) -> None:
        """Set and keep a value.

        Errors: KeyError for an undeclared key, Invalid when the declaration refuses the value or the
        file cannot be written.
        """
        setting = BY_KEY[key]
        if key in self._values and self._values[key] == value:
            return
        self._values[key] = checked(setting, value)
        self._save()
        for listener in tuple(self._listeners):
            listener(key)

    def beside(self, name: str) -> Path | None:
        """A file of that name beside the settings; None when they are in memory only."""
        return None if self._path is None else self._path.with_name(name)

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Hear the key of every change; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def mend(self) -> int:
        """Write the file anew without what could not be read; returns how much that was. Errors: Invalid.

        A damaged file is kept beside it.
        """
        bad = len(self.refused) + self.damaged
        if bad:
            self._save()
            self.refused = ()
        return bad

    def text_without_keys(self) -> str:
        """All values as JSON, to be kept with a backup; keys of endpoints never stand among the settings."""
        return json.dumps(self._values, ensure_ascii=False, indent=1) + "\n"

    def remember_library(self, path: Path) -> None:
        """Make this the last library, and the first of the recent ones."""
        name = str(path.absolute())
        recent = dict.fromkeys((name, *self.texts("recent_libraries")))
        self.set("recent_libraries", tuple(recent)[:RECENT_LIBRARIES])
        self.set("last_library", name)

    def _save(self) -> None:
        """Written beside and put in place at once, so that a crash never leaves half a file."""
        if self._path is None:
            return
        beside = self._path.with_suffix(f".{os.getpid()}.new")
        text = json.dumps(self._values, ensure_ascii=False, indent=1)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self.damaged:
                self._path.replace(self._path.with_suffix(".damaged.json"))
                self.damaged = False
            beside.write_text(text + "\n", encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            raise Invalid("error.setting.file", path=str(self._path), details=str(error)) from error
