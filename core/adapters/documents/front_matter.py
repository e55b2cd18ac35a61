"""The block of settings at the head of a Markdown note: YAML between `---` lines, TOML between `+++` lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from core.domain.json_types import Json

_YAML = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)(?:^|\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_CHARS = 64 << 10
_KEY_LINE = re.compile(r"(?P<key>[\w][\w .-]{0,60}?)[ \t]*[:：](?:[ \t]+(?P<value>.*))?")
_OTHER_LINE = re.compile(r"\s+.*|-\s.*|-|#.*|")
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What it says, and the length of it in the text (0 = there is none)."""

    length: int = 0
    values: Mapping[str, Json] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title that it gives."""
        value = self._first("title", "标题", "標題")
        return " ".join(value.split()) if isinstance(value, str) else ""

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags and keywords: a list, or one text with commas or blanks."""
        found: list[str] = []
        for name in ("tags", "tag", "keywords", "标签", "標籤"):
            value = self._first(name)
            if isinstance(value, str):
                found += re.split(r"[,，、;；]", value) if re.search(r"[,，、;；]", value) else value.split()
            elif isinstance(value, list | tuple):
                found += [str(item) for item in value if isinstance(item, str | int | float)]
        return tuple(dict.fromkeys(tag for item in found if (tag := item.strip().lstrip("#").strip())))

    def _first(self, *names: str) -> Json:
        lowered = {key.lower(): value for key, value in self.values.items()}
        return next((lowered[name] for name in names if name in lowered), None)


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a text with LF line ends. A rule (`---`) at the top of a note is none."""
    for pattern, parse in ((_YAML, _yaml), (_TOML, _toml)):
        match = pattern.match(text[: _MAX_CHARS * 2])
        if match is not None and len(match[1]) <= _MAX_CHARS:
            values = parse(match[1])
            if values is not None:
                return FrontMatter(match.end(), values)
    return FrontMatter()


class _Loader(yaml.BaseLoader):  # type: ignore[misc]  # PyYAML has no types
    """Every value is text; nothing is constructed, and references (which can grow without end) are refused."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not read")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


def _yaml(text: str) -> dict[str, Json] | None:
    if not text.strip():
        return {}
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - a BaseLoader constructs nothing
    except (yaml.YAMLError, RecursionError, ValueError):
        return _lines(text)
    return _plain_object(value) if isinstance(value, dict) else _lines(text)


def _toml(text: str) -> dict[str, Json] | None:
    try:
        return _plain_object(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _lines(text: str) -> dict[str, Json] | None:
    """Settings with a fault in the YAML (`title: a: b`), line by line; None when they are no settings."""
    values: dict[str, Json] = {}
    for line in text.split("\n"):
        match = _KEY_LINE.fullmatch(line)
        if match is not None:
            values[match["key"]] = (match["value"] or "").strip().strip("\"'")
        elif not _OTHER_LINE.fullmatch(line):
            return None
    return values or None


def _plain_object(value: Mapping[Any, object]) -> dict[str, Json]:
    return {str(key): _plain(item, 0) for key, item in value.items()}


def _plain(value: object, depth: int) -> Json:
    if depth > _DEPTH:
        return None
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value if isinstance(value, str | int | bool) or value is None else str(value)
