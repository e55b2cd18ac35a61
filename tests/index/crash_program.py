"""A program that fills a library without end, for tests that kill it. Prints what is acknowledged."""

from __future__ import annotations

import sys
from pathlib import Path

from core.services.drainer import Drainer
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk


def main() -> None:
    desk = Desk(Path(sys.argv[1]), HashEmbedder())
    drainer = Drainer(desk.indexer)
    desk.engine.subscribe(lambda changes: drainer.changed(changes.memories))
    desk.indexer.open()
    print(f"index {desk.index.pid}", flush=True)
    drainer.start()
    number = int(sys.argv[2])
    while True:
        pk = desk.add(f"第{number}条：acknowledged {number}")[0]
        print(f"added {pk} {number}", flush=True)
        number += 1
        if number % 5 == 0:
            desk.add_many(100)


if __name__ == "__main__":
    main()
