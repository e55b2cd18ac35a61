"""The sample library as an import plan: what a newcomer opens to see the program at work.

All of its stories were made up for this program. Times are relative to now, so that the ages of its
memories look alive; everything else is the same each time. The data lie in resources/samples; see
docs/FORMATS.md for their form.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from core.adapters.sample_data import Line, SampleFolder, folders, library
from core.adapters.sample_documents import documents
from core.adapters.sample_edges import EdgeMaker
from core.adapters.sample_memories import MemoryMaker
from core.adapters.sample_times import SampleTimes
from core.domain.enums import Role, Status
from core.domain.schema import Schema
from core.domain.schema_data import default_schema
from core.domain.transfer import (
    Format,
    ImportPlan,
    PlannedDocument,
    PlannedEdge,
    PlannedFolder,
    PlannedMemo,
    PlannedMemory,
    PlannedMessage,
)

SOURCE_NAME = "sample"
DOCUMENTS = "documents"
"""The folder of the sample that holds its documents."""


def read_sample(now: datetime) -> ImportPlan:
    """The sample library, made as of `now` (aware). The same `now` gives the same plan.

    Cost: about 50 ms.
    """
    data = library()
    return _SamplePlan(now, data, default_schema()).plan()


class _SamplePlan:
    """Gathers the rows of all folders."""

    def __init__(self, now: datetime, data: Line, schema: Schema) -> None:
        self._data = data
        self._schema = schema
        self._folders = [(folder, SampleTimes(now, folder)) for folder in folders(data)]
        self._documents: list[PlannedDocument] = []
        self._memories = {memory.key: memory for memory in self._made()}

    def plan(self) -> ImportPlan:
        """All of it."""
        memories = tuple(self._memories.values())
        edges = tuple(self._edges())
        messages = tuple(message for folder in self._folders for message in _messages(*folder))
        memos = tuple(memo for folder in self._folders for memo in _memos(*folder))
        planned = tuple(_folder(folder) for folder, _ in self._folders)
        return ImportPlan(
            format=Format.SAMPLE,
            source_name=SOURCE_NAME,
            folders=planned,
            memories=memories,
            edges=edges,
            messages=messages,
            documents=tuple(self._documents),
            memos=memos,
            counts={
                "folders": len(planned),
                "memories": len(memories),
                "edges": len(edges),
                "archived": sum(memory.status is Status.ARCHIVED for memory in memories),
                "trashed": sum(memory.deleted_at is not None for memory in memories),
                "messages": len(messages),
                "documents": len(self._documents),
                "memos": len(memos),
            }
            | {f"type.{name}": n for name, n in sorted(Counter(memory.type for memory in memories).items())},
        )

    def _made(self) -> list[PlannedMemory]:
        made: list[PlannedMemory] = []
        for folder, times in self._folders:
            made += MemoryMaker(folder, times, self._schema).memories()
            if folder.directory == DOCUMENTS:
                for document, pieces in documents(folder, self._data.lines("documents"), times):
                    self._documents.append(document)
                    made += pieces
        return made

    def _edges(self) -> list[PlannedEdge]:
        maker = EdgeMaker(self._memories, Line(self._data.object("strengths")), self._schema)
        edges: list[PlannedEdge] = []
        for folder, times in self._folders:
            edges += maker.of_memories(folder)
            edges += maker.of_lines(folder, times)
        return [*edges, *maker.across(self._data.lines("cross_edges"))]


def _folder(folder: SampleFolder) -> PlannedFolder:
    return PlannedFolder(
        key=folder.directory,
        name=folder.name,
        kind=folder.kind,
        character=folder.character,
        last_processed_seq=len(folder.floors) - 1,
    )


def _messages(folder: SampleFolder, times: SampleTimes) -> list[PlannedMessage]:
    return [
        PlannedMessage(
            folder=folder.directory,
            seq=floor.seq,
            role=Role.USER if floor.name == folder.user else Role.ASSISTANT,
            name=floor.name,
            text=floor.text,
            sent_at=times.floor(floor.seq),
        )
        for floor in folder.floors
    ]


def _memos(folder: SampleFolder, times: SampleTimes) -> list[PlannedMemo]:
    return [
        PlannedMemo(
            folder=folder.directory,
            id=line.text("id"),
            stream_id=line.text("stream"),
            content=line.text("content"),
            expires_at=times.in_minutes(line.number("minutes_left")),
            created_at=times.in_minutes(-line.number("age_minutes")),
            updated_at=times.in_minutes(-line.number("age_minutes")),
        )
        for line in folder.memos
    ]
