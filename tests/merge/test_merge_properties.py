"""Whatever is merged, in whatever order it is taken apart: the library is as it was (DESIGN §3, equal)."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.commands import EditMemory, SetImportance
from core.domain.commands_graph import EndEdges, PinMemories
from core.domain.commands_merge import MarkNotDuplicate, MergeMemories, UnmergeMemories
from core.domain.commands_recall import SaveRecallCases
from core.domain.enums import Kind
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory, TagSet
from core.domain.recall import RecallCase
from core.services.lookup import follow_merged
from tests.services.desk import Desk

COUNT = 7
BYSTANDERS = 2
RELATIONS = ("related", "involved_in", "contradicts")
numbers = st.integers(0, COUNT - 1)
pairs = st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1])
TRIPLE = TagSet(("g",), ("core",), ("diffusion",), ("opposing",))


@st.composite
def libraries(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "edges": draw(
            st.lists(
                st.tuples(pairs, st.sampled_from(RELATIONS), st.sampled_from((0.2, 0.5, 0.9)), st.booleans()),
                max_size=10,
            )
        ),
        "parents": draw(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=COUNT, max_size=COUNT)),
        "tags": draw(
            st.lists(
                st.sampled_from(
                    (TagSet(), TRIPLE, TagSet(("g", "h")), TagSet(("h",), ("core",), ("x",), ("y",)))
                ),
                min_size=COUNT,
                max_size=COUNT,
            )
        ),
        "aliases": draw(st.lists(st.sampled_from(((), ("n",), ("n", "m"))), min_size=COUNT, max_size=COUNT)),
        "pins": draw(st.lists(st.tuples(numbers, st.sampled_from("pq")), max_size=4)),
        "case": draw(st.lists(numbers, max_size=3)),
        "told": draw(st.lists(pairs, max_size=3)),
    }


merges = st.lists(st.lists(numbers, min_size=2, max_size=4, unique=True), min_size=1, max_size=3)


class Library:
    """A library as drawn, with bystanders that no merge touches."""

    def __init__(self, root: Path, drawn: dict[str, Any]) -> None:
        self.desk = desk = Desk(root)
        self.folder: FolderPk = desk.folder("a")
        self.pks = [self._memory(number, drawn) for number in range(COUNT)]
        self.others = [desk.memory(self.folder, title=f"other {n}") for n in range(BYSTANDERS)]
        with_parent = {
            self.pks[n]: self.pks[p % n] for n, p in enumerate(drawn["parents"]) if n and p is not None
        }
        draft_rows = {pk: {"parent": parent} for pk, parent in with_parent.items()}
        self._write(lambda uow: uow.update_each(Kind.MEMORY, draft_rows))
        for (source, target), relation, strength, live in drawn["edges"]:
            edge = desk.edge(self.pks[source], self.pks[target], relation, strength=strength)
            if not live:
                desk.run(EndEdges(edges=(edge,)))
        for number, place in drawn["pins"]:
            desk.run(PinMemories(key=place, places=((self.pks[number], 1.0, 1.0),)))
        if drawn["case"]:
            expected = tuple(self.pks[n] for n in dict.fromkeys(drawn["case"]))
            case = RecallCase(name="c", folder=self.folder, message="m", expected=expected)
            desk.run(SaveRecallCases((case,)))
        for one, other in drawn["told"]:
            desk.run(MarkNotDuplicate(pairs=((self.pks[one], self.pks[other]),)))

    def _write(self, work: Any) -> None:
        from core.ports.store import OpDraft
        from tests.services.desk import PERSON

        self.desk.now += timedelta(seconds=1)
        self.desk.store.write(OpDraft("op.change", PERSON), work)

    def _memory(self, number: int, drawn: dict[str, Any]) -> MemoryPk:
        return self.desk.memory(
            self.folder,
            title=f"title {number}" if number % 3 else "",
            body=f"body {number}",
            importance=number,
            seq=number if number % 2 else None,
            tags=drawn["tags"][number],
            aliases=drawn["aliases"][number],
        )

    def merge(self, numbers: list[int]) -> bool:
        """Merge unless all are one already."""
        chosen = [self.pks[number] for number in numbers]
        with self.desk.store.read() as reader:
            if len(set(follow_merged(reader, chosen).values())) < 2:
                return False
        self.desk.run(MergeMemories(survivor=chosen[0], losers=tuple(chosen[1:])))
        return True

    def merged(self) -> list[MemoryPk]:
        with self.desk.store.read() as reader:
            return [m.pk for m in reader.records(Memory, self.pks) if m.merged_into is not None]

    def counts(self) -> list[int]:
        with self.desk.store.read() as reader:
            return [m.activation_count for m in reader.records(Memory, self.pks)]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """All rows but those of the bystanders."""
        tables = self.desk.dump()
        tables["memory"] = [row for row in tables["memory"] if row["pk"] not in self.others]
        tables["edge"] = [row for row in tables["edge"] if row["source"] not in self.others]
        return tables


@settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(drawn=libraries(), groups=merges, data=st.data())
def test_merges_taken_apart_in_any_order_leave_the_equal_library(
    drawn: dict[str, Any], groups: list[list[int]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as root:
        library = Library(Path(root) / "library", drawn)
        desk = library.desk
        try:
            library.desk.store.usage.count(library.pks[:3])
            before, counts = library.rows(), library.counts()
            for group in groups:
                library.merge(group)
                desk.run(SetImportance(memories=(library.others[0],), importance=len(group)))
            _sound(library)
            desk.edge(library.others[0], library.others[1])
            desk.run(EditMemory(memory=library.others[1], title="edited"))
            losers = data.draw(st.permutations(library.merged()))
            for at, loser in enumerate(losers):
                desk.run(UnmergeMemories(memories=(loser,)))
                desk.run(SetImportance(memories=(library.others[0],), importance=at % 10))
            assert library.rows() == before
            assert library.counts() == counts
        finally:
            desk.engine.close()


def _sound(library: Library) -> None:
    """No relation to itself, none of a merged memory, no live double, no ring of parents."""
    rows = library.rows()
    gone = set(library.merged())
    seen = set()
    for edge in rows["edge"]:
        assert edge["source"] != edge["target"]
        assert not gone & {edge["source"], edge["target"]}
        if edge["invalid_from"] is None:
            key = (edge["source"], edge["target"], edge["relation"])
            assert key not in seen
            seen.add(key)
    parents = {row["pk"]: row["parent"] for row in rows["memory"]}
    for start in parents:
        walked, at = set(), start
        while at is not None:
            assert at not in walked
            walked.add(at)
            at = parents.get(at)


@settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=libraries(), groups=merges)
def test_merges_undone_leave_the_equal_library(drawn: dict[str, Any], groups: list[list[int]]) -> None:
    with tempfile.TemporaryDirectory() as root:
        library = Library(Path(root) / "library", drawn)
        try:
            before, counts = library.rows(), library.counts()
            done = sum(library.merge(group) for group in groups)
            for _ in range(done):
                assert not library.desk.undo().conflicts
            assert library.rows() == before
            assert library.counts() == counts
        finally:
            library.desk.engine.close()
