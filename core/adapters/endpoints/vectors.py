"""An embedder behind an endpoint: texts in batches, vectors checked before anything is stored."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.adapters.endpoints.caller import Caller, Reply
from core.adapters.endpoints.failures import Failure
from core.adapters.endpoints.usage import usage_of
from core.domain.endpoints import Usage
from core.domain.errors import Invalid
from core.domain.json_types import Json
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken

PORT = "embedder"
PROBE = "ok"
"""A text that every embedder takes: when it is refused too, the fault is not in the text."""
DEFAULT_THRESHOLDS = Thresholds(same_text=0.95, duplicate=0.9, related=0.5)


class EndpointEmbedder:
    """The embedder of one endpoint, whose dimension and thresholds were measured when it was connected."""

    def __init__(
        self,
        caller: Caller,
        count: Callable[[str], int],
        on_use: Callable[[Usage], None] = lambda _usage: None,
    ) -> None:
        self._caller, self._count, self._on_use = caller, count, on_use
        self._lock = threading.Lock()
        self._used = Usage()
        self._formats = ["base64", "float"]
        """Forms that the server may know, the one to ask for first; one that worked is the only one left."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Kind of endpoint, model, dimension, prefixes: all that makes two vectors comparable."""
        endpoint = self._caller.endpoint
        prefixes = f"{endpoint.document_prefix}|{endpoint.query_prefix}".strip("|")
        variant = f"{prefixes}#{endpoint.weights}" if endpoint.weights else prefixes
        return EmbedderIdentity(f"openai:{endpoint.model}", endpoint.measured.dims, variant)

    @property
    def thresholds(self) -> Thresholds:
        """As measured; cautious ones when nothing was."""
        seen = self._caller.endpoint.measured
        if not seen.same_text:
            return DEFAULT_THRESHOLDS
        return Thresholds(seen.same_text, seen.duplicate, seen.related)

    @property
    def used(self) -> Usage:
        """Tokens and cost of the calls through this object."""
        return self._used

    @property
    def batch_texts(self) -> int:
        """Texts of one request: what a failure may cost."""
        return self._caller.endpoint.batch

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        """Unit vectors (n, dims) float32; zero for a blank text, which no server is asked for.

        Errors: Invalid("error.embedder.refused") when one of the texts is refused (a smaller batch finds
        out which), Unavailable("embedder"), Cancelled.
        """
        return self._embed(texts, self._caller.endpoint.document_prefix, cancel)

    def embed_query(self, text: str) -> Vectors:
        """Unit vector (dims,) float32. Errors: as above."""
        vector: Vectors = self._embed([text], self._caller.endpoint.query_prefix, None)[0]
        return vector

    def raw(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        """Unit vectors as they come, whatever their dimension. Errors: Failure, Cancelled."""
        prefix = self._caller.endpoint.document_prefix
        return self._ask([prefix + text for text in texts], 0, cancel)

    def _embed(self, texts: Sequence[str], prefix: str, cancel: CancelToken | None) -> Vectors:
        dims = self.identity.dims
        result = np.zeros((len(texts), dims), dtype=np.float32)
        filled = [at for at, text in enumerate(texts) if text.strip()]
        step = self.batch_texts
        for start in range(0, len(filled), step):
            rows = filled[start : start + step]
            try:
                result[rows] = self._ask([prefix + texts[at] for at in rows], dims, cancel)
            except Failure as failure:
                raise self._said(failure, cancel) from None
        return result

    def _said(self, failure: Failure, cancel: CancelToken | None) -> Exception:
        """A refusal of this text, unless every text would be refused."""
        if not failure.refused:
            return failure.unavailable(PORT, self._caller.host)
        try:
            self._ask([PROBE], self.identity.dims, cancel)
        except Failure as other:
            return other.unavailable(PORT, self._caller.host)
        return Invalid("error.embedder.refused", details=failure.words, host=self._caller.host)

    def _ask(self, texts: Sequence[str], dims: int, cancel: CancelToken | None) -> Vectors:
        """Vectors in whichever form the server knows. Errors: Failure, Cancelled."""
        first = self._formats[0]
        try:
            vectors = self._ask_in(first, texts, dims, cancel)
        except Failure as failure:
            if len(self._formats) == 1 or failure.key != "error.model.refused_request":
                raise
            vectors = self._ask_in(self._formats[1], texts, dims, cancel)
            first = self._formats[1]
        self._formats = [first]
        return vectors

    def _ask_in(self, form: str, texts: Sequence[str], dims: int, cancel: CancelToken | None) -> Vectors:
        body: dict[str, Json] = {"input": list(texts), "encoding_format": form}
        if self._caller.endpoint.model:
            body["model"] = self._caller.endpoint.model

        def take(reply: Reply) -> tuple[Vectors, Json]:
            return _vectors(reply.value, len(texts), dims)

        vectors, told = self._caller.post("embeddings", body, take, cancel)
        counted = 0 if isinstance(told, Mapping) else sum(map(self._count, texts))
        usage = usage_of(self._caller.endpoint, told, counted, 0)
        with self._lock:
            self._used += usage
        self._on_use(usage)
        return vectors


def _vectors(value: Json, count: int, dims: int) -> tuple[Vectors, Json]:
    """Unit vectors in the order of the texts, and what the server says of tokens. Errors: Failure."""
    data = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(data, Sequence) or isinstance(data, str):
        raise Failure("error.embedder.no_vectors")
    if len(data) != count:
        raise Failure("error.embedder.count", f"{len(data)} / {count}", refused=True)
    rows: list[Vectors | None] = [None] * count
    for at, each in enumerate(data):
        item = each if isinstance(each, Mapping) else {"embedding": each}
        index = item.get("index", at)
        if (
            isinstance(index, bool)
            or not isinstance(index, int)
            or not 0 <= index < count
            or rows[index] is not None
        ):
            raise Failure("error.embedder.no_vectors")
        rows[index] = _row(item.get("embedding"))
    lengths = {row.shape[0] for row in rows if row is not None}
    if len(lengths) != 1 or (dims and lengths != {dims}):
        raise Failure("error.embedder.dims", expected=dims or "?", given=", ".join(map(str, sorted(lengths))))
    matrix = np.stack([row for row in rows if row is not None]).astype(np.float64)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise Failure("error.embedder.no_numbers", refused=True)
    return (matrix / norms).astype(np.float32), value.get("usage")


def _row(embedding: Json) -> Vectors:
    if isinstance(embedding, str):
        try:
            packed = base64.b64decode(embedding, validate=True)
            row = np.frombuffer(packed, dtype="<f4")
        except (binascii.Error, ValueError):
            raise Failure("error.embedder.no_vectors") from None
        return row
    if not isinstance(embedding, Sequence) or not embedding:
        raise Failure("error.embedder.no_vectors")
    if isinstance(embedding[0], Sequence) and not isinstance(embedding[0], str):
        raise Failure("error.embedder.per_token")
    if any(isinstance(each, bool) or not isinstance(each, int | float | None) for each in embedding):
        raise Failure("error.embedder.no_vectors")
    try:
        row = np.array([np.nan if each is None else each for each in embedding], dtype=np.float64)
    except OverflowError:  # a whole number of hundreds of digits
        raise Failure("error.embedder.no_numbers", refused=True) from None
    with np.errstate(over="ignore"):  # becomes infinite, which is refused
        return row.astype(np.float32)
