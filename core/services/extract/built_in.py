"""Extraction without a language model: names by count, scenes with extractive summaries, who appears in which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from core.algos.boundaries import segment_starts
from core.algos.extractive import summary, weights_of
from core.algos.lexical import search_tokens
from core.algos.names import Name, NameKind, cut_line, find_names
from core.domain.enums import Role
from core.domain.errors import Unavailable
from core.domain.folder import Message
from core.domain.ids import RelationId, TypeId
from core.domain.proposal import BUILT_IN, NAMES_GROUP, CreatePart, End, LinkPart, Part, PartGroup
from core.domain.results import Problem
from core.ports.progress import CancelToken
from core.services.extract.meaning import Meaning
from core.services.extract.shelf import Shelf

SCENE_FLOORS = 20
SHOWN_NAMES = 120
PEOPLE_IN_SCENE = 6
PLACES_IN_SCENE = 2
EVENT = TypeId("event")
INVOLVED_IN, OCCURRED_AT = RelationId("involved_in"), RelationId("occurred_at")
_TYPES = {NameKind.PERSON: TypeId("character"), NameKind.PLACE: TypeId("location")}
_TURN_CHARS = 400


@dataclass(slots=True)
class Found:
    """The groups of a proposal with their parts."""

    groups: list[PartGroup] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def built_in_parts(
    messages: Sequence[Message],
    shelf: Shelf,
    meaning: Meaning | None,
    cancel: CancelToken | None = None,
    gamma: float | None = None,
) -> Found:
    """Names above and below the cut line, then one event a scene. `gamma`: scenes end where the chat turns.

    Errors: Cancelled. An embedder that does not answer is done without.
    """
    texts = [message.text for message in messages]
    names = _names(messages, texts, shelf)
    found = Found()
    ends = _name_parts(names, texts, messages, shelf, found)
    weights = weights_of([search_tokens(text) for text in texts])
    usable = _usable(meaning, cancel)
    for number, (start, stop) in enumerate(_scenes(texts, usable, gamma, cancel), start=1):
        if cancel is not None:
            cancel.check()
        scene = _Scene(f"s{number}", messages[start:stop], range(start, stop))
        _scene_parts(scene, names, ends, weights, usable, found, cancel)
    return found


def _usable(meaning: Meaning | None, cancel: CancelToken | None) -> Meaning | None:
    if meaning is None:
        return None
    try:
        meaning.embed(["."], cancel)
    except Unavailable:
        return None
    return meaning


# --- names -------------------------------------------------------------------------------------------------


def _names(messages: Sequence[Message], texts: Sequence[str], shelf: Shelf) -> list[Name]:
    known = {each.title for each in shelf.known if each.type in _TYPES.values() and each.title}
    speakers = Counter(message.name.strip() for message in messages if message.role is not Role.USER)
    speaking = {name for name, count in speakers.items() if name and count > 1}
    names = find_names(texts, known, speaking)
    said = {name.text for name in names}
    silent = [
        Name(name, NameKind.PERSON, tuple(at for at, m in enumerate(messages) if m.name.strip() == name))
        for name in sorted(speaking - said)
    ]
    return [name for name in [*silent, *names] if name.kind in _TYPES][:SHOWN_NAMES]


def _name_parts(
    names: Sequence[Name], texts: Sequence[str], messages: Sequence[Message], shelf: Shelf, found: Found
) -> dict[str, End]:
    """A part for each name that is not there yet; those below the line have no tick. Ends by name."""
    line = cut_line(len(texts))
    ends: dict[str, End] = {}
    parts: list[Part] = []
    for name in names:
        type_id = _TYPES[name.kind]
        old = next((each for kind in _TYPES.values() if (each := shelf.named(kind, name.text))), None)
        if old is not None:
            ends[name.text] = old.end
            continue
        if shelf.schema.type(type_id) is None:
            continue
        key = f"{NAMES_GROUP}:{len(parts) + 1}"
        first, last = messages[name.places[0]].seq, messages[name.places[-1]].seq
        above = name.count >= line
        note = Problem("extract.note.count", {"count": name.count, "first": first}, "info")
        parts.append(
            CreatePart(
                key=key,
                group=NAMES_GROUP,
                ticked=above,
                notes=(note,),
                type=type_id,
                title=name.text,
                seq=last,
                seq_start=first,
                seq_end=last,
                source=BUILT_IN,
            )
        )
        if above:
            ends[name.text] = key
    if parts:
        cut = Problem("extract.note.cut_line", {"count": line}, "info")
        said = (cut,) if any(not part.ticked for part in parts) else ()
        found.groups.append(PartGroup(key=NAMES_GROUP, problems=said))
        found.parts += parts
    return ends


# --- scenes ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scene:
    """Neighbouring messages; `places` are theirs among all messages."""

    key: str
    messages: Sequence[Message]
    places: range


def _scenes(
    texts: Sequence[str], meaning: Meaning | None, gamma: float | None, cancel: CancelToken | None
) -> list[tuple[int, int]]:
    """Runs of about SCENE_FLOORS messages; with `gamma` they end where the meaning turns, if that is near."""
    size = len(texts)
    if not size:
        return []
    count = max(1, round(size / SCENE_FLOORS))
    cuts = [round(size * at / count) for at in range(1, count)]
    if gamma is not None and meaning is not None:
        starts = np.array(
            segment_starts(meaning.embed([text[:_TURN_CHARS] for text in texts], cancel), gamma)
        )
        near = SCENE_FLOORS // 3
        cuts = [
            int(starts[np.abs(starts - cut).argmin()]) if np.abs(starts - cut).min() <= near else cut
            for cut in cuts
        ]
    bounds = sorted({0, *cuts, size})
    return list(pairwise(bounds))


def _scene_parts(
    scene: _Scene,
    names: Sequence[Name],
    ends: dict[str, End],
    weights: dict[str, float],
    meaning: Meaning | None,
    found: Found,
    cancel: CancelToken | None,
) -> None:
    texts = [message.text for message in scene.messages]
    embed = None if meaning is None else lambda each: meaning.embed(each, cancel)
    body = summary(texts, weights, embed)
    group = PartGroup(key=scene.key, start=scene.messages[0].seq, end=scene.messages[-1].seq, runs=1)
    found.groups.append(group)
    if not body:
        return
    here = _present(scene, names, ends)
    people = [name for name in here if name.kind is NameKind.PERSON][:PEOPLE_IN_SCENE]
    places = [name for name in here if name.kind is NameKind.PLACE][:PLACES_IN_SCENE]
    event = CreatePart(
        key=f"{scene.key}:e",
        group=scene.key,
        notes=(Problem("extract.note.extractive", {}, "info"),),
        type=EVENT,
        body=body,
        fields={"participants": ", ".join(name.text for name in people)} if people else {},
        seq=group.end,
        seq_start=group.start,
        seq_end=group.end,
        source=BUILT_IN,
    )
    found.parts.append(event)
    for number, name in enumerate([*people, *places], start=1):
        found.parts.append(
            LinkPart(
                key=f"{scene.key}:l{number}",
                group=scene.key,
                source=event.key,
                target=ends[name.text],
                relation=INVOLVED_IN if name.kind is NameKind.PERSON else OCCURRED_AT,
                floor=group.end,
            )
        )


def _present(scene: _Scene, names: Sequence[Name], ends: dict[str, End]) -> list[Name]:
    """Names above the line that stand in the scene, the ones most spoken of there first; each memory once."""
    counted = [
        (sum(place in scene.places for place in name.places), name) for name in names if name.text in ends
    ]
    first: dict[End, Name] = {}
    for count, name in sorted(counted, key=lambda each: -each[0]):
        if count:
            first.setdefault(ends[name.text], name)
    return list(first.values())
