"""Running cases: passed, failed, and those for which nothing here can check what they ask."""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TextIO

from tests.cases.chats import check_chat
from tests.cases.documents import check_documents
from tests.cases.lore import check_lore
from tests.cases.memory_engine import check_memory_engine
from tests.cases.replies import check_reply
from tests.cases.sidecar import Case, find_cases
from tests.cases.stbme_booku import check_stbme_booku

Checker = Callable[[Case, Path], "list[str] | None"]
"""Faults of a case ([] = passed), worked on in an empty directory; None when it cannot check it."""

CHECKERS: Mapping[str, Checker] = {
    "documents": check_documents,
    "stbme_booku": check_stbme_booku,
    "st_chat": check_chat,
    "sillytavern_chat": check_chat,
    "lorebook_card": check_lore,
    "json_repair": check_reply,
    "memory_engine": check_memory_engine,
}
"""By the kind of case."""


class Outcome(Enum):
    PASSED = "passed"
    FAILED = "failed"
    UNCHECKED = "without a checker"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a case, and its faults."""

    case: Case
    outcome: Outcome
    faults: tuple[str, ...] = ()


def run_case(case: Case) -> Verdict:
    """Check one case; an error that nobody foresaw is a fault."""
    checker = CHECKERS.get(case.kind)
    if checker is None:
        return Verdict(case, Outcome.UNCHECKED)
    with tempfile.TemporaryDirectory(prefix="case-") as work:
        try:
            faults = checker(case, Path(work))
        except Exception:  # noqa: BLE001 - any error is a verdict
            faults = [traceback.format_exc()]
    if faults is None:
        return Verdict(case, Outcome.UNCHECKED)
    return Verdict(case, Outcome.FAILED if faults else Outcome.PASSED, tuple(faults))


def report(verdicts: Iterable[Verdict], out: TextIO) -> int:
    """Print each verdict and the two last lines; returns the exit code."""
    counts = dict.fromkeys(Outcome, 0)
    for verdict in verdicts:
        counts[verdict.outcome] += 1
        print(f"{verdict.case.id}: {verdict.outcome.value}", file=out)
        for fault in verdict.faults:
            print(f"    {fault}", file=out)
    print(f"{counts[Outcome.PASSED]} passed, {counts[Outcome.FAILED]} failed", file=out)
    print(f"{counts[Outcome.UNCHECKED]} without a checker", file=out)
    return 1 if counts[Outcome.FAILED] else 0


def main(arguments: list[str]) -> int:
    """Run every case below the directories named."""
    if not arguments:
        print("python -m tests.cases DIR...", file=sys.stderr)
        return 2
    cases = (case for name in arguments for case in find_cases(Path(name)))
    return report((run_case(case) for case in cases), sys.stdout)
