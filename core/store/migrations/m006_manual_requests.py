"""Version 6: requests that a person carries to a model by hand, with the replies that came back."""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
CREATE TABLE manual_request (
    pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    key VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    work VARCHAR NOT NULL,
    rest VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    reply VARCHAR,
    used BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (key)
)
""",
    """
CREATE INDEX ix_manual_request_work ON manual_request (work)
""",
)


def upgrade(connection: Connection) -> None:
    """Make the table. Its numbers are never used twice: a reply must not reach another request."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
