"""ST-BME's lastRecallResult: read from the file, replaced by what is handed out here, written back."""

from __future__ import annotations

import json
from pathlib import Path

from core.adapters.formats.stbme_read import read_stbme
from core.adapters.formats.stbme_write import graph_of
from core.domain.commands_transfer import ApplyImport
from core.domain.queries import FolderByName
from core.domain.queries_recall import LastInjection
from core.domain.recall import RecallMode
from core.domain.schema_data import default_schema
from core.services.exporting import export_folder
from tests.recall.desk import RecallDesk

SMALL = Path(__file__).parents[1] / "data" / "exports" / "small_15_zh.json"


def exported(desk: RecallDesk, folder: int) -> dict[str, object]:
    with desk.store.read() as reader:
        bundle = export_folder(reader, folder)  # type: ignore[arg-type]
    return dict(graph_of(bundle, default_schema()))


def test_last_recall_of_a_file_is_known_and_replaced_by_ours(desk: RecallDesk, tmp_path: Path) -> None:
    graph = json.loads(SMALL.read_text(encoding="utf-8"))
    ids = [node["id"] for node in graph["nodes"]][:3]
    file = tmp_path / "story.json"
    file.write_text(json.dumps({**graph, "lastRecallResult": [*ids, "gone"]}), encoding="utf-8")
    desk.run(ApplyImport(read_stbme(file, default_schema())))
    folder = desk.ask(FolderByName("story"))
    assert folder is not None
    by_id = desk.by_foreign_id()
    first = desk.engine.ask(LastInjection(folder.pk))
    assert first is not None
    assert (first.pk, first.selected) == (0, tuple(by_id[each].pk for each in ids))
    assert exported(desk, folder.pk)["lastRecallResult"] == [*ids, "gone"]
    name = next(memory.title for memory in by_id.values() if memory.type == "character")
    result = desk.recall(name, folder.pk, mode=RecallMode.COMMIT, recipe="stbme-compat")
    pks = {memory.pk: each for each, memory in by_id.items()}
    assert exported(desk, folder.pk)["lastRecallResult"] == [pks[each.pk] for each in result.selected]
    again = desk.engine.ask(LastInjection(folder.pk))
    assert again is not None
    assert again.pk == result.run


def test_preview_leaves_the_last_recall_of_a_file_alone(desk: RecallDesk, tmp_path: Path) -> None:
    graph = json.loads(SMALL.read_text(encoding="utf-8"))
    file = tmp_path / "story.json"
    file.write_text(json.dumps(graph), encoding="utf-8")
    desk.run(ApplyImport(read_stbme(file, default_schema())))
    folder = desk.ask(FolderByName("story"))
    assert folder is not None
    desk.recall("海", folder.pk)
    assert exported(desk, folder.pk).get("lastRecallResult") == graph.get("lastRecallResult")
