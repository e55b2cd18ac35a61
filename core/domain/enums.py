"""Closed sets of values that rows carry. Their names on screen are in resources/texts."""

from __future__ import annotations

from enum import StrEnum


class Layer(StrEnum):
    """Where a memory lives."""

    INHERENT = "inherent"
    EMERGENT = "emergent"
    MEMORY = "memory"
    KNOWLEDGE = "knowledge"


class Status(StrEnum):
    """Whether a memory is in use."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    EXPIRED = "expired"


class StatusReason(StrEnum):
    """Why a memory is not active."""

    PROMOTED = "promoted"
    COMPRESSED = "compressed"
    FORGOTTEN = "forgotten"
    MERGED = "merged"
    BY_HAND = "by_hand"
    REMOVED_BY_MODEL = "removed_by_model"
    IMPORTED = "imported"


class TagKind(StrEnum):
    """General tags and the three groups of the tag triple."""

    GENERAL = "tag"
    CORE = "core"
    DIFFUSION = "diffusion"
    OPPOSING = "opposing"


class ActorKind(StrEnum):
    """Who writes: a person at a window, or a program (CLI, MCP, import by an agent)."""

    PERSON = "person"
    PROGRAM = "program"


class FolderKind(StrEnum):
    """What a folder is made from."""

    PLAIN = "plain"
    CHAT = "chat"


class Apart(StrEnum):
    """What a person said of a pair of memories: they are no duplicates, or do not contradict each other."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


class Role(StrEnum):
    """Speaker of a chat message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Kind(StrEnum):
    """Kinds of rows that ops change; each is one table of the store and one record class."""

    MEMORY = "memory"
    TAG = "tag"
    ALIAS = "alias"
    EDGE = "edge"
    FOLDER = "folder"
    MESSAGE = "message"
    DOCUMENT = "document"
    MEMO = "memo"
    MEMORY_TYPE = "memory_type"
    RELATION_TYPE = "relation_type"
    NOT_DUPLICATE = "not_duplicate"
    PIN = "pin"
    RECALL_CASE = "recall_case"
    SAVED_SEARCH = "saved_search"
    MERGE = "merge_record"
    DECISION = "decision"


class OpState(StrEnum):
    """Life of an op: open while its chunks are being committed, complete afterwards."""

    OPEN = "open"
    COMPLETE = "complete"


class OpRole(StrEnum):
    """What an op is in the history: an ordinary change, an undo, or a redo."""

    CHANGE = "change"
    UNDO = "undo"
    REDO = "redo"
