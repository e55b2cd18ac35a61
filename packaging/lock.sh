#!/bin/sh
# Writes requirements.lock: run-time and development packages, all platforms, Python >= 3.11, with hashes.
# usage: sh packaging/lock.sh [--upgrade | --upgrade-package NAME]
set -eu
cd "$(dirname "$0")/.."
tools=build/lock-tools
[ -x "$tools/bin/uv" ] || {
    "${PYTHON:-.venv/bin/python}" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
}
# No index address and no machine path may reach the file, so the header names the make target instead.
exec "$tools/bin/uv" pip compile pyproject.toml --universal --python-version 3.11 --extra dev \
    --generate-hashes --no-emit-index-url --no-emit-find-links --quiet \
    --custom-compile-command "make lock" --output-file requirements.lock "$@"
