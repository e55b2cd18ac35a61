"""The indexer on a real library and the real Chroma."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.domain.commands import (
    ArchiveMemories,
    EditMemory,
    EmptyTrash,
    MoveMemories,
    TrashMemories,
    UntrashMemories,
)
from core.domain.enums import Kind
from core.domain.errors import Cancelled, Unavailable
from core.domain.memory import Memory
from core.ports.embedder import Vectors
from core.ports.progress import CancelToken
from core.ports.store import OpDraft
from core.ports.vector_index import IndexEntry
from core.services.index_check import verify
from core.services.indexer import CHUNK_ROWS, Indexer
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk

TEXTS = ("钟楼的灯灭了。", "她在海边养了一只猫。", "The baker sells bread.")


def _healthy(desk: Desk) -> None:
    report = verify(desk.indexer, sample=None)
    assert report.healthy, report
    assert (report.waiting, report.without_vector) == (0, 0)


def test_new_memories_drained_are_in_the_index(desk: Desk) -> None:
    pks = desk.add(*TEXTS)
    result = desk.indexer.drain()
    assert (result.done, result.embedded, result.waiting) == (3, 3, 0)
    assert sorted(entry.pk for entry in desk.index.entries().values()) == sorted(pks)
    _healthy(desk)


def test_memory_drained_twice_is_embedded_once(desk: Desk) -> None:
    pk = desk.add("甲")[0]
    desk.indexer.drain()
    desk.engine.run(MoveMemories(memories=(pk,), folder=desk.new_folder("别处")))
    assert desk.indexer.drain().embedded == 0
    desk.engine.undo()
    assert desk.indexer.drain().embedded == 0
    assert desk.embedder.calls == [["甲"]]
    _healthy(desk)


def test_same_text_twice_is_embedded_once(desk: Desk) -> None:
    desk.add("甲乙", "甲乙", "丙")
    desk.indexer.drain()
    assert sorted(text for call in desk.embedder.calls for text in call) == ["丙", "甲乙"]
    _healthy(desk)


def test_edit_and_undo_give_the_old_vector_back_without_embedding(desk: Desk) -> None:
    pk = desk.add("钟楼的灯灭了。")[0]
    desk.indexer.drain()
    desk.engine.run(EditMemory(memory=pk, body="完全不同的一句话"))
    desk.indexer.drain()
    desk.engine.undo()
    before = len(desk.embedder.calls)
    desk.indexer.drain()
    assert len(desk.embedder.calls) == before
    assert desk.search().by_meaning("钟楼的灯灭了。", 1)[0].score == pytest.approx(1, abs=1e-5)
    _healthy(desk)


def test_trashed_memory_leaves_the_index_and_comes_back(desk: Desk) -> None:
    pk = desk.add(*TEXTS)[0]
    desk.indexer.drain()
    desk.engine.run(TrashMemories(memories=(pk,)))
    assert desk.indexer.drain().removed == 1
    assert desk.index.count() == 2
    desk.engine.run(UntrashMemories(memories=(pk,)))
    assert desk.indexer.drain().embedded == 0
    assert desk.index.count() == 3
    _healthy(desk)


def test_memory_deleted_for_ever_leaves_the_index(desk: Desk) -> None:
    pk = desk.add(*TEXTS)[0]
    desk.indexer.drain()
    desk.engine.run(TrashMemories(memories=(pk,)))
    desk.engine.run(EmptyTrash())
    desk.indexer.drain()
    assert desk.index.count() == 2
    _healthy(desk)


def test_archived_memory_is_found_after_a_restart(open_desk: Callable[..., Desk]) -> None:
    first = open_desk()  # case c317
    m1, _ = first.add("我在海边租了房", "我养了一只猫")
    first.indexer.drain()
    first.engine.run(ArchiveMemories(memories=(m1,)))
    first.indexer.drain()
    first.close()
    second = open_desk()
    second.indexer.open()
    assert second.index.count() == 2
    assert second.search().by_meaning("我在海边租的房子在哪里", 5)[0].pk == m1
    assert {entry.status for entry in second.index.entries().values()} == {"active", "archived"}
    _healthy(second)


def test_memory_without_text_is_in_no_index(desk: Desk) -> None:
    pk = desk.add("有字")[0]
    desk.indexer.drain()
    draft = OpDraft("op.memory.edit", desk.engine.actor)  # an import may bring such a one
    desk.store.write(draft, lambda unit: unit.update(Kind.MEMORY, [pk], {"body": " "}))
    result = desk.indexer.drain()
    assert result.removed == 1
    assert desk.index.count() == 0
    _healthy(desk)


def test_index_lost_on_disk_is_filled_again_from_sql(open_desk: Callable[..., Desk]) -> None:
    first = open_desk()
    first.add(*TEXTS)
    first.indexer.drain()
    first.close()
    for file in sorted((first.root / "index").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    second = open_desk()
    result = second.indexer.drain()
    assert (result.done, result.embedded) == (3, 0)
    _healthy(second)


def test_embedder_down_keeps_memories_waiting(desk: Desk) -> None:
    desk.add("甲")
    desk.indexer.drain()
    desk.add("乙")
    desk.add("甲")  # has a vector already
    desk.embedder.down = True
    with pytest.raises(Unavailable) as told:
        desk.indexer.drain()
    assert told.value.port == "embedder"
    assert desk.indexer.waiting() == 1
    assert desk.index.count() == 2
    desk.embedder.down = False
    desk.indexer.drain()
    _healthy(desk)


def test_one_refused_text_never_sinks_the_batch(desk: Desk) -> None:
    pks = desk.add("好", "坏", "也好")
    desk.embedder.refuses = {"坏"}
    result = desk.indexer.drain()
    assert result.failed == (pks[1],)
    assert result.waiting == 0
    assert desk.index.count() == 2
    report = verify(desk.indexer)
    assert report.healthy
    assert report.without_vector == 1
    desk.embedder.refuses = set()
    assert desk.indexer.reconcile() == 1
    _healthy(desk)


def test_refused_edit_takes_the_old_vector_out_of_the_index(desk: Desk) -> None:
    pk = desk.add("旧的文字")[0]
    desk.indexer.drain()
    desk.embedder.refuses = {"坏"}
    desk.engine.run(EditMemory(memory=pk, body="坏"))
    desk.indexer.drain()
    assert desk.index.count() == 0
    assert desk.search().by_meaning("旧的文字", 3) == []


def test_cancelled_drain_keeps_what_is_finished(desk: Desk) -> None:
    desk.add_many(2 * CHUNK_ROWS)
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        desk.indexer.drain(None, cancel, lambda _done, _total: cancel.cancel())
    assert desk.index.count() == desk.indexer.waiting() == CHUNK_ROWS
    desk.indexer.drain()
    _healthy(desk)


def test_drain_with_a_limit_leaves_the_rest_waiting(desk: Desk) -> None:
    desk.add(*[f"第{number}条" for number in range(7)])
    assert desk.indexer.drain(limit=3).waiting == 4
    assert desk.indexer.drain().waiting == 0
    _healthy(desk)


def test_change_during_a_drain_waits_on(desk: Desk) -> None:
    pk = desk.add("先")[0]

    class Editing(HashEmbedder):
        def embed_documents(self, texts: list[str], cancel: CancelToken | None = None) -> Vectors:  # type: ignore[override]
            if "先" in texts:
                desk.engine.run(EditMemory(memory=pk, body="后"))
            return super().embed_documents(texts, cancel)

    indexer = Indexer(desk.queue, Editing(), desk.index, desk.exact)
    indexer.drain(limit=1)
    assert indexer.waiting() == 1
    indexer.drain()
    _healthy(desk)
    assert desk.search().by_meaning("后", 1)[0].score == pytest.approx(1, abs=1e-5)


def test_rebuild_embeds_nothing_again(desk: Desk) -> None:
    desk.add(*TEXTS)
    desk.indexer.drain()
    before = len(desk.embedder.calls)
    seen: list[tuple[int, int]] = []
    result = desk.indexer.rebuild(lambda done, total: seen.append((done, total)))
    assert (result.done, result.embedded) == (3, 0)
    assert seen[-1] == (3, 3)
    assert len(desk.embedder.calls) == before
    _healthy(desk)


def test_differences_are_named_and_reconciled(desk: Desk) -> None:
    pks = desk.add(*[f"第{number}条记忆" for number in range(10)])
    desk.indexer.drain()
    entries = {entry.pk: entry for entry in desk.index.entries().values()}
    with desk.store.read() as reader:
        first, second, third, *_ = reader.records(Memory, pks)
    desk.index.delete([first.id])  # c511: one vector is missing
    wrong = IndexEntry(**{**_fields(entries[second.pk]), "text_hash": "0" * 64})
    desk.index.upsert([wrong], desk.embedder.embed_documents(["x"]))
    stray = IndexEntry(**{**_fields(entries[third.pk]), "id": "mem-" + "f" * 32, "pk": 999})
    desk.index.upsert([stray], desk.embedder.embed_documents(["y"]))
    report = verify(desk.indexer)
    assert report.missing_in_index == (first.pk,)
    assert report.differing == (second.pk,)
    assert report.extra_in_index == ("mem-" + "f" * 32,)
    assert not report.healthy
    assert desk.indexer.reconcile() == 3
    _healthy(desk)


def test_index_with_a_missing_vector_takes_edits_and_deletions(desk: Desk) -> None:
    pks = desk.add(*[f"第{number}条" for number in range(10)])  # case c511
    desk.indexer.drain()
    with desk.store.read() as reader:
        before = reader.records(Memory, pks)
    desk.index.delete([before[3].id])
    desk.engine.run(TrashMemories(memories=(pks[3],)))
    desk.engine.run(EditMemory(memory=pks[5], body="新文本"))
    desk.indexer.drain()
    with desk.store.read() as reader:
        after = reader.records(Memory, pks)
    changed = [new.pk for old, new in zip(before, after, strict=True) if old.body != new.body]
    assert changed == [pks[5]]
    assert desk.index.count() == 9
    _healthy(desk)


def _fields(entry: object) -> dict[str, object]:
    return {name: getattr(entry, name) for name in entry.__slots__}  # type: ignore[attr-defined]


def test_vector_replaced_behind_our_back_is_found(desk: Desk) -> None:
    desk.add(*[f"第{number}条记忆" for number in range(30)])
    desk.indexer.drain()
    entry = next(iter(desk.index.entries().values()))
    desk.index.upsert([entry], desk.embedder.embed_documents(["quite another text"]))
    report = verify(desk.indexer, sample=None)
    assert report.self_query_failed == (entry.pk,)
    assert report.problems[0].key == "index.damaged"


def _write_graph_to_disk(desk: Desk) -> None:
    """Chroma writes its neighbour graph every few thousand rows: so many are written and removed again."""
    like = _fields(next(iter(desk.index.entries().values())))
    filler = [IndexEntry(**{**like, "id": f"mem-x{number}"}) for number in range(5200)]  # type: ignore[arg-type]
    desk.index.upsert(filler, np.eye(1, 64, 3, dtype=np.float32).repeat(len(filler), axis=0))
    desk.index.delete([entry.id for entry in filler])


@pytest.mark.parametrize("share", [0.5, 0.0])
def test_truncated_index_file_is_noticed_and_rebuilt(open_desk: Callable[..., Desk], share: float) -> None:
    first = open_desk()  # case c520
    first.add(*[f"第{number}条记忆：钟楼 {number * 37}" for number in range(200)])
    first.indexer.drain()
    _write_graph_to_disk(first)
    first.close()
    files = list((first.root / "index").rglob("data_level0.bin"))
    assert files
    for file in files:
        with file.open("r+b") as stream:
            stream.truncate(int(file.stat().st_size * share))
    second = open_desk()
    assert second.queue.waiting() == 0
    report = verify(second.indexer)
    assert not report.healthy
    assert report.problems
    second.indexer.rebuild()
    assert second.index.count() == 200
    _healthy(second)


def test_index_that_does_not_start_is_a_problem_of_the_report(
    open_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk()
    desk.add("甲")
    monkeypatch.setattr("core.adapters.index_process.start_command", lambda: ["/nonexistent/python"])
    report = verify(desk.indexer)
    assert report.problems[0].key == "index.unreadable"
    assert not report.healthy
    with pytest.raises(Unavailable):
        desk.indexer.drain()
    assert desk.indexer.embed_missing() == 1  # exact search does without Chroma
    assert desk.search().by_meaning("甲", 1)


def test_waiting_memories_are_no_differences(desk: Desk) -> None:
    desk.add("甲")
    desk.indexer.drain()
    pk = desk.add("乙")[0]
    report = verify(desk.indexer)
    assert report.healthy
    assert report.waiting == 1
    desk.engine.run(TrashMemories(memories=(pk,)))
    assert verify(desk.indexer).healthy


def test_new_model_is_filled_beside_the_old_one_and_can_be_cancelled(desk: Desk) -> None:
    desk.add(*[f"第{number}条" for number in range(5)])  # case c513
    desk.indexer.drain()
    larger = HashEmbedder(dims=96, model="m-b")
    beside = Indexer(desk.queue, larger, desk.index.beside())
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        beside.reconcile(cancel=cancel)
    assert desk.search().by_meaning("第1条", 1)[0].score == pytest.approx(1, abs=1e-5)
    assert beside.reconcile() == 5
    assert verify(beside, sample=None).healthy
    _healthy(desk)
    assert beside.index.count() == 5


def test_imported_vector_of_another_length_is_made_again(desk: Desk) -> None:
    pk = desk.add("甲")[0]
    with desk.store.read() as reader:
        (memory,) = reader.records(Memory, [pk])
    entry, _ = desk.queue.entries(pk - 1, 1)[0]  # type: ignore[arg-type]
    assert entry.id == memory.id
    desk.queue.save_vectors(desk.embedder.identity.key, {entry.text_hash: np.ones(3, dtype=np.float32)})
    assert desk.indexer.drain().embedded == 1
    _healthy(desk)


def test_library_moved_to_another_place_keeps_its_index(
    open_desk: Callable[..., Desk], tmp_path: Path
) -> None:
    first = open_desk()
    first.add(*TEXTS)
    first.indexer.drain()
    first.close()
    first.root.rename(tmp_path / "别处")
    moved = Desk(tmp_path / "别处", HashEmbedder())
    try:
        assert moved.indexer.drain().done == 0
        _healthy(moved)
    finally:
        moved.close()


def test_many_memories_of_one_text_are_no_damage(desk: Desk) -> None:
    for _ in range(25):
        desk.add_many(60)
    desk.indexer.drain()
    _healthy(desk)
