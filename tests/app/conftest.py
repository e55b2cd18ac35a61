import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app import cli

DATA = Path(__file__).parents[1] / "data"
SMALL = DATA / "exports" / "small_15_zh.json"
MEDIUM = DATA / "exports" / "medium_300_zh.json"


@dataclass
class Ran:
    """What one call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def run(library: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in this process: `run("list", "--limit", "3")` gives code, output and errors."""
    for name in ("LC_ALL", "LC_MESSAGES", "MEMORY_CURATOR_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")

    def call(command: str, *arguments: object) -> Ran:
        try:
            code = cli.main([command, "--library", str(library), *map(str, arguments)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
