"""Memories that may say the same, in groups: candidates by title, words and meaning, then one verdict a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.algos.differences import Difference, Differs
from core.algos.doubles import Cuts, Judged, Level, judge
from core.algos.near_texts import pairs_by_terms, pairs_by_vectors
from core.domain.enums import Apart
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.queries_merge import DuplicateGroup, DuplicatePair, FindDuplicates, Reason, Verdict
from core.domain.results import MemoryRow
from core.ports.embedder import Thresholds
from core.ports.progress import CancelToken
from core.ports.store import Store
from core.services.compared import Bench, Compared, Stage, VectorsOf, read
from core.services.content import is_empty

PARTS = (0.15, 0.25, 0.35, 0.25)
"""Shares of the time: reading, words, vectors, verdicts."""
MOST_OF_A_TITLE = 40
"""A title that more memories have is a heading, not a name: these pairs are not looked at for it alone."""
SHOWN_OVERLAP = 0.3
"""Words in common that are worth naming."""
OTHER_TIME_FLOORS = 20
"""The same words so many floors later may be said of another time."""
_VERDICTS = {Level.SURE: Verdict.SURE, Level.LIKELY: Verdict.LIKELY, Level.MAYBE: Verdict.MAYBE}
_RANKS = {Verdict.SURE: 0, Verdict.LIKELY: 1, Verdict.MAYBE: 2}
NO_VECTORS = Thresholds(same_text=1.0, duplicate=1.0, related=1.0)


class DuplicateSearch:
    """Answers FindDuplicates. Without an embedder words decide alone."""

    def __init__(
        self, store: Store, vectors_of: VectorsOf | None = None, thresholds: Thresholds = NO_VECTORS
    ) -> None:
        self._store = store
        self._vectors_of = vectors_of
        self._cuts = Cuts(thresholds.duplicate, thresholds.related)

    def find(self, query: FindDuplicates, cancel: CancelToken | None = None) -> tuple[DuplicateGroup, ...]:
        """Groups, surest first. Cost: O(n^2) for the vectors of a folder. Errors: Cancelled."""
        step = Stage(query.progress, cancel, PARTS)
        with self._store.read() as reader:
            bench = read(reader, query.folder, query.types, query.memories, Apart.DUPLICATE, step)
        pairs = [pair for pair, _ in self.judged(bench, query.across, step)]
        with self._store.read() as reader:
            rows = {
                row.pk: row for row in reader.memory_rows(sorted({pk for p in pairs for pk in (p.a, p.b)}))
            }
        return grouped(pairs, rows, bench)

    def judged(self, bench: Bench, across: bool, step: Stage) -> Iterator[tuple[DuplicatePair, Judged]]:
        """Pairs with their verdicts, those of no interest left out."""
        groups = np.array([0 if across else memory.folder for memory in bench.memories], dtype=np.int64)
        step.next()
        terms = [bench.text(at).grams for at in range(len(bench.memories))]
        candidates = {(int(a), int(b)) for a, b in pairs_by_terms(terms, groups, step)}
        candidates |= _by_title(bench.memories, groups)
        step.next()
        cosines, known = self._near(bench, groups, step)
        step.next()
        ordered = sorted(candidates | cosines.keys())
        for done, (a, b) in enumerate(ordered):
            if done % 500 == 0:
                step(done / len(ordered))
            one, other = bench.memories[a], bench.memories[b]
            if not _comparable(one, other, bench):
                continue
            cosine = cosines.get((a, b))
            if cosine is None and known is not None:
                cosine = known.cosine(a, b)
            judged = judge_pair(bench, a, b, cosine, self._cuts)
            if judged.level is not Level.NO:
                yield _pair(one, other, judged), judged

    def _near(
        self, bench: Bench, groups: NDArray[np.int64], step: Stage
    ) -> tuple[dict[tuple[int, int], float], _Known | None]:
        if self._vectors_of is None:
            return {}, None
        pks, vectors = self._vectors_of([memory.pk for memory in bench.memories])
        place = {memory.pk: at for at, memory in enumerate(bench.memories)}
        rows = np.array([place[MemoryPk(int(pk))] for pk in pks], dtype=np.int64)
        usable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1) if len(pks) else np.zeros(0, bool)
        rows, vectors = rows[usable], vectors[usable]
        found: dict[tuple[int, int], float] = {}
        names, sizes = np.unique(groups[rows], return_counts=True)
        weight, total, done = sizes.astype(float) ** 2, float((sizes.astype(float) ** 2).sum()), 0.0
        for name, part in zip(names, weight, strict=True):
            inside = np.flatnonzero(groups[rows] == name)
            begun = done

            def tell(share: float, begun: float = begun, part: float = part) -> None:
                step((begun + share * part) / total)

            near, scores = pairs_by_vectors(vectors[inside], self._cuts.maybe, tell)
            for (a, b), score in zip(rows[inside][near].tolist(), scores.tolist(), strict=True):
                found[min(a, b), max(a, b)] = score
            done += float(part)
        return found, _Known(rows, vectors)


class _Known:
    """Cosines of pairs that words or titles brought."""

    def __init__(self, rows: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self._place = {int(row): at for at, row in enumerate(rows)}
        self._vectors = vectors

    def cosine(self, a: int, b: int) -> float | None:
        one, other = self._place.get(a), self._place.get(b)
        if one is None or other is None:
            return None
        return float(self._vectors[one] @ self._vectors[other])


def _by_title(memories: Sequence[Compared], groups: NDArray[np.int64]) -> set[tuple[int, int]]:
    """Pairs of the same title, or of a title that is another name of the other."""
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, memory in enumerate(memories):
        for name in {memory.key, *memory.aliases} - {""}:
            places[int(groups[at]), name].append(at)
    return {
        (one, other)
        for found in places.values()
        if 1 < len(found) <= MOST_OF_A_TITLE
        for number, one in enumerate(found)
        for other in found[number + 1 :]
    }


def _comparable(one: Compared, other: Compared, bench: Bench) -> bool:
    """Whether the pair may be doubles at all: not told apart, not parent and child, not pieces of one document."""
    if (min(one.pk, other.pk), max(one.pk, other.pk)) in bench.told:
        return False
    if one.parent == other.pk or other.parent == one.pk:
        return False
    if one.document is not None and one.document == other.document:
        return False
    ids = [memory.fields.get("person_id") for memory in (one, other)]
    return not (all(ids) and ids[0] != ids[1])


def judge_pair(bench: Bench, a: int, b: int, cosine: float | None, cuts: Cuts) -> Judged:
    """The verdict on two memories of the bench."""
    one, other = bench.memories[a], bench.memories[b]
    entities = one.is_entity and other.is_entity and one.type == other.type
    same = entities and (one.key == other.key or one.key in other.aliases or other.key in one.aliases)
    guards = []
    if entities and not same and one.key not in other.key and other.key not in one.key:
        guards.append(Difference(Differs.NAME, one.title, other.title))
    return judge(bench.text(a), bench.text(b), cosine=cosine, cuts=cuts, same_title=same, guards=guards)


def _pair(one: Compared, other: Compared, judged: Judged) -> DuplicatePair:
    a, b = (one, other) if one.pk < other.pk else (other, one)
    level, doubts = judged.level, _doubts(one, other)
    if doubts and level is Level.SURE:
        level = Level.LIKELY
    return DuplicatePair(a.pk, b.pk, _VERDICTS[level], judged.score, (*reasons(judged), *doubts))


def _doubts(one: Compared, other: Compared) -> tuple[Reason, ...]:
    """What beside the text speaks against being sure."""
    found = []
    if one.type != other.type:
        found.append(Reason("duplicates.doubt.type"))
    names = [
        name
        for name in one.fields.keys() & other.fields.keys()
        if not is_empty(one.fields[name])
        and not is_empty(other.fields[name])
        and one.fields[name] != other.fields[name]
    ]
    if names:
        found.append(Reason("duplicates.doubt.fields", {"columns": ", ".join(sorted(names))}))
    if set(one.visibility) != set(other.visibility):
        found.append(Reason("duplicates.doubt.audience"))
    if one.seq is not None and other.seq is not None and abs(one.seq - other.seq) > OTHER_TIME_FLOORS:
        found.append(Reason("duplicates.doubt.floor", {"a": one.seq, "b": other.seq}))
    return tuple(found)


def reasons(judged: Judged) -> tuple[Reason, ...]:
    """Why, in words: what speaks for it, then what speaks against it."""
    found: list[Reason] = []
    if judged.same_text:
        found.append(Reason("duplicates.reason.same_text"))
    elif judged.same_words:
        found.append(Reason("duplicates.reason.same_words"))
    elif judged.contained:
        found.append(Reason("duplicates.reason.contained"))
    if judged.same_title:
        found.append(Reason("duplicates.reason.same_title"))
    if not judged.same_text and judged.overlap >= SHOWN_OVERLAP:
        found.append(Reason("duplicates.reason.overlap", {"percent": round(100 * judged.overlap)}))
    if judged.cosine is not None and not judged.same_text:
        found.append(Reason("duplicates.reason.meaning", {"cosine": f"{judged.cosine:.2f}"}))
    for guard in judged.guards:
        args: Mapping[str, Json] = {"a": guard.left, "b": guard.right}
        found.append(Reason(f"duplicates.guard.{guard.kind.value}", args))
    if judged.languages:
        found.append(Reason("duplicates.guard.language"))
    return tuple(found)


# --- groups -----------------------------------------------------------------------------------


def grouped(
    pairs: Sequence[DuplicatePair], rows: Mapping[MemoryPk, MemoryRow], bench: Bench
) -> tuple[DuplicateGroup, ...]:
    """Memories joined by pairs that are sure or likely; a pair that only may be is a group by itself.

    Two whose texts differ in a number, a name or a negation never come into one group over a third.
    """
    guarded = {(p.a, p.b) for p in pairs if p.verdict is Verdict.MAYBE}
    joined = _Joined(guarded)
    for pair in sorted(pairs, key=lambda p: (_RANKS[p.verdict], -p.score, p.a, p.b)):
        if pair.verdict is not Verdict.MAYBE:
            joined.join(pair.a, pair.b)
    texts = {memory.pk: len(memory.written) for memory in bench.memories}
    inside: dict[MemoryPk, list[DuplicatePair]] = defaultdict(list)
    alone: list[DuplicatePair] = []
    for pair in pairs:
        root = joined.root(pair.a)
        if root == joined.root(pair.b) and pair.verdict is not Verdict.MAYBE:
            inside[root].append(pair)
        elif root != joined.root(pair.b):
            alone.append(pair)
    found = [_group(listed, rows, texts) for listed in inside.values()]
    found += [_group([pair], rows, texts) for pair in alone]
    return tuple(sorted((g for g in found if g is not None), key=_order))


def _order(group: DuplicateGroup) -> tuple[int, float, int]:
    return _RANKS[group.verdict], -max(pair.score for pair in group.pairs), group.rows[0].pk


def _group(
    pairs: Sequence[DuplicatePair], rows: Mapping[MemoryPk, MemoryRow], texts: Mapping[MemoryPk, int]
) -> DuplicateGroup | None:
    members = {pk for pair in pairs for pk in (pair.a, pair.b)}
    if not members <= rows.keys():
        return None
    ranked = sorted(
        (rows[pk] for pk in members),
        key=lambda row: (
            -row.activation_count,
            -row.importance,
            -texts.get(row.pk, 0),
            row.created_at,
            row.pk,
        ),
    )
    verdict = max((pair.verdict for pair in pairs), key=_RANKS.__getitem__)
    if verdict is Verdict.LIKELY and _sure_alone(pairs, members):
        verdict = Verdict.SURE
    ordered = sorted(pairs, key=lambda pair: (_RANKS[pair.verdict], -pair.score, pair.a, pair.b))
    return DuplicateGroup(verdict, tuple(ranked), tuple(ordered))


def _sure_alone(pairs: Iterable[DuplicatePair], members: set[MemoryPk]) -> bool:
    """Whether the sure pairs alone join all of them."""
    joined = _Joined(set())
    for pair in pairs:
        if pair.verdict is Verdict.SURE:
            joined.join(pair.a, pair.b)
    return len({joined.root(pk) for pk in members}) == 1


class _Joined:
    """Sets of memories that belong together; none of them holds a forbidden pair."""

    def __init__(self, forbidden: set[tuple[MemoryPk, MemoryPk]]) -> None:
        self._root: dict[MemoryPk, MemoryPk] = {}
        self._members: dict[MemoryPk, list[MemoryPk]] = {}
        self._enemies: dict[MemoryPk, set[MemoryPk]] = defaultdict(set)
        for a, b in forbidden:
            self._enemies[a].add(b)
            self._enemies[b].add(a)

    def root(self, pk: MemoryPk) -> MemoryPk:
        """Which set it is in."""
        return self._root.get(pk, pk)

    def join(self, a: MemoryPk, b: MemoryPk) -> None:
        """Make two sets one, unless that would bring a forbidden pair together."""
        one, other = self.root(a), self.root(b)
        if one == other:
            return
        ours, theirs = self._members.get(one, [one]), self._members.get(other, [other])
        if len(ours) < len(theirs):
            one, other, ours, theirs = other, one, theirs, ours
        if any(not self._enemies[pk].isdisjoint(ours) for pk in theirs):
            return
        self._members[one] = [*ours, *theirs]
        for pk in theirs:
            self._root[pk] = one
        self._members.pop(other, None)
