"""Small matrix products on one thread.

Recall multiplies small matrices many times. Spread over threads they are slower by far while the machine is busy
(measured on 2 cores: a basis of 64 vectors 10 ms on one thread, up to 800 ms on two beside other work), because
each product waits for the slowest thread.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit = ExitStack()


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, the linear algebra of this process uses one thread; nested and parallel uses are counted."""
    global _inside  # noqa: PLW0603 - the setting is the process's
    with _lock:
        if _inside == 0:
            _limit.enter_context(_controller().limit(limits=1, user_api="blas"))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.close()
