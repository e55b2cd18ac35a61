"""Test of a connection line by line; keys in keyring, environment and session; tokens counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keyring
import keyring.backend
import pytest

from core.adapters.endpoints.chat import Abilities, EndpointModel
from core.adapters.endpoints.keys import Keys
from core.adapters.endpoints.probe import test_endpoint as probe
from core.adapters.endpoints.usage import UsageLog
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.domain import texts
from core.domain.endpoints import Endpoint, EndpointKind, Secret, Usage
from core.domain.errors import Invalid
from core.domain.model_answers import EndpointReport, Outcome
from tests.models.desk import KEY, EndpointDesk

ENDPOINT = Endpoint(id="ep-1", name="My GPT-4", url="https://api.example.org")


def look_at(desk: EndpointDesk, **values: Any) -> EndpointReport:
    caller = desk.caller(**values)
    abilities = Abilities()
    model = EndpointModel(caller, abilities, len)
    report = probe(caller, model, EndpointEmbedder(caller, len), abilities, None)
    for line in report.lines:
        assert texts.has(line.text, "en"), line.text
        assert texts.has(line.text, "zh_CN"), line.text
    return report


def names(report: EndpointReport) -> list[str]:
    return [line.text.rpartition(".")[2] for line in report.lines]


def test_all_that_works_is_named(desk: EndpointDesk) -> None:
    report = look_at(desk)
    assert names(report) == ["reach", "list", "chat", "schema"]
    assert report.models == ("fake-chat", "fake-vectors")
    assert report.usable


def test_missing_abilities_are_no_fault(desk: EndpointDesk) -> None:
    desk.server.forms = set()
    desk.server.models = ["other"]
    desk.server.replies = ["ready", "no json", "Paris it is", "Paris it is"]
    report = look_at(desk)
    assert names(report) == ["reach", "list", "not_listed", "chat", "no_schema", "no_json", "bad_json"]
    assert report.usable


def test_wrong_key_and_nobody_there_end_the_test(desk: EndpointDesk) -> None:
    desk.server.key = "right"
    report = look_at(desk, key=KEY)
    assert [line.outcome for line in report.lines] == [Outcome.FAILS]
    assert report.lines[0].text == "error.model.key"
    assert "0123456789" not in repr(report)
    assert look_at(desk, url="http://127.0.0.1:9").lines[0].text == "error.model.refused"


def test_embedding_endpoint_is_measured(desk: EndpointDesk) -> None:
    report = look_at(desk, kind=EndpointKind.EMBEDDING, model="fake-vectors")
    assert names(report) == ["reach", "list", "vectors"]
    assert report.measured is not None
    assert report.measured.dims == 32
    assert report.lines[-1].args["dims"] == 32


def test_server_without_a_list_is_reached_all_the_same(desk: EndpointDesk) -> None:
    desk.server.faults = [404]
    assert names(look_at(desk)) == ["reach", "no_list", "chat", "schema"]


class MemoryKeyring(keyring.backend.KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Any:
    before = keyring.get_keyring()
    ring = MemoryKeyring()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


def test_key_lies_in_the_keyring_and_is_forgotten_on_wish(ring: MemoryKeyring) -> None:
    place = Keys().keep(ENDPOINT, Secret(f" Bearer {KEY}\n"))
    assert (place.place, place.hint) == ("keyring", "…cdef")
    assert Keys().of(ENDPOINT) == Secret(KEY)
    assert Keys().keep(ENDPOINT, Secret("")).place == "nowhere"
    assert ring.kept == {}


def test_environment_stands_in_and_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Keys().place(ENDPOINT).place == "nowhere"
    monkeypatch.setenv("MEMORY_CURATOR_KEY_MY_GPT_4", KEY)
    assert Keys().of(ENDPOINT) == Secret(KEY)
    assert Keys().place(ENDPOINT).place == "environment"


def test_machine_without_a_keyring_says_so_and_keeps_for_the_session() -> None:
    keys = Keys()
    with pytest.raises(Invalid) as caught:
        keys.keep(ENDPOINT, Secret(KEY))
    assert caught.value.key == "error.endpoint.no_keyring"
    assert caught.value.text_args["variable"] == "MEMORY_CURATOR_KEY_MY_GPT_4"
    assert "0123456789" not in repr(caught.value)
    assert keys.of(ENDPOINT) is None
    assert keys.keep(ENDPOINT, Secret(KEY), session_only=True).place == "session"
    assert keys.of(ENDPOINT) == Secret(KEY)


def test_tokens_add_up_over_sessions_and_a_damaged_file_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    UsageLog(path).add("ep-1", "extract", Usage(1, 10, 5, 0.5))
    UsageLog(path).add("ep-1", "extract", Usage(1, 1, 1, 0.25, counted=True))
    UsageLog(path).add("ep-1", "recall", Usage(1, 2, 2))
    rows = UsageLog(path).totals()
    assert [(row.task, row.usage.calls, row.usage.tokens_in) for row in rows] == [
        ("extract", 2, 11),
        ("recall", 1, 2),
    ]
    assert rows[0].usage == Usage(2, 11, 6, 0.75, counted=True)
    path.write_text("{broken")
    UsageLog(path).add("ep-1", "recall", Usage(1, 2, 2))
    assert len(UsageLog(path).totals()) == 1
