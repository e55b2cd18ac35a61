"""Saved searches: kept, renamed, changed, ordered, removed; what a list shows as one canonical text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.algos.search_keys import vocabulary
from core.algos.search_language import parse, render
from core.domain import queries_search as qs
from core.domain.api import Cancel
from core.domain.commands_search import (
    ChangeSavedSearch,
    OrderSavedSearches,
    RemoveSavedSearches,
    RenameSavedSearch,
    SaveSearch,
)
from core.domain.enums import Kind
from core.domain.errors import Invalid, NotFound, UserError
from core.domain.folder import Document, Folder
from core.domain.ids import DocumentPk
from core.domain.queries import MemoryFilter, Query, TrashScope
from core.domain.safe_text import storable
from core.domain.saved_search import SavedSearch
from core.domain.search import All, Condition, Either, Meaning, Not, Pattern, Term
from core.ports.store import Reader, Store, UnitOfWork
from core.services.outcome import Outcome
from core.services.searching import read_filter

NAME_CHARS = 80
COUNT_SECONDS = 0.5
"""All counts together may take so long; what is not counted by then has no number."""


# --- commands -------------------------------------------------------------------------------


def save(uow: UnitOfWork, command: SaveSearch) -> Outcome:
    """Keep a search. Errors: Invalid."""
    name = _free_name(uow, command.name)
    text = text_of(uow, command.filter)
    last = max((each.position for each in uow.all_records(SavedSearch)), default=-1)
    uow.label(title=name)
    uow.insert([SavedSearch(name=name, text=text, position=last + 1, created_at=uow.now)])
    return Outcome(changed=1)


def rename(uow: UnitOfWork, command: RenameSavedSearch) -> Outcome:
    """Another name. Errors: NotFound, Invalid."""
    search = _one(uow, command.search)
    name = _free_name(uow, command.name, except_for=search.pk)
    uow.label(title=search.name, name=name)
    return Outcome(changed=uow.update(Kind.SAVED_SEARCH, [search.pk], {"name": name}))


def change(uow: UnitOfWork, command: ChangeSavedSearch) -> Outcome:
    """Another search under the same name. Errors: NotFound, Invalid."""
    search = _one(uow, command.search)
    uow.label(title=search.name)
    text = text_of(uow, command.filter)
    return Outcome(changed=uow.update(Kind.SAVED_SEARCH, [search.pk], {"text": text}))


def order(uow: UnitOfWork, command: OrderSavedSearches) -> Outcome:
    """Another order. Errors: NotFound."""
    first = [_one(uow, pk).pk for pk in dict.fromkeys(command.searches)]
    rest = [each.pk for each in saved_searches(uow) if each.pk not in first]
    positions = {pk: {"position": place} for place, pk in enumerate([*first, *rest])}
    return Outcome(changed=uow.update_each(Kind.SAVED_SEARCH, positions))


def remove(uow: UnitOfWork, command: RemoveSavedSearches) -> Outcome:
    """Remove some."""
    found = uow.records(SavedSearch, command.searches)
    uow.label(count=len(found), **({"title": found[0].name} if len(found) == 1 else {}))
    return Outcome(changed=uow.delete(Kind.SAVED_SEARCH, [each.pk for each in found]))


def follow_folders(uow: UnitOfWork, names: Mapping[str, str]) -> None:
    """Let saved searches name folders as these are called now (old name -> new name)."""
    changed = {}
    for search in uow.all_records(SavedSearch):
        text = _renamed(search.text, {old.casefold(): new for old, new in names.items()})
        if text != search.text:
            changed[search.pk] = {"text": text}
    uow.update_each(Kind.SAVED_SEARCH, changed)


def _one(reader: Reader, pk: int) -> SavedSearch:
    found = reader.records(SavedSearch, [pk])
    if not found:
        raise NotFound("error.search.saved_gone")
    return found[0]


def _free_name(reader: Reader, name: str, except_for: int = 0) -> str:
    clean = " ".join(storable(name).split())[:NAME_CHARS]
    if not clean:
        raise Invalid("error.search.saved_name")
    for each in reader.all_records(SavedSearch):
        if each.pk != except_for and each.name.casefold() == clean.casefold():
            raise Invalid("error.search.saved_name_taken", name=each.name)
    return clean


# --- what a list shows as text ----------------------------------------------------------------


def text_of(reader: Reader, where: MemoryFilter) -> str:
    """The canonical text of a list's filter: its search, its place and its facets. Errors: Invalid."""
    typed = parse(where.text, vocabulary(reader.schema(), reader.all_records(Folder)))
    terms = [*(typed.terms if isinstance(typed, All) else (typed,)), *_place(reader, where)]
    if not terms:
        raise Invalid("error.search.nothing_to_save")
    return render(All(tuple(terms)))


def _place(reader: Reader, where: MemoryFilter) -> Iterable[Term]:
    folders = [folder.name for folder in reader.records(Folder, sorted(where.folders))]
    for key, values in (
        ("folder", folders),
        ("type", sorted(where.types)),
        ("layer", sorted(where.layers)),
        ("status", sorted(where.statuses)),
    ):
        tests = tuple(Condition(key, ":", str(value)) for value in values)
        if tests:
            yield tests[0] if len(tests) == 1 else Either(tests)
    for kind, value in where.tags:
        yield Condition(kind.value if kind is not None and kind.value in _TAG_KEYS else "tag", ":", value)
    if where.document is not None:
        for document in reader.records(Document, [DocumentPk(where.document)]):
            yield Condition("document", ":", document.title)
    if where.trash is TrashScope.INSIDE:
        yield Condition("is", ":", "trash")


_TAG_KEYS = ("core", "diffusion", "opposing")


def _renamed(text: str, names: Mapping[str, str]) -> str:
    def of(term: Term) -> Term:
        match term:
            case Condition("folder", op, value):
                return Condition("folder", op, names.get(value.casefold(), value))
            case Not(inner):
                return Not(of(inner))
            case All(terms):
                return All(tuple(map(of, terms)))
            case Either(terms):
                return Either(tuple(map(of, terms)))
        return term

    try:
        return render(of(parse(text)))
    except UserError:
        return text  # written by a later version: left as it is


# --- queries --------------------------------------------------------------------------------


def saved_searches(reader: Reader, _query: qs.SavedSearches | None = None) -> tuple[SavedSearch, ...]:
    """All, in their order."""
    return tuple(sorted(reader.all_records(SavedSearch), key=lambda each: (each.position, each.pk)))


def named(reader: Reader, query: qs.SavedSearchNamed) -> SavedSearch:
    """The one of that name. Errors: NotFound, naming those that are there."""
    found = saved_searches(reader)
    for each in found:
        if each.name.casefold() == query.name.strip().casefold():
            return each
    if not found:
        raise NotFound("error.search.saved_none", name=query.name)
    raise NotFound(
        "error.search.saved_unknown", name=query.name, names=", ".join(each.name for each in found)
    )


def search_text(reader: Reader, query: qs.SearchText) -> str:
    """What a list shows as text. Errors: Invalid."""
    return text_of(reader, query.filter)


class SavedCounts:
    """How many memories saved searches find, as far as that is quickly known."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def counts(self, _query: qs.SavedSearchCounts, cancel: Cancel | None) -> Mapping[int, int]:
        """By pk. Left out: searches by meaning or regular expression, wrong ones, and what takes too long."""
        deadline = time.monotonic() + COUNT_SECONDS
        found: dict[int, int] = {}
        with self._store.read(cancel) as reader:
            for search in saved_searches(reader):
                if time.monotonic() > deadline:
                    break
                count = _count(reader, search.text)
                if count is not None:
                    found[search.pk] = count
        return found

    def answers(self) -> dict[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """For the engine."""
        return {qs.SavedSearchCounts: self.counts}


def _count(reader: Reader, text: str) -> int | None:
    try:
        if _is_slow(parse(text)):
            return None
        return reader.facets(read_filter(reader, MemoryFilter(text=text, language=True))).total
    except UserError:
        return None


def _is_slow(term: Term) -> bool:
    match term:
        case Meaning() | Pattern() | Condition(key="has", value="problem"):
            return True
        case Not(inner):
            return _is_slow(inner)
        case All(terms) | Either(terms):
            return any(map(_is_slow, terms))
    return False
