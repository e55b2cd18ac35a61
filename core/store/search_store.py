"""Values in use, for the completion of searches (core.ports.search_store.SearchStore)."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.search import NamedValue, ValuesOf
from core.store.database import Database
from core.store.filters import key_list
from core.store.history import last_op
from core.store.search_sql import live_edges, micros_now

_LAST_CHAR = "\U0010ffff"
_LIVE = "memory NOT IN (SELECT pk FROM memory WHERE deleted_at IS NOT NULL)"
_INVOLVED = "relation = 'involved_in'"
_PERSONS = "m.deleted_at IS NULL AND m.type IN ('person', 'character')"


def _tags(condition: str) -> str:
    return (
        f"SELECT value, count(DISTINCT memory) AS n, '' FROM tag WHERE {_LIVE}{condition}"
        " GROUP BY value COLLATE NOCASE ORDER BY n DESC, value LIMIT ?"
    )


_SQL = {
    ValuesOf.TAG: _tags(""),
    ValuesOf.CORE: _tags(" AND kind = 'core'"),
    ValuesOf.DIFFUSION: _tags(" AND kind = 'diffusion'"),
    ValuesOf.OPPOSING: _tags(" AND kind = 'opposing'"),
    ValuesOf.PERSON: (
        f"SELECT m.title, NULL, m.type, '' FROM memory m WHERE {_PERSONS} AND m.title <> ''"
        " UNION SELECT a.value, NULL, m.type, m.title FROM alias a JOIN memory m ON m.pk = a.memory"
        f" WHERE {_PERSONS} ORDER BY 1, 4 LIMIT ?"
    ),
    ValuesOf.RELATED: (
        "SELECT title, NULL, type FROM memory INDEXED BY ix_memory_list"
        " WHERE deleted_at IS NULL AND title <> '' ORDER BY updated_at DESC LIMIT ?"
    ),
    ValuesOf.PARENT: (
        "SELECT p.title, count(*) AS n, p.type FROM memory m JOIN memory p ON p.pk = m.parent"
        " WHERE m.deleted_at IS NULL AND p.title <> '' GROUP BY p.title ORDER BY n DESC, 1 LIMIT ?"
    ),
    ValuesOf.ALIAS: (
        f"SELECT value, count(DISTINCT memory) AS n, '' FROM alias WHERE {_LIVE}"
        " GROUP BY value ORDER BY n DESC, value LIMIT ?"
    ),
    ValuesOf.DOCUMENT: (
        "SELECT d.title, (SELECT count(*) FROM memory m WHERE m.document = d.pk AND m.deleted_at IS NULL), ''"
        " FROM document d ORDER BY d.title LIMIT ?"
    ),
}


class SqlSearchStore:
    """Reads for the search field."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest_op(self) -> int:
        """Highest op."""
        with self._database.reading() as connection:
            return last_op(connection)

    def values_of(self, what: ValuesOf, limit: int) -> Sequence[NamedValue]:
        """Values in use. Cost: one statement; 100 ms for the tags of 100,000 memories."""
        return self._values(_SQL[what], limit)

    def titles_from(self, typed: str, limit: int) -> Sequence[NamedValue]:
        """Titles that begin with this. Cost: a look-up in the index of titles."""
        sql = (
            "SELECT title, NULL, type FROM memory WHERE deleted_at IS NULL"
            " AND title >= ? COLLATE NOCASE AND title < ? COLLATE NOCASE"
            " GROUP BY title COLLATE NOCASE ORDER BY title COLLATE NOCASE LIMIT ?"
        )
        return self._values(sql, typed, typed + _LAST_CHAR, limit)

    def involved(self, names: Sequence[str]) -> dict[str, int]:
        """Memories in which persons are involved."""
        living = live_edges(micros_now())
        persons = (
            "SELECT named.value AS name, m.pk AS who FROM json_each(?) named"
            " JOIN memory m INDEXED BY ix_memory_live_title ON m.title = named.value COLLATE NOCASE"
            f" WHERE {_PERSONS} UNION SELECT named.value, m.pk FROM json_each(?) named"
            " CROSS JOIN alias a ON a.value = named.value CROSS JOIN memory m ON m.pk = a.memory"
            f" WHERE {_PERSONS}"
        )
        sql = (
            f"SELECT name, sum((SELECT count(*) FROM edge WHERE source = who AND {_INVOLVED} AND {living})"
            f" + (SELECT count(*) FROM edge WHERE target = who AND {_INVOLVED} AND {living}))"
            f" FROM ({persons}) GROUP BY name"
        )
        with self._database.reading() as connection:
            return dict(connection.exec_driver_sql(sql, (key_list(names),) * 2).all())

    def _values(self, sql: str, *parameters: object) -> list[NamedValue]:
        with self._database.reading() as connection:
            return [NamedValue(*row) for row in connection.exec_driver_sql(sql, parameters)]
