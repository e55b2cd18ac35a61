"""Whatever upkeep is done, in whatever order: it is taken back to the equal library, and nothing contradicts itself."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.algos.lexical import search_text
from core.domain import commands as c
from core.domain import commands_graph as cg
from core.domain.commands_merge import (
    MarkNotDuplicate,
    MergeMemories,
    SettleContradiction,
    UnmergeMemories,
)
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.commands_upkeep import ForgetMemories, JudgeTrials, UnfoldSummaries
from core.domain.enums import Apart, Layer, Status, TagKind
from core.domain.errors import Conflict, UserError
from core.domain.ids import MemoryPk, RelationId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    LinkPart,
    NewProposal,
    ProposalKind,
    ProposalState,
    RetirePart,
)
from core.domain.queries import ListMemories, MemoryFilter, TrashScope
from core.domain.queries_proposals import Proposals
from core.domain.queries_upkeep import CompressPlanOf, RenewSummaries, SuggestSummaries
from core.services import compress
from core.services.checkup import row_findings
from core.services.compress import Compression
from core.services.summarise import Summariser
from core.store.derived import searched_parts
from tests.services.desk import PERSON, Desk, shown

WORDS = ("ash", "灯塔", "旧船", "it's 13", "elm\x00", "\ud83d", "𠮷野家", "NOT *", '"')
TITLES = ("", "钟楼", "Clock tower", "钟 楼")
WHO = ((), (), ("艾琳",), ("艾琳", "罗恩"), ("*",))
TAGS = (TagSet(), TagSet(("x",)), TagSet(("x", "y"), ("k",), ("d",), ("o",)))
RELATIONS = ("related", "contradicts", "updates")
TYPES = ("event", "event", "character", "thread", "synopsis")
CHANCE = st.randoms(use_true_random=True)
"""All that a rule draws comes from one number, so that sequences can be long."""


def _text(r: Random) -> str:
    return " ".join(r.choices(WORDS, k=r.randint(1, 3)))


class Upkeep(RuleBasedStateMachine):
    """Random upkeep of one library; a command that is refused must leave nothing behind."""

    def __init__(self) -> None:
        super().__init__()
        self._directory = tempfile.TemporaryDirectory()
        self.desk = Desk(Path(self._directory.name) / "library")
        self.compression = Compression(
            self.desk.store, self.desk.store.proposals, lambda: Summariser(None, "en")
        )
        self.exact = True
        self.start: dict[str, Any] = {}

    def teardown(self) -> None:
        try:
            if self.start:
                self._sound()
                self._undo_all_redo_all()
        finally:
            self.desk.engine.close()
            self._directory.cleanup()

    @initialize()
    def a_small_library(self) -> None:
        self.folders = [self.desk.folder("a"), self.desk.folder("b")]
        pks = [
            self.desk.memory(self.folders[at > 3], body=f"event {at} 钟响了", seq=at, layer=layer)
            for at, layer in enumerate([Layer.MEMORY] * 4 + [Layer.EMERGENT] * 2)
        ]
        pks.append(self.desk.memory(self.folders[0], "character", title="林夏", tags=TagSet(("x",))))
        self.desk.edge(pks[0], pks[6], "involved_in")
        self.start = self.desk.dump()
        self.first_op = self.desk.store.last_op()

    # --- drawing -------------------------------------------------------------------------

    def _all(self) -> list[MemoryPk]:
        where = MemoryFilter(trash=TrashScope.BOTH)
        return sorted(MemoryPk(pk) for pk in self.desk.ask(ListMemories(where)))

    def _some(self, r: Random, least: int = 0, most: int = 4) -> tuple[MemoryPk, ...]:
        return tuple(r.sample(self._all(), r.randint(least, most)))

    def _one(self, r: Random) -> MemoryPk:
        return r.choice(self._all())

    def _records(self) -> list[Memory]:
        with self.desk.store.read() as reader:
            return reader.records(Memory, self._all())

    def _run(self, command: c.Command) -> None:
        before, last = self.desk.dump(), self.desk.store.last_op()
        try:
            result = self.desk.run(command)
        except (UserError, Conflict):
            assert self.desk.dump() == before
            assert self.desk.store.last_op() == last
            return
        if result.op is None:
            assert self.desk.dump() == before

    # --- what a person does --------------------------------------------------------------

    @rule(r=CHANCE)
    def create(self, r: Random) -> None:
        title = r.choice(TITLES)
        new = c.NewMemory(
            folder=r.choice(self.folders),
            type=TypeId(r.choice(TYPES)),
            title=title,
            body=_text(r),
            layer=r.choice([Layer.EMERGENT, Layer.MEMORY]),
            tags=r.choice(TAGS),
            visibility=r.choice(WHO),
            aliases=(title + "塔",) if title else (),
        )
        self._run(c.CreateMemory(new))

    @rule(r=CHANCE)
    def edit(self, r: Random) -> None:
        title = r.choice([c.UNSET, *TITLES])
        self._run(c.EditMemory(memory=self._one(r), title=title, body=_text(r), visibility=r.choice(WHO)))

    @rule(r=CHANCE)
    def life(self, r: Random) -> None:
        verbs = (c.ArchiveMemories, c.RestoreMemories, c.TrashMemories, c.UntrashMemories)
        self._run(r.choice(verbs)(memories=self._some(r)))

    @rule(r=CHANCE)
    def lock(self, r: Random) -> None:
        self._run(c.SetLocked(memories=self._some(r, 1, 2), locked=r.random() < 0.3))

    @rule(r=CHANCE)
    def move(self, r: Random) -> None:
        border = r.choice(list(c.Border))
        self._run(c.MoveMemories(memories=self._some(r), folder=r.choice(self.folders), border=border))

    @rule(r=CHANCE)
    def relate(self, r: Random) -> None:
        one, other = self._some(r, 2, 2)
        relation = RelationId(r.choice(RELATIONS))
        self._run(cg.AddEdge(source=one, target=other, relation=relation, strength=r.choice([0.2, 0.8])))

    @rule(r=CHANCE)
    def end_or_remove(self, r: Random) -> None:
        with self.desk.store.read() as reader:
            edges = [edge.pk for edge in reader.edges_touching(self._all())]
        if edges:
            edge = r.choice(edges)
            self._run(cg.RemoveEdges((edge,)) if r.random() < 0.5 else cg.EndEdges(edges=(edge,), seq=7))

    @rule(r=CHANCE)
    def pin(self, r: Random) -> None:
        self._run(cg.PinMemories(key="p", places=tuple((pk, 1.0, 2.0) for pk in self._some(r))))

    # --- upkeep --------------------------------------------------------------------------

    @rule(r=CHANCE)
    def merge(self, r: Random) -> None:
        survivor, *losers = self._some(r, 2, 4)
        self._run(MergeMemories(survivor=survivor, losers=tuple(losers)))

    @rule(r=CHANCE)
    def unmerge(self, r: Random) -> None:
        merged = [each.pk for each in self._records() if each.merged_into is not None]
        if merged:
            self._run(UnmergeMemories(memories=tuple(r.sample(merged, min(len(merged), r.randint(1, 2))))))

    @rule(r=CHANCE)
    def tell_apart_or_settle(self, r: Random) -> None:
        one, other = self._some(r, 2, 2)
        if r.random() < 0.5:
            self._run(MarkNotDuplicate(pairs=((one, other),), about=r.choice(list(Apart))))
        else:
            self._run(SettleContradiction(keep=one, other=other))

    @rule(r=CHANCE)
    def judge_and_forget(self, r: Random) -> None:
        self.desk.now += timedelta(hours=r.randint(0, 900))
        pks = self._some(r)
        until = self.desk.now + timedelta(days=3)
        self._run(JudgeTrials(promote=pks[:1], archive=pks[1:2], keep=tuple((pk, until) for pk in pks[2:3])))
        self._run(ForgetMemories(memories=self._some(r), status=r.choice([Status.EXPIRED, Status.ARCHIVED])))

    @rule(r=CHANCE)
    def suggest_summaries(self, r: Random) -> None:
        with self.desk.store.read() as reader:
            plan = compress.plan(self.desk.store.upkeep, reader, CompressPlanOf(forced=True))
        if plan.groups:
            with suppress(UserError):
                self.compression.suggest(SuggestSummaries(groups=(r.choice(plan.groups),)), None)

    @rule(r=CHANCE)
    def suggest_new_text(self, r: Random) -> None:
        with suppress(UserError):
            self.compression.renew(RenewSummaries(memories=(r.choice(self._parents()),)), None)

    @rule(r=CHANCE)
    def unfold(self, r: Random) -> None:
        self._run(UnfoldSummaries(memories=(r.choice(self._parents()),)))

    def _parents(self) -> list[MemoryPk]:
        with self.desk.store.read() as reader:
            return [pk for pk in self._all() if reader.children_of([pk])] or self._all()

    @rule(r=CHANCE)
    def suggest_anything(self, r: Random) -> None:
        one, other, third = self._some(r, 3, 3)
        with self.desk.store.read() as reader:
            memory = reader.records(Memory, [one])[0]
        kind = TypeId(r.choice(TYPES))
        parts = (
            CreatePart(
                key="n", type=kind, title=r.choice(TITLES), body=_text(r), visibility=r.choice(WHO), seq=4
            ),
            ChangePart(
                key="c", memory=one, revision=memory.revision, body=_text(r), update_event=True, floor=5
            ),
            LinkPart(key="l", source="n", target=other, relation=RelationId(r.choice(RELATIONS))),
            RetirePart(key="r", memory=other, into=r.choice(["n", third])),
            RetirePart(key="s", memory=third),
        )
        chosen = tuple(part for part in parts if part.key in "nl" or r.random() < 0.5)
        folder = r.choice(self.folders)
        self.desk.store.proposals.add(
            NewProposal(kind=ProposalKind.EXTRACTION, folder=folder, source="m", parts=chosen)
        )

    @rule(r=CHANCE)
    def decide(self, r: Random) -> None:
        waiting = [row.pk for row in self.desk.ask(Proposals(state=ProposalState.OPEN))]
        if waiting:
            pk, how = r.choice(waiting), r.choice(list(IfChanged))
            dismiss = r.random() < 0.2
            self._run(DismissProposal(proposal=pk) if dismiss else ApplyProposal(proposal=pk, if_changed=how))

    # --- back and forth ------------------------------------------------------------------

    @rule(steps=st.integers(1, 3))
    def undo_and_redo_some(self, steps: int) -> None:
        if not self.exact:
            return
        before, done = self.desk.dump(), 0
        while done < steps and self._next_undo() is not None:
            self.desk.undo()
            done += 1
        self._sound()
        for _ in range(done):
            self.desk.redo()
        assert shown(self.desk.dump()) == shown(before)

    @rule(r=CHANCE)
    def undo_any(self, r: Random) -> None:
        """An older change, in whatever order: what stands against it stays."""
        ops = [
            entry.op.id
            for entry in self.desk.store.history(500, None)
            if entry.op.id > self.first_op and entry.op.undoable and entry.op.undone_by is None
        ]
        if not ops or r.random() < 0.7:
            return
        with suppress(UserError):
            self.desk.undo(r.choice(ops), partly=True)
            self.exact = False

    def _next_undo(self) -> int | None:
        found = self.desk.store.undo_state(PERSON).undo
        return None if found is None or found.id <= self.first_op else found.id

    def _undo_all_redo_all(self) -> None:
        if not self.exact:
            return
        end, steps = self.desk.dump(), 0
        while self._next_undo() is not None:
            self.desk.undo()
            steps += 1
        assert shown(self.desk.dump()) == shown(self.start)
        self._sound()
        for _ in range(steps):
            self.desk.redo()
        assert shown(self.desk.dump()) == shown(end)
        self._sound()

    # --- what must hold ------------------------------------------------------------------

    @invariant()
    def nothing_leads_nowhere_or_in_a_ring(self) -> None:
        if not self.start:
            return
        with closing(sqlite3.connect(self.desk.store.files.database)) as connection:
            memories = {
                row[0]: row[1:]
                for row in connection.execute("SELECT pk, parent, merged_into, status FROM memory")
            }
            edges = connection.execute("SELECT source, target FROM edge").fetchall()
        assert all(source in memories and target in memories for source, target in edges)
        assert all(source != target for source, target in edges)
        for at in (0, 1):
            for start in memories:
                seen, pk = set(), start
                while pk is not None:
                    assert pk in memories
                    assert pk not in seen, f"{('parent', 'merged_into')[at]} of {start} in a ring"
                    seen.add(pk)
                    pk = memories[pk][at]
        assert all(row[2] != "active" for row in memories.values() if row[1] is not None)

    def _sound(self) -> None:
        """The file is whole, a check-up finds nothing, words find exactly the memories that say them."""
        store = self.desk.store
        assert store.check() == []
        with store.read() as reader:
            assert row_findings(reader, self.desk.now) == []
            tags, aliases = reader.tag_sets(self._all()), reader.aliases_of(self._all())
        assert store.health.file_findings() == []
        said: dict[str, set[int]] = defaultdict(set)
        with closing(sqlite3.connect(store.files.database)) as connection:
            stored = dict(connection.execute("SELECT pk, search_text FROM memory"))
            for memory in self._records():
                names = [alias.value for alias in aliases.get(memory.pk, [])]
                groups = [value for kind in TagKind for value in tags[memory.pk].group(kind)]
                made = search_text(*searched_parts(memory, groups, names)).split()
                assert sorted(stored[memory.pk].split()) == sorted(made)
                for word in made:
                    said[word].add(memory.pk)
            for word, pks in said.items():
                sql = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?"
                assert {row[0] for row in connection.execute(sql, (f'"{word}"',))} == pks


TestUpkeep = Upkeep.TestCase
TestUpkeep.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
