"""The examples of the developer's guide, as they stand there, with the built-in embedder."""

from __future__ import annotations

from pathlib import Path

from core.adapters.embedder_builtin import BuiltinEmbedder
from core.domain import queries as q
from tests.booku.desk import Desk

TRIPLE = {
    "core_tags": ["朋友", "同学"],
    "diffusion_tags": ["学校", "班级"],
    "opposing_tags": ["陌生人", "路人"],
}


def test_the_guides_examples_work_on_the_library_that_the_window_shows(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "library", BuiltinEmbedder())
    try:
        service = desk.service
        written = desk.do(
            service.upsert_memory(
                content="张三是我的大学同学，喜欢打篮球",
                title="张三",
                memory_type="person",
                person_id="qq:10001",
                **TRIPLE,
            )
        )
        assert written["mode"] == "created"
        desk.do(service.upsert_memory(content="昨天买了一台新的洗衣机", title="洗衣机"))

        found = desk.do(service.retrieve_memories(query_text="大学同学", top_k=5, **TRIPLE))
        assert found["results"][0]["title"] == "张三"
        assert found["results"][0]["score"] > 0
        assert found["resonance"] is True
        assert 0 <= found["logic_depth"] <= 1
        assert 0 <= found["beta"] <= 1

        full = desk.do(service.read_full_content(memory_ids=[written["id"], "mem-xxx"]))
        assert full["action"] == "read"
        assert [(item["title"], item["content"]) for item in full["items"]] == [
            ("张三", "张三是我的大学同学，喜欢打篮球")
        ]
        assert full["missing"] == ["mem-xxx"]
        assert (full["requested"], full["total"]) == (2, 1)

        [row] = desk.library.engine.ask(
            q.MemoryRows(desk.library.engine.ask(q.ResolveMemories((written["id"],))))
        )
        assert (row.title, row.activation_count) == ("张三", 1)
    finally:
        desk.close()
