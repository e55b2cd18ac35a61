"""Changes in words: what an op is called and who made it."""

from __future__ import annotations

from core.domain.enums import ActorKind, OpRole
from core.domain.op_names import name_key
from core.domain.results import OpInfo
from ui.language import Language, isolate


def op_label(op: OpInfo, tr: Language) -> str:
    """The name of a change; undo and redo say so."""
    name = op_name(op, tr)
    match op.role:
        case OpRole.UNDO:
            return tr("op_role.undo", name=name)
        case OpRole.REDO:
            return tr("op_role.redo", name=name)
        case OpRole.CHANGE:
            return name


def op_name(op: OpInfo, tr: Language) -> str:
    """The name of what was changed, whether it was done, undone or redone: for what says itself which it is."""
    args = {name: isolate(value) if isinstance(value, str) else value for name, value in op.args.items()}
    return tr(name_key(op), **args)


def writer(op: OpInfo, tr: Language) -> str:
    """Who made a change."""
    if op.actor.kind is ActorKind.PERSON:
        return tr("op.by_person")
    return isolate(op.actor.name) or tr("op.by_program")
