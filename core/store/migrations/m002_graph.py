"""Version 2: pins in the graph's picture, and where layouts put the other nodes."""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
CREATE TABLE pin (
    pk INTEGER NOT NULL,
    place VARCHAR NOT NULL,
    memory INTEGER NOT NULL,
    x FLOAT NOT NULL,
    y FLOAT NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (place, memory),
    FOREIGN KEY(memory) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_pin_memory ON pin (memory)
""",
    """
CREATE TABLE picture (
    place VARCHAR NOT NULL,
    pks BLOB NOT NULL,
    positions BLOB NOT NULL,
    PRIMARY KEY (place)
)
""",
)


def upgrade(connection: Connection) -> None:
    """Create the two tables."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
