"""Terms of a search as SQL conditions over the table `memory` (alias m)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, assert_never

from core.algos import lexical
from core.algos.search_keys import date_span, number_range
from core.domain.errors import Invalid
from core.domain.search import All, Condition, Either, Listed, Meaning, Not, Pattern, Term, Word
from core.store import search_functions
from core.store.said_at import OUTDATED

Sql = tuple[str, list[Any]]
"""A condition with `?` places, and their parameters."""


_NAMED = (
    "SELECT pk FROM memory WHERE deleted_at IS NULL AND title = ? COLLATE NOCASE"
    " UNION SELECT memory FROM alias WHERE value = ?"
    " UNION SELECT pk FROM memory WHERE id = ? UNION SELECT pk FROM memory WHERE foreign_id = ?"
)
_MODEL_KEYS = (  # SQLite does not skip from key to key by itself: each step is one look-up
    "WITH RECURSIVE each(model) AS (SELECT min(model_key) FROM vector UNION ALL"
    " SELECT (SELECT min(model_key) FROM vector WHERE model_key > model) FROM each WHERE model IS NOT NULL)"
    " SELECT model FROM each WHERE model IS NOT NULL"
)
_HAS = {
    # which texts stand twice is told by the index alone; only those rows are looked at
    "duplicate": "m.pk IN (SELECT one.pk FROM memory one WHERE one.text_hash IN (SELECT text_hash FROM memory"
    " WHERE text_hash <> '' GROUP BY text_hash HAVING count(*) > 1) AND EXISTS (SELECT 1 FROM memory twin"
    " WHERE twin.text_hash = one.text_hash AND twin.pk <> one.pk AND twin.deleted_at IS NULL))",
    "vector": f"EXISTS (SELECT 1 FROM vector v WHERE v.model_key IN ({_MODEL_KEYS}) AND v.text_hash = m.text_hash)",
    "relation": "m.pk IN (SELECT source FROM edge UNION ALL SELECT target FROM edge)",
    "alias": "m.pk IN (SELECT memory FROM alias)",
    "tag": "m.pk IN (SELECT memory FROM tag)",
    "document": "m.document IS NOT NULL",
    "proposal": "m.pk IN (SELECT p.memory FROM proposal_part p WHERE p.memory IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM decision d WHERE d.proposal = p.proposal AND d.part = p.key))",
    "draft": "m.pk IN (SELECT json_extract(data, '$.pk') FROM draft"
    " WHERE json_valid(data) AND json_extract(data, '$.pk') IS NOT NULL)",
    "parent": "m.parent IS NOT NULL",
    "children": "m.pk IN (SELECT parent FROM memory WHERE parent IS NOT NULL AND deleted_at IS NULL)",
}
_IS = {
    "trash": "m.deleted_at IS NOT NULL",
    "locked": "m.locked",
    "merged": "m.merged_into IS NOT NULL",
    "outdated": f"m.pk IN ({OUTDATED})",
}
_COLUMN = {"type": "m.type", "layer": "m.layer", "status": "m.status", "reason": "m.status_reason"}
_TAG_KINDS = {"tag": "tag", "core": "core", "diffusion": "diffusion", "opposing": "opposing"}


def term_sql(term: Term) -> Sql:
    """The condition of a term. Errors: Invalid for search by meaning, which SQL cannot do."""
    return _sql(term, frozenset())


def _sql(term: Term, places: frozenset[str]) -> Sql:
    match term:
        case Word():
            return _word(term, places)
        case Pattern(pattern):
            deadline = time.monotonic() + search_functions.PATTERN_SECONDS
            return "text_matches(?, ?, m.title, m.body)", [pattern, deadline]
        case Meaning():
            raise Invalid("error.search.meaning_here")
        case Listed(_, pks):
            return "m.pk IN (SELECT value FROM json_each(?))", [json.dumps(pks)]
        case Condition():
            return _test(term)
        case Not(inner):
            condition, parameters = _sql(inner, places)
            return f"NOT ifnull(({condition}), 0)", parameters
        case All(terms):
            named = frozenset(
                each.value for each in terms if isinstance(each, Condition) and each.key == "in"
            )
            return _joined(" AND ", "1", terms, named or places)
        case Either(terms):
            return _joined(" OR ", "0", terms, places)
    assert_never(term)


def _joined(sign: str, empty: str, terms: tuple[Term, ...], places: frozenset[str]) -> Sql:
    parts = [_sql(term, places) for term in terms if not (isinstance(term, Condition) and term.key == "in")]
    parameters = [parameter for _, more in parts for parameter in more]
    return sign.join(f"({condition})" for condition, _ in parts) or (
        "1" if parts == [] else empty
    ), parameters


def _word(word: Word, places: frozenset[str]) -> Sql:
    if places:
        found = [_holds(place, word.text) for place in sorted(places)]
        return " OR ".join(f"({sql})" for sql, _ in found), [each for _, more in found for each in more]
    parsed = lexical.parse_query(f'"{word.text}"' if word.phrase else word.text)
    match = lexical.fts_match(parsed, prefix=True)
    if match:
        return "m.pk IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?)", [match]
    pattern = like(word.text)
    return "m.title LIKE ? ESCAPE '\\' OR m.body LIKE ? ESCAPE '\\'", [pattern, pattern]


def _holds(place: str, text: str) -> Sql:
    if place == "tags":
        return "m.pk IN (SELECT memory FROM tag WHERE value LIKE ? ESCAPE '\\')", [like(text)]
    folded = lexical.fold(text)
    words = lexical.fts_match(lexical.parse_query(folded.replace("-", " ")), prefix=True)
    if not words:
        return f"folded_in(?, m.{place})", [folded]
    indexed = "m.pk IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?)"  # spares reading most rows
    return f"{indexed} AND folded_in(?, m.{place})", [words, folded]


def like(text: str) -> str:
    """A LIKE pattern (escape `\\`) of texts that hold this; a star stands for anything."""
    return f"%{_starred(text)}%"


def _starred(text: str) -> str:
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, "\\" + sign)
    return text.replace("*", "%")


def _equal(column: str, value: str) -> Sql:
    """Equal but for case; with a star in the value a pattern."""
    if "*" in value:
        return f"{column} LIKE ? ESCAPE '\\'", [_starred(value)]
    return f"{column} = ? COLLATE NOCASE", [value]


def _test(test: Condition) -> Sql:
    make = _MAKERS.get(test.key)
    if make is None:
        return _field(test)
    if test.op == "!=":
        condition, parameters = make(Condition(test.key, ":", test.value))
        return f"NOT ifnull(({condition}), 0)", parameters
    return make(test)


def _choice(test: Condition) -> Sql:
    return f"{_COLUMN[test.key]} = ?", [test.value]


def _folder(test: Condition) -> Sql:
    if "*" in test.value:
        return "m.folder IN (SELECT pk FROM folder WHERE name LIKE ? ESCAPE '\\')", [_starred(test.value)]
    return (
        "m.folder IN (SELECT pk FROM folder WHERE name = ? COLLATE NOCASE"
        " OR substr(name, 1, length(?) + 1) = ? || '/' COLLATE NOCASE)"
    ), [test.value] * 3


def _tag(test: Condition) -> Sql:
    condition, parameters = _equal("value", test.value)
    kind = "" if test.key == "tag" else f" AND kind = '{_TAG_KINDS[test.key]}'"
    return f"m.pk IN (SELECT memory FROM tag WHERE {condition}{kind})", parameters


def _text(test: Condition) -> Sql:
    return _holds(test.key, test.value)


def _alias(test: Condition) -> Sql:
    condition, parameters = _equal("value", test.value)
    return f"m.pk IN (SELECT memory FROM alias WHERE {condition})", parameters


def _id(test: Condition) -> Sql:
    return "m.id = ? OR m.foreign_id = ?", [test.value, test.value]


def live_edges(now_micros: int) -> str:
    """The one live rule (core.domain.edge.alive) as a condition on a relation's columns."""
    return (
        f"ifnull(valid_from <= {now_micros}, 1) AND ifnull(invalid_from > {now_micros}, 1)"
        f" AND ifnull(expired_at > {now_micros}, 1)"
    )


def micros_now() -> int:
    """The time as it is stored."""
    return int(time.time() * 1_000_000)


def _live_now() -> str:
    return live_edges(micros_now())


def _neighbours(relation: str) -> str:
    living = _live_now() + relation
    return (
        f"m.pk IN (SELECT target FROM edge WHERE source IN ({_NAMED}) AND {living}"
        f" UNION SELECT source FROM edge WHERE target IN ({_NAMED}) AND {living})"
    )


def _relation(test: Condition) -> Sql:
    living = f"relation = ? AND {_live_now()}"
    ends = f"SELECT source FROM edge WHERE {living} UNION SELECT target FROM edge WHERE {living}"
    return f"m.pk IN ({ends})", [test.value] * 2


def _related(test: Condition) -> Sql:
    return _neighbours(""), [test.value] * 8


def _person(test: Condition) -> Sql:
    involved = _neighbours(" AND relation = 'involved_in'")
    named = "json_valid(m.fields) AND json_extract(m.fields, '$.related_people') LIKE ? ESCAPE '\\'"
    return f"({involved}) OR ({named})", [*[test.value] * 8, like(test.value)]


def _parent(test: Condition) -> Sql:
    return f"m.parent IN ({_NAMED})", [test.value] * 4


def _source(test: Condition) -> Sql:
    return "m.source LIKE ? ESCAPE '\\'", [like(test.value)]


def _document(test: Condition) -> Sql:
    return "m.document IN (SELECT pk FROM document WHERE title LIKE ? ESCAPE '\\')", [like(test.value)]


def _floor(test: Condition) -> Sql:
    low, high = number_range(test.value) or (0.0, 0.0)
    first, last = "coalesce(m.seq_start, m.seq)", "coalesce(m.seq_end, m.seq)"
    match test.op:
        case ">" | ">=":
            return f"{last} {test.op} ?", [low]
        case "<" | "<=":
            return f"{first} {test.op} ?", [low]
    return f"{last} >= ? AND {first} <= ?", [low, high]


def _compared(column: str) -> Callable[[Condition], Sql]:
    def compare(test: Condition) -> Sql:
        low, high = number_range(test.value) or (0.0, 0.0)
        if test.op == ":":
            return f"{column} BETWEEN ? AND ?", [low, high]
        return f"{column} {test.op} ?", [low]

    return compare


def _dated(column: str) -> Callable[[Condition], Sql]:
    def compare(test: Condition) -> Sql:
        span = date_span(test.value, datetime.now().astimezone())
        if span is None:
            raise Invalid("error.search.date", at=1, key=test.key, value=test.value)
        match test.op:
            case ">" | ">=":
                return f"{column} >= ?", [span.end if test.op == ">" else span.start]
            case "<" | "<=":
                return f"{column} < ?", [span.start if test.op == "<" else span.end]
        if span.open:
            return f"{column} >= ?", [span.start]
        return f"{column} >= ? AND {column} < ?", [span.start, span.end]

    return compare


def _dated_by_key(column: str) -> Callable[[Condition], Sql]:
    """Through the column's own index, which holds no row of the trash: those are looked at by themselves."""

    def compare(test: Condition) -> Sql:
        condition, parameters = _dated(column)(test)
        sides = (
            f"SELECT pk FROM memory WHERE deleted_at IS {side}NULL AND {condition}" for side in ("", "NOT ")
        )
        return f"m.pk IN ({' UNION ALL '.join(sides)})", parameters * 2

    return compare


def _recalled(test: Condition) -> Sql:
    counted = number_range(test.value) is not None
    return (_compared("m.activation_count") if counted else _dated_by_key("last_activated_at"))(test)


def _is(test: Condition) -> Sql:
    if test.value in _IS:
        return _IS[test.value], []
    column = "m.status" if test.value in ("active", "archived", "expired") else "m.layer"
    return f"{column} = ?", [test.value]


def _field(test: Condition) -> Sql:
    """A field by its column's name, letter case aside; lists and numbers are compared by their text."""
    name = test.key.removeprefix("field.")
    if test.op in (">", ">=", "<", "<="):
        number = number_range(test.value)
        value: Any = test.value if number is None else number[0]
        cast = "f.value" if number is None else "CAST(f.value AS REAL)"
        condition, parameters = f"{cast} {test.op} ?", [value]
    elif "*" in test.value:
        condition, parameters = "f.value LIKE ? ESCAPE '\\'", [_starred(test.value)]
    else:
        condition = (
            f"{_said('f')} = ? COLLATE NOCASE OR (f.type = 'array' AND EXISTS (SELECT 1 FROM json_each(f.value) one"
            f" WHERE {_said('one')} = ? COLLATE NOCASE))"
        )
        parameters = [test.value, test.value]
    sql = (
        "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(m.fields) THEN m.fields ELSE '{}' END) f"
        f" WHERE f.key = ? COLLATE NOCASE AND ({condition}))"
    )
    return (f"NOT {sql}" if test.op == "!=" else sql), [name, *parameters]


def _said(row: str) -> str:
    """A value of json_each as text: SQLite holds no number equal to its text, and keeps true as 1."""
    return f"CASE WHEN {row}.type IN ('true', 'false') THEN {row}.type ELSE CAST({row}.value AS TEXT) END"


_MAKERS: dict[str, Callable[[Condition], Sql]] = {
    **dict.fromkeys(_COLUMN, _choice),
    **dict.fromkeys(_TAG_KINDS, _tag),
    "folder": _folder,
    "title": _text,
    "body": _text,
    "alias": _alias,
    "id": _id,
    "person": _person,
    "related": _related,
    "relation": _relation,
    "parent": _parent,
    "source": _source,
    "document": _document,
    "in": lambda _test: ("1", []),
    "floor": _floor,
    "level": _compared("m.level"),
    "importance": _compared("m.importance"),
    "recalled": _recalled,
    "never": lambda _test: ("m.activation_count = 0", []),
    "created": _dated_by_key("created_at"),
    "updated": _dated("m.updated_at"),
    "has": lambda test: (_HAS[test.value], []),
    "is": _is,
}
