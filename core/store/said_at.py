"""When a memory came to say what it says, and which summaries say something old: conditions in SQL."""

from __future__ import annotations

from core.domain.enums import Status
from core.domain.sayings import KEPT_KEY

STANDS = "o.state = 'complete' AND o.role <> 'undo' AND o.undone_by IS NULL"
"""Changes that were not undone."""
TEXT = ("title", "body", "fields")
_TOLD = " OR ".join(f"json_type(j.after, '$.{name}') IS NOT NULL" for name in (*TEXT, "type", "deleted_at"))
SAID_AT = (
    "SELECT coalesce(max(j.op), 0) FROM journal j JOIN op o ON o.pk = j.op"
    f" WHERE j.memory = {{0}}.pk AND j.kind = 'memory' AND {STANDS} AND (j.\"action\" = 'i' OR {_TOLD})"
)
"""The op by which a memory came to say what it says; `{0}` is the alias of its row."""

_KEPT = f"CASE WHEN c.extra = '{{}}' THEN 0 ELSE coalesce(json_extract(c.extra, '$.{KEPT_KEY}'), 0) END"
_TOLD_TO_MORE = (
    "(c.deleted_at IS NULL AND c.visibility <> '[]' AND c.visibility <> m.visibility"
    " AND NOT EXISTS (SELECT 1 FROM json_each(c.visibility) WHERE value = '*')"
    " AND (m.visibility = '[]' OR EXISTS (SELECT 1 FROM json_each(m.visibility) AS seen"
    " WHERE seen.value NOT IN (SELECT value FROM json_each(c.visibility)))))"
)
"""A summary that somebody sees who may not see what it is made of."""
OUTDATED = (
    "SELECT m.pk FROM memory c JOIN memory m ON m.pk = c.parent WHERE c.parent IS NOT NULL"
    f" AND m.deleted_at IS NULL AND m.status = '{Status.ACTIVE.value}'"
    f" AND (({SAID_AT.format('c')}) > max(({SAID_AT.format('m')}), {_KEPT}) OR {_TOLD_TO_MORE})"
)
"""Memories in use with a child that says something else since they were written, or that is not for all who
see them; one with several such children comes several times."""
