"""Create and edit one memory."""

from __future__ import annotations

from typing import TypeVar

from core.domain.chat import FLOORS_CHANGED_KEY
from core.domain.commands import CreateMemory, EditMemory, NewMemory, Unset
from core.domain.enums import Kind, Layer, Status, StatusReason
from core.domain.errors import Conflict, Invalid
from core.domain.ids import MemoryPk, new_memory_id
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.schema import ColumnRole, MemoryType
from core.domain.tags import check_triple
from core.domain.tags import clean as clean_tags
from core.ports.store import UnitOfWork
from core.services import content
from core.services.links import INVOLVED_IN, RELATED, set_links
from core.services.lookup import changeable, folder_of, follow_merged, memory_of, op_title, type_of
from core.services.outcome import Outcome

T = TypeVar("T")


def create(uow: UnitOfWork, command: CreateMemory) -> Outcome:
    """A new memory. Errors: Invalid, NotFound (folder)."""
    new = command.memory
    folder = folder_of(uow, new.folder)
    memory = built(uow, new)
    tags = clean_tags(new.tags)
    check_triple(tags)
    pk = MemoryPk(uow.insert([memory])[0])
    if tags.general or tags.has_triple:
        uow.replace_tags({pk: tags})
    if aliases := content.clean_names(new.aliases):
        uow.replace_aliases({pk: aliases})
    if new.related:
        set_links(uow, pk, RELATED, new.related)
    if new.people:
        set_links(uow, pk, INVOLVED_IN, new.people)
    uow.label(count=1, title=op_title(memory), folder=folder.name)
    return Outcome(changed=1, created=(pk,))


def built(uow: UnitOfWork, new: NewMemory) -> Memory:
    """The checked record of a new memory. Errors: Invalid."""
    memory_type = type_of(uow, new.type)
    title, body, fields = content.split_roles(memory_type, new.fields)
    fields = {name: value for name, value in fields.items() if value is not None}
    content.check_floors(new.seq, new.seq_start, new.seq_end)
    memory = Memory(
        id=new_memory_id(),
        folder=new.folder,
        type=memory_type.id,
        layer=new.layer or (Layer.EMERGENT if uow.by_program else Layer.MEMORY),
        title=content.unless_blank(_one(new.title, title)),
        body=_one(new.body, body),
        fields=fields,
        importance=content.checked_importance(new.importance),
        seq=new.seq,
        seq_start=new.seq_start if new.seq_start is not None else new.seq,
        seq_end=new.seq_end if new.seq_end is not None else new.seq,
        visibility=content.clean_names(new.visibility),
        status=new.status,
        status_reason=None if new.status is Status.ACTIVE else StatusReason.BY_HAND,
        novelty=content.checked_novelty(new.novelty),
        source=new.source,
        created_at=uow.now,
        updated_at=uow.now,
    )
    content.check_required(memory_type, memory.title, memory.body, fields)
    content.check_person(memory_type, fields)
    content.check_fields(memory_type, fields)
    return memory


def _one(given: str, from_fields: str | None) -> str:
    """The title or body, which may be given by its column's name instead. Errors: Invalid for two."""
    if from_fields and given and from_fields != given:
        raise Invalid("error.memory.field_twice")
    return given or from_fields or ""


_SAID = frozenset({"title", "body", "fields"})


def edit(uow: UnitOfWork, command: EditMemory) -> Outcome:
    """Change what a memory says. Errors: NotFound, Invalid, UserError (locked), Conflict (revision)."""
    pk = follow_merged(uow, [command.memory])[command.memory]
    changeable(uow, [pk])
    memory = memory_of(uow, pk)
    if command.expected_revision is not None and memory.revision != command.expected_revision:
        raise Conflict("error.memory.changed", [pk], title=op_title(memory))
    values = _edited(uow, memory, command)
    changed = uow.update(Kind.MEMORY, [pk], values) if values else 0
    if not isinstance(command.tags, Unset):
        tags = clean_tags(command.tags)
        check_triple(tags)
        changed += uow.replace_tags({pk: tags})
    if not isinstance(command.aliases, Unset):
        changed += uow.replace_aliases({pk: content.clean_names(command.aliases)})
    changed += _edited_links(uow, pk, command)
    uow.label(count=1, title=op_title(memory_of(uow, pk)))
    followed = {"followed": 1} if pk != command.memory else {}
    return Outcome(changed=min(changed, 1), counts=followed)


def _edited_links(uow: UnitOfWork, pk: MemoryPk, command: EditMemory) -> int:
    changed = 0
    if not isinstance(command.related, Unset):
        changed += set_links(uow, pk, RELATED, command.related)
    if not isinstance(command.people, Unset):
        changed += set_links(uow, pk, INVOLVED_IN, command.people)
    return changed


def _edited(uow: UnitOfWork, memory: Memory, command: EditMemory) -> dict[str, object]:
    """Columns of the memory row that the command sets, checked."""
    new_type = _given(command.type, memory.type)
    memory_type = type_of(uow, new_type) if new_type != memory.type else uow.schema().type(memory.type)
    values: dict[str, object] = {} if new_type == memory.type else {"type": new_type}
    values |= _edited_text(memory, command, memory_type, retyped="type" in values)
    if not isinstance(command.importance, Unset):
        values["importance"] = content.checked_importance(command.importance)
    if not isinstance(command.layer, Unset):
        values["layer"] = command.layer
    if not isinstance(command.visibility, Unset):
        values["visibility"] = content.clean_names(command.visibility)
    if not isinstance(command.status, Unset) and command.status is not memory.status:
        active = command.status is Status.ACTIVE
        values |= {"status": command.status, "status_reason": None if active else StatusReason.BY_HAND}
    if FLOORS_CHANGED_KEY in memory.extra and not _SAID.isdisjoint(values):  # whoever writes has looked at it
        values["extra"] = {key: kept for key, kept in memory.extra.items() if key != FLOORS_CHANGED_KEY}
    return values | _edited_floors(memory, command)


def _edited_text(
    memory: Memory, command: EditMemory, memory_type: MemoryType | None, *, retyped: bool
) -> dict[str, object]:
    given = {} if isinstance(command.fields, Unset) else dict(command.fields)
    title, body = command.title, command.body
    if memory_type is not None:
        named_title, named_body, given = content.split_roles(memory_type, given)
        title = named_title if named_title is not None and isinstance(title, Unset) else title
        body = named_body if named_body is not None and isinstance(body, Unset) else body
    fields: dict[str, Json] = {**memory.fields, **given}
    fields = {name: value for name, value in fields.items() if not (name in given and value is None)}
    if memory_type is not None:
        touched = set(given)
        for role, text in ((ColumnRole.TITLE, title), (ColumnRole.BODY, body)):
            column = memory_type.column_of(role)
            if column is not None and not isinstance(text, Unset):
                touched.add(column.name)
        _check_text(
            memory_type,
            _given(title, memory.title),
            _given(body, memory.body),
            fields,
            None if retyped else touched,
            may_empty=command.may_empty,
        )
    values: dict[str, object] = {}
    if not isinstance(title, Unset):
        values["title"] = content.unless_blank(title)
    if not isinstance(body, Unset):
        values["body"] = body
    if given:
        values["fields"] = fields
    return values


def _check_text(
    memory_type: MemoryType,
    title: str,
    body: str,
    fields: dict[str, Json],
    touched: set[str] | None,
    *,
    may_empty: bool,
) -> None:
    """Only what the edit touches is checked (None = all), so that imported rows can be put right bit by bit."""
    if not may_empty:
        content.check_required(memory_type, title, body, fields, touched)
    if touched is None or content.PERSON_ID in touched:
        content.check_person(memory_type, fields)
    pair = {content.STARTS, content.ENDS}
    checked = fields if touched is None else {
        name: value
        for name, value in fields.items()
        if name in touched or (name in pair and touched & pair)
    }  # fmt: skip
    content.check_fields(memory_type, checked)


def _edited_floors(memory: Memory, command: EditMemory) -> dict[str, object]:
    names = ("seq", "seq_start", "seq_end")
    values: dict[str, object] = {
        name: value for name in names if not isinstance(value := getattr(command, name), Unset)
    }
    if values:
        content.check_floors(
            _given(command.seq, memory.seq),
            _given(command.seq_start, memory.seq_start),
            _given(command.seq_end, memory.seq_end),
        )
    return values


def _given(value: T | Unset, old: T) -> T:
    return old if isinstance(value, Unset) else value
