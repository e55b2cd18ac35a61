"""Merge a new text into a memory that says nearly the same (DESIGN §5, upsert_memory)."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.commands import MergeIntoMemory, MergePolicy
from core.domain.enums import Kind, Status, StatusReason
from core.domain.errors import Conflict, Invalid
from core.domain.memory import Memory, TagSet
from core.domain.tags import check_triple, clean
from core.ports.store import UnitOfWork
from core.services import content
from core.services.links import INVOLVED_IN, RELATED, set_links
from core.services.lookup import changeable, folder_of, follow_merged, memory_of
from core.services.memories import built
from core.services.merge_values import narrower
from core.services.outcome import Outcome

DEFAULT_TYPE = "knowledge"
"""The type of a text for which none was named: it says nothing against the type that is there."""


def merge_into(uow: UnitOfWork, command: MergeIntoMemory) -> Outcome:
    """The new text in place of the old, which stays as a version; tags, aliases and relations by policy.

    Errors: NotFound, Invalid (also when nobody may see both), UserError (locked), Conflict (revision).
    """
    if command.policy is MergePolicy.ASK:
        raise Invalid("error.upsert.ask")
    pk = follow_merged(uow, [command.target])[command.target]
    changeable(uow, [pk])
    old = memory_of(uow, pk)
    if command.expected_revision is not None and old.revision != command.expected_revision:
        raise Conflict("error.memory.changed", [pk], title=old.named)
    union = command.policy is MergePolicy.UNION
    new = built(uow, command.memory)
    tags = clean(command.memory.tags)
    names = content.clean_names(command.memory.aliases)
    if union:
        tags = _united(uow.tag_sets([pk])[pk], tags)
        names = _both((alias.value for alias in uow.aliases_of([pk]).get(pk, ())), names)
    else:
        folder_of(uow, new.folder)
    check_triple(tags)
    columns = _united_columns(old, new) if union else _replaced_columns(new)
    if all(getattr(old, name) == value for name, value in columns.items() if name != "novelty"):
        del columns["novelty"]  # the same once more says nothing about how new it was
    uow.update(Kind.MEMORY, [pk], columns)
    uow.replace_tags({pk: tags})
    uow.replace_aliases({pk: names})
    set_links(uow, pk, RELATED, command.memory.related, keep=union)
    set_links(uow, pk, INVOLVED_IN, command.memory.people, keep=union)
    uow.label(count=1, title=new.named)
    return Outcome(changed=1)


def _united_columns(old: Memory, new: Memory) -> dict[str, object]:
    """The new text and what it fills in, for those who may see both; where it lies stays."""
    fields = {
        **old.fields,
        **{name: value for name, value in new.fields.items() if not content.is_empty(value)},
    }
    return {
        "title": new.title or old.title,
        "body": new.body or old.body,
        "fields": fields,
        "type": old.type if new.type == DEFAULT_TYPE else new.type,
        "novelty": new.novelty,
        "visibility": narrower((old, new)),
        **_status(new.status),
    }


def _replaced_columns(new: Memory) -> dict[str, object]:
    names = (
        "title",
        "body",
        "fields",
        "type",
        "novelty",
        "folder",
        "layer",
        "source",
        "visibility",
        "importance",
    )
    return {**{name: getattr(new, name) for name in names}, **_status(new.status)}


def _status(status: Status) -> dict[str, object]:
    """A text that is said again is in use again, unless the call says otherwise."""
    return {"status": status, "status_reason": None if status is Status.ACTIVE else StatusReason.BY_HAND}


def _united(old: TagSet, new: TagSet) -> TagSet:
    return TagSet(
        general=_both(old.general, new.general),
        core=_both(old.core, new.core),
        diffusion=_both(old.diffusion, new.diffusion),
        opposing=_both(old.opposing, new.opposing),
    )


def _both(old: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*old, *new]))
