"""Version 4: what merges moved is kept, so that merged memories can be taken apart again."""

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
)


def upgrade(connection: Connection) -> None:
    """Make the table."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
