"""Links between Booku rows: people by name or id, related rows by id, pieces by their document, doubles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.adapters.formats.booku_rows import EXTRA_KEY, PERSON, ReadRow
from core.adapters.formats.problems import INFO, Problems
from core.algos.titles import PIECE_MARK, document_of_piece
from core.domain.edge import DEFAULT_RELATION
from core.domain.enums import Layer
from core.domain.ids import RelationId
from core.domain.json_types import Json
from core.domain.transfer import PlannedDocument, PlannedEdge

INVOLVED_IN = RelationId("involved_in")
_PIECE_ID = re.compile(r"kb-doc-([0-9a-f]+)-\d+")


def link_rows(
    rows: Sequence[ReadRow], problems: Problems
) -> tuple[list[PlannedEdge], dict[str, dict[str, Json]]]:
    """Edges for what can be looked up, and by row key the `fields` that hold the rest.

    A person is found by person_id, title or alias when exactly one person memory fits (DESIGN §4).
    """
    people = _people(rows)
    known = {row.foreign_id: row.key for row in rows if row.foreign_id}
    edges: list[PlannedEdge] = []
    left: dict[str, dict[str, Json]] = {}
    for row in rows:
        unknown_people: list[Json] = []
        for name in row.people:
            targets = people.get(name.casefold(), set()) - {row.key}
            if len(targets) == 1:
                edges.append(_edge(row, next(iter(targets)), INVOLVED_IN, name))
            else:
                unknown_people.append(name)
        unknown_ids: list[Json] = []
        for memory_id in row.related_ids:
            target = known.get(memory_id)
            if target is None or target == row.key:
                problems.add("import.problem.related_missing", row.key, severity=INFO)
                unknown_ids.append(memory_id)
            else:
                edges.append(_edge(row, target, DEFAULT_RELATION, memory_id))
        rest: dict[str, Json] = {"related_people": unknown_people, "relation_memory_ids": unknown_ids}
        left[row.key] = {name: items for name, items in rest.items() if items}
    return edges, left


def _people(rows: Sequence[ReadRow]) -> Mapping[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.type != PERSON or row.deleted_at is not None:
            continue
        person_id = row.fields.get("person_id")
        for name in (person_id, row.title, *row.aliases):
            if isinstance(name, str) and name.strip():
                found[name.strip().casefold()].add(row.key)
    return found


def _edge(row: ReadRow, target: str, relation: RelationId, written: str) -> PlannedEdge:
    return PlannedEdge(
        source=row.key,
        target=target,
        relation=relation,
        created_at=row.created_at,
        valid_from=row.created_at,
        extra={EXTRA_KEY: {"written": written}},
    )


def documents_of(
    rows: Sequence[ReadRow], folder_of: Mapping[str, str]
) -> tuple[list[PlannedDocument], dict[str, str]]:
    """The documents whose pieces the rows are, and the document key of each piece.

    Pieces belong together by the document id inside their own id, else by folder and document title.
    """
    documents: dict[str, PlannedDocument] = {}
    document_of: dict[str, str] = {}
    for row in rows:
        by_id = _PIECE_ID.fullmatch(row.foreign_id or "")
        if row.layer is not Layer.KNOWLEDGE or (by_id is None and PIECE_MARK not in row.title):
            continue
        title = document_of_piece(row.title) or row.title
        folder = folder_of[row.key]
        key = f"doc-{by_id[1]}" if by_id else f"doc:{folder}:{title}"
        document_of[row.key] = key
        if key not in documents:
            documents[key] = PlannedDocument(key=key, folder=folder, title=title, created_at=row.created_at)
    return list(documents.values()), document_of


def note_doubles(rows: Sequence[ReadRow], problems: Problems) -> int:
    """Offer exact doubles (same title and text, outside the trash) for merging; returns the number of pairs."""
    seen: dict[tuple[str, str], str] = {}
    pairs = 0
    for row in rows:
        if row.deleted_at is not None or not (row.title or row.body):
            continue
        first = seen.setdefault((row.title, row.body.strip()), row.key)
        if first != row.key:
            pairs += 1
            problems.add("import.problem.doubles", first, row.key, severity=INFO)
            problems.append("import.problem.doubles", "pairs", [first, row.key])
    return pairs
