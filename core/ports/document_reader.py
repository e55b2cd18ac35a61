"""Files that people drop in, as services see them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from core.domain.api import Cancel
from core.domain.document import FoundFiles, ReadDocument


class DocumentReader(Protocol):
    """Reads documents of every kind. Nothing of the library is touched."""

    def read(
        self, path: Path, *, encoding: str = "", password: str = "", cancel: Cancel | None = None
    ) -> ReadDocument:
        """The text of a file with its structure; the kind is found by the content.

        Errors: EncodingQuestion (what it may be), PasswordQuestion, BadFile (what it is instead, damaged, locked,
        still being copied), Cancelled.
        """

    def of_text(self, text: str, title: str = "", *, plain: bool = False) -> ReadDocument:
        """A typed or pasted text as a document; `plain`: without Markdown. Errors: BadFile when it is blank."""

    def find(self, paths: Sequence[Path], cancel: Cancel | None = None) -> FoundFiles:
        """Files at the paths and below them, each once; loops of links end. Errors: Cancelled."""
