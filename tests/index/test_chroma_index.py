"""The index over the real Chroma: its traps (DESIGN §3, TECH §2)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from core.adapters.index_client import ChromaIndex, IndexHost, collection_name
from core.domain.errors import Invalid, Unavailable
from core.ports.embedder import EmbedderIdentity
from tests.index.conftest import OpenIndex
from tests.index.samples import SMALL, entry, unit_vectors


def test_chromadb_is_not_imported_in_this_process(index: ChromaIndex) -> None:
    assert index.count() == 0
    assert "chromadb" not in sys.modules


def test_entries_written_are_found_by_their_own_vector(index: ChromaIndex) -> None:
    vectors = unit_vectors(20)
    index.upsert([entry(pk) for pk in range(1, 21)], vectors)
    found = index.search(vectors[6], 3)
    assert found[0] == (entry(7).id, pytest.approx(1, abs=1e-5))
    assert len(found) == 3
    assert all(-1 <= score <= 1 for _, score in found)


def test_existing_id_written_again_is_replaced_as_a_whole(index: ChromaIndex) -> None:
    vectors = unit_vectors(2)
    index.upsert([entry(1)], vectors[:1])
    changed = entry(1, folder=9, layer="knowledge", status="archived", text_hash="new")
    index.upsert([changed], vectors[1:])
    assert index.entries() == {changed.id: changed}
    assert np.allclose(index.vectors_of([changed.id])[changed.id], vectors[1], atol=1e-6)
    assert index.search(vectors[1], 5) == [(changed.id, pytest.approx(1, abs=1e-5))]


def test_unknown_ids_deleted_are_ignored(index: ChromaIndex) -> None:
    index.upsert([entry(1)], unit_vectors(1))
    index.delete(["mem-none", entry(1).id])
    index.delete([])
    assert index.entries() == {}
    assert index.search(unit_vectors(1)[0], 3) == []


def test_more_asked_than_there_are_gives_all(index: ChromaIndex) -> None:
    index.upsert([entry(1), entry(2)], unit_vectors(2))
    assert len(index.search(unit_vectors(1)[0], 50)) == 2
    assert index.search(unit_vectors(1)[0], 0) == []


def test_more_rows_than_one_write_takes_all_arrive(open_index: OpenIndex) -> None:
    _all_arrive(open_index, 5_462)  # case c516


@pytest.mark.proof
def test_more_rows_than_one_read_gives_all_arrive(open_index: OpenIndex) -> None:
    _all_arrive(open_index, 33_500)  # 32,766 is the limit


def _all_arrive(open_index: OpenIndex, count: int) -> None:
    index = open_index(EmbedderIdentity("tiny", 2))
    index.upsert([entry(pk) for pk in range(1, count + 1)], unit_vectors(count, 2))
    assert index.count() == count
    assert len(index.entries()) == count
    assert len(index.vectors_of([entry(pk).id for pk in range(1, count + 1)])) == count


def test_vectors_of_another_dimension_are_refused_in_words(index: ChromaIndex) -> None:
    index.upsert([entry(1)], unit_vectors(1))
    with pytest.raises(Invalid) as refused:
        index.upsert([entry(2)], unit_vectors(1, 5))
    assert refused.value.key == "index.wrong_dims"
    assert refused.value.text_args == {"expected": 8, "given": 5}
    with pytest.raises(Invalid):
        index.search(unit_vectors(1, 5)[0], 1)
    assert index.count() == 1


def test_collection_of_another_dimension_found_on_disk_is_refused_in_words(index: ChromaIndex) -> None:
    index.upsert([entry(1)], unit_vectors(1))
    host = index._host
    name, about = index._collection()
    with pytest.raises(Invalid) as refused:
        host.call("upsert", name, about, ["x"], unit_vectors(1, 5), [{"pk": 1}], timeout_s=30)
    assert refused.value.text_args == {"expected": 8, "given": 5}


def test_vector_with_nan_is_refused(index: ChromaIndex) -> None:
    vectors = unit_vectors(2)
    vectors[1, 3] = np.nan
    with pytest.raises(Invalid):
        index.upsert([entry(1), entry(2)], vectors)
    assert index.count() == 0


def test_number_of_vectors_differs_is_refused(index: ChromaIndex) -> None:
    with pytest.raises(Invalid):
        index.upsert([entry(1), entry(2)], unit_vectors(1))


def test_collection_names_are_ascii_and_differ_by_model_dimension_and_variant() -> None:
    identities = [
        SMALL,
        EmbedderIdentity("小模型", 9, "test"),
        EmbedderIdentity("小模型", 8),
        EmbedderIdentity("b", 8),
    ]
    names = [collection_name(identity) for identity in identities]
    assert len(set(names)) == 4
    assert all(name.isascii() and 3 <= len(name) <= 63 for name in names)


def test_entries_survive_a_close_and_a_new_start(open_index: OpenIndex) -> None:
    first = open_index()
    vectors = unit_vectors(5)
    first.upsert([entry(pk) for pk in range(1, 6)], vectors)
    first.close()
    second = open_index()
    assert second.count() == 5
    assert second.search(vectors[3], 1)[0][0] == entry(4).id


def test_closed_index_says_so_and_starts_no_process(index: ChromaIndex) -> None:
    index.close()
    with pytest.raises(Unavailable) as told:
        index.count()
    assert told.value.port == "index"
    assert index.pid is None


def test_new_model_gets_a_collection_beside_the_old_one(index: ChromaIndex) -> None:
    vectors = unit_vectors(3)
    index.upsert([entry(pk) for pk in (1, 2, 3)], vectors)
    larger = EmbedderIdentity("m-b", 6)
    new = index.beside()
    new.open(larger)
    new.upsert([entry(1)], unit_vectors(1, 6))
    assert (index.count(), new.count()) == (3, 1)
    assert index.search(vectors[0], 1)[0][0] == entry(1).id
    assert new.others() == [(SMALL.key, 3)]
    index.open(larger)  # the switch
    assert index.count() == 1
    assert index.remove_others() == 1
    assert index.others() == []


def test_removed_and_reset_collections_leave_no_folder_behind(index: ChromaIndex, tmp_path: Path) -> None:
    for _ in range(3):
        index.upsert([entry(pk) for pk in range(1, 201)], unit_vectors(200))
        index.search(unit_vectors(1)[0], 3)
        index.reset()
        assert index.count() == 0
    index.upsert([entry(1)], unit_vectors(1))
    folders = [path for path in (tmp_path / "索引").iterdir() if path.is_dir()]
    assert len(folders) == 1


def test_database_that_is_no_database_is_unavailable_until_reset(
    open_index: OpenIndex, tmp_path: Path
) -> None:
    first = open_index()
    first.upsert([entry(1)], unit_vectors(1))
    first.close()
    (tmp_path / "索引" / "chroma.sqlite3").write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable) as told:
        open_index()
    assert told.value.key == "index.failed"
    second = ChromaIndex(IndexHost(tmp_path / "索引"))
    second._identity = SMALL
    try:
        second.reset()
        second.upsert([entry(1)], unit_vectors(1))
        assert second.count() == 1
    finally:
        second.close()
