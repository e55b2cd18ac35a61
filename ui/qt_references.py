"""Keeps None, True and False alive under a PySide that gives references of them away.

PySide6 6.12.0 is one build for all Pythons. Its calls that return nothing (or a truth value) hand out
the object without counting the reference, which is right from Python 3.12 on, where these objects
are immortal. Under 3.11 each such call takes one reference away; after some thousand calls the
interpreter ends with "none_dealloc: deallocating None". So they get as good as endless references,
which is what Python 3.12 does to them itself.
"""

from __future__ import annotations

import ctypes
import sys

ENDLESS = 1 << 40
"""More than a program gives away in a hundred years at 300 calls a second."""
FIRST_IMMORTAL = (3, 12)


def hold_singletons() -> None:
    """Done once per process, before the first widget; nothing to do where they are immortal."""
    if sys.version_info >= FIRST_IMMORTAL or sys.getrefcount(None) > ENDLESS // 2:
        return
    for singleton in (None, True, False, NotImplemented):
        ctypes.c_ssize_t.from_address(id(singleton)).value += ENDLESS
