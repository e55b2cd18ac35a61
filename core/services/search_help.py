"""The keys of the search language with all their words, for the help of the search."""

from __future__ import annotations

from core.algos.search_choices import text_of_value
from core.algos.search_keys import KEYS, Key
from core.domain.queries_search import SearchKeys
from core.domain.search import KeyWords
from core.ports.store import Reader


def search_keys(_reader: Reader, _query: SearchKeys) -> tuple[KeyWords, ...]:
    """All keys in their order."""
    return tuple(_words(key) for key in KEYS.values())


def _words(key: Key) -> KeyWords:
    values = tuple(
        KeyWords(value, others, text_of_value(key.name, value)) for value, others in key.values.items()
    )
    return KeyWords(key.name, key.words, f"search.key.{key.name}", values)
