"""What the Recall page offers: recipes, folders, tags; of the chosen folder its last lines and who is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.api import Cancel, EngineApi
from core.domain.enums import Role, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import (
    Folders,
    ListMemories,
    MemoryFilter,
    MemoryRows,
    MessagesOf,
    Sort,
    SortKey,
    TagNames,
)
from core.domain.queries_recall import Recipes
from core.domain.recipes import Recipe
from core.domain.results import FolderNode
from core.domain.tags import TRIPLE

LOOKED_BACK = 60
RECENT_LINES = 4
MOST_NAMES = 40
CHARACTERS = frozenset({TypeId("character"), TypeId("person")})


@dataclass(frozen=True, slots=True)
class Choices:
    """What the request panel offers, read in one go."""

    recipes: tuple[Recipe, ...]
    folders: tuple[FolderNode, ...]
    tags: Mapping[TagKind, tuple[str, ...]]

    def messages(self, folder: FolderPk | None) -> int:
        """Length of a folder's chat."""
        return next((node.messages for node in self.folders if node.folder.pk == folder), 0)

    def folder_name(self, value: object) -> str:
        """The name of the folder of that number; "" when there is none."""
        wanted = int(value) if isinstance(value, int | float) else 0
        return next((node.folder.name for node in self.folders if node.folder.pk == wanted), "")

    def first_folder(self, last: str) -> FolderPk | None:
        """The folder used last, else the fullest chat, else the fullest folder."""
        known = {node.folder.pk for node in self.folders}
        if last.isdigit() and FolderPk(int(last)) in known:
            return FolderPk(int(last))
        best = max(self.folders, key=lambda node: (node.messages > 0, node.memories), default=None)
        return best.folder.pk if best is not None else None


@dataclass(frozen=True, slots=True)
class LastLines:
    """The end of a folder's chat: the newest message of the user, and the lines before it."""

    message: str = ""
    context: tuple[str, ...] = ()
    floor: int = -1


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What is known of the chosen folder: the end of its chat, and names that may look."""

    last: LastLines
    names: tuple[str, ...]


def load_choices(engine: EngineApi, cancel: Cancel) -> Choices:
    """Everything that can be chosen. Errors: Unavailable, Cancelled."""
    tags = {kind: tuple(name for name, _ in engine.ask(TagNames(kind), cancel=cancel)) for kind in TRIPLE}
    return Choices(engine.ask(Recipes(), cancel=cancel), engine.ask(Folders(), cancel=cancel), tags)


def load_folder(engine: EngineApi, folder: FolderPk | None, messages: int, cancel: Cancel) -> FolderFacts:
    """The end of a folder's chat of so many messages, and who is in it; without a folder of the whole library."""
    last = LastLines() if folder is None else _last_lines(engine, folder, messages, cancel)
    return FolderFacts(last, _names(engine, folder, cancel))


def _last_lines(engine: EngineApi, folder: FolderPk, messages: int, cancel: Cancel) -> LastLines:
    """The newest message of the user and the lines before it, hidden ones left out."""
    found = engine.ask(MessagesOf(folder, max(0, messages - LOOKED_BACK)), cancel=cancel)
    shown = [message for message in found if not message.hidden and message.text.strip()]
    floor = found[-1].seq if found else -1
    at = next((at for at in range(len(shown) - 1, -1, -1) if shown[at].role is Role.USER), -1)
    if at < 0:
        return LastLines(floor=floor)
    around = shown[max(0, at - RECENT_LINES) : at]
    lines = tuple(f"{line.name}: {line.text}" if line.name else line.text for line in around)
    return LastLines(shown[at].text, tuple(" ".join(line.split()) for line in lines), floor)


def _names(engine: EngineApi, folder: FolderPk | None, cancel: Cancel) -> tuple[str, ...]:
    """Names that may look: characters and people, the most important first."""
    folders = frozenset({folder}) if folder is not None else frozenset()
    where = MemoryFilter(folders=folders, types=CHARACTERS)
    pks = engine.ask(ListMemories(where, Sort(SortKey.IMPORTANCE)), cancel=cancel)
    rows = engine.ask(MemoryRows(tuple(MemoryPk(pk) for pk in pks[:MOST_NAMES])), cancel=cancel)
    return tuple(dict.fromkeys(row.title for row in rows if row.title))
