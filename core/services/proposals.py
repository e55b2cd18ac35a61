"""Questions about proposals: lists, one of them against the library as it is now, and what is written outside ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.algos.visibility import shared
from core.domain import queries_proposals as qp
from core.domain.api import Cancel
from core.domain.edge import Edge
from core.domain.enums import Status
from core.domain.errors import Invalid
from core.domain.folder import DEFAULT_FOLDER, Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.proposal import (
    ChangePart,
    CreatePart,
    End,
    EndLinkPart,
    FieldChange,
    LinkPart,
    Obstacle,
    Part,
    PartView,
    Proposal,
    ProposalRow,
    ProposalState,
    ProposalView,
    RetirePart,
)
from core.domain.queries import Query
from core.domain.schema import ColumnRole, MemoryType
from core.ports.proposals import Proposals
from core.ports.store import Reader, Store
from core.services import content
from core.services.lookup import one_line, op_title
from core.services.proposal_apply import proposal_of
from core.services.proposal_names import NamesThere, living, summed_obstacle

Answer = Callable[[Any, "Cancel | None"], Any]


def rows(reader: Reader, query: qp.Proposals) -> tuple[ProposalRow, ...]:
    """Proposals, newest first."""
    found = reader.proposal_rows(query.kind, query.folder)
    return tuple(row for row in found if query.state is None or row.state is query.state)


def count_waiting(reader: Reader, _query: qp.CountWaiting) -> int:
    """How many proposals are open."""
    return sum(row.state is ProposalState.OPEN for row in reader.proposal_rows(None, None))


def view(reader: Reader, query: qp.ProposalOf) -> ProposalView:
    """One proposal with its parts before and after. Errors: NotFound."""
    proposal = proposal_of(reader, query.proposal)
    folders = [] if proposal.folder is None else reader.records(Folder, [proposal.folder])
    name = folders[0].name if folders else ""
    return ProposalView(proposal=proposal, folder_name=name, parts=_Viewer(reader, proposal).parts())


class _Viewer:
    """Looks at each part as it would be applied now."""

    def __init__(self, reader: Reader, proposal: Proposal) -> None:
        self._reader = reader
        self._proposal = proposal
        self._schema = reader.schema()
        self._parts = {part.key: part for part in proposal.parts}
        default = reader.folder_named(DEFAULT_FOLDER) if proposal.folder is None else None
        self._folder: FolderPk | None = default.pk if default is not None else proposal.folder
        self._own = {each.memory for each in proposal.decided.values()}
        self._names = None if self._folder is None else NamesThere(reader, self._folder)
        retired = [part.memory for part in proposal.parts if isinstance(part, RetirePart) and part.ticked]
        self._leaving = frozenset(end for end in retired if isinstance(end, int))
        self._found: dict[MemoryPk, Memory | None] = {}

    def parts(self) -> tuple[PartView, ...]:
        return tuple(self._view(part) for part in self._proposal.parts)

    def _view(self, part: Part) -> PartView:
        match part:
            case CreatePart():
                return self._create(part)
            case ChangePart():
                return self._change(part)
            case LinkPart():
                return self._link(part)
            case EndLinkPart():
                return self._end_link(part)
            case RetirePart():
                return self._retire(part)

    def _decided(self, part: Part) -> dict[str, Any]:
        known = self._proposal.decided.get(part.key)
        return {"part": part, "verdict": None if known is None else known.verdict}

    def _memory(self, end: End) -> Memory | None:
        pk: MemoryPk | None = end if isinstance(end, int) else None
        if isinstance(end, str):
            known = self._proposal.decided.get(end)
            pk = None if known is None else known.memory
        if pk is None:
            return None
        if pk not in self._found:
            alive = living(self._reader, pk)
            self._found[pk] = None if alive is None else self._reader.records(Memory, [alive])[0]
        return self._found[pk]

    def _title(self, end: End) -> str:
        seen: set[End] = set()
        while end not in seen:  # a change may name a change, in damaged rows even itself
            seen.add(end)
            memory = self._memory(end)
            if memory is not None:
                return op_title(memory)
            part = self._parts.get(end) if isinstance(end, str) else None
            if isinstance(part, CreatePart):
                return _named(part)
            if isinstance(part, ChangePart):
                end = part.memory
        return ""

    def _create(self, part: CreatePart) -> PartView:
        decided = self._decided(part)
        known = self._schema.type(part.type)
        old = None
        if decided["verdict"] is None and self._names is not None:
            old = self._names.same(part, self._leaving)
        after = _values(known, part.title, part.body, dict(part.fields))
        before = {} if old is None else _values(known, old.title, old.body, dict(old.fields))
        changes = [_changed(name, before.get(name), value) for name, value in after.items()]
        if part.tags.general:
            changes.append(FieldChange(name="tags", before=None, after=list(part.tags.general)))
        if part.aliases:
            changes.append(FieldChange(name="aliases", before=None, after=list(part.aliases)))
        audience = shared((part.visibility, () if old is None else old.visibility))
        seen_by = None if old is None or not old.visibility else list(old.visibility)
        if audience:
            changes.append(_changed("visibility", seen_by, list(audience)))
        made = self._memory(part.key)
        return PartView(
            **decided,
            title=_named(part),
            type=part.type,
            memory=old.pk if old is not None else None if made is None else made.pk,
            becomes_change=old is not None,
            changes=tuple(change for change in changes if change is not None),
            obstacle=Obstacle.LOCKED
            if old is not None and old.locked
            else Obstacle.INVALID
            if audience is None and decided["verdict"] is None
            else self._new_obstacle(known, part, decided["verdict"] is None)
            if old is None
            else None,
        )

    def _new_obstacle(self, known: MemoryType | None, part: CreatePart, waits: bool) -> Obstacle | None:
        invalid = self._invalid(known, part)
        return invalid or (summed_obstacle(self._reader, part, self._own) if waits else None)

    @staticmethod
    def _invalid(known: MemoryType | None, part: CreatePart) -> Obstacle | None:
        if known is None:
            return Obstacle.INVALID
        try:
            content.check_required(known, part.title, part.body, part.fields)
            content.check_person(known, part.fields)
            content.check_fields(known, part.fields)
        except Invalid:
            return Obstacle.INVALID
        return None

    def _change(self, part: ChangePart) -> PartView:
        memory = self._memory(part.memory)
        decided = self._decided(part)
        if memory is None:
            return PartView(
                **decided,
                title=self._title(part.memory),
                type=self._type_of(part.memory),
                changes=_patch(part, None, None),
                obstacle=self._lost(part.memory),
            )
        changes = _patch(part, memory, self._reader.tag_sets([memory.pk])[memory.pk])
        if decided["verdict"] is not None:
            changes = _patch(part, None, None)
        return PartView(
            **decided,
            title=op_title(memory),
            type=memory.type,
            memory=memory.pk,
            changes=changes,
            obstacle=None if decided["verdict"] else self._obstacle(memory, part.memory, part.revision),
        )

    def _type_of(self, end: End) -> Any:
        part = self._parts.get(end) if isinstance(end, str) else None
        return part.type if isinstance(part, CreatePart) else None

    def _lost(self, end: End) -> Obstacle | None:
        """A memory that is gone; one that a waiting part makes is no obstacle when all is applied."""
        return Obstacle.MISSING if isinstance(end, int) or end not in self._parts else None

    def _obstacle(self, memory: Memory, end: End, revision: int | None) -> Obstacle | None:
        if memory.locked:
            return Obstacle.LOCKED
        if not isinstance(end, int) or revision is None or memory.pk in self._own:
            return None
        if self._reader.changed_since(end, revision):
            return Obstacle.CHANGED
        return None

    def _link(self, part: LinkPart) -> PartView:
        ends = (self._title(part.source), self._title(part.target))
        lost = [self._lost(end) for end in (part.source, part.target) if self._memory(end) is None]
        return PartView(
            **self._decided(part),
            title=ends[0],
            ends=ends,
            changes=(FieldChange(name="relation", before=None, after=part.relation),),
            obstacle=next((each for each in lost if each is not None), None),
        )

    def _end_link(self, part: EndLinkPart) -> PartView:
        edge = next(iter(self._reader.records(Edge, [part.edge])), None)
        ends = ("", "") if edge is None else (self._title(edge.source), self._title(edge.target))
        return PartView(
            **self._decided(part),
            title=ends[0],
            ends=ends,
            changes=() if edge is None else (FieldChange(name="relation", before=edge.relation, after=None),),
            obstacle=Obstacle.MISSING if edge is None else None,
        )

    def _retire(self, part: RetirePart) -> PartView:
        memory = self._memory(part.memory)
        if memory is None:
            return PartView(
                **self._decided(part), title=self._title(part.memory), obstacle=self._lost(part.memory)
            )
        change = FieldChange(name="status", before=memory.status.value, after=Status.ARCHIVED.value)
        return PartView(
            **self._decided(part),
            title=op_title(memory),
            type=memory.type,
            memory=memory.pk,
            changes=(change,),
            obstacle=self._obstacle(memory, part.memory, part.revision),
        )


def _values(known: MemoryType | None, title: str, body: str, fields: dict[str, Json]) -> dict[str, Json]:
    """`title` and `body` under those names, then the columns; empty ones are left out."""
    values: dict[str, Json] = {"title": title, "body": body, **fields}
    if known is not None and known.column_of(ColumnRole.TITLE) is None and not title:
        values.pop("title")
    return {name: value for name, value in values.items() if value not in (None, "")}


def _changed(name: str, before: Json, after: Json) -> FieldChange | None:
    return None if before == after else FieldChange(name=name, before=before, after=after)


def _patch(part: ChangePart, memory: Memory | None, tags: TagSet | None) -> tuple[FieldChange, ...]:
    """What a change sets against what is there now (None = the old values are not known)."""
    found: list[FieldChange | None] = []
    for name, value in (("title", part.title), ("body", part.body), ("importance", part.importance)):
        if value is not None:
            found.append(_changed(name, None if memory is None else getattr(memory, name), value))
    for name, new in part.fields.items():
        found.append(_changed(name, None if memory is None else memory.fields.get(name), new))
    if part.tags is not None:
        old = None if tags is None else list(tags.general)
        found.append(_changed("tags", old, list(part.tags.general)))
    if part.aliases is not None:
        found.append(FieldChange(name="aliases", before=None, after=list(part.aliases)))
    if part.visibility is not None:
        before = None if memory is None else list(memory.visibility)
        found.append(_changed("visibility", before, list(part.visibility)))
    return tuple(change for change in found if change is not None)


def proposal_answers(store: Store, proposals: Proposals) -> Mapping[type[Query[Any]], Answer]:
    """One function for each query that writes rows of proposals."""

    def known(pk: int) -> int:
        with store.read() as reader:
            return proposal_of(reader, pk).pk

    return {
        qp.KeepProposal: lambda query, _cancel: proposals.add(query.new),
        qp.SaveProposalParts: lambda query, _cancel: proposals.replace(known(query.proposal), query.parts),
        qp.TickProposalParts: lambda query, _cancel: proposals.tick(
            known(query.proposal), query.keys, ticked=query.ticked
        ),
    }


def _named(part: CreatePart) -> str:
    """What a memory that a part makes is called: its title, else the beginning of its text."""
    return part.title or one_line(part.body)
