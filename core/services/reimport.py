"""What the library already holds of a chat, lorebook or card that is about to come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.algos.floors import Floor, common_start, compare_floors
from core.domain.chat import CHAT_KEY, chat_of
from core.domain.enums import FolderKind
from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.domain.json_types import Json
from core.domain.transfer import Format, ImportPlan, PlannedBranch, PlannedFolder
from core.ports.store import Reader
from core.services.chat_floors import (
    PlannedChats,
    all_floors,
    branch_of,
    first_floors,
    own_floors,
    planned_floors,
)
from core.services.chat_update import touched_memories
from core.services.plan_draft import INFO, PlanDraft, same_name, stem_of, told_together
from core.services.reimport_books import BOOKS, Books

CHATS = (Format.CHAT, Format.FOREIGN_CHAT)
_ENOUGH_SHARED = 3
"""So many equal first floors make two files the same chat or branches of one; a greeting alone does not."""
_HALF = 0.5


def with_library(reader: Reader, plan: ImportPlan) -> ImportPlan:
    """The plan, with the folders it would bring up to date and what that would change."""
    if plan.format in CHATS:
        return _Chats(reader, plan).compared()
    if plan.format in BOOKS:
        return Books(reader, plan).compared()
    return plan


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
        self._draft = PlanDraft.of(plan)
        self._floors: dict[FolderPk, list[Floor]] = {}
        self._planned = PlannedChats(plan.messages)
        self._by_integrity: dict[str, Folder] = {}
        for folder in self._known:
            chat = chat_of(folder)
            integrity = chat.get("integrity")
            if isinstance(integrity, str) and integrity and not chat.get("main_chat"):
                self._by_integrity.setdefault(integrity, folder)

    def compared(self) -> ImportPlan:
        folders = tuple(self._folder(folder) for folder in self._plan.folders)
        return replace(
            self._plan,
            folders=folders,
            counts=self._draft.counts,
            problems=told_together(self._draft.problems),
            needs_confirmation=self._draft.confirm,
        )

    def _folder(self, planned: PlannedFolder) -> PlannedFolder:
        floors = planned_floors(self._planned.of(planned.key))
        found = self._same(planned, floors)
        if found is not None:
            return self._update(planned, found, floors)
        branch = self._branch(planned, floors)
        if branch is not None:
            parent, shared = branch
            self._draft.note("branch", severity=INFO, parent=parent.name, shared=shared)
            self._draft.take_off("messages", shared)
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
        known = self._by_integrity.get(str(_chat(planned).get("integrity", "")))
        export = self._plan.format is Format.FOREIGN_CHAT  # whose files are all called alike
        if known is not None and export:
            return known
        for folder in self._known:
            if not self._is_named(folder, planned):
                continue
            if self._other_integrity(folder, planned):
                if not export:
                    self._draft.note("other_chat", folder=folder.name)
                continue
            if not floors or self._alike(self._floors_of(folder), floors):
                return folder
            self._draft.note("other_chat", folder=folder.name)
        if _chat(planned).get("main_chat"):
            return None
        return known if known is not None else self._renamed(planned, floors)

    def _is_named(self, folder: Folder, planned: PlannedFolder) -> bool:
        if len(self._plan.folders) > 1:
            return folder.name == planned.name and same_name(stem_of(folder), stem_of(planned))
        return same_name(stem_of(folder), stem_of(planned))

    def _other_integrity(self, folder: Folder, planned: PlannedFolder) -> bool:
        one, other = chat_of(folder).get("integrity"), _chat(planned).get("integrity")
        return bool(one) and bool(other) and one != other

    def _stands_apart(self, folder: Folder, planned: PlannedFolder) -> bool:
        """Whether the files say that the folder is no earlier state and no parent of the chat."""
        if self._other_integrity(folder, planned):
            return True
        main = chat_of(folder).get("main_chat")
        return isinstance(main, str) and same_name(main, stem_of(planned))

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
            if floors and len(old) == len(floors):
                draft.note("already_there", severity=INFO, folder=folder.name)
            elif old:
                draft.note("floors_kept", severity=INFO, folder=folder.name, count=len(old))
            draft.take_off("messages", len(floors))
            return replace(into, branch=PlannedBranch(folder.pk, len(floors)) if floors else None)
        parent, shared = branch_of(folder)
        if parent is not None:
            start = common_start(old, floors)
            shared = min(shared, start)
            into = replace(into, branch=PlannedBranch(parent, shared))
        own = old if parent is None else own_floors(self._reader, folder.pk)
        changes = compare_floors(own, [floor for floor in floors if floor.seq >= shared])
        memories = touched_memories(self._reader, folder.pk, changes)
        draft.take_off("messages", shared)
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
                if not same_name(stem_of(folder), main):
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
