"""A library with endpoints: who serves a task, recall that asks a model, a change of the embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings as kept
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.endpoints import MANUAL, Endpoint, EndpointKind, Measured, ModelTask, Secret
from core.domain.errors import Invalid, NotFound, Unavailable
from core.domain.ids import FolderPk, TypeId
from core.domain.queries import FolderByName, Memories
from core.domain.queries_health import Health
from core.domain.queries_index import SearchByMeaning
from core.domain.queries_models import (
    CheckWeights,
    KeepKey,
    ListModels,
    ModelUsage,
    PlanEmbedderSwitch,
    SwitchEmbedder,
    TestEndpoint,
    WhereIsKey,
)
from core.domain.queries_recall import Recall
from core.domain.recall import RecallRequest
from core.ports.language_model import ChatMessage
from core.settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm_server import FakeServer, serving
from tests.models.desk import KEY

TEXTS = ("艾琳在钟楼下面发现了地下入口", "阿澈得到一把铜钥匙", "雨停之后他们出发", "银灯只在午夜点亮")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def settings(tmp_path: Path, server: FakeServer) -> Settings:
    settings = Settings(tmp_path / "config" / "settings.json")
    kept.save_endpoint(settings, Endpoint(id="chat", name="Chat", url=server.url, model="fake-chat"))
    kept.save_endpoint(
        settings,
        Endpoint(
            id="vectors",
            name="Vectors",
            url=server.url,
            model="m",
            kind=EndpointKind.EMBEDDING,
            measured=Measured(32),
        ),
    )
    return settings


@pytest.fixture
def library(tmp_path: Path, settings: Settings) -> Iterator[Library]:
    settings.set("embedder", "none")
    opened = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    folder = opened.engine.run(CreateFolder(name="f")).created_folder
    assert folder is not None
    for text in TEXTS:
        opened.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("knowledge"), body=text)))
    yield opened
    opened.close()


def folder_of(library: Library) -> FolderPk:
    found = library.engine.ask(FolderByName("f"))
    assert found is not None
    return found.pk


def test_task_is_served_by_whom_the_settings_name(library: Library, settings: Settings) -> None:
    assert library.models.model_for(ModelTask.EXTRACT) is None
    kept.choose(settings, ModelTask.EXTRACT, "chat")
    kept.choose(settings, ModelTask.COMPRESS, MANUAL)
    extract, compress = (library.models.model_for(task) for task in (ModelTask.EXTRACT, ModelTask.COMPRESS))
    assert extract is not None
    assert compress is not None
    assert (extract.name, compress.name) == ("fake-chat", "manual")
    assert library.models.model_for(ModelTask.RECALL) is None


def test_each_op_counts_its_own_tokens_and_the_sum_is_kept(
    library: Library, settings: Settings, server: FakeServer, tmp_path: Path
) -> None:
    server.replies = ["a", "b"]
    kept.choose(settings, ModelTask.EXTRACT, "chat")
    for _ in range(2):
        model = library.models.model_for(ModelTask.EXTRACT)
        assert model is not None
        model.complete([ChatMessage("user", "x")])
        assert model.used.calls == 1
    (row,) = library.engine.ask(ModelUsage())
    assert (row.endpoint, row.task, row.usage.calls, row.usage.tokens_in) == ("chat", "extract", 2, 22)
    assert json.loads((tmp_path / "config" / "model_usage.json").read_text())


def test_health_says_which_endpoint_did_not_answer(
    library: Library, settings: Settings, server: FakeServer
) -> None:
    kept.choose(settings, ModelTask.EXTRACT, "chat")
    model = library.models.model_for(ModelTask.EXTRACT)
    assert model is not None
    server.faults = [401]
    with pytest.raises(Unavailable):
        model.complete([ChatMessage("user", "x")])
    state = library.engine.ask(Health())
    assert [each.name for each in state.endpoints if each.use == "model" and each.problem] == ["fake-chat"]
    assert "health.reason.model" in [reason.key for reason in state.reasons]
    server.replies = ["fine"]
    model.complete([ChatMessage("user", "x")])
    assert not [each for each in library.engine.ask(Health()).endpoints if each.problem]


def test_recall_lets_the_model_choose(library: Library, settings: Settings, server: FakeServer) -> None:
    kept.choose(settings, ModelTask.RECALL, "chat")
    asked: list[str] = []

    def choose(body: object) -> str:
        text = body["messages"][-1]["content"]  # type: ignore[index]
        asked.append(text)
        ids = [json.loads(line)["id"] for line in text.splitlines() if line.startswith('{"id"')]
        return f"<think>{ids}</think>" + json.dumps({"selected_ids": ids[:1]})

    server.replies = choose
    request = RecallRequest(folder=folder_of(library), message="铜钥匙 钟楼 银灯", settings={"rerank": True})
    result = library.engine.ask(Recall(request))
    assert len(asked) == 1
    assert len(result.selected) == 1


def test_connection_is_tested_with_the_key_that_was_typed(library: Library, server: FakeServer) -> None:
    server.key = KEY
    endpoint = Endpoint(id="new", name="New", url=server.url)
    assert not library.engine.ask(TestEndpoint(endpoint)).usable
    assert library.engine.ask(TestEndpoint(endpoint, Secret(KEY))).usable
    assert library.engine.ask(ListModels(endpoint, Secret(KEY))) == ("fake-chat", "fake-vectors")
    with pytest.raises(Unavailable):
        library.engine.ask(ListModels(endpoint))
    with pytest.raises(Invalid):
        library.engine.ask(KeepKey(endpoint, Secret(KEY)))
    library.engine.ask(KeepKey(endpoint, Secret(KEY), session_only=True))
    assert library.engine.ask(WhereIsKey(endpoint)).place == "session"
    assert library.engine.ask(ListModels(endpoint))


def test_embedder_is_changed_with_its_vectors_beside_the_old_ones(
    library: Library, settings: Settings, server: FakeServer
) -> None:
    plan = library.engine.ask(PlanEmbedderSwitch("vectors"))
    assert (plan.old, plan.new, plan.new_dims, plan.to_embed) == ("", "m", 32, 4)
    assert plan.tokens == round(sum(len(text) + 3 for text in TEXTS) / 1.6)
    assert plan.seconds > 0
    assert plan.cost == 0
    told: list[tuple[int, int]] = []
    library.engine.ask(SwitchEmbedder("vectors", lambda done, total: told.append((done, total))))
    assert told[-1] == (4, 4)
    assert settings.text("embedder") == "endpoint"
    hits = library.engine.ask(SearchByMeaning(TEXTS[1], limit=1))
    assert library.engine.ask(Memories((hits[0][0],)))[0].body == TEXTS[1]
    assert library.engine.ask(CheckWeights()) > 0.99  # type: ignore[operator]
    back = library.engine.ask(PlanEmbedderSwitch("none"))
    assert (back.old, back.new) == ("m", "")
    library.engine.ask(SwitchEmbedder("none"))
    assert library.engine.ask(PlanEmbedderSwitch("vectors")).to_embed == 0


def test_other_weights_under_the_same_name_are_noticed_and_kept_apart(
    library: Library, settings: Settings, server: FakeServer
) -> None:
    library.engine.ask(SwitchEmbedder("vectors"))
    server.vectors = HashEmbedder(32, "other weights")
    assert library.engine.ask(CheckWeights()) < 0.99  # type: ignore[operator]
    done = library.engine.ask(SwitchEmbedder("vectors"))
    assert done.other_weights
    assert library.embedder.identity.variant == "#1"
    assert library.engine.ask(CheckWeights()) > 0.99  # type: ignore[operator]


def test_endpoint_that_was_never_measured_is_not_used(
    library: Library, settings: Settings, server: FakeServer
) -> None:
    kept.save_endpoint(
        settings, Endpoint(id="raw", name="Raw", url=server.url, model="m", kind=EndpointKind.EMBEDDING)
    )
    with pytest.raises(Invalid):
        library.engine.ask(SwitchEmbedder("raw"))
    with pytest.raises(NotFound):
        library.engine.ask(SwitchEmbedder("gone"))
    assert settings.text("embedder") == "none"


def test_switch_whose_server_does_not_answer_leaves_all_as_it_was(
    library: Library, settings: Settings, server: FakeServer
) -> None:
    server.faults = [401] * 9
    with pytest.raises(Unavailable):
        library.engine.ask(SwitchEmbedder("vectors"))
    assert settings.text("embedder") == "none"
    with pytest.raises(Unavailable):  # said before anything is begun
        library.engine.ask(PlanEmbedderSwitch("vectors"))
    server.faults = []
    assert library.engine.ask(PlanEmbedderSwitch("vectors")).to_embed == 4
