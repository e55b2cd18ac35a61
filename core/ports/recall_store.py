"""What recall needs of the store: a scope read in few statements, words, and the runs that were handed out.

Nothing here is an op: a run that is handed out counts activations outside the journal (DESIGN §3, §5).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.domain.ids import FolderPk, MemoryPk, OpId
from core.domain.recall import KeptEvaluation, RecallRun
from core.domain.schema import Schema

Folders = frozenset[FolderPk] | None
"""Folders of a scope; None = the whole library."""


class StoredMemory(NamedTuple):
    """What ranking looks at: no text, so that ten thousand are read quickly. Times are UTC microseconds."""

    pk: int
    id: str
    origin_id: str
    """The id in the file it came from, else its own: ties are broken by it."""
    folder: int
    type: str
    layer: str
    status: str
    reason: str | None
    title: str
    beginning: str
    """How its text begins, where it has no title: shown in its place."""
    second_name: str
    """A name among its fields beside the title (ST-BME looks at name, then title)."""
    importance: float
    activations: int
    last_activated_at: int | None
    seq: int | None
    seq_start: int | None
    seq_end: int | None
    parent: int | None
    visibility: tuple[str, ...]
    document: int | None
    span_start: int | None
    created_at: int
    updated_at: int
    text_bytes: int
    """Bytes of body and fields in UTF-8, to guess how much fits into a budget."""
    terms: int
    """Tokens of its search text (the length that BM25 uses)."""
    embeds: bool
    """Whether it has a text to embed."""
    cast: str
    """Who took part, as the memory says it (a list or a text with commas)."""
    asks: bool
    """Whether a line of its body ends with a question mark: what comes next is likely the answer."""


NEVER, ALWAYS = 2**63 - 1, -(2**63)
"""What stands for an end and for a beginning that is not known."""

EDGE_COLUMNS = np.dtype(
    [
        ("pk", np.int64),
        ("source", np.int64),
        ("target", np.int64),
        ("strength", np.float64),
        ("inhibits", np.int64),
        ("valid_from", np.int64),
        ("invalid_from", np.int64),
        ("expired_at", np.int64),
        ("from_seq", np.int64),
        ("ended_seq", np.int64),
    ]
)
"""A relation between two memories. Times are UTC microseconds; ALWAYS and NEVER where there is none."""

StoredEdges = NDArray[np.void]
"""Rows of EDGE_COLUMNS: hundreds of thousands are read at once."""


class StoredTag(NamedTuple):
    """One tag of a memory; `kind` as in TagKind."""

    memory: int
    kind: str
    value: str


class StoredName(NamedTuple):
    """One alias of a memory."""

    memory: int
    value: str


Posting = tuple[str, int, int]
"""How often a term stands in a memory's search text: term, memory, times. A message has tens of thousands."""


@dataclass(frozen=True, slots=True)
class StoredScope:
    """Memories outside the trash by pk, with what hangs on them; edges by pk, both ends in the scope.

    Of the tags only those of triples: no others are looked at.
    """

    memories: Sequence[StoredMemory]
    edges: StoredEdges
    aliases: Sequence[StoredName]
    tags: Sequence[StoredTag]


@dataclass(frozen=True, slots=True)
class Touched:
    """What was written since a state: `memories` None = too much to list, or something else than memories."""

    state: OpId
    memories: frozenset[int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """A run to keep, and what it counts: `activated` get +1 and the time, `reinforced` more importance.

    `injected` are the memories whose text stands in the injection: when one is deleted for ever, the text goes.
    """

    run: RecallRun
    activated: Sequence[MemoryPk]
    injected: Sequence[MemoryPk] = ()
    reinforced: Sequence[MemoryPk] = ()
    reinforcement: float = 0.0


class RecallStore(Protocol):
    """Bulk reads of recall, and its only writes. Each call is one transaction."""

    def state(self) -> OpId:
        """The newest op up to which everything is complete."""

    def touched_since(self, state: OpId) -> Touched:
        """Which memories ops have touched since a state (in any way: tags, aliases and edges count)."""

    def load(self, folders: Folders, memories: Collection[int] | None = None) -> StoredScope:
        """A scope in one consistent view; with `memories` only those of them, and the edges that touch them."""

    def schema(self) -> Schema:
        """Memory types and relation types."""

    def spellings(self, terms: Collection[str], beginnings: Collection[str]) -> Mapping[str, int]:
        """Those of the terms that the library knows, and all that begin with one of the beginnings.

        With the number of memories (trashed ones too) that hold each.
        """

    def size(self) -> int:
        """Number of memories in the library, trashed ones too."""

    def postings(self, terms: Collection[str]) -> Sequence[Posting]:
        """Where these terms stand, trashed memories too. Cost: the number of places."""

    def other_vectors(self, model_key: str, memories: Collection[int]) -> Mapping[str, int]:
        """How many of the memories have a vector of another model, by model key."""

    def keep(self, handed_out: HandedOut) -> int:
        """Keep a run and count what it recalled, outside the journal. Returns the run's pk."""

    def runs(self, folder: FolderPk | None, limit: int) -> Sequence[RecallRun]:
        """Runs that were handed out, newest first; of one folder or of all."""

    def last_run(self, folder: FolderPk | None) -> RecallRun | None:
        """The newest run of a folder (None = runs without one)."""

    def runs_with(self, memory: MemoryPk, limit: int) -> Sequence[RecallRun]:
        """Runs in which a memory was recalled, newest first."""

    # --- evaluations ---------------------------------------------------------------------

    @property
    def evaluations(self) -> Evaluations:
        """Runs over the saved cases."""


class Evaluations(Protocol):
    """Runs over the saved cases, kept to compare with. No ops: a measurement changes nothing that a person made."""

    def keep(self, evaluation: KeptEvaluation) -> None:
        """Keep one; the oldest of many go."""

    def last(self, folder: FolderPk | None) -> KeptEvaluation | None:
        """The newest of this folder (None = of all cases)."""
