"""Checks of kind `memory_engine`: scenarios that are played, each known by the keys of its input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.cases import merging, store_scenarios, write_path
from tests.cases.endpoints import api_key, dimension_switch, rate_limit
from tests.cases.sidecar import Case

Run = Callable[[Mapping[str, Any], Mapping[str, Any], Path], list[str]]

RUNS: Mapping[frozenset[str], Run] = {
    frozenset({"old", "new", "records"}): dimension_switch,
    frozenset({"items", "fail_item", "responses"}): rate_limit,
    frozenset({"key", "error_body"}): api_key,
    frozenset({"adds", "fake_similarity"}): merging.unrelated_texts,
    frozenset({"adds", "llm_says"}): write_path.contradiction,
    frozenset({"answers", "old_memories"}): write_path.prompt_leak,
    frozenset({"first", "second"}): write_path.property_conflict,
    frozenset({"records", "vectors", "ops"}): store_scenarios.missing_vectors,
    frozenset({"vectors", "dim"}): store_scenarios.many_vectors,
    frozenset({"make", "records"}): store_scenarios.truncated_index,
    frozenset({"processes"}): store_scenarios.two_openers,
    frozenset({"reader_holds_s", "writes"}): store_scenarios.long_reader,
    frozenset({"records", "filter", "others"}): store_scenarios.longer_than_a_page,
    frozenset({"limit", "text", "paths"}): store_scenarios.over_the_limit,
    frozenset({"old", "new"}): write_path.correction,
    frozenset({"adds", "same_folder"}): merging.exact_duplicates,
    frozenset({"nodes", "edges", "op"}): merging.merge_nodes,
    frozenset({"steps"}): merging.delete_leak,
}
"""Keys of a scenario -> what plays it and gives the faults."""


def check_memory_engine(case: Case, work: Path) -> list[str] | None:
    """Faults of a case; None when nothing here can play its scenario."""
    scenario = case.recipe()
    if scenario is None:
        return None
    run = next((run for keys, run in RUNS.items() if keys <= scenario.keys()), None)
    return None if run is None else run(scenario, case.checks, work)
