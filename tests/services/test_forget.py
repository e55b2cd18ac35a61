"""Forgetting: retention values as a plan, and the chosen memories out of recall as one op."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.algos.decay import retention
from core.domain.commands import SetLocked
from core.domain.commands_upkeep import ForgetMemories
from core.domain.enums import Status, StatusReason
from core.domain.errors import Invalid
from core.domain.queries_upkeep import ForgetPlan, ForgetWaiting
from core.domain.upkeep import FORGET_BELOW, Forgettable
from core.services import forget
from tests.services.desk import Desk


def plan(desk: Desk, **values: object) -> Forgettable:
    return forget.plan(desk.store.upkeep, ForgetPlan(at=desk.now, **values))


def test_retention_follows_the_formula_and_the_lowest_come_first(desk: Desk) -> None:
    folder = desk.folder()
    high, low = (desk.memory(folder, importance=value) for value in (7.0, 1.0))
    desk.store.usage.count([high])
    desk.now += timedelta(days=100)
    found = plan(desk)
    assert found.rows.pks.tolist() == [low, high]
    age = (desk.now - desk.get(high).created_at).total_seconds() / 3600
    assert found.retention[1] == pytest.approx(float(retention(7.0, age, 1)), rel=1e-12)
    assert found.age_hours[1] == pytest.approx(age)
    assert FORGET_BELOW == 0.2


def test_what_forgetting_never_touches_is_counted_apart(desk: Desk) -> None:
    folder = desk.folder()
    left = desk.memory(folder, importance=1.0)
    for type_id in ("synopsis", "rule", "thread"):
        desk.memory(folder, type_id, title="t", body="b", fields={})
    desk.memory(folder, importance=8.0)
    locked = desk.memory(folder)
    desk.run(SetLocked(memories=(locked,), locked=True))
    desk.now += timedelta(days=2)
    desk.memory(folder)
    found = plan(desk)
    assert found.rows.pks.tolist() == [left]
    assert dict(found.spared) == {"type": 3, "importance": 1, "young": 1, "locked": 1, "not_active": 0}


def test_forgotten_memories_are_archived_with_the_reason_and_undo_is_equal(desk: Desk) -> None:
    folder = desk.folder()
    pks = tuple(desk.memory(folder, importance=1.0) for _ in range(3))
    desk.now += timedelta(days=200)
    before = desk.dump()
    result = desk.run(ForgetMemories(memories=pks))
    assert result.changed == 3
    assert {(desk.get(pk).status, desk.get(pk).status_reason) for pk in pks} == {
        (Status.ARCHIVED, StatusReason.FORGOTTEN)
    }
    assert plan(desk).spared["not_active"] == 3
    desk.undo()
    assert desk.dump() == before


def test_they_can_expire_instead(desk: Desk) -> None:
    pk = desk.memory(desk.folder())
    desk.now += timedelta(days=2)
    desk.run(ForgetMemories(memories=(pk,), status=Status.EXPIRED))
    assert (desk.get(pk).status, desk.get(pk).status_reason) == (Status.EXPIRED, StatusReason.FORGOTTEN)
    with pytest.raises(Invalid):
        desk.run(ForgetMemories(memories=(pk,), status=Status.ACTIVE))


def test_what_may_not_be_forgotten_any_more_is_passed_over(desk: Desk) -> None:
    folder = desk.folder()
    locked, plain, important, young = (desk.memory(folder) for _ in range(4))
    desk.run(SetLocked(memories=(locked,), locked=True))
    desk.now += timedelta(days=2)
    from core.domain.commands import SetImportance

    desk.run(SetImportance(memories=(important,), importance=9.0))
    young = desk.memory(folder)
    result = desk.run(ForgetMemories(memories=(locked, plain, important, young)))
    assert (result.changed, dict(result.counts)) == (1, {"skipped": 3})
    assert desk.get(locked).status is Status.ACTIVE


def test_what_waits_is_what_lies_below_the_threshold(desk: Desk) -> None:
    folder = desk.folder()
    desk.memory(folder, importance=0.0)
    assert forget.waiting(desk.store.upkeep, ForgetWaiting()) == 1
    assert forget.waiting(desk.store.upkeep, ForgetWaiting(threshold=0.0)) == 0


def test_an_empty_library_has_an_empty_plan(desk: Desk) -> None:
    found = plan(desk)
    assert len(found.rows) == 0
    assert len(found.retention) == 0
