"""Columns that several plans show: folder, importance, how often and when last recalled, age."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from core.domain.upkeep import PlanColumns
from ui.language import Language
from ui.models.plan_rows import PlanColumn
from ui.widgets.folder_combo import FolderCombo


def moment(seconds: float) -> datetime | None:
    """A time of a plan; None for NaN."""
    return None if np.isnan(seconds) else datetime.fromtimestamp(seconds, UTC)


def folder_column(rows: PlanColumns, folders: FolderCombo) -> PlanColumn:
    """The folder's name."""
    return PlanColumn(
        "folder", rows.folders, lambda at: folders.name_of(int(rows.folders[at])), right=False, width=116
    )


def importance_column(rows: PlanColumns) -> PlanColumn:
    """Importance 0..10."""
    return PlanColumn("importance", rows.importances, lambda at: f"{rows.importances[at]:g}", width=92)


def recalled_column(rows: PlanColumns) -> PlanColumn:
    """How often it was recalled."""
    return PlanColumn("recalled", rows.activations, lambda at: str(rows.activations[at]), width=92)


def last_used_column(rows: PlanColumns, tr: Language) -> PlanColumn:
    """When it was recalled last."""
    return PlanColumn(
        "last_used",
        np.nan_to_num(rows.last_used, nan=-1.0),
        lambda at: tr.relative(moment(rows.last_used[at])) or tr("plan.never"),
        lambda at: tr.exact(moment(rows.last_used[at])),
        right=False,
        width=116,
    )


def created_column(rows: PlanColumns, tr: Language) -> PlanColumn:
    """When it was made: how old it is."""
    return PlanColumn(
        "age",
        -rows.created,
        lambda at: tr.relative(moment(rows.created[at])),
        lambda at: tr.exact(moment(rows.created[at])),
        right=False,
        width=116,
    )
