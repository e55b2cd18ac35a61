"""What may stand at the cursor of a search: keys, and after a key the values that the library has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any, TypeVar

from core.algos.search_choices import Choice, dates, fitting, folded, text_of_value
from core.algos.search_keys import FIELD_PREFIXES, KEYS, Key, ValueKind, Vocabulary, vocabulary
from core.algos.search_language import parse
from core.algos.search_place import Place, place_at
from core.algos.search_signs import quoted
from core.domain.api import Cancel
from core.domain.errors import Invalid
from core.domain.folder import SEPARATOR, Folder
from core.domain.queries import MemoryFilter, Query
from core.domain.queries_search import CompleteSearch
from core.domain.results import Facets
from core.domain.schema import Labels, Schema
from core.domain.search import Completion, NamedValue, Suggestion, ValuesOf
from core.ports.search_store import SearchStore
from core.ports.store import Store

VALUES_KEPT = 20_000
"""So many values of a key are looked through."""
LEAST_LETTERS = 2
"""After so many Latin letters keys are offered, and after one character of another script."""
_COUNTED = {*KEYS["layer"].values, *KEYS["status"].values}
T = TypeVar("T")


class Completing:
    """Answers CompleteSearch. Values are read once, and again after a change."""

    def __init__(self, store: Store, values: Callable[[], SearchStore]) -> None:
        self._store, self._values = store, values
        self._lock = Lock()
        self._op = -1
        self._kept: dict[str, Any] = {}

    def complete(self, query: CompleteSearch, _cancel: Cancel | None) -> Completion:
        """The rows for a cursor. Cost: up to 100 ms after a change at 100,000 memories, else a few."""
        place = place_at(query.text, query.cursor)
        if place is None:
            return Completion(query.cursor, query.cursor)
        typed = folded(place.typed)
        if place.key is None:
            found = self._keys(place, typed, query)
            name = ""
        else:
            name = place.key
            found = fitting(self._choices(place, query), typed, query.limit + 2)
        found = [each for each in found if each.insert != query.text[place.start : place.end]]
        rows = tuple(found[: query.limit])
        if name == ValuesOf.PERSON:
            rows = self._with_counts(rows)
        return Completion(
            place.start,
            place.end,
            name,
            place.typed,
            rows,
            more=len(found) > query.limit,
            unfinished=bool(rows and name) and self._is_unfinished(place),
        )

    def _is_unfinished(self, place: Place) -> bool:
        try:
            parse(f"{place.key}{place.op}{quoted(place.typed)}", self._known())
        except Invalid:
            return True
        return not place.typed

    def answers(self) -> dict[type[Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """For the engine."""
        return {CompleteSearch: self.complete}

    # --- keys ---

    def _keys(self, place: Place, typed: str, query: CompleteSearch) -> list[Suggestion]:
        sign = "" if place.signed else ":"
        prefix = next((each for each in FIELD_PREFIXES if typed.startswith(each)), None)
        if prefix is not None:
            columns = self._columns(query.language)
            return [
                Suggestion(f"{prefix}{name}{sign}", f"{prefix}{name}:", label)
                for name, label in columns.items()
                if name.casefold().startswith(typed[len(prefix) :])
            ]
        enough = len(typed) >= (LEAST_LETTERS if typed.isascii() else 1)
        if not enough and not (query.all and not typed):
            return []
        chinese = query.language.startswith("zh")
        rows = []
        for key in KEYS.values():
            words = (key.name, *key.words) if typed or not chinese else (key.words[0],)
            word = next((each for each in words if each.startswith(typed)), None)
            if word is not None:
                rows.append(Suggestion(word + sign, f"{word}:", text=f"search.key.{key.name}"))
        field = next((each for each in ("field.", "字段.") if each.startswith(typed)), None)
        if field is not None:
            shown = "字段." if not typed and chinese else field
            rows.append(Suggestion(shown, shown, text="search.key.field"))
        return rows

    def _columns(self, language: str) -> dict[str, str]:
        """Fields of all types by name, with what they are called."""
        found: dict[str, str] = {}
        for kind in self._schema().types:
            for column in kind.field_columns:
                found.setdefault(column.name, _said(column.labels, language))
        return found

    # --- values ---

    def _choices(self, place: Place, query: CompleteSearch) -> Iterable[Choice]:
        name = place.key or ""
        if name in {each.value for each in ValuesOf}:
            return self._in_use(ValuesOf(name), place.typed, query.limit)
        match name:
            case "type" | "relation":
                return self._typed(name, query.language)
            case "folder":
                return self._folders()
        key = KEYS.get(name)
        if key is None:
            return self._field_values(name)
        if key.kind is ValueKind.CHOICE:
            return self._fixed(key, query.language)
        if key.kind in (ValueKind.DATE, ValueKind.USE):
            return dates(key, place.op, datetime.now().astimezone().date())
        return ()

    def _in_use(self, what: ValuesOf, typed: str, limit: int) -> list[Choice]:
        if _by_prefix(what):
            values = self._values()
            return _as_choices(
                values.titles_from(typed, limit + 2) if typed else values.values_of(what, limit + 2)
            )
        return self._keep(
            f"values {what.value}", lambda: _as_choices(self._values().values_of(what, VALUES_KEPT))
        )

    def _typed(self, name: str, language: str) -> list[Choice]:
        """Types or relation types, by id and label."""
        schema = self._schema()
        known = self._known().values.get(name, {})
        counts = self._facets().types if name == "type" else {}
        choices = []
        for kind in schema.types if name == "type" else schema.relations:
            label = _said(kind.labels, language)
            own = known.get(label.casefold()) == kind.id
            word = label if own and language.startswith("zh") else str(kind.id)
            beside = str(kind.id) if word == label else label
            choices.append(
                Choice(
                    word,
                    (str(kind.id), *([label] if own else []), *kind.labels.values()),
                    label="" if beside.casefold() == word.casefold() else beside,
                    count=counts.get(kind.id, 0) if name == "type" else None,
                    type=str(kind.id) if name == "type" else "",
                )
            )
        return choices

    def _folders(self) -> list[Choice]:
        """Folders and what lies above them, with the memories in and below each."""

        def make() -> dict[str, int]:
            counts: dict[str, int] = {}
            with self._store.read() as reader:
                nodes = reader.folder_nodes()
            for node in nodes:
                parts = node.folder.name.split(SEPARATOR)
                for end in range(1, len(parts) + 1):
                    path = SEPARATOR.join(parts[:end])
                    counts[path] = counts.get(path, 0) + node.memories
            return dict(sorted(counts.items(), key=lambda pair: pair[0].casefold()))

        counts = self._keep("folders", make)
        return [Choice(path, (path, *path.split(SEPARATOR)), count=count) for path, count in counts.items()]

    def _fixed(self, key: Key, language: str) -> list[Choice]:
        """Values that the language itself has."""
        choices = []
        counts = self._facets()
        counted = {**counts.layers, **counts.statuses} if key.name in ("layer", "status", "is") else {}
        for value, others in key.values.items():
            chinese = next((each for each in others if not each.isascii()), value)
            choices.append(
                Choice(
                    chinese if language.startswith("zh") else value,
                    (value, *others),
                    text=text_of_value(key.name, value),
                    count=counted.get(value, 0) if value in _COUNTED and counted else None,
                )
            )
        return choices

    def _field_values(self, name: str) -> list[Choice]:
        """What the schema lets a person choose for a field of that name."""
        column_name = name.removeprefix("field.").casefold()
        choices = {
            choice: None
            for kind in self._schema().types
            for column in kind.field_columns
            if column.name.casefold() == column_name
            for choice in column.choices
        }
        return [Choice(choice, (choice,)) for choice in choices]

    def _with_counts(self, rows: tuple[Suggestion, ...]) -> tuple[Suggestion, ...]:
        counts = self._values().involved([row.shown for row in rows])
        return tuple(replace(row, count=counts.get(row.shown)) for row in rows)

    # --- what is kept until something changes ---

    def _keep(self, name: str, make: Callable[[], T]) -> T:
        """What was read under that name since the last change, else read now."""
        op = self._values().newest_op()
        with self._lock:
            if op != self._op:
                self._op, self._kept = op, {}
            kept = self._kept
        if name not in kept:
            kept[name] = make()
        value: T = kept[name]
        return value

    def _schema(self) -> Schema:
        def make() -> Schema:
            with self._store.read() as reader:
                return reader.schema()

        return self._keep("schema", make)

    def _known(self) -> Vocabulary:
        def make() -> Vocabulary:
            with self._store.read() as reader:
                return vocabulary(reader.schema(), reader.all_records(Folder))

        return self._keep("known", make)

    def _facets(self) -> Facets:
        def make() -> Facets:
            with self._store.read() as reader:
                return reader.facets(MemoryFilter())

        return self._keep("facets", make)


def _by_prefix(what: ValuesOf) -> bool:
    """Titles are too many to look through: they are looked up by how they begin."""
    return what is ValuesOf.RELATED


def _as_choices(values: Sequence[NamedValue]) -> list[Choice]:
    """One choice a value, in their order."""
    first: dict[str, NamedValue] = {}
    for each in values:
        first.setdefault(each.value, each)
    return [
        Choice(each.value, (each.value,), each.label, count=each.count, type=each.type)
        for each in first.values()
    ]


def _said(labels: Labels, language: str) -> str:
    return labels.get(language) or labels.get("en") or next(iter(labels.values()), "")
