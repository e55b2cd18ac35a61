"""Entries and vectors for tests of the index."""

from __future__ import annotations

import numpy as np

from core.ports.embedder import EmbedderIdentity, Vectors
from core.ports.vector_index import IndexEntry

SMALL = EmbedderIdentity("小模型", 8, "test")


def entry(pk: int, **changes: object) -> IndexEntry:
    values: dict[str, object] = {
        "id": f"mem-{pk:032x}",
        "pk": pk,
        "folder": 1,
        "layer": "memory",
        "type": "event",
        "status": "active",
        "trashed": False,
        "text_hash": f"{pk:064x}",
    }
    return IndexEntry(**{**values, **changes})  # type: ignore[arg-type]


def unit_vectors(count: int, dims: int = SMALL.dims, seed: int = 1) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, dims)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
