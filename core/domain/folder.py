"""Folders (scopes inside a library), chat messages, documents and memos."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from core.domain.enums import Apart, FolderKind, Kind, Role
from core.domain.errors import Invalid
from core.domain.ids import (
    UNSAVED_DOCUMENT,
    UNSAVED_FOLDER,
    UNSAVED_MESSAGE,
    DocumentPk,
    FolderPk,
    MemoryPk,
    MessagePk,
)
from core.domain.json_types import JsonObject
from core.domain.safe_text import storable

SEPARATOR = "/"
DEFAULT_FOLDER = "default"
MAX_FOLDER_CHARS = 400
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A scope: Booku's folder_id, or one chat. `name` is free text; `/` shows as a tree.

    `also_reads` are folders whose memories recall reads too. `origin` says which file it came
    from (format, path, hash). `extra` keeps what the file had at its top level.
    """

    KIND: ClassVar[Kind] = Kind.FOLDER

    pk: FolderPk = UNSAVED_FOLDER
    name: str
    kind: FolderKind = FolderKind.PLAIN
    character: str = ""
    last_processed_seq: int = -1
    also_reads: tuple[FolderPk, ...] = ()
    settings: JsonObject = field(default_factory=dict)
    origin: JsonObject = field(default_factory=dict)
    created_at: datetime
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One line of a chat: the floor `seq` of its folder."""

    KIND: ClassVar[Kind] = Kind.MESSAGE

    pk: MessagePk = UNSAVED_MESSAGE
    folder: FolderPk
    seq: int
    role: Role
    name: str = ""
    text: str = ""
    hidden: bool = False
    sent_at: datetime | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that was dropped in. Its pieces are memories of layer knowledge."""

    KIND: ClassVar[Kind] = Kind.DOCUMENT

    pk: DocumentPk = UNSAVED_DOCUMENT
    id: str
    folder: FolderPk
    title: str
    path: str = ""
    media_type: str = ""
    content_hash: str = ""
    text: str = ""
    version: int = 1
    created_at: datetime
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """A short-lived note of one chat stream ("" = none)."""

    KIND: ClassVar[Kind] = Kind.MEMO

    pk: int = 0
    id: str
    folder: FolderPk
    stream_id: str = ""
    content: str
    expires_at: datetime
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDuplicate:
    """A pair of memories (a < b) that a person told apart: two things, or (contradiction) both true."""

    KIND: ClassVar[Kind] = Kind.NOT_DUPLICATE

    pk: int = 0
    a: MemoryPk
    b: MemoryPk
    about: Apart = Apart.DUPLICATE
    created_at: datetime


def clean_folder_name(text: str) -> str:
    """A folder name as stored: NFC, in one line, parts stripped, empty parts dropped.

    Errors: Invalid when nothing is left or it is longer than MAX_FOLDER_CHARS.
    """
    text = storable(_CONTROLS.sub(" ", unicodedata.normalize("NFC", text)))
    parts = (part.strip() for part in text.split(SEPARATOR))
    name = SEPARATOR.join(part for part in parts if part)
    if not name:
        raise Invalid("error.folder.name_empty")
    if len(name) > MAX_FOLDER_CHARS:
        raise Invalid("error.folder.name_long", limit=MAX_FOLDER_CHARS)
    return name
