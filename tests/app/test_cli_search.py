"""The search language on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain.commands_search import SaveSearch
from core.domain.enums import ActorKind
from core.domain.queries import MemoryFilter
from core.domain.results import Actor
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.app.conftest import MEDIUM, Run


@pytest.mark.parametrize("command", [("search",), ("list", "--text")])
def test_search_narrows_by_keys_in_both_languages(run: Run, command: tuple[str, ...]) -> None:
    run("import", MEDIUM)

    def found(text: str) -> set[str]:
        ran = run(*command, text, "--limit", "0", "--json")
        assert ran.code == 0, ran.out
        return {item["id"] for item in ran.data["items"]}

    events = found("type:event")
    assert events
    assert events == found("类型：事件") == found("folder:medium_300_zh type:event")
    assert found("type:event floor:3-9") < events
    assert found("(-type:event)") | events == found("")
    assert found("type:event OR type:rule") > events


def test_search_that_is_wrong_ends_with_one_and_says_the_nearest(run: Run) -> None:
    run("import", MEDIUM)
    ran = run("search", "fog type:evnt", "--json")
    assert ran.code == 1
    assert ran.data["error"]["key"] == "error.search.value"
    assert "event" in ran.data["error"]["text"]


def test_meaning_without_vectors_is_said(run: Run) -> None:
    run("import", MEDIUM)
    ran = run("search", "~the night", "--json")
    assert (ran.code, ran.data["error"]["key"]) == (1, "error.search.no_vectors")


def test_everything_about_a_name_is_said_and_given_as_json(run: Run) -> None:
    run("import", MEDIUM)
    found = run("about", "顧臨淵", "--json").data
    assert found["memory"]["title"] == "顾临渊"
    assert found["mentions"]["exact"]
    assert found["mentions"]["total"] == len(found["mentions"]["items"]) > 3
    floors = [item["seq"] for item in found["events"]["items"]]
    assert floors == sorted(floors)
    assert found["relations"]
    assert all(item["live"] in (True, False) for group in found["relations"] for item in group["items"])
    by_id = run("about", found["memory"]["id"], "--limit", "1", "--json").data
    assert (by_id["memory"]["id"], by_id["mentions"]["shown"]) == (found["memory"]["id"], 1)
    assert "顾临渊" in run("about", "顾临渊").out
    assert run("about", "没有这个人").out.startswith("No memory is called")
    assert run("about", "…").code == 1


def test_saved_search_is_listed_and_narrowed(run: Run, library: Path) -> None:
    run("import", MEDIUM)
    store = SqlStore(LibraryFiles(library), default_schema())
    engine = Engine(store, Actor(ActorKind.PERSON, "me", "window"))
    engine.run(SaveSearch("Rules and events", MemoryFilter(text="type:event OR type:rule", language=True)))
    engine.close()
    every = run("list", "--saved", "rules AND events", "--json").data["total"]
    assert every == run("list", "--text", "type:event OR type:rule", "--json").data["total"]
    rules = run("list", "--saved", "rules and events", "--text", "type:rule", "--json").data["total"]
    assert rules == run("list", "--text", "type:rule", "--json").data["total"] < every
    item = {"name": "Rules and events", "text": "type:event OR type:rule", "memories": every}
    assert run("searches", "--json").data["items"] == [item]
    ran = run("list", "--saved", "nothing", "--json")
    assert (ran.code, ran.data["error"]["key"]) == (1, "error.search.saved_unknown")
