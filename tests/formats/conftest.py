"""A library over real files: import, export, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.formats.desk import FilesDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FilesDesk]:
    made = FilesDesk(tmp_path)
    yield made
    made.engine.close()
