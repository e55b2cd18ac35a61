"""The engine as windows and doors see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from core.domain.access import ReadOnly
from core.domain.commands import Command
from core.domain.ids import FolderPk, MemoryId, OpId
from core.domain.json_types import JsonObject
from core.domain.queries import Query
from core.domain.results import Actor, Changes, OpResult, UndoResult

T = TypeVar("T")
Unsubscribe = Callable[[], None]
Report = Callable[[int, int], None]
"""Progress: (done, total), total 0 = unknown."""


def draft_key(memory: MemoryId | None, folder: FolderPk | None = None) -> str:
    """The key of a memory's draft (its id); without a memory, of the new one begun in that folder."""
    return f"new:{folder or 0}" if memory is None else memory


class Cancel(Protocol):
    """A cancel token, see core.ports.progress.CancelToken."""

    @property
    def cancelled(self) -> bool:
        """Whether cancel was asked for."""

    def check(self) -> None:
        """Errors: Cancelled."""


class Drafts(Protocol):
    """Text that was typed and not saved yet. Kept in the library, but no op: undo knows nothing of it.

    A key names what the draft belongs to, see `draft_key`.
    """

    def save(self, key: str, data: JsonObject) -> None:
        """Keep the draft, in place of an older one of that key."""

    def get(self, key: str) -> JsonObject | None:
        """The draft of that key."""

    def all(self) -> Mapping[str, JsonObject]:
        """All drafts by key, the one changed last first."""

    def discard(self, key: str) -> None:
        """Forget the draft of that key, if there is one."""


class EngineApi(Protocol):
    """One library, opened. All calls block and may come from any thread."""

    @property
    def drafts(self) -> Drafts:
        """Unsaved texts."""

    @property
    def actor(self) -> Actor:
        """Who writes through this engine."""

    @property
    def read_only(self) -> ReadOnly | None:
        """Why nothing can be written: commands, undo and queries that write raise ReadOnlyLibrary. None = it can."""

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

    def redo(self, *, progress: Report | None = None, cancel: Cancel | None = None) -> UndoResult:
        """Undo this actor's newest undo, unless a newer op of theirs cleared it."""

    def subscribe(self, listener: Callable[[Changes], None]) -> Unsubscribe:
        """Hear of every commit, in the thread that committed."""

    def poll(self) -> bool:
        """Look for ops of other programs; listeners hear of them as foreign. True when there were."""

    def close(self) -> None:
        """End connections and processes; the outbox keeps what waits."""
