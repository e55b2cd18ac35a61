"""Running vectors and counting: passed, failed, and different because our design decides otherwise."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from tests.golden import (  # noqa: F401 - they fill the tables
    booku,
    booku_runs,
    by_design_commands,
    by_design_compression,
    by_design_runs,
    stbme,
    stbme_runs,
)
from tests.golden.by_design import right_value
from tests.golden.compare import Renaming, differences
from tests.golden.table import TABLE, Case, Golden, find_cases


class Outcome(Enum):
    PASSED = "passed"
    FAILED = "failed"
    BY_DESIGN = "differs by design"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of a case; `reason` says why it failed, or why we differ."""

    case: Case
    outcome: Outcome
    reason: str = ""


class _Given(dict[str, Any]):
    """Inputs of a case; one that the recorder left out (JavaScript's undefined) reads as None."""

    def __missing__(self, _key: str) -> None:
        return None


def _actual(entry: Golden, case: Case) -> Any:
    """The value, or for an escaping error its class names."""
    try:
        return entry.run(_Given(copy.deepcopy(dict(case.inputs))))
    except Exception as error:  # noqa: BLE001 - any error is a result to compare
        return error


def _mismatch(entry: Golden, case: Case, expected: Any, actual: Any) -> str:
    """ "" when the actual value is the expected one, else the first difference."""
    raises = expected.get("raises") if isinstance(expected, Mapping) else None
    if isinstance(actual, Exception):
        names = [kind.__name__ for kind in type(actual).__mro__]
        return "" if raises in names else f"{type(actual).__name__}: {actual}"
    if raises is not None:
        return f"expected {raises}, got {actual!r:.160}"
    found = differences(entry.shape(expected), entry.shape(actual), case.tolerance, Renaming(case.inputs))
    return next(found, "")


def run_case(case: Case, table: Mapping[str, Golden] = TABLE) -> Verdict:
    """Run one case through the table. A function that is not there is a failure."""
    entry = table.get(case.function)
    if entry is None:
        return Verdict(case, Outcome.FAILED, f"unknown function {case.function}")
    actual = _actual(entry, case)
    try:
        ours = right_value(case)
    except Exception as error:  # noqa: BLE001 - a rule that cannot read the case must not end the run
        return Verdict(case, Outcome.FAILED, f"no rule for this case: {error!r}")
    if ours is not None:
        wrong = _mismatch(entry, case, ours.value, actual)
        if wrong:
            return Verdict(case, Outcome.FAILED, f"not what our design says: {wrong}")
        if _mismatch(entry, case, case.expected, actual):
            return Verdict(case, Outcome.BY_DESIGN, ours.reason)
        return Verdict(case, Outcome.PASSED)
    wrong = _mismatch(entry, case, case.expected, actual)
    return Verdict(case, Outcome.FAILED if wrong else Outcome.PASSED, wrong)


def report(verdicts: Iterable[Verdict], out: TextIO) -> int:
    """Print each failure and the counts; the exit code is 1 when something failed."""
    counts = dict.fromkeys(Outcome, 0)
    for verdict in verdicts:
        counts[verdict.outcome] += 1
        if verdict.outcome is Outcome.FAILED:
            print(f"FAILED {verdict.case.name} {verdict.case.function}: {verdict.reason}", file=out)
    print(f"{counts[Outcome.BY_DESIGN]} differ by design", file=out)
    print(f"{counts[Outcome.PASSED]} passed, {counts[Outcome.FAILED]} failed", file=out)
    return 1 if counts[Outcome.FAILED] else 0


def main(arguments: list[str]) -> int:
    """Run all vector files below the directories named."""
    if not arguments or any(not Path(name).exists() for name in arguments):
        print("usage: python -m tests.golden DIR...", file=sys.stderr)
        return 2
    cases = [case for name in arguments for case in find_cases(Path(name))]
    return report(map(run_case, cases), sys.stdout)
