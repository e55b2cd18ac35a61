"""The vector index over Chroma, as the program uses it: one process, one collection per embedder."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.adapters.index_frames import FAILED, LOCKED, NOT_CHROMA, OK, WRONG_DIMS, Reply
from core.adapters.index_process import IndexProcess
from core.domain.errors import Invalid, Unavailable
from core.ports.embedder import EmbedderIdentity, Vectors
from core.ports.vector_files import Scalar
from core.ports.vector_index import IndexEntry

START_S = 60.0
READ_S = 60.0
WRITE_S = 120.0
LOCK_WAIT_S = 10.0
SEND_ROWS = 500
COLLECTION_PREFIX = "mc-"
NAME_HEX_DIGITS = 40

_log = logging.getLogger(__name__)


def collection_name(identity: EmbedderIdentity) -> str:
    """Chroma's name for the vectors of an embedder: ASCII whatever the model is called."""
    digest = hashlib.sha256(identity.key.encode("utf-8", "surrogatepass")).hexdigest()
    return COLLECTION_PREFIX + digest[:NAME_HEX_DIGITS]


def reply_value(reply: Reply) -> object:
    """What the worker answered. Errors: Unavailable("index"), Invalid for vectors of another dimension."""
    if reply.kind == OK:
        return reply.value
    if reply.kind == WRONG_DIMS and isinstance(reply.value, tuple):
        expected, given = reply.value
        raise Invalid("index.wrong_dims", expected=expected, given=given)
    keys = {LOCKED: "index.locked", NOT_CHROMA: "index.not_chroma"}
    raise Unavailable("index", str(reply.value), key=keys.get(reply.kind, "index.failed"))


class IndexHost:
    """The index process of one Chroma directory: started at the first call, anew after its end."""

    def __init__(self, directory: Path, lock_wait_s: float = LOCK_WAIT_S) -> None:
        self.directory = directory
        self._lock_wait_s = lock_wait_s
        self._lock = threading.Lock()
        self._process: IndexProcess | None = None
        self._starting: IndexProcess | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Id of the running process."""
        process = self._process
        return process.pid if process is not None and process.alive else None

    def call(self, method: str, *args: object, timeout_s: float) -> object:
        """What the worker answers. Errors: Unavailable("index"), Invalid."""
        process = self._running()
        reply = process.call(method, *args, timeout_s=timeout_s)
        if reply.kind == FAILED:
            _log.warning("index %s failed: %s", method, reply.value)
            process.kill()
        return reply_value(reply)

    def start_empty(self) -> None:
        """Ends the process, removes all of the directory's files and starts again."""
        with self._lock:
            self._check_open()
            self._end()
            self._process = self._started(wipe=True)

    def release(self) -> None:
        """Ends the process and frees the directory; the next call starts it again."""
        starting = self._starting
        if starting is not None:
            starting.kill()  # whoever waits for it holds the lock
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def close(self) -> None:
        """Ends the process for good."""
        self._closed = True
        self.release()

    def _running(self) -> IndexProcess:
        with self._lock:
            self._check_open()
            if self._process is None or not self._process.alive:
                self._end()
                self._process = self._started(wipe=False)
            return self._process

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("index", "the index is closed", key="index.closed")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _started(self, *, wipe: bool) -> IndexProcess:
        process = self._starting = IndexProcess()
        try:
            self._check_open()
            reply = process.call(
                "open_directory",
                str(self.directory),
                self._lock_wait_s,
                wipe,
                timeout_s=START_S + self._lock_wait_s,
            )
            reply_value(reply)
        except BaseException:  # also an interrupt: no process may keep the lock that nobody knows
            process.kill()
            raise
        finally:
            self._starting = None
        return process


class ChromaIndex:
    """A VectorIndex in a Chroma directory. Calls may come from any thread and follow one another."""

    def __init__(self, host: IndexHost) -> None:
        self._host = host
        self._identity: EmbedderIdentity | None = None

    @property
    def name(self) -> str:
        """Short name for messages."""
        return "chroma"

    @property
    def pid(self) -> int | None:
        """Id of the index process while it runs."""
        return self._host.pid

    def beside(self) -> ChromaIndex:
        """A second index in the same process and directory, for the collection of another embedder."""
        return ChromaIndex(self._host)

    def open(self, identity: EmbedderIdentity) -> None:
        """Use the collection of this embedder; those of others stay as they are."""
        self._identity = identity
        self.count()

    def upsert(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Writes entries with vectors (n, dims). Errors: Unavailable, Invalid for unfit vectors."""
        name, about = self._collection()
        self._check(vectors, len(entries))
        for start in range(0, len(entries), SEND_ROWS):
            page = entries[start : start + SEND_ROWS]
            ids = [entry.id for entry in page]
            metadatas = [_metadata(entry) for entry in page]
            rows = np.ascontiguousarray(vectors[start : start + SEND_ROWS], dtype=np.float32)
            self._host.call("upsert", name, about, ids, rows, metadatas, timeout_s=WRITE_S)

    def delete(self, ids: Sequence[str]) -> None:
        """Removes ids; unknown ones are ignored. Errors: Unavailable."""
        if ids:
            self._host.call("delete", *self._collection(), list(ids), timeout_s=WRITE_S)

    def search(self, query: Vectors, limit: int) -> list[tuple[str, float]]:
        """(id, cosine) of the nearest entries, best first. Errors: Unavailable, Invalid."""
        name, about = self._collection()
        self._check(query[None, :], 1)
        vector = np.ascontiguousarray(query, dtype=np.float32)
        found = self._host.call("query", name, about, vector, limit, timeout_s=READ_S)
        return found if isinstance(found, list) else []

    def count(self) -> int:
        """Number of entries. Errors: Unavailable."""
        found = self._host.call("count", *self._collection(), timeout_s=READ_S)
        return found if isinstance(found, int) else 0

    def entries(self) -> dict[str, IndexEntry]:
        """All entries by id. Errors: Unavailable. Cost: about 0.1 s per 5,000."""
        found: dict[str, IndexEntry] = {}
        offset = 0
        while True:
            page = self._host.call("rows", *self._collection(), offset, timeout_s=READ_S)
            ids, metadatas = page if isinstance(page, tuple) else ([], [])
            if not ids:
                return found
            found.update((id_, _entry(id_, metadata)) for id_, metadata in zip(ids, metadatas, strict=True))
            offset += len(ids)

    def vectors_of(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors of the ids that are there. Errors: Unavailable."""
        found: dict[str, Vectors] = {}
        for start in range(0, len(ids), SEND_ROWS):
            asked = list(ids[start : start + SEND_ROWS])
            page = self._host.call("vectors_of", *self._collection(), asked, timeout_s=READ_S)
            if isinstance(page, tuple):
                found.update(zip(page[0], page[1], strict=True))
        return found

    def reset(self) -> None:
        """An empty collection instead of this one. Files that Chroma cannot open are all removed."""
        name, about = self._collection()
        try:
            self._host.call("drop", name, timeout_s=WRITE_S)
            self._host.call("count", name, about, timeout_s=READ_S)
        except Unavailable as error:
            if error.key in {"index.locked", "index.closed", "index.cannot_start"}:
                raise
            _log.warning("index directory starts empty: %s", error.reason)
            self._host.start_empty()

    def others(self) -> list[tuple[str, int]]:
        """Keys of other embedders whose collections are still there, with their sizes."""
        return [(key, size) for name, key, size in self._all() if name != self._collection()[0]]

    def remove_others(self) -> int:
        """Removes the collections of other embedders. Returns how many."""
        mine = self._collection()[0]
        names = [name for name, _, _ in self._all() if name != mine]
        for name in names:
            self._host.call("drop", name, timeout_s=WRITE_S)
        return len(names)

    def release(self) -> None:
        """Ends the process, so that another program can use the index; the next call starts it again."""
        self._host.release()

    def close(self) -> None:
        """Ends the process for good, also under the other indexes beside this one."""
        self._host.close()

    def _all(self) -> list[tuple[str, str, int]]:
        found = self._host.call("collections", timeout_s=READ_S)
        rows = found if isinstance(found, list) else []
        return [
            (name, str(about.get("key", name)), size)
            for name, about, size in rows
            if name.startswith(COLLECTION_PREFIX)
        ]

    def _collection(self) -> tuple[str, Mapping[str, Scalar]]:
        identity = self._identity
        if identity is None:
            raise Unavailable("index", "no collection is open", key="index.closed")
        about: dict[str, Scalar] = {"key": identity.key, "model": identity.model, "dims": identity.dims}
        return collection_name(identity), about

    def _check(self, vectors: Vectors, count: int) -> None:
        dims = self._identity.dims if self._identity else 0
        given = vectors.shape[1] if vectors.ndim == 2 else 0
        if len(vectors) != count or (given != dims and count):
            raise Invalid("index.wrong_dims", expected=dims, given=given)
        if not np.isfinite(vectors).all():
            raise Invalid("index.bad_numbers")


def _metadata(entry: IndexEntry) -> dict[str, Scalar]:
    """All of an entry but its id: always the full set, because Chroma merges."""
    return {
        "pk": int(entry.pk),
        "folder": int(entry.folder),
        "layer": str(entry.layer),
        "type": str(entry.type),
        "status": str(entry.status),
        "trashed": bool(entry.trashed),
        "text_hash": entry.text_hash,
    }


def _entry(id_: str, metadata: Mapping[str, object]) -> IndexEntry:
    """The entry again; what is missing or damaged is empty, so that a comparison finds it."""
    pk, folder = metadata.get("pk"), metadata.get("folder")
    return IndexEntry(
        id=id_,
        pk=pk if isinstance(pk, int) else 0,
        folder=folder if isinstance(folder, int) else 0,
        layer=str(metadata.get("layer", "")),
        type=str(metadata.get("type", "")),
        status=str(metadata.get("status", "")),
        trashed=metadata.get("trashed") is True,
        text_hash=str(metadata.get("text_hash", "")),
    )
