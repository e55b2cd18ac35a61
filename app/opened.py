"""What the parts of an opened library see of it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from app.container_models import Models
    from core.domain.access import ReadOnly
    from core.engine import Engine
    from core.ports.embedder import Embedder
    from core.services.drainer import Drainer
    from core.services.indexer import Indexer
    from core.services.recall.recall import RecallService
    from core.store.library import LibraryFiles
    from core.store.store import SqlStore


class Opened(Protocol):
    """An opened library; see `app.Library` for what each does."""

    files: LibraryFiles
    read_only: ReadOnly | None
    models: Models
    store: SqlStore
    engine: Engine
    drainer: Drainer | None

    @property
    def embedder(self) -> Embedder: ...
    @property
    def indexer(self) -> Indexer: ...
    @property
    def keeps_lock(self) -> bool: ...
    def index_lock(self) -> AbstractContextManager[bool]: ...
    def release_index(self) -> None: ...
    def forget_vectors(self) -> None: ...
    def indexer_beside(self, embedder: Embedder) -> Indexer: ...
    def recall_with(self, embedder: Embedder) -> RecallService: ...
    def use_embedder_anew(self) -> None: ...
