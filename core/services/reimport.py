"""What the library already holds of a chat, lorebook or card that is about to come in."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.algos.floors import Floor, common_start, compare_floors
from core.domain.chat import CHAT_KEY, chat_of
from core.domain.enums import FolderKind
from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.domain.json_types import Json
from core.domain.results import Problem
from core.domain.transfer import Format, ImportPlan, PlannedBranch, PlannedFolder
from core.ports.store import Reader
from core.services.chat_update import (
    all_floors,
    branch_of,
    first_floors,
    own_floors,
    planned_floors,
    touched_memories,
)

CHATS = (Format.CHAT, Format.FOREIGN_CHAT)
BOOKS = (Format.WORLDINFO, Format.LOREBOOK, Format.CARD)
_BOOK_FORMATS = frozenset(each.value for each in BOOKS)
_ENOUGH_SHARED = 3
"""So many equal first floors make two files the same chat or branches of one; a greeting alone does not."""
_HALF = 0.5
INFO = "info"


def with_library(reader: Reader, plan: ImportPlan) -> ImportPlan:
    """The plan, with the folders it would bring up to date and what that would change."""
    if plan.format in CHATS:
        return _Chats(reader, plan).compared()
    if plan.format in BOOKS:
        return _Books(reader, plan).compared()
    return plan


def stem_of(folder: Folder | PlannedFolder) -> str:
    """The name of the file that a folder came from, without its ending."""
    file = folder.origin.get("file")
    return PurePath(file).stem if isinstance(file, str) else ""


def _same_name(one: str, other: str) -> bool:
    return bool(one) and _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@dataclass(slots=True)
class _Draft:
    """A plan as it grows."""

    counts: dict[str, int]
    problems: list[Problem]
    confirm: bool

    def note(self, key: str, *refs: str, severity: str = "warning", **args: Json) -> None:
        self.problems.append(Problem(f"import.problem.{key}", args, severity, refs))

    def count(self, name: str, number: int) -> None:
        if number:
            self.counts[name] = self.counts.get(name, 0) + number


class _Chats:
    """Compares the chats of a plan with those of the library."""

    def __init__(self, reader: Reader, plan: ImportPlan) -> None:
        self._reader = reader
        self._plan = plan
        self._known = [
            folder
            for folder in reader.all_records(Folder)
            if folder.kind is FolderKind.CHAT
            and folder.origin.get("format") in ("chat", "foreign_chat", "stbme")
        ]
        self._draft = _Draft(dict(plan.counts), list(plan.problems), plan.needs_confirmation)
        self._floors: dict[FolderPk, list[Floor]] = {}

    def compared(self) -> ImportPlan:
        folders = tuple(self._folder(folder) for folder in self._plan.folders)
        return replace(
            self._plan,
            folders=folders,
            counts=self._draft.counts,
            problems=tuple(self._draft.problems),
            needs_confirmation=self._draft.confirm,
        )

    def _folder(self, planned: PlannedFolder) -> PlannedFolder:
        floors = planned_floors(self._plan.messages, planned.key)
        found = self._same(planned, floors)
        if found is not None:
            return self._update(planned, found, floors)
        branch = self._branch(planned, floors)
        if branch is not None:
            parent, shared = branch
            self._draft.note("branch", severity=INFO, parent=parent.name, shared=shared)
            self._draft.counts["messages"] = self._draft.counts.get("messages", 0) - shared
            self._draft.count("shared_floors", shared)
            return replace(planned, branch=PlannedBranch(parent.pk, shared))
        return planned

    def _floors_of(self, folder: Folder) -> list[Floor]:
        """All floors of a chat, read once."""
        if folder.pk not in self._floors:
            self._floors[folder.pk] = all_floors(self._reader, folder)
        return self._floors[folder.pk]

    # --- the same chat ---

    def _same(self, planned: PlannedFolder, floors: Sequence[Floor]) -> Folder | None:
        named = [folder for folder in self._known if self._is_named(folder, planned)]
        for folder in named:
            if self._other_integrity(folder, planned):
                self._draft.note("other_chat", folder=folder.name)
                continue
            if not floors or self._alike(self._floors_of(folder), floors):
                return folder
            self._draft.note("other_chat", folder=folder.name)
        if _chat(planned).get("main_chat"):
            return None
        integrity = _chat(planned).get("integrity")
        for folder in self._known:
            if (
                integrity
                and chat_of(folder).get("integrity") == integrity
                and not chat_of(folder).get("main_chat")
            ):
                return folder
        return self._renamed(planned, floors)

    def _is_named(self, folder: Folder, planned: PlannedFolder) -> bool:
        if len(self._plan.folders) > 1:
            return _same_name(stem_of(folder), stem_of(planned)) and folder.name == planned.name
        return _same_name(stem_of(folder), stem_of(planned))

    def _other_integrity(self, folder: Folder, planned: PlannedFolder) -> bool:
        one, other = chat_of(folder).get("integrity"), _chat(planned).get("integrity")
        return bool(one) and bool(other) and one != other

    def _stands_apart(self, folder: Folder, planned: PlannedFolder) -> bool:
        """Whether the files say that the folder is no earlier state and no parent of the chat."""
        main = chat_of(folder).get("main_chat")
        own_branch = isinstance(main, str) and _same_name(main, stem_of(planned))
        return own_branch or self._other_integrity(folder, planned)

    def _alike(self, old: Sequence[Floor], new: Sequence[Floor]) -> bool:
        if not old or old[0].content == new[0].content:
            return True
        shared = len({floor.content for floor in old} & {floor.content for floor in new})
        return shared >= _HALF * min(len(old), len(new))

    def _renamed(self, planned: PlannedFolder, floors: Sequence[Floor]) -> Folder | None:
        """A chat of the library that the file holds whole, or that holds the whole file."""
        for folder in self._known:
            if self._stands_apart(folder, planned) or not self._starts_alike(folder, floors, _ENOUGH_SHARED):
                continue
            old = self._floors_of(folder)
            shared = common_start(old, floors)
            if shared >= _ENOUGH_SHARED and shared in (len(old), len(floors)):
                return folder
        return None

    def _starts_alike(self, folder: Folder, floors: Sequence[Floor], count: int) -> bool:
        """Whether the first floors are the same: most chats are ruled out without reading them."""
        first = first_floors(self._reader, folder, count)
        return common_start(first, floors) == count

    # --- what would change ---

    def _update(self, planned: PlannedFolder, folder: Folder, floors: Sequence[Floor]) -> PlannedFolder:
        draft = self._draft
        named = self._is_named(folder, planned)
        into = replace(planned, into=folder.pk, name=folder.name)
        old = self._floors_of(folder)
        if not floors or (not named and common_start(old, floors) == len(floors)):
            if old:
                draft.note("floors_kept", severity=INFO, folder=folder.name, count=len(old))
            draft.counts["messages"] = 0
            return replace(into, branch=PlannedBranch(folder.pk, len(floors)) if floors else None)
        parent, shared = branch_of(folder)
        if parent is not None:
            start = common_start(old, floors)
            shared = min(shared, start)
            into = replace(into, branch=PlannedBranch(parent, shared))
        own = old if parent is None else own_floors(self._reader, folder.pk)
        changes = compare_floors(own, [floor for floor in floors if floor.seq >= shared])
        memories = touched_memories(self._reader, folder.pk, changes)
        draft.counts["messages"] = len(floors) - shared
        for name, number in (
            ("new_floors", len(changes.added)),
            ("changed_floors", len(changes.changed)),
            ("removed_floors", len(changes.removed)),
            ("moved_floors", len(changes.moved)),
            ("marked_memories", len(memories)),
        ):
            draft.count(name, number)
        if not changes.alters and not changes.added:
            draft.note("already_there", severity=INFO, folder=folder.name)
        elif changes.alters:
            draft.confirm = True
            draft.note(
                "floors_changed",
                folder=folder.name,
                first=changes.first,
                changed=len(changes.changed),
                removed=len(changes.removed),
                moved=len(changes.moved),
                added=len(changes.added),
            )
        else:
            draft.note("chat_grown", severity=INFO, folder=folder.name, added=len(changes.added))
        if memories:
            ids = [state.id for state in self._reader.states(memories)]
            draft.note("memories_of_changed_floors", *ids, count=len(ids))
        return into

    # --- branches ---

    def _branch(self, planned: PlannedFolder, floors: Sequence[Floor]) -> tuple[Folder, int] | None:
        main = _chat(planned).get("main_chat")
        least = 1 if main else _ENOUGH_SHARED
        best: tuple[Folder, int] | None = None
        for folder in self._known:
            if isinstance(main, str) and main:
                if not _same_name(stem_of(folder), main):
                    continue
            elif self._stands_apart(folder, planned):
                continue
            if not self._starts_alike(folder, floors, least):
                continue
            shared = common_start(self._floors_of(folder), floors)
            if shared >= least and (best is None or shared > best[1]):
                best = folder, shared
        return best


def _chat(planned: PlannedFolder) -> Mapping[str, Json]:
    found = planned.extra.get(CHAT_KEY)
    return found if isinstance(found, Mapping) else {}


class _Books:
    """Finds lorebooks and cards that are in the library already, so that none is stored twice."""

    def __init__(self, reader: Reader, plan: ImportPlan) -> None:
        self._plan = plan
        self._known = [
            folder for folder in reader.all_records(Folder) if folder.origin.get("format") in _BOOK_FORMATS
        ]
        self._draft = _Draft(dict(plan.counts), list(plan.problems), plan.needs_confirmation)

    def compared(self) -> ImportPlan:
        folders = [self._folder(folder) for folder in self._plan.folders]
        there = {folder.key for folder in folders if folder.into is not None}
        folders = [self._linked(folder) for folder in folders]
        folders += self._worlds(folders)
        memories = tuple(memory for memory in self._plan.memories if memory.folder not in there)
        counts = self._draft.counts
        if there:
            counts["already_there"] = len(self._plan.memories) - len(memories)
            counts["memories"] = len(memories)
            counts["folders"] = len(self._plan.folders) - len(there)
        return replace(
            self._plan,
            folders=tuple(folders),
            memories=memories,
            counts=counts,
            problems=tuple(self._draft.problems),
            needs_confirmation=self._draft.confirm,
        )

    def _folder(self, planned: PlannedFolder) -> PlannedFolder:
        digest = planned.origin.get("digest")
        same = next(
            (f for f in self._known if digest and f.origin.get("digest") == digest and _kin(f, planned)), None
        )
        if same is not None:
            self._draft.note("already_there", severity=INFO, folder=same.name)
            return replace(planned, into=same.pk, name=same.name)
        named = next(
            (f for f in self._known if _same_name(_given(f), planned.name) and _kin(f, planned)), None
        )
        if named is not None:
            self._draft.confirm = True
            self._draft.note("book_differs" if not _is_card(planned) else "card_differs", folder=named.name)
        return planned

    def _linked(self, planned: PlannedFolder) -> PlannedFolder:
        """A card whose book names a world that is there already reads it."""
        world = self._world_of(planned)
        return replace(planned, also_reads=(*planned.also_reads, _WORLD_KEY)) if world else planned

    def _worlds(self, folders: Sequence[PlannedFolder]) -> list[PlannedFolder]:
        found = next((world for folder in folders if (world := self._world_of(folder))), None)
        if found is None:
            return []
        self._draft.note("world_linked", severity=INFO, folder=found.name)
        return [PlannedFolder(key=_WORLD_KEY, name=found.name, into=found.pk)]

    def _world_of(self, planned: PlannedFolder) -> Folder | None:
        card = planned.extra.get("card")
        world = card.get("world") if isinstance(card, Mapping) else None
        if not isinstance(world, str) or len(self._plan.folders) > 1:
            return None
        books = (folder for folder in self._known if not _is_card(folder))
        return next((f for f in books if _same_name(_given(f), world) or _same_name(stem_of(f), world)), None)


_WORLD_KEY = "world"


def _given(folder: Folder) -> str:
    """The name that the import gave the folder."""
    name = folder.origin.get("name_given")
    return name if isinstance(name, str) else folder.name


def _is_card(folder: Folder | PlannedFolder) -> bool:
    return folder.origin.get("format") == Format.CARD.value


def _kin(folder: Folder, planned: PlannedFolder) -> bool:
    """Whether both are cards, or both lorebooks."""
    return _is_card(folder) == _is_card(planned)
