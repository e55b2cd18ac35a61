"""The command that runs the recall tests: saved messages with the memories they should recall."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, one_line, time_json
from app.commands_named import folder_named
from core.domain import queries_recall as qr
from core.domain.commands_recall import ImportRecallCases
from core.domain.errors import BadFile, Invalid
from core.domain.recall import CaseOutcome, Evaluation

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

NAME_CHARS = 60


def evaluate(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Take cases from a file, write them to one, and run them all. Done = every one is green.

    Errors: NotFound (folder), BadFile, Invalid (a file that is there already, or cannot be written).
    """
    engine = library.engine
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    data: dict[str, Any] = {}
    lines: list[str] = []
    if args["import"]:
        data["imported"] = counts = _import(engine, Path(args["import"]))
        lines.append(say("cli.evaluate.imported", **counts))
    if args["export"]:
        path = Path(args["export"])
        count = _export(engine.ask(qr.ExportRecallCases(folder)), path, overwrite=args["overwrite"])
        data["exported"] = {"path": str(path), "cases": count}
        lines.append(say("cli.evaluate.exported", count=count, path=str(path)))
    evaluation = engine.ask(qr.Evaluate(folder))
    data |= evaluation_json(evaluation)
    return Answer(data, (*lines, *_lines(evaluation, say)), evaluation.passed == len(evaluation.outcomes))


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation with stable keys."""
    return {
        "cases": len(evaluation.outcomes),
        "passed": evaluation.passed,
        "figures": dict(evaluation.figures),
        "previous": dict(evaluation.previous),
        "previous_at": time_json(evaluation.previous_at),
        "outcomes": [
            {
                "name": outcome.case.name,
                "message": outcome.case.message,
                "recipe": outcome.case.recipe,
                "passed": outcome.passed,
                "before": outcome.before,
                "ranks": list(outcome.ranks),
            }
            for outcome in evaluation.outcomes
        ],
    }


def _lines(evaluation: Evaluation, say: Say) -> list[str]:
    if not evaluation.outcomes:
        return [say("cli.evaluate.no_cases")]
    lines = [_outcome_line(outcome, say) for outcome in evaluation.outcomes]
    for name, value in evaluation.figures.items():
        line = f"{name:<10} {value:.3f}"
        if name in evaluation.previous:
            line += f"  ({value - evaluation.previous[name]:+.3f})"
        lines.append(line)
    lines.append(say("cli.evaluate.sum", passed=evaluation.passed, count=len(evaluation.outcomes)))
    return lines


def _outcome_line(outcome: CaseOutcome, say: Say) -> str:
    ranks = ", ".join("-" if rank is None else str(rank) for rank in outcome.ranks)
    verdict = say("cli.evaluate.green" if outcome.passed else "cli.evaluate.red")
    changed = ""
    if outcome.before is not None and outcome.before != outcome.passed:
        changed = " " + say("cli.evaluate.was_green" if outcome.before else "cli.evaluate.was_red")
    return f"{verdict:<5} {one_line(outcome.case.name, NAME_CHARS)}  [{ranks}]{changed}"


def _import(engine: EngineApi, path: Path) -> dict[str, int]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a name that is none, or a text that is none
        raise BadFile("error.recall.case_file", path=str(path), reason=str(error)) from error
    return dict(engine.run(ImportRecallCases(text)).counts)


def _export(text: str, path: Path, *, overwrite: bool) -> int:
    """Write the lines, whole or not at all. Returns their number."""
    try:
        if path.exists() and not overwrite:
            raise Invalid("error.recall.case_file_exists", path=str(path))
        beside = path.with_name(f"{path.name}.part")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except (OSError, ValueError) as error:
        raise Invalid("error.recall.case_file_write", path=str(path), reason=str(error)) from error
    return text.count("\n")
