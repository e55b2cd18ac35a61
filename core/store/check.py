"""Whether the library's file is whole: structure, references and the full-text index."""

from __future__ import annotations

from sqlalchemy import Connection

from core.domain.health import Example, Fault, Finding
from core.domain.results import Problem
from core.store.references import REFERENCES

MANY = 20


def check_file(connection: Connection) -> list[Problem]:
    """What SQLite finds wrong with the file; empty when it is whole. Changes nothing."""
    problems: list[Problem] = []
    broken = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA quick_check({MANY})")]
    if broken != ["ok"]:
        problems.append(
            Problem("check.store_damaged", {"count": len(broken)}, severity="error", refs=tuple(broken))
        )
    dangling = [f"{row[0]} {row[1]}" for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
    if dangling:
        refs = tuple(dangling[:MANY])
        problems.append(Problem("check.references", {"count": len(dangling)}, severity="error", refs=refs))
    lost = connection.exec_driver_sql(
        "SELECT count(*) FROM memory WHERE search_text <> '' AND pk NOT IN (SELECT id FROM memory_fts_docsize)"
    ).scalar_one()
    if lost:
        problems.append(Problem("check.full_text", {"count": lost}, severity="error"))
    return problems


def file_findings(connection: Connection) -> list[Finding]:
    """The same for a check-up; references that it looks at row by row are left out. Changes nothing."""
    found: list[Finding] = []
    broken = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA quick_check({MANY})")]
    if broken != ["ok"]:
        examples = tuple(Example(line, line) for line in broken)
        found.append(Finding(fault=Fault.STORE, count=len(broken), examples=examples))
    covered = {each.kind.value for each in REFERENCES}
    dangling = [
        f"{row[0]} {row[1]}"
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check")
        if row[0] not in covered
    ]
    if dangling:
        examples = tuple(Example(line, line) for line in dangling[:MANY])
        found.append(Finding(fault=Fault.REFERENCES, count=len(dangling), examples=examples))
    lost = _outside_word_search(connection)
    if lost:
        found.append(Finding(fault=Fault.FULL_TEXT, count=lost))
    return found


def _outside_word_search(connection: Connection) -> int:
    """Memories that the word index lacks or whose search text was never made, and entries of none."""
    count: int = connection.exec_driver_sql(
        "SELECT (SELECT count(*) FROM memory WHERE search_text <> ''"
        " AND pk NOT IN (SELECT id FROM memory_fts_docsize))"
        " + (SELECT count(*) FROM memory_fts_docsize WHERE id NOT IN (SELECT pk FROM memory WHERE search_text <> ''))"
        " + (SELECT count(*) FROM memory WHERE search_text = '' AND text_hash = ''"
        " AND (trim(title) <> '' OR trim(body) <> ''))"
    ).scalar_one()
    return count
