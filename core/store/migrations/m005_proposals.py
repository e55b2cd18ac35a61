"""Version 5: proposals with their parts as rows, and what ops decided about them.

No version wrote to the first form of `proposal`, so it is made anew.
"""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
DROP TABLE proposal
""",
    """
CREATE TABLE proposal (
    pk INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    folder INTEGER,
    source VARCHAR NOT NULL,
    data VARCHAR NOT NULL,
    request_tokens INTEGER NOT NULL,
    reply_tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE TABLE proposal_part (
    pk INTEGER NOT NULL,
    proposal INTEGER NOT NULL,
    key VARCHAR NOT NULL,
    part_group VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    ticked BOOLEAN NOT NULL,
    memory INTEGER,
    data VARCHAR NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (proposal, key),
    FOREIGN KEY(proposal) REFERENCES proposal (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_proposal_part_memory ON proposal_part (memory)
""",
    """
CREATE TABLE decision (
    pk INTEGER NOT NULL,
    proposal INTEGER NOT NULL,
    part VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    memory INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (proposal, part),
    FOREIGN KEY(memory) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_decision_memory ON decision (memory)
""",
)


def upgrade(connection: Connection) -> None:
    """Make the table anew, and two beside it."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
