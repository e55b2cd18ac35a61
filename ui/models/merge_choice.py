"""What a person chose on the merge desk: value by value, until it is one command. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.commands_merge import MergeMemories
from core.domain.enums import Layer, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.queries_merge import MergePlan

BOTH, EDITED, OPEN = -1, -2, -3
"""Instead of the number of an option: all of them, text typed by hand, not chosen yet."""
TITLE, BODY, TYPE, FOLDER, LAYER, IMPORTANCE, AUDIENCE = (
    "title",
    "body",
    "type",
    "folder",
    "layer",
    "importance",
    "visibility",
)
COLUMN = "column:"
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]*[”」』\"']?|\n+")
_ENGLISH_END = re.compile(r"(?<=[a-z0-9][.])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Option:
    """One of the values that stand there, and which members say so."""

    value: Json
    members: tuple[int, ...]


@dataclass(slots=True)
class Line:
    """One column: what each member says, and what was chosen. `joins`: all values together make sense."""

    name: str
    options: tuple[Option, ...]
    chosen: int
    joins: bool = False
    edited: str = ""

    @property
    def differs(self) -> bool:
        """Whether there is something to choose."""
        return len(self.options) > 1

    @property
    def value(self) -> Json:
        """What the survivor will say."""
        if self.chosen == EDITED:
            return self.edited
        if self.chosen == BOTH:
            return joined([option.value for option in self.options], lines=self.name == BODY)
        return self.options[self.chosen].value if 0 <= self.chosen < len(self.options) else None

    def option_of(self, member: int) -> int | None:
        """The option that a member says; None when it says nothing."""
        return next((at for at, option in enumerate(self.options) if member in option.members), None)


@dataclass(slots=True)
class Tick:
    """A tag, a name or a sentence that is taken or left. `kind` "" for names and sentences."""

    value: str
    kind: str = ""
    on: bool = True
    members: int = 1


def joined(values: Sequence[Json], *, lines: bool) -> Json:
    """All values in one: lists united, texts one after the other without what stands in another one."""
    if all(isinstance(value, list | tuple) for value in values):
        items: list[Json] = []
        for value in values:
            items += [item for item in value if item not in items] if isinstance(value, list | tuple) else []
        return items
    texts = [str(value).strip() for value in values if value not in (None, "")]
    kept = [
        text
        for at, text in enumerate(texts)
        if not any(
            text in other and (text != other or at > place)
            for place, other in enumerate(texts)
            if place != at
        )
    ]
    if lines:
        return "\n".join(kept)
    return ("；" if any(ord(char) > 0x2E7F for text in kept for char in text) else "; ").join(kept)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; line breaks end one too."""
    found: list[str] = []
    for part in _SENTENCE.findall(text):
        found += [piece.strip() for piece in _ENGLISH_END.split(part) if piece.strip()]
    return found


@dataclass(slots=True)
class MergeChoice:
    """All choices for one merge. The first member is the survivor."""

    plan: MergePlan
    lines: list[Line] = field(default_factory=list)
    tags: list[Tick] = field(default_factory=list)
    names: list[Tick] = field(default_factory=list)
    said: list[Tick] = field(default_factory=list)

    @classmethod
    def of(cls, plan: MergePlan) -> MergeChoice:
        """The choices that the plan makes by itself."""
        made = cls(plan)
        memories = [member.memory for member in plan.members]
        made.lines = list(_lines(plan, memories))
        made.tags = [Tick(v, kind.value) for kind in TagKind for v in plan.tags.group(kind)]
        made.names = [Tick(value) for value in plan.aliases]
        made.said = _sentences(memories, plan.body)
        return made

    @property
    def memories(self) -> list[Memory]:
        """The members."""
        return [member.memory for member in self.plan.members]

    def line(self, name: str) -> Line:
        """One column."""
        return next(line for line in self.lines if line.name == name)

    @property
    def ready(self) -> bool:
        """Whether everything that must be chosen is."""
        return not self.plan.locked and all(line.chosen != OPEN for line in self.lines)

    def tick_sentence(self, at: int, on: bool) -> None:
        """Take a sentence or leave it: the body is what is ticked."""
        self.said[at].on = on
        line = self.line(BODY)
        line.chosen, line.edited = EDITED, "\n".join(tick.value for tick in self.said if tick.on)

    def tag_set(self) -> TagSet:
        """The tags that are ticked."""
        groups = {
            kind: tuple(t.value for t in self.tags if t.on and t.kind == kind.value) for kind in TagKind
        }
        return TagSet(
            groups[TagKind.GENERAL],
            groups[TagKind.CORE],
            groups[TagKind.DIFFUSION],
            groups[TagKind.OPPOSING],
        )

    def command(self) -> MergeMemories:
        """The merge as chosen."""
        values = {line.name: line.value for line in self.lines}
        memories = self.memories
        fields = {
            name.removeprefix(COLUMN): value for name, value in values.items() if name.startswith(COLUMN)
        }
        return MergeMemories(
            survivor=memories[0].pk,
            losers=tuple(memory.pk for memory in memories[1:]),
            title=str(values[TITLE] or ""),
            body=str(values[BODY] or ""),
            fields=fields,
            type=TypeId(str(values[TYPE])),
            folder=FolderPk(_int(values[FOLDER])),
            layer=Layer(str(values[LAYER])),
            importance=_float(values[IMPORTANCE]),
            visibility=tuple(str(name) for name in _list(values[AUDIENCE])),
            tags=self.tag_set(),
            aliases=tuple(tick.value for tick in self.names if tick.on),
            expected_revisions={memory.pk: memory.revision for memory in memories},
        )


def _int(value: Json) -> int:
    return int(value) if isinstance(value, int | float | str) else 0


def _float(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list | tuple) else ()


def _lines(plan: MergePlan, memories: Sequence[Memory]) -> Iterator[Line]:
    yield _line(TITLE, [memory.title for memory in memories], plan.title, joins=True)
    yield _line(BODY, [memory.body for memory in memories], plan.body, joins=True)
    names = dict.fromkeys(name for memory in memories for name in memory.fields)
    for name in names:
        values = [memory.fields.get(name) for memory in memories]
        kinds = {type(value) for value in values if value not in (None, "", [])}
        taken = plan.fields.get(name)
        joins = len(kinds) == 1 and kinds <= {str, list} and taken is not None
        yield _line(f"{COLUMN}{name}", values, taken, joins=joins)
    yield _line(TYPE, [memory.type for memory in memories], plan.type)
    yield _line(FOLDER, [memory.folder for memory in memories], memories[0].folder)
    yield _line(LAYER, [memory.layer.value for memory in memories], memories[0].layer.value)
    yield _line(IMPORTANCE, [memory.importance for memory in memories], plan.importance)
    audience = _line(
        AUDIENCE, [list(memory.visibility) for memory in memories], list(plan.visibility), empty=True
    )
    if plan.audience_open:
        audience.chosen = OPEN
    yield audience


def _line(
    name: str, values: Sequence[Json], default: Json, *, joins: bool = False, empty: bool = False
) -> Line:
    """`empty`: saying nothing is a value too. What the plan made itself (a union) is chosen as such.

    A value that the plan does not take (a column that the survivor's type has not) is offered, and nothing chosen.
    """
    found: list[tuple[Json, list[int]]] = []
    for member, value in enumerate(values):
        if not empty and value in (None, "", [], ()):
            continue
        same = next((members for other, members in found if other == value), None)
        if same is None:
            found.append((value, [member]))
        else:
            same.append(member)
    if not found:
        found = [(default, [])]
    options = [Option(value, tuple(members)) for value, members in found]
    chosen = next((at for at, option in enumerate(options) if option.value == default), None)
    if chosen is None and joins:
        chosen = BOTH
    elif chosen is None:
        options.append(Option(default, ()))
        chosen = len(options) - 1
    return Line(name, tuple(options), chosen, joins)


def _sentences(memories: Sequence[Memory], body: str) -> list[Tick]:
    """All sentences of all members, each once; ticked are those of the body that the plan took."""
    taken = set(sentences(body))
    counts: dict[str, int] = {}
    for memory in memories:
        for text in dict.fromkeys(sentences(memory.body)):
            counts[text] = counts.get(text, 0) + 1
    return [Tick(text, "", text in taken, count) for text, count in counts.items()]


@dataclass(frozen=True, slots=True)
class DeskItem:
    """One entry of the desk's queue. `why`: reasons in words (text key and what fills it), "" verdict = by hand."""

    pks: tuple[MemoryPk, ...]
    verdict: str = ""
    why: tuple[tuple[str, Mapping[str, Any]], ...] = ()
