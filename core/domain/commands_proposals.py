"""Commands about proposals: apply and dismiss. Making, editing and ticking them are queries (queries_proposals)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from core.domain.commands import Command


class IfChanged(StrEnum):
    """What happens to parts whose memory was changed since the proposal was made."""

    REFUSE = "refuse"
    """Nothing is applied; Conflict names the memories."""
    SKIP = "skip"
    """The others are applied; these parts go on waiting."""
    OVERWRITE = "overwrite"
    """They are applied all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyProposal(Command):
    """Apply the ticked parts that wait (of these groups, or of all), as one op. Parts that are not ticked are dismissed.

    Counts: `created`, `changed`, `retired`, `linked`, `ended`, `merged` (creates that joined a memory of that name),
    `left_out` (dismissed), `skipped_<obstacle>` (see Obstacle): those parts go on waiting. A locked memory is
    never changed. Errors: NotFound, Conflict (with REFUSE).
    """

    LABEL: ClassVar[str] = "op.proposal.apply"
    proposal: int
    groups: tuple[str, ...] | None = None
    if_changed: IfChanged = IfChanged.SKIP


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissProposal(Command):
    """Decide against the parts that wait (of these groups, or of all). Errors: NotFound."""

    LABEL: ClassVar[str] = "op.proposal.dismiss"
    proposal: int
    groups: tuple[str, ...] | None = None
