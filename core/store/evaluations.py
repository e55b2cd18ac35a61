"""Runs over the saved recall cases (core.ports.recall_store.Evaluations)."""

from __future__ import annotations

import json

from core.domain.ids import FolderPk
from core.domain.recall import KeptEvaluation
from core.store.codecs import from_micros, to_micros
from core.store.database import Database

MOST_KEPT = 200


class SqlEvaluations:
    """Kept evaluations. Calls may come from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, evaluation: KeptEvaluation) -> None:
        """Keep one: no op, no journal. Not where the library is only read."""
        if self._database.read_only is not None:
            return
        passed = {str(pk): value for pk, value in evaluation.passed.items()}
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                'INSERT INTO evaluation ("at", folder, figures, passed) VALUES (?, ?, ?, ?)',
                (
                    to_micros(evaluation.at),
                    evaluation.folder,
                    json.dumps(dict(evaluation.figures)),
                    json.dumps(passed),
                ),
            )
            connection.exec_driver_sql(
                "DELETE FROM evaluation WHERE pk <= (SELECT max(pk) FROM evaluation) - ?", (MOST_KEPT,)
            )

    def last(self, folder: FolderPk | None) -> KeptEvaluation | None:
        """The newest of this folder, or of all cases."""
        with self._database.reading() as connection:
            row = connection.exec_driver_sql(
                'SELECT "at", figures, passed FROM evaluation WHERE folder IS ? ORDER BY pk DESC LIMIT 1',
                (folder,),
            ).one_or_none()
        if row is None:
            return None
        passed = {int(pk): bool(value) for pk, value in json.loads(row[2]).items()}
        return KeptEvaluation(
            at=from_micros(row[0]), folder=folder, figures=json.loads(row[1]), passed=passed
        )
