"""Memories and inputs for injection tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from core.adapters.token_counter import QuicktokCounters
from core.domain.folder import Memo
from core.domain.ids import FolderPk, MemoryId, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.recall import Injection, Layout
from core.domain.schema_data import default_schema
from core.ports.token_counter import TokenFamily
from core.services.inject import Extras, InjectInput, InjectMemory, InjectOptions, Part, build

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SCHEMA = default_schema()


def memory(pk: int, type_: str = "event", **more: Any) -> Memory:
    return Memory(
        pk=MemoryPk(pk),
        id=MemoryId(f"mem-{pk:032x}"),
        folder=FolderPk(1),
        type=TypeId(type_),
        created_at=NOW,
        updated_at=NOW,
        **more,
    )


def recalled(pk: int, type_: str = "event", score: float = 0.5, **more: Any) -> InjectMemory:
    return InjectMemory(memory(pk, type_, **more), Part.RECALLED, score)


def core(pk: int, type_: str = "event", **more: Any) -> InjectMemory:
    return InjectMemory(memory(pk, type_, **more), Part.CORE)


def memo(content: str, hours: float = 2.0, stream: str = "", age: float = 0.0) -> Memo:
    at = NOW - timedelta(hours=age)
    return Memo(
        id=f"memo-{content}",
        folder=FolderPk(1),
        stream_id=stream,
        content=content,
        expires_at=NOW + timedelta(hours=hours),
        created_at=at,
        updated_at=at,
    )


def built(
    *items: InjectMemory,
    budget: int | None = None,
    family: TokenFamily = TokenFamily.CL100K,
    layout: Layout = Layout.BUDGETED,
    extras: Extras | None = None,
    **more: Any,
) -> Injection:
    given = InjectInput(memories=items, schema=SCHEMA, now=NOW, extras=extras or Extras())
    options = InjectOptions(layout=layout, budget_tokens=budget, **more)
    return build(given, options, QuicktokCounters().counter(family))


def shown(injection: Injection) -> set[int]:
    return {item.memory for section in injection.sections for item in section.memories}


def cut(injection: Injection) -> set[int]:
    return {item.memory for section in injection.sections for item in section.memories if item.cut}


def left_out(injection: Injection) -> set[int]:
    return {pk for section in injection.sections for pk in section.left_out}
