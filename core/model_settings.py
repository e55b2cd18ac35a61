"""Endpoints and who serves what, read from and written to the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from core.domain.endpoints import (
    BUILTIN,
    LIMITS,
    MANUAL,
    MAX_NAME,
    Endpoint,
    EndpointKind,
    ModelTask,
    endpoint_json,
    holds_secret,
    read_endpoints,
)
from core.domain.errors import Invalid, NotFound
from core.domain.json_types import Json
from core.settings import Settings

ENDPOINTS = "models.endpoints"
EMBEDDING = "models.embedding"


_TASK_KEYS: Mapping[ModelTask, str] = {
    ModelTask.EXTRACT: "models.task.extract",
    ModelTask.RECALL: "models.task.recall",
    ModelTask.COMPRESS: "models.task.compress",
    ModelTask.SYNOPSIS: "models.task.synopsis",
    ModelTask.REFLECTION: "models.task.reflection",
    ModelTask.CONSOLIDATE: "models.task.consolidate",
}


def task_key(task: ModelTask) -> str:
    """Name of the setting that says which endpoint serves a task."""
    return _TASK_KEYS[task]


def endpoints(settings: Settings, kind: EndpointKind | None = None) -> tuple[Endpoint, ...]:
    """All endpoints, or those of one kind, in the order they were added."""
    found = read_endpoints(settings.get(ENDPOINTS))
    return tuple(each for each in found if kind is None or each.kind is kind)


def endpoint(settings: Settings, endpoint_id: str) -> Endpoint | None:
    """The endpoint of that id."""
    return next((each for each in endpoints(settings) if each.id == endpoint_id), None)


def save_endpoint(settings: Settings, changed: Endpoint) -> None:
    """Add the endpoint, or put it in the place of the one with its id. Errors: Invalid."""
    checked = replace(
        changed, name=changed.name.strip(), url=changed.url.strip(), model=changed.model.strip()
    )
    if not checked.name or len(checked.name) > MAX_NAME:
        raise Invalid("error.endpoint.name", most=MAX_NAME)
    if holds_secret(checked.url):
        raise Invalid("error.endpoint.key_in_url")
    if holds_secret(checked.proxy):
        raise Invalid("error.endpoint.key_in_proxy")
    for name, (low, high) in LIMITS.items():
        if not low <= getattr(checked, name) <= high:
            raise Invalid("error.endpoint.number", field=name, low=f"{low:g}", high=f"{high:g}")
    others = endpoints(settings)
    if any(each.name == checked.name and each.id != checked.id for each in others):
        raise Invalid("error.endpoint.same_name", name=checked.name)
    kept = [checked if each.id == checked.id else each for each in others]
    if all(each.id != checked.id for each in others):
        kept.append(checked)
    _write(settings, kept)


def remove_endpoint(settings: Settings, endpoint_id: str) -> None:
    """Remove it; tasks that it served are done by the program itself again. Errors: NotFound."""
    kept = [each for each in endpoints(settings) if each.id != endpoint_id]
    if len(kept) == len(endpoints(settings)):
        raise NotFound("error.endpoint.missing", name=endpoint_id)
    for task in ModelTask:
        if settings.text(task_key(task)) == endpoint_id:
            settings.set(task_key(task), BUILTIN)
    if settings.text(EMBEDDING) == endpoint_id:
        if settings.text("embedder") == "endpoint":
            settings.set("embedder", "builtin")
        settings.set(EMBEDDING, "")
    _write(settings, kept)


def served_by(settings: Settings, task: ModelTask) -> str:
    """Who serves a task: an endpoint's id, MANUAL, or BUILTIN (also when the endpoint is gone)."""
    chosen = settings.text(task_key(task))
    known = chosen == MANUAL or endpoint(settings, chosen) is not None
    return chosen if known else BUILTIN


def choose(settings: Settings, task: ModelTask, who: str) -> None:
    """Let a task be served by an endpoint (its id), by hand (MANUAL) or by the program (BUILTIN).

    Errors: NotFound, Invalid for an endpoint that does not answer in words.
    """
    if who not in (BUILTIN, MANUAL):
        found = endpoint(settings, who)
        if found is None:
            raise NotFound("error.endpoint.missing", name=who)
        if found.kind is not EndpointKind.CHAT:
            raise Invalid("error.endpoint.no_chat", name=found.name)
    settings.set(task_key(task), who)


def serve_all(settings: Settings, endpoint_id: str) -> None:
    """Let an endpoint serve every task that nobody was chosen for."""
    for task in ModelTask:
        if served_by(settings, task) == BUILTIN:
            choose(settings, task, endpoint_id)


def chosen_embedder(settings: Settings) -> Endpoint | None:
    """The endpoint that makes vectors; None when the built-in embedder does, or nobody."""
    if settings.text("embedder") != "endpoint":
        return None
    found = endpoint(settings, settings.text(EMBEDDING))
    usable = found is not None and found.kind is EndpointKind.EMBEDDING and found.measured.dims > 0
    return found if usable else None


def use_embedder(settings: Settings, who: str) -> None:
    """Let `builtin`, `none` or an endpoint (its id) make the vectors, from the next opening of a library on."""
    if who in ("builtin", "none"):
        settings.set("embedder", who)
    else:
        settings.set(EMBEDDING, who)
        settings.set("embedder", "endpoint")


def other_weights(settings: Settings, endpoint_id: str) -> None:
    """The model behind that name is another one now: its vectors are kept apart from the old ones."""
    found = endpoint(settings, endpoint_id)
    if found is not None:
        save_endpoint(settings, replace(found, weights=found.weights + 1))


def _write(settings: Settings, kept: Sequence[Endpoint]) -> None:
    rows: Sequence[Mapping[str, Json]] = [endpoint_json(each) for each in kept]
    settings.set(ENDPOINTS, cast("Json", rows))
