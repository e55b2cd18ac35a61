"""Commands of upkeep: promote, forget, compress, memos, flashback. A plan is shown; `--apply` carries it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, one_line, op_text, row_json, time_json
from app.commands_named import folder_named, resolved
from core.domain.commands import Command
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_upkeep import ForgetMemories, JudgeTrials, KeepMemo, RemoveMemos
from core.domain.enums import Status
from core.domain.errors import Invalid, NotFound
from core.domain.folder import DEFAULT_FOLDER
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import MemoryRows as RowsOf
from core.domain.queries_upkeep import (
    CompressPlanOf,
    DrawFlashback,
    ForgetPlan,
    MemoRows,
    SuggestSummaries,
    TrialPlan,
)
from core.domain.results import MemoryRow, Verdict
from core.domain.upkeep import VERDICTS, CompressPlan, Flashback, FlashbackLayer, Forgettable, MemoRow, Trials

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

NAME_CHARS = 60
FORGOTTEN_AS = (Status.ARCHIVED.value, Status.EXPIRED.value)
NUMBER_DIGITS = 4


def _folder(engine: EngineApi, args: Mapping[str, Any]) -> FolderPk | None:
    return folder_named(engine, args["folder"]).pk if args["folder"] else None


def _rows(engine: EngineApi, pks: Iterable[int]) -> dict[int, MemoryRow]:
    found = engine.ask(RowsOf(tuple(MemoryPk(pk) for pk in pks)))
    return {row.pk: row for row in found}


def _carry_out(engine: EngineApi, args: Mapping[str, Any], command: Command | None) -> dict[str, Any]:
    """Run the command when that was asked for; `op` null = nothing was changed."""
    if not args["apply"] or args["dry_run"] or command is None:
        return {"applied": False, "op": None, "changed": 0, "counts": {}}
    result = engine.run(command)
    return {
        "applied": True,
        "op": None if result.op is None else result.op.id,
        "changed": result.changed,
        "counts": dict(result.counts),
        "text": result.op,
    }


def _said(data: dict[str, Any], say: Say) -> list[str]:
    """The last line: what was done, or that nothing was."""
    op = data.pop("text", None)
    if op is not None:
        return [say("cli.changed", text=op_text(op, say), op=op.id)]
    return [say("cli.unchanged" if data["applied"] else "cli.plan_only")]


# --- promote ------------------------------------------------------------------------------------


def promote(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """A verdict for every memory on trial. Errors: NotFound."""
    engine = library.engine
    only = resolved(engine, args["ids"], args["folder"]) if args["ids"] else None
    plan = engine.ask(
        TrialPlan(
            folder=None if only is not None else _folder(engine, args),
            with_subfolders=args["subfolders"],
            memories=only,
            days=args["days"],
            activations=args["activations"],
        )
    )
    verdicts = _verdicts(plan, keep_trash=args["keep_unused"])
    by_verdict = {verdict: tuple(pk for pk, each in verdicts if each is verdict) for verdict in Verdict}
    command = JudgeTrials(
        promote=by_verdict[Verdict.PROMOTE],
        archive=by_verdict[Verdict.ARCHIVE],
        trash=by_verdict[Verdict.TRASH],
    )
    wanted = command.promote or command.archive or command.trash
    limit = args["limit"] or len(verdicts)
    rows = _rows(engine, (pk for pk, _ in verdicts[:limit]))
    items = [
        _trial_json(plan, at, rows[pk], verdict)
        for at, (pk, verdict) in enumerate(verdicts[:limit])
        if pk in rows
    ]
    data: dict[str, Any] = {
        "total": len(verdicts),
        "never_recalled": plan.never_used,
        "careful": plan.careful,
        "left_out": plan.left_out,
        "verdicts": {verdict.value: len(pks) for verdict, pks in by_verdict.items()},
        "items": items,
        **_carry_out(engine, args, command if wanted else None),
    }
    lines = [
        say("cli.promote.line", verdict=say(f"verdict.{each['verdict']}"), **_line(each)) for each in items
    ]
    if plan.careful:
        lines.append(say("cli.promote.careful"))
    counts = {verdict.value: len(pks) for verdict, pks in by_verdict.items()}
    lines.append(say("cli.promote.summary", total=len(verdicts), **counts))
    return Answer(data, (*lines, *_said(data, say)))


def _verdicts(plan: Trials, *, keep_trash: bool) -> list[tuple[MemoryPk, Verdict]]:
    verdicts = [VERDICTS[int(at)] for at in plan.suggested]
    if keep_trash:
        verdicts = [Verdict.KEEP if verdict is Verdict.TRASH else verdict for verdict in verdicts]
    return [(MemoryPk(int(pk)), verdict) for pk, verdict in zip(plan.rows.pks, verdicts, strict=True)]


def _trial_json(plan: Trials, at: int, row: MemoryRow, verdict: Verdict) -> dict[str, Any]:
    return {**row_json(row), "days": round(float(plan.days[at]), NUMBER_DIGITS), "verdict": verdict.value}


def _line(item: Mapping[str, Any]) -> dict[str, Any]:
    name = one_line(item["title"] or item["snippet"], NAME_CHARS)
    return {"id": item["id"], "name": name, "recalled": item["activation_count"], "folder": item["folder"]}


# --- forget ---------------------------------------------------------------------------------------


def forget(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """What lies below the threshold, lowest first. Errors: NotFound, Invalid."""
    engine = library.engine
    if not args["threshold"] >= 0:
        raise Invalid("error.cli.threshold")
    plan = engine.ask(ForgetPlan(folder=_folder(engine, args), with_subfolders=args["subfolders"]))
    below = [at for at in range(len(plan.rows)) if plan.retention[at] < args["threshold"]]
    memories = tuple(MemoryPk(int(plan.rows.pks[at])) for at in below)
    command = ForgetMemories(memories=memories, status=Status(args["as"])) if memories else None
    shown = below[: args["limit"] or len(below)]
    rows = _rows(engine, (int(plan.rows.pks[at]) for at in shown))
    items = [_forget_json(plan, at, rows[int(plan.rows.pks[at])]) for at in shown]
    data: dict[str, Any] = {
        "total": len(below),
        "looked_at": len(plan.rows),
        "spared": dict(plan.spared),
        "threshold": args["threshold"],
        "items": items,
        **_carry_out(engine, args, command),
    }
    lines = [say("cli.forget.line", value=f"{each['retention']:.3f}", **_line(each)) for each in items]
    lines.append(
        say(
            "cli.forget.summary",
            total=len(below),
            looked_at=len(plan.rows),
            threshold=f"{args['threshold']:g}",
        )
    )
    return Answer(data, (*lines, *_said(data, say)))


def _forget_json(plan: Forgettable, at: int, row: MemoryRow) -> dict[str, Any]:
    return {
        **row_json(row),
        "retention": round(float(plan.retention[at]), 6),
        "age_hours": round(float(plan.age_hours[at]), NUMBER_DIGITS),
    }


# --- compress -------------------------------------------------------------------------------------


def compress(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """The groups that would be summed up; `--apply` sums them up and applies, `--suggest` only keeps the proposal.

    Errors: NotFound, Unavailable (model), UserError when no group gave a summary.
    """
    engine = library.engine
    plan = engine.ask(
        CompressPlanOf(
            folder=_folder(engine, args),
            with_subfolders=args["subfolders"],
            types=frozenset(map(TypeId, args["type"] or ())),
            forced=args["force"],
        )
    )
    data = _plan_json(engine, plan)
    lines = [
        say(
            "cli.compress.line",
            type=group["type"],
            folder=group["folder"],
            level=group["level"],
            count=len(group["ids"]),
        )
        for group in data["groups"]
    ]
    lines.append(say("cli.compress.summary", count=len(plan.groups)))
    wanted = (args["apply"] or args["suggest"]) and not args["dry_run"]
    proposals = (
        engine.ask(SuggestSummaries(groups=plan.groups, hint=args["hint"] or ""))
        if wanted and plan.groups
        else ()
    )
    results = [engine.run(ApplyProposal(proposal=pk)) for pk in proposals] if args["apply"] else []
    ops = [result.op for result in results if result.op is not None]
    data |= {
        "applied": bool(results),
        "proposals": list(proposals),
        "ops": [op.id for op in ops],
        "created": sum(len(result.created) for result in results),
    }
    lines += [say("cli.changed", text=op_text(op, say), op=op.id) for op in ops]
    if proposals and not results:
        lines.append(say("cli.compress.suggested", count=len(proposals)))
    if not proposals:
        lines.append(say("cli.unchanged" if wanted else "cli.plan_only"))
    return Answer(data, tuple(lines))


def _plan_json(engine: EngineApi, plan: CompressPlan) -> dict[str, Any]:
    rows = _rows(engine, (pk for group in plan.groups for pk in group.memories))
    groups = [
        {
            "folder": group.folder_name,
            "type": group.type,
            "level": group.level,
            "ids": [rows[pk].id for pk in group.memories if pk in rows],
        }
        for group in plan.groups
    ]
    return {"groups": groups, "locked": plan.locked}


# --- memos ----------------------------------------------------------------------------------------


def memos(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """The memos; `--keep TEXT` keeps one (or lets it live on), `--remove ID` ends some. Errors: NotFound, Invalid."""
    engine = library.engine
    folder = _folder(engine, args)
    op: int | None = None
    command: Command | None = None
    if args["keep"] is not None:
        kept_in = folder if folder is not None else folder_named(engine, DEFAULT_FOLDER).pk
        command = KeepMemo(
            folder=kept_in, content=args["keep"], hours=args["hours"], stream_id=args["stream"] or ""
        )
    elif args["remove"]:
        command = RemoveMemos(memos=_memo_pks(engine, args["remove"]))
    lines: list[str] = []
    if command is not None:
        result = engine.run(command)
        op = None if result.op is None else result.op.id
        if result.op is not None:
            lines.append(say("cli.changed", text=op_text(result.op, say), op=result.op.id))
    rows = engine.ask(MemoRows(folder=folder, expired=args["expired"]))
    lines += [
        say(
            "cli.memo.line", id=row.memo.id, left=_left(row, say), text=one_line(row.memo.content, NAME_CHARS)
        )
        for row in rows
    ]
    if not rows:
        lines.append(say("cli.memo.none"))
    return Answer({"op": op, "total": len(rows), "items": [_memo_json(row) for row in rows]}, tuple(lines))


def _memo_pks(engine: EngineApi, ids: Sequence[str]) -> tuple[int, ...]:
    known = {row.memo.id: row.memo.pk for row in engine.ask(MemoRows(expired=True))}
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise NotFound("error.cli.memo", ids=", ".join(unknown))
    return tuple(known[each] for each in ids)


def _left(row: MemoRow, say: Say) -> str:
    return say(f"memos.left.{row.unit.value}", count=row.left)


def _memo_json(row: MemoRow) -> dict[str, Any]:
    memo = row.memo
    return {
        "id": memo.id,
        "content": memo.content,
        "folder": row.folder_name,
        "stream": memo.stream_id,
        "left": row.left,
        "unit": row.unit.value,
        "expires_at": time_json(memo.expires_at),
        "created_at": time_json(memo.created_at),
    }


# --- flashback ------------------------------------------------------------------------------------


def flashback(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """A memory that comes back by chance, and the numbers of the draw. Nothing is touched. Errors: NotFound, Invalid."""
    engine = library.engine
    found = engine.ask(
        DrawFlashback(
            folder=_folder(engine, args),
            with_subfolders=args["subfolders"],
            layer=None if args["layer"] is None else FlashbackLayer(args["layer"]),
            candidates=args["candidates"],
            exponent=args["exponent"],
            layer_draw=args["layer_draw"],
            memory_draw=args["memory_draw"],
        )
    )
    return Answer(_flashback_json(found), _flashback_lines(found, say))


def _flashback_json(found: Flashback) -> dict[str, Any]:
    drawn = found.drawn
    return {
        "layer": found.layer.value,
        "archived_share": found.archived_share,
        "layer_draw": found.layer_draw,
        "memory_draw": found.memory_draw,
        "candidates": len(found.candidates),
        "drawn": None
        if drawn is None
        else {**row_json(drawn.row), "weight": drawn.weight, "chance": round(drawn.chance, 6)},
    }


def _flashback_lines(found: Flashback, say: Say) -> tuple[str, ...]:
    drawn = found.drawn
    if drawn is None:
        return (say(f"flashback.none.{found.layer.value}"),)
    row = drawn.row
    return (
        f"{row.id}  {one_line(row.title or row.snippet, NAME_CHARS)}",
        say(
            "flashback.why.memory",
            candidates=len(found.candidates),
            count=row.activation_count,
            weight=f"{drawn.weight:.3g}",
            chance=f"{100 * drawn.chance:.1f}",
            draw=f"{found.memory_draw:.2f}",
        ),
    )
