"""Operations made into parts of a proposal (spec/STBME §3.6 with the mends of DESIGN §5).

Ids and refs are looked up, forward ones too; types never mix; required columns are asked for; what repeats the prompt
or has nothing to do with the messages is refused; locked memories are left alone, and the part says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.algos.js_values import text as shown_text
from core.algos.lexical import fold, search_tokens
from core.algos.visibility import names_in
from core.domain.errors import Invalid
from core.domain.ids import RelationId, TypeId
from core.domain.json_types import Json
from core.domain.memory import DEFAULT_IMPORTANCE, IMPORTANCE_RANGE, TagSet
from core.domain.proposal import ChangePart, CreatePart, End, LinkPart, Part, RetirePart
from core.domain.results import Problem
from core.domain.schema import Column, ColumnFormat, ColumnRole, MemoryType
from core.services import content
from core.services.extract.operations import Link, Operation
from core.services.extract.shelf import Known, Shelf

RELATED, TEMPORAL = RelationId("related"), RelationId("temporal_update")
REPLACED_LIKENESS = 0.1
"""From this share of common words on what is removed was replaced by what is new."""
VISIBILITY = "visibility"
_ECHO_CHARS = 8
_FACT_TYPES = ("event", "knowledge")
_DELETES_UNTICKED = 5
"""More deletions than this in one reply wait without a tick."""


@dataclass(slots=True)
class Said:
    """What a part can be held against: the frame of the request, and the messages."""

    prompt: str
    messages: str

    def __post_init__(self) -> None:
        """Fold both once."""
        self.prompt = _squeezed(self.prompt)
        self.messages = " ".join(search_tokens(self.messages))

    def repeats_prompt(self, text: str) -> bool:
        """Whether a text stands in the prompt itself."""
        squeezed = _squeezed(text)
        return len(squeezed) >= _ECHO_CHARS and squeezed in self.prompt

    def is_of_messages(self, text: str) -> bool:
        """Whether any word of a text stands in the messages."""
        tokens = [token for token in search_tokens(text) if len(token) > 1]
        known = frozenset(self.messages.split())
        return not tokens or any(token in known for token in tokens)


def _squeezed(text: str) -> str:
    return "".join(fold(text).split())


@dataclass(slots=True)
class Builder:
    """Makes the parts of one batch. `start`, `end`: its floors; `group`: the key that its parts share."""

    shelf: Shelf
    group: str
    start: int
    end: int
    said: Said
    source: str = ""
    problems: list[Problem] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    _refs: dict[str, End] = field(default_factory=dict)
    _links: list[tuple[str, End, Link]] = field(default_factory=list)
    _sources: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def build(self, operations: Sequence[Operation]) -> list[Part]:
        """The parts of all operations; `problems` says what was left out."""
        for operation in operations:
            match operation.action:
                case "create":
                    self._create(operation)
                case "none":
                    self._nothing(operation)
                case "update":
                    self._update(operation)
                case "delete":
                    self._delete(operation)
                case "link":
                    self._links += [(operation.source, "", link) for link in operation.links]
        self._connect()
        self._name_sources()
        self._supersede()
        self._doubt_deletions()
        return self.parts

    def _key(self) -> str:
        self._count += 1
        return f"{self.group}:{self._count}"

    def _note(self, key: str, **args: Json) -> None:
        self.problems.append(Problem(f"extract.note.{key}", args))

    # --- creates -------------------------------------------------------------------------

    def _nothing(self, operation: Operation) -> None:
        """NONE for a text while nothing is known is no "nothing new": a person looks at it."""
        if operation.text and not self.shelf.known:
            self._create(operation, Problem("extract.note.said_none", {}, "info"))

    def _create(self, operation: Operation, *notes: Problem) -> None:
        memory_type = self._type(operation)
        if memory_type is None:
            self._note("type_unknown", type=operation.type[:40])
            return
        title, body, fields, odd = self._values(memory_type, operation)
        visibility = names_in(fields.pop(VISIBILITY, None))
        texts = [title, body, *(shown_text(value) for value in fields.values())]
        if any(self.said.repeats_prompt(text) for text in texts):
            self._note("prompt_echo", text=next(filter(None, texts), "")[:80])
            return
        if not any(texts):
            self._note("empty", type=memory_type.id)
            return
        found = [*notes, *odd]
        old = self.shelf.named(memory_type.id, title) if memory_type.latest_only else None
        key = self._key()
        if old is not None:
            self._change(
                key, operation, old, [*found, Problem("extract.note.is_known", {"title": old.title}, "info")]
            )
            return
        ticked = self._checked(memory_type, title, body, fields, " ".join(texts), found)
        importance = self._importance(operation, found)
        self.parts.append(
            CreatePart(
                key=key,
                group=self.group,
                ticked=ticked,
                notes=tuple(found),
                type=memory_type.id,
                title=title,
                body=body,
                fields=fields,
                importance=DEFAULT_IMPORTANCE if importance is None else importance,
                tags=TagSet(general=operation.tags or ()),
                seq=self.end,
                seq_start=self.start,
                seq_end=self.end,
                visibility=visibility,
                source=self.source,
            )
        )
        self._register(operation, key, key)

    def _register(self, operation: Operation, key: str, end: End) -> None:
        if operation.ref:
            self._refs[operation.ref] = end
        self._links += [(key, end, link) for link in operation.links]

    def _type(self, operation: Operation) -> MemoryType | None:
        schema = self.shelf.schema
        if not operation.type and operation.text:
            return next((found for name in _FACT_TYPES if (found := schema.type(name))), None)
        exact = schema.type(operation.type)
        if exact is not None:
            return exact
        wanted = fold(operation.type).strip()
        return next(
            (
                each
                for each in schema.types
                if wanted and wanted in {fold(each.id), *(fold(label) for label in each.labels.values())}
            ),
            None,
        )

    def _values(
        self, memory_type: MemoryType, operation: Operation
    ) -> tuple[str, str, dict[str, Json], list[Problem]]:
        """Title, body and fields of an operation in the columns of the type; columns of other types are left out.

        A column that no type has is kept beside them: what was said is not lost.
        """
        odd: list[Problem] = []
        columns = {column.name: column for column in memory_type.columns}
        foreign = {column.name for each in self.shelf.schema.types for column in each.columns}
        given: dict[str, Json] = {}
        for name, value in operation.fields.items():
            column = columns.get(name) or self._by_role(memory_type, name)
            if column is None and name in foreign:
                odd.append(Problem("extract.note.column", {"column": name[:40], "type": memory_type.id}))
            elif value is not None and name.strip():
                if column is None and name != VISIBILITY:
                    odd.append(Problem("extract.note.own_column", {"column": name[:40]}, "info"))
                given[column.name if column else name] = _fitting(column, value)
        title_column, body_column = (
            memory_type.column_of(ColumnRole.TITLE),
            memory_type.column_of(ColumnRole.BODY),
        )
        title = shown_text(given.pop(title_column.name, "")) if title_column else ""
        body = shown_text(given.pop(body_column.name, "")) if body_column else ""
        if operation.text and not body:
            body = operation.text
        return title.strip(), body.strip(), given, odd

    @staticmethod
    def _by_role(memory_type: MemoryType, name: str) -> Column | None:
        """The column that a model means by another type's name for a title or a body."""
        role = (
            ColumnRole.TITLE
            if name in {"name", "title"}
            else ColumnRole.BODY
            if name in {"summary", "content", "description", "text"}
            else None
        )
        return None if role is None else memory_type.column_of(role)

    def _checked(
        self,
        memory_type: MemoryType,
        title: str,
        body: str,
        fields: Mapping[str, Json],
        said: str,
        notes: list[Problem],
    ) -> bool:
        """Whether a new memory can be made as it is and has to do with the messages; why not goes to the notes."""
        try:
            content.check_required(memory_type, title, body, fields)
            content.check_person(memory_type, fields)
            content.check_fields(memory_type, fields)
        except Invalid as error:
            notes.append(
                Problem("extract.note.incomplete", {"columns": str(error.text_args.get("columns", ""))})
            )
            return False
        if not self.said.is_of_messages(said):
            notes.append(Problem("extract.note.not_said", {}))
            return False
        return True

    def _importance(self, operation: Operation, notes: list[Problem]) -> float | None:
        if operation.importance is None:
            return None
        low, high = IMPORTANCE_RANGE
        clamped = min(high, max(low, operation.importance))
        if clamped != operation.importance:
            notes.append(Problem("extract.note.importance", {"value": operation.importance}, "info"))
        return clamped

    # --- updates and deletions -------------------------------------------------------------

    def _known(self, said: str) -> Known | None:
        end = self._refs.get(said)
        if end is None:
            return self.shelf.find(said)
        made = next((part for part in self.parts if part.key == end), None)
        if isinstance(made, CreatePart):
            return Known(
                label=said, end=end, type=made.type, title=made.title, body=made.body, fields=made.fields
            )
        return next((each for each in self.shelf.known if each.end == end), None)

    def _update(self, operation: Operation) -> None:
        old = self._known(operation.node)
        if old is None:
            self._note("update_unknown", id=operation.node[:60])
            return
        self._change(self._key(), operation, old, [])

    def _change(self, key: str, operation: Operation, old: Known, notes: list[Problem]) -> None:
        memory_type = self.shelf.schema.type(old.type)
        if memory_type is None:
            self._note("type_unknown", type=old.type)
            return
        if operation.type and operation.type != old.type:
            notes.append(Problem("extract.note.other_type", {"type": operation.type[:40]}))
        title, body, fields, odd = self._values(memory_type, operation)
        notes += odd
        fields.pop(VISIBILITY, None)
        if any(self.said.repeats_prompt(text) for text in (title, body, *map(shown_text, fields.values()))):
            self._note("prompt_echo", text=(title or body)[:80])
            return
        patch = {name: value for name, value in fields.items() if old.fields.get(name) != value}
        new_title = title if title and fold(title) not in {fold(old.title), *old.names} else None
        new_body = body if body and body != old.body else None
        self._register(operation, key, old.end)
        if not patch and new_title is None and new_body is None:
            if not operation.links:
                self._note("nothing_new", title=(old.title or old.body)[:60])
            return
        if old.locked:
            notes.append(Problem("extract.note.locked", {"title": old.title}))
        if operation.source:
            self._sources[key] = operation.source
        floor = self.end if operation.seq is None else min(max(operation.seq, self.start), self.end)
        self.parts.append(
            ChangePart(
                key=key,
                group=self.group,
                ticked=not old.locked,
                notes=tuple(notes),
                memory=old.end,
                revision=old.revision,
                title=new_title,
                body=new_body,
                fields=patch,
                tags=None,
                importance=self._importance(operation, notes),
                floor=floor,
                update_event=True,
                temporal_strength=_strength(operation.temporal_strength, 0.95),
            )
        )

    def _delete(self, operation: Operation) -> None:
        old = self._known(operation.node)
        if old is None:
            self._note("delete_unknown", id=operation.node[:60])
            return
        notes = [Problem("extract.note.locked", {"title": old.title})] if old.locked else []
        self.parts.append(
            RetirePart(
                key=self._key(),
                group=self.group,
                ticked=not old.locked,
                notes=tuple(notes),
                memory=old.end,
                revision=old.revision,
            )
        )

    def _doubt_deletions(self) -> None:
        retired = [part for part in self.parts if isinstance(part, RetirePart)]
        if len(retired) <= _DELETES_UNTICKED:
            return
        doubt = Problem("extract.note.many_deletions", {"count": len(retired)})
        self.parts = [
            RetirePart(
                key=part.key,
                group=part.group,
                ticked=False,
                notes=(*part.notes, doubt),
                memory=part.memory,
                revision=part.revision,
                reason=part.reason,
            )
            if isinstance(part, RetirePart)
            else part
            for part in self.parts
        ]

    # --- relations -------------------------------------------------------------------------

    def _name_sources(self) -> None:
        """What brought a change may be named by a ref, also a later one."""
        for at, part in enumerate(self.parts):
            source = self._end(self._sources[part.key]) if part.key in self._sources else None
            if isinstance(part, ChangePart) and source not in (None, part.memory):
                self.parts[at] = replace(part, temporal_source=source)

    def _supersede(self) -> None:
        """What a reply removes beside a new memory that speaks of the same was replaced by it: the two are linked."""
        fresh = [part for part in self.parts if isinstance(part, CreatePart)]
        for part in [each for each in self.parts if isinstance(each, RetirePart)]:
            old = next((each for each in self.shelf.known if each.end == part.memory), None)
            if old is None or not fresh:
                continue
            best = max(fresh, key=lambda new: _likeness(f"{new.title} {new.body}", f"{old.title} {old.body}"))
            if _likeness(f"{best.title} {best.body}", f"{old.title} {old.body}") < REPLACED_LIKENESS:
                continue
            self.parts.append(
                LinkPart(
                    key=self._key(),
                    group=self.group,
                    source=best.key,
                    target=old.end,
                    relation=TEMPORAL,
                    strength=0.95,
                    floor=self.end,
                )
            )

    def _connect(self) -> None:
        """Relations come last, so that refs may be named before they are made."""
        seen = set()
        for said_by, end, link in self._links:
            source = end or self._end(said_by)
            target = self._refs.get(link.target) if link.is_ref else self._end(link.target)
            if target is None and link.is_ref:
                target = self._end(link.target)
            if source is None or target is None:
                self._note("link_lost", id=(link.target if target is None else str(said_by))[:60])
                continue
            relation, odd = self._relation(link.relation)
            if source == target or (source, target, relation) in seen:
                continue
            seen.add((source, target, relation))
            self.parts.append(
                LinkPart(
                    key=self._key(),
                    group=self.group,
                    notes=odd,
                    source=source,
                    target=target,
                    relation=relation,
                    strength=_strength(link.strength, 0.8),
                    floor=self.end,
                )
            )

    def _end(self, said: str) -> End | None:
        if said in self._refs:
            return self._refs[said]
        found = self.shelf.find(said)
        if found is not None:
            return found.end
        wanted = fold(said).strip()
        for part in self.parts:
            if isinstance(part, CreatePart) and wanted and fold(part.title).strip() == wanted:
                return part.key
        return None

    def _relation(self, said: str) -> tuple[RelationId, tuple[Problem, ...]]:
        found = self.shelf.schema.relation(said)
        if found is not None:
            return found.id, ()
        odd = (Problem("extract.note.relation", {"relation": said[:40]}, "info"),) if said else ()
        return RELATED, odd


def _likeness(one: str, other: str) -> float:
    """Share of the words of both that both have."""
    words, others = set(search_tokens(one)), set(search_tokens(other))
    return len(words & others) / max(1, len(words | others))


def _strength(value: float | None, default: float) -> float:
    return default if value is None else min(1.0, max(0.0, value))


def _fitting(column: Column | None, value: Json) -> Json:
    """A value in the form of its column: texts stay texts, lists become lists or lines of names."""
    if column is None or column.format is ColumnFormat.LIST:
        return value
    if column.format in {ColumnFormat.NUMBER, ColumnFormat.TIME}:
        return value
    if isinstance(value, list):
        return ", ".join(shown_text(item) for item in value)
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {shown_text(item)}" for name, item in value.items())
    return value if isinstance(value, str) else shown_text(value)


def of_type(parts: Sequence[Part], type_ids: Sequence[TypeId]) -> bool:
    """Whether a new memory of one of these types is among the parts."""
    return any(isinstance(part, CreatePart) and part.type in type_ids for part in parts)
