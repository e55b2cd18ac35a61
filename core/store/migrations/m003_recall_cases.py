"""Version 3: saved recall cases know their viewer and recipe; evaluations are kept.

No version wrote to the first form of `recall_case`, so it is made anew.
"""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
DROP TABLE recall_case
""",
    """
CREATE TABLE recall_case (
    pk INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    folder INTEGER,
    message VARCHAR NOT NULL,
    viewer VARCHAR NOT NULL,
    recipe VARCHAR NOT NULL,
    settings VARCHAR NOT NULL,
    expected VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    FOREIGN KEY(folder) REFERENCES folder (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_recall_case_folder ON recall_case (folder)
""",
    """
CREATE TABLE evaluation (
    pk INTEGER NOT NULL,
    at INTEGER NOT NULL,
    folder INTEGER,
    figures VARCHAR NOT NULL,
    passed VARCHAR NOT NULL,
    PRIMARY KEY (pk)
)
""",
)


def upgrade(connection: Connection) -> None:
    """Make the table anew, and one beside it."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
