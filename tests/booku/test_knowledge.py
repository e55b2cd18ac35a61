"""Documents through Booku's knowledge service: the guide's example, its lists, and the faults that are mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.booku import BookuKnowledgeService, BookuSettings
from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain import queries_documents as qd
from core.domain.enums import Layer
from core.domain.memory import TagSet
from tests.booku.desk import Desk

ARCHITECTURE = """# 架构

总览：核心与插件分开。

## 核心

核心负责消息的收发和调度，任何插件都不能绕过它。

```python
# 这不是标题
```

## 插件

插件只通过服务签名互相调用。
"""


def service(desk: Desk, **settings: object) -> BookuKnowledgeService:
    return BookuKnowledgeService(desk.library.engine, BookuSettings(**settings), clock=desk.clock)  # type: ignore[arg-type]


def pieces(desk: Desk) -> list[q.Memory]:
    [row] = desk.library.engine.ask(qd.Documents())
    return list(desk.library.engine.ask(qd.PiecesOf(row.pk)))


def test_the_guides_fourth_example_takes_a_file_in(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "data" / "booku_memory" / "knowledges" / "arch.md"
    file.parent.mkdir(parents=True)
    file.write_text(ARCHITECTURE, encoding="utf-8")
    kservice = service(desk)
    answer = desk.do(kservice.ingest_document(title="Neo-MoFox 架构说明", file_path=str(file)))
    assert answer["action"] == "booku_knowledge_ingest"
    assert answer["title"] == "《Neo-MoFox 架构说明》"
    assert (answer["bucket"], answer["folder_id"]) == ("knowledge", "default")
    assert answer["collection"] == "booku_memory__knowledge"
    assert answer["chunk_count"] == len(answer["items"]) > 0
    assert desk.do(kservice.export_document_titles()) == ["《Neo-MoFox 架构说明》"]
    first = pieces(desk)[0]
    assert first.title.startswith("《Neo-MoFox 架构说明》-片段1：")
    assert (first.layer, first.type) == (Layer.KNOWLEDGE, "knowledge")
    found = desk.do(desk.service.retrieve_memories("消息调度", include_knowledge=True))
    assert {item["id"] for item in found["results"]} <= set(answer["items"])
    assert found["results"]


def test_pieces_carry_the_tags_of_the_original(desk: Desk) -> None:
    desk.do(service(desk).ingest_document(title="镇志", content="河镇在河边。\n\n灯塔在海边。"))
    [whole] = desk.library.engine.ask(qb.WholeMemories((pieces(desk)[0].pk,)))
    assert whole.tags.general == ("booku_knowledge", "镇志")
    assert "镇志" in whole.tags.core
    assert whole.tags.diffusion
    assert len(whole.tags.opposing) == 2
    assert isinstance(whole.tags, TagSet)


def test_the_same_content_is_there_already_also_under_another_title(desk: Desk) -> None:
    knowledge = service(desk)
    first = desk.do(knowledge.ingest_document(title="一", content="同样的话。"))
    again = desk.do(knowledge.ingest_document(title="二", content=" 同样的话。\n"))
    assert (first["mode"], again["mode"]) == ("created", "same")
    assert again["document_id"] == first["document_id"]
    assert desk.do(knowledge.dump_documents())["total"] == 1


def test_another_content_under_the_same_title_is_a_new_version(desk: Desk) -> None:
    knowledge = service(desk)
    desk.do(knowledge.ingest_document(title="规程", content="七点点灯。"))
    again = desk.do(knowledge.ingest_document(title="规程", content="八点点灯。"))
    assert again["mode"] == "replaced"
    assert [item["content"] for item in desk.do(knowledge.dump_documents())["items"]] == ["八点点灯。"]
    desk.library.engine.undo()
    assert [item["content"] for item in desk.do(knowledge.dump_documents())["items"]] == ["七点点灯。"]


def test_titles_come_as_json_for_a_prompt(desk: Desk) -> None:
    knowledge = service(desk)
    desk.do(knowledge.ingest_document(title="甲", content="一。"))
    desk.do(knowledge.ingest_document(title="  ", content="二。"))
    assert json.loads(desk.do(knowledge.remember_titles_json())) == ["《甲》", "《未命名文档》"]


def test_wrong_calls_are_refused_in_words(desk: Desk, tmp_path: Path) -> None:
    knowledge = service(desk)
    with pytest.raises(ValueError, match="content or file_path"):
        desk.do(knowledge.ingest_document(title="x"))
    with pytest.raises(FileNotFoundError):
        desk.do(knowledge.ingest_document(title="x", file_path=str(tmp_path / "gone.md")))
    picture = tmp_path / "x.md"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    with pytest.raises(ValueError, match="picture"):
        desk.do(knowledge.ingest_document(title="x", file_path=str(picture)))
    assert desk.do(knowledge.export_document_titles()) == []


def test_gbk_text_does_not_vanish(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes(("守灯人的规矩很简单：天黑点灯，天亮熄灯。" * 3).encode("gbk"))
    desk.do(service(desk).ingest_document(title="", file_path=str(file)))
    assert "天黑点灯" in pieces(desk)[0].body
    assert desk.library.engine.ask(qd.Documents())[0].title == "note"


class TestStartUp:
    def files(self, tmp_path: Path) -> Path:
        root = tmp_path / "knowledges"
        (root / "Sub").mkdir(parents=True)
        (root / "Guide A.md").write_text("# 指南\n\n第一条。", encoding="utf-8")
        (root / "Sub" / "Doc.txt").write_text("第二条。", encoding="utf-8")
        (root / "broken.docx").write_bytes(b"PK\x03\x04 broken")
        return root

    def test_files_come_in_once_and_one_failure_does_not_stop_the_rest(
        self, desk: Desk, tmp_path: Path
    ) -> None:
        knowledge = service(desk, startup_paths=(self.files(tmp_path), tmp_path / "missing"))
        first = desk.do(knowledge.startup_ingest())
        assert {k: first[k] for k in ("ingested", "updated", "skipped", "failed")} == {
            "ingested": 2, "updated": 0, "skipped": 1, "failed": 1,
        }  # fmt: skip
        assert sorted(first["titles"]) == ["《guide a》", "《sub:doc》"]
        second = desk.do(knowledge.startup_ingest())
        assert (second["ingested"], second["updated"], second["skipped"]) == (0, 0, 3)

    def test_a_changed_file_is_read_again(self, desk: Desk, tmp_path: Path) -> None:
        root = self.files(tmp_path)
        knowledge = service(desk, startup_paths=(root,))
        desk.do(knowledge.startup_ingest())
        (root / "Guide A.md").write_text("# 指南\n\n改过的第一条。", encoding="utf-8")
        assert desk.do(knowledge.startup_ingest())["updated"] == 1
        texts = [item["content"] for item in desk.do(knowledge.dump_documents())["items"]]
        assert any("改过的" in text for text in texts)
        assert len(texts) == 2

    def test_a_document_taken_in_by_hand_is_known_whatever_its_case_and_length(
        self, desk: Desk, tmp_path: Path
    ) -> None:
        root = tmp_path / "knowledges"
        root.mkdir()
        (root / "doc a.txt").write_text("甲。", encoding="utf-8")
        (root / f"{'long' * 28}.txt").write_text("乙。", encoding="utf-8")
        knowledge = service(desk, startup_paths=(root,))
        desk.do(knowledge.ingest_document(title="Doc A", content="别的文字。"))
        assert desk.do(knowledge.startup_ingest())["ingested"] == 1
        assert desk.do(knowledge.startup_ingest())["ingested"] == 0

    def test_it_can_be_switched_off(self, desk: Desk, tmp_path: Path) -> None:
        knowledge = service(desk, startup_enabled=False, startup_paths=(self.files(tmp_path),))
        assert desk.do(knowledge.startup_ingest())["ingested"] == 0
