"""Memories as text for the clipboard: spreadsheet cells, a Markdown table, JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime

from core.domain.json_types import Json
from core.domain.memory import Memory

NEEDS_QUOTES = ("\t", "\n", "\r", '"')


def as_tsv(cells: Sequence[Sequence[str]]) -> str:
    """Cells as spreadsheets read them: tabs between, lines below each other.

    A cell with a tab, a line break or a quote is quoted and its quotes doubled. A single cell is
    given raw.
    """
    if len(cells) == 1 and len(cells[0]) == 1:
        return cells[0][0]
    return "\n".join("\t".join(_quoted(cell) for cell in row) for row in cells)


def _quoted(cell: str) -> str:
    if any(mark in cell for mark in NEEDS_QUOTES):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def as_markdown(head: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """A Markdown table; bars and line breaks inside cells cannot break it."""
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(_one_line(cell) for cell in line) + " |" for line in lines)


def _one_line(cell: str) -> str:
    text = cell.replace("\\", "\\\\").replace("|", "\\|")
    return "<br>".join(text.splitlines()) if text else ""


def as_json(memories: Sequence[Memory]) -> str:
    """Whole records as a JSON list, readable; surrogate keys are left out."""
    return json.dumps([_record(memory) for memory in memories], ensure_ascii=False, indent=2)


_LEFT_OUT = {"pk", "folder", "parent", "merged_into", "document", "extra"}


def _record(memory: Memory) -> dict[str, Json]:
    record: dict[str, Json] = {}
    for item in fields(memory):
        value = getattr(memory, item.name)
        if item.name not in _LEFT_OUT:
            record[item.name] = value.isoformat() if isinstance(value, datetime) else value
    return record
