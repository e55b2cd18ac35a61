"""Commands of the Health page: what a check-up found is put right as one change with undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.health import Fault
from core.domain.schema import MemoryType, RelationType


@dataclass(frozen=True, slots=True)
class RepairFaults(Command):
    """Put right what has these faults now, as one op. Counts by fault.

    Only faults whose cure is a change; they are looked for again first, so that nothing else is touched.
    Errors: Invalid for a fault that is put right otherwise.
    """

    LABEL: ClassVar[str] = "op.repair"
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class ArrangeTypes(Command):
    """The order of the types, or of the relation types, as one op. Ids that are left out follow in their order."""

    LABEL: ClassVar[str] = "op.schema.order"
    types: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportSchema(Command):
    """Save many types and relation types at once (matched by id): those of a JSON file, or the built-in ones.

    Errors: Invalid, naming the first that breaks a rule; nothing is saved then.
    """

    LABEL: ClassVar[str] = "op.schema.import"
    types: tuple[MemoryType, ...] = ()
    relations: tuple[RelationType, ...] = ()
