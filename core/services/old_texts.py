"""Who still says what a memory said before: summaries over it, synopses and reflections, and texts with its old name.

Source: UI.md, "Everything about X". Own rules: a summary over a memory is out of date when the memory was edited after
it (docs/UPKEEP.md); a synopsis or reflection when it is older than the edit and holds a name, number or value that the
memory has no more; any other memory, older than a rename, as long as it holds the old title and that is no other name
of the memory. What a model or an import changes is the story going on: only its renames count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.algos.lost_details import Detail, lost_details
from core.algos.mentions import folded_names, folded_text, holds_name
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_sayings import KeepOldTexts
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import Kind, Status
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, OpId, TypeId
from core.domain.json_types import texts_of
from core.domain.memory import Memory, texts_in
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.queries_sayings import OldTextsOf
from core.domain.results import MemoryRow
from core.domain.sayings import KEPT_KEY, OldText, OldTexts, SaidChange
from core.domain.schema import ColumnFormat, MemoryType
from core.ports.store import Reader, UnitOfWork
from core.services.compress import names_around
from core.services.inject.sections import is_update_event
from core.services.lookup import memory_of, op_title, states_of
from core.services.outcome import Outcome

SYNOPSIS, REFLECTION = TypeId("synopsis"), TypeId("reflection")
MOST_CHANGES = 200
MOST_ABOVE = 20
MOST_LOOKED_AT = 2_000
MOST_NAMED = 500
SHORTEST_VALUE, LONGEST_VALUE = 2, 60
_STORY = frozenset({ApplyProposal.LABEL, ApplyImport.LABEL})


@dataclass(slots=True)
class _Old:
    """What a memory said before: words that are no more its own, each with the newest change that took it away."""

    newest: OpId
    titles: dict[str, SaidChange] = field(default_factory=dict)
    words: dict[str, SaidChange] = field(default_factory=dict)


def old_texts(reader: Reader, query: OldTextsOf) -> OldTexts:
    """See OldTextsOf. Cost: the memory's changes, what lies over it, and where it was renamed a word search."""
    memory = memory_of(reader, query.memory)
    changes = _unsettled(reader, memory)
    if not changes or memory.deleted_at is not None:
        return OldTexts(title=memory.title)
    aliases = tuple(alias.value for alias in reader.aliases_of([memory.pk]).get(memory.pk, ()))
    old = _old_things(reader, memory, aliases, changes)
    above = _over(reader, memory, old)
    above += _looking_back(reader, memory, old, {each.row.pk for each in above})
    named, more = _named(reader, memory, aliases, old, {each.row.pk for each in above})
    return OldTexts(
        above=tuple(above), named=tuple(named), old_titles=tuple(old.titles), title=memory.title, more=more
    )


def keep(uow: UnitOfWork, command: KeepOldTexts) -> Outcome:
    """Remember up to which change others may say the old thing. Errors: NotFound."""
    states_of(uow, command.memories)
    said = uow.said_at(command.memories)
    values: dict[int, Mapping[str, object]] = {
        memory.pk: {
            "extra": {**memory.extra, KEPT_KEY: int(said[memory.pk])},
            "updated_at": memory.updated_at,
        }
        for memory in uow.records(Memory, command.memories)
        if memory.extra.get(KEPT_KEY) != said[memory.pk]
    }
    changed = uow.update_each(Kind.MEMORY, values)
    titles = [op_title(memory) for memory in uow.records(Memory, command.memories[:1])]
    uow.label(count=changed, title=titles[0] if titles else "")
    return Outcome(changed=changed)


def read_together(reader: Reader, folder: FolderPk) -> frozenset[FolderPk]:
    """A folder with those it also reads from, and those that read from it: one story, one set of names."""
    found = {folder}
    for each in reader.all_records(Folder):
        if each.pk == folder:
            found.update(each.also_reads)
        elif folder in each.also_reads:
            found.add(each.pk)
    return frozenset(found)


# --- what was said -------------------------------------------------------------------------


def _unsettled(reader: Reader, memory: Memory) -> list[SaidChange]:
    kept = memory.extra.get(KEPT_KEY)
    settled = kept if isinstance(kept, int) else 0
    return [each for each in reader.said_changes(memory.pk, MOST_CHANGES) if each.op > settled]


def _old_things(
    reader: Reader, memory: Memory, aliases: Sequence[str], changes: Sequence[SaidChange]
) -> _Old:
    old = _Old(newest=changes[0].op)
    own_names = set(folded_names([memory.title, *aliases]))
    own_text = folded_text("\n".join((*texts_in(memory), *aliases)))
    edited = any(change.body_before and change.label not in _STORY for change in changes)
    names = names_around(reader, [memory.pk]) if edited else []
    texts = _texts_columns(reader.schema().type(memory.type))
    for change in changes:
        before = change.title_before
        if before and change.title_after is not None and _tells(before, own_names):
            old.titles.setdefault(before, change)
        if change.label in _STORY:
            continue
        for word in _words_before(memory, change, names, texts):
            folded = folded_text(word)
            if folded and not holds_name(own_text, [folded]):
                old.words.setdefault(word, change)
    return old


def _tells(title: str, own_names: Collection[str]) -> bool:
    """Whether an old title is no name of the memory any more, and more than a letter that stands everywhere."""
    return any(
        name not in own_names and not (len(name) == 1 and name.isascii()) for name in folded_names([title])
    )


def _texts_columns(kind: MemoryType | None) -> Callable[[str], bool]:
    """Whether a column holds words of the story: choices, numbers and times stand in no sentence."""
    said = (ColumnFormat.TEXT, ColumnFormat.LONG_TEXT, ColumnFormat.LIST)
    known = {} if kind is None else {column.name: column.format in said for column in kind.columns}
    return lambda name: known.get(name, True)


def _words_before(
    memory: Memory, change: SaidChange, names: Sequence[str], is_text: Callable[[str], bool]
) -> Iterator[str]:
    """Names and numbers of former texts, and former values of fields that are short enough to be found again."""
    if change.body_before:
        yield from _lost(change.body_before, memory.body, names)
    for name, value in change.fields_before.items():
        if change.fields_after.get(name) == value or not is_text(name):
            continue
        for text in texts_of(value):
            if len(text) > LONGEST_VALUE:
                yield from _lost(text, " ".join(texts_of(memory.fields.get(name))), names)
            elif len(text.strip()) >= SHORTEST_VALUE:
                yield text.strip()


def _lost(before: str, now: str, names: Sequence[str]) -> Iterator[str]:
    for span in lost_details(before, now, names):
        if span.kind is not Detail.NEGATION:
            yield _with_unit(before, span.start, span.end, span.kind)


def _with_unit(text: str, start: int, end: int, kind: Detail) -> str:
    """A number with what it counts: 13 alone stands in too many texts."""
    word = text[start:end].strip("《》「」“”『』")
    if kind is not Detail.NUMBER:
        return word
    rest = text[end:]
    after = (
        rest[:1] if rest and not rest[0].isascii() else " ".join(rest.split(maxsplit=1)[:1]).strip(".,;:!?")
    )
    if not after or not after[0].isalnum():
        return word
    return f"{word} {after}" if rest[:1].isspace() else f"{word}{after}"


# --- who says it ---------------------------------------------------------------------------


def _over(reader: Reader, memory: Memory, old: _Old) -> list[OldText]:
    """Summaries over it, nearest first; the nearest one that is old can be renewed, the next ones follow it."""
    chain: list[MemoryPk] = []
    at = memory.parent
    while at is not None and at not in chain and at != memory.pk and len(chain) < MOST_ABOVE:
        chain.append(at)
        parents = reader.records(Memory, [at])
        at = parents[0].parent if parents else None
    said = reader.said_at(chain)
    rows = {row.pk: row for row in reader.memory_rows(chain)}
    found: list[OldText] = []
    for pk in chain:
        row = rows.get(pk)
        if row is not None and _in_use(row) and said.get(pk, old.newest) < old.newest:
            found.append(OldText(row, renewable=not found and row.type == _type_below(reader, pk)))
    return found


def _type_below(reader: Reader, pk: MemoryPk) -> TypeId | None:
    """The type that the memories below a summary have, when it is one."""
    kinds = {state.type for state in reader.states(reader.children_of([pk])) if not state.trashed}
    return next(iter(kinds)) if len(kinds) == 1 else None


def _looking_back(reader: Reader, memory: Memory, old: _Old, known: set[MemoryPk]) -> list[OldText]:
    """Synopses of the folder, and reflections, that are older than an edit and hold what it took away."""
    words = {**old.words, **old.titles}
    if not words:
        return []
    where = MemoryFilter(
        folders=read_together(reader, memory.folder),
        types=frozenset({SYNOPSIS, REFLECTION}),
        statuses=frozenset({Status.ACTIVE}),
    )
    pks = [MemoryPk(pk) for pk in reader.memory_ids(where, Sort(SortKey.CREATED))[:MOST_LOOKED_AT]]
    pks = [pk for pk in pks if pk not in known and pk != memory.pk]
    said = reader.said_at(pks)
    found = []
    for other in reader.records(Memory, pks):
        held = _held(other, [word for word, change in words.items() if said[other.pk] < change.op])
        if held:
            found.append((other, held))
    rows = {row.pk: row for row in reader.memory_rows([other.pk for other, _ in found])}
    return [
        OldText(rows[other.pk], held, renewable=other.type == SYNOPSIS and other.folder == memory.folder)
        for other, held in found
    ]


def _held(other: Memory, words: Sequence[str]) -> tuple[str, ...]:
    text = folded_text("\n".join(texts_in(other)))
    return tuple(word for word in words if holds_name(text, folded_names([word])))


def _named(
    reader: Reader, memory: Memory, aliases: Sequence[str], old: _Old, known: set[MemoryPk]
) -> tuple[list[OldText], int]:
    """Other memories that hold an old title and are older than the rename; and how many were not looked at."""
    if not old.titles:
        return [], 0
    pks = reader.pks_naming(list(old.titles), read_together(reader, memory.folder))
    others = [pk for pk in pks if pk != memory.pk and pk not in known]
    own = folded_names([memory.title, *aliases])
    found: list[tuple[MemoryPk, tuple[str, ...]]] = []
    for other in reader.records(Memory, others[:MOST_LOOKED_AT]):
        if other.status is not Status.ACTIVE or is_update_event(other) or len(found) == MOST_NAMED:
            continue
        text = folded_text("\n".join(texts_in(other)))
        held = tuple(
            title
            for title, change in old.titles.items()
            if other.created_at < change.at and holds_name(text, folded_names([title]), own)
        )
        if held:
            found.append((other.pk, held))
    rows = {row.pk: row for row in reader.memory_rows([pk for pk, _ in found])}
    more = max(0, len(others) - MOST_LOOKED_AT)
    return [OldText(rows[pk], held) for pk, held in found if pk in rows], more


def _in_use(row: MemoryRow) -> bool:
    return not row.trashed and row.status is Status.ACTIVE
