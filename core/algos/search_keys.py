"""Keys and values of the search language, with their words in English and Chinese; numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from core.domain.folder import Folder
from core.domain.schema import Schema


class ValueKind(StrEnum):
    """What may stand after a key."""

    CHOICE = "choice"
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    USE = "use"
    """Times recalled, or when last."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what follows it, its other words, and for CHOICE its values with their words."""

    name: str
    kind: ValueKind
    words: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_LAYERS = {
    "inherent": ("always", "always injected", "常驻", "固有"),
    "emergent": ("trial", "on trial", "隐现"),
    "memory": ("long-term", "long term", "长期"),
    "knowledge": ("documents", "资料"),
}
_STATUSES = {
    "active": ("in use", "in-use", "在用"),
    "archived": ("已归档", "归档"),
    "expired": ("已过期", "过期"),
}
_REASONS = {
    "promoted": ("晋升",),
    "compressed": ("压缩",),
    "forgotten": ("遗忘",),
    "merged": ("合并",),
    "by_hand": ("by hand", "手动"),
    "removed_by_model": ("removed by a model", "模型移除"),
    "imported": ("导入",),
}
_IS = {
    "trash": ("trashed", "回收站", "已删除"),
    "locked": ("锁定", "已锁定"),
    "merged": ("已合并", "合并"),
    "outdated": ("out of date", "过时", "已过时"),
    **_LAYERS,
    **_STATUSES,
}
_HAS = {
    "duplicate": ("重复",),
    "vector": ("向量",),
    "relation": ("关系",),
    "alias": ("别名",),
    "tag": ("标签",),
    "document": ("文档",),
    "proposal": ("建议",),
    "draft": ("草稿",),
    "parent": ("上级",),
    "children": ("child", "下级"),
    "problem": ("problems", "问题"),
}
_IN = {"title": ("标题",), "body": ("正文", "内容"), "tags": ("tag", "标签")}

_C, _T, _N, _D = ValueKind.CHOICE, ValueKind.TEXT, ValueKind.NUMBER, ValueKind.DATE
_ALL_KEYS = (
    Key("type", _C, ("类型",)),
    Key("folder", _C, ("文件夹",)),
    Key("layer", _C, ("层",), _LAYERS),
    Key("status", _C, ("状态", "留存"), _STATUSES),
    Key("reason", _C, ("原因",), _REASONS),
    Key("tag", _T, ("标签",)),
    Key("core", _T, ("核心", "核心标签")),
    Key("diffusion", _T, ("扩散", "扩散标签")),
    Key("opposing", _T, ("对立", "对立标签")),
    Key("title", _T, ("标题",)),
    Key("body", _T, ("正文",)),
    Key("alias", _T, ("别名",)),
    Key("id", _T, ("编号",)),
    Key("person", _T, ("人物",)),
    Key("related", _T, ("相关",)),
    Key("relation", _C, ("关系",)),
    Key("parent", _T, ("上级",)),
    Key("source", _T, ("来源", "出处")),
    Key("document", _T, ("文档",)),
    Key("in", _C, ("在",), _IN),
    Key("floor", _N, ("楼层",)),
    Key("level", _N, ("层级",)),
    Key("importance", _N, ("重要性",)),
    Key("recalled", ValueKind.USE, ("召回", "召回次数")),
    Key("never", _C, ("从未",), {"recalled": ("召回", "被召回")}),
    Key("created", _D, ("创建",)),
    Key("updated", _D, ("修改", "更新")),
    Key("has", _C, ("有",), _HAS),
    Key("is", _C, ("是",), _IS),
)
KEYS: Mapping[str, Key] = {key.name: key for key in _ALL_KEYS}
BY_WORD: Mapping[str, Key] = {word: key for key in _ALL_KEYS for word in (key.name, *key.words)}
FIELD_PREFIXES = ("field.", "字段.", "字段。", "field．", "字段．")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The library's own values: by key, each word (folded) with the value it stands for."""

    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, key: Key) -> Mapping[str, str] | None:
        """All words for values of a key; None = every value is taken as it is."""
        if key.values:
            words = {word: value for value, others in key.values.items() for word in others}
            return words | {value: value for value in key.values}
        return self.values.get(key.name)


def vocabulary(schema: Schema, folders: list[Folder]) -> Vocabulary:
    """Types (of relations too) by id and by their labels in every language, folders by name and by what lies above them."""
    types = {label.casefold(): str(kind.id) for kind in schema.types for label in kind.labels.values()}
    types |= {str(kind.id).casefold(): str(kind.id) for kind in schema.types}
    relations = {
        label.casefold(): str(kind.id) for kind in schema.relations for label in kind.labels.values()
    }
    relations |= {str(kind.id).casefold(): str(kind.id) for kind in schema.relations}
    names: dict[str, str] = {}
    for folder in folders:
        parts = folder.name.split("/")
        for end in range(1, len(parts) + 1):
            above = "/".join(parts[:end])
            names.setdefault(above.casefold(), above)
    return Vocabulary({"type": types, "relation": relations, "folder": names})


_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_NUMBERS = re.compile(rf"({_NUMBER})(?:(?:\.\.|-|–|—|~|～|至|到)({_NUMBER}))?")
_DAY = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?[月日]?")
_AGO = re.compile(r"(\d{1,4})(d|w|m|y|天|周|月|年)", re.IGNORECASE)
_DAYS = {"d": 1, "天": 1, "w": 7, "周": 7, "m": 30, "月": 30, "y": 365, "年": 365}
_NAMED_DAYS = {"today": 0, "今天": 0, "yesterday": 1, "昨天": 1}
_NAMES = {"今天": "today", "昨天": "yesterday"}


def number_range(text: str) -> tuple[float, float] | None:
    """`7`, `3-9` or `3..9` as (least, greatest)."""
    found = _NUMBERS.fullmatch(text.strip())
    if not found:
        return None
    low = float(found[1])
    high = low if found[2] is None else float(found[2])
    return (low, high) if low <= high else None


@dataclass(frozen=True, slots=True)
class Span:
    """Microseconds from `start` up to before `end`; `open` = up to now."""

    start: int
    end: int
    open: bool = False


def _micros(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000_000


def date_span(text: str, now: datetime) -> Span | None:
    """A year, month, day, `7d`, `today`, or `a..b` in the time of `now`'s zone; None when it is none of them."""
    first, dots, last = text.strip().casefold().partition("..")
    start = _one_span(first, now)
    if not dots or start is None:
        return start
    end = _one_span(last, now)
    return None if end is None or end.end < start.start else Span(start.start, end.end)


def _one_span(text: str, now: datetime) -> Span | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in _NAMED_DAYS:
        day = midnight - timedelta(days=_NAMED_DAYS[text])
        return Span(_micros(day), _micros(day + timedelta(days=1)))
    if ago := _AGO.fullmatch(text):
        try:
            since = _micros(now - timedelta(days=int(ago[1]) * _DAYS[ago[2]]))
        except (OverflowError, ValueError, OSError):
            return None
        if not _DAY.fullmatch(text) or ago[2] != "年" or len(ago[1]) < 4:
            return Span(since, since, open=True)
    if not (found := _DAY.fullmatch(text)):
        return None
    year, month, day_number = (None if part is None else int(part) for part in found.groups())
    try:
        start = datetime(year or 1, month or 1, day_number or 1, tzinfo=now.tzinfo or UTC)
        if day_number is not None:
            end = start + timedelta(days=1)
        elif month is not None:
            end = start.replace(year=start.year + month // 12, month=month % 12 + 1)
        else:
            end = start.replace(year=start.year + 1)
        return Span(_micros(start), _micros(end))
    except (OverflowError, ValueError, OSError):
        return None


def canonical_number(text: str) -> str:
    """`３～９` and `3..9` as `3-9`."""
    found = _NUMBERS.fullmatch(text.strip())
    if not found or found[2] is None:
        return text.strip()
    return f"{found[1]}-{found[2]}" if "-" not in found[2] else f"{found[1]}..{found[2]}"


def canonical_date(text: str) -> str:
    """今天 as `today`, 7天 as `7d`."""
    return "..".join(map(_canonical_day, text.strip().casefold().split("..")))


def _canonical_day(text: str) -> str:
    ago = _AGO.fullmatch(text)
    if ago and not (ago[2] == "年" and len(ago[1]) == 4):
        return ago[1] + {"天": "d", "周": "w", "月": "m", "年": "y"}.get(ago[2], ago[2])
    if found := _DAY.fullmatch(text):
        return "-".join(piece.zfill(2) for piece in found.groups() if piece is not None)
    return _NAMES.get(text, text)
