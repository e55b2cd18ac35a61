"""Commands about a library's health: check-up with repair, and backups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say
from core.domain.access import ReadOnly
from core.domain.commands_health import RepairFaults
from core.domain.errors import Invalid, NotFound, ReadOnlyLibrary
from core.domain.health import Backup, CheckReport, Cure, Fault, Finding
from core.domain.queries_health import CheckUp, MakeBackup, Remake

if TYPE_CHECKING:
    from app.library import Library
    from core.settings import Settings

SAFE, ALL = "safe", "all"
SHOWN = 5
ACTIONS = ("list", "make", "verify", "restore", "delete")


def check(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """What does not fit; with `--repair` it is put right, with `--dry-run` only said."""
    engine = library.engine
    report = engine.ask(CheckUp())
    wanted = _wanted(report, args["repair"] or ())
    lines = [say("cli.check.none" if not report.findings else "cli.check.found", count=len(report.findings))]
    for each in report.findings:
        lines += _finding_lines(each, wanted, say)
    op = None
    if wanted and not args["dry_run"]:
        changes = tuple(each for each in wanted if _cure(report, each) is Cure.CHANGE)
        rest = tuple(each for each in wanted if _cure(report, each) is Cure.REMAKE)
        if changes:
            op = engine.run(RepairFaults(changes)).op
        if rest:
            engine.ask(Remake(rest))
        after = engine.ask(CheckUp())
        report = after
        key = "cli.check.repaired" if op is None else "cli.check.repaired_op"
        lines.append(say(key, count=len(wanted), left=len(after.findings), op=0 if op is None else op.id))
    data = {
        "level": report.level.value,
        "memories": report.memories,
        "index": report.index,
        "findings": [_finding_json(each) for each in report.findings],
        "repaired": [] if args["dry_run"] else [fault.value for fault in wanted],
        "op": None if op is None else op.id,
    }
    worse = [each for each in report.findings if each.treatment.severity.value != "note"]
    return Answer(data, tuple(lines), done=not worse)


def _wanted(report: CheckReport, asked: tuple[str, ...] | list[str]) -> tuple[Fault, ...]:
    """The faults to be repaired. Errors: Invalid for a word that names none."""
    found = [each for each in report.findings if each.repairable]
    wanted: dict[Fault, None] = {}
    for word in asked:
        if word == SAFE:
            wanted |= dict.fromkeys(report.safe_repairs)
        elif word == ALL:
            wanted |= dict.fromkeys(each.fault for each in found)
        elif word in Fault.__members__.values():
            wanted |= {each.fault: None for each in found if each.fault == word}
        else:
            known = ", ".join((SAFE, ALL, *(fault.value for fault in Fault)))
            raise Invalid("error.repair.unknown", word=word, known=known)
    return tuple(wanted)


def _cure(report: CheckReport, fault: Fault) -> Cure | None:
    found = report.finding(fault)
    return None if found is None else found.treatment.cure


def _finding_lines(each: Finding, wanted: tuple[Fault, ...], say: Say) -> list[str]:
    severity = say(f"health.severity.{each.treatment.severity.value}")
    lines = [f"{severity}  {say(each.key, count=each.count, **dict(each.args))}  [{each.fault.value}]"]
    lines += [f"    {example.text}  {example.ref}" for example in each.examples[:SHOWN]]
    if each.count > SHOWN and len(each.examples) > SHOWN:
        lines.append(say("cli.check.more", count=each.count - SHOWN))
    if each.fault in wanted or each.repairable:
        mark = "→" if each.fault in wanted else " "
        lines.append(f"  {mark} {say(each.repair_key, count=each.count)}")
    return lines


def _finding_json(each: Finding) -> dict[str, Any]:
    return {
        "fault": each.fault.value,
        "severity": each.treatment.severity.value,
        "count": each.count,
        "repair": each.treatment.cure.value,
        "safe": each.treatment.safe,
        "args": dict(each.args),
        "examples": [{"id": example.ref, "text": example.text} for example in each.examples],
    }


def backup(library: Library, _args: Mapping[str, Any], say: Say) -> Answer:
    """Make a backup. The other actions work on the directory alone (`backups_of`)."""
    made = library.engine.ask(MakeBackup())
    return Answer(backup_json(made), (say("cli.backup.made", name=made.name),))


def backups_of(root: Path, settings: Settings, args: Mapping[str, Any], say: Say) -> Answer | None:
    """List, verify, restore or delete, also where the library is too damaged to be opened; None = `make`.

    Errors: NotFound, BadFile, LibraryInUse, Invalid, ReadOnlyLibrary.
    """
    from app.container_health import restore
    from app.library_place import copies_of

    root = root.absolute()
    if not root.is_dir():
        raise NotFound("error.library.missing", path=str(root))
    copies, action = copies_of(root, settings), args["action"]
    if action == "make":
        return None
    if action == "list":
        listed = copies.all()
        lines = [backup_line(each, say) for each in listed] or [say("cli.backup.none")]
        return Answer({"backups": [backup_json(each) for each in listed]}, tuple(lines))
    if action != "verify" and args["read_only"]:
        raise ReadOnlyLibrary(ReadOnly.ASKED)
    name = _named(copies.all(), args["name"], newest=action == "verify")
    if action == "verify":
        checked = copies.verify(name)
        problems = tuple(say(key) for key in checked.problems)
        data = {"name": name, "whole": checked.whole, "problems": list(checked.problems)}
        return Answer(data, problems or (say("cli.backup.whole", name=name),), done=checked.whole)
    if action == "delete":
        copies.delete(name)
        return Answer({"name": name, "deleted": True}, (say("cli.backup.deleted", name=name),))
    present = restore(root, name, settings)
    kept = None if present is None else present.name
    said = [say("cli.backup.restored", name=name)]
    if kept is not None:
        said.append(say("cli.backup.kept", name=kept))
    return Answer({"name": name, "restored": True, "kept": kept}, tuple(said))


def _named(backups: Sequence[Backup], name: str | None, *, newest: bool) -> str:
    """The name given, else (where that is enough) that of the newest. Errors: NotFound."""
    if name is not None:
        return name
    if not backups or not newest:
        raise NotFound("error.backup.none" if not backups else "error.backup.unnamed")
    return backups[0].name


def backup_line(each: Backup, say: Say) -> str:
    """A backup in one line."""
    reason = say(f"backup.reason.{each.reason.value}")
    return f"{each.name}  {each.at:%Y-%m-%d %H:%M}  {each.bytes / 1e6:.1f} MB  {reason}"


def backup_json(each: Backup) -> dict[str, Any]:
    """A backup as the command line gives it out."""
    return {
        "name": each.name,
        "at": each.at.isoformat(),
        "reason": each.reason.value,
        "bytes": each.bytes,
        "counts": dict(each.counts),
        "note": each.note,
    }
