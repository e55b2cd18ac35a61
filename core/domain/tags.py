"""Rules for tags: normalisation and the all-or-none rule of the tag triple."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.enums import TagKind
from core.domain.errors import Invalid
from core.domain.memory import TagSet

TRIPLE = (TagKind.CORE, TagKind.DIFFUSION, TagKind.OPPOSING)


def clean_triple_tags(values: Iterable[str]) -> tuple[str, ...]:
    """Strip, lower-case, drop blanks, de-duplicate keeping the first (spec/BOOKU §1.1)."""
    return tuple(dict.fromkeys(tag for value in values if (tag := value.strip().lower())))


def clean_general_tags(values: Iterable[str]) -> tuple[str, ...]:
    """Strip, drop blanks, de-duplicate keeping the first; the case stays as written."""
    return tuple(dict.fromkeys(tag for value in values if (tag := value.strip())))


def clean(tags: TagSet) -> TagSet:
    """All four groups as stored."""
    return TagSet(
        general=clean_general_tags(tags.general),
        core=clean_triple_tags(tags.core),
        diffusion=clean_triple_tags(tags.diffusion),
        opposing=clean_triple_tags(tags.opposing),
    )


def check_triple(tags: TagSet) -> None:
    """The three groups are filled all or none. Errors: Invalid."""
    filled = [kind for kind in TRIPLE if tags.group(kind)]
    if filled and len(filled) < len(TRIPLE):
        missing = [kind.value for kind in TRIPLE if kind not in filled]
        raise Invalid("error.tags.triple", missing=", ".join(missing))
