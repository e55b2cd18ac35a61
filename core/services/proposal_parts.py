"""The parts of a proposal made true, one after the other (spec/STBME §3.6, DESIGN §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.algos.changes import change_summary
from core.algos.lexical import fold
from core.algos.visibility import shared
from core.domain.commands import UNSET, CreateMemory, EditMemory, NewMemory
from core.domain.commands_graph import AddEdge
from core.domain.commands_merge import MergeMemories
from core.domain.commands_proposals import IfChanged
from core.domain.edge import Edge, lives
from core.domain.enums import Kind, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    End,
    EndLinkPart,
    LinkPart,
    Obstacle,
    Part,
    Proposal,
    RetirePart,
)
from core.domain.tags import check_triple, clean
from core.ports.store import UnitOfWork
from core.services import memories, merge, relations
from core.services.proposal_names import (
    NamesThere,
    free_to_sum,
    living,
    shown_values,
    summed_obstacle,
    widened,
)

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
    names: NamesThere = field(init=False)

    def __post_init__(self) -> None:
        """Names are read when they are first asked for."""
        self.names = NamesThere(self.uow, self.folder)

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
        old = self.names.same(part, self.retiring)
        if old is not None:
            self._join(part, old)
            return
        obstacle = summed_obstacle(self.uow, part, self._own())
        changed = obstacle is Obstacle.CHANGED and self.if_changed is IfChanged.OVERWRITE
        if obstacle is not None and not changed:
            self._skip(part, obstacle)
            return
        children = self._children(part)
        audience = shared((part.visibility, *(child.visibility for child in children)))
        if audience is None:  # nobody may see all of them by now
            self._skip(part, Obstacle.INVALID)
            return
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
            visibility=audience,
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
        self.names.add(part, pk)
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
        audience = shared((old.visibility, part.visibility))
        if audience is None:  # nobody may see both
            self._skip(part, Obstacle.INVALID)
            return
        self._write(old, part.title or None, part.body or None, part.fields, part.importance, part.seq)
        self._show_to(old, audience)
        joined = self.uow.aliases_of([old.pk]).get(old.pk, [])
        names = (*(alias.value for alias in joined), *part.aliases)
        if fold(part.title) != fold(old.title) and part.title:
            names = (*names, old.title)
        self.uow.replace_aliases({old.pk: [name for name in dict.fromkeys(names) if name]})
        self._unite_tags(old.pk, part.tags)
        self.names.add(part, old.pk)
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
        self.counts["skipped_locked"] += sum(memory.locked for memory in found)
        return [memory for memory in found if free_to_sum(memory)]

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
        if part.visibility is not None:
            self._show_to(memory, part.visibility)
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
        changed = (
            isinstance(end, int)
            and revision is not None
            and pk not in self._own()
            and self.uow.changed_since(end, revision)  # of the one it was thought out for
        )
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

    def _show_to(self, memory: Memory, names: tuple[str, ...]) -> None:
        if names != memory.visibility:
            self.uow.update(Kind.MEMORY, [memory.pk], {"visibility": names})

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
