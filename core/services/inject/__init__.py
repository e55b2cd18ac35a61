"""The text for the prompt, made of what recall chose.

`gather(reader, folders, layout, viewer, now)` reads memos, overview and titles;
`build(InjectInput(...), InjectOptions(...), counters.counter(family))` makes the text (core.ports.token_counter).
"""

from core.services.inject.build import build
from core.services.inject.gather import gather
from core.services.inject.types import (
    DEFAULT_BUDGET_TOKENS,
    DEFAULT_DEPTH,
    Extras,
    InjectInput,
    InjectMemory,
    InjectOptions,
    Part,
    Position,
    PromptRole,
)

__all__ = [
    "DEFAULT_BUDGET_TOKENS",
    "DEFAULT_DEPTH",
    "Extras",
    "InjectInput",
    "InjectMemory",
    "InjectOptions",
    "Part",
    "Position",
    "PromptRole",
    "build",
    "gather",
]
