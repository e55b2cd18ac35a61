"""Find and replace in many memories, with a preview of every change and a time limit for patterns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from core.domain.commands import FindAndReplace, TextPlace
from core.domain.enums import Kind, TagKind
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk
from core.domain.json_types import Json, texts_of
from core.domain.memory import Memory, TagSet
from core.domain.results import ReplaceChange, ReplacePreview
from core.domain.schema import Schema
from core.domain.tags import check_triple, clean
from core.ports.store import Reader, UnitOfWork
from core.services import content
from core.services.attributes import in_chunks
from core.services.lookup import check_not_trashed, chunks, states_of
from core.services.outcome import Outcome

SECONDS_A_TEXT = 1.0
"""A pattern that needs longer on one text is given up: it backtracks without end."""
SECONDS_IN_ALL = 60.0
MAX_GROWTH = 4_000_000
"""Longest text, in characters, that a replacement may make of one."""

_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_WORD_STARTS = rf"(?:(?={_UNSPACED})|(?<!(?!{_UNSPACED})\w))"
_WORD_ENDS = rf"(?:(?<={_UNSPACED})|(?!(?!{_UNSPACED})\w))"
"""Edges of a word in a script that writes spaces; in the others there is one everywhere (core.algos.mentions)."""

Replace = Callable[[str], str]


def replace(uow: UnitOfWork, command: FindAndReplace) -> Outcome:
    """Replace text in memories. Errors: Invalid (pattern, too slow, a rule broken by the result)."""
    change = replacer(command)

    def write(part: Sequence[MemoryPk]) -> int:
        edited = _edited(uow, part, command, change)
        schema = uow.schema()
        for one in edited:
            one.check(schema)
        rows: dict[int, dict[str, object]] = {one.memory.pk: one.columns for one in edited if one.columns}
        uow.update_each(Kind.MEMORY, rows)
        uow.replace_tags({one.memory.pk: one.tags for one in edited if one.tags is not None})
        return len(edited)

    return in_chunks(uow, command.memories, write)


def preview(reader: Reader, command: FindAndReplace, limit: int) -> ReplacePreview:
    """Every change that the command would make. Errors: as `replace`, rules of memories excepted."""
    change = replacer(command)
    changes: list[ReplaceChange] = []
    total = 0
    for part in chunks(command.memories):
        check_not_trashed(states_of(reader, part))
        for one in _edited(reader, part, command, change):
            total += len(one.changes)
            changes += one.changes[: max(0, limit - len(changes))]
    return ReplacePreview(tuple(changes), total)


def replacer(command: FindAndReplace) -> Replace:
    """The text change that the command asks for. Errors: Invalid for a bad pattern or replacement."""
    if not command.pattern:
        raise Invalid("error.replace.empty")
    flags = 0 if command.match_case else regex.IGNORECASE
    source = command.pattern if command.regex else regex.escape(command.pattern)
    if command.whole_words:
        source = f"{_WORD_STARTS}(?:{source}){_WORD_ENDS}"
    if command.keep_replaced and not command.regex and command.replacement:
        source = f"{regex.escape(command.replacement)}(*SKIP)(*FAIL)|{source}"
    try:
        pattern = regex.compile(source, flags | regex.VERSION0)
        # Compiled once here so that a bad group or escape is refused before anything is read.
        template = command.replacement if command.regex else command.replacement.replace("\\", "\\\\")
        pattern.sub(template, "", timeout=SECONDS_A_TEXT)
        _check_groups(pattern, template)
    except (regex.error, IndexError, ValueError, OverflowError) as error:
        raise Invalid("error.replace.pattern", reason=str(error)) from error
    except TimeoutError as error:
        raise Invalid("error.replace.slow") from error
    return _Timed(pattern, template)


def _check_groups(pattern: regex.Pattern[str], template: str) -> None:
    """A replacement that names a group which the pattern lacks is refused, also without a hit."""
    probe = regex.compile(f"(?:{pattern.pattern})|(?P<curator_probe>)", pattern.flags)
    probe.sub(template, "", timeout=SECONDS_A_TEXT)


@dataclass(slots=True)
class _Timed:
    """A replacement under two time limits: one a text, one for all texts together."""

    pattern: regex.Pattern[str]
    template: str
    left: float = SECONDS_IN_ALL

    def __call__(self, text: str) -> str:
        started = time.monotonic()
        limit = min(SECONDS_A_TEXT, self.left)
        try:
            changed = str(self.pattern.sub(self.template, text, timeout=limit)) if limit > 0 else None
        except TimeoutError as error:
            raise Invalid("error.replace.slow") from error
        if changed is None:
            raise Invalid("error.replace.slow")
        self.left -= time.monotonic() - started
        if len(changed) > MAX_GROWTH:
            raise Invalid("error.replace.grows")
        return changed


@dataclass(slots=True)
class _Edited:
    """One memory with what the replacement makes of it."""

    memory: Memory
    columns: dict[str, object] = field(default_factory=dict)
    tags: TagSet | None = None
    changes: list[ReplaceChange] = field(default_factory=list)

    def note(self, place: str, before: str, after: str) -> None:
        """Remember a change for the preview."""
        self.changes.append(ReplaceChange(self.memory.pk, self.memory.named, place, before, after))

    def check(self, schema: Schema) -> None:
        """The memory stays one that its type allows. Errors: Invalid."""
        if self.tags is not None:
            check_triple(self.tags)
        memory_type = schema.type(self.memory.type)
        if memory_type is None or not self.columns:
            return
        names = {place.rpartition(".")[2] for change in self.changes for place in [change.place]}
        names |= {column.name for column in memory_type.columns if column.role.value in self.columns}
        fields = self.columns.get("fields", self.memory.fields)
        new_fields: Mapping[str, Json] = fields if isinstance(fields, Mapping) else {}
        title = str(self.columns.get("title", self.memory.title))
        body = str(self.columns.get("body", self.memory.body))
        content.check_required(memory_type, title, body, new_fields, names)
        if content.PERSON_ID in names:
            content.check_person(memory_type, new_fields)


def _edited(
    reader: Reader, part: Sequence[MemoryPk], command: FindAndReplace, change: Replace
) -> list[_Edited]:
    tags = reader.tag_sets(part) if TextPlace.TAGS in command.places else {}
    found = []
    for memory in reader.records(Memory, part):
        one = _Edited(memory)
        _edit_texts(one, command, change)
        if memory.pk in tags:
            _edit_tags(one, tags[memory.pk], change)
        if one.changes:
            found.append(one)
    return found


def _edit_texts(one: _Edited, command: FindAndReplace, change: Replace) -> None:
    for place in (TextPlace.TITLE, TextPlace.BODY):
        if place in command.places:
            before = str(getattr(one.memory, place.value))
            after = change(before)
            if after != before:
                one.columns[place.value] = after
                one.note(place.value, before, after)
    if TextPlace.FIELDS in command.places:
        fields = {name: _changed(value, change) for name, value in one.memory.fields.items()}
        if fields != dict(one.memory.fields):
            one.columns["fields"] = fields
            for name, value in one.memory.fields.items():
                for before, after in zip(texts_of(value), texts_of(fields[name]), strict=True):
                    if before != after:
                        one.note(f"fields.{name}", before, after)


def _changed(value: Json, change: Replace) -> Json:
    """The JSON value with every text in it changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _changed(item, change) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_changed(item, change) for item in value]
    return value


def _edit_tags(one: _Edited, tags: TagSet, change: Replace) -> None:
    groups = {kind: tuple(change(tag) for tag in tags.group(kind)) for kind in TagKind}
    new = clean(
        TagSet(
            general=groups[TagKind.GENERAL],
            core=groups[TagKind.CORE],
            diffusion=groups[TagKind.DIFFUSION],
            opposing=groups[TagKind.OPPOSING],
        )
    )
    if new == tags:
        return
    one.tags = new
    for kind in TagKind:
        for before, after in zip(tags.group(kind), groups[kind], strict=True):
            if before != after:
                one.note(f"tags.{kind.value}", before, after)
