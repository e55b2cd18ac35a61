"""Lorebooks and cards that are in the library already, so that none is stored twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.domain.folder import Folder
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedUpdate
from core.ports.store import Reader
from core.services.plan_draft import INFO, PlanDraft, same_name, stem_of
from core.services.reimport_entries import Entries, compare_entries

BOOKS = (Format.WORLDINFO, Format.LOREBOOK, Format.CARD)
_BOOK_FORMATS = frozenset(each.value for each in BOOKS)
_WORLD_KEY = "world"


class Books:
    """Finds lorebooks and cards that are in the library already, so that none is stored twice.

    A lorebook of the same name with other content is brought up to date, entry by entry.
    """

    def __init__(self, reader: Reader, plan: ImportPlan) -> None:
        self._reader = reader
        self._plan = plan
        self._changed: dict[str, Folder] = {}
        self._known = [
            folder for folder in reader.all_records(Folder) if folder.origin.get("format") in _BOOK_FORMATS
        ]
        self._draft = PlanDraft.of(plan)

    def compared(self) -> ImportPlan:
        folders = [self._folder(folder) for folder in self._plan.folders]
        there = {folder.key for folder in folders if folder.into is not None}
        folders = [self._linked(folder) for folder in folders]
        folders += self._worlds(folders)
        memories = [memory for memory in self._plan.memories if memory.folder not in there]
        updates: list[PlannedUpdate] = []
        refreshed = 0
        for key, folder in self._changed.items():
            entries = self._entries(key, folder)
            memories += entries.new
            updates += entries.updates + entries.refreshed
            refreshed += len(entries.refreshed)
        counts = self._draft.counts
        if there:
            counts["already_there"] = len(self._plan.memories) - len(memories) - len(updates) + refreshed
            counts["memories"] = len(memories)
            counts["folders"] = len(self._plan.folders) - len(there)
        return replace(
            self._plan,
            folders=tuple(folders),
            memories=tuple(memories),
            updates=tuple(updates),
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
            (f for f in self._known if same_name(_given(f), planned.name) and _kin(f, planned)), None
        )
        if named is not None and not _is_card(planned):
            self._changed[planned.key] = named
            return replace(planned, into=named.pk, name=named.name)
        if named is not None:
            self._draft.confirm = True
            self._draft.note("card_differs", folder=named.name)
        return planned

    def _entries(self, key: str, folder: Folder) -> Entries:
        """What would become of the entries of a book that changed, and a word for each kind."""
        draft = self._draft
        planned = [memory for memory in self._plan.memories if memory.folder == key]
        entries = compare_entries(self._reader, folder.pk, planned)
        draft.note(
            "book_changed",
            severity=INFO,
            folder=folder.name,
            same=entries.same,
            changed=len(entries.updates),
            new=len(entries.new),
            gone=len(entries.gone),
        )
        if entries.edited:
            ids = [state.id for state in self._reader.states(entries.edited)]
            draft.note("book_edited", *ids, count=len(ids))
            draft.count("edited_here", len(ids))
        if entries.gone:
            draft.note("book_gone", *entries.gone, severity=INFO, count=len(entries.gone))
        draft.confirm = draft.confirm or bool(entries.updates)
        return entries

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
        return next((f for f in books if same_name(_given(f), world) or same_name(stem_of(f), world)), None)


def _given(folder: Folder) -> str:
    """The name that the import gave the folder."""
    name = folder.origin.get("name_given")
    return name if isinstance(name, str) else folder.name


def _is_card(folder: Folder | PlannedFolder) -> bool:
    return folder.origin.get("format") == Format.CARD.value


def _kin(folder: Folder, planned: PlannedFolder) -> bool:
    """Whether both are cards, or both lorebooks."""
    return _is_card(folder) == _is_card(planned)
