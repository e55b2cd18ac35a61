"""Layout `tables`: the recorded texts of ST-BME, made from memories of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.algos.injection import Bucket, bucket_of
from core.domain.ids import MemoryId, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.recall import Layout
from core.domain.schema import ColumnRole
from core.ports.token_counter import TokenFamily
from core.services.inject import InjectMemory, Part
from tests.inject.making import NOW, SCHEMA, built, core, left_out, recalled

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "stbme" / "injection.json"
CASES = {case["id"]: case for case in json.loads(GOLDEN.read_text("utf-8"))["cases"]}


def as_memory(pk: int, node: dict[str, Any], part: Part) -> InjectMemory:
    """A node as the importer stores it: title and body out of their columns."""
    fields = dict(node.get("fields") or {})
    known = SCHEMA.type(node["type"])
    texts = {"title": "", "body": ""}
    if known is not None:
        for role, name in ((ColumnRole.TITLE, "title"), (ColumnRole.BODY, "body")):
            column = known.column_of(role)
            if column is not None and isinstance(fields.get(column.name), str):
                texts[name] = fields.pop(column.name)
    stored = Memory(
        pk=MemoryPk(pk), id=MemoryId(node["id"]), folder=1, type=TypeId(node["type"]),
        fields=fields, created_at=NOW, updated_at=NOW, **texts,
    )  # fmt: skip
    return InjectMemory(stored, part)


def usable(case: dict[str, Any]) -> bool:
    nodes = case["inputs"]["coreNodes"] + case["inputs"]["recallNodes"]
    return (
        case["inputs"].get("schema") == "default"
        and not case["inputs"]["groupedRecallNodes"]
        and all(node.get("id") for node in nodes)
        and not any("title" in (node.get("fields") or {}) for node in nodes if node["type"] == "event")
    )


@pytest.mark.parametrize("case_id", sorted(key for key, case in CASES.items() if usable(case)))
def test_recorded_nodes_give_the_recorded_text(case_id: str) -> None:
    case = CASES[case_id]
    nodes = [(node, Part.CORE) for node in case["inputs"]["coreNodes"]]
    nodes += [(node, Part.RECALLED) for node in case["inputs"]["recallNodes"]]
    pks = {node["id"]: at for at, (node, _) in enumerate(nodes, 1)}
    items = [as_memory(pks[node["id"]], node, part) for node, part in nodes]
    made = built(*items, layout=Layout.TABLES, family=TokenFamily.ESTIMATE)
    assert made.text == case["expected"]["trimmed"]
    assert made.tokens == case["expected"]["tokens"]


def test_every_row_knows_its_memory() -> None:
    made = built(
        core(1, "rule", title="Oath", body="Never lie"), recalled(2, body="a|b\nc"), layout=Layout.TABLES
    )
    assert {span.memory: made.text[span.start : span.end] for span in made.spans} == {
        1: "| Oath | Never lie |",
        2: "| a\\|b c |",
    }
    assert [section.name for section in made.sections] == ["core", "episodic"]
    assert sum(section.tokens for section in made.sections) >= made.tokens


def test_long_cell_is_said_to_be_cut() -> None:
    made = built(recalled(1, body="x" * 201), recalled(2, body="y" * 200), layout=Layout.TABLES)
    assert {item.memory: item.cut for item in made.sections[0].memories} == {1: True, 2: False}


def test_type_without_a_table_is_left_out_by_name() -> None:
    made = built(recalled(1, "ghost", body="hidden"), layout=Layout.TABLES)
    assert left_out(made) == {1}
    assert bucket_of("ghost") is Bucket.OTHER
