"""Chat, extraction, recall, compression, forgetting, rebuild: every model behind one real server, all undone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from app.library import Library
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_upkeep import ForgetMemories
from core.domain.enums import Status, StatusReason
from core.domain.health import RebuildScope
from core.domain.ids import MemoryPk
from core.domain.queries_extract import Reach, RunExtraction
from core.domain.queries_health import AcceptRebuild, RunRebuild
from core.domain.queries_models import SwitchEmbedder
from core.domain.queries_recall import Recall
from core.domain.queries_upkeep import CompressPlanOf, ForgetPlan, SuggestSummaries
from core.domain.recall import RecallRequest
from tests.fakes.llm_server import FakeServer
from tests.models import test_end_to_end as story
from tests.models.test_end_to_end import library, memories, server  # noqa: F401 - fixtures
from tests.services.desk import dump_rows

SUMMARY = "艾琳在钟楼找到暗门，走下石阶，点亮了地下入口的灯。"
DAY_MICROS = 86_400_000_000
Rows = dict[str, list[dict[str, Any]]]


def _event(number: int) -> dict[str, Any]:
    text = f"第{number}夜，艾琳在钟楼的暗门前等了{number}个小时。"
    return {"action": "create", "type": "event", "importance": 2, "fields": {"summary": text}}


def _reply(body: Mapping[str, Any]) -> str:
    """An extraction wants operations, a compression fields: the form that is asked for tells them apart."""
    said = "\n".join(each["content"] for each in body["messages"])
    if '"operations"' in said:
        return json.dumps({"thought": "", "operations": [_event(n) for n in (1, 2, 3)]}, ensure_ascii=False)
    return json.dumps({"fields": {"summary": SUMMARY}}, ensure_ascii=False)


def _grow_older(library: Library, days: int) -> None:  # noqa: F811
    with closing(sqlite3.connect(library.files.database)) as connection, connection:
        connection.execute("UPDATE memory SET created_at = created_at - ?", (days * DAY_MICROS,))


def _there_and_back(library: Library, before: Rows) -> Rows:  # noqa: F811
    """Undo gives the library of before, redo the one of now, which comes back."""
    now = dump_rows(library.files.database)
    assert now != before
    library.engine.undo()
    assert dump_rows(library.files.database) == before
    library.engine.redo()
    assert dump_rows(library.files.database) == now
    return now


def test_whole_chain_with_a_server_and_back(library: Library, server: FakeServer, tmp_path: Path) -> None:  # noqa: F811
    engine = library.engine
    folder = story.chat(library, tmp_path)
    server.replies = _reply
    begun = dump_rows(library.files.database)

    report = engine.ask(RunExtraction(folder=folder, reach=Reach.ALL))
    assert report.proposal is not None
    engine.run(ApplyProposal(proposal=report.proposal))
    extracted = _there_and_back(library, begun)
    events = [MemoryPk(each.pk) for each in memories(library) if each.type == "event"]
    assert len(events) == 3

    engine.ask(SwitchEmbedder("vectors"))
    found = engine.ask(Recall(RecallRequest(message="钟楼的暗门", folder=folder)))
    assert "暗门" in found.injection.text

    groups = engine.ask(CompressPlanOf(folder=folder, forced=True)).groups
    (proposal,) = engine.ask(SuggestSummaries(groups=groups))
    engine.run(ApplyProposal(proposal=proposal))
    _there_and_back(library, extracted)
    by_pk = {each.pk: each for each in memories(library)}
    (summary,) = (each for each in by_pk.values() if each.level == 1)
    assert summary.body == SUMMARY
    assert {by_pk[pk].status_reason for pk in events} == {StatusReason.COMPRESSED}

    _grow_older(library, 900)
    plan = engine.ask(ForgetPlan(folder=folder))
    assert summary.pk in set(plan.rows.pks.tolist())
    aged = dump_rows(library.files.database)
    engine.run(ForgetMemories(memories=(MemoryPk(summary.pk),)))
    gone = _there_and_back(library, aged)
    forgotten = next(each for each in memories(library) if each.pk == summary.pk)
    assert (forgotten.status, forgotten.status_reason) == (Status.ARCHIVED, StatusReason.FORGOTTEN)

    engine.ask(RunRebuild(RebuildScope.ALL))
    assert engine.ask(AcceptRebuild()) == len(by_pk)
    assert dump_rows(library.files.database) == gone  # vectors are no part of what is remembered

    _grow_older(library, -900)  # what no op did is not undone
    for _ in range(3):
        engine.undo()
    assert dump_rows(library.files.database) == begun
