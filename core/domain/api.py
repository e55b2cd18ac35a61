"""The engine as windows and doors see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from core.domain.commands import Command
from core.domain.ids import OpId
from core.domain.queries import Query
from core.domain.results import Actor, Changes, OpResult, UndoResult

T = TypeVar("T")
Unsubscribe = Callable[[], None]
Report = Callable[[int, int], None]
"""Progress: (done, total), total 0 = unknown."""


class Cancel(Protocol):
    """A cancel token, see core.ports.progress.CancelToken."""

    @property
    def cancelled(self) -> bool:
        """Whether cancel was asked for."""

    def check(self) -> None:
        """Errors: Cancelled."""


class EngineApi(Protocol):
    """One library, opened. All calls block and may come from any thread."""

    @property
    def actor(self) -> Actor:
        """Who writes through this engine."""

    def run(
        self,
        command: Command,
        *,
        progress: Report | None = None,
        cancel: Cancel | None = None,
    ) -> OpResult:
        """Make one change as one op.

        Errors: UserError (nothing written), Conflict, Cancelled (rolled back), Unavailable.
        A command that changes nothing makes no op: the result's `op` is None.
        """

    def ask(self, query: Query[T], *, cancel: Cancel | None = None) -> T:
        """Answer a query. Errors: NotFound, UserError, Unavailable, Cancelled."""

    def undo(
        self,
        op: OpId | None = None,
        *,
        partly: bool = False,
        progress: Report | None = None,
        cancel: Cancel | None = None,
    ) -> UndoResult:
        """Undo an op (None = the newest undoable op of this engine's actor).

        Rows touched since stand in conflict: without `partly` nothing is written and Conflict is
        raised when there are any; with it the others go back. Errors: UserError when there is
        nothing to undo or the op cannot be undone.
        """

    def redo(
        self, *, progress: Report | None = None, cancel: Cancel | None = None
    ) -> UndoResult:
        """Undo this actor's newest undo, unless a newer op of theirs cleared it."""

    def subscribe(self, listener: Callable[[Changes], None]) -> Unsubscribe:
        """Hear of every commit, in the thread that committed."""

    def poll(self) -> bool:
        """Look for ops of other programs; listeners hear of them as foreign. True when there were."""

    def close(self) -> None:
        """End connections and processes; the outbox keeps what waits."""
