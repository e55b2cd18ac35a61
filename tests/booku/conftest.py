from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.booku.desk import Desk
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "library", HashEmbedder())
    yield made
    made.close()
