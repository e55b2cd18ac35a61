"""Whatever is edited: a folder written back into its file says the same elsewhere, and nothing unknown is lost."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.domain import commands as c
from core.domain.commands_graph import AddEdge
from core.domain.commands_merge import MergeMemories
from core.domain.commands_transfer import ApplyImport
from core.domain.edge import lives
from core.domain.enums import Layer, TagKind
from core.domain.errors import Conflict, UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.queries_write_back import PreviewWriteBack, WriteBack
from core.domain.source_file import SourceState
from core.domain.transfer import FolderBundle
from core.ports.clock import system_clock
from tests.formats.booku_files import T0, booku, record
from tests.formats.desk import FilesDesk, edge, graph, node, rows

UNKNOWN = {"x_own": {"列": [1, None, "旧"]}}
WORDS = st.sampled_from(
    ["钟楼", "灯塔,旧船", "a | b", "# 标题\n正文", "𠮷野家", "'); DROP TABLE", "\ud83d", "e\u0301", "  "]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=3).map("\n".join)
NAMES = st.lists(st.sampled_from(["艾琳", "罗恩", "Ann", "小 艾"]), max_size=2, unique=True).map(tuple)
TAGS = st.sampled_from([TagSet(), TagSet(("夜",)), TagSet(("夜", "海"), ("核",), ("散",), ("反",))])
AT = st.integers(0, 3)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("title"), AT, WORDS),
        st.tuples(st.just("body"), AT, TEXTS),
        st.tuples(st.just("importance"), AT, st.sampled_from([0.0, 3.5, 10.0])),
        st.tuples(st.just("tags"), AT, TAGS),
        st.tuples(st.just("aliases"), AT, NAMES),
        st.tuples(st.just("visibility"), AT, NAMES),
        st.tuples(st.just("layer"), AT, st.sampled_from([Layer.INHERENT, Layer.EMERGENT, Layer.MEMORY])),
        st.tuples(st.just("archive"), AT, st.booleans()),
        st.tuples(st.just("trash"), AT, st.none()),
        st.tuples(st.just("new"), AT, TEXTS),
        st.tuples(st.just("relate"), AT, AT),
        st.tuples(st.just("merge"), AT, AT),
    ),
    max_size=6,
)


def _stbme(place: Path) -> Path:
    nodes = [
        node("n1", **UNKNOWN),
        node("n2", fields={"summary": "second", "own": {"a": 1}}, seq=2, seqRange=[1, 2], clusters=["海"]),
        node("n3", type="character", fields={"name": "艾琳", "state": "醒着"}, importance=8, **UNKNOWN),
    ]
    path = place / "graph.json"
    edges = [edge("e1", "n1", "n3", relation="involved_in", **UNKNOWN)]
    path.write_text(json.dumps(graph(*nodes, edges=edges, **UNKNOWN), ensure_ascii=False), "utf-8")
    return path


def _booku(place: Path) -> Path:
    records = [
        record("m1", relation_memory_ids='["m2"]', relation_aliases='["别名"]'),
        record("m2", bucket="inherent", activation_count=4),
        record("m3", bucket="emergent", memory_type="event"),
    ]
    tags = [("m1", kind, kind) for kind in ("core", "diffusion", "opposing")]
    path = booku(place / "metadata.db", records, tags, [])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE booku_memory_records ADD COLUMN x_own TEXT DEFAULT '旧'")
    return path


def _worldinfo(place: Path) -> Path:
    path = place / "book.json"
    entries = {
        str(uid): {
            "uid": uid,
            "key": [f"键{uid}", "/reg,ex/i"],
            "comment": f"标题{uid}",
            "content": f"内容{uid} {place.name}",
            "order": 7,
            "disable": uid == 2,
            **UNKNOWN,
        }
        for uid in range(3)
    }
    path.write_text(json.dumps({"entries": entries, **UNKNOWN}, ensure_ascii=False), "utf-8")
    return path


def _unknown_stbme(path: Path) -> bool:
    data = json.loads(path.read_text("utf-8"))
    left = [each for each in (*data["nodes"], *data["edges"]) if each["id"] in ("n1", "n3", "e1")]
    return all(each["x_own"] == UNKNOWN["x_own"] for each in (data, *left))


def _unknown_worldinfo(path: Path) -> bool:
    data = json.loads(path.read_text("utf-8"))
    left = [each for each in data["entries"].values() if each["uid"] in (0, 1, 2)]
    own = all(each["x_own"] == UNKNOWN["x_own"] for each in (data, *left))
    return own and all("/reg,ex/i" in each["key"] and each["order"] == 7 for each in left)


def _unknown_booku(path: Path) -> bool:
    left = [each for each in rows(path, "booku_memory_records") if each["memory_id"] in ("m1", "m2", "m3")]
    return all(each["x_own"] == "旧" and each["created_at"] == T0 for each in left)


@dataclass(frozen=True)
class Kind:
    """A kind of file: what of a memory it has a place for, and whether all that is unknown is still there."""

    make: Callable[[Path], Path]
    columns: tuple[str, ...]
    whole: Callable[[Path], bool]


FLOORS = ("seq", "seq_start", "seq_end", "level")
KINDS = {
    "stbme": Kind(
        _stbme,
        (
            "id",
            "type",
            "title",
            "body",
            "fields",
            "importance",
            "status",
            "visibility",
            "general",
            "edges",
            *FLOORS,
        ),
        _unknown_stbme,
    ),
    "booku": Kind(
        _booku,
        ("id", "type", "title", "body", "layer", "status", "aliases", "tags", "targets"),
        _unknown_booku,
    ),
    "worldinfo": Kind(_worldinfo, ("name", "body", "constant", "status", "aliases"), _unknown_worldinfo),
}


def _file_id(memory: Memory) -> str:
    """The id in the file; ST-BME wants our own in another form."""
    return (memory.foreign_id or memory.id).removeprefix("mem-").replace("-", "")


def said(bundle: FolderBundle, columns: Sequence[str]) -> list[str]:
    """All memories, as far as the file has a place for what they say."""
    ids = {memory.pk: _file_id(memory) for memory in bundle.memories if memory.deleted_at is None}
    now = system_clock()
    found = []
    for memory in bundle.memories:
        if memory.pk not in ids:
            continue
        tags = bundle.tags.get(memory.pk, TagSet())
        edges = sorted(
            (ids[e.target], e.relation, round(e.strength, 9))
            for e in bundle.edges
            if e.source == memory.pk and e.target in ids and lives(e, now)
        )
        more = {
            "id": ids[memory.pk],
            "name": memory.title or next(iter(bundle.aliases.get(memory.pk, ())), memory.shown_title),
            "general": tags.general,
            "tags": tuple(tags.group(kind) for kind in TagKind),
            "aliases": sorted(bundle.aliases.get(memory.pk, ())),
            "edges": edges,
            "targets": sorted({target for target, _relation, _strength in edges}),
            "constant": memory.layer is Layer.INHERENT,
            "status": memory.status.value,
        }
        if memory.type == "character" and memory.body:  # merged into one: the file has only columns
            more |= {"body": "", "fields": {**memory.fields, "summary": memory.body}}
        found.append(str({name: more.get(name, getattr(memory, name, None)) for name in columns}))
    return sorted(found)


def change(desk: FilesDesk, folder: FolderPk, edit: tuple[str, int, Any]) -> None:
    """One edit of the memory at a place; what is refused is no edit."""
    with desk.store.read() as reader:
        pks = [MemoryPk(pk) for pk in reader.memories_in(folder)]
        what, at, value = edit
        pk = pks[at % len(pks)]
        memory = reader.records(Memory, [pk])[0]
        if what in ("title", "aliases", "tags", "merge") and memory.foreign_id is None:
            return  # made here, it becomes an entry of the book in another form
        if what == "body" and memory.type == "character":
            what = "title"  # there is no place for a text
    other = pks[value % len(pks)] if what in ("relate", "merge") else pk
    command: c.Command
    match what:
        case "title" | "body" | "importance" | "tags" | "aliases" | "visibility" | "layer":
            command = c.EditMemory(memory=pk, **{what: value})
        case "archive":
            command = (c.ArchiveMemories if value else c.RestoreMemories)(memories=(pk,))
        case "trash":
            command = c.TrashMemories(memories=(pk,))
        case "new":
            command = c.CreateMemory(
                c.NewMemory(folder=folder, type=TypeId("event"), body=f"新：{value}", seq=at)
            )
        case "relate":
            command = AddEdge(source=pk, target=other, relation=RelationId("related"), strength=0.5)
        case _:
            command = MergeMemories(survivor=pk, losers=(other,))
    with suppress(UserError, Conflict):
        desk.engine.run(command)


def newest_folder(desk: FilesDesk) -> FolderPk:
    """The folder that came in last with something in it."""
    with desk.store.read() as reader:
        return max(each.pk for each in reader.all_records(Folder) if reader.memories_in(each.pk))


@pytest.fixture(scope="module")
def two_desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FilesDesk, FilesDesk, Path]]:
    place = tmp_path_factory.mktemp("any_edit")
    one, two = FilesDesk(place / "one"), FilesDesk(place / "two")
    yield one, two, place
    one.engine.close()
    two.engine.close()


_NUMBER = itertools.count()


@pytest.mark.parametrize("kind", KINDS)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(edits=EDITS)
def test_any_edit_written_back_says_the_same_elsewhere(
    kind: str, two_desks: tuple[FilesDesk, FilesDesk, Path], edits: list[tuple[str, int, Any]]
) -> None:
    written_back_and_read_again(*two_desks, kind, edits)


def written_back_and_read_again(
    one: FilesDesk, two: FilesDesk, place: Path, kind: str, edits: Sequence[tuple[str, int, Any]]
) -> None:
    known, name = KINDS[kind], f"{kind}{next(_NUMBER)}"
    directory = place / name
    directory.mkdir()
    made = known.make(directory)
    path = made.rename(made.with_name(f"{name}{made.suffix}"))

    def take(desk: FilesDesk, *, again: bool = False) -> None:
        plan = desk.plan(path)
        folders = tuple(
            replace(each, name=f"{name}-{at}") if each.into is None else each
            for at, each in enumerate(plan.folders)
        )
        desk.engine.run(ApplyImport(replace(plan, folders=folders, into_existing=again)))

    take(one)
    folder = newest_folder(one)
    for edit in edits:
        change(one, folder, edit)
    mine = said(one.bundle(folder), known.columns)
    if not mine:
        return  # an empty file is of no kind
    one.engine.ask(WriteBack(folder=folder))
    assert known.whole(path)
    preview = one.engine.ask(PreviewWriteBack(folder))
    assert (preview.state, sum(preview.totals.values()), preview.relations) == (SourceState.SAME, 0, 0)
    take(two)
    assert said(two.bundle(newest_folder(two)), known.columns) == mine
    take(one, again=True)
    assert said(one.bundle(folder), known.columns) == mine, "what was written is known again: no twins"
