"""Under which text the name of a change stands."""

from __future__ import annotations

from core.domain.results import OpInfo

IMPORT = "op.import"
RESTORED = "op.backup.restore"
"""A backup was put in place of the library: all that programs kept of it is to be read anew."""


def name_key(op: OpInfo) -> str:
    """The key of its name: an import of a chat is named by its floors, and by its memories when it has any."""
    if op.label == IMPORT and op.args.get("floors"):
        return f"{IMPORT}.chat" if op.args.get("count") else f"{IMPORT}.floors"
    return op.label
