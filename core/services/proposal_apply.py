"""Applying a proposal: the one place that makes parts true, whatever task they come from (DESIGN §3, §5).

Source: spec/STBME §3.6. We differ: refs and links survive a create that became an update, also forward ones; types
never mix; a type that keeps only the newest version is joined by its name or alias, floors are widened and never
lowered; locked memories are left alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.enums import Kind
from core.domain.errors import Conflict, NotFound
from core.domain.folder import Folder
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.proposal import (
    ChangePart,
    Decision,
    Part,
    PartVerdict,
    Proposal,
    RetirePart,
)
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import default_folder, folder_of, one_line
from core.services.outcome import Outcome
from core.services.proposal_parts import Application

EXTRACTIONS = "extractions"
"""In `Folder.settings`: how many extractions were applied to the folder."""


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
    uow.label(count=len(work.done), title=one_line(titles[0]), folder=folder.name)
    uow.label(proposal=proposal.kind.value, model=proposal.source)
    uow.label(tokens=proposal.used.tokens, cost=proposal.used.cost)
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
        if (revision := wanted[memory.pk]) is not None and uow.changed_since(memory.pk, revision)
    ]
    if changed:
        details = "\n".join(memory.named for memory in changed)
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
