"""What the parts of the Recall page ask of it, so that they need not know the page itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from core.domain.recall import RecallRequest
from ui.models.recall_view import RecallView

if TYPE_CHECKING:
    from ui.models.recall_live import RecallLive
    from ui.views.recall.body import RecallBody


class RecallHost(Protocol):
    """The page. `body` is another one after the language changed; `view` None = nothing was recalled yet."""

    body: RecallBody
    live: RecallLive
    view: RecallView | None

    @property
    def open_memories(self) -> SignalInstance:
        """Show these on the page Memories."""

    def ask(self) -> None:
        """Recall what stands on the left, a moment later."""

    def show_request(self, request: RecallRequest) -> None:
        """Ask this."""

    def window(self) -> QWidget:
        """The window, over which dialogs open."""
