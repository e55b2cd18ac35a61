"""The built-in schema: the exact table of spec/STBME §2 and the fields of spec/BOOKU §1.2."""

from __future__ import annotations

import json

import pytest

from core.domain.errors import Invalid
from core.domain.schema import ColumnRole
from core.domain.schema_data import (
    default_schema,
    memory_type_from_json,
    memory_type_to_json,
    relation_type_from_json,
    relation_type_to_json,
)

# id, zh label, table, always, latest, force, (threshold, fan in, depth, keep recent), columns (* = required)
STBME = [
    ("event", "事件", "event_table", True, False, True, (9, 3, 10, 6), "summary* participants status"),
    (
        "character",
        "角色",
        "character_table",
        False,
        True,
        False,
        (0, 0, 0, 0),
        "name* traits state goal inventory core_note",
    ),
    ("location", "地点", "location_table", False, True, False, (0, 0, 0, 0), "name* state features danger"),
    ("rule", "规则", "rule_table", True, False, False, (0, 0, 0, 0), "title* constraint* scope status"),
    ("thread", "主线", "thread_table", True, False, False, (6, 3, 5, 3), "title* summary status"),
    ("synopsis", None, "synopsis_table", True, True, False, (0, 0, 0, 0), "summary* scope"),
    (
        "reflection",
        "反思",
        "reflection_table",
        False,
        False,
        False,
        (6, 3, 3, 3),
        "insight* trigger suggestion",
    ),
]
BOOKU = {
    "person": "person_id*",
    "event": "event_start_at event_end_at related_people",
    "knowledge": "knowledge_type",
    "place": "address_or_coord place_type",
    "asset": "asset_type disposition_status",
    "procedure": "procedure_type",
}
ROLES = {
    "event": ("title", "summary"),
    "character": ("name", None),
    "location": ("name", None),
    "rule": ("title", "constraint"),
    "thread": ("title", "summary"),
    "synopsis": (None, "summary"),
    "reflection": (None, "insight"),
    "pov_memory": (None, "summary"),
    **dict.fromkeys(("person", "knowledge", "place", "asset", "procedure"), ("title", "content")),
}
RELATIONS = "related involved_in occurred_at advances updates contradicts evolves temporal_update"


@pytest.mark.parametrize("row", STBME, ids=[row[0] for row in STBME])
def test_stbme_type_has_its_exact_columns_flags_and_numbers(row: tuple) -> None:
    name, label, table, always, latest, force, numbers, columns = row
    found = default_schema().type(name)
    assert found is not None
    written = [column.name + "*" * column.required for column in found.columns]
    assert written[: len(columns.split())] == columns.split()
    if name != "event":  # event carries Booku's fields too
        assert len(written) == len(columns.split())
    assert found.table_name == table
    assert (found.always_inject, found.latest_only, found.force_update) == (always, latest, force)
    compression = found.compression
    assert numbers == (
        compression.threshold,
        compression.fan_in,
        compression.max_depth,
        compression.keep_recent,
    )
    assert bool(compression.instruction) == (numbers[1] > 0)
    if label is not None:
        assert found.labels["zh_CN"] == label


def test_stbme_types_come_first_in_their_order() -> None:
    assert [item.id for item in default_schema().types][:7] == [row[0] for row in STBME]


@pytest.mark.parametrize("name", BOOKU)
def test_booku_type_has_its_own_fields(name: str) -> None:
    found = default_schema().type(name)
    assert found is not None
    columns = [column.name + "*" * column.required for column in found.columns]
    assert set(BOOKU[name].split()) <= set(columns)


@pytest.mark.parametrize("name", ROLES)
def test_roles_name_the_columns_that_live_in_the_row(name: str) -> None:
    found = default_schema().type(name)
    assert found is not None
    title, body = found.column_of(ColumnRole.TITLE), found.column_of(ColumnRole.BODY)
    assert (title.name if title else None, body.name if body else None) == ROLES[name]


def test_every_type_is_told_apart_and_written_in_both_languages() -> None:
    types = default_schema().types
    assert len(types) == 13
    for get in ("id", "table_name", "color", "color_dark", "icon", "position"):
        assert len({getattr(item, get) for item in types}) == len(types), get
    for item in types:
        assert item.built_in
        for texts in (item.labels, *(c.labels for c in item.columns), *(c.hint for c in item.columns)):
            assert set(texts) == {"en", "zh_CN"}
            assert all(texts.values())
        assert any(column.required for column in item.columns)
        if item.key_column is not None:
            assert item.key_column in {column.name for column in item.columns}


def test_columns_with_meaning_are_embedded() -> None:
    embedded = {c.name for t in default_schema().types for c in t.columns if c.embed}
    assert embedded == {"traits", "state", "constraint", "goal", "insight"}


def test_relations_are_the_eight_and_only_contradicts_inhibits() -> None:
    relations = default_schema().relations
    assert [item.id for item in relations] == RELATIONS.split()
    assert [item.id for item in relations if item.inhibits] == ["contradicts"]
    for item in relations:
        assert set(item.labels) == set(item.inverse) == {"en", "zh_CN"}


def test_json_form_gives_the_same_type_back() -> None:
    schema = default_schema()
    for item in schema.types:
        text = json.dumps(memory_type_to_json(item), ensure_ascii=False)
        assert memory_type_from_json(json.loads(text)) == item
    for relation in schema.relations:
        text = json.dumps(relation_type_to_json(relation), ensure_ascii=False)
        assert relation_type_from_json(json.loads(text)) == relation


@pytest.mark.parametrize(
    "change",
    [
        {"columns": "x"},
        {"columns": [1]},
        {"latest_only": "yes"},
        {"labels": []},
        {"compression": 3},
        {"id": 5},
    ],
)
def test_json_of_the_wrong_shape_is_refused_in_words(change: dict) -> None:
    data = memory_type_to_json(default_schema().types[0])
    with pytest.raises(Invalid):
        memory_type_from_json({**data, **change})
