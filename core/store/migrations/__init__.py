"""Migrations of a library's schema: append-only, `mNNN_name`, each run once in order."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from core.store.migrations import (
    m001_first,
    m002_graph,
    m003_recall_cases,
    m004_merge,
    m005_proposals,
    m006_manual_requests,
    m007_saved_searches,
)

MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    m001_first.upgrade,
    m002_graph.upgrade,
    m003_recall_cases.upgrade,
    m004_merge.upgrade,
    m005_proposals.upgrade,
    m006_manual_requests.upgrade,
    m007_saved_searches.upgrade,
)
"""Migration n brings a library from version n to n + 1."""
