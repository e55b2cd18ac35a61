"""Commands of doubles: find them, merge memories, take merged ones apart again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, one_line, op_text, row_json, row_line
from app.commands_named import folder_named, resolved
from core.domain import commands as c
from core.domain.commands_merge import MergeMemories, UnmergeMemories
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import MemoryRows
from core.domain.queries_merge import (
    AskAboutContradictions,
    Contradiction,
    DuplicateGroup,
    FindContradictions,
    FindDuplicates,
    MergedIds,
    MergePlan,
    MergesOf,
    Opinion,
    PlanMerge,
    Reason,
    Verdict,
)
from core.domain.results import OpResult

if TYPE_CHECKING:
    from app.library import Library

VERDICTS = tuple(verdict.value for verdict in Verdict)
NAME_CHARS = 60


def duplicates(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Groups of memories that may say the same; or, with --contradictions, pairs that cannot both be true."""
    engine = library.engine
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    types = frozenset(TypeId(each) for each in args["type"] or ())
    if args["contradictions"]:
        found = engine.ask(FindContradictions(folder=folder, across=args["across"], types=types))
        shown = _limited(found, args)
        pairs = tuple((each.a.pk, each.b.pk) for each in shown)
        opinions = engine.ask(AskAboutContradictions(pairs=pairs)) if args["ask"] else ()
        return _contradictions(shown, len(found), {(each.a, each.b): each for each in opinions}, say)
    if args["ask"]:
        raise Invalid("error.cli.ask")
    groups = engine.ask(FindDuplicates(folder=folder, across=args["across"], types=types))
    wanted = set(args["verdict"] or VERDICTS)
    kept = [group for group in groups if group.verdict.value in wanted]
    return _groups(_limited(kept, args), len(kept), say)


def _limited(found: Sequence[Any], args: Mapping[str, Any]) -> Sequence[Any]:
    return found[: args["limit"]] if args["limit"] else found


def _groups(groups: Sequence[DuplicateGroup], total: int, say: Say) -> Answer:
    lines: list[str] = []
    for group in groups:
        lines.append(
            f"[{say(f'duplicates.verdict.{group.verdict.value}')}] {_why(group.pairs[0].reasons, say)}"
        )
        lines += [f"  {row_line(row)}" for row in group.rows]
    data = {
        "total": total,
        "groups": [
            {
                "verdict": group.verdict.value,
                "memories": [row_json(row) for row in group.rows],
                "pairs": [
                    {
                        "a": _id(group, pair.a),
                        "b": _id(group, pair.b),
                        "verdict": pair.verdict.value,
                        "score": pair.score,
                        "reasons": [_reason_json(reason) for reason in pair.reasons],
                    }
                    for pair in group.pairs
                ],
            }
            for group in groups
        ],
    }
    return Answer(data, (*lines, say("cli.duplicates.summary", count=total)))


def _id(group: DuplicateGroup, pk: MemoryPk) -> str:
    return next(row.id for row in group.rows if row.pk == pk)


def _reason_json(reason: Reason) -> dict[str, Any]:
    return {"reason": reason.key, **dict(reason.args)}


def _why(reasons: Sequence[Reason], say: Say) -> str:
    return " · ".join(say(reason.key, **dict(reason.args)) for reason in reasons)


def _contradictions(
    found: Sequence[Contradiction], total: int, opinions: Mapping[tuple[int, int], Opinion], say: Say
) -> Answer:
    lines: list[str] = []
    for each in found:
        lines.append(f"[{say(f'contradictions.kind.{each.kind.value}')}] {_why(each.reasons, say)}")
        lines += [f"  {row_line(row)}" for row in (each.a, each.b)]
        opinion = opinions.get((each.a.pk, each.b.pk))
        if opinion is not None:
            said = say(f"contradictions.opinion.{opinion.verdict.value}")
            lines.append(f"  ? {say('contradictions.opinion.why', said=said, reason=opinion.reason)}")
    data = {
        "total": total,
        "contradictions": [
            {
                "kind": each.kind.value,
                "a": row_json(each.a),
                "b": row_json(each.b),
                "later": next((row.id for row in (each.a, each.b) if row.pk == each.later), None),
                "reasons": [_reason_json(reason) for reason in each.reasons],
                "opinion": _opinion_json(each, opinions.get((each.a.pk, each.b.pk))),
            }
            for each in found
        ],
    }
    return Answer(data, (*lines, say("cli.contradictions.summary", count=total)))


def _opinion_json(pair: Contradiction, opinion: Opinion | None) -> dict[str, Any] | None:
    if opinion is None:
        return None
    holds = next((row.id for row in (pair.a, pair.b) if row.pk == opinion.holds), None)
    return {"verdict": opinion.verdict.value, "holds": holds, "reason": opinion.reason}


def merge(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """All into the first. `--dry-run` says what would come of it."""
    engine = library.engine
    pks = resolved(engine, args["ids"], args["folder"])
    command = MergeMemories(
        survivor=pks[0],
        losers=pks[1:],
        title=c.UNSET if args["title"] is None else args["title"],
        body=c.UNSET if args["body"] is None else args["body"],
        visibility=c.UNSET if args["visible_to"] is None else _names(args["visible_to"]),
        losers_titles=not args["no_names"],
    )
    if args["dry_run"]:
        return _plan(engine.ask(PlanMerge(command)), say)
    return _changed(engine.run(command), say, {"dry_run": False})


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """Characters as given; a single "" is everyone."""
    return tuple(name for text in given for part in text.split(",") if (name := part.strip()))


def _plan(plan: MergePlan, say: Say) -> Answer:
    counts = dict.fromkeys(("moves", "joins", "drops"), 0)
    for change in plan.relations:
        if change.fate.value in counts:
            counts[change.fate.value] += 1
    survivor = plan.members[0].memory
    data = {
        "dry_run": True,
        "survivor": survivor.id,
        "losers": [member.memory.id for member in plan.members[1:]],
        "title": plan.title,
        "body": plan.body,
        "fields": dict(plan.fields),
        "type": plan.type,
        "importance": plan.importance,
        "visibility": list(plan.visibility),
        "audience_open": plan.audience_open,
        "aliases": list(plan.aliases),
        "tags": {
            "general": list(plan.tags.general),
            "core": list(plan.tags.core),
            "diffusion": list(plan.tags.diffusion),
            "opposing": list(plan.tags.opposing),
        },
        "conflicts": list(plan.conflicts),
        "relations": counts,
        "children": plan.children,
        "locked": [m.memory.id for m in plan.members if m.memory.locked],
    }
    lines = [
        say(
            "cli.merge.plan", count=len(plan.members) - 1, title=one_line(plan.title or plan.body, NAME_CHARS)
        ),
        say("merge.result.taken", moved=counts["moves"], joined=counts["joins"], dropped=counts["drops"]),
    ]
    if plan.conflicts:
        lines.append(say("cli.merge.conflicts", columns=", ".join(plan.conflicts)))
    if plan.audience_open:
        lines.append(say("cli.merge.audience"))
    if plan.locked:
        lines.append(say("merge.locked", count=len(plan.locked)))
    return Answer(data, tuple(lines))


def unmerge(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Merged memories as they were; with the id of a survivor all that was merged into it."""
    engine = library.engine
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    pks: list[MemoryPk] = []
    for pk in engine.ask(MergedIds(tuple(args["ids"]), folder)):
        found = engine.ask(MergesOf(pk))
        own = [each.row.pk for each in found if each.row.pk == pk]
        pks += own or [each.row.pk for each in found] or [pk]
    chosen = tuple(dict.fromkeys(pks))
    if args["dry_run"]:
        rows = engine.ask(MemoryRows(chosen))
        data = {"dry_run": True, "memories": [row_json(row) for row in rows]}
        return Answer(data, (*map(row_line, rows), say("cli.unmerge.plan", count=len(rows))))
    return _changed(engine.run(UnmergeMemories(memories=chosen)), say, {"dry_run": False})


def _changed(result: OpResult, say: Say, more: Mapping[str, Any]) -> Answer:
    data = {
        **more,
        "op": None if result.op is None else result.op.id,
        "changed": result.changed,
        "counts": dict(result.counts),
    }
    if result.op is None:
        return Answer(data, (say("cli.unchanged"),))
    lines = [say("cli.changed", text=op_text(result.op, say), op=result.op.id)]
    if kept := result.counts.get("kept"):
        lines.append(say("merged.kept", count=kept))
    return Answer(data, tuple(lines))
