"""What all stages of one recall share: scope, settings, time, viewer, and which memories may take part at all.

This is the one place where visibility is decided (DESIGN §5): whatever is dropped here takes part in nothing - no
energy, no core, no scene, no list of what was left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from core.algos.visibility import sees
from core.domain.enums import Layer, Status
from core.domain.recall import RecallRequest, Stage
from core.domain.recipes import Recipe, RecipeValues
from core.ports.language_model import LanguageModel
from core.ports.progress import CancelToken
from core.ports.recall_store import RecallStore
from core.services.recall.corpus import LAYER_CODES, STATUS_CODES, Corpus, Flags, Floats
from core.services.recall.evidence import Evidence, FindEmbedder
from core.services.recall.network import Network
from core.services.recall.trace import Trace

KEPT_NETWORKS = 4
NetworkKey = tuple[int, bytes, bytes, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What recall works with besides the scope. Embedder and model may be absent (None).

    `texts` gives the text of memories by pk, for a model that chooses.
    """

    store: RecallStore
    texts: Callable[[Sequence[int]], Mapping[int, str]]
    embedder: FindEmbedder = lambda: None
    model: Callable[[], LanguageModel | None] = lambda: None


@dataclass(slots=True, kw_only=True)
class Frame:
    """One recall under way.

    `evidence` gives that of any text in this scope. `names`: names that memories should be thought to bear
    besides their own (row -> names), for "what if". `flashed`: when memories came back by chance (pk ->
    microseconds). `networks` outlive the run. `shared`: of the chats that this one is a branch of, so many first
    floors are its own past; what came later there never happened here.
    """

    corpus: Corpus
    request: RecallRequest
    recipe: Recipe
    values: RecipeValues
    viewer: str
    now: datetime
    tools: Tools
    evidence: Callable[[str], Evidence]
    trace: Trace
    random: random.Random
    cancel: CancelToken | None = None
    names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    flashed: Mapping[int, int] = field(default_factory=dict)
    shared: Mapping[int, int] = field(default_factory=dict)
    networks: dict[NetworkKey, Network] = field(default_factory=dict)
    importance: Floats = field(init=False)
    """Importance by which memories are shown: as stored, unless a recipe counts this recall already."""
    usable: Flags = field(init=False)
    visible: Flags = field(init=False)
    """What the viewer may know, of whatever status, layer and floor."""
    seen: Flags = field(init=False)
    """Of that what is of a layer and floor asked for; only chance looks beyond `usable`."""
    back_then: Flags = field(init=False)
    """Memories that are archived today but were in use at the floor asked for."""

    def __post_init__(self) -> None:
        self.importance = self.corpus.importance
        later, visible = self._later(), self._visible()
        self.visible = visible
        self.seen = visible & ~later & self._of_layer()
        self.back_then = self._still_in_use(later)
        self.usable = self._keep_usable(later, visible)

    @property
    def now_us(self) -> int:
        """The time in UTC microseconds."""
        return int(self.now.timestamp() * 1_000_000)

    @property
    def top_k(self) -> int:
        """How many memories are wanted; 0 asks for the recipe's number (spec/BOOKU §2.11)."""
        asked = self.request.top_k
        return max(1, asked) if asked else self.values.whole("top_k")

    @property
    def message(self) -> Evidence:
        """Evidence of the message."""
        return self.evidence(self.request.message)

    def check(self) -> None:
        """Errors: Cancelled."""
        if self.cancel is not None:
            self.cancel.check()

    def draw(self) -> float:
        """The next random number in [0, 1) of this run's seed."""
        return self.random.random()

    # --- what may take part --------------------------------------------------------------

    def _keep_usable(self, later: Flags, visible: Flags) -> Flags:
        corpus, trace, floor = self.corpus, self.trace, self.request.as_of_seq
        trace.count(Stage.SCOPE, corpus.size, corpus.size)
        drops: list[tuple[Stage, Flags, Floats | float, float]] = [
            (Stage.STATUS, self._resting(), np.nan, np.nan),
            (Stage.LAYER, ~self._of_layer(), np.nan, np.nan),
            (Stage.FLOOR, later, corpus.end_seq, np.nan if floor is None else floor),
            (Stage.VISIBILITY, ~visible, np.nan, np.nan),
        ]
        left = corpus.size
        for stage, dropped, number, threshold in drops:
            trace.drop(stage, dropped, number, threshold)
            before, left = left, int(trace.left.sum())
            trace.count(stage, before, left)
        return trace.left

    def _asked(self, key: str, *, given: bool) -> bool:
        """A switch of the request, unless the settings of the run say otherwise."""
        return self.values.flag(key) if key in self.request.settings else given

    def _of_layer(self) -> Flags:
        if self._asked("include_knowledge", given=self.request.include_knowledge):
            return np.ones(self.corpus.size, dtype=np.bool_)
        return np.asarray(self.corpus.layers != LAYER_CODES[Layer.KNOWLEDGE])

    def _later(self) -> Flags:
        """What was written or changed after the floor asked for, in the folder whose floors these are.

        In the chats that this one is a branch of also what lies behind the fork.
        """
        corpus, floor = self.corpus, self.request.as_of_seq
        later = np.zeros(corpus.size, dtype=np.bool_)
        if floor is not None:
            later = np.asarray(corpus.end_seq > floor)
            if self.request.folder is not None:
                later &= corpus.folders == self.request.folder
        for folder, shared in self.shared.items():
            last = shared if floor is None else min(shared, floor + 1)
            later |= (corpus.folders == folder) & (corpus.end_seq >= last)
        return later

    def _resting(self) -> Flags:
        """Archived and expired memories, unless they are asked for; merged ones live on in another memory."""
        if self._asked("include_archived", given=self.request.include_archived):
            return self.corpus.merged
        return np.asarray((self.corpus.statuses != STATUS_CODES[Status.ACTIVE]) & ~self.back_then)

    def _still_in_use(self, later: Flags) -> Flags:
        """A memory that was compressed into a summary of a later floor was still in use at this one."""
        parents = self.corpus.parents
        if not later.any():
            return np.zeros(self.corpus.size, dtype=np.bool_)
        return np.asarray(self.corpus.compressed & (parents >= 0) & later[parents])

    def _visible(self) -> Flags:
        """What the viewer may know."""
        corpus = self.corpus
        if not self.viewer or not corpus.size:
            return np.ones(corpus.size, dtype=np.bool_)
        known = [sees(names, self.viewer) for names in corpus.audience_names]
        return np.asarray(np.array(known, dtype=np.bool_)[corpus.audiences])

    def hidden_documents(self) -> frozenset[int]:
        """Documents of which the viewer may know no piece: their titles are told to nobody else either."""
        if self.visible.all():
            return frozenset()
        documents = [memory.document for memory in self.corpus.stored]
        known = {each for each, visible in zip(documents, self.visible.tolist(), strict=True) if visible}
        return frozenset(each for each in documents if each is not None and each not in known)

    # --- relations -----------------------------------------------------------------------

    def live_edges(self) -> Flags:
        """The edges that live now, or at the floor asked for."""
        return self.corpus.edges.live(self.now_us, self.request.as_of_seq)

    def network(self, live: Flags | None = None, normalisation: float = 0.0) -> Network:
        """Relations between usable memories, by default the live ones; kept while nothing of it changes."""
        live = self.live_edges() if live is None else live
        key = (id(self.corpus.edges), self.usable.tobytes(), live.tobytes(), normalisation)
        found = self.networks.get(key)
        if found is None:
            while len(self.networks) >= KEPT_NETWORKS:
                self.networks.pop(next(iter(tuple(self.networks)), key), None)
            found = Network.build(self.corpus, self.usable, live, normalisation)
            self.networks[key] = found
        return found
