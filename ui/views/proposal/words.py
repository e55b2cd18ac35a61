"""What proposals and their parts are called on screen."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain.endpoints import MANUAL
from core.domain.json_types import Json
from core.domain.proposal import (
    BUILT_IN,
    NAMES_GROUP,
    ChangePart,
    CreatePart,
    EndLinkPart,
    LinkPart,
    Part,
    PartGroup,
    PartView,
    ProposalKind,
    RetirePart,
)
from core.domain.results import Problem
from core.domain.schema import Column, ColumnRole, Schema
from ui.language import Language
from ui.views.naming import column_name, label, name_of, shorten, type_name

SOURCE_CHARS = 16
ICONS = {
    ProposalKind.EXTRACTION: "mdi6.message-text-outline",
    ProposalKind.CONFLICT: "mdi6.source-branch",
    ProposalKind.EVOLUTION: "mdi6.dna",
    ProposalKind.SYNOPSIS: "mdi6.text-long",
    ProposalKind.REFLECTION: "mdi6.head-lightbulb-outline",
    ProposalKind.COMPRESSION: "mdi6.arrow-collapse-vertical",
    ProposalKind.CONSOLIDATION: "mdi6.set-merge",
    ProposalKind.CONTRADICTION: "mdi6.not-equal-variant",
}


def proposal_title(kind: ProposalKind, args: Mapping[str, Json], tr: Language) -> str:
    """What a proposal is about."""
    one_floor = kind is ProposalKind.EXTRACTION and args.get("start") == args.get("end")
    return tr(f"proposal.{kind.value}.floor" if one_floor else f"proposal.{kind.value}", **args)


def source_name(source: str, tr: Language) -> str:
    """Who suggested it: a model by its name, or the rules built in, labelled as such."""
    if source == BUILT_IN:
        return tr("proposal.source.builtin")
    return tr("proposal.source.manual") if source == MANUAL else tr("proposal.source", name=source)


def group_title(group: PartGroup | None, number: int, tr: Language) -> str:
    """What a group was made from."""
    if group is not None and group.start is not None:
        end = group.start if group.end is None else group.end
        if end != group.start:
            return tr("proposal.group.floors", start=group.start, end=end)
        return tr("proposal.group.floor", floor=group.start)
    if group is not None and group.key == NAMES_GROUP:
        return tr("proposal.group.names")
    return tr("proposal.group.number", number=number)


def verb(view: PartView, schema: Schema, tr: Language) -> str:
    """What the part would do, in a word or two."""
    match view.part:
        case CreatePart() as part:
            kind = schema.type(part.type)
            name = type_name(kind, tr) if kind is not None else part.type
            if view.becomes_change:
                return tr("proposal.verb.join", type=name)
            return tr("proposal.verb.sum" if part.sums else "proposal.verb.create", type=name)
        case ChangePart():
            return tr("proposal.verb.change")
        case RetirePart():
            return tr("proposal.verb.retire")
        case LinkPart():
            return tr("proposal.verb.link", relation=_relation(view, schema, tr))
        case EndLinkPart():
            return tr("proposal.verb.end_link", relation=_relation(view, schema, tr))


def verb_icon(part: Part) -> tuple[str, str]:
    """Icon and colour of what the part would do."""
    match part:
        case CreatePart():
            return "mdi6.plus-circle-outline", "ok"
        case ChangePart():
            return "mdi6.pencil-outline", "accent"
        case RetirePart():
            return "mdi6.archive-outline", "warning"
        case LinkPart():
            return "mdi6.vector-line", "accent"
        case EndLinkPart():
            return "mdi6.link-variant-off", "warning"


def part_title(view: PartView, schema: Schema, tr: Language) -> str:
    """The memory it is about, or the relation."""
    if view.ends is not None:
        source, target = (name_of(title, tr) for title in view.ends)
        return tr("proposal.relation", source=source, relation=_relation(view, schema, tr), target=target)
    return shorten(name_of(view.title, tr))


def part_line(view: PartView, schema: Schema, tr: Language) -> str:
    """The title for a narrow line: both ends of a relation, the first one only as far as it must be known."""
    if view.ends is None:
        return part_title(view, schema, tr)
    source, target = (name_of(title, tr) for title in view.ends)
    made_here = isinstance(view.part, LinkPart) and isinstance(view.part.source, str)
    return f"→ {target}" if made_here else f"{shorten(source, SOURCE_CHARS)} → {target}"


def _relation(view: PartView, schema: Schema, tr: Language) -> str:
    change = next(iter(view.changes), None)
    relation = str((change.after or change.before) if change is not None else "")
    known = schema.relation(relation)
    return label(known.labels, tr.code, relation) if known is not None else relation


def state_words(view: PartView, tr: Language) -> str:
    """What was decided, or what stands in the way; "" when it simply waits."""
    if view.verdict is not None:
        return tr(f"proposal.verdict.{view.verdict.value}")
    return tr(f"proposal.obstacle.{view.obstacle.value}.short") if view.obstacle is not None else ""


def column_of(name: str, view: PartView, schema: Schema) -> Column | None:
    """The column of the memory's type that holds a value of a part."""
    kind = schema.type(view.type) if view.type is not None else None
    for column in kind.columns if kind is not None else ():
        held_in = {ColumnRole.TITLE: "title", ColumnRole.BODY: "body"}.get(column.role, column.name)
        if name == held_in:
            return column
    return None


def field_name(name: str, view: PartView, schema: Schema, tr: Language) -> str:
    """What a value of a part is called: as the memory's type says."""
    if (column := column_of(name, view, schema)) is not None:
        return column_name(column, tr)
    return tr(f"value.{name}") if tr.has(f"value.{name}") else name


def used_words(tokens: float, cost: float, tr: Language) -> list[str]:
    """What a model took, where it took something."""
    said = [tr("proposal.tokens", count=tr.number(int(tokens)))] if tokens else []
    return [*said, tr("proposal.cost", cost=f"{cost:.4f}".rstrip("0").rstrip("."))] if cost else said


def note_text(note: Problem, tr: Language) -> str:
    """A note of a part in words."""
    return tr(note.key, **note.args)
