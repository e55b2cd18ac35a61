"""The text for the prompt, made of what recall chose.

`gather(reader, folders, layout, viewer, now)` reads memos, overview and titles;
`build(InjectInput(...), InjectOptions(...), counters.counter(family))` makes the text (core.ports.token_counter).
"""

from core.services.inject.types import (
    Extras,
    InjectInput,
    InjectMemory,
    InjectOptions,
    Part,
    Position,
    PromptRole,
)

__all__ = ["Extras", "InjectInput", "InjectMemory", "InjectOptions", "Part", "Position", "PromptRole"]
