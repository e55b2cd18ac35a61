"""Which way SQLite should take to what a search asks for: through the list's index, or by looking up keys."""

from __future__ import annotations

from enum import StrEnum

from core.algos.search_keys import number_range
from core.domain.search import All, Condition, Either, Listed, Not, Term


class Way(StrEnum):
    """How the list's index helps."""

    NOT = "not"
    """It does not tell all that is asked, or other indexes leave fewer memories to look at."""
    IN_ITS_ORDER = "in its order"
    """Only where the list has the index's order: for others, and for counts, there are smaller indexes."""
    ALWAYS = "always"


_IN_TYPE_INDEX = frozenset({"type", "layer", "status"})
"""Keys whose columns stand in `ix_memory_live_type` too."""
_IN_LIST = frozenset({"level", "importance", "floor", "updated", "never"})
"""Further keys whose columns stand in `ix_memory_list`."""
_BY_KEY = frozenset(
    {"folder", "tag", "core", "diffusion", "opposing", "alias", "related", "relation", "created"}
)
"""Keys that are answered by an index of their own."""
_HAS_BY_KEY = frozenset({"duplicate", "relation", "alias", "tag", "proposal", "draft", "children"})
_IS_IN_ROW = frozenset({"trash", "merged"})


def way_of(term: Term) -> Way:
    """Whether to go through the list's index, which spares reading rows: SQLite cannot see that by itself."""
    if not _told(term) or _finds(term):
        return Way.NOT
    return Way.ALWAYS if _needs_list(term) else Way.IN_ITS_ORDER


def _needs_list(term: Term) -> bool:
    match term:
        case Condition("recalled"):
            return not _is_by_key(term)
        case Condition("is", _, "locked"):
            return True
        case Condition(key):
            return key in _IN_LIST
        case Not(inner):
            return _needs_list(inner)
        case All(terms) | Either(terms):
            return any(map(_needs_list, terms))
    return False


def _told(term: Term) -> bool:
    match term:
        case Condition("recalled"):
            return True
        case Condition("is", _, value):
            return value not in _IS_IN_ROW
        case Condition(key):
            return key in _IN_LIST | _IN_TYPE_INDEX or _is_by_key(term)
        case Listed():
            return True
        case Not(inner):
            return _told(inner)
        case All(terms) | Either(terms):
            return all(map(_told, terms))
    return False


def _finds(term: Term) -> bool:
    """Whether it gives keys to look up."""
    match term:
        case Condition(_, op):
            return op != "!=" and _is_by_key(term)
        case Listed():
            return True
        case All(terms):
            return any(map(_finds, terms))
        case Either(terms):
            return all(map(_finds, terms))
    return False


def _is_by_key(test: Condition) -> bool:
    match test.key:
        case "has":
            return test.value in _HAS_BY_KEY
        case "is":
            return test.value == "outdated"
        case "recalled":
            return number_range(test.value) is None
    return test.key in _BY_KEY
