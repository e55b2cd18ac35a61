"""Compression: which memories are summed up together, the proposal, unfolding, and what is out of date.

Source: spec/STBME §3.8, Compression; DESIGN §5. Locked memories stay as they are; memories that wait in a proposal
are not suggested again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

from core.algos.compression import GroupingRule, group_sizes
from core.algos.lost_details import lost_details
from core.domain.api import Cancel
from core.domain.commands_upkeep import UnfoldSummaries
from core.domain.endpoints import Usage
from core.domain.enums import Kind, Status, StatusReason
from core.domain.errors import BadReply, Invalid, Unavailable, UserError, WaitsForReply
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.proposal import (
    BUILT_IN,
    ChangePart,
    CreatePart,
    NewProposal,
    Part,
    PartGroup,
    ProposalKind,
    ProposalState,
)
from core.domain.queries import MemoryFilter, Sort
from core.domain.queries_upkeep import (
    CompressPlanOf,
    LostDetails,
    RenewSummaries,
    SuggestSummaries,
    SummariesOutOfDate,
    SummariseAgain,
)
from core.domain.results import Problem
from core.domain.schema import MemoryType, Schema
from core.domain.upkeep import CompressGroup, CompressPlan, Lost
from core.ports.progress import CancelToken
from core.ports.proposals import Proposals
from core.ports.store import Reader, Store, UnitOfWork
from core.ports.upkeep_store import UpkeepStore
from core.services.attributes import label_memories
from core.services.lookup import changeable, check_unlocked, memories_of
from core.services.outcome import Outcome
from core.services.proposal_apply import proposal_of
from core.services.summarise import Summariser, part_of, shared_visibility

LEAST_MEMBERS = 2
MOST_NAMES = 2_000
NAMED_TYPES = frozenset(TypeId(name) for name in ("character", "person", "location", "place", "asset"))


# --- the plan ---------------------------------------------------------------------------------


def plan(store: UpkeepStore, reader: Reader, query: CompressPlanOf) -> CompressPlan:
    """The groups that there would be, by folder, type and level. Cost: about 5 µs a memory."""
    kinds = _compressed_types(reader.schema(), query.types)
    if not kinds:
        return CompressPlan(())
    where = MemoryFilter(
        folders=frozenset() if query.folder is None else frozenset({query.folder}),
        with_subfolders=query.with_subfolders,
        types=frozenset(kinds),
        statuses=frozenset({Status.ACTIVE}),
    )
    found = store.foldable(where)
    waiting = _in_proposals(reader) | query.without
    free = [each for each in found if not each.locked and each.pk not in waiting]
    names = {node.folder.pk: node.folder.name for node in reader.folder_nodes()}
    order = {type_id: place for place, type_id in enumerate(kinds)}
    free.sort(key=lambda each: (names[each.folder], order[each.type], each.level, each.place))
    groups: list[CompressGroup] = []
    apart: list[CompressGroup] = []
    for (folder, type_id, level), members in groupby(free, key=lambda e: (e.folder, e.type, e.level)):
        pks = [each.pk for each in members]
        sizes = _sizes(kinds[type_id], level, len(pks), forced=query.forced)
        start = 0
        for size in sizes:
            part = tuple(pks[start : start + size])
            groups.append(CompressGroup(folder, names[folder], type_id, level, part))
            start += size
        if pks[start:]:
            apart.append(CompressGroup(folder, names[folder], type_id, level, tuple(pks[start:])))
    locked = sum(each.locked for each in found)
    return CompressPlan(tuple(groups), tuple(apart), locked)


def _compressed_types(schema: Schema, wanted: frozenset[TypeId]) -> dict[TypeId, MemoryType]:
    return {
        kind.id: kind
        for kind in schema.types
        if kind.compression.hierarchical and (not wanted or kind.id in wanted)
    }


def _sizes(kind: MemoryType, level: int, count: int, *, forced: bool) -> list[int]:
    rule = kind.compression
    if level >= rule.max_depth:
        return []
    grouping = GroupingRule(rule.threshold, rule.fan_in, rule.max_depth, rule.keep_recent)
    return group_sizes(count, grouping, forced=forced)


def _in_proposals(reader: Reader) -> set[MemoryPk]:
    """Memories that an open proposal sums up already."""
    found: set[MemoryPk] = set()
    for row in reader.proposal_rows(ProposalKind.COMPRESSION, None):
        if row.state is ProposalState.OPEN:
            waiting = proposal_of(reader, row.pk).waiting
            sums = (part.sums for part in waiting if isinstance(part, CreatePart))
            found |= {MemoryPk(end) for ends in sums for end in ends if isinstance(end, int)}
    return found


def decided_before(reader: Reader, folder: FolderPk) -> frozenset[MemoryPk]:
    """Memories of a folder about which it was decided once: summed up (and, in use again, unfolded), or dismissed.

    What does so by itself leaves them alone: a person wanted them as they are.
    """
    found: set[MemoryPk] = set()
    for row in reader.proposal_rows(ProposalKind.COMPRESSION, folder):
        known = proposal_of(reader, row.pk)
        for part in known.parts:
            if isinstance(part, CreatePart) and part.key in known.decided:
                found.update(MemoryPk(end) for end in part.sums if isinstance(end, int))
    return frozenset(found)


def out_of_date(store: UpkeepStore, query: SummariesOutOfDate) -> tuple[MemoryPk, ...]:
    """Summaries in use whose children were changed since."""
    return tuple(MemoryPk(pk) for pk in store.outdated(query.folder))


# --- suggesting summaries ---------------------------------------------------------------------


@dataclass(slots=True)
class _Goal:
    """How far the groups of a folder are: `made` and `groups` = the proposal and how many groups it had before."""

    folder: FolderPk
    memories: int
    made: int | None = None
    groups: int = 0
    done: int = 0


@dataclass(frozen=True, slots=True)
class Compression:
    """Sums up groups by whoever serves the task; nothing is written but proposals."""

    store: Store
    proposals: Proposals
    summariser: Callable[[], Summariser]

    def suggest(self, query: SuggestSummaries, cancel: Cancel | None) -> tuple[int, ...]:
        """See SuggestSummaries. Groups of one folder share a proposal, which is kept group by group.

        Where a person is asked it stops at a group; the groups left, and the proposal they go into, are what goes on.
        """
        by_folder: dict[FolderPk, list[CompressGroup]] = defaultdict(list)
        for group in query.groups:
            by_folder[group.folder].append(group)
        summariser, done = self.summariser(), 0
        made: list[int] = []
        into = self._begun(query.into)

        def told() -> None:
            nonlocal done
            done += 1
            if query.progress is not None:
                query.progress(done, len(query.groups))

        for place, (folder, groups) in enumerate(by_folder.items()):
            goal = _Goal(folder, sum(len(group.memories) for group in groups), *(into if not place else ()))
            try:
                self._folder(summariser, goal, groups, query.hint, cancel, told)
            except WaitsForReply as waits:
                later = [group for each in list(by_folder.values())[place + 1 :] for group in each]
                left = groups[goal.done :] if goal.made is not None else groups
                waits.rest = SuggestSummaries(groups=(*left, *later), hint=query.hint, into=goal.made)
                raise
            if goal.made is not None:
                made.append(goal.made)
        return tuple(made)

    def _begun(self, proposal: int | None) -> tuple[int | None, int]:
        """The proposal that an earlier call made, when it is still there, and how many groups it has."""
        with self.store.read() as reader:
            found = None if proposal is None else reader.proposal(proposal)
        return (None, 0) if found is None else (found.pk, len(found.groups))

    def _folder(
        self,
        summariser: Summariser,
        goal: _Goal,
        groups: Sequence[CompressGroup],
        hint: str,
        cancel: Cancel | None,
        told: Callable[[], None],
    ) -> None:
        problems: list[Problem] = []
        source = BUILT_IN if summariser.model is None else summariser.model.name
        for number, group in enumerate(groups, goal.groups + 1):
            parts, part_group, used = self._group(summariser, group, f"g{number}", hint, cancel)
            told()
            goal.done += 1
            problems += part_group.problems
            if goal.made is not None:
                self.proposals.append(goal.made, [part_group], parts, used)
            elif parts:
                goal.made = self.proposals.add(
                    NewProposal(
                        kind=ProposalKind.COMPRESSION,
                        folder=goal.folder,
                        source=source,
                        parts=parts,
                        groups=(part_group,),
                        args={"count": goal.memories},
                        problems=tuple(problems),
                        used=used,
                    )
                )
        if goal.made is None and problems:
            raise UserError("error.compress.none", count=len(problems))

    def _group(
        self, summariser: Summariser, group: CompressGroup, key: str, hint: str, cancel: Cancel | None
    ) -> tuple[tuple[Part, ...], PartGroup, Usage]:
        """The summary of a group, or why there is none. Errors: Unavailable, Cancelled."""
        with self.store.read() as reader:
            kind, members = _members(reader, group.memories)
            tags = reader.tag_sets(group.memories).values()
            names = reader.aliases_of(group.memories).values()
        aliases = [alias.value for each in names for alias in each]
        if len(members) < LEAST_MEMBERS:
            return (), PartGroup(key=key, problems=(Problem("compress.problem.few"),)), Usage()
        if shared_visibility(members) is None:
            return (), PartGroup(key=key, problems=(Problem("compress.problem.visibility"),)), Usage()
        try:
            summary = summariser.summary(kind, members, hint, _token(cancel))
        except BadReply:
            problem = Problem("compress.problem.reply", {"title": members[0].named})
            return (), PartGroup(key=key, problems=(problem,)), Usage()
        part = part_of(key, kind, members, tags, aliases, summary)
        floors = PartGroup(key=key, start=part.seq_start, end=part.seq_end)
        return (part,), floors, summary.used

    def renew(self, query: RenewSummaries, cancel: Cancel | None) -> tuple[int, ...]:
        """See RenewSummaries."""
        summariser = self.summariser()
        by_folder: dict[FolderPk, list[Part]] = defaultdict(list)
        problems: dict[FolderPk, list[Problem]] = defaultdict(list)
        for number, pk in enumerate(dict.fromkeys(query.memories), 1):
            folder, part = self._renewed(summariser, pk, f"r{number}", query.hint, cancel)
            if isinstance(part, Problem):
                problems[folder].append(part)
            else:
                by_folder[folder].append(part)
        if not by_folder:
            raise UserError("error.compress.none", count=len(query.memories))
        source = BUILT_IN if summariser.model is None else summariser.model.name
        return tuple(
            self.proposals.add(
                NewProposal(
                    kind=ProposalKind.COMPRESSION,
                    folder=folder,
                    source=source,
                    parts=tuple(parts),
                    groups=tuple(PartGroup(key=part.group) for part in parts),
                    args={"count": len(parts)},
                    problems=tuple(problems[folder]),
                )
            )
            for folder, parts in by_folder.items()
        )

    def _renewed(
        self, summariser: Summariser, pk: MemoryPk, key: str, hint: str, cancel: Cancel | None
    ) -> tuple[FolderPk, ChangePart | Problem]:
        """The summary as it would read now, for those who may see it and all that it is made of; or why there is none."""
        with self.store.read() as reader:
            summary = memories_of(reader, [pk])[0]
            below = reader.records(Memory, reader.children_of([pk]))
            kind = reader.schema().type(summary.type)
        children = [child for child in below if child.deleted_at is None and child.type == summary.type]
        if kind is None or not children:
            return summary.folder, Problem("compress.problem.nothing_below", {"title": summary.named})
        audience = shared_visibility([summary, *children])
        if audience is None:
            return summary.folder, Problem("compress.problem.audience", {"title": summary.named})
        children.sort(key=lambda child: (child.seq or 0, child.created_at, child.pk))
        try:
            said = summariser.summary(kind, children, hint, _token(cancel))
        except BadReply:
            return summary.folder, Problem("compress.problem.reply", {"title": summary.named})
        new = part_of(key, kind, children, (), (), said)
        return summary.folder, ChangePart(
            key=key,
            group=key,
            notes=said.notes,
            memory=pk,
            revision=summary.revision,
            body=new.body or None,
            fields={name: value for name, value in new.fields.items() if value != summary.fields.get(name)},
            visibility=audience if audience != summary.visibility else None,
        )

    def again(self, query: SummariseAgain, cancel: Cancel | None) -> None:
        """See SummariseAgain."""
        with self.store.read() as reader:
            proposal = proposal_of(reader, query.proposal)
            part = next((each for each in proposal.waiting if each.key == query.part), None)
            if not isinstance(part, CreatePart) or not part.sums:
                raise Invalid("error.compress.no_part")
            kind, members = _members(reader, [MemoryPk(end) for end in part.sums if isinstance(end, int)])
        if not members:
            raise Invalid("error.compress.no_part")
        if shared_visibility(members) is None:
            raise Invalid("error.compress.visibility")
        try:
            summary = self.summariser().summary(kind, members, query.hint, _token(cancel))
        except BadReply as error:
            raise Unavailable("model", str(error), key="error.compress.reply") from error
        new = part_of(part.key, kind, members, (), (), summary)
        said = replace(part, title=new.title, body=new.body, fields=new.fields, notes=summary.notes)
        kept = replace(said, sums=new.sums, seen=new.seen, visibility=new.visibility)
        self.proposals.replace(proposal.pk, [kept])


def _members(reader: Reader, memories: Sequence[MemoryPk]) -> tuple[MemoryType, list[Memory]]:
    """The memories in order with their type. Errors: NotFound, Invalid when types differ or one is not in use."""
    members = memories_of(reader, memories)
    kinds = {member.type for member in members}
    kind = reader.schema().type(next(iter(kinds))) if len(kinds) == 1 else None
    if kind is None:
        raise Invalid("error.compress.types")
    return kind, [each for each in members if each.status is Status.ACTIVE and each.deleted_at is None]


def _token(cancel: Cancel | None) -> CancelToken | None:
    return cast("CancelToken | None", cancel)


def lost(reader: Reader, query: LostDetails) -> tuple[Lost, ...]:
    """What a summary does not have of its members' bodies."""
    names = names_around(reader, query.memories)
    return tuple(
        Lost(memory.pk, span.start, span.end, span.kind.value)
        for memory in reader.records(Memory, query.memories)
        for span in lost_details(memory.body, query.summary, names)
    )


def names_around(reader: Reader, memories: Sequence[MemoryPk]) -> list[str]:
    """Names of characters, places and the like in the folders of the memories, with their aliases."""
    folders = frozenset(state.folder for state in reader.states(memories))
    where = MemoryFilter(folders=folders, types=NAMED_TYPES)
    pks = [MemoryPk(pk) for pk in reader.memory_ids(where, Sort())[:MOST_NAMES]]
    aliases = reader.aliases_of(pks)
    titles = [row.title for row in reader.memory_rows(pks)]
    return [*titles, *(alias.value for pk in pks for alias in aliases.get(pk, []))]


# --- unfolding ----------------------------------------------------------------------------------


def unfold(uow: UnitOfWork, command: UnfoldSummaries) -> Outcome:
    """The children in use again; the summary is archived. Errors: NotFound, Invalid, UserError (locked)."""
    parents = changeable(uow, command.memories)
    children = [MemoryPk(pk) for pk in uow.children_of([state.pk for state in parents])]
    below = uow.states(children)
    check_unlocked(uow, below)
    folded = [
        state.pk for state in below if not state.trashed and state.status_reason is StatusReason.COMPRESSED
    ]
    if not children:
        raise Invalid("error.compress.no_children")
    restored = uow.update(Kind.MEMORY, folded, {"status": Status.ACTIVE, "status_reason": None})
    uow.update(Kind.MEMORY, children, {"parent": None})
    uow.update(
        Kind.MEMORY,
        [state.pk for state in parents],
        {"status": Status.ARCHIVED, "status_reason": StatusReason.BY_HAND},
    )
    uow.checkpoint(len(children), len(children))
    label_memories(uow, command.memories, len(parents), children=restored)
    return Outcome(changed=len(parents), counts={"restored": restored})
