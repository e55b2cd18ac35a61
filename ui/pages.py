"""The pages of the window: which there are, in which order, and how each is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ui.context import Context
from ui.operations import Operations


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the rail. The label is the text `page.<id>`; pages are reached by Ctrl+1, Ctrl+2 ..."""

    id: str
    icon: str
    make: Callable[[Context, Operations], QWidget]

    @property
    def text_key(self) -> str:
        """Text key of the label."""
        return f"page.{self.id}"


PAGES: list[Page] = []


def add_page(page: Page) -> None:
    """Put a page at the end of the rail; later features add theirs here."""
    if page.id not in {known.id for known in PAGES}:
        PAGES.append(page)
