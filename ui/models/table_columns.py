"""The columns of the memory table: name, order key, and what a cell says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.domain.queries import SortKey
from core.domain.results import MemoryRow
from ui.language import Language
from ui.theme import Theme

SENTENCE_ENDS = " .。…!！?？"


@dataclass(frozen=True, slots=True)
class Words:
    """What cells need to speak: language and names of types."""

    tr: Language
    theme: Theme


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column. `text` is shown, `exact` is its tooltip and what copying gives."""

    key: str
    sort: SortKey
    width: int
    text: Callable[[MemoryRow, Words], str]
    exact: Callable[[MemoryRow, Words], str] | None = None
    right: bool = False
    shown: bool = True

    @property
    def text_key(self) -> str:
        """Text key of its heading."""
        return f"column.{self.key}"

    def copied(self, row: MemoryRow, words: Words) -> str:
        """The cell as it is copied: exact where the shown text is rounded."""
        return (self.exact or self.text)(row, words)


def title_of(row: MemoryRow) -> str:
    """Title, or the start of the body where there is none, as long as there is room."""
    beginning = row.title.removesuffix("…")
    cut = beginning != row.title and row.snippet.startswith(beginning)
    return row.snippet if cut or not row.title else row.title


def text_beside_title(row: MemoryRow) -> str:
    """The start of the body, "" where the title already says all of it."""
    said = title_of(row).strip(SENTENCE_ENDS)
    text = row.snippet.strip(SENTENCE_ENDS)
    return row.snippet if said and text and not said.startswith(text) else ""


COLUMNS: tuple[TableColumn, ...] = (
    TableColumn("title", SortKey.TITLE, 172, lambda row, _: title_of(row)),
    TableColumn("type", SortKey.TYPE, 100, lambda row, w: w.theme.type_label(row.type, w.tr.code)),
    TableColumn("folder", SortKey.FOLDER, 104, lambda row, _: row.folder_name),
    TableColumn("layer", SortKey.LAYER, 112, lambda row, w: w.tr(f"layer.{row.layer.value}"), shown=False),
    TableColumn("status", SortKey.STATUS, 88, lambda row, w: w.tr(f"status.{row.status.value}"), shown=False),
    TableColumn("importance", SortKey.IMPORTANCE, 88, lambda row, _: f"{row.importance:g}", right=True),
    TableColumn(
        "activations",
        SortKey.ACTIVATIONS,
        96,
        lambda row, _: str(row.activation_count),
        right=True,
        shown=False,
    ),
    TableColumn(
        "last_used",
        SortKey.LAST_USED,
        112,
        lambda row, w: w.tr.relative(row.last_activated_at),
        lambda row, w: w.tr.exact(row.last_activated_at),
        shown=False,
    ),
    TableColumn(
        "updated",
        SortKey.UPDATED,
        110,
        lambda row, w: w.tr.relative(row.updated_at),
        lambda row, w: w.tr.exact(row.updated_at),
    ),
    TableColumn(
        "created",
        SortKey.CREATED,
        112,
        lambda row, w: w.tr.relative(row.created_at),
        lambda row, w: w.tr.exact(row.created_at),
        shown=False,
    ),
    TableColumn(
        "seq",
        SortKey.SEQ,
        64,
        lambda row, _: "" if row.seq is None else str(row.seq),
        right=True,
        shown=False,
    ),
    TableColumn("level", SortKey.LEVEL, 64, lambda row, _: str(row.level), right=True, shown=False),
)
TITLE, IMPORTANCE = 0, 5
BY_KEY = {column.key: index for index, column in enumerate(COLUMNS)}


def column_of_sort(key: SortKey) -> int:
    """The column that is ordered by this key; -1 when none is."""
    return next((index for index, column in enumerate(COLUMNS) if column.sort is key), -1)
