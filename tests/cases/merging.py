"""Scenarios of doubles and merging: the same text again, two nodes made one, a name deleted and met again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from app.library import Library
from core.booku import BookuMemoryService
from core.domain.commands import CreateMemory, NewMemory, TrashMemories
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge, EndEdges
from core.domain.commands_merge import MergeMemories
from core.domain.edge import Edge
from core.domain.enums import Status
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import Memory
from core.domain.queries import ListMemories, Memories, MemoryFilter, TrashScope
from core.domain.queries_history import VersionsOf
from core.domain.queries_index import Verify
from core.engine import Engine
from tests.cases.desk import new_library
from tests.services.desk import dump_rows

STRENGTH_SHARE = 0.1
"""Weights of a scenario are whole numbers, strengths lie between 0 and 1."""


def exact_duplicates(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """The same text several times: one memory, told to be there already."""
    with closing(new_library(work)) as library:
        service = BookuMemoryService(library.engine)
        answers = [
            asyncio.run(service.upsert_memory(content=text, folder_id="one")) for text in scenario["adds"]
        ]
        memories = _memories(library.engine)
    ids = {answer["id"] for answer in answers}
    found = {
        "active": sum(memory.status is Status.ACTIVE for memory in memories),
        "created": sum(answer["mode"] == "created" for answer in answers),
        "unchanged": sum(answer["mode"] == "merged" and not answer["changed"] for answer in answers),
        "deleted": sum(memory.deleted_at is not None for memory in memories),
    }
    faults = _faults(found, checks)
    return faults if len(ids) == 1 else [*faults, f"several ids: {ids}"]


def unrelated_texts(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """Texts that have little to do with each other: none takes the place of another, each has its history."""
    with closing(new_library(work)) as library:
        service = BookuMemoryService(library.engine)
        for text in scenario["adds"]:
            asyncio.run(service.upsert_memory(content=text, folder_id="one"))
        memories = _memories(library.engine)
        versions = [library.engine.ask(VersionsOf(memory.pk)) for memory in memories]
    bodies = {memory.body or memory.title for memory in memories}
    found = {
        "active": sum(memory.status is Status.ACTIVE for memory in memories),
        "texts": [text for text in scenario["adds"] if text in bodies],
        "history_kept": all(versions),
    }
    return _faults(found, checks)


def merge_nodes(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """One node into another: relations end at the survivor, doubles become one, undo gives the start back."""
    with closing(new_library(work)) as library:
        engine = library.engine
        folder = engine.run(CreateFolder("graph")).created_folder
        assert folder is not None
        nodes = {name.split()[0]: _node(engine, folder, name) for name in scenario["nodes"]}
        for _, source, target, relation, weight, *_ in scenario["edges"]:
            _relate(engine, nodes[source], nodes[target], relation, weight)
        before = dump_rows(library.files.database)
        _, loser, survivor = scenario["op"]
        result = engine.run(MergeMemories(survivor=nodes[survivor], losers=(nodes[loser],)))
        edges = _edges(library, list(nodes.values()))
        gone = engine.ask(Memories((nodes[loser],)))[0]
        doubled = [e for e in edges if e.strength > 0 and "merged_edges" in e.extra]
        found = {
            "edges_after": len(edges),
            "weight_lives_in": round(doubled[0].strength / STRENGTH_SHARE) if doubled else None,
            "self_loops": sum(edge.source == edge.target for edge in edges),
        }
        faults = _faults(found, {name: value for name, value in checks.items() if name != "undo_diff"})
        if gone.merged_into != nodes[survivor] or gone.status is not Status.ARCHIVED:
            faults.append("the loser is not archived, or does not lead to the survivor")
        if any(nodes[loser] in (edge.source, edge.target) for edge in edges):
            faults.append("a relation still ends at the loser")
        assert result.op is not None
        engine.undo()
        if dump_rows(library.files.database) != before:
            faults.append("undo does not give the start back")
        return faults


def delete_leak(scenario: Mapping[str, Any], checks: Mapping[str, Any], work: Path) -> list[str]:
    """A name that is deleted and comes again has only its new source."""
    with closing(new_library(work)) as library:
        engine = library.engine
        folder = engine.run(CreateFolder("docs")).created_folder
        assert folder is not None
        for step in scenario["steps"]:
            match step:
                case ["ingest", document, names]:
                    for name in names:
                        _from_document(engine, folder, name, document)
                case ["delete_entity", name]:
                    pks = tuple(m.pk for m in _memories(engine) if m.title == name)
                    engine.run(TrashMemories(memories=pks))
        entity = next(m for m in _memories(engine) if m.type == "location")
        edges = _edges(library, [entity.pk])
        ends = {end for edge in edges for end in (edge.source, edge.target)} - {entity.pk}
        sources = sorted(m.title for m in engine.ask(Memories(tuple(ends))))
        problems = engine.ask(Verify()).problems
        return _faults({"sources": sources, "diff": len(problems)}, checks)


def _from_document(engine: Engine, folder: FolderPk, name: str, document: str) -> None:
    piece = engine.run(
        CreateMemory(NewMemory(folder=folder, type=TypeId("knowledge"), title=document, body=name))
    ).created[0]
    entity = engine.run(
        CreateMemory(NewMemory(folder=folder, type=TypeId("location"), title=name, source=document))
    ).created[0]
    _relate(engine, piece, entity, "related", 5)


def _node(engine: Engine, folder: FolderPk, name: str) -> MemoryPk:
    _, _, title = name.partition(" ")
    new = NewMemory(folder=folder, type=TypeId("location"), title=title or name)
    return engine.run(CreateMemory(new)).created[0]


def _relate(engine: Engine, source: MemoryPk, target: MemoryPk, relation: str, weight: float) -> None:
    known = {"contradicts": "contradicts", "lives_in": "occurred_at", "visits": "involved_in"}
    command = AddEdge(
        source=source,
        target=target,
        relation=RelationId(known.get(relation, "related")),
        strength=weight * STRENGTH_SHARE,
    )
    pk = engine.run(command).created_edge
    assert pk is not None
    if relation == "ended_rel":
        engine.run(EndEdges(edges=(pk,)))


def _memories(engine: Engine) -> list[Memory]:
    everywhere = MemoryFilter(trash=TrashScope.OUTSIDE)
    return list(engine.ask(Memories(tuple(MemoryPk(pk) for pk in engine.ask(ListMemories(everywhere))))))


def _edges(library: Library, pks: list[MemoryPk]) -> list[Edge]:
    with library.store.read() as reader:
        return reader.edges_touching(pks)


def _faults(found: Mapping[str, object], checks: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {found.get(name)!r} instead of {wanted!r}"
        for name, wanted in checks.items()
        if found.get(name) != wanted
    ]
