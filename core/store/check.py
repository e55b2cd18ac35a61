"""Whether the library's file is whole: structure, references and the full-text index."""

from __future__ import annotations

from sqlalchemy import Connection

from core.domain.results import Problem

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
