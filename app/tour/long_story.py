"""A long invented story as a library: communities of memories that hang together, for the graph's tour.

Scenes (communities) follow each other; most relations stay within a scene, some lead to the next ones, a few
anywhere. The same each time for a seed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from core.domain.enums import FolderKind, Status
from core.domain.ids import RelationId, TypeId
from core.domain.transfer import Format, ImportPlan, PlannedEdge, PlannedFolder, PlannedMemory

SCENE = 60
"""Memories of a scene, about."""
EDGES_A_MEMORY = 2.9
FOLDER = "chats/The lamplighter's year"
BEGAN = datetime(2026, 1, 5, 18, 0, tzinfo=UTC)
TYPES = ("event", "character", "location", "thread", "rule", "reflection", "pov_memory", "asset")
SHARES = (0.5, 0.12, 0.1, 0.06, 0.06, 0.06, 0.06, 0.04)
PLACES = (
    "the salt market", "the ferry stairs", "a glass greenhouse", "the clock loft", "the rope bridge",
    "the tide mill", "a cellar archive", "the north gate", "the orchard wall", "the signal hill",
    "灯塔下的渡口", "旧书店二楼", "雨棚里的集市", "河边的染坊", "钟楼的阁楼", "北门茶馆", "山上的信号站",
)  # fmt: skip
PEOPLE = ("Ada", "Bram", "Coraline", "Doro", "Emil", "Fen", "阿澄", "小满", "陆川", "闻笛", "何其", "秋棠")
DEEDS = (
    "finds a key under", "loses a letter at", "hears singing near", "waits all night at", "draws a map of",
    "hides a lantern in", "makes a promise at", "counts the ships from",
)  # fmt: skip
LINKS = ("related", "involved_in", "occurred_at", "advances", "updates", "evolves", "contradicts")
LINK_SHARES = (0.36, 0.26, 0.16, 0.12, 0.04, 0.04, 0.02)


def plan(count: int, seed: int = 5) -> ImportPlan:
    """A story of so many memories, ready to be imported. Cost: about a second for 10,000."""
    rng = np.random.default_rng(seed)
    scenes = max(1, round(count / SCENE))
    sizes = rng.multinomial(count, rng.dirichlet(np.full(scenes, 9.0)))
    scene = np.repeat(np.arange(scenes), sizes)
    weight = rng.pareto(2.0, count) + 1.0
    kinds = rng.choice(len(TYPES), count, p=SHARES)
    importance = np.clip(rng.normal(3.5, 1.8, count) + np.log2(weight), 0, 10).round(1)
    used = rng.poisson(np.where(rng.random(count) < 0.35, 0.0, importance / 2))
    memories = tuple(
        _memory(
            number,
            int(scene[number]),
            TYPES[kinds[number]],
            float(importance[number]),
            int(used[number]),
            count,
        )
        for number in range(count)
    )
    return ImportPlan(
        format=Format.STBME,
        source_name="long story",
        folders=(PlannedFolder(key="story", name=FOLDER, kind=FolderKind.CHAT, last_processed_seq=count),),
        memories=memories,
        edges=tuple(_edges(rng, scene, weight, memories)),
    )


def _memory(number: int, scene: int, kind: str, importance: float, used: int, count: int) -> PlannedMemory:
    place, who = PLACES[scene % len(PLACES)], PEOPLE[(scene * 5 + number) % len(PEOPLE)]
    at = BEGAN + timedelta(minutes=7 * number)
    match kind:
        case "character":
            title = f"{who} ({scene + 1})"
        case "location":
            title = f"{place} {scene + 1}"
        case "thread":
            title = f"The secret of {place} {scene + 1}"
        case _:
            title = f"{who} {DEEDS[number % len(DEEDS)]} {place}"
    archived = number % 17 == 0
    return PlannedMemory(
        key=str(number),
        folder="story",
        foreign_id=f"story-{number}",
        type=TypeId(kind),
        title=title,
        body=f"{title}. Scene {scene + 1}, line {number} of {count}.",
        importance=importance,
        activation_count=used,
        last_activated_at=at + timedelta(days=1) if used else None,
        seq=number,
        locked=number % 97 == 0,
        status=Status.ARCHIVED if archived else Status.ACTIVE,
        created_at=at,
        updated_at=at,
    )


def _edges(
    rng: np.random.Generator,
    scene: np.ndarray,
    weight: np.ndarray,
    memories: tuple[PlannedMemory, ...],
) -> list[PlannedEdge]:
    count = len(memories)
    wanted = int(count * EDGES_A_MEMORY)
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    sources = np.searchsorted(sums, rng.random(wanted) * sums[-1], side="right") - 1
    home = scene[sources]
    step = np.where(rng.random(wanted) < 0.92, 0, rng.geometric(0.5, wanted) * rng.choice((-1, 1), wanted))
    aim = np.clip(home + step, 0, int(scene.max()))
    low, high = (sums[np.searchsorted(scene, aim, side=side)] for side in ("left", "right"))
    anywhere = rng.random(wanted) < 0.004
    low, high = np.where(anywhere, 0.0, low), np.where(anywhere, sums[-1], high)
    targets = np.clip(
        np.searchsorted(sums, low + rng.random(wanted) * (high - low), side="right") - 1, 0, count - 1
    )
    links = rng.choice(len(LINKS), wanted, p=LINK_SHARES)
    strength = rng.uniform(0.3, 1.0, wanted).round(2)
    ended = rng.random(wanted) < 0.05
    found = []
    for at in np.flatnonzero(sources != targets).tolist():
        a, b = memories[int(sources[at])], memories[int(targets[at])]
        made = max(a.created_at, b.created_at)
        found.append(
            PlannedEdge(
                source=a.key,
                target=b.key,
                relation=RelationId(LINKS[links[at]]),
                strength=float(strength[at]),
                inhibits=LINKS[links[at]] == "contradicts",
                created_at=made,
                valid_from=made,
                invalid_from=made + timedelta(days=2) if ended[at] else None,
            )
        )
    return found
