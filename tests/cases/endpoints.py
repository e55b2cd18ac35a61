"""Scenarios of endpoints: another embedding model, a server that is too busy, a key that must not show."""

from __future__ import annotations

import json
import logging
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings
from core.adapters.endpoints.caller import Caller, Patience
from core.adapters.endpoints.net import Net
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.endpoints import Endpoint, EndpointKind, Measured, ModelTask, Secret
from core.domain.errors import Cancelled, CuratorError, Unavailable, UserError
from core.domain.ids import TypeId
from core.domain.queries_health import MakeBundle
from core.domain.queries_models import KeepKey, PlanEmbedderSwitch, SwitchEmbedder, TestEndpoint
from core.domain.texts import LANGUAGES, render
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from core.settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm_server import Fault, serving

WORDS = ("铜钥匙", "钟楼", "银灯", "地下入口", "雨天", "渡船", "面包房", "北门", "信使", "旧地图")


def _library(work: Path, records: int, settings: Settings) -> Library:
    library = open_library(work / "library", person(), settings, create=True, keep=True)
    folder = library.engine.run(CreateFolder(name="f")).created_folder
    assert folder is not None
    for at in range(records):
        body = f"{WORDS[at % len(WORDS)]} {at + 1}"
        library.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("knowledge"), body=body)))
    return library


def dimension_switch(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """Old and new model are shown, cancel keeps the old one, nothing is mixed, after it all are there."""
    faults: list[str] = []
    settings = Settings(work / "settings.json")
    with serving() as server:
        names = {
            each["model"]: each["dim"]
            for each in (scenario["old"], scenario["new"], scenario.get("also"))
            if each
        }
        for name, dims in names.items():
            model_settings.save_endpoint(
                settings,
                Endpoint(id=name, name=name, url=server.url, model=name, kind=EndpointKind.EMBEDDING,
                         measured=Measured(dims)),
            )  # fmt: skip
        server.vectors_by_model = {name: HashEmbedder(dims, name) for name, dims in names.items()}
        old, new = scenario["old"]["model"], scenario["new"]["model"]
        model_settings.use_embedder(settings, old)
        with closing(_library(work, scenario["records"], settings)) as library:
            library.indexer.drain()
            for name in names.keys() - {old}:
                plan = library.engine.ask(PlanEmbedderSwitch(name))
                shown = (plan.old_dims, plan.new_dims, plan.old_vectors, plan.to_embed)
                wanted = (names[old], names[name], scenario["records"], scenario["records"])
                if (shown == wanted and plan.old != plan.new) is not checks["prompt"]:
                    faults.append(f"{name}: shown {plan}")
            faults += _cancelled_switch(library, new)
            library.engine.ask(SwitchEmbedder(new))
            pks, matrix = library.store.queue.matrix(library.embedder.identity.key)
            after = {"dim": int(matrix.shape[1]), "vectors": len(pks)}
            if after != checks["after_rebuild"]:
                faults.append(f"after the switch: {after}")
            kept = library.store.queue.matrix(f"openai:{old}|{names[old]}|")[1]
            mixed = kept.shape[1] != names[old] or {names[old], names[new]} - {kept.shape[1], matrix.shape[1]}
            if bool(mixed) is not checks["mixed"]:
                faults.append("vectors of two models are mixed")
    return faults


def _cancelled_switch(library: Library, new: str) -> list[str]:
    before, token = library.embedder.identity, CancelToken()
    token.cancel()
    with suppress(Cancelled):
        library.engine.ask(SwitchEmbedder(new), cancel=token)
    return [] if library.embedder.identity == before else ["a cancelled switch took effect"]


def rate_limit(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """The busy server is waited for; given up, what was done stays, and the next try goes on there."""
    faults: list[str] = []
    item, total = scenario["fail_item"], scenario["items"]
    answers = [
        Fault(status, b"<html>busy</html>", "text/html", headers) for status, headers in scenario["responses"]
    ]
    busy = [each for each in answers if each.status != 200]
    slept: list[float] = []

    async def nap(seconds: float) -> None:
        slept.append(seconds)

    with serving() as server, closing(_library(work, total, Settings())) as library:
        endpoint = Endpoint(id="ep", name="ep", url=server.url, kind=EndpointKind.EMBEDDING, batch=1,
                            measured=Measured(32))  # fmt: skip
        patience = Patience(sleep=nap, clock=lambda: sum(slept))
        net = Net()
        caller = Caller(endpoint, None, net, patience)
        indexer = library.indexer_beside(EndpointEmbedder(caller, len))
        server.faults = [None] * (item - 1) + [Fault(429, b"<html>busy</html>", "text/html")] * 99
        try:
            indexer.drain()
            faults.append("not given up")
        except Unavailable as error:
            faults += [f"raw page shown: {error}"] if "<" in str(error) else []
        done = len(library.store.queue.matrix(indexer.embedder.identity.key)[0])
        if done != checks["done_when_given_up"]:
            faults.append(f"{done} done when given up")
        if (waiting := indexer.waiting()) != total - done:
            faults.append(f"{waiting} left")
        server.requests.clear()
        slept.clear()
        server.faults = list(busy)
        indexer.drain()
        bodies = [str(body["input"]) for body in server.bodies("embeddings")]
        if bodies.count(bodies[0]) != checks["requests_for_item4"]:
            faults.append(f"{bodies.count(bodies[0])} requests for the item")
        if len(set(bodies)) != total - done:
            faults.append("finished items were asked for again")
        if [pause for pause in slept[: len(busy)] if pause < 1.0]:
            faults.append(f"waited {slept}")
        done = len(library.store.queue.matrix(indexer.embedder.identity.key)[0])
        if done != checks["done"]:
            faults.append(f"{done} done in the end")
        caller.close()
        net.close()
    return faults


def api_key(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """The key is sent, and afterwards stands in no file, no log and no message."""
    key, shown = scenario["key"], _Heard()
    logging.getLogger().addHandler(shown)
    before = logging.getLogger().level
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        texts = _use_key(key, scenario["error_body"], work)
    finally:
        logging.getLogger().setLevel(before)
        logging.getLogger().removeHandler(shown)
    files = [path for path in work.rglob("*") if path.is_file()]
    hits = [str(path) for path in files if key.encode() in path.read_bytes()]
    hits += [text[:80] for text in (*texts, *shown.lines) if key in text]
    return [] if len(hits) == checks["hits"] else [f"found in {hits}"]


def _use_key(key: str, body: str, work: Path) -> Sequence[str]:
    """Everything that a person could be shown when the server does not accept the key."""
    texts: list[str] = []
    settings = Settings(work / "settings.json")
    with serving() as server, closing(_library(work, 2, settings)) as library:
        endpoint = Endpoint(id="ep", name="ep", url=server.url, model="m")
        model_settings.save_endpoint(settings, endpoint)
        model_settings.choose(settings, ModelTask.EXTRACT, endpoint.id)
        library.engine.ask(KeepKey(endpoint, Secret(key), session_only=True))
        bodies = [body, json.dumps({"error": {"message": body}}), json.dumps({"detail": body})]
        server.faults = [Fault(401, each.encode()) for each in bodies]
        for _ in bodies:
            texts += _told(lambda: _model(library).complete([ChatMessage("user", "x")]))
        server.faults = [Fault(401, body.encode())]
        texts.append(repr(library.engine.ask(TestEndpoint(endpoint, Secret(key)))))
        assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
        for url in (f"https://user:{key}@host/v1", f"https://host/v1?api_key={key}"):
            texts += _told(lambda url=url: library.engine.ask(TestEndpoint(replace(endpoint, url=url))))  # type: ignore[misc]
        texts += _told(lambda: library.engine.ask(KeepKey(endpoint, Secret(f"{key}\nx: y"))))
        packed = library.engine.ask(MakeBundle(work / "bundle.zip"))
    with zipfile.ZipFile(packed) as archive:
        texts += [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return texts


def _model(library: Library) -> Any:
    model = library.models.model_for(ModelTask.EXTRACT)
    assert model is not None
    return model


def _told(call: Any) -> list[str]:
    try:
        return [repr(call())]
    except (UserError, Unavailable) as error:
        said = [render(language, error.key, **error.text_args) for language in LANGUAGES]
        return [repr(error), str(error), repr(error.__dict__), repr(error.__cause__), *said]
    except CuratorError as error:
        return [repr(error)]


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))
