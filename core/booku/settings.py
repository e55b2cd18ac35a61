"""Settings of the service: Booku's own keys with their defaults and ranges (spec/BOOKU §1.9)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from core.domain.commands import MergePolicy
from core.domain.document import Cutting

_RANGES = {
    "default_top_k": (1, 50),
    "top_n": (1, 50),
    "energy_cutoff": (0.0, 1.0),
    "emergent_days": (1, 30),
    "activation_threshold": (1, 20),
    "max_chunk_chars": (300, 3000),
    "overlap_chars": (0, 500),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BookuSettings:
    """storage.default_folder_id, retrieval.*, write_conflict.*, time_window.*, chunking.*, startup_ingest.*.

    `policy` and `cutting` are ours (DESIGN §5).

    Errors: ValueError for a number outside its range.
    """

    default_folder_id: str = "default"
    default_top_k: int = 5
    include_archived_default: bool = False
    include_knowledge_default: bool = False
    top_n: int = 8
    energy_cutoff: float = 0.1
    emergent_days: int = 7
    activation_threshold: int = 2
    policy: MergePolicy = MergePolicy.UNION
    max_chunk_chars: int = 900
    overlap_chars: int = 120
    cutting: Cutting = Cutting.COMPAT
    startup_enabled: bool = True
    startup_paths: tuple[Path, ...] = ()
    startup_recursive: bool = True
    startup_skip_missing_paths: bool = True
    startup_skip_existing_title: bool = True

    def __post_init__(self) -> None:
        """Look at every number."""
        for item in fields(self):
            if item.name in _RANGES:
                low, high = _RANGES[item.name]
                if not low <= getattr(self, item.name) <= high:
                    raise ValueError(f"{item.name} must be between {low} and {high}")
