"""Chroma folders for and from other programs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.adapters.chroma_files import is_collection_name, read_collections, write_collections
from core.domain.errors import BadFile, Invalid
from core.ports.vector_files import CollectionData
from tests.index.samples import unit_vectors

READ_AS_BOOKU = """
import json, sys, chromadb
client = chromadb.PersistentClient(sys.argv[1])
collection = client.get_collection("booku_memory__memory__default", embedding_function=None)
found = collection.query(query_embeddings=[[0.0, 1.0, 0.0]], n_results=1)
row = collection.get(ids=["m2"], include=["documents", "metadatas", "embeddings"])
space = collection.configuration["hnsw"]["space"]
print(json.dumps([found["ids"], row["documents"], row["metadatas"], row["embeddings"].tolist(), space]))
"""


def _data(name: str = "booku_memory__memory__default", count: int = 3) -> CollectionData:
    vectors = np.eye(3, dtype=np.float32) if count == 3 else unit_vectors(count, 3)
    return CollectionData(
        name,
        tuple(f"m{number}" for number in range(1, count + 1)),
        tuple(f"# 标题{number}\n正文" for number in range(1, count + 1)),
        tuple(
            {"title": f"标题{number}", "n": number, "none": None, "list": [1]}
            for number in range(1, count + 1)
        ),
        vectors,
    )


def _digest(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_written_folder_is_read_by_chroma_as_the_original_does(tmp_path: Path) -> None:
    import json

    folder = tmp_path / "导出" / "booku_memory"
    write_collections(folder, [_data()])
    printed = subprocess.run(
        [sys.executable, "-c", READ_AS_BOOKU, str(folder)], capture_output=True, text=True, check=True
    )
    ids, documents, metadatas, vectors, space = json.loads(printed.stdout)
    assert ids == [["m2"]]
    assert documents == ["# 标题2\n正文"]
    assert metadatas == [{"title": "标题2", "n": 2}]
    assert vectors == [[0.0, 1.0, 0.0]]
    assert space == "l2"
    assert [path.name for path in folder.parent.iterdir()] == ["booku_memory"]


def test_written_folder_is_read_back_whole(tmp_path: Path) -> None:
    big = _data("booku_memory__knowledge", 1200)
    write_collections(tmp_path / "out", [_data(), big])
    before = _digest(tmp_path / "out")
    knowledge, memory = read_collections(tmp_path / "out", vectors=True)
    assert (knowledge.name, knowledge.count, knowledge.dims) == ("booku_memory__knowledge", 1200, 3)
    assert memory.ids == ("m1", "m2", "m3")
    assert memory.vectors is not None
    assert np.array_equal(memory.vectors, np.eye(3, dtype=np.float32))
    assert knowledge.vectors is not None
    order = [big.ids.index(id_) for id_ in knowledge.ids[:50]]
    assert np.allclose(knowledge.vectors[:50], big.vectors[order])
    assert _digest(tmp_path / "out") == before
    assert read_collections(tmp_path / "out")[0].vectors is None


def test_empty_collection_and_empty_folder_are_read_as_such(tmp_path: Path) -> None:
    write_collections(tmp_path / "none", [])
    assert read_collections(tmp_path / "none") == []


def test_existing_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_collections(tmp_path / "out", [_data()])
    assert read_collections(tmp_path / "out")[0].count == 3


def test_folder_with_files_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(Invalid) as refused:
        write_collections(tmp_path / "out", [_data()])
    assert refused.value.key == "index.folder_not_empty"
    assert _digest(tmp_path / "out").keys() == {"mine.txt"}


@pytest.mark.parametrize(
    "name", ["booku_memory__memory__雾港", "a b", "a/b", "ab", "-abc", "a..b", "1.2.3.4", ""]
)
def test_name_that_chroma_refuses_is_refused_before_writing(tmp_path: Path, name: str) -> None:
    assert not is_collection_name(name)
    with pytest.raises(Invalid):
        write_collections(tmp_path / "out", [_data(name)])
    assert not (tmp_path / "out").exists()


def test_rows_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    good = _data()
    bad = [
        CollectionData(good.name, good.ids[:2], good.documents, good.metadatas, good.vectors),
        CollectionData(good.name, ("m1", "m1", "m2"), good.documents, good.metadatas, good.vectors),
        CollectionData(good.name, good.ids, good.documents, good.metadatas, good.vectors * np.nan),
    ]
    for data in bad:
        with pytest.raises(Invalid):
            write_collections(tmp_path / "out", [data])


def test_folder_that_is_no_chroma_folder_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "chroma.sqlite3").write_text("not a database")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "chroma.sqlite3").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    for folder in ("missing", "empty", "text", "torn"):
        with pytest.raises(BadFile) as told:
            read_collections(tmp_path / folder)
        assert told.value.key == "index.not_chroma"
