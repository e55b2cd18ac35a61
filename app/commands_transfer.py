"""Commands for files: import with its dry run, and export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, count_lines, error_json, hint_lines, problem_json
from app.commands_named import folder_named
from core.domain import queries as q
from core.domain import queries_transfer as qt
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import Conflict, Invalid, Unavailable, UserError
from core.domain.folder import SEPARATOR
from core.domain.json_types import Json
from core.domain.package import Collision
from core.domain.queries_packages import ExportLibrary, VerifyPackage
from core.domain.queries_write_back import PreviewWriteBack, WriteBack
from core.domain.source_file import WriteBackPreview
from core.domain.transfer import CONTENT_FORMATS, ExportReport, Format, ImportPlan, PlannedFolder

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

SHOWN_PROBLEMS = 20
WRITTEN = (
    Format.STBME,
    Format.BOOKU,
    Format.GRAPHML,
    Format.WORLDINFO,
    Format.LOREBOOK,
    Format.CARD,
    Format.CHAT,
    Format.MCZ,
    Format.MEM0,
    Format.MARKDOWN,
)
SEVERAL = "error.file.several_found"
NO_NAME = "''"


def import_files(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Each file as one change; a file that cannot be read does not keep the others out.

    `dry_run`: only what would come in. A file with doubts waits for `yes`.
    """
    reports = []
    lines: list[str] = []
    for name in args["files"]:
        path = Path(name) if name else Path(NO_NAME)  # an empty argument is not the present directory
        for file in _files(library.engine, path):
            report = _import_one(library.engine, file, args, say)
            reports.append(report)
            lines += _lines(report, args, say)
    done = all(report["ok"] for report in reports)
    return Answer({"dry_run": args["dry_run"], "files": reports}, tuple(lines), done)


def _files(engine: EngineApi, path: Path) -> list[Path]:
    """The path itself; of a directory with several importable files each of these."""
    if not path.is_dir():
        return [path]
    try:
        several = engine.ask(qt.ReadFile(path)).format is Format.MARKDOWN  # beside which other files may lie
    except UserError as error:
        several = error.key == SEVERAL
    return [found.path for found in engine.ask(qt.FindFiles(path))] if several else [path]


def _import_one(engine: EngineApi, path: Path, args: Mapping[str, Any], say: Say) -> dict[str, Any]:
    report: dict[str, Any] = {"file": str(path), "ok": False, "imported": False}
    try:
        plan = engine.ask(qt.ReadFile(path, partly=args["partly"], as_new=args["as_new"]))
        if args["collision"] is not None:
            plan = replace(plan, collision=Collision(args["collision"]), needs_confirmation=False)
        report |= _plan_json(plan, say)
        _chosen(plan, args["only"])
        if args["dry_run"]:
            return report | {"ok": True}
        if plan.needs_confirmation and not args["yes"]:
            return report
        result = engine.run(ApplyImport(plan, only=_chosen(plan, args["only"])))
    except (UserError, Conflict, Unavailable) as error:
        return report | {"error": error_json(error, say)}
    return report | {
        "ok": True,
        "imported": True,
        "op": None if result.op is None else result.op.id,
        "written": dict(result.counts),
    }


def _chosen(plan: ImportPlan, names: Sequence[str]) -> frozenset[str] | None:
    """The folders of a plan that are called so, with or without what they stand below; None for no names at all.

    Errors: Invalid for a name that no folder has.
    """
    if not names:
        return None
    for name in names:
        if not any(_is_called(folder, name) for folder in plan.folders):
            raise Invalid("error.import.no_such_folder", name=name, file=plan.source_name)
    return frozenset(folder.key for folder in plan.folders if any(_is_called(folder, name) for name in names))


def _is_called(folder: PlannedFolder, name: str) -> bool:
    return name in (folder.name, folder.name.rpartition(SEPARATOR)[2])


def _plan_json(plan: ImportPlan, say: Say) -> dict[str, Any]:
    return {
        "format": plan.format.value,
        "folders": [folder.name for folder in plan.folders],
        "counts": dict(plan.counts),
        "problems": [problem_json(problem, say) for problem in plan.problems],
        "needs_confirmation": plan.needs_confirmation,
    }


def _lines(report: Mapping[str, Any], args: Mapping[str, Any], say: Say) -> list[str]:
    lines = [report["file"]]
    if "format" in report:
        lines.append("  " + say(f"cli.format.{report['format']}"))
        lines += count_lines(report["counts"], say)
        problems = report["problems"]
        lines += [f"  ! {problem['text']}" for problem in problems[:SHOWN_PROBLEMS]]
        if len(problems) > SHOWN_PROBLEMS:
            lines.append("  " + say("cli.more_problems", count=len(problems) - SHOWN_PROBLEMS))
    if "error" in report:
        lines.append("  " + report["error"]["text"])
        lines += ["  " + line for line in hint_lines(report["error"]["key"], args, say)]
    elif report["imported"] and report["op"] is None:
        lines.append("  " + say("cli.unchanged"))
    elif report["imported"]:
        lines.append("  " + say("cli.imported", op=report["op"]))
    elif report["ok"]:
        lines.append("  " + say("cli.dry_run"))
    else:
        lines.append("  " + say("cli.needs_yes"))
    return lines


def verify_package(library: Library, path: Path, say: Say) -> Answer:
    """Whether a package is whole. Errors: BadFile."""
    report = library.engine.ask(VerifyPackage(path))
    problems = [problem_json(problem, say) for problem in report.problems]
    data = {
        "package": str(path),
        "whole": report.whole,
        "version": report.version,
        "program": report.program,
        "scope": report.scope,
        "counts": dict(report.counts),
        "problems": problems,
    }
    key = "cli.package.whole" if report.whole else "cli.package.broken"
    lines = [say(key, program=report.program), *count_lines(report.counts, say)]
    lines += [f"  ! {problem['text']}" for problem in problems[:SHOWN_PROBLEMS]]
    return Answer(data, tuple(lines), report.whole)


def export(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """A folder, chosen memories, or the whole library as a file. Errors: UserError."""
    engine, target, path = library.engine, Format(args["format"]), Path(args["to"])
    folder = None if args["folder"] is None else folder_named(engine, args["folder"]).pk
    query: qt.ExportFolder | qt.ExportMemories | ExportLibrary
    if args["ids"]:
        memories = engine.ask(q.ResolveMemories(tuple(args["ids"]), folder))
        query = qt.ExportMemories(memories, target, path, overwrite=args["overwrite"])
    elif folder is not None:
        query = qt.ExportFolder(
            folder=folder,
            format=target,
            path=path,
            overwrite=args["overwrite"],
            source=None if args["copy_of"] is None else Path(args["copy_of"]),
        )
    elif target in CONTENT_FORMATS:
        query = ExportLibrary(path=path, format=target, overwrite=args["overwrite"])
    else:
        raise Invalid("error.cli.export_what")
    report = engine.ask(query)
    return _written(report, say)


def write_back(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """A folder into the file it came from (or `to`), or what that would change. Errors: UserError."""
    engine = library.engine
    folder = folder_named(engine, args["folder"]).pk
    if args["dry_run"]:
        return _preview_answer(engine.ask(PreviewWriteBack(folder)), say)
    report = engine.ask(
        WriteBack(
            folder=folder,
            path=None if args["to"] is None else Path(args["to"]),
            replace_changed=args["replace_changed"],
            overwrite=args["overwrite"],
        )
    )
    return _written(report, say, dry_run=False)


def _written(report: ExportReport, say: Say, **more: Json) -> Answer:
    """What was written, `more` before it, and what could not be."""
    problems = [problem_json(problem, say) for problem in report.problems]
    data = {
        **more,
        "format": report.format.value,
        "path": str(report.path),
        "counts": dict(report.counts),
        "problems": problems,
    }
    lines = [say("cli.exported", path=str(report.path)), *count_lines(report.counts, say)]
    lines += [f"  ! {problem['text']}" for problem in problems[:SHOWN_PROBLEMS]]
    return Answer(data, tuple(lines))


def _preview_answer(preview: WriteBackPreview, say: Say) -> Answer:
    source = preview.source
    obstacle = None if preview.obstacle is None else problem_json(preview.obstacle, say)
    said = [*preview.warnings, *preview.report.problems]
    problems = [problem_json(problem, say) for problem in said]
    totals = {becomes.value: count for becomes, count in preview.totals.items()}
    data = {
        "dry_run": True,
        "format": source.format.value,
        "path": None if source.path is None else str(source.path),
        "folders": list(source.names),
        "changes": source.changes,
        "state": preview.state.value,
        "obstacle": obstacle,
        "totals": totals,
        "relations": preview.relations,
        "differences": [
            {
                "becomes": each.becomes.value,
                "title": each.title,
                "folder": each.folder,
                "columns": list(each.columns),
            }
            for each in preview.differences or ()
        ],
        "problems": problems,
    }
    lines = [
        say("cli.write_back.what", file=source.file, changes=source.changes),
        "  " + say("cli.write_back.totals", **totals, relations=preview.relations),
        *(f"  ! {each['text']}" for each in ([obstacle] if obstacle else []) + problems),
        "  " + say("cli.write_back.dry_run"),
    ]
    return Answer(data, tuple(lines))
