"""Under which text the name of a change stands."""

from __future__ import annotations

from core.domain.results import OpInfo

IMPORT = "op.import"
INGEST, NEW_VERSION = "op.document.ingest", "op.document.replace"
RESTORED = "op.backup.restore"
"""A backup was put in place of the library: all that programs kept of it is to be read anew."""


def name_key(op: OpInfo) -> str:
    """The key of its name.

    An import of a chat is named by its floors, and by its memories when it has any. A document that was taken in again
    is a new version, or only follows its file to another name.
    """
    if op.label == IMPORT and (floors := op.args.get("floors")):
        if op.args.get("count"):
            return f"{IMPORT}.chat"
        return f"{IMPORT}.floor" if floors == 1 else f"{IMPORT}.floors"
    if op.label == INGEST and op.args.get("moved"):
        return f"{INGEST}.moved"
    if op.label == INGEST and op.args.get("version"):
        return NEW_VERSION
    return op.label
