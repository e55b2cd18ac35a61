"""The Types page: what a schema is used by, whether a type may be saved as it stands, order, many at once."""

from __future__ import annotations

from dataclasses import replace

from core.domain import queries_schema as qs
from core.domain.commands_health import ArrangeTypes, ImportSchema
from core.domain.commands_schema import SaveMemoryType, SaveRelationType
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.results import Problem
from core.domain.schema import MemoryType
from core.ports.store import Reader, UnitOfWork
from core.services import schema
from core.services.outcome import Outcome


def use(reader: Reader, _query: qs.SchemaUse) -> qs.Use:
    """Numbers of memories by type and of relations by kind, in the trash too."""
    return qs.Use(reader.types_in_use(), reader.relations_in_use())


def check_type(reader: Reader, query: qs.CheckMemoryType) -> Problem | None:
    """What stands against saving the type, None = nothing."""
    present = reader.schema()
    if query.new and present.type(query.type.id) is not None:
        return Problem("error.schema.id_taken", {"id": query.type.id})
    old = present.type(query.type.id)
    try:
        schema.check_type(query.type, [other for other in present.types if other.id != query.type.id])
        if old is not None:
            schema.check_roles_kept(reader, old, query.type)
    except Invalid as error:
        return Problem(error.key, {name: str(value) for name, value in error.text_args.items()})
    return None


def check_relation(reader: Reader, query: qs.CheckRelationType) -> Problem | None:
    """What stands against saving the relation type, None = nothing."""
    if query.new and reader.schema().relation(query.relation.id) is not None:
        return Problem("error.schema.id_taken", {"id": query.relation.id})
    try:
        schema.check_relation(query.relation)
    except Invalid as error:
        return Problem(error.key, {name: str(value) for name, value in error.text_args.items()})
    return None


def arrange(uow: UnitOfWork, command: ArrangeTypes) -> Outcome:
    """Positions as the ids stand; the others follow in their order."""
    present = uow.schema()
    types = _order([item.id for item in present.types], command.types)
    relations = _order([item.id for item in present.relations], command.relations)
    changed = uow.update_each(
        Kind.MEMORY_TYPE, {item.pk: {"position": types.index(item.id)} for item in present.types}
    )
    changed += uow.update_each(
        Kind.RELATION_TYPE, {item.pk: {"position": relations.index(item.id)} for item in present.relations}
    )
    uow.label(count=changed)
    return Outcome(changed=changed)


def _order(there: list[str], wanted: tuple[str, ...]) -> list[str]:
    known = [name for name in dict.fromkeys(wanted) if name in there]
    return [*known, *(name for name in there if name not in known)] if wanted else there


def import_all(uow: UnitOfWork, command: ImportSchema) -> Outcome:
    """Save each; a rule that one breaks keeps all from being saved. Errors: Invalid."""
    changed = 0
    for item in command.types:
        changed += schema.save_type(uow, SaveMemoryType(_in_place(uow, item))).changed
    for relation in command.relations:
        old = uow.schema().relation(relation.id)
        placed = relation if old is None else replace(relation, position=old.position)
        changed += schema.save_relation(uow, SaveRelationType(placed)).changed
    uow.label(count=len(command.types) + len(command.relations), title="")
    return Outcome(changed=changed)


def _in_place(uow: UnitOfWork, item: MemoryType) -> MemoryType:
    old = uow.schema().type(item.id)
    return item if old is None else replace(item, position=old.position)
