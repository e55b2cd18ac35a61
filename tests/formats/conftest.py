"""A library over real files: import, export, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.formats.desk import Desks, FilesDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FilesDesk]:
    made = FilesDesk(tmp_path)
    yield made
    made.engine.close()


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Desks]:
    """Libraries by name, all ended afterwards."""
    made: list[FilesDesk] = []

    def make(name: str) -> FilesDesk:
        made.append(FilesDesk(tmp_path / name))
        return made[-1]

    yield make
    for each in made:
        each.engine.close()
