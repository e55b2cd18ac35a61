"""A real Chroma index in a directory of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.adapters.index_client import ChromaIndex, IndexHost
from core.ports.embedder import EmbedderIdentity
from tests.index.samples import SMALL

OpenIndex = Callable[..., ChromaIndex]


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[OpenIndex]:
    """Opens indexes in the test's directory; ends what is left of them."""
    hosts: list[IndexHost] = []

    def make(
        identity: EmbedderIdentity = SMALL, *, folder: str = "索引", lock_wait_s: float = 10.0
    ) -> ChromaIndex:
        host = IndexHost(tmp_path / folder, lock_wait_s)
        hosts.append(host)
        index = ChromaIndex(host)
        index.open(identity)
        return index

    yield make
    for host in hosts:
        host.close()


@pytest.fixture
def index(open_index: OpenIndex) -> ChromaIndex:
    return open_index()
