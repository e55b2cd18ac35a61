"""The rules of docs/ARCHITECTURE.md about who may import whom. The contracts are in pyproject.toml."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
UI_MAY_IMPORT = ("core.engine", "core.domain", "core.model_settings", "core.settings")


def imported_modules(path: Path) -> Iterator[str]:
    """Full names of what a file imports: `a.b` for `from a import b`, since b may be a module."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def test_import_contracts_hold() -> None:
    # In a process of its own: import-linter sets up logging for the whole process.
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ui_imports_nothing_of_core_but_what_is_allowed() -> None:
    offences = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sorted((ROOT / "ui").rglob("*.py"))
        for module in imported_modules(path)
        if is_inside(module, "core") and not any(is_inside(module, allowed) for allowed in UI_MAY_IMPORT)
    ]
    assert offences == []


def test_no_widget_overrides_event_itself() -> None:
    """A fault in `event` stands in the way of every event of a widget; a filter or a handler of its own does not."""
    overrides = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sorted((ROOT / "ui").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path)))
        if isinstance(node, ast.FunctionDef) and node.name in ("event", "viewportEvent", "notify")
    ]
    assert overrides == []


def test_packaging_folder_is_no_package() -> None:
    """A package of this name would shadow the library `packaging`."""
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_only_the_program_is_shipped() -> None:
    find = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"][
        "find"
    ]
    assert {pattern.split(".")[0] for pattern in find["include"]} == {"app", "ui", "core", "resources"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    meaningless = {"utils", "util", "helpers", "common", "manager", "misc"}
    found = [
        str(path.relative_to(ROOT))
        for folder in ("app", "core", "ui")
        for path in (ROOT / folder).rglob("*.py")
        if path.stem in meaningless or path.parent.name in meaningless
    ]
    assert found == []
