"""Exports of chat services, read conversation by conversation: ChatGPT, Claude, Discord, Telegram.

A ChatGPT or Claude export is a list of conversations, also inside of the ZIP file that these services send; a
Discord export is one channel; a Telegram export one chat, or all of them in two lists.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from core.adapters.formats import chat_chatgpt, chat_claude, chat_discord, chat_telegram
from core.adapters.formats.chat_lines import encoding_of_head
from core.adapters.formats.foreign_chat import ForeignChat, inner, objects
from core.adapters.formats.json_decoder import DoubledKeys
from core.adapters.formats.json_stream import JsonStream
from core.adapters.formats.json_text import BrokenJson, TooDeep
from core.domain.errors import BadFile
from core.domain.json_types import Json

_ENCRYPTED = 1
_HEAD_BYTES = 64 * 2**10
_LARGEST_MEMBER = 4 * 2**30
_MEMBERS = re.compile(r"(?:conversations(?:[-_]\d+)?|result)\.json", re.IGNORECASE)
_SIGNS = re.compile(r'"(?:mapping|chat_messages|guild|messages|personal_information|chats)"')
"""Keys of which one stands near the start of each export."""
_SPACE = " \t\r\n\ufeff"
_PACKAGE = b"PK"
_MESSAGES, _CHATS, _LIST = "messages", ("chats", "left_chats"), "list"
Messages = Iterator[Mapping[str, Json]]
ChannelReader = Callable[[Mapping[str, Json], Messages], ForeignChat]
PROGRAMS: Mapping[str, tuple[Callable[[Json], bool], Callable[[Mapping[str, Json]], ForeignChat]]] = {
    chat_chatgpt.PROGRAM: (chat_chatgpt.is_conversation, chat_chatgpt.chatgpt_chat),
    chat_claude.PROGRAM: (chat_claude.is_conversation, chat_claude.claude_chat),
}
"""Programs whose conversations are objects of their own."""
CHANNELS: tuple[tuple[Callable[[Mapping[str, Json]], bool], ChannelReader], ...] = (
    (chat_discord.is_header, chat_discord.discord_chat),
    (chat_telegram.is_header, chat_telegram.telegram_chat),
)
"""Programs whose chats are a head and messages."""


class NoExport(Exception):
    """The file is no export of these, or not in the usual order."""


@dataclass(slots=True)
class ExportNotes:
    """What was met while conversations were read. `broken`: where the file broke off."""

    empty: int = 0
    suspect: bool = False
    twice: DoubledKeys = field(default_factory=DoubledKeys)
    broken: BrokenJson | None = None


def export_values(value: Json) -> tuple[ForeignChat, ...]:
    """The conversations of a JSON value that was read whole; () when it is none of these exports."""
    values = (
        list(objects(value)) if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
    )
    if not values:
        return ()
    for is_one, read in PROGRAMS.values():
        if is_one(values[0]):
            return tuple(chat for each in values if is_one(each) and (chat := read(each)).messages)
    if isinstance(value, list):
        return ()
    values = [chat for key in _CHATS for chat in objects(inner(value, key, _LIST))] or values
    found = []
    for each in values:
        reader = _channel_reader(each)
        if reader is not None and (chat := reader(each, objects(each.get(_MESSAGES)))).messages:
            found.append(chat)
    return tuple(found)


def _channel_reader(header: Mapping[str, Json]) -> ChannelReader | None:
    return next((read for is_one, read in CHANNELS if is_one(header)), None)


# --- streams ---


def read_export(path: Path, notes: ExportNotes) -> Iterator[ForeignChat]:
    """The conversations of a file or of a ZIP file, one at a time; those without a message are counted only.

    A file that breaks off ends there (`notes.broken`). Errors: NoExport before the first one, BadFile, OSError.
    """
    found = False
    with _opened(path) as files:
        for file in files:
            stream = JsonStream(file, _encoding(file))
            try:
                for chat in _chats(stream):
                    notes.suspect = notes.suspect or stream.suspect
                    if chat.messages:
                        found = True
                        yield chat
                    else:
                        notes.empty += 1
            except TooDeep as error:
                raise BadFile("error.file.too_deep", name=path.name) from error
            except BrokenJson as error:
                if not found:
                    raise NoExport from error
                notes.broken = error
            notes.twice.join(stream.twice)
    if not found:
        raise NoExport


def _encoding(file: IO[bytes]) -> str:
    """How a file is encoded, which stands at its start again. Errors: NoExport for what cannot be one."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    encoding = encoding_of_head(head)
    text = head.decode(encoding, "replace")
    if text.lstrip(_SPACE)[:1] not in ("[", "{") or not _SIGNS.search(text):
        raise NoExport
    return encoding


@contextmanager
def _opened(path: Path) -> Iterator[Iterator[IO[bytes]]]:
    """The file, or the conversations in a ZIP file. Errors: NoExport, BadFile."""
    with path.open("rb") as file:
        if not file.read(len(_PACKAGE)).startswith(_PACKAGE):
            file.seek(0)
            yield iter([file])
            return
    try:
        with zipfile.ZipFile(path) as package:
            yield _members(package, path.name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, zlib.error, EOFError) as error:
        raise BadFile("error.file.package_damaged", name=path.name, details=str(error)) from error


def _members(package: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """The parts of a package that are called like the conversations of an export."""
    members = [each for each in package.infolist() if _MEMBERS.fullmatch(PurePosixPath(each.filename).name)]
    if not members:
        raise NoExport
    for member in sorted(members, key=lambda each: each.filename):
        if member.flag_bits & _ENCRYPTED:
            raise BadFile("error.file.package_locked", name=name)
        if member.file_size > _LARGEST_MEMBER:
            raise BadFile("error.file.too_big", name=name, limit=_LARGEST_MEMBER // 2**20)
        with package.open(member) as file:
            yield file


def _chats(stream: JsonStream) -> Iterator[ForeignChat]:
    """Errors: NoExport, BrokenJson."""
    match stream.opens():
        case "[":
            yield from _conversations(stream)
        case "{":
            yield from _object(stream)
        case _:
            raise NoExport


def _conversations(stream: JsonStream) -> Iterator[ForeignChat]:
    known: tuple[Callable[[Json], bool], Callable[[Mapping[str, Json]], ForeignChat]] | None = None
    for _ in stream.items():
        value = stream.value()
        if known is None:
            known = next((each for each in PROGRAMS.values() if each[0](value)), None)
            if known is None:
                raise NoExport
        if known[0](value) and isinstance(value, Mapping):
            yield known[1](value)


def _object(stream: JsonStream, *, listed: bool = False) -> Iterator[ForeignChat]:
    """One conversation, channel or chat, or an export with lists of chats."""
    header: dict[str, Json] = {}
    for key in stream.members():
        if key in _CHATS and stream.opens() == "{":
            yield from _listed(stream)
        elif key == _MESSAGES and stream.opens() == "[" and (reader := _channel_reader(header)) is not None:
            messages = _Messages(stream)
            yield reader(header, iter(messages))
            if messages.broken is not None:
                raise messages.broken
        elif key == _MESSAGES and not listed:
            raise NoExport
        else:
            header[key] = stream.value()
    for is_one, read in PROGRAMS.values():
        if is_one(header):
            yield read(header)


def _listed(stream: JsonStream) -> Iterator[ForeignChat]:
    for key in stream.members():
        if key != _LIST or stream.opens() != "[":
            stream.value()
            continue
        for _ in stream.items():
            yield from _object(stream, listed=True)


class _Messages:
    """The objects of a list, up to where the file breaks off."""

    def __init__(self, stream: JsonStream) -> None:
        self._stream = stream
        self.broken: BrokenJson | None = None

    def __iter__(self) -> Messages:
        try:
            for _ in self._stream.items():
                value = self._stream.value()
                if isinstance(value, Mapping):
                    yield value
        except TooDeep:
            raise
        except BrokenJson as error:
            self.broken = error
