"""`python -m app`: the window without a command, else the command line."""

from __future__ import annotations

import sys

INDEX_PROCESS = "--index-process"
"""How a frozen program starts itself as the index process (core.adapters.index_process)."""


def main() -> int:
    """Start what the arguments ask for. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == [INDEX_PROCESS]:
        from app.container import run_index_process

        run_index_process()
        return 0
    from app.cli import main as command_line

    return command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
