"""The graph as GraphML: valid, complete, readable by an XML parser, also through the command line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from core.adapters.formats.graphml_write import EDGE_KEYS, NODE_KEYS
from core.domain.commands import TrashMemories
from core.domain.commands_graph import EndEdges
from core.domain.memory import TagSet
from core.domain.transfer import Format
from core.services.exporting import export_folder
from tests.app.conftest import MEDIUM, Run, library, run
from tests.services.desk import Desk

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
__all__ = ["library", "run"]


def read(path: Path) -> tuple[dict[str, dict[str, str]], list[dict[str, str]]]:
    """Nodes by id and edges with the names of their values; the declarations are checked on the way."""
    root = ET.parse(path).getroot()
    assert root.tag == NAMESPACE + "graphml"
    keys = {key.get("id", ""): key.attrib for key in root.iter(NAMESPACE + "key")}
    (graph,) = root.findall(NAMESPACE + "graph")
    assert graph.get("edgedefault") == "directed"

    def values(item: ET.Element) -> dict[str, str]:
        of = item.tag.removeprefix(NAMESPACE)
        found = {}
        for data in item.findall(NAMESPACE + "data"):
            declared = keys[data.get("key", "")]
            assert declared["for"] == of
            found[declared["attr.name"]] = data.text or ""
            if declared["attr.type"] in ("int", "double"):
                float(data.text or "")
            if declared["attr.type"] == "boolean":
                assert data.text in ("true", "false")
        return found | dict(item.attrib)

    nodes = [values(item) for item in graph.findall(NAMESPACE + "node")]
    edges = [values(item) for item in graph.findall(NAMESPACE + "edge")]
    by_id = {node["id"]: node for node in nodes}
    assert len(by_id) == len(nodes)
    assert all(edge["source"] in by_id and edge["target"] in by_id for edge in edges)
    return by_id, edges


def write(desk: Desk, folder: int, path: Path) -> object:
    from core.adapters.formats.files import FormatFiles

    with desk.store.read() as reader:
        bundle = export_folder(reader, folder)  # type: ignore[arg-type]  # a folder's key
        schema = reader.schema()
    formats = FormatFiles(lambda _path, _data: None, lambda _name: True)
    return formats.write(Format.GRAPHML, [bundle], path, schema)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk")


def test_all_that_a_graph_program_can_use_is_written(desk: Desk, tmp_path: Path) -> None:
    folder = desk.folder("聊天/雾港 & <Fog>")
    a = desk.memory(
        folder, "location", title='Tower "A" & <b>', tags=TagSet(general=("海", "灯")), importance=7.5
    )
    b = desk.memory(folder, body="line\r\nwith \x00 and \x0b and 😀", seq=4)
    gone = desk.memory(folder)
    desk.edge(a, gone)
    desk.edge(a, b, "occurred_at", strength=0.25)
    past = desk.edge(b, a)
    desk.run(EndEdges(edges=(past,), seq=9))
    desk.run(TrashMemories(memories=(gone,)))
    report = write(desk, folder, tmp_path / "g.graphml")
    nodes, edges = read(tmp_path / "g.graphml")
    assert set(nodes) == {desk.get(a).id, desk.get(b).id}
    tower, event = nodes[desk.get(a).id], nodes[desk.get(b).id]
    assert tower["label"] == 'Tower "A" & <b>'
    assert (tower["folder"], tower["tags"], tower["importance"]) == ("聊天/雾港 & <Fog>", "海; 灯", "7.5")
    assert event["body"].startswith("line\r\nwith ")
    assert event["body"].endswith("😀")
    assert (event["floor"], event["type"], event["locked"]) == ("4", "event", "false")
    assert [(edge["relation"], edge["weight"], edge["live"]) for edge in edges] == [
        ("occurred_at", "0.25", "true"),
        ("related", "0.8", "false"),
    ]
    assert edges[1]["ended_floor"] == "9"
    assert report.counts == {"folders": 1, "memories": 2, "edges": 2}  # type: ignore[attr-defined]
    assert [problem.key for problem in report.problems] == ["export.problem.trashed"]  # type: ignore[attr-defined]
    desk.store.close()


def test_empty_folder_is_an_empty_graph(desk: Desk, tmp_path: Path) -> None:
    write(desk, desk.folder("a"), tmp_path / "g.graphml")
    assert read(tmp_path / "g.graphml") == ({}, [])
    desk.store.close()


def test_names_of_values_are_unique() -> None:
    for keys in (NODE_KEYS, EDGE_KEYS):
        assert len({name for name, *_ in keys}) == len(keys)


def test_command_line_writes_it_once(run: Run, tmp_path: Path) -> None:
    run("import", MEDIUM)
    target = tmp_path / "graph.graphml"
    done = run("export", "medium_300_zh", "--format", "graphml", "--to", target, "--json")
    assert (done.code, done.data["format"], done.data["counts"]["memories"]) == (0, "graphml", 300)
    nodes, edges = read(target)
    assert (len(nodes), len(edges)) == (300, done.data["counts"]["edges"])
    assert run("export", "medium_300_zh", "--format", "graphml", "--to", target).code == 1
