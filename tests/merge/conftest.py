from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "library")
    yield made
    made.engine.close()
