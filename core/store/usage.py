"""How often memories are recalled: counted outside the journal (DESIGN §3)."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.ids import MemoryPk
from core.ports.clock import Clock
from core.store.codecs import to_micros
from core.store.database import Database
from core.store.filters import among, key_list


class SqlUsage:
    """Counts uses. Each call is one short transaction; no revision, no op."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def count(self, memories: Sequence[MemoryPk]) -> int:
        """One more use of each of these memories outside the trash; returns how many there were."""
        with self._database.writing() as connection:
            result = connection.exec_driver_sql(
                "UPDATE memory SET activation_count = activation_count + 1, last_activated_at = ?"
                f" WHERE deleted_at IS NULL AND {among('pk')}",
                (to_micros(self._clock()), key_list(memories)),
            )
            return result.rowcount
