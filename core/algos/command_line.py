"""The grammar of `memory_command`: text to service calls, without running anything.

Source: spec/BOOKU §4.1. We differ where DESIGN §5 says so: `&&` inside quotes does not split, `-key=value` allows
values that begin with `-`, and an unknown option, type or status is an error.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

SEPARATOR = "&&"
MEMORY_TYPES = frozenset({"person", "event", "knowledge", "place", "asset", "procedure"})
STATUSES = frozenset({"active", "archived", "expired"})

_ARCHIVED = frozenset({"archived", "expired"})
_ID_KEYS = ("id", "ids", "memory_id", "memory_ids")
_SHORTHAND_KEYS = ("triple_tags", "triplet")
_GROUPS = ("core", "diffusion", "opposing")
_TAG_KEYS = (*(key for group in _GROUPS for key in (f"{group}_tags", group)), *_SHORTHAND_KEYS)
_TRUE = frozenset({"1", "true", "yes", "y", "on"})
_FALSE = frozenset({"0", "false", "no", "n", "off"})

Options = Mapping[str, Sequence[str]]
Triplet = tuple[list[str], list[str], list[str]]


class CommandProblem(ValueError):
    """A command that cannot be run; `code` names the problem, `subject` the option or value meant."""

    def __init__(self, code: str, subject: str = "") -> None:
        super().__init__(f"{code}: {subject}" if subject else code)
        self.code = code
        self.subject = subject


@dataclass(frozen=True, slots=True)
class Segment:
    """One command: its operation and all values of its options, in order."""

    operation: str
    options: Options = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """Method of the memory service and its keyword arguments; the method `help` needs no service."""

    method: str
    arguments: Mapping[str, object] = field(default_factory=dict)


def split_segments(command: str) -> list[str]:
    """The commands of a line: separated by `&&` outside quotes, stripped, blank ones dropped.

    In a line with an open quotation mark every `&&` separates, so that only the broken command fails.
    """
    cuts = _separators(command)
    if cuts is None:
        parts = command.split(SEPARATOR)
    else:
        bounds = [-len(SEPARATOR), *cuts, len(command)]
        parts = [command[start + len(SEPARATOR) : end] for start, end in itertools.pairwise(bounds)]
    return [stripped for part in parts if (stripped := part.strip())]


def _separators(command: str) -> list[int] | None:
    """Where `&&` stands outside quotes; None when a quotation mark stays open."""
    cuts: list[int] = []
    quote = ""
    at = 0
    while at < len(command):
        char = command[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif command.startswith(SEPARATOR, at):
            cuts.append(at)
            at += 1
        at += 1
    return None if quote else cuts


def parse_segment(segment: str) -> Segment:
    """Operation and options of one command.

    Values follow their key or stand behind `=`; a key without value has "true"; stray words are ignored.
    Errors: CommandProblem `empty_segment`, `bad_quotes`.
    """
    try:
        tokens = shlex.split(segment)
    except ValueError as error:
        raise CommandProblem("bad_quotes", segment) from error
    if not tokens:
        raise CommandProblem("empty_segment")
    options: dict[str, list[str]] = {}
    rest = iter(range(1, len(tokens)))
    for at in rest:
        if not tokens[at].startswith("-"):
            continue
        key, has_value, value = tokens[at].lstrip("-").partition("=")
        if not has_value:
            follows = at + 1 < len(tokens) and not tokens[at + 1].startswith("-")
            value = tokens[next(rest)] if follows else "true"
        if key:
            options.setdefault(key.lower(), []).append(value)
    return Segment(tokens[0].lower(), options)


def parse_bool(value: str | None, default: bool) -> bool:
    """Yes or no in any of its spellings, else the default."""
    word = (value or "").strip().lower()
    return word in _TRUE or (word not in _FALSE and default)


def parse_int(value: str | None, default: int) -> int:
    """The whole number, or the default when it is none."""
    try:
        return int(value) if value is not None else default
    except ValueError:
        return default


def parse_float(value: str | None, default: float) -> float:
    """The number, or the default when it is none."""
    try:
        return float(value) if value is not None else default
    except ValueError:
        return default


def parse_list(value: str | None) -> list[str]:
    """Items between ASCII commas, stripped, blank ones dropped."""
    return [item for part in (value or "").split(",") if (item := part.strip())]


def pick(options: Options, *keys: str) -> str | None:
    """The last value of the first key that is given."""
    return next((options[key][-1] for key in keys if options.get(key)), None)


def pick_ids(options: Options) -> list[str]:
    """All ids named by any of the id options, in the order id, ids, memory_id, memory_ids, without doubles."""
    values = (value for key in _ID_KEYS for value in options.get(key, ()))
    return list(dict.fromkeys(item for value in values for item in parse_list(value)))


def pick_triplet(options: Options, *, required: bool) -> Triplet:
    """The three tag groups: all filled, or all empty when none is asked for and `required` is not set.

    Errors: CommandProblem `triple_tags_not_three_parts`, `triplet_required`, `partial_triplet`.
    """
    groups = [parse_list(pick(options, f"{group}_tags", group)) for group in _GROUPS]
    shorthand = pick(options, *_SHORTHAND_KEYS)
    if shorthand is not None:
        parts = shorthand.split("|")
        if len(parts) != len(_GROUPS):
            raise CommandProblem("triple_tags_not_three_parts", shorthand)
        groups = [given or parse_list(part) for given, part in zip(groups, parts, strict=True)]
    if not all(groups):
        if required:
            raise CommandProblem("triplet_required")
        if any(key in options for key in _TAG_KEYS):
            raise CommandProblem("partial_triplet")
    return groups[0], groups[1], groups[2]


def plan(segment: Segment, *, types: AbstractSet[str] = MEMORY_TYPES) -> ServiceCall:
    """The service call that a command asks for; `types` are the memory types of the library.

    Errors: CommandProblem `unknown_command`, `unknown_option`, `unknown_type`, `unknown_status`, and what is missing.
    """
    if segment.operation == "help":
        return ServiceCall("help")
    planner = _PLANNERS.get(segment.operation)
    if planner is None:
        raise CommandProblem("unknown_command", segment.operation)
    allowed, build = planner
    unknown = next((key for key in segment.options if key not in allowed), None)
    if unknown is not None:
        raise CommandProblem("unknown_option", unknown)
    _check_words(segment.options, types)
    return build(segment.options)


def _check_words(options: Options, types: AbstractSet[str]) -> None:
    kind = pick(options, "type", "memory_type")
    if kind and kind.strip().lower() not in types:
        raise CommandProblem("unknown_type", kind)
    status = pick(options, "status")
    if status and status.strip().lower() not in STATUSES:
        raise CommandProblem("unknown_status", status)


def _search(options: Options) -> ServiceCall:
    core, diffusion, opposing = pick_triplet(options, required=False)
    return ServiceCall(
        "search_memory_entries",
        {
            "top_n": parse_int(pick(options, "topn", "top_n", "n"), 10),
            "query_text": pick(options, "query", "q"),
            "memory_type": pick(options, "type", "memory_type"),
            "status": pick(options, "status"),
            "person_id": pick(options, "person_id"),
            "relation_of": pick(options, "relation_of", "related_to"),
            "include_archived": parse_bool(pick(options, "include_archived"), default=False),
            "include_knowledge": parse_bool(pick(options, "include_knowledge"), default=True),
            "include_related": parse_bool(pick(options, "include_related", "related"), default=False),
            "core_tags": core,
            "diffusion_tags": diffusion,
            "opposing_tags": opposing,
        },
    )


def _read(options: Options) -> ServiceCall:
    ids = pick_ids(options)
    if not ids:
        raise CommandProblem("read_needs_id")
    return ServiceCall("read_full_content", {"memory_ids": ids})


def _delete(options: Options) -> ServiceCall:
    ids = pick_ids(options)
    if not ids:
        raise CommandProblem("delete_needs_id")
    return ServiceCall(
        "delete_memories", {"memory_ids": ids, "hard": parse_bool(pick(options, "hard"), default=False)}
    )


_LISTS = {
    "relation_memory_ids": ("relation_ids", "relation_memory_ids"),
    "relation_aliases": ("relation_aliases",),
    "related_people": ("related_people",),
}
_TIMES = {"event_start_at": ("event_start_at", "start_at"), "event_end_at": ("event_end_at", "end_at")}
_WORDS = ("knowledge_type", "place_type", "asset_type", "disposition_status", "procedure_type")
_ADDRESS = ("address_or_coord", "address")


def _lowered(value: str | None) -> str | None:
    return None if value is None else value.strip().lower()


def _create(options: Options) -> ServiceCall:
    title, content = (pick(options, "title") or "").strip(), (pick(options, "content", "body") or "").strip()
    kind = _lowered(pick(options, "type", "memory_type")) or "knowledge"
    status = _lowered(pick(options, "status")) or "active"
    person = (pick(options, "person_id") or "").strip() or None
    missing = {"title": not title, "content": not content, "person_id": kind == "person" and not person}
    for name, is_missing in missing.items():
        if is_missing:
            raise CommandProblem(f"create_needs_{name}")
    core, diffusion, opposing = pick_triplet(options, required=True)
    return ServiceCall(
        "create_memory",
        {
            "title": title,
            "content": content,
            "bucket": "archived" if status in _ARCHIVED else "emergent",
            "core_tags": core,
            "diffusion_tags": diffusion,
            "opposing_tags": opposing,
            "memory_type": kind,
            "status": status,
            "person_id": person,
            **{name: parse_list(pick(options, *keys)) for name, keys in _LISTS.items()},
            **{name: parse_float(pick(options, *keys), 0.0) for name, keys in _TIMES.items()},
            **{name: _lowered(pick(options, name)) or "" for name in _WORDS},
            "address_or_coord": pick(options, *_ADDRESS) or "",
        },
    )


def _update(options: Options) -> ServiceCall:
    memory_id = (pick(options, "id", "memory_id") or "").strip()
    if not memory_id:
        raise CommandProblem("update_needs_id")
    core, diffusion, opposing = pick_triplet(options, required=False)
    return ServiceCall(
        "update_memory_by_id",
        {
            "memory_id": memory_id,
            "title": pick(options, "title"),
            "content": pick(options, "content", "body"),
            "core_tags": core or None,
            "diffusion_tags": diffusion or None,
            "opposing_tags": opposing or None,
            "memory_type": _lowered(pick(options, "type", "memory_type")),
            "status": _lowered(pick(options, "status")),
            "person_id": pick(options, "person_id"),
            **{name: parse_list(pick(options, *keys)) or None for name, keys in _LISTS.items()},
            **{name: _time(pick(options, *keys)) for name, keys in _TIMES.items()},
            **{name: _lowered(pick(options, name)) for name in _WORDS},
            "address_or_coord": pick(options, *_ADDRESS),
        },
    )


def _time(value: str | None) -> float | None:
    return None if value is None else parse_float(value, 0.0)


def _keys(*names: str, groups: Iterable[Iterable[str]] = ()) -> frozenset[str]:
    return frozenset([*names, *(key for keys in groups for key in keys)])


_RECORD_KEYS = _keys(
    "title", "content", "body", "type", "memory_type", "status", "person_id", *_WORDS, *_ADDRESS, *_TAG_KEYS,
    groups=[*_LISTS.values(), *_TIMES.values()],
)  # fmt: skip
_SEARCH_KEYS = _keys(
    "topn", "top_n", "n", "query", "q", "type", "memory_type", "status", "person_id", "relation_of", "related_to",
    "include_archived", "include_knowledge", "include_related", "related", *_TAG_KEYS,
)  # fmt: skip
_PLANNERS = {
    "search": (_SEARCH_KEYS, _search),
    "read": (_keys(*_ID_KEYS), _read),
    "create": (_RECORD_KEYS, _create),
    "update": (_RECORD_KEYS | _keys(*_ID_KEYS), _update),
    "delete": (_keys("hard", *_ID_KEYS), _delete),
}
