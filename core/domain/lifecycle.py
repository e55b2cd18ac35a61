"""Lifecycle of a memory: layer x status x reason x trash, and every legal move between them.

The one place for these rules. A memory's state is (layer, status, reason, trashed); commands ask
here what a verb turns it into, imports ask here whether a combination may exist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.enums import Layer, Status, StatusReason
from core.domain.errors import Invalid


@dataclass(frozen=True, slots=True)
class LifeState:
    """Where a memory stands."""

    layer: Layer
    status: Status = Status.ACTIVE
    reason: StatusReason | None = None
    trashed: bool = False


class Verb(StrEnum):
    """What can happen to a memory's state."""

    ARCHIVE = "archive"
    RESTORE = "restore"
    EXPIRE = "expire"
    PROMOTE = "promote"
    TRASH = "trash"
    UNTRASH = "untrash"
    SET_LAYER = "set_layer"


REASONS: dict[Status, frozenset[StatusReason | None]] = {
    Status.ACTIVE: frozenset({None}),
    Status.ARCHIVED: frozenset(StatusReason),
    Status.EXPIRED: frozenset(StatusReason),
}
"""Which reasons go with which status: an active memory has none, every other has one."""


def check(state: LifeState) -> LifeState:
    """The state itself when it may exist. Errors: Invalid."""
    if state.reason not in REASONS[state.status]:
        raise Invalid("error.life.reason", status=state.status.value, reason=str(state.reason))
    return state


def apply(
    state: LifeState,
    verb: Verb,
    *,
    reason: StatusReason = StatusReason.BY_HAND,
    layer: Layer | None = None,
) -> LifeState:
    """The state after a verb. Errors: Invalid when the verb does not fit the state.

    Layer and status never change each other, except that promotion moves emergent to memory
    (DESIGN §5). Nothing but UNTRASH can happen to what lies in the trash.
    """
    if verb is Verb.UNTRASH:
        if not state.trashed:
            raise Invalid("error.life.not_trashed")
        return replace(state, trashed=False)
    if state.trashed:
        raise Invalid("error.life.in_trash")
    match verb:
        case Verb.ARCHIVE:
            return check(replace(state, status=Status.ARCHIVED, reason=reason))
        case Verb.EXPIRE:
            return check(replace(state, status=Status.EXPIRED, reason=reason))
        case Verb.RESTORE:
            return check(replace(state, status=Status.ACTIVE, reason=None))
        case Verb.PROMOTE:
            if state.layer is not Layer.EMERGENT or state.status is not Status.ACTIVE:
                raise Invalid("error.life.not_on_trial")
            return replace(state, layer=Layer.MEMORY)
        case Verb.TRASH:
            return replace(state, trashed=True)
        case Verb.SET_LAYER:
            if layer is None:
                raise Invalid("error.life.no_layer")
            return replace(state, layer=layer)
