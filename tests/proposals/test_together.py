"""Proposals, merges, summaries and edits of two writers in any order: all of it can be taken back, and given again."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from core.domain import commands as c
from core.domain.commands_merge import MergeMemories, SettleContradiction, UnmergeMemories
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.commands_upkeep import ForgetMemories, UnfoldSummaries
from core.domain.errors import CuratorError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    End,
    LinkPart,
    NewProposal,
    Part,
    PartGroup,
    ProposalKind,
    RetirePart,
)
from core.domain.queries_proposals import ProposalOf
from tests.services.desk import PERSON, PROGRAM, Desk, shown

STEPS = 40
WORDS = ("钟楼", "艾琳", "ash", "")
TYPES = ("event", "location", "character", "synopsis", "none")
RELATIONS = ("related", "contradicts", "updates", "none")
GROUPS = "xyz"
GUARDED = (
    "title",
    "body",
    "fields",
    "type",
    "folder",
    "layer",
    "status",
    "parent",
    "merged_into",
    "deleted_at",
)


class Together:
    """A library and dice; every step is checked."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk, self.dice = desk, random.Random(seed)
        self.folders: tuple[FolderPk, ...] = (desk.folder("a"), desk.folder("b"))
        for number in range(4):
            desk.memory(self.folders[0], body=f"event {number}", seq=number)
        desk.memory(self.folders[0], "location", title="钟楼", aliases=("塔",))
        desk.memory(self.folders[1], "character", title="艾琳", tags=TagSet(("x",)))
        self.start, self.first = desk.dump(), desk.store.last_op()
        self.proposals: list[int] = []

    def memories(self) -> dict[MemoryPk, Memory]:
        with self.desk.store.read() as reader:
            pks = [pk for folder in reader.all_records(Folder) for pk in reader.memories_in(folder.pk)]
            return {memory.pk: memory for memory in reader.records(Memory, pks)}

    def some(self, most: int = 3) -> tuple[MemoryPk, ...]:
        known = list(self.memories())
        return tuple(self.dice.sample(known, min(len(known), self.dice.randint(1, most))))

    def one(self) -> MemoryPk:
        return self.dice.choice(list(self.memories()))

    # --- proposals -------------------------------------------------------------------------

    def propose(self) -> None:
        keys = [f"p{number}" for number in range(self.dice.randint(1, 6))]
        parts = tuple(self._part(key, keys) for key in keys)
        groups = tuple(PartGroup(key=key, through=at, runs=1) for at, key in enumerate(GROUPS))
        folder = self.dice.choice((*self.folders, None))
        new = NewProposal(kind=ProposalKind.EXTRACTION, folder=folder, source="m", parts=parts, groups=groups)
        self.proposals.append(self.desk.store.proposals.add(new))

    def _end(self, keys: list[str]) -> End:
        return self.dice.choice(keys) if self.dice.random() < 0.4 else self.one()

    def _part(self, key: str, keys: list[str]) -> Part:
        dice, end = self.dice, self._end(keys)
        group, ticked = dice.choice(GROUPS), dice.random() < 0.9
        known = self.memories().get(end) if isinstance(end, int) else None
        revision = None if known is None else known.revision
        kind = dice.randrange(5)
        if kind == 0:
            return ChangePart(
                key=key, group=group, ticked=ticked, memory=end, revision=revision,
                body=dice.choice(WORDS), update_event=dice.random() < 0.5, temporal_source=self._end(keys),
            )  # fmt: skip
        if kind == 1:
            into = dice.choice((None, self._end(keys)))
            return RetirePart(key=key, group=group, ticked=ticked, memory=end, revision=revision, into=into)
        if kind == 2:
            relation = RelationId(dice.choice(RELATIONS))
            return LinkPart(
                key=key, group=group, ticked=ticked, source=end, target=self._end(keys), relation=relation
            )
        sums = tuple(self._end(keys) for _ in range(dice.choice((0, 2, 3))))
        return CreatePart(
            key=key, group=group, ticked=ticked, type=TypeId(dice.choice(TYPES)), title=dice.choice(WORDS),
            body=dice.choice(WORDS), level=int(bool(sums)), sums=sums, seen=dice.choice(((), (1, 1, 1))),
        )  # fmt: skip

    # --- steps -----------------------------------------------------------------------------

    def step(self) -> None:
        if not self.proposals or self.dice.random() < 0.1:
            self.propose()
            return
        dice, proposal = self.dice, self.dice.choice(self.proposals)
        groups = dice.choice((None, ("x",), ("z", "y")))
        parents = tuple({m.parent for m in self.memories().values() if m.parent is not None})
        makers: list[Callable[[], c.Command]] = [
            *[lambda: ApplyProposal(proposal=proposal, groups=groups, if_changed=dice.choice(list(IfChanged)))] * 5,
            lambda: DismissProposal(proposal=proposal, groups=groups),
            *[lambda: MergeMemories(survivor=self.one(), losers=self.some())] * 3,
            *[lambda: UnmergeMemories(memories=self._merged() or self.some())] * 2,
            lambda: UnfoldSummaries(memories=parents or self.some()),
            lambda: ForgetMemories(memories=self.some()),
            lambda: c.EditMemory(memory=self.one(), body="by hand"),
            lambda: c.TrashMemories(memories=self.some()),
            lambda: c.UntrashMemories(memories=self.some()),
            lambda: c.SetLocked(memories=self.some(), locked=dice.random() < 0.5),
            lambda: c.MoveMemories(memories=self.some(), folder=dice.choice(self.folders)),
            lambda: SettleContradiction(keep=self.one(), other=self.one()),
        ]  # fmt: skip
        self.run(dice.choice(makers)())

    def _merged(self) -> tuple[MemoryPk, ...]:
        return tuple(pk for pk, memory in self.memories().items() if memory.merged_into is not None)[:2]

    def run(self, command: c.Command) -> None:
        """A refused command leaves nothing; locked memories stay as they are; no circle of parents or merges."""
        desk, actor = self.desk, self.dice.choice((PERSON, PROGRAM))
        before, last = desk.dump(), desk.store.last_op()
        locked = {pk: memory for pk, memory in self.memories().items() if memory.locked}
        try:
            desk.run(command, actor)
        except CuratorError:
            assert desk.dump() == before
            assert desk.store.last_op() == last
        now = self.memories()
        if actor is PROGRAM or isinstance(command, ApplyProposal):
            for pk, memory in locked.items():
                for name in GUARDED:
                    assert getattr(now[pk], name) == getattr(memory, name), (command, name)
        for name in ("parent", "merged_into"):
            assert all(_ends(now, pk, name) for pk in now), (command, name)
        assert desk.store.check() == []
        for proposal in self.proposals:
            desk.ask(ProposalOf(proposal))


def _ends(memories: dict[MemoryPk, Memory], pk: MemoryPk, name: str) -> bool:
    seen = set()
    at: MemoryPk | None = pk
    while at is not None and at not in seen:
        seen.add(at)
        at = getattr(memories[at], name)
    return at is None


@pytest.mark.parametrize("seed", range(5))
def test_work_of_two_writers_is_taken_back_and_given_again(desk: Desk, seed: int) -> None:
    work = Together(desk, seed)
    for _ in range(STEPS):
        work.step()
    end = desk.dump()
    ops = [entry.op.id for entry in desk.store.history(1000, None) if entry.op.id > work.first]
    undone = []
    for op in ops:
        result = desk.undo(op)
        assert not result.conflicts
        undone.append(result.op.id)
    assert shown(desk.dump()) == shown(work.start)
    for op in reversed(undone):
        assert not desk.undo(op).conflicts
    assert shown(desk.dump()) == shown(end)
