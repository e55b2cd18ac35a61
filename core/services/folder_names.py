"""Names for folders that come in."""

from __future__ import annotations

from core.ports.store import Reader


def free_folder_name(reader: Reader, name: str) -> str:
    """The name itself, or with the first free number behind it: "name (2)"."""
    number, free = 1, name
    while reader.folder_named(free) is not None:
        number += 1
        free = f"{name} ({number})"
    return free
