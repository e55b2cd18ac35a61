"""Every setting of the two programs that this one unites is declared here, with its default and range.

Sources: spec/BOOKU §1.9, spec/STBME §6; DESIGN §5 where a default is another one.
"""

from __future__ import annotations

from dataclasses import fields

import pytest

from core.booku.settings import _RANGES, BookuSettings
from core.domain.folder_settings import DECLARED
from core.domain.recipes import RECIPES, recipe
from core.settings import BY_KEY

Known = tuple[object, object, object]

BOOKU: dict[str, Known] = {
    "retrieval.default_top_k": (5, 1, 50),
    "retrieval.include_archived_default": (False, None, None),
    "retrieval.include_knowledge_default": (False, None, None),
    "retrieval.deduplication_threshold": (0.88, 0, 1),
    "retrieval.base_beta": (0.3, 0, 1),
    "retrieval.logic_depth_scale": (0.5, 0, 2),
    "retrieval.core_boost_min": (1.2, 1, 3),
    "retrieval.core_boost_max": (1.4, 1, 3),
    "retrieval.diffusion_boost": (0.3, 0, 1),
    "retrieval.opposing_penalty": (0.5, 0, 1),
    "write_conflict.top_n": (8, 1, 50),
    "write_conflict.energy_cutoff": (0.1, 0, 1),
    "flashback.enabled": (False, None, None),
    "flashback.trigger_probability": (0.05, 0, 1),
    "flashback.archived_probability": (0.6, 0, 1),
    "flashback.candidate_limit": (50, 10, 200),
    "flashback.activation_weight_exponent": (1.0, 0.5, 3),
    "flashback.cooldown_seconds": (3600, 0, 86400),
    "storage.default_folder_id": ("default", None, None),
    "time_window.emergent_days": (7, 1, 30),
    "time_window.activation_threshold": (2, 1, 20),
    "chunking.max_chunk_chars": (900, 300, 3000),
    "chunking.overlap_chars": (120, 0, 500),
    "startup_ingest.enabled": (True, None, None),
    "startup_ingest.recursive": (True, None, None),
    "startup_ingest.skip_missing_paths": (True, None, None),
    "startup_ingest.skip_existing_title": (True, None, None),
}
STBME: dict[str, Known] = {
    "enabled": (False, None, None),
    "extractEvery": (1, 1, 50),
    "extractContextTurns": (2, 0, 20),
    "recallEnabled": (True, None, None),
    "recallTopK": (15, 1, 100),
    "recallMaxNodes": (8, 1, 50),
    "recallEnableLLM": (True, None, None),
    "injectPosition": ("atDepth", None, None),
    "injectRole": ("system", None, None),
    "injectDepth": (4, 0, 9999),
    "graphWeight": (0.6, 0, 1),
    "vectorWeight": (0.3, 0, 1),
    "importanceWeight": (0.1, 0, 1),
    "enableEvolution": (True, None, None),
    "evoNeighborCount": (5, 1, 20),
    "evoConsolidateEvery": (50, 1, 500),
    "enablePreciseConflict": (True, None, None),
    "conflictThreshold": (0.85, 0.5, 0.99),
    "enableSynopsis": (True, None, None),
    "synopsisEveryN": (5, 1, 100),
    "enableVisibility": (False, None, None),
    "enableCrossRecall": (False, None, None),
    "enableSmartTrigger": (False, None, None),
    "triggerPatterns": ("", None, None),
    "smartTriggerThreshold": (2, 1, 10),
    "enableSleepCycle": (False, None, None),
    "forgetThreshold": (0.2, 0.1, 1),  # DESIGN §5: at 0.5 the original archives a normal memory after an hour
    "sleepEveryN": (10, 1, 200),
    "enableProbRecall": (False, None, None),
    "probRecallChance": (0.15, 0.01, 0.5),
    "enableReflection": (False, None, None),
    "reflectEveryN": (10, 1, 200),
}
IN_BOOKU_SERVICE = {
    "storage.default_folder_id": "default_folder_id",
    "time_window.emergent_days": "emergent_days",
    "time_window.activation_threshold": "activation_threshold",
    "chunking.max_chunk_chars": "max_chunk_chars",
    "chunking.overlap_chars": "overlap_chars",
    "startup_ingest.enabled": "startup_enabled",
    "startup_ingest.recursive": "startup_recursive",
    "startup_ingest.skip_missing_paths": "startup_skip_missing_paths",
    "startup_ingest.skip_existing_title": "startup_skip_existing_title",
}
ELSEWHERE = {
    "storage.metadata_db_path": "last_library",
    "storage.vector_db_path": "last_library",
    "internal_llm.task_name": "models.task.recall",
    "embeddingApiUrl": "models.endpoints",
    "embeddingApiKey": "models.endpoints",
    "embeddingModel": "models.embedding",
    "extractPrompt": "prompts.own",
}
"""Keys whose value has another form here: a directory, an endpoint, a text for each task and language."""


def declared() -> dict[str, set[Known]]:
    """Defaults and ranges by the key that a declaration stands for; a recipe may have a default of its own."""
    found: dict[str, set[Known]] = {}
    for name in RECIPES:
        for setting in recipe(name).settings:
            for origin in setting.origin:
                found.setdefault(origin, set()).add((setting.default, setting.low, setting.high))
    for each in DECLARED:
        if each.origin:
            found.setdefault(each.origin, set()).add((each.default, each.low, each.high))
    service = {item.name: item.default for item in fields(BookuSettings)}
    for key, name in IN_BOOKU_SERVICE.items():
        low, high = _RANGES.get(name, (None, None))
        found.setdefault(key, set()).add((service[name], low, high))
    return found


@pytest.mark.parametrize("key", [*BOOKU, *STBME])
def test_setting_of_the_seeds_is_declared_with_its_default_and_range(key: str) -> None:
    expected = {**BOOKU, **STBME}[key]
    assert expected in declared().get(key, set()), declared().get(key)


@pytest.mark.parametrize("key", ELSEWHERE)
def test_setting_of_another_form_has_its_place(key: str) -> None:
    assert ELSEWHERE[key] in BY_KEY
