"""Putting right what a check-up found: one op, undone like any other (core.domain.health).

Each fault is looked for again inside the op, so that only what is wrong *now* is touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.domain.commands_health import RepairFaults
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.health import TREATMENTS, Cure, Fault, Faulty
from core.domain.ids import MemoryPk, RelationId, TypeId
from core.domain.memory import Memory
from core.domain.schema import Column, ColumnFormat, ColumnRole, MemoryType, RelationType
from core.domain.schema_data import default_schema
from core.ports.store import UnitOfWork
from core.services.lookup import CHUNK, default_folder
from core.services.outcome import Outcome

ORDER = tuple(Fault)
"""What cannot be read comes first: other repairs read it."""


def carry_out(uow: UnitOfWork, command: RepairFaults) -> Outcome:
    """Repair each of the faults. Errors: Invalid for one that no change puts right."""
    for fault in command.faults:
        if TREATMENTS[fault].cure is not Cure.CHANGE:
            raise Invalid("error.repair.not_a_change", fault=fault.value)
    counts: dict[str, int] = {}
    for fault in sorted(set(command.faults), key=ORDER.index):
        found = uow.faulty(fault, uow.now)
        changed = _REPAIRS.get(fault, _set_or_delete)(uow, found)
        if changed:
            counts[fault.value] = changed
        uow.checkpoint(sum(counts.values()), sum(counts.values()))
    total = sum(counts.values())
    uow.label(count=total)
    return Outcome(changed=total, counts=counts)


def _set_or_delete(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    """Rows without a column go, the others get their values. Returns the number of rows."""
    gone: dict[Kind, list[int]] = defaultdict(list)
    values: dict[Kind, dict[int, dict[str, object]]] = defaultdict(dict)
    for each in found:
        if each.column:
            values[each.kind].setdefault(each.pk, {})[each.column] = each.value
        else:
            gone[each.kind].append(each.pk)
    changed = 0
    for kind, pks in gone.items():
        for start in range(0, len(pks), CHUNK):
            changed += uow.delete(kind, pks[start : start + CHUNK])
            uow.checkpoint(start, len(pks))
    for kind, rows in values.items():
        items = list(rows.items())
        for start in range(0, len(items), CHUNK):
            changed += uow.update_each(kind, dict(items[start : start + CHUNK]))
            uow.checkpoint(start, len(items))
    return changed


def _into_default_folder(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    if not found:
        return 0
    folder = default_folder(uow).pk
    taken: set[str] = set()
    lost = [each.pk for each in found if each.kind is Kind.MEMORY]
    for memory in uow.records(Memory, lost):  # a foreign id stands once in a folder
        name = memory.foreign_id
        if name is not None and (name in taken or uow.resolve([name], folder).get(name)):
            uow.update(Kind.MEMORY, [memory.pk], {"foreign_id": None})
        elif name is not None:
            taken.add(name)
    return _set_or_delete(uow, [replace(each, value=folder) for each in found])


def _add_types(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    """A type for each unknown id: the built-in one of that id, else one with the columns that are in use."""
    schema = uow.schema()
    place = max((item.position for item in schema.types), default=-1) + 1
    tables = {item.table_name for item in schema.types}
    by_type: dict[str, list[int]] = defaultdict(list)
    for each in found:
        by_type[str(each.value)].append(each.pk)
    for number, (type_id, pks) in enumerate(by_type.items()):
        made = default_schema().type(type_id) or _type_of_use(type_id, _names_in_use(uow, pks))
        table = made.table_name if made.table_name not in tables else f"{made.table_name}_{place + number}"
        tables.add(table)
        uow.insert([replace(made, pk=0, table_name=table, position=place + number, built_in=False)])
    return len(by_type)


def _names_in_use(uow: UnitOfWork, pks: Sequence[int]) -> list[str]:
    names: dict[str, None] = {}
    for start in range(0, len(pks), CHUNK):
        for memory in uow.records(Memory, pks[start : start + CHUNK]):
            names |= dict.fromkeys(memory.fields)
    return list(names)


def _type_of_use(type_id: str, names: Sequence[str]) -> MemoryType:
    taken = set(names)
    title = next(name for name in ("title", "name", "_title") if name not in taken)
    body = next(name for name in ("summary", "content", "_body") if name not in taken)
    return MemoryType(
        id=TypeId(type_id),
        labels={"en": type_id, "zh_CN": type_id},
        table_name=type_id,
        columns=(
            Column(name=title, role=ColumnRole.TITLE),
            Column(name=body, role=ColumnRole.BODY, format=ColumnFormat.LONG_TEXT, required=True),
            *(Column(name=name) for name in names),
        ),
    )


def _add_relations(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    schema = uow.schema()
    place = max((item.position for item in schema.relations), default=-1) + 1
    unknown = dict.fromkeys(str(each.value) for each in found)
    for number, relation_id in enumerate(unknown):
        made = default_schema().relation(relation_id) or RelationType(
            id=RelationId(relation_id), labels={"en": relation_id, "zh_CN": relation_id}
        )
        uow.insert([replace(made, pk=0, position=place + number, built_in=False)])
    return len(unknown)


def _add_columns(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    """Each type gets the columns whose values its memories hold already (`value`: the type, `ref`: the name)."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for each in found:
        if each.ref.strip():
            names[str(each.value)][each.ref] = None
    added = 0
    for type_id, new in names.items():
        known = uow.schema().type(type_id)
        if known is not None:
            columns = (*known.columns, *(Column(name=name) for name in new))
            uow.update(Kind.MEMORY_TYPE, [known.pk], {"columns": columns})
            added += len(new)
    return added


def _make_general(uow: UnitOfWork, found: Sequence[Faulty]) -> int:
    """The tags of half-filled triples become general ones; those that stand there already go."""
    by_memory: dict[MemoryPk, set[int]] = defaultdict(set)
    for each in found:
        if each.memory is not None:
            by_memory[each.memory].add(each.pk)
    memories = list(by_memory)
    for start in range(0, len(memories), CHUNK):
        part = memories[start : start + CHUNK]
        sets = uow.tag_sets(part)
        wanted = {}
        for pk in part:
            old = sets[pk]
            general = dict.fromkeys((*old.general, *old.core, *old.diffusion, *old.opposing))
            wanted[pk] = replace(old, general=tuple(general), core=(), diffusion=(), opposing=())
        uow.replace_tags(wanted)
        uow.checkpoint(start, len(memories))
    return len(memories)


_REPAIRS: Mapping[Fault, Callable[[UnitOfWork, Sequence[Faulty]], int]] = {
    Fault.LOST_FOLDER: _into_default_folder,
    Fault.TYPES: _add_types,
    Fault.RELATIONS: _add_relations,
    Fault.FIELDS: _add_columns,
    Fault.TRIPLE: _make_general,
}
