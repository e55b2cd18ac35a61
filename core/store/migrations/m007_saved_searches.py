"""Version 7: searches that are kept under a name."""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
CREATE TABLE saved_search (
    pk INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (name)
)
""",
)


def upgrade(connection: Connection) -> None:
    """Make the table."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
