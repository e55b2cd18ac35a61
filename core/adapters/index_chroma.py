"""The only module that knows Chroma; runs in the index process alone (DESIGN §3).

Traps of chromadb 1.5 that are handled here (TECH §2): `add` of an existing id does nothing (always
`upsert`), metadata merges (callers send the full set), writes over 5,461 and reads over 32,766 rows fail
(pages), a collection opened without `embedding_function=None` would download a model, folders of deleted
collections stay on disk, distances come slightly negative.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import InvalidArgumentError, InvalidDimensionException, NotFoundError

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

    from core.ports.vector_files import Scalar

WRITE_ROWS = 500
READ_ROWS = 5000
SYNC_ROWS = 5000
"""Rows between two writings of the whole neighbour graph to disk (Chroma's default of 1,000 writes 100,000 vectors
a hundred times); until then the rows stand in Chroma's own log, so a kill loses none."""
BUILD_BREADTH, SEARCH_BREADTH = 64, 200
"""Candidates looked at when a row is placed and when one is sought (Chroma: 100 and 100). Placing is what a rebuild
waits for: the same recall@10 at 12,000 x 512 for a quarter less time. Dozens of rows with one and the same vector
are a weakness of such graphs at any setting: they know only each other, and some are not reached."""
DATABASE = "chroma.sqlite3"


class WrongDims(Exception):
    """Arguments: dimension of the collection, dimension that was given."""


class NotChroma(Exception):
    """The folder holds no Chroma database, or one that cannot be read."""


def wipe_directory(directory: Path, keep: str) -> None:
    """Removes everything in a Chroma directory but the lock file: it is a cache, SQL has all of it."""
    for path in directory.iterdir():
        if path.name == keep:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


class ChromaWorker:
    """One Chroma directory. Methods take and give plain values; the server calls them by name."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._client = chromadb.PersistentClient(
            str(directory), settings=Settings(anonymized_telemetry=False)
        )
        self._open: dict[str, Collection] = {}
        self._remove_orphans()

    def upsert(
        self,
        name: str,
        about: Mapping[str, Scalar],
        ids: Sequence[str],
        vectors: NDArray[np.float32],
        metadatas: Sequence[Mapping[str, Scalar]],
    ) -> None:
        """Writes rows in small batches; each batch is written as a whole or not at all."""
        collection = self._collection(name, about)
        for start in range(0, len(ids), WRITE_ROWS):
            stop = start + WRITE_ROWS
            try:
                collection.upsert(
                    ids=list(ids[start:stop]),
                    embeddings=vectors[start:stop],
                    metadatas=[dict(metadata) for metadata in metadatas[start:stop]],
                )
            except (InvalidArgumentError, InvalidDimensionException) as error:
                self._explain_dims(collection, vectors, error)
                raise

    def delete(self, name: str, about: Mapping[str, Scalar], ids: Sequence[str]) -> None:
        """Removes rows; unknown ids are ignored."""
        collection = self._collection(name, about)
        for start in range(0, len(ids), WRITE_ROWS):
            collection.delete(ids=list(ids[start : start + WRITE_ROWS]))

    def query(
        self, name: str, about: Mapping[str, Scalar], vector: NDArray[np.float32], limit: int
    ) -> list[tuple[str, float]]:
        """(id, cosine in [-1, 1]) of the nearest rows, best first."""
        collection = self._collection(name, about)
        wanted = min(limit, collection.count())
        if wanted < 1:
            return []
        try:
            found = collection.query(
                query_embeddings=vector[None, :], n_results=wanted, include=["distances"]
            )
        except (InvalidArgumentError, InvalidDimensionException) as error:
            self._explain_dims(collection, vector[None, :], error)
            raise
        distances = (found["distances"] or [[]])[0]
        return [
            (row_id, float(np.clip(1.0 - distance, -1.0, 1.0)))
            for row_id, distance in zip(found["ids"][0], distances, strict=True)
        ]

    def rows(
        self, name: str, about: Mapping[str, Scalar], offset: int
    ) -> tuple[list[str], list[Mapping[str, object]]]:
        """One page of ids and metadata; an empty page is the end."""
        page = self._collection(name, about).get(limit=READ_ROWS, offset=offset, include=["metadatas"])
        return page["ids"], [metadata or {} for metadata in page["metadatas"] or []]

    def vectors_of(
        self, name: str, about: Mapping[str, Scalar], ids: Sequence[str]
    ) -> tuple[list[str], NDArray[np.float32]]:
        """Ids that were found and their vectors (n, dims)."""
        collection = self._collection(name, about)
        found_ids: list[str] = []
        parts = []
        for start in range(0, len(ids), READ_ROWS):
            page = collection.get(ids=list(ids[start : start + READ_ROWS]), include=["embeddings"])
            found_ids += page["ids"]
            parts.append(np.asarray(page["embeddings"], dtype=np.float32))
        kept = [part for part in parts if part.size]
        return found_ids, np.concatenate(kept) if kept else np.zeros((0, 0), dtype=np.float32)

    def count(self, name: str, about: Mapping[str, Scalar]) -> int:
        """Number of rows."""
        return self._collection(name, about).count()

    def drop(self, name: str) -> None:
        """Removes a collection with its files; an unknown one is ignored."""
        self._open.pop(name, None)
        with contextlib.suppress(NotFoundError):
            self._client.delete_collection(name)
        self._remove_orphans()

    def collections(self) -> list[tuple[str, dict[str, object], int]]:
        """Name, description and number of rows of every collection."""
        return [
            (found.name, dict(found.metadata or {}), found.count())
            for found in self._client.list_collections()
        ]

    def write_rows(
        self,
        name: str,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Mapping[str, Scalar]],
        vectors: NDArray[np.float32],
    ) -> None:
        """Writes a page for another program: its collection has documents and Chroma's default space."""
        collection = self._client.get_or_create_collection(name, embedding_function=None)
        collection.upsert(
            ids=list(ids),
            documents=list(documents),
            metadatas=[dict(metadata) or None for metadata in metadatas],  # type: ignore[misc]  # None: no metadata
            embeddings=vectors,
        )

    def describe(self, name: str) -> tuple[int, str]:
        """Dimension (0 = empty) and space of a collection of another program."""
        collection = self._client.get_collection(name, embedding_function=None)
        self._open[name] = collection
        hnsw = collection.configuration.get("hnsw") or {}
        return self._dims(collection), str(hnsw.get("space") or "l2")

    def close(self) -> None:
        """Ends the client."""
        self._open.clear()
        end = getattr(self._client, "close", None)  # absent from its declared interface
        if callable(end):
            end()

    def _collection(self, name: str, about: Mapping[str, Scalar]) -> Collection:
        """The open collection, created when it is not there (an existing one keeps its description)."""
        if name not in self._open:
            self._open[name] = self._client.get_or_create_collection(
                name,
                configuration={
                    "hnsw": {
                        "space": "cosine",
                        "sync_threshold": SYNC_ROWS,
                        "ef_construction": BUILD_BREADTH,
                        "ef_search": SEARCH_BREADTH,
                    }
                },
                metadata=dict(about),
                embedding_function=None,
            )
        return self._open[name]

    def _dims(self, collection: Collection) -> int:
        sample = collection.get(limit=1, include=["embeddings"])
        vectors = np.asarray(sample["embeddings"])
        return int(vectors.shape[1]) if vectors.ndim == 2 and len(vectors) else 0

    def _explain_dims(self, collection: Collection, vectors: NDArray[np.float32], error: Exception) -> None:
        if "dimension" in str(error):
            raise WrongDims(self._dims(collection), vectors.shape[1]) from error

    def _remove_orphans(self) -> None:
        """Deletes folders of collections that are gone: Chroma leaves them behind."""
        with contextlib.closing(sqlite3.connect(self._directory / DATABASE)) as connection:
            known = {str(row[0]) for row in connection.execute("SELECT id FROM segments")}
        for path in self._directory.iterdir():
            if path.is_dir() and _is_uuid(path.name) and path.name not in known:
                shutil.rmtree(path, ignore_errors=True)  # in use on Windows: next time


def _is_uuid(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False
