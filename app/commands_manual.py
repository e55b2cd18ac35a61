"""The command for the manual model: requests that wait for a person, their replies, and going on with them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, time_json, typed_number
from core.domain.errors import Invalid, NotFound, WaitsForReply
from core.domain.model_answers import ManualOutcome, ManualRequest
from core.domain.queries_models import AnswerManual, GiveUpManual, ManualRequests, ResumeManual

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

ACTIONS = ("list", "show", "reply", "resume", "give-up")


def manual(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """List requests, show one, hand its reply in, go on with it, or give it up. Errors: NotFound, Invalid."""
    engine, action = library.engine, args["action"]
    if action == "list":
        return _listed(engine.ask(ManualRequests()), say)
    text = args["request"] or ""
    number = typed_number(text)
    if number is None:
        raise Invalid("error.cli.request", text=text)
    act: Callable[[EngineApi, int, Mapping[str, Any], Say], Answer] = {
        "show": _shown,
        "reply": _replied,
        "resume": _resumed,
        "give-up": _given_up,
    }[action]
    return act(engine, number, args, say)


def _listed(requests: tuple[ManualRequest, ...], say: Say) -> Answer:
    lines = [
        f"{each.number:>5}  {say(f'models.task.{each.task.value}')}  {each.folder}  "
        f"{say('cli.manual.answered' if each.answered else 'cli.manual.waits')}"
        for each in requests
    ]
    return Answer(
        {"requests": [_request_json(each) for each in requests]}, tuple(lines) or (say("manual.none"),)
    )


def _request_json(request: ManualRequest) -> dict[str, Any]:
    return {
        "number": request.number,
        "task": request.task.value,
        "folder": request.folder,
        "answered": request.answered,
        "goes_on": request.goes_on,
        "asked_at": time_json(request.asked_at),
    }


def _shown(engine: EngineApi, number: int, _args: Mapping[str, Any], _say: Say) -> Answer:
    request = next((each for each in engine.ask(ManualRequests()) if each.number == number), None)
    if request is None:
        raise NotFound("error.manual.gone", number=number)
    return Answer({**_request_json(request), "text": request.text}, (request.text,))


def _replied(engine: EngineApi, number: int, args: Mapping[str, Any], say: Say) -> Answer:
    """The reply of a file, or of the input; then the work goes on."""
    engine.ask(AnswerManual(number, _reply(args["file"])))
    return _resumed(engine, number, args, say)


def _reply(file: str | None) -> str:
    if file is None:
        return sys.stdin.read()
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise NotFound("error.cli.reply_file", path=file, details=str(error)) from error


def _resumed(engine: EngineApi, number: int, _args: Mapping[str, Any], say: Say) -> Answer:
    """What became of the reply; the next request is no fault."""
    try:
        outcome = engine.ask(ResumeManual(number))
    except WaitsForReply as waits:
        lines = [say("manual.changed")] if waits.changed else []
        data = {"proposals": [], "waits": waits.number, "changed": waits.changed}
        return Answer(data, (*lines, say(waits.key, number=waits.number), say("cli.hint.manual")))
    data = {"proposals": list(outcome.proposals), "waits": None, "changed": False, "done": outcome.done}
    return Answer(data, tuple(_outcome_lines(outcome, say)), outcome.done)


def _outcome_lines(outcome: ManualOutcome, say: Say) -> list[str]:
    lines = [say("cli.manual.proposal", proposal=pk) for pk in outcome.proposals]
    lines += [say(problem.key, **dict(problem.args)) for problem in outcome.problems]
    if outcome.why:
        lines.append(say(outcome.why, **outcome.args))
    if not outcome.goes_on:
        lines.append(say("manual.kept"))
    return lines or [say("manual.nothing")]


def _given_up(engine: EngineApi, number: int, _args: Mapping[str, Any], say: Say) -> Answer:
    engine.ask(GiveUpManual(number))
    return Answer({"given_up": number}, (say("manual.given_up"),))
