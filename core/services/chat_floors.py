"""The floors of a chat as they are compared, those that a branch shares with its parent among them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from core.algos.floors import Floor
from core.domain.chat import BRANCH_KEY, chat_of, raw_text
from core.domain.enums import Role
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk
from core.domain.json_types import JsonObject
from core.domain.transfer import PlannedMessage
from core.ports.store import Reader

CHUNK = 500
_HINT_KEY = "send_date"


def floor_of(seq: int, role: Role, name: str, text: str, extra: JsonObject) -> Floor:
    """A floor as it is compared: by role, speaker and the text of the file."""
    said = f"{role.value}\n{name}\n{raw_text(text, extra)}"
    digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    date = extra.get(_HINT_KEY)
    return Floor(seq, digest, f"{date}\n{name}" if date else "")


def planned_floors(messages: Iterable[PlannedMessage]) -> list[Floor]:
    """Messages of one folder of a plan as floors."""
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in messages]


class PlannedChats:
    """The messages of a plan by its folders, of which there may be thousands. Cost: they are read once to find them."""

    def __init__(self, messages: Sequence[PlannedMessage]) -> None:
        self._messages = messages
        self._spans: dict[str, list[tuple[int, int]]] = {}
        start = 0
        for folder, group in groupby(messages, key=lambda message: message.folder):
            stop = start + sum(1 for _ in group)
            self._spans.setdefault(folder, []).append((start, stop))
            start = stop

    def of(self, folder: str) -> Sequence[PlannedMessage]:
        """The messages of one folder, in order."""
        return [each for start, stop in self._spans.get(folder, ()) for each in self._messages[start:stop]]


def own_floors(reader: Reader, folder: FolderPk) -> list[Floor]:
    """The floors that are stored in a folder."""
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in messages_in(reader, folder)]


def all_floors(reader: Reader, folder: Folder) -> list[Floor]:
    """The floors of a chat, those before a branch from its parent."""
    parent, shared = branch_of(folder)
    if parent is None:
        return own_floors(reader, folder.pk)
    found = reader.records(Folder, [parent])
    before = all_floors(reader, found[0]) if found and found[0].pk != folder.pk else []
    return [floor for floor in before if floor.seq < shared] + own_floors(reader, folder.pk)


def branch_of(folder: Folder) -> tuple[FolderPk | None, int]:
    """The parent of a branch and how many first floors are the parent's; (None, 0) of other chats."""
    branch = chat_of(folder).get(BRANCH_KEY)
    if not isinstance(branch, Mapping):
        return None, 0
    parent, shared = branch.get("parent"), branch.get("shared")
    if not isinstance(parent, int) or not isinstance(shared, int):
        return None, 0
    return FolderPk(parent), shared


def first_floors(reader: Reader, folder: Folder, count: int) -> list[Floor]:
    """The first floors of a chat, at most `count`."""
    parent, shared = branch_of(folder)
    found = [] if parent is None else reader.records(Folder, [parent])
    if found and found[0].pk != folder.pk and shared >= count:
        return first_floors(reader, found[0], count)
    if parent is not None:
        return all_floors(reader, folder)[:count]
    messages = reader.messages_from(folder.pk, 0, count)
    return [floor_of(m.seq, m.role, m.name, m.text, m.extra) for m in messages]


def messages_in(reader: Reader, folder: FolderPk) -> Iterator[Message]:
    """All messages, some at a time."""
    start = 0
    while chunk := reader.messages_from(folder, start, 4 * CHUNK):
        yield from chunk
        start = chunk[-1].seq + 1
