"""`python -m app`: the window without a command, else the command line."""

from __future__ import annotations

import gc
import sys

INDEX_PROCESS = "--index-process"
"""How a frozen program starts itself as the index process (core.adapters.index_process)."""
YOUNG_OBJECTS = 20_000
"""Python looks for garbage after so many new objects (700 by itself): imports make objects that stay."""


def main() -> int:
    """Start what the arguments ask for. Returns the exit code."""
    arguments = sys.argv[1:]
    gc.set_threshold(YOUNG_OBJECTS)
    if arguments[:1] == [INDEX_PROCESS]:
        from app.container import run_index_process

        run_index_process()
        return 0
    from app.cli import main as command_line

    return command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
