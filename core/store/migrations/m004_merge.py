"""Version 4: what merges moved is kept, so that merged memories can be taken apart again.

Pairs that were told apart know what was said of them. No version wrote such pairs before, so their table is
made anew.
"""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
CREATE TABLE merge_record (
    pk INTEGER NOT NULL,
    batch VARCHAR NOT NULL,
    survivor INTEGER NOT NULL,
    loser INTEGER NOT NULL,
    moved VARCHAR NOT NULL,
    image VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (loser),
    FOREIGN KEY(survivor) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(loser) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_merge_record_survivor ON merge_record (survivor)
""",
    """
DROP TABLE not_duplicate
""",
    """
CREATE TABLE not_duplicate (
    pk INTEGER NOT NULL,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    about VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (a, b, about),
    FOREIGN KEY(a) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(b) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_not_duplicate_a ON not_duplicate (a)
""",
    """
CREATE INDEX ix_not_duplicate_b ON not_duplicate (b)
""",
)


def upgrade(connection: Connection) -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
