"""The command for vectors: what making them would cost, made anew beside those in use, or by another model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say
from app.commands_named import folder_named
from core import model_settings as kept
from core.domain.endpoints import BUILTIN
from core.domain.errors import Invalid, NotFound
from core.domain.health import RebuildEstimate, RebuildJob, RebuildScope, RebuildState
from core.domain.model_answers import EmbedderSwitch
from core.domain.queries_health import (
    AcceptRebuild,
    CurrentRebuild,
    DropRebuild,
    EstimateRebuild,
    RunRebuild,
)
from core.domain.queries_models import PlanEmbedderSwitch, SwitchEmbedder

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

MISSING, ANEW, GO_ON, ACCEPT, GIVE_UP, SWITCH = "missing", "anew", "go-on", "accept", "give-up", "switch"
ACTIONS = (MISSING, ANEW, GO_ON, ACCEPT, GIVE_UP, SWITCH)
BUILTIN_NAME, NONE = "builtin", "none"


def vectors(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """What `action` says; without one what is missing and which rebuild there is. Errors: Invalid, Unavailable."""
    act: dict[str, Callable[[Library, Mapping[str, Any], Say], Answer]] = {
        MISSING: _make,
        ANEW: _make,
        GO_ON: _go_on,
        ACCEPT: _accept,
        GIVE_UP: _give_up,
        SWITCH: _switch,
    }
    if args["to"] is not None and args["action"] != SWITCH:
        raise Invalid("error.cli.vectors_to")
    return act[args["action"]](library, args, say) if args["action"] else _state(library.engine, say)


def _state(engine: EngineApi, say: Say) -> Answer:
    estimate, job = engine.ask(EstimateRebuild(RebuildScope.STALE)), engine.ask(CurrentRebuild())
    lines = [_cost_line(estimate, say), *([] if job is None else _job_lines(job, say))]
    return Answer({"missing": estimate.texts, "rebuild": _job_json(job)}, tuple(lines))


def _make(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    engine, name = library.engine, args["folder"]
    if args["action"] == MISSING and name:
        raise Invalid("error.cli.vectors_folder")
    folder = folder_named(engine, name).pk if name else None
    whole = RebuildScope.STALE if args["action"] == MISSING else RebuildScope.ALL
    scope = whole if folder is None else RebuildScope.FOLDER
    if args["dry_run"]:
        estimate = engine.ask(EstimateRebuild(scope, folder))
        return Answer({"dry_run": True, **_cost_json(estimate)}, (_cost_line(estimate, say),))
    return _job_answer(engine.ask(RunRebuild(scope, folder)), say)


def _go_on(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    return _job_answer(library.engine.ask(RunRebuild()), say)


def _accept(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    count = library.engine.ask(AcceptRebuild())
    return Answer({"accepted": count}, (say("health.rebuild.accepted", count=count),))


def _give_up(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    gone = library.engine.ask(DropRebuild())
    return Answer({"given_up": gone}, (say("cli.vectors.given_up" if gone else "cli.vectors.none"),))


def _switch(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    to = _embedder_named(library, args["to"])
    engine = library.engine
    if args["dry_run"]:
        plan = engine.ask(PlanEmbedderSwitch(to))
        return Answer(_switch_json(plan, dry_run=True), (_plan_line(plan, say),))
    done = engine.ask(SwitchEmbedder(to))
    key = "models.switch.weights" if done.other_weights else "models.switch.done"
    line = say(key if done.complete else "models.switch.again")
    return Answer(_switch_json(done, dry_run=False), (line,), done=done.complete)


def _embedder_named(library: Library, name: str | None) -> str:
    """What the queries call it. Errors: Invalid without a name, NotFound."""
    if name is None:
        raise Invalid("error.cli.vectors_whose")
    if name in (BUILTIN_NAME, NONE):
        return name
    for each in kept.endpoints(library.settings):
        if name in (each.name, each.id) and each.id != BUILTIN:
            return each.id
    raise NotFound("error.endpoint.missing", name=name)


def _job_answer(job: RebuildJob, say: Say) -> Answer:
    done = job.scope is RebuildScope.STALE or job.state is RebuildState.READY
    return Answer({"dry_run": False, "rebuild": _job_json(job)}, tuple(_job_lines(job, say)), done=done)


def _job_lines(job: RebuildJob, say: Say) -> list[str]:
    if job.scope is RebuildScope.STALE and job.state is not RebuildState.PAUSED:
        return [say("health.rebuild.stale_done")]
    lines = [say(f"health.rebuild.state.{job.state.value}", done=job.done, total=job.total)]
    if job.failed:
        lines.append(say("health.rebuild.failed", count=job.failed))
    if job.error:
        lines.append(say("health.rebuild.error", reason=job.error))
    for name, new in job.new.items():
        old = job.old.get(name, 0.0)
        lines.append(
            say("health.rebuild.figure", name=name.replace("_", "@"), old=f"{old:.2f}", new=f"{new:.2f}")
        )
    if job.state is RebuildState.READY:
        lines.append(say("cli.vectors.decide"))
    return lines


def _job_json(job: RebuildJob | None) -> dict[str, Any] | None:
    if job is None:
        return None
    return {
        "scope": job.scope.value,
        "state": job.state.value,
        "done": job.done,
        "total": job.total,
        "failed": job.failed,
        "old": dict(job.old),
        "new": dict(job.new),
    }


def _cost_line(estimate: RebuildEstimate, say: Say) -> str:
    if not estimate.texts:
        return say("health.rebuild.nothing")
    seconds = max(1, round(estimate.seconds))
    return say(
        "health.rebuild.cost",
        count=estimate.texts,
        texts=estimate.texts,
        tokens=estimate.tokens,
        time=say("health.seconds", count=seconds),
        model=estimate.model,
    )


def _cost_json(estimate: RebuildEstimate) -> dict[str, Any]:
    return {
        "texts": estimate.texts,
        "tokens": estimate.tokens,
        "seconds": round(estimate.seconds, 1),
        "model": estimate.model,
    }


def _plan_line(plan: EmbedderSwitch, say: Say) -> str:
    return say(
        "cli.vectors.plan",
        old=plan.old or say("models.switch.nobody"),
        new=plan.new or say("models.switch.nobody"),
        count=plan.to_embed,
        tokens=plan.tokens,
        time=say("health.seconds", count=max(1, round(plan.seconds))),
    )


def _switch_json(plan: EmbedderSwitch, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "old": plan.old or None,
        "new": plan.new or None,
        "to_embed": plan.to_embed,
        "tokens": plan.tokens,
        "seconds": round(plan.seconds, 1),
        "cost": plan.cost,
        "complete": plan.complete,
    }
