from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recall.desk import RecallDesk, hash_embedder


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[RecallDesk]:
    """A library without vectors."""
    made = RecallDesk(tmp_path / "library")
    yield made
    made.engine.close()


@pytest.fixture
def vector_desk(tmp_path: Path) -> Iterator[RecallDesk]:
    """A library with an embedder."""
    made = RecallDesk(tmp_path / "library", hash_embedder())
    yield made
    made.engine.close()
