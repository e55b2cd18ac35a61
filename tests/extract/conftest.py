from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extract.desk import ExtractDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ExtractDesk]:
    made = ExtractDesk(tmp_path / "library")
    yield made
    made.engine.close()
