#!/bin/sh
# Everything that can be said about the code without running the program. Runs all steps, fails if one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
python=.venv/bin/python
failed=

step() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $name;"
}

step "style (ruff check)" $python -m ruff check .
step "layout (ruff format)" $python -m ruff format --check .
step "types (mypy)" $python -m mypy
step "import contracts (import-linter)" \
    $python -c "from importlinter.cli import lint_imports_command as lint; lint()" --no-logo
step "texts, licences, lock file (tests/project)" env QT_QPA_PLATFORM=offscreen $python -m pytest -q tests/project

[ -z "$failed" ] || { echo "make check failed:$failed" >&2; exit 1; }
echo "make check: all steps passed"
