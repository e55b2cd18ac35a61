"""The command for models: endpoints listed, added, tested, chosen and removed. It needs no library."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from app.answers import Answer, Say
from app.container_models import Models
from core import model_settings as kept
from core.domain.endpoints import (
    BUILTIN,
    MANUAL,
    PRESETS,
    Endpoint,
    EndpointKind,
    ModelTask,
    Secret,
    new_endpoint_id,
)
from core.domain.errors import Invalid, NotFound
from core.domain.model_answers import EndpointReport, Outcome
from core.domain.queries_models import TestEndpoint
from core.settings import Settings

ACTIONS = ("list", "add", "test", "use", "remove")
MARKS = {Outcome.WORKS: "+", Outcome.MISSING: "o", Outcome.FAILS: "-"}
NO_EMBEDDER = "none"


def models(settings: Settings, args: Mapping[str, Any], say: Say) -> Answer:
    """List endpoints, or do with one what `action` says. Errors: NotFound, Invalid, Unavailable."""
    act: Callable[[Settings, Models, Mapping[str, Any], Say], Answer] = {
        "list": _list,
        "add": _add,
        "test": _test,
        "use": _use,
        "remove": _remove,
    }[args["action"] or "list"]
    with closing(Models(settings, settings.beside("model_usage.json"))) as room:
        return act(settings, room, args, say)


def _list(settings: Settings, room: Models, _args: Mapping[str, Any], say: Say) -> Answer:
    rows = [_endpoint_json(settings, room, each) for each in kept.endpoints(settings)]
    tasks = {task.value: _who(settings, kept.served_by(settings, task)) for task in ModelTask}
    usage = [
        {
            "endpoint": _who(settings, row.endpoint),
            "task": row.task,
            "calls": row.usage.calls,
            "tokens_in": row.usage.tokens_in,
            "tokens_out": row.usage.tokens_out,
            "cost": row.usage.cost,
            "counted": row.usage.counted,
        }
        for row in room.usage.totals()
    ]
    embedder = _embedder(settings)
    lines = [say("cli.models.none")] if not rows else []
    lines += [
        f"{row['name']}  {row['kind']}  {row['model'] or '-'}  {row['url']}  {say('cli.models.key.' + row['key'])}"
        for row in rows
    ]
    lines += [f"{say('models.task.' + task)}: {_shown(who, say)}" for task, who in tasks.items()]
    lines.append(f"{say('setting.embedder')}: {_shown(embedder, say)}")
    lines += [
        say("cli.models.used", endpoint=row["endpoint"], task=say(f"models.task.{row['task']}"), calls=row["calls"],
            tokens_in=row["tokens_in"], tokens_out=row["tokens_out"], cost=f"{row['cost']:.4f}")
        for row in usage
    ]  # fmt: skip
    return Answer({"endpoints": rows, "tasks": tasks, "embedder": embedder, "usage": usage}, tuple(lines))


def _add(settings: Settings, room: Models, args: Mapping[str, Any], say: Say) -> Answer:
    """A new endpoint, or another state of the one with that name. The key is asked for, never an argument."""
    name = args["name"]
    if not name:
        raise Invalid("error.models.name")
    preset = next((each for each in PRESETS if each.id == args["preset"]), None)
    before = _named(settings, name)
    endpoint = before or Endpoint(id=new_endpoint_id(), name=name, url="")
    if preset is not None and before is None:
        endpoint = replace(
            endpoint, url=preset.url, concurrency=preset.concurrency, timeout_s=preset.timeout_s
        )
    given = {
        "url": args["url"],
        "model": args["model_name"],
        "kind": EndpointKind.EMBEDDING if args["embedding"] else None,
        "timeout_s": args["timeout"],
        "price_in": args["price_in"],
        "price_out": args["price_out"],
    }
    endpoint = replace(endpoint, **{key: value for key, value in given.items() if value is not None})
    _check_address(endpoint)
    kept.save_endpoint(settings, endpoint)
    if args["key"]:
        room.keys.keep(endpoint, Secret(_asked_key(say)))
    row = _endpoint_json(settings, room, endpoint)
    text = "cli.models.changed" if before else "cli.models.added"
    return Answer({"endpoint": row}, (say(text, name=endpoint.name, url=row["url"]),))


def _check_address(endpoint: Endpoint) -> None:
    from app.container_models import address_of

    address_of(endpoint)


def _asked_key(say: Say) -> str:
    """Typed unseen, or the first line of what is piped in."""
    if sys.stdin.isatty():
        return getpass.getpass(say("cli.models.ask_key"))
    return sys.stdin.readline().strip()


def _test(settings: Settings, room: Models, args: Mapping[str, Any], say: Say) -> Answer:
    """Test the connection; the length of vectors and what is "the same" for their model are kept."""
    endpoint = _known(settings, args["name"])
    report: EndpointReport = room.answers()[TestEndpoint](TestEndpoint(endpoint), None)
    if report.measured is not None:
        kept.save_endpoint(settings, replace(endpoint, measured=report.measured))
    lines = [
        {"outcome": line.outcome.value, "what": line.text, "text": say(line.text, **line.args)}
        for line in report.lines
    ]
    data = {"name": endpoint.name, "usable": report.usable, "lines": lines, "models": list(report.models)}
    shown = tuple(f"{MARKS[Outcome(line['outcome'])]} {line['text']}" for line in lines)
    return Answer(data, shown, report.usable)


def _use(settings: Settings, _room: Models, args: Mapping[str, Any], say: Say) -> Answer:
    """Let an endpoint, `manual` or `builtin` serve tasks (all of them when none is named), or make the vectors."""
    name = args["name"]
    who = {"builtin": BUILTIN, "manual": MANUAL}.get(name)
    endpoint = None if who is not None else _known(settings, name)
    tasks = [ModelTask(task) for task in args["task"] or ()]
    if endpoint is not None and endpoint.kind is EndpointKind.EMBEDDING:
        if tasks:
            raise Invalid("error.endpoint.no_chat", name=endpoint.name)
        if not endpoint.measured.dims:
            raise Invalid("error.embedder.untested", name=endpoint.name)
        kept.use_embedder(settings, endpoint.id)
        return Answer({"embedder": endpoint.name}, (say("cli.models.embedder", name=endpoint.name),))
    for task in tasks or ModelTask:
        kept.choose(settings, task, endpoint.id if endpoint is not None else (who or BUILTIN))
    served = {task.value: _who(settings, kept.served_by(settings, task)) for task in ModelTask}
    lines = [f"{say('models.task.' + task)}: {_shown(each, say)}" for task, each in served.items()]
    if name == "builtin" and not tasks:
        kept.use_embedder(settings, "builtin")
    return Answer({"tasks": served, "embedder": _embedder(settings)}, tuple(lines))


def _remove(settings: Settings, room: Models, args: Mapping[str, Any], say: Say) -> Answer:
    endpoint = _known(settings, args["name"])
    kept.remove_endpoint(settings, endpoint.id)
    room.keys.keep(endpoint, Secret(""))
    return Answer({"removed": endpoint.name}, (say("cli.models.removed", name=endpoint.name),))


def _known(settings: Settings, name: str | None) -> Endpoint:
    found = _named(settings, name or "")
    if found is None:
        raise NotFound("error.endpoint.missing", name=name or "")
    return found


def _named(settings: Settings, name: str) -> Endpoint | None:
    return next((each for each in kept.endpoints(settings) if name in (each.name, each.id)), None)


def _endpoint_json(settings: Settings, room: Models, endpoint: Endpoint) -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "name": endpoint.name,
        "kind": endpoint.kind.value,
        "url": endpoint.url,
        "model": endpoint.model,
        "key": room.keys.place(endpoint).place,
        "dims": endpoint.measured.dims or None,
        "tasks": [task.value for task in ModelTask if kept.served_by(settings, task) == endpoint.id],
    }


def _who(settings: Settings, who: str) -> str:
    if who in (BUILTIN, MANUAL):
        return who or "builtin"
    found = kept.endpoint(settings, who)
    return who if found is None else found.name


def _embedder(settings: Settings) -> str:
    chosen = kept.chosen_embedder(settings)
    if chosen is not None:
        return chosen.name
    return NO_EMBEDDER if settings.text("embedder") == NO_EMBEDDER else "builtin"


def _shown(who: str, say: Say) -> str:
    words = {
        "builtin": "models.who.builtin",
        "manual": "models.who.manual",
        NO_EMBEDDER: "setting.embedder.none",
    }
    return say(words[who]) if who in words else who
