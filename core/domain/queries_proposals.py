"""Queries about proposals. Those that write (tick, edit, remove) write rows outside ops and undo, like drafts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.ids import FolderPk
from core.domain.proposal import NewProposal, Part, ProposalKind, ProposalRow, ProposalState, ProposalView
from core.domain.queries import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals(Query[tuple[ProposalRow, ...]]):
    """Proposals, newest first; None = of every state, kind, folder. Those of removed folders are left out."""

    state: ProposalState | None = ProposalState.OPEN
    kind: ProposalKind | None = None
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class ProposalOf(Query[ProposalView]):
    """One proposal with each part before and after. Errors: NotFound."""

    proposal: int


@dataclass(frozen=True, slots=True)
class CountWaiting(Query[int]):
    """How many proposals wait for a person: the number beside Review."""


@dataclass(frozen=True, slots=True)
class KeepProposal(Query[int]):
    """Keep a new proposal that a task made; its pk. Not an op: nothing of the library changes."""

    WRITES: ClassVar[bool] = True

    new: NewProposal


@dataclass(frozen=True, slots=True)
class SaveProposalParts(Query[int]):
    """Keep edited or ticked parts (matched by key) in place of the old ones; how many were kept.

    Parts that are decided stay as they are. Errors: NotFound.
    """

    WRITES: ClassVar[bool] = True

    proposal: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class TickProposalParts(Query[int]):
    """Tick parts, or take the tick away. Errors: NotFound."""

    WRITES: ClassVar[bool] = True

    proposal: int
    keys: tuple[str, ...]
    ticked: bool
