"""What comes in with a package besides memories and relations: floors, memos, told doubles, tests, pins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from core.domain.enums import Kind, TagKind
from core.domain.folder import Message, NotDuplicate
from core.domain.ids import FolderPk, MemoryPk, new_memo_id
from core.domain.memory import Alias, Tag
from core.domain.package import Collision, PackedMemory, PackedMessage, PackedPin
from core.domain.pin import Pin
from core.domain.recall import RecallCase
from core.domain.saved_search import SavedSearch
from core.services.package_run import PackageRun

_MESSAGE_COLUMNS = ("role", "name", "text", "hidden", "sent_at", "extra")


def write_extras(run: PackageRun) -> None:
    """Write all of it; what is here already stays unless the package's is to replace it."""
    _messages(run)
    _memos(run)
    _pairs(run)
    _cases(run)
    _pins(run)
    _searches(run)


def tag_rows(memories: Iterable[tuple[MemoryPk, PackedMemory]]) -> tuple[list[Tag], list[Alias]]:
    """The rows of tags and aliases of new memories."""
    tags: list[Tag] = []
    aliases: list[Alias] = []
    for pk, each in memories:
        for kind in TagKind:
            for position, value in enumerate(each.tags.group(kind)):
                tags.append(Tag(memory=pk, kind=kind, value=value, position=position))
        for position, value in enumerate(each.aliases):
            aliases.append(Alias(memory=pk, value=value, position=position))
    return tags, aliases


def _messages(run: PackageRun) -> None:
    for chunk in run.chunks(run.content.messages()):
        for name, group in groupby(chunk, key=lambda each: each.folder):
            _floors(run, run.folder_of(name), list(group))


def _floors(run: PackageRun, folder: FolderPk, floors: list[PackedMessage]) -> None:
    """Floors of one chat; a number that is taken keeps its floor, or gets the package's words."""
    first, last = floors[0].message.seq, floors[-1].message.seq
    there: Mapping[int, Message] = {}
    if folder not in run.made:
        there = {message.seq: message for message in run.uow.messages_of(folder, first, last + 1)}
    new = [each.message for each in floors if each.message.seq not in there]
    run.uow.insert([replace(message, folder=folder) for message in new])
    run.counts["messages"] += len(new)
    if run.collision is not Collision.THEIRS:
        return
    values: dict[int, Mapping[str, object]] = {}
    for each in floors:
        mine = there.get(each.message.seq)
        if mine is not None:
            values[mine.pk] = {name: getattr(each.message, name) for name in _MESSAGE_COLUMNS}
    run.counts["floors_replaced"] += run.uow.update_each(Kind.MESSAGE, values)


def _memos(run: PackageRun) -> None:
    for chunk in run.chunks(run.content.memos()):
        there = run.uow.keys_of(Kind.MEMO, [each.memo.id for each in chunk])
        new = []
        for each in chunk:
            taken = each.memo.id in there
            if not taken or run.collision is Collision.BOTH:
                memo_id = new_memo_id() if taken else each.memo.id
                new.append(replace(each.memo, id=memo_id, folder=run.folder_of(each.folder)))
            elif run.collision is Collision.THEIRS:
                values = {name: getattr(each.memo, name) for name in ("content", "expires_at", "updated_at")}
                run.uow.update(Kind.MEMO, [there[each.memo.id]], values)
        run.uow.insert(new)
        run.counts["memos"] += len(new)


def _pairs(run: PackageRun) -> None:
    known = {(pair.a, pair.b, pair.about) for pair in run.uow.all_records(NotDuplicate)}
    for chunk in run.chunks(run.content.pairs()):
        new = []
        for each in chunk:
            a, b = run.memories.get(each.a), run.memories.get(each.b)
            if a is None or b is None or a == b:
                continue
            low, high = min(a, b), max(a, b)
            if (low, high, each.pair.about) not in known:
                known.add((low, high, each.pair.about))
                new.append(replace(each.pair, a=low, b=high))
        run.uow.insert(new)


def _cases(run: PackageRun) -> None:
    known = {_case_key(case) for case in run.uow.all_records(RecallCase)}
    for chunk in run.chunks(run.content.cases()):
        new = []
        for each in chunk:
            expected = tuple(run.memories[name] for name in each.expected if name in run.memories)
            folder = None if each.folder is None else run.folder_of(each.folder)
            case = replace(each.case, folder=folder, expected=expected)
            if _case_key(case) not in known:
                known.add(_case_key(case))
                new.append(case)
        run.uow.insert(new)
        run.counts["recall_cases"] += len(new)


def _case_key(case: RecallCase) -> tuple[object, ...]:
    return case.folder, case.name, case.message, case.viewer, case.recipe, case.expected


def _searches(run: PackageRun) -> None:
    """Saved searches that are not here; one whose name is taken by another gets a number."""
    here = run.uow.all_records(SavedSearch)
    names = {each.name.casefold(): each.text for each in here}
    last = max((each.position for each in here), default=-1)
    for chunk in run.chunks(run.content.searches()):
        new = []
        for each in chunk:
            name, number = each.name, 1
            while names.get(name.casefold(), each.text) != each.text:
                number += 1
                name = f"{each.name} {number}"
            if name.casefold() not in names:
                names[name.casefold()] = each.text
                last += 1
                new.append(replace(each, name=name, position=last))
        run.uow.insert(new)
        run.counts["saved_searches"] += len(new)


def _pins(run: PackageRun) -> None:
    known: dict[str, set[MemoryPk]] = {}
    for chunk in run.chunks(run.content.pins()):
        new = []
        for each in chunk:
            memory = run.memories.get(each.memory)
            if memory is None or any(name not in run.folders for name in each.folders):
                continue
            place = _place(run, each)
            pinned = known.setdefault(place, {pin.memory for pin in run.uow.pins_of(place)})
            if memory not in pinned:
                pinned.add(memory)
                new.append(Pin(place=place, memory=memory, x=each.x, y=each.y))
        run.uow.insert(new)


def _place(run: PackageRun, pin: PackedPin) -> str:
    """See core.domain.graph.place_key."""
    numbers = sorted(run.folders[name] for name in pin.folders)
    scope = ",".join(map(str, numbers)) or "all"
    return f"{pin.arrangement}:{scope}{'/' if pin.below else ''}"
