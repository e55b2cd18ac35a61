"""What check-up, repair and the Health page need of the store beyond readers and ops.

None of it is journaled: it is about what follows from the rows (word search, counters, vectors), or only read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.domain.health import Finding, FolderCard, Plots
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import JsonObject
from core.ports.progress import CancelToken, Progress


class HealthStore(Protocol):
    """Calls are short transactions, or pages of them; they may come from any thread."""

    def file_findings(self) -> list[Finding]:
        """What is wrong with the file, the word search and the counters. Cost: reads all of it."""

    def unfit_vectors(self, model_key: str, dims: int) -> list[MemoryPk]:
        """Memories whose vector of that model has another length or numbers that are none."""

    def drop_unfit(self, model_key: str, dims: int) -> list[MemoryPk]:
        """Remove those vectors and put their memories into the outbox."""

    def rebuild_search(self, progress: Progress, cancel: CancelToken | None) -> int:
        """Search text and word index of all memories anew; returns how many memories."""

    def recount(self) -> int:
        """Counters raised to what the rows say: next keys, and times recalled. Returns how many were wrong."""

    def card(self, folder: FolderPk | None, model_key: str | None) -> FolderCard:
        """Figures of a folder, or of the library. Errors: NotFound."""

    def plots(self, folder: FolderPk | None) -> Plots:
        """Numbers over memories and time."""

    def fact(self, key: str) -> JsonObject:
        """A small fact about the library, {} when it is not known."""

    def keep_fact(self, key: str, value: JsonObject) -> None:
        """Keep one."""

    def sizes(self, *, journal: bool) -> Mapping[str, int]:
        """Bytes of the file with its log (`store`), numbers of rows, and bytes of the journal's texts (`journal`;
        0 when they are not asked for, since summing them up reads all of it)."""

    # --- vectors of two sets -----------------------------------------------------------------

    def text_sizes(
        self, folder: FolderPk | None, model_key: str, *, only_missing: bool
    ) -> tuple[int, int, int]:
        """Memories, different texts to embed, and their characters (at most what is embedded of each)."""

    def texts_without(
        self, folder: FolderPk | None, model_key: str, after: MemoryPk, limit: int
    ) -> list[tuple[MemoryPk, str, str]]:
        """The next memories (pk, hash, text) whose text has no vector of that model, by pk."""

    def enqueue(self, memories: Sequence[MemoryPk]) -> None:
        """Put memories into the outbox: their vectors are others now."""

    def vectors_in(self, model_key: str, folder: FolderPk | None) -> tuple[int, int]:
        """Different texts of a folder (None = all) with a vector of that model, and different texts at all."""

    def fill_vectors(self, source: str, target: str) -> int:
        """Copy the vectors of one model key that another lacks to it; returns how many."""

    def take_vectors(self, source: str, target: str) -> int:
        """Put the vectors of one model key in place of another's; returns how many. One transaction."""

    def drop_vectors(self, model_key: str) -> int:
        """Remove the vectors of a model key; returns how many."""

    def vector_models(self) -> Sequence[tuple[str, int]]:
        """Model keys with numbers of vectors."""
