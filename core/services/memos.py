"""Short-lived notes: kept, kept longer, removed (spec/BOOKU §3, create_temporary_memo)."""

from __future__ import annotations

import math
from datetime import timedelta

from core.domain import queries_upkeep as qu
from core.domain.commands_upkeep import KeepMemo, RemoveMemos
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.folder import Memo
from core.domain.ids import new_memo_id
from core.domain.queries_upkeep import MemoRows
from core.domain.safe_text import storable
from core.domain.upkeep import LifeUnit, MemoRow
from core.ports.clock import system_clock
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import folder_of
from core.services.outcome import Outcome

MOST_HOURS = 24.0 * 366 * 10


def keep(uow: UnitOfWork, command: KeepMemo) -> Outcome:
    """A new memo, or a longer life for the one with that text in that stream. Errors: Invalid, NotFound."""
    text, stream = storable(command.content).strip(), storable(command.stream_id).strip()
    if not text:
        raise Invalid("error.memo.empty")
    if not (math.isfinite(command.hours) and 0 < command.hours <= MOST_HOURS):
        raise Invalid("error.memo.hours", hours=command.hours)
    folder_of(uow, command.folder)
    everything = uow.all_records(Memo)
    dead = [memo.pk for memo in everything if memo.expires_at <= uow.now]
    if dead:
        uow.delete(Kind.MEMO, dead)
    expires = uow.now + timedelta(hours=command.hours)
    uow.label(title=text[:80])
    same = next(
        (
            memo
            for memo in everything
            if memo.pk not in dead and (memo.content, memo.stream_id) == (text, stream)
        ),
        None,
    )
    if same is not None:
        uow.update(Kind.MEMO, [same.pk], {"expires_at": expires, "updated_at": uow.now})
        return Outcome(changed=1, created_memo=same.pk, counts={"refreshed": 1})
    memo = Memo(
        id=new_memo_id(),
        folder=command.folder,
        stream_id=stream,
        content=text,
        expires_at=expires,
        created_at=uow.now,
        updated_at=uow.now,
    )
    return Outcome(changed=1, created_memo=uow.insert([memo])[0])


def remove(uow: UnitOfWork, command: RemoveMemos) -> Outcome:
    """Remove memos; those that are gone already are left alone."""
    removed = uow.delete(Kind.MEMO, dict.fromkeys(command.memos))
    uow.label(count=removed)
    return Outcome(changed=removed)


def rows(reader: Reader, query: MemoRows) -> tuple[MemoRow, ...]:
    """Memos with the rest of their lives, the one that ends first at the top."""
    now = query.at or system_clock()
    names = {node.folder.pk: node.folder.name for node in reader.folder_nodes()}
    found = memos_of(reader, qu.MemosOf(query.folder, query.expired, now))
    ordered = sorted(found, key=lambda memo: (memo.expires_at <= now, memo.expires_at, memo.pk))
    return tuple(
        _row(memo, names.get(memo.folder, ""), (memo.expires_at - now).total_seconds()) for memo in ordered
    )


def _row(memo: Memo, folder: str, seconds: float) -> MemoRow:
    from core.algos.flashback import remaining_life

    if seconds <= 0:
        return MemoRow(memo, folder, "", LifeUnit.OVER)
    life = remaining_life(seconds)
    return MemoRow(memo, folder, life.text, LifeUnit(life.unit.value))


def memos_of(reader: Reader, query: qu.MemosOf) -> tuple[Memo, ...]:
    """Memos, newest first."""
    now = query.at or system_clock()
    found = [
        memo
        for memo in reader.all_records(Memo)
        if (query.folder is None or memo.folder == query.folder) and (query.expired or memo.expires_at > now)
    ]
    return tuple(sorted(found, key=lambda memo: (memo.updated_at, memo.pk), reverse=True))
