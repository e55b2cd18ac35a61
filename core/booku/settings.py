"""Settings of the service: Booku's own keys with their defaults and ranges (spec/BOOKU §1.9)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.domain.commands import MergePolicy

_RANGES = {
    "default_top_k": (1, 50),
    "top_n": (1, 50),
    "energy_cutoff": (0.0, 1.0),
    "emergent_days": (1, 30),
    "activation_threshold": (1, 20),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BookuSettings:
    """storage.default_folder_id, retrieval.*, write_conflict.*, time_window.*; `policy` is ours (DESIGN §5).

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

    def __post_init__(self) -> None:
        """Look at every number."""
        for item in fields(self):
            if item.name in _RANGES:
                low, high = _RANGES[item.name]
                if not low <= getattr(self, item.name) <= high:
                    raise ValueError(f"{item.name} must be between {low} and {high}")
