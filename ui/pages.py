"""The pages of the window: which there are, in which order, and how each is made."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from ui.context import Context
from ui.operations import Operations


@dataclass(frozen=True, slots=True)
class Page:
    """One entry of the rail. The label is the text `page.<id>`; pages are reached by Ctrl+1, Ctrl+2 ...

    A page is made when it is first shown. One that lives in a module of its own names it as `module`
    ("ui.views.x:XPage" with `make` left out): it is imported beside the window's work, soon after the
    list is on screen. One that is not on the rail is opened from elsewhere. What a page may have for the others: the signal `open_memories(pks)` and the
    method `save_state`, called when the library is closed.
    """

    id: str
    icon: str
    make: Callable[[Context, Operations], QWidget] | None = None
    module: str = ""
    on_rail: bool = True

    def build(self, context: Context, operations: Operations) -> QWidget:
        """The page's widget."""
        if self.make is not None:
            return self.make(context, operations)
        page = self.load()(context, operations)
        assert isinstance(page, QWidget)
        return page

    def load(self) -> Callable[[Context, Operations], object]:
        """The class of a page that names its module, imported."""
        module, _, name = self.module.partition(":")
        found: Callable[[Context, Operations], object] = getattr(importlib.import_module(module), name)
        return found

    @property
    def text_key(self) -> str:
        """Text key of the label."""
        return f"page.{self.id}"


PAGES: list[Page] = []


def add_page(page: Page) -> None:
    """Put a page at the end of the rail; later features add theirs here."""
    if page.id not in {known.id for known in PAGES}:
        PAGES.append(page)
