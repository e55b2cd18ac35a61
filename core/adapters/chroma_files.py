"""Chroma folders as other programs keep them: written for an export, read for an import.

Both run in a process of their own (chromadb is never imported in this one). A folder that is read is
copied first: opening one with Chroma may change it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core.adapters.index_client import IndexHost
from core.domain.errors import BadFile, Invalid, Unavailable
from core.ports.embedder import Vectors
from core.ports.vector_files import CollectionData, Scalar, StoredCollection

DATABASE = "chroma.sqlite3"
PAGE_ROWS = 500
CALL_S = 120.0
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}")
_SQLITE_HEADER = b"SQLite format 3\0"


def is_collection_name(name: str) -> bool:
    """Whether Chroma accepts the name (Chinese, blanks and `/` are refused; TECH §2)."""
    return bool(_NAME.fullmatch(name)) and ".." not in name and not _ADDRESS.fullmatch(name)


def write_collections(folder: Path, collections: Sequence[CollectionData]) -> None:
    """Writes a new Chroma folder with these collections; it appears when it is complete.

    Space is Chroma's default (squared L2), as Booku makes it. Metadata keeps text, numbers and truth
    values only. Errors: Invalid (bad name, rows that do not fit together, a folder that is not empty),
    Unavailable("index").
    """
    for collection in collections:
        _check(collection)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Invalid("index.folder_not_empty", path=str(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as part:
        made = Path(part) / folder.name
        with _host(made) as host:
            for collection in collections:
                _write(host, collection)
            host.call("collections", timeout_s=CALL_S)
        _remove_lock(made)
        if folder.exists():
            folder.rmdir()
        made.replace(folder)


def read_collections(folder: Path, *, vectors: bool = False) -> list[StoredCollection]:
    """Collections of a Chroma folder by name, with their ids, and their vectors when asked for.

    The folder itself is not touched. Errors: BadFile when it is no Chroma folder or cannot be read,
    Unavailable("index") when the index process cannot be started.
    """
    _check_folder(folder)
    with tempfile.TemporaryDirectory(prefix="chroma-") as place:
        copy = Path(place) / "copy"
        try:
            shutil.copytree(folder, copy)
        except (OSError, shutil.Error) as error:
            raise BadFile("index.not_chroma", path=str(folder), details=str(error)) from error
        try:
            with _host(copy) as host:
                return [_read(host, name, vectors=vectors) for name in _names(host)]
        except Unavailable as error:
            if error.key in {"index.cannot_start", "index.too_slow"}:
                raise
            raise BadFile("index.not_chroma", path=str(folder), details=error.reason) from error


@contextmanager
def _host(folder: Path) -> Iterator[IndexHost]:
    host = IndexHost(folder)
    try:
        yield host
    finally:
        host.close()


def _check(collection: CollectionData) -> None:
    if not is_collection_name(collection.name):
        raise Invalid("index.bad_collection_name", name=collection.name)
    count = len(collection.ids)
    vectors = collection.vectors
    fits = len(collection.documents) == len(collection.metadatas) == len(vectors) == count
    if not fits or (count and (vectors.ndim != 2 or not vectors.shape[1])):
        raise Invalid("index.rows_differ", name=collection.name)
    if not np.isfinite(vectors).all():
        raise Invalid("index.bad_numbers")
    if len(set(collection.ids)) != count:
        raise Invalid("index.double_ids", name=collection.name)


def _write(host: IndexHost, collection: CollectionData) -> None:
    metadatas = [
        {key: value for key, value in metadata.items() if isinstance(value, Scalar)}
        for metadata in collection.metadatas
    ]
    for start in range(0, max(1, len(collection.ids)), PAGE_ROWS):
        page = slice(start, start + PAGE_ROWS)
        host.call(
            "write_rows",
            collection.name,
            list(collection.ids[page]),
            list(collection.documents[page]),
            metadatas[page],
            np.ascontiguousarray(collection.vectors[page], dtype=np.float32),
            timeout_s=CALL_S,
        )


def _names(host: IndexHost) -> list[str]:
    found = host.call("collections", timeout_s=CALL_S)
    return sorted(row[0] for row in found) if isinstance(found, list) else []


def _read(host: IndexHost, name: str, *, vectors: bool) -> StoredCollection:
    described = host.call("describe", name, timeout_s=CALL_S)
    dims, space = described if isinstance(described, tuple) else (0, "l2")
    ids = list(_pages(lambda offset: host.call("rows", name, {}, offset, timeout_s=CALL_S)))
    matrix = _vectors(host, name, ids, dims) if vectors else None
    return StoredCollection(name, tuple(ids), dims, space, matrix)


def _pages(ask: Callable[[int], object]) -> Iterator[str]:
    offset = 0
    while isinstance(page := ask(offset), tuple) and page[0]:
        yield from page[0]
        offset += len(page[0])


def _vectors(host: IndexHost, name: str, ids: Sequence[str], dims: int) -> Vectors:
    """Vectors in the order of ids; what cannot be read stays zero."""
    row_of = {id_: row for row, id_ in enumerate(ids)}
    matrix = np.zeros((len(ids), dims), dtype=np.float32)
    for start in range(0, len(ids), PAGE_ROWS):
        page = host.call("vectors_of", name, {}, list(ids[start : start + PAGE_ROWS]), timeout_s=CALL_S)
        if isinstance(page, tuple) and len(page[0]):
            matrix[[row_of[id_] for id_ in page[0]]] = page[1]
    return matrix


def _check_folder(folder: Path) -> None:
    try:
        with (folder / DATABASE).open("rb") as file:
            head = file.read(len(_SQLITE_HEADER))
    except OSError as error:
        raise BadFile("index.not_chroma", path=str(folder), details=str(error)) from error
    if head != _SQLITE_HEADER:
        raise BadFile("index.not_chroma", path=str(folder), details=f"{DATABASE} is no SQLite file")


def _remove_lock(folder: Path) -> None:
    from core.adapters.index_server import LOCK_NAME

    (folder / LOCK_NAME).unlink(missing_ok=True)
