"""Commands of extraction: read a chat, look at proposals, apply or dismiss them, synopsis and the other tasks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, one_line, op_json, op_text, time_json, typed_number
from app.commands_named import folder_named
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.endpoints import ModelTask, Usage
from core.domain.errors import Cancelled, Invalid
from core.domain.json_types import Json, JsonObject
from core.domain.proposal import (
    BUILT_IN,
    CreatePart,
    EndLinkPart,
    LinkPart,
    PartView,
    ProposalKind,
    ProposalRow,
    ProposalState,
    RetirePart,
)
from core.domain.proposal_json import part_kind
from core.domain.queries_extract import (
    ExtractionReport,
    PlanExtraction,
    PromptTask,
    Reach,
    ResumeExtraction,
    RunAutomatic,
    RunExtraction,
    RunState,
    RunTask,
)
from core.domain.queries_proposals import ProposalOf, Proposals
from core.domain.results import OpResult, Problem

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi
    from core.ports.language_model import ChatMessage
    from core.ports.progress import CancelToken

MODELS = ("builtin", "endpoint", "manual")
ACTIONS = ("list", "show", "apply", "dismiss")
ALL = "all"
SHOWN_CHARS = 100
END_OF_REPLY = "."


# --- extract -----------------------------------------------------------------------------------------------


def extract(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Make a proposal from floors of a chat. Errors: NotFound, Invalid (range, model)."""
    engine = library.engine
    if args["auto"]:
        return _reports(engine.ask(RunAutomatic()), say)
    _choose_model(library, args["model"], ModelTask.EXTRACT, say)
    if args["resume"] is not None:
        return _reports([engine.ask(ResumeExtraction(args["resume"]))], say)
    if not args["folder"]:
        raise Invalid("error.cli.extract_folder")
    folder = folder_named(engine, args["folder"])
    start, end = _range(args["range"])
    reach = Reach.RANGE if args["range"] else Reach(args["reach"])
    if args["dry_run"]:
        return _planned(
            engine, PlanExtraction(folder=folder.pk, reach=reach, start=start, end=end), say, args["model"]
        )
    query = RunExtraction(
        folder=folder.pk,
        reach=reach,
        start=start,
        end=end,
        built_in=args["model"] == "builtin",
        apply=args["apply"],
    )
    return _reports([engine.ask(query)], say)


def _range(text: str | None) -> tuple[int | None, int | None]:
    if not text:
        return None, None
    first, sign, last = text.replace("–", "-").partition("-")
    start = typed_number(first)
    end = typed_number(last) if sign else start
    if start is None or end is None:
        raise Invalid("error.cli.range", text=text)
    return start, end


def _choose_model(library: Library, model: str | None, task: ModelTask, say: Say) -> None:
    """Errors: Invalid when an endpoint is asked for and none is chosen."""
    if model == "manual":
        library.extracting.instead = ConsoleModel(say)
    elif model == "endpoint":
        found = library.models.model_for(task)
        if found is None or found.name == "manual":
            raise Invalid("error.cli.no_endpoint")


class ConsoleModel:
    """A person at the terminal: the request is printed, the reply read up to a line with a point, or the end."""

    name = "manual"

    def __init__(self, say: Say) -> None:
        self._say = say
        self._calls = 0

    @property
    def used(self) -> Usage:
        """Calls alone: nobody knows the tokens of another program."""
        return Usage(calls=self._calls)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,  # noqa: ARG002 - the protocol's; a person is not cut off
        cancel: CancelToken | None = None,  # noqa: ARG002 - the terminal's own Ctrl+C ends it
    ) -> str:
        """The reply that was typed or pasted. Errors: Cancelled when there is none."""
        from core.services.manual_model import request_text

        asked, how = request_text(messages, json_schema), self._say("cli.extract.paste")
        sys.stderr.write(f"{asked}\n\n{how}\n")
        lines = []
        for line in sys.stdin:
            if line.strip() == END_OF_REPLY:
                break
            lines.append(line)
        if not "".join(lines).strip():
            raise Cancelled
        self._calls += 1
        return "".join(lines)


def _planned(engine: EngineApi, query: PlanExtraction, say: Say, model: str | None) -> Answer:
    plan = engine.ask(query)
    name = BUILT_IN if model == "builtin" else plan.model
    batches = [
        {"turns": list(batch.turns), "window": list(batch.window), "tokens": batch.tokens}
        for batch in plan.batches
    ]
    data = {
        "dry_run": True,
        "model": name,
        "pending": plan.pending,
        "tokens": 0 if name == BUILT_IN else plan.tokens,
        "batches": batches,
    }
    lines = [
        say("cli.extract.plan", count=len(plan.batches), tokens=data["tokens"], model=_model_name(name, say))
    ]
    lines += [
        say("cli.extract.batch", start=batch.start, end=batch.end, count=len(batch.turns))
        for batch in plan.batches
    ]
    return Answer(data, tuple(lines))


def _model_name(name: str, say: Say) -> str:
    return say("cli.extract.builtin") if name == BUILT_IN else name


def _reports(reports: Sequence[ExtractionReport], say: Say) -> Answer:
    data = {"runs": [_report_json(report, say) for report in reports]}
    lines = [line for report in reports for line in _report_lines(report, say)]
    done = all(report.state is RunState.DONE for report in reports)
    return Answer(data, tuple(lines) or (say("cli.extract.nothing"),), done)


def _report_json(report: ExtractionReport, say: Say) -> dict[str, Any]:
    return {
        "run": report.run,
        "proposal": report.proposal,
        "state": report.state.value,
        "done": report.done,
        "total": report.total,
        "parts": report.parts,
        "model": report.model,
        "problems": [_problem_json(problem, say) for problem in report.problems],
        "applied": dict(report.applied),
    }


def _report_lines(report: ExtractionReport, say: Say) -> list[str]:
    if report.proposal is None:
        return [say("cli.extract.nothing")]
    lines = [
        say(
            f"cli.extract.{report.state.value}",
            proposal=report.proposal,
            count=report.parts,
            done=report.done,
            total=report.total,
            model=_model_name(report.model, say),
            run=report.run or 0,
        )
    ]
    lines += [f"  {_problem_text(problem, say)}" for problem in report.problems]
    if report.applied:
        lines.append(_counts_line(report.applied, say))
    return lines


def _problem_json(problem: Problem, say: Say) -> dict[str, Json]:
    return {"key": problem.key, "severity": problem.severity, "text": _problem_text(problem, say)}


def _problem_text(problem: Problem, say: Say) -> str:
    return say(problem.key, **dict(problem.args))


def _counts_line(counts: Mapping[str, int], say: Say) -> str:
    parts = [say(f"cli.proposals.count.{name}", count=number) for name, number in counts.items()]
    return say("cli.proposals.applied", counts=say("cli.proposals.count_join").join(parts))


# --- proposals ---------------------------------------------------------------------------------------------


def proposals(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """List, show, apply or dismiss proposals. Errors: NotFound, Conflict, Invalid (no number)."""
    engine = library.engine
    if args["action"] == "list":
        return _listed(engine, args, say)
    text = args["proposal"] or ""
    number = typed_number(text)
    if number is None:
        raise Invalid("error.cli.proposal", text=text)
    groups = tuple(args["group"]) if args["group"] else None
    match args["action"]:
        case "show":
            return _shown(engine, number, say)
        case "apply":
            command = ApplyProposal(proposal=number, groups=groups, if_changed=IfChanged(args["if_changed"]))
            return _changed(engine.run(command), say)
        case _:
            return _changed(engine.run(DismissProposal(proposal=number, groups=groups)), say)


def _listed(engine: EngineApi, args: Mapping[str, Any], say: Say) -> Answer:
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    query = Proposals(
        state=None if args["state"] == ALL else ProposalState(args["state"]),
        kind=ProposalKind(args["kind"]) if args["kind"] else None,
        folder=folder,
    )
    rows = engine.ask(query)
    lines = [
        f"{row.pk:>5}  {say(f'proposal.state.{row.state.value}')}  {row.waiting}/{row.parts}  {row.folder_name}  "
        f"{say(f'proposal.{row.kind.value}', **dict(row.args))}  ({_model_name(row.source, say)})"
        for row in rows
    ]
    data = {"proposals": [_row_json(row) for row in rows]}
    return Answer(data, tuple(lines) or (say("cli.proposals.none"),))


def _row_json(row: ProposalRow) -> dict[str, Any]:
    return {
        "number": row.pk,
        "kind": row.kind.value,
        "state": row.state.value,
        "folder": row.folder_name,
        "source": row.source,
        "parts": row.parts,
        "waiting": row.waiting,
        "applied": row.applied,
        "groups": row.groups,
        "problems": row.problems,
        "request_tokens": row.used.tokens_in,
        "reply_tokens": row.used.tokens_out,
        "cost": row.used.cost,
        "created_at": time_json(row.created_at),
    }


def _shown(engine: EngineApi, number: int, say: Say) -> Answer:
    view = engine.ask(ProposalOf(number))
    proposal = view.proposal
    groups = [
        {
            "key": group.key,
            "start": group.start,
            "end": group.end,
            "problems": [_problem_json(problem, say) for problem in group.problems],
        }
        for group in proposal.groups
    ]
    data = {
        "number": proposal.pk,
        "kind": proposal.kind.value,
        "state": proposal.state.value,
        "folder": view.folder_name,
        "source": proposal.source,
        "problems": [_problem_json(problem, say) for problem in proposal.problems],
        "groups": groups,
        "parts": [_part_json(part, say) for part in view.parts],
    }
    lines = [
        say(f"proposal.{proposal.kind.value}", **dict(proposal.args)),
        *(
            f"  {_problem_text(problem, say)}"
            for problem in (*proposal.problems, *(p for group in proposal.groups for p in group.problems))
        ),
        *(line for part in view.parts for line in _part_lines(part, say)),
    ]
    return Answer(data, tuple(lines))


def _part_json(view: PartView, say: Say) -> dict[str, Any]:
    part = view.part
    return {
        "key": part.key,
        "group": part.group,
        "kind": part_kind(part),
        "ticked": part.ticked,
        "verdict": None if view.verdict is None else view.verdict.value,
        "obstacle": None if view.obstacle is None else view.obstacle.value,
        "type": view.type,
        "title": view.title,
        "ends": None if view.ends is None else list(view.ends),
        "relation": part.relation if isinstance(part, LinkPart) else None,
        "becomes_change": view.becomes_change,
        "changes": [
            {"name": change.name, "before": change.before, "after": change.after} for change in view.changes
        ],
        "notes": [_problem_json(note, say) for note in part.notes],
    }


def _part_lines(view: PartView, say: Say) -> list[str]:
    part = view.part
    mark = "x" if part.ticked else " "
    if view.verdict is not None:
        mark = "+" if view.verdict.value == "applied" else "-"
    kind = say(f"cli.proposals.{part_kind(part)}")
    named = f"{view.type}  " if view.type else ""
    title = one_line(view.title, SHOWN_CHARS)
    if view.ends is not None:
        relation = part.relation if isinstance(part, LinkPart) else ""
        title = f"{one_line(view.ends[0], 40)} —{relation}→ {one_line(view.ends[1], 40)}"
    lines = [f"[{mark}] {part.key}  {kind}  {named}{title}"]
    if not isinstance(part, CreatePart | RetirePart | LinkPart | EndLinkPart):
        lines += [
            f"      {change.name}: {one_line(str(change.before), SHOWN_CHARS)} -> "
            f"{one_line(str(change.after), SHOWN_CHARS)}"
            for change in view.changes
        ]
    lines += [f"      {_problem_text(note, say)}" for note in part.notes]
    if view.obstacle is not None:
        lines.append(f"      {say(f'proposal.obstacle.{view.obstacle.value}')}")
    return lines


def _changed(result: OpResult, say: Say) -> Answer:
    data = {
        "op": None if result.op is None else op_json(result.op, say),
        "changed": result.changed,
        "counts": dict(result.counts),
    }
    lines = [] if result.op is None else [op_text(result.op, say)]
    if result.counts:
        lines.append(_counts_line(result.counts, say))
    return Answer(data, tuple(lines) or (say("cli.proposals.nothing"),))


# --- tasks -------------------------------------------------------------------------------------------------


def synopsis(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """The story so far, as a proposal."""
    return _task(library, PromptTask.SYNOPSIS, ModelTask.SYNOPSIS, args, say)


def reflect(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """A look back at the latest events, as a proposal."""
    return _task(library, PromptTask.REFLECT, ModelTask.REFLECTION, args, say)


def evolve(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """What the newest memories change in old ones, as a proposal."""
    return _task(library, PromptTask.EVOLVE, ModelTask.CONSOLIDATE, args, say)


def consolidate(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Memories that say nearly the same, as a proposal to make one of them."""
    return _task(library, PromptTask.CONSOLIDATE, ModelTask.CONSOLIDATE, args, say)


def _task(library: Library, task: PromptTask, model: ModelTask, args: Mapping[str, Any], say: Say) -> Answer:
    engine = library.engine
    folder = folder_named(engine, args["folder"])
    _choose_model(library, args["model"], model, say)
    report = engine.ask(RunTask(folder=folder.pk, task=task, built_in=args["model"] == "builtin"))
    data: dict[str, Any] = {
        "task": task.value,
        "proposal": report.proposal,
        "model": report.model,
        "why": None
        if report.proposal is not None
        else {"key": report.why, "text": say(report.why, **report.args)},
        "applied": None,
    }
    if report.proposal is None:
        return Answer(data, (say(report.why, **report.args),))
    if not args["apply"]:
        shown = _shown(engine, report.proposal, say)
        made = say("cli.task.made", proposal=report.proposal, model=_model_name(report.model, say))
        return Answer(data, (made, *shown.lines))
    applied = _changed(engine.run(ApplyProposal(proposal=report.proposal)), say)
    return Answer({**data, "applied": applied.data}, applied.lines)
