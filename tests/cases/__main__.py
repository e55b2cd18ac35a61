"""`python -m tests.cases DIR`."""

from __future__ import annotations

import sys

from tests.cases.runner import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
