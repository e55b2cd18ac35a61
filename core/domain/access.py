"""Why a library is open for reading alone."""

from __future__ import annotations

from enum import StrEnum


class ReadOnly(StrEnum):
    """Why nothing can be written; `error.read_only.<why>` says it with the way out."""

    IN_USE = "in_use"
    """Another window keeps the library."""
    ASKED = "asked"
    """A person wanted to look only."""
    MEDIUM = "medium"
    """The directory or its file cannot be written to."""
    NEWER = "newer"
    """A newer program wrote it; this one understands all it needs to read."""
