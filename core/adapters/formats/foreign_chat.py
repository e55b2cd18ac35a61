"""A chat of another program, its messages in SillyTavern's form, and how readers make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from core.domain.json_types import Json

THINKING = "thinking"
"""Key of a message: what the model thought before it spoke."""
OTHER_BRANCHES = "other_branches"
ATTACHMENTS = "attachments"


@dataclass(frozen=True, slots=True)
class ForeignChat:
    """One chat: messages as SillyTavern would write them. `title`: what the file calls it.

    `id`: by which the program knows it again. `plain`: its texts are shown as they are, without markup, names to fill
    in or thinking in them. `left_out`: numbers of what the file has of it and the messages have not.
    """

    program: str
    messages: tuple[Mapping[str, Json], ...]
    user: str = ""
    character: str = ""
    title: str = ""
    id: str = ""
    plain: bool = False
    left_out: Mapping[str, int] = field(default_factory=Counter)


def said(name: str, mes: Json, *, user: bool = False, time: Json = None) -> dict[str, Json]:
    """A message; what is no text becomes an empty one, never its representation."""
    made: dict[str, Json] = {"is_user": user, "mes": mes if isinstance(mes, str) else ""}
    if name:
        made["name"] = name
    if isinstance(time, int | float | str) and not isinstance(time, bool):
        made["send_date"] = time
    return made


def unseen(name: str, mes: str, *, time: Json = None) -> dict[str, Json]:
    """A hidden message that neither side says: instructions, what a tool gave back."""
    return said(name, mes, time=time) | {"is_system": True, "role": "system"}


def notice(kind: str, mes: str, *, time: Json = None) -> dict[str, Json]:
    """A notice of the program, no part of the talk."""
    return unseen("", mes, time=time) | {"extra": {"type": kind}}


def text_of(raw: Json) -> str:
    """A text without blanks around it; "" for anything else."""
    return raw.strip() if isinstance(raw, str) else ""


def identity(raw: Json) -> str:
    """An id, also one that is written as a number; "" for anything else."""
    return str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else text_of(raw)


def objects(raw: Json) -> Iterator[Mapping[str, Json]]:
    """The objects in a list; none of anything else."""
    if isinstance(raw, list):
        yield from (item for item in raw if isinstance(item, Mapping))


def inner(raw: Json, *keys: str) -> Json:
    """What lies below keys; None where the way ends."""
    for key in keys:
        raw = raw.get(key) if isinstance(raw, Mapping) else None
    return raw


def joined(parts: Iterable[str], between: str = "\n\n") -> str:
    """The texts that are not blank."""
    return between.join(part for part in parts if part.strip())


def shown_files(names: Iterable[str]) -> str:
    """What stands for a message that is nothing but files."""
    return "\n".join(f"[{name}]" for name in names if name)
