"""llama-cpp-python's server with the small model that `make test-llm` made, on a free port of loopback."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

START_S = 60.0


@dataclass(frozen=True)
class Server:
    """Where it answers."""

    url: str


@contextlib.contextmanager
def llama_server(context_tokens: int, *options: str) -> Iterator[Server]:
    """A server that has ended afterwards. Skips the test where `make test-llm` did not prepare it."""
    python, model = os.environ.get("MEMORY_CURATOR_LLM_PYTHON"), os.environ.get("MEMORY_CURATOR_LLM_MODEL")
    if not python or not model:
        pytest.skip("run by `make test-llm`")
    if subprocess.run([python, "-c", "import llama_cpp"], capture_output=True, check=False).returncode:
        pytest.skip("llama-cpp-python is not there")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "llama_cpp.server", "--model", str(Path(model).absolute())]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(context_tokens), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(url, process)
        yield Server(url)
    finally:
        process.terminate()
        process.wait(20)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended by itself"
        try:
            httpx.get(f"{url}/v1/models", trust_env=False)  # any answer will do
            return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail("the server did not answer")
