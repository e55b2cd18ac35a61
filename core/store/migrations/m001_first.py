"""The first schema of a library. Frozen: later changes are migrations of their own."""

from __future__ import annotations

from sqlalchemy import Connection

STATEMENTS = (
    """
CREATE TABLE draft (
    "key" VARCHAR NOT NULL,
    data VARCHAR NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY ("key")
)
""",
    """
CREATE TABLE folder (
    pk INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    character VARCHAR NOT NULL,
    last_processed_seq INTEGER NOT NULL,
    also_reads VARCHAR NOT NULL,
    settings VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    extra VARCHAR NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (name)
)
""",
    """
CREATE TABLE job (
    pk INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    data VARCHAR NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    error VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE INDEX ix_job_kind ON job (kind)
""",
    """
CREATE INDEX ix_job_state ON job (state)
""",
    """
CREATE TABLE memory_type (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    labels VARCHAR NOT NULL,
    table_name VARCHAR NOT NULL,
    columns VARCHAR NOT NULL,
    always_inject BOOLEAN NOT NULL,
    latest_only BOOLEAN NOT NULL,
    force_update BOOLEAN NOT NULL,
    key_column VARCHAR,
    compression VARCHAR NOT NULL,
    color VARCHAR NOT NULL,
    color_dark VARCHAR NOT NULL,
    icon VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    built_in BOOLEAN NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id),
    UNIQUE (table_name)
)
""",
    """
CREATE TABLE op (
    pk INTEGER NOT NULL,
    label VARCHAR NOT NULL,
    args VARCHAR NOT NULL,
    actor_kind VARCHAR NOT NULL,
    actor_name VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    pid INTEGER NOT NULL,
    at INTEGER NOT NULL,
    role VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    undoable BOOLEAN NOT NULL,
    of_op INTEGER,
    undone_by INTEGER,
    rows INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE INDEX ix_op_actor ON op (actor_kind, actor_name, role, pk)
""",
    """
CREATE INDEX ix_op_of_op ON op (of_op)
""",
    """
CREATE TABLE outbox (
    memory INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (memory)
)
""",
    """
CREATE TABLE proposal (
    pk INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    folder INTEGER,
    state VARCHAR NOT NULL,
    data VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE INDEX ix_proposal_kind ON proposal (kind)
""",
    """
CREATE INDEX ix_proposal_state ON proposal (state)
""",
    """
CREATE TABLE recall_case (
    pk INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    folder INTEGER,
    message VARCHAR NOT NULL,
    settings VARCHAR NOT NULL,
    expected VARCHAR NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE TABLE recall_run (
    pk INTEGER NOT NULL,
    at INTEGER NOT NULL,
    folder INTEGER,
    viewer VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    recipe VARCHAR NOT NULL,
    selected VARCHAR NOT NULL,
    scores VARCHAR NOT NULL,
    injection VARCHAR NOT NULL,
    injected VARCHAR NOT NULL,
    tokens INTEGER NOT NULL,
    mode VARCHAR NOT NULL,
    caller VARCHAR NOT NULL,
    PRIMARY KEY (pk)
)
""",
    """
CREATE INDEX ix_recall_run_folder ON recall_run (folder)
""",
    """
CREATE TABLE relation_type (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    labels VARCHAR NOT NULL,
    inverse VARCHAR NOT NULL,
    inhibits BOOLEAN NOT NULL,
    color VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    built_in BOOLEAN NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id)
)
""",
    """
CREATE TABLE sequence (
    kind VARCHAR NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (kind)
)
""",
    """
CREATE TABLE state (
    "key" VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    PRIMARY KEY ("key")
)
""",
    """
CREATE TABLE vector (
    model_key VARCHAR NOT NULL,
    text_hash VARCHAR NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (model_key, text_hash)
)
 WITHOUT ROWID
""",
    """
CREATE TABLE document (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    folder INTEGER NOT NULL,
    title VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    media_type VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    extra VARCHAR NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id),
    FOREIGN KEY(folder) REFERENCES folder (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_document_folder ON document (folder)
""",
    """
CREATE TABLE journal (
    pk INTEGER NOT NULL,
    op INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    row_pk INTEGER NOT NULL,
    action VARCHAR NOT NULL,
    "before" VARCHAR,
    "after" VARCHAR,
    digest VARCHAR,
    memory INTEGER,
    other INTEGER,
    PRIMARY KEY (pk),
    FOREIGN KEY(op) REFERENCES op (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_journal_memory ON journal (memory)
""",
    """
CREATE INDEX ix_journal_op ON journal (op)
""",
    """
CREATE INDEX ix_journal_other ON journal (other) WHERE other IS NOT NULL
""",
    """
CREATE TABLE memo (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    folder INTEGER NOT NULL,
    stream_id VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id),
    FOREIGN KEY(folder) REFERENCES folder (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_memo_folder ON memo (folder)
""",
    """
CREATE TABLE message (
    pk INTEGER NOT NULL,
    folder INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    role VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    hidden BOOLEAN NOT NULL,
    sent_at INTEGER,
    extra VARCHAR NOT NULL,
    PRIMARY KEY (pk),
    FOREIGN KEY(folder) REFERENCES folder (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_message_floor ON message (folder, seq)
""",
    """
CREATE TABLE memory (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    foreign_id VARCHAR,
    folder INTEGER NOT NULL,
    type VARCHAR NOT NULL,
    layer VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    status_reason VARCHAR,
    title VARCHAR NOT NULL,
    body VARCHAR NOT NULL,
    fields VARCHAR NOT NULL,
    importance DOUBLE NOT NULL,
    novelty DOUBLE NOT NULL,
    activation_count INTEGER NOT NULL,
    last_activated_at INTEGER,
    seq INTEGER,
    seq_start INTEGER,
    seq_end INTEGER,
    level INTEGER NOT NULL,
    parent INTEGER,
    merged_into INTEGER,
    visibility VARCHAR NOT NULL,
    locked BOOLEAN NOT NULL,
    source VARCHAR NOT NULL,
    document INTEGER,
    span_start INTEGER,
    span_end INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    deleted_at INTEGER,
    extra VARCHAR NOT NULL,
    search_text VARCHAR DEFAULT '' NOT NULL,
    text_hash VARCHAR DEFAULT '' NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id),
    FOREIGN KEY(folder) REFERENCES folder (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(parent) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(merged_into) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(document) REFERENCES document (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_memory_document ON memory (document)
""",
    """
CREATE UNIQUE INDEX ix_memory_folder_foreign ON memory (folder, foreign_id)
""",
    """
CREATE INDEX ix_memory_foreign ON memory (foreign_id)
""",
    """
CREATE INDEX ix_memory_live_created_at ON memory (created_at) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_folder ON memory (folder, updated_at) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_importance ON memory (importance) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_last_activated_at ON memory (last_activated_at) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_seq ON memory (seq) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_title ON memory (title COLLATE "NOCASE") WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_live_type ON memory (type, layer, status) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_list ON memory (
    updated_at, pk, folder, type, layer, status, level, activation_count, importance, locked, seq, seq_start, seq_end
) WHERE deleted_at IS NULL
""",
    """
CREATE INDEX ix_memory_merged_into ON memory (merged_into)
""",
    """
CREATE INDEX ix_memory_parent ON memory (parent)
""",
    """
CREATE INDEX ix_memory_text_hash ON memory (text_hash)
""",
    """
CREATE INDEX ix_memory_trash ON memory (deleted_at) WHERE deleted_at IS NOT NULL
""",
    """
CREATE TABLE alias (
    pk INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    value VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (pk),
    FOREIGN KEY(memory) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_alias_memory ON alias (memory)
""",
    """
CREATE INDEX ix_alias_value ON alias (value)
""",
    """
CREATE TABLE edge (
    pk INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    foreign_id VARCHAR,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    relation VARCHAR NOT NULL,
    strength DOUBLE NOT NULL,
    inhibits BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    valid_from INTEGER,
    invalid_from INTEGER,
    expired_at INTEGER,
    from_seq INTEGER,
    ended_seq INTEGER,
    extra VARCHAR NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (id),
    FOREIGN KEY(source) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY(target) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_edge_ends ON edge (source, target, relation)
""",
    """
CREATE INDEX ix_edge_target ON edge (target)
""",
    """
CREATE TABLE not_duplicate (
    pk INTEGER NOT NULL,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (pk),
    UNIQUE (a, b),
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
    """
CREATE TABLE tag (
    pk INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (pk),
    FOREIGN KEY(memory) REFERENCES memory (pk) DEFERRABLE INITIALLY DEFERRED
)
""",
    """
CREATE INDEX ix_tag_memory ON tag (memory, kind, position)
""",
    """
CREATE INDEX ix_tag_value ON tag (value COLLATE "NOCASE", kind, memory)
""",
    """
CREATE VIRTUAL TABLE memory_fts USING fts5(
    search_text, content='memory', content_rowid='pk',
    tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* S* Co'"
)
""",
    """
CREATE TRIGGER memory_fts_insert AFTER INSERT ON memory WHEN new.search_text <> '' BEGIN
    INSERT INTO memory_fts(rowid, search_text) VALUES (new.pk, new.search_text);
END
""",
    """
CREATE TRIGGER memory_fts_delete AFTER DELETE ON memory WHEN old.search_text <> '' BEGIN
    INSERT INTO memory_fts(memory_fts, rowid, search_text) VALUES ('delete', old.pk, old.search_text);
END
""",
    """
CREATE TRIGGER memory_fts_update AFTER UPDATE OF search_text ON memory
WHEN old.search_text <> new.search_text BEGIN
    INSERT INTO memory_fts(memory_fts, rowid, search_text)
        SELECT 'delete', old.pk, old.search_text WHERE old.search_text <> '';
    INSERT INTO memory_fts(rowid, search_text)
        SELECT new.pk, new.search_text WHERE new.search_text <> '';
END
""",
)


def upgrade(connection: Connection) -> None:
    """Create all tables, indexes, the full-text index and the triggers that keep it."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
