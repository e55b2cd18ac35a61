"""Applying a proposal: the one place that makes parts true, whatever task they come from (DESIGN §3, §5).

Source: spec/STBME §3.6. We differ: refs and links survive a create that became an update, also forward ones; types
never mix; a type that keeps only the newest version is joined by its name or alias, floors are widened and never
lowered; locked memories are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.algos.changes import change_summary
from core.algos.lexical import fold
from core.domain.commands import UNSET, AddEdge, CreateMemory, EditMemory, NewMemory, Unset
from core.domain.commands_merge import MergeMemories
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.edge import Edge, lives
from core.domain.enums import Kind, Layer, Status, StatusReason
from core.domain.errors import Conflict, Invalid, NotFound
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    Decision,
    End,
    EndLinkPart,
    LinkPart,
    Obstacle,
    Part,
    PartVerdict,
    Proposal,
    RetirePart,
)
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.schema import ColumnRole, MemoryType, Schema
from core.domain.tags import check_triple, clean
from core.ports.store import Reader, UnitOfWork
from core.services import memories, merge, relations
from core.services.lookup import OP_TITLE_CHARS, default_folder, folder_of, follow_merged
from core.services.outcome import Outcome

EXTRACTIONS = "extractions"
"""In `Folder.settings`: how many extractions were applied to the folder."""
_UPDATES = RelationId("updates")
_TEMPORAL = RelationId("temporal_update")
_UPDATE_STRENGTH = 0.9
_EVENT_IMPORTANCE = (4.0, 8.0)
_UPDATE_TEXT = "{type} 状态更新：{changes}"
AUTOMATIC = "automatic"
"""In `Memory.extra` of an event that was written by itself."""
_EVENT = TypeId("event")


@dataclass(slots=True)
class Application:
    """One run over the parts of a proposal. `ends`: the memory that each part's key stands for."""

    uow: UnitOfWork
    proposal: Proposal
    folder: FolderPk
    if_changed: IfChanged
    ends: dict[str, MemoryPk] = field(default_factory=dict)
    done: dict[str, MemoryPk | None] = field(default_factory=dict)
    dismissed: list[str] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    created: list[MemoryPk] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    retiring: frozenset[MemoryPk] = frozenset()

    def resolve(self, end: End) -> MemoryPk | None:
        """The memory that an end means now; None when there is none."""
        pk = end if isinstance(end, int) else self.ends.get(end)
        return None if pk is None else living(self.uow, pk)

    def run(self, parts: Sequence[Part]) -> None:
        """Creates first (so that any part may name them), then changes, relations, ends and retirements."""
        chosen = [part for part in parts if part.ticked]
        self.dismissed = [part.key for part in parts if not part.ticked]
        ends = [part.memory for part in chosen if isinstance(part, RetirePart) and part.into is None]
        self.retiring = frozenset(end for end in ends if isinstance(end, int))
        total, at = len(chosen), 0
        for kind in (CreatePart, ChangePart, LinkPart, EndLinkPart, RetirePart):
            for part in chosen:
                if isinstance(part, kind):
                    self._one(part)
                    at += 1
                    self.uow.checkpoint(at, total)

    def _one(self, part: Part) -> None:
        """A part that breaks a rule of the schema is left waiting; it writes nothing before it is checked."""
        try:
            self._carry_out(part)
        except Invalid:
            self._skip(part, Obstacle.INVALID)

    def _carry_out(self, part: Part) -> None:
        match part:
            case CreatePart():
                self._create(part)
            case ChangePart():
                self._change(part)
            case LinkPart():
                self._link(part)
            case EndLinkPart():
                self._end_link(part)
            case RetirePart():
                self._retire(part)

    def _skip(self, part: Part, obstacle: Obstacle) -> None:
        self.counts[f"skipped_{obstacle.value}"] += 1
        self.waiting.add(part.key)

    # --- creates -------------------------------------------------------------------------

    def _create(self, part: CreatePart) -> None:
        old = same_name(self.uow, self.folder, part, self.retiring)
        if old is not None:
            self._join(part, old)
            return
        children = self._children(part)
        new = NewMemory(
            folder=self.folder,
            type=part.type,
            title=part.title,
            body=part.body,
            fields=part.fields,
            layer=part.layer,
            importance=part.importance,
            seq=part.seq,
            seq_start=part.seq_start,
            seq_end=part.seq_end,
            visibility=part.visibility,
            source=part.source,
            tags=part.tags,
            aliases=part.aliases,
        )
        pk = memories.create(self.uow, CreateMemory(new)).created[0]
        if part.level:
            self.uow.update(Kind.MEMORY, [pk], {"level": part.level})
        if children:
            self._sum_up(pk, children)
        self.counts["created"] += 1
        self.created.append(pk)
        self._made(part, pk)

    def _made(self, part: Part, pk: MemoryPk) -> None:
        self.ends[part.key] = pk
        self.done[part.key] = pk
        self.titles.append(self.uow.records(Memory, [pk])[0].shown_title)

    def _join(self, part: CreatePart, old: Memory) -> None:
        """A type that keeps only the newest version: the text goes into the memory that has the name."""
        if old.locked:
            self.ends[part.key] = old.pk  # relations to it may still be added
            self._skip(part, Obstacle.LOCKED)
            return
        self._write(old, part.title or None, part.body or None, part.fields, part.importance, part.seq)
        joined = self.uow.aliases_of([old.pk]).get(old.pk, [])
        names = (*(alias.value for alias in joined), *part.aliases)
        if fold(part.title) != fold(old.title) and part.title:
            names = (*names, old.title)
        self.uow.replace_aliases({old.pk: [name for name in dict.fromkeys(names) if name]})
        self._unite_tags(old.pk, part.tags)
        self.counts["merged"] += 1
        self._made(part, old.pk)

    def _unite_tags(self, pk: MemoryPk, tags: TagSet) -> None:
        old = self.uow.tag_sets([pk])[pk]
        general = tuple(dict.fromkeys((*old.general, *tags.general)))
        triple = old if old.has_triple else tags
        self.uow.replace_tags({pk: replace(triple, general=general)})

    def _children(self, part: CreatePart) -> list[Memory]:
        pks = [pk for end in part.sums if (pk := self.resolve(end)) is not None]
        found = self.uow.records(Memory, pks)
        locked = sum(memory.locked for memory in found)
        self.counts["skipped_locked"] += locked
        return [memory for memory in found if not memory.locked and memory.deleted_at is None]

    def _sum_up(self, parent: MemoryPk, children: Sequence[Memory]) -> None:
        """Archive the children below their parent, and lift their live relations to it (DESIGN §5, compression)."""
        pks = [child.pk for child in children]
        self.uow.update(
            Kind.MEMORY,
            pks,
            {"parent": parent, "status": Status.ARCHIVED, "status_reason": StatusReason.COMPRESSED},
        )
        used = [child.last_activated_at for child in children if child.last_activated_at is not None]
        counts = {"activation_count": sum(child.activation_count for child in children)}
        self.uow.update(Kind.MEMORY, [parent], {**counts, "last_activated_at": max(used, default=None)})
        inside = {*pks, parent}
        for edge in self.uow.edges_touching(pks):
            if not lives(edge, self.uow.now) or {edge.source, edge.target} <= inside:
                continue
            source = parent if edge.source in inside else edge.source
            target = parent if edge.target in inside else edge.target
            self._edge(source, target, edge.relation, edge.strength, edge.from_seq)
        self.counts["compressed"] += len(pks)

    # --- changes -------------------------------------------------------------------------

    def _change(self, part: ChangePart) -> None:
        memory = self._free(part, part.memory, part.revision)
        if memory is None:
            return
        if part.tags is not None:
            check_triple(part.tags)
        before = shown_values(memory, self.uow.schema())
        self._write(memory, part.title, part.body, part.fields, part.importance, part.floor)
        if part.tags is not None:
            self.uow.replace_tags({memory.pk: clean(part.tags)})
        if part.aliases is not None:
            self.uow.replace_aliases({memory.pk: part.aliases})
        after = self.uow.records(Memory, [memory.pk])[0]
        if part.update_event:
            self._supersede(part, memory.pk)
            self._record(part, after, change_summary(before, shown_values(after, self.uow.schema())))
        self.counts["changed"] += 1
        self._made(part, memory.pk)

    def _free(self, part: Part, end: End, revision: int | None) -> Memory | None:
        """The memory that a part may change; None when something stands against it (the part goes on waiting)."""
        pk = self.resolve(end)
        if pk is None:
            obstacle = self._missing(end)
            if obstacle is not None:
                self._skip(part, obstacle)
            else:
                self.dismissed.append(part.key)
            return None
        memory = self.uow.records(Memory, [pk])[0]
        self.ends.setdefault(part.key, pk)
        fresh = isinstance(end, str)
        changed = not fresh and revision is not None and memory.revision != revision and pk not in self._own()
        if memory.locked:
            self._skip(part, Obstacle.LOCKED)
        elif changed and self.if_changed is not IfChanged.OVERWRITE:
            self._skip(part, Obstacle.CHANGED)
        else:
            return memory
        return None

    def _own(self) -> set[MemoryPk]:
        """Memories that parts of this proposal changed, now or earlier: that is no foreign change."""
        earlier = {each.memory for each in self.proposal.decided.values()}
        return {pk for pk in (*self.done.values(), *earlier) if pk is not None}

    def _missing(self, end: End) -> Obstacle | None:
        """Why there is no memory: gone, or a part that still waits; None when that part was left out for good."""
        if isinstance(end, int):
            return Obstacle.MISSING
        known = {part.key for part in self.proposal.parts}
        decided = self.proposal.decided.get(end)
        if end not in known or end in self.dismissed or (decided and decided.memory is None):
            return None
        return Obstacle.END_LEFT_OUT

    def _write(
        self,
        memory: Memory,
        title: str | None,
        body: str | None,
        fields: Mapping[str, Json],
        importance: float | None,
        floor: int | None,
    ) -> None:
        seq, start, end = (UNSET, UNSET, UNSET) if floor is None else widened(memory, floor)
        edit = EditMemory(
            memory=memory.pk,
            title=UNSET if title is None else title,
            body=UNSET if body is None else body,
            fields=fields or UNSET,
            importance=UNSET if importance is None else importance,
            seq=seq,
            seq_start=start,
            seq_end=end,
        )
        memories.edit(self.uow, edit)

    def _supersede(self, part: ChangePart, pk: MemoryPk) -> None:
        """End the relations of earlier updates; connect the memory that brought this one (spec/STBME §3.6)."""
        source = None if part.temporal_source is None else self.resolve(part.temporal_source)
        earlier = [
            edge.pk
            for edge in self.uow.edges_touching([pk])
            if edge.target == pk
            and lives(edge, self.uow.now)
            and (edge.relation == _UPDATES or (edge.relation == _TEMPORAL and edge.source == source))
        ]
        ended: dict[str, object] = {"invalid_from": self.uow.now}
        if part.floor is not None:
            ended["ended_seq"] = part.floor
        self.uow.update(Kind.EDGE, earlier, ended)
        if source is not None and source != pk:
            self._edge(source, pk, _TEMPORAL, part.temporal_strength, part.floor)

    def _record(self, part: ChangePart, memory: Memory, changes: str) -> None:
        """An event that says what changed, marked as automatic."""
        schema = self.uow.schema()
        if not changes or schema.type(_EVENT) is None or memory.type == _EVENT:
            return
        low, high = _EVENT_IMPORTANCE
        given = memory.importance if part.importance is None else part.importance
        floor = part.floor if part.floor is not None else memory.seq
        new = NewMemory(
            folder=memory.folder,
            type=_EVENT,
            body=_UPDATE_TEXT.format(type=memory.type, changes=changes),
            fields={"participants": memory.shown_title, "status": "resolved"},
            importance=min(high, max(low, given)),
            seq=floor,
            visibility=memory.visibility,
        )
        pk = memories.create(self.uow, CreateMemory(new)).created[0]
        self.uow.update(Kind.MEMORY, [pk], {"extra": {AUTOMATIC: True}})
        self._edge(pk, memory.pk, _UPDATES, _UPDATE_STRENGTH, floor)
        self.counts["update_events"] += 1
        self.created.append(pk)

    # --- relations and retirements ---------------------------------------------------------

    def _link(self, part: LinkPart) -> None:
        ends = (self.resolve(part.source), self.resolve(part.target))
        source, target = ends
        if source is None or target is None:
            lost = [
                self._missing(end)
                for end, pk in zip((part.source, part.target), ends, strict=True)
                if pk is None
            ]
            if None in lost:
                self.dismissed.append(part.key)
            else:
                self._skip(part, Obstacle.MISSING if Obstacle.MISSING in lost else Obstacle.END_LEFT_OUT)
            return
        if source == target:  # both ends were joined to one memory
            self.dismissed.append(part.key)
            return
        self._edge(source, target, part.relation, part.strength, part.floor)
        self.counts["linked"] += 1
        self.done[part.key] = None

    def _edge(
        self, source: MemoryPk, target: MemoryPk, relation: RelationId, strength: float, floor: int | None
    ) -> None:
        if source != target:
            command = AddEdge(
                source=source, target=target, relation=relation, strength=strength, from_seq=floor
            )
            relations.add(self.uow, command)

    def _end_link(self, part: EndLinkPart) -> None:
        found = self.uow.records(Edge, [part.edge])
        if not found:
            self._skip(part, Obstacle.MISSING)
            return
        values: dict[str, object] = {"invalid_from": self.uow.now}
        if part.floor is not None:
            values["ended_seq"] = part.floor
        if lives(found[0], self.uow.now):
            self.uow.update(Kind.EDGE, [part.edge], values)
            self.counts["ended"] += 1
        self.done[part.key] = None

    def _retire(self, part: RetirePart) -> None:
        memory = self._free(part, part.memory, part.revision)
        if memory is None:
            return
        if part.into is not None:
            self._merge(part, memory, part.into)
            return
        if memory.pk in self._own():  # what is new has joined it: it is no old memory any more
            self.dismissed.append(part.key)
            return
        if memory.status is Status.ACTIVE:
            values = {"status": Status.ARCHIVED, "status_reason": part.reason}
            self.uow.update(Kind.MEMORY, [memory.pk], values)
            self.counts["retired"] += 1
        self._made(part, memory.pk)

    def _merge(self, part: RetirePart, memory: Memory, into: End) -> None:
        """Into a survivor; when this proposal says how that one reads, it reads so, else their texts are joined."""
        survivor = self.resolve(into)
        if survivor is None or survivor == memory.pk:
            self._skip(part, Obstacle.MISSING)
            return
        kept = self.uow.records(Memory, [survivor])[0]
        if kept.locked:
            self._skip(part, Obstacle.LOCKED)
            return
        command = MergeMemories(survivor=survivor, losers=(memory.pk,))
        if survivor in self._own():
            command = replace(command, title=kept.title, body=kept.body, fields=kept.fields)
        merge.merge(self.uow, command)
        self.counts["merged"] += 1
        self._made(part, survivor)


# --- the two commands --------------------------------------------------------------------------------------


def apply(uow: UnitOfWork, command: ApplyProposal) -> Outcome:
    """Make the ticked parts true. Errors: NotFound, Conflict (with REFUSE), Invalid when a part breaks a rule."""
    proposal = proposal_of(uow, command.proposal)
    folder = default_folder(uow) if proposal.folder is None else folder_of(uow, proposal.folder)
    parts = _chosen(proposal, command.groups)
    if command.if_changed is IfChanged.REFUSE:
        _refuse_changed(uow, parts)
    work = Application(uow, proposal, folder.pk, command.if_changed)
    work.ends = {key: each.memory for key, each in proposal.decided.items() if each.memory is not None}
    work.run(parts)
    _decide(uow, proposal, work.done, work.dismissed)
    _count_on(uow, proposal, folder, {part.group for part in parts})
    titles = work.titles or [folder.name]
    uow.label(count=len(work.done), title=" ".join(titles[0].split())[:OP_TITLE_CHARS], folder=folder.name)
    uow.label(proposal=proposal.kind.value)
    counts = {name: number for name, number in work.counts.items() if number}
    if work.dismissed:
        counts["left_out"] = len(work.dismissed)
    return Outcome(changed=len(work.done), created=tuple(work.created), counts=counts)


def dismiss(uow: UnitOfWork, command: DismissProposal) -> Outcome:
    """Decide against parts. Errors: NotFound."""
    proposal = proposal_of(uow, command.proposal)
    parts = _chosen(proposal, command.groups)
    _decide(uow, proposal, {}, [part.key for part in parts])
    uow.label(count=len(parts), proposal=proposal.kind.value)
    return Outcome(changed=len(parts))


def proposal_of(reader: Reader, pk: int) -> Proposal:
    """One proposal. Errors: NotFound."""
    found = reader.proposal(pk)
    if found is None:
        raise NotFound("error.proposal.missing")
    return found


def _chosen(proposal: Proposal, groups: tuple[str, ...] | None) -> list[Part]:
    return [part for part in proposal.waiting if groups is None or part.group in groups]


def _refuse_changed(uow: UnitOfWork, parts: Sequence[Part]) -> None:
    wanted = {
        part.memory: part.revision
        for part in parts
        if isinstance(part, ChangePart | RetirePart) and part.ticked and isinstance(part.memory, int)
    }
    changed = [
        memory
        for memory in uow.records(Memory, wanted)
        if wanted[memory.pk] is not None and memory.revision != wanted[memory.pk]
    ]
    if changed:
        details = "\n".join(memory.shown_title for memory in changed)
        raise Conflict("error.proposal.changed", [memory.pk for memory in changed], details=details)


def _decide(
    uow: UnitOfWork, proposal: Proposal, applied: Mapping[str, MemoryPk | None], dismissed: Iterable[str]
) -> None:
    rows = [_decision(uow.now, proposal, key, PartVerdict.APPLIED, pk) for key, pk in applied.items()]
    rows += [
        _decision(uow.now, proposal, key, PartVerdict.DISMISSED, None) for key in dict.fromkeys(dismissed)
    ]
    uow.insert(rows)


def _decision(
    now: datetime, proposal: Proposal, key: str, verdict: PartVerdict, memory: MemoryPk | None
) -> Decision:
    return Decision(proposal=proposal.pk, part=key, verdict=verdict, memory=memory, created_at=now)


def _count_on(uow: UnitOfWork, proposal: Proposal, folder: Folder, ran: Collection[str]) -> None:
    """The folder's pointer and its count of extractions move with the groups that are settled now, in their order.

    A group in which something still waits (a locked memory, a changed one) was read all the same.
    """
    through, runs, held, moves = folder.last_processed_seq, 0, False, False
    for group in proposal.groups:
        keys = {part.key for part in proposal.parts if part.group == group.key}
        open_keys = keys - proposal.decided.keys()
        now = group.key in ran
        if now and open_keys == keys:
            runs += group.runs
        read_to = -1 if group.through is None else group.through
        if not keys and read_to > folder.last_processed_seq:
            runs += group.runs  # nothing was found there, but it was read
        held = held or bool(open_keys and not now)
        moves = moves or now
        if not held and (moves or not keys):
            through = max(through, read_to)
    values: dict[str, object] = {}
    if through != folder.last_processed_seq:
        values["last_processed_seq"] = through
    if runs:
        count = folder.settings.get(EXTRACTIONS)
        values["settings"] = {
            **folder.settings,
            EXTRACTIONS: (count if isinstance(count, int) else 0) + runs,
        }
    if values:
        uow.update(Kind.FOLDER, [folder.pk], values)


# --- what is there already -----------------------------------------------------------------------------------


def living(reader: Reader, pk: MemoryPk) -> MemoryPk | None:
    """The memory, or the one it was merged into; None when it is gone or lies in the trash."""
    states = reader.states([pk])
    if not states:
        return None
    end = follow_merged(reader, [pk])[pk]
    found = reader.states([end])
    return end if found and not found[0].trashed else None


def same_name(
    reader: Reader, folder: FolderPk, part: CreatePart, leaving: Collection[MemoryPk] = ()
) -> Memory | None:
    """The memory that a new one of a type that keeps only the newest version stands for: by title or alias.

    A type without a title column has one memory in each folder (the synopsis). `leaving`: memories that do not
    count, because the same proposal archives them.
    """
    memory_type = reader.schema().type(part.type)
    if memory_type is None or not memory_type.latest_only or part.sums:
        return None
    found = [memory for memory in active_of(reader, folder, part.type) if memory.pk not in leaving]
    if memory_type.column_of(ColumnRole.TITLE) is None:
        return found[-1] if found else None
    wanted = fold(part.title).strip()
    by_title = [memory for memory in found if wanted and fold(memory.title).strip() == wanted]
    if by_title or not wanted:
        return by_title[-1] if by_title else None
    names = reader.aliases_of([memory.pk for memory in found])
    for memory in reversed(found):
        if any(fold(alias.value).strip() == wanted for alias in names.get(memory.pk, [])):
            return memory
    return None


def active_of(reader: Reader, folder: FolderPk, type_id: TypeId, *, level: int | None = None) -> list[Memory]:
    """Active memories of a type in a folder (documents left out), by floor and then by age."""
    where = MemoryFilter(
        folders=frozenset({folder}), types=frozenset({type_id}), statuses=frozenset({Status.ACTIVE})
    )
    pks = reader.memory_ids(where, Sort(SortKey.CREATED, descending=False))
    found = [memory for memory in reader.records(Memory, pks) if memory.layer is not Layer.KNOWLEDGE]
    if level is not None:
        found = [memory for memory in found if memory.level == level]
    return sorted(found, key=lambda memory: -1 if memory.seq is None else memory.seq)


def widened(memory: Memory, floor: int) -> tuple[int | Unset, int | Unset, int | Unset]:
    """The memory's main floor, first and last one with this floor among them; the main floor never goes back."""
    start = memory.seq_start if memory.seq_start is not None else memory.seq
    end = memory.seq_end if memory.seq_end is not None else memory.seq
    return (
        floor if memory.seq is None else max(memory.seq, floor),
        floor if start is None else min(start, floor),
        floor if end is None else max(end, floor),
    )


def shown_values(memory: Memory, schema: Schema) -> dict[str, Json]:
    """All values under the names of their columns, title and body too."""
    known: MemoryType | None = schema.type(memory.type)
    title = known.column_of(ColumnRole.TITLE) if known else None
    body = known.column_of(ColumnRole.BODY) if known else None
    values: dict[str, Json] = {}
    if title is not None or memory.title:
        values[title.name if title else "title"] = memory.title
    if body is not None or memory.body:
        values[body.name if body else "body"] = memory.body
    return values | dict(memory.fields)
