"""Memories on trial: verdicts as a plan, and carried out as one op."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.domain.commands import MoveMemories
from core.domain.commands_upkeep import JudgeTrials
from core.domain.enums import Layer, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_upkeep import TrialPlan, TrialsWaiting
from core.domain.results import Verdict
from core.domain.upkeep import TRIAL_UNTIL_KEY, VERDICTS, Trials
from core.services import trials
from tests.services.desk import PROGRAM, Desk


def plan(desk: Desk, **values: object) -> Trials:
    return trials.plan(desk.store.upkeep, TrialPlan(at=desk.now, **values))


def verdicts(found: Trials) -> dict[int, Verdict]:
    return {int(pk): VERDICTS[int(at)] for pk, at in zip(found.rows.pks, found.suggested, strict=True)}


def trial(desk: Desk, folder: FolderPk, used: int = 0) -> MemoryPk:
    pk = desk.memory(folder, layer=Layer.EMERGENT)
    for _ in range(used):
        desk.store.usage.count([pk])
    return pk


def test_old_memories_are_promoted_when_used_and_trashed_when_not(desk: Desk) -> None:
    folder = desk.folder()
    used, unused = trial(desk, folder, 2), trial(desk, folder)
    desk.now += timedelta(days=8)
    young = trial(desk, folder)
    found = plan(desk)
    assert verdicts(found) == {used: Verdict.PROMOTE, unused: Verdict.TRASH, young: Verdict.KEEP}
    assert (found.never_used, found.careful) == (2, False)


def test_nothing_is_suggested_for_the_trash_when_hardly_anything_was_recalled(desk: Desk) -> None:
    folder = desk.folder()
    for used in (2, 0, 0, 0, 0, 0):
        trial(desk, folder, used)
    desk.now += timedelta(days=8)
    found = plan(desk)
    assert found.careful
    assert set(verdicts(found).values()) == {Verdict.PROMOTE, Verdict.KEEP}


def test_exactly_80_percent_unused_is_not_too_many(desk: Desk) -> None:
    folder = desk.folder()
    for used in (2, 0, 0, 0, 0):
        trial(desk, folder, used)
    desk.now += timedelta(days=8)
    assert not plan(desk).careful


def test_only_memories_on_trial_in_use_and_unlocked_are_planned(desk: Desk) -> None:
    from core.domain.commands import ArchiveMemories, SetLocked, TrashMemories

    folder = desk.folder()
    desk.memory(folder, layer=Layer.MEMORY)
    archived, locked, trashed, left = (trial(desk, folder) for _ in range(4))
    desk.run(ArchiveMemories(memories=(archived,)))
    desk.run(SetLocked(memories=(locked,), locked=True))
    desk.run(TrashMemories(memories=(trashed,)))
    assert list(verdicts(plan(desk))) == [left]


def test_a_folder_and_what_lies_below_it(desk: Desk) -> None:
    top, below, other = desk.folder("a"), desk.folder("a/b"), desk.folder("c")
    first, second = trial(desk, top), trial(desk, below)
    trial(desk, other)
    assert list(verdicts(plan(desk, folder=top))) == [first]
    assert list(verdicts(plan(desk, folder=top, with_subfolders=True))) == [first, second]


def test_a_selection_is_suggested_for_promotion_and_says_what_it_leaves_out(desk: Desk) -> None:
    folder = desk.folder()
    young, elsewhere = trial(desk, folder), desk.memory(folder, layer=Layer.MEMORY)
    found = plan(desk, memories=(young, elsewhere))
    assert verdicts(found) == {young: Verdict.PROMOTE}
    assert found.left_out == 1


def test_verdicts_are_one_op_and_undo_brings_the_equal_library_back(desk: Desk) -> None:
    folder = desk.folder()
    up, kept, gone, stays = (trial(desk, folder) for _ in range(4))
    before = desk.dump()
    until = desk.now + timedelta(days=30)
    result = desk.run(JudgeTrials(promote=(up,), archive=(kept,), trash=(gone,), keep=((stays, until),)))
    assert dict(result.counts) == {"promote": 1, "archive": 1, "trash": 1, "keep": 1}
    assert desk.get(up).layer is Layer.MEMORY
    assert desk.get(up).status is Status.ACTIVE
    assert (desk.get(kept).status, desk.get(kept).status_reason) == (
        Status.ARCHIVED,
        StatusReason.PROMOTED,
    )
    assert desk.get(kept).layer is Layer.EMERGENT
    assert desk.get(gone).deleted_at is not None
    assert desk.get(stays).extra[TRIAL_UNTIL_KEY] == until.isoformat(timespec="seconds")
    desk.undo()
    assert desk.dump() == before


def test_what_is_kept_on_trial_until_a_time_waits_until_then(desk: Desk) -> None:
    folder = desk.folder()
    kept, used = trial(desk, folder), trial(desk, folder, 3)
    desk.now += timedelta(days=10)
    desk.run(JudgeTrials(keep=((kept, desk.now + timedelta(days=5)),)))
    assert verdicts(plan(desk)) == {kept: Verdict.KEEP, used: Verdict.PROMOTE}
    desk.now += timedelta(days=6)
    assert verdicts(plan(desk)) == {kept: Verdict.TRASH, used: Verdict.PROMOTE}


def test_a_memory_under_two_verdicts_is_refused(desk: Desk) -> None:
    pk = trial(desk, desk.folder())
    until = desk.now + timedelta(days=1)
    with pytest.raises(Invalid):
        desk.run(JudgeTrials(promote=(pk,), keep=((pk, until),)))
    with pytest.raises(Invalid):
        desk.run(JudgeTrials(keep=((pk, until), (pk, until))))


def test_a_memory_that_left_the_trial_is_refused(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), layer=Layer.MEMORY)
    with pytest.raises(Invalid):
        desk.run(JudgeTrials(keep=((pk, desk.now),)))


def test_what_waits_counts_old_memories_only(desk: Desk) -> None:
    folder = desk.folder()
    trial(desk, folder)
    # the clock of the store is the test's, that of the query the machine's: all of them are old
    assert trials.waiting(desk.store.upkeep, TrialsWaiting()) == 1
    assert trials.waiting(desk.store.upkeep, TrialsWaiting(days=1e9)) == 0


def test_an_agent_promotes_too(desk: Desk) -> None:
    folder = desk.folder()
    pk = trial(desk, folder)
    desk.run(JudgeTrials(promote=(pk,)), PROGRAM)
    desk.run(MoveMemories(memories=(pk,), folder=folder))
    assert desk.get(pk).layer is Layer.MEMORY
