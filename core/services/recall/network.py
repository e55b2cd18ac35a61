"""The relations along which energy may run in one recall, and the way it took.

Archived, trashed and hidden memories are no part of it, so no energy passes through them (DESIGN §5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.algos.diffusion import Links, Spread, Spreading, spread_steps
from core.domain.ids import EdgePk, MemoryPk
from core.domain.recall import PathStep
from core.services.recall.corpus import Corpus, Flags, Floats, Ints


@dataclass(frozen=True, slots=True)
class Network:
    """Links both ways, and the edge of each."""

    corpus: Corpus
    links: Links
    edges: Ints

    @classmethod
    def build(cls, corpus: Corpus, usable: Flags, live: Flags, normalisation: float = 0.0) -> Network:
        """Links of the live edges between usable memories, in storage order. Cost: O(m log m).

        `normalisation` b divides a strength by (degree x degree of the two ends) ^ (b / 2): with it hubs do
        not flood their neighbours (spec/STBME §8.12). 0 = strengths as they are.
        """
        edges = corpus.edges
        kept = live & usable[edges.source] & usable[edges.target]
        source, target, strength = edges.source[kept], edges.target[kept], edges.strength[kept]
        if normalisation > 0 and len(source):
            degrees = np.bincount(np.concatenate([source, target]), minlength=corpus.size)
            strength = strength / (degrees[source] * degrees[target]) ** (normalisation / 2)
        links = Links.build(corpus.size, source, target, strength, edges.inhibits[kept], both_ways=True)
        ends = np.stack([source, target], axis=1).ravel()
        pks = np.repeat(edges.pks[kept], 2)[np.argsort(ends, kind="stable")]
        return cls(corpus, links, pks)

    def neighbours(self, row: int) -> Ints:
        """Other ends of the links of a row, in storage order."""
        found: Ints = self.links.targets[self.links.starts[row] : self.links.starts[row + 1]]
        return found


@dataclass(frozen=True, slots=True)
class Flow:
    """Energy after spreading over a network, with the way it took.

    `steps` may be more than one spreading would have: `how.decay` belongs to each. `origins`: by what a seed
    came in, for the first step of a way.
    """

    network: Network
    spreading: Spreading
    how: Spread
    origins: dict[int, str]
    _flags: dict[int, Flags] = field(default_factory=dict)

    @classmethod
    def run(
        cls, network: Network, seeds: Sequence[tuple[int, float]], how: Spread, origins: dict[int, str]
    ) -> Flow:
        """Spread from the seeds. Cost: see core.algos.diffusion.spread."""
        return cls(network, spread_steps(network.links, seeds, how), how, origins)

    @property
    def energies(self) -> Floats:
        """Energy of every memory, shape (n,)."""
        return self.spreading.energies

    def path_to(self, row: int) -> tuple[PathStep, ...]:
        """The strongest way to a memory: its seed, then each edge with the energy that came over it."""
        step = self._step_of(row)
        if step is None:
            return ()
        hops: list[PathStep] = []
        pks = self.network.corpus.pks
        while step > 0:
            link = self._best_link(row, step)
            if link is None:
                break
            source = int(self.network.links.targets[link])
            hops.append(
                PathStep(
                    MemoryPk(int(pks[source])),
                    EdgePk(int(self.network.edges[link])),
                    self._amount(link, step),
                )
            )
            row, step = source, step - 1
        seed = PathStep(
            MemoryPk(int(pks[row])),
            None,
            float(self.spreading.steps[step][1][row]),
            str(self.origins.get(row, "")),
        )
        return (seed, *reversed(hops))

    def _step_of(self, row: int) -> int | None:
        """The step at which the memory had the energy that it kept."""
        energy = self.spreading.energies[row]
        if energy == 0.0:
            return None
        for at, (_, energies) in enumerate(self.spreading.steps):
            if energies[row] == energy:
                return at
        return None

    def _best_link(self, row: int, step: int) -> int | None:
        """The link over which most came; links are mirrored, so those of the row lead to its senders."""
        links = self.network.links
        first, last = int(links.starts[row]), int(links.starts[row + 1])
        senders = links.targets[first:last]
        sending = self._had_energy(step - 1)[senders]
        if not sending.any():
            return None
        amounts = np.abs(self.spreading.steps[step - 1][1][senders] * links.strengths[first:last])
        return first + int(np.argmax(np.where(sending, amounts, -1.0)))

    def _had_energy(self, step: int) -> Flags:
        """Which memories had energy at a step."""
        if step not in self._flags:
            flags = np.zeros(self.network.links.nodes, dtype=np.bool_)
            flags[self.spreading.steps[step][0]] = True
            self._flags[step] = flags
        return self._flags[step]

    def _amount(self, link: int, step: int) -> float:
        """What came over a link from its far end at a step."""
        links = self.network.links
        energy = self.spreading.steps[step - 1][1][links.targets[link]]
        amount = float(energy * links.strengths[link] * self.how.decay)
        return -abs(amount) if links.inhibits[link] else amount
