"""Packages of whole libraries: written, checked, taken in, and written again with the same bytes."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.adapters.packages.rows import write_record
from core.adapters.sample import read_sample
from core.domain.chat import chat_of
from core.domain.commands import ChangeTags, CreateMemory, EditMemory, NewMemory, TrashMemories
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge, PinMemories
from core.domain.commands_recall import SaveRecallCases
from core.domain.commands_schema import SaveMemoryType
from core.domain.commands_search import SaveSearch
from core.domain.commands_transfer import ApplyImport
from core.domain.edge import Edge
from core.domain.enums import Layer, Role, Status, StatusReason
from core.domain.errors import BadFile, Cancelled, Invalid, UserError
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import Memory, TagSet
from core.domain.package import Collision, PackageReport
from core.domain.queries import FolderByName, Folders, LibrarySchema, Memories, MemoryFilter, ResolveMemories
from core.domain.queries_packages import ExportLibrary, VerifyPackage
from core.domain.queries_transfer import ExportFolder, ExportMemories
from core.domain.recall import RecallCase
from core.domain.results import OpResult
from core.domain.saved_search import SavedSearch
from core.domain.schema import ColumnRole, MemoryType, RelationType
from core.domain.transfer import (
    Format,
    ImportPlan,
    PlannedBranch,
    PlannedEdge,
    PlannedFolder,
    PlannedMemo,
    PlannedMemory,
    PlannedMessage,
)
from core.store.packed_rows import keep_hashed
from tests.formats.desk import Desks, FilesDesk

NOW = datetime(2026, 3, 4, 5, 6, 7, 891011, tzinfo=UTC)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A package with everything in it."""
    desk = FilesDesk(tmp_path_factory.mktemp("whole"))
    yield _out(_filled(desk))
    desk.engine.close()


@pytest.fixture
def sample(desks: Desks) -> FilesDesk:
    """A library with everything that a package holds."""
    return _filled(desks("sample"))


def _filled(desk: FilesDesk) -> FilesDesk:
    desk.engine.run(ApplyImport(read_sample(NOW)))
    with desk.store.read() as reader:
        pks = [MemoryPk(pk) for folder in reader.all_records(Folder) for pk in reader.memories_in(folder.pk)]
        folder = reader.all_records(Folder)[0].pk
    desk.engine.run(PinMemories(key="force:all", places=((pks[0], 1.25, -3.5),)))
    desk.engine.run(PinMemories(key=f"force:{folder}/", places=((pks[0], 0.1, 0.2),)))
    case = RecallCase(name="who", folder=folder, message="who sings?", expected=(pks[0], pks[1]))
    desk.engine.run(SaveRecallCases(cases=(case, replace(case, name="all", folder=None))))
    desk.engine.run(SaveSearch("nights", MemoryFilter(text="type:event night", language=True)))
    _add_vectors(desk, pks[:40])
    return desk


def _add_vectors(desk: FilesDesk, pks: list[MemoryPk]) -> None:
    with desk.store._database.writing() as connection:
        hashes = connection.exec_driver_sql(
            f"SELECT text_hash FROM memory WHERE pk IN ({','.join(map(str, pks))})"
        )
        rows = [(row[0], bytes(4 * 3) + row[0].encode()[:4]) for row in hashes]
        assert keep_hashed(connection, "model|4|x", rows)


def _members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist() if name != "manifest.json"}


def _out(desk: FilesDesk, name: str = "out.mcz") -> Path:
    path = desk.root / name
    desk.engine.ask(ExportLibrary(path, overwrite=True))
    return path


def _take(desk: FilesDesk, path: Path, collision: Collision | None = None) -> OpResult:
    plan = desk.plan(path)
    return desk.engine.run(ApplyImport(plan if collision is None else replace(plan, collision=collision)))


def _check(desk: FilesDesk, path: Path) -> PackageReport:
    return desk.engine.ask(VerifyPackage(path))


# --- round trips --------------------------------------------------------------------------------


def test_package_into_an_empty_library_comes_out_with_equal_members(sample: FilesDesk, desks: Desks) -> None:
    first = _out(sample)
    other = desks("other")
    result = _take(other, first)
    assert _members(_out(other)) == _members(first)
    assert result.counts["memories"] == 370
    assert result.counts["vectors"] == 40
    names = set(_members(first))
    assert {"pins.jsonl", "recall_cases.jsonl", "vectors/0.npy", "vectors/0.jsonl"} <= names
    assert b"type:event night" in _members(first)["saved_searches.jsonl"]
    assert len(_members(first)["pins.jsonl"].splitlines()) == 2


def test_nul_in_a_name_of_those_who_may_see_it_goes_out_and_in(desks: Desks) -> None:
    one, other = desks("one"), desks("other")
    folder = one.engine.run(CreateFolder("a")).created_folder
    assert folder is not None
    new = NewMemory(folder=folder, type=TypeId("event"), body="b", visibility=("a\x00b", "艾琳"))
    pk = one.engine.run(CreateMemory(new)).created[0]
    assert one.engine.ask(Memories((pk,)))[0].visibility == ("a\\u0000b", "艾琳")
    first = _out(one)
    _take(other, first)
    assert _members(_out(other)) == _members(first)


def test_import_of_a_package_is_one_change_that_can_be_undone(sample: FilesDesk, desks: Desks) -> None:
    other = desks("other")
    empty = _members(_out(other, "empty.mcz"))
    _take(other, _out(sample))
    other.engine.undo()
    assert _members(_out(other)) == empty
    other.engine.redo()
    assert len(_members(_out(other))["memories.jsonl"].splitlines()) == 370


def test_package_once_more_changes_nothing(sample: FilesDesk) -> None:
    path = _out(sample)
    plan = sample.plan(path)
    assert (plan.counts["already_there"], plan.counts["differing"]) == (370, 0)
    for collision in (Collision.MINE, Collision.THEIRS):
        assert _take(sample, path, collision).op is None
    assert _members(_out(sample, "again.mcz")) == _members(path)


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)).map(lambda t: t.replace(tzinfo=UTC))  # noqa: DTZ001 - Hypothesis takes bounds without a zone
_FLOORS = st.none() | st.integers(0, 10**6)
_JSON = st.dictionaries(_TEXTS, st.none() | st.booleans() | st.integers(-(2**40), 2**40) | _TEXTS, max_size=3)


@st.composite
def _plans(draw: st.DrawFn) -> ImportPlan:
    count = draw(st.integers(1, 5))
    folders = [
        PlannedFolder(key=f"f{n}", name=name, extra=draw(_JSON), last_processed_seq=draw(st.integers(-1, 9)))
        for n, name in enumerate(("default", "聊天/一", "c"))
    ]
    memories = [
        PlannedMemory(
            key=str(n),
            folder=f"f{draw(st.integers(0, 2))}",
            foreign_id=draw(st.none() | st.just(f"foreign {n}")),
            type=draw(st.sampled_from(("event", "character", "rule"))),  # type: ignore[arg-type]
            layer=draw(st.sampled_from(Layer)),
            status=draw(st.sampled_from(Status)),
            status_reason=draw(st.none() | st.sampled_from(StatusReason)),
            title=draw(_TEXTS),
            body=draw(_TEXTS),
            fields=draw(_JSON),
            importance=draw(st.floats(0, 10)),
            novelty=draw(st.floats(0, 1)),
            activation_count=draw(st.integers(0, 99)),
            last_activated_at=draw(st.none() | _TIMES),
            seq=draw(_FLOORS),
            seq_start=draw(_FLOORS),
            seq_end=draw(_FLOORS),
            level=draw(st.integers(0, 3)),
            parent=draw(st.none() | st.integers(0, count - 1).map(str)),
            merged_into=draw(st.none() | st.integers(0, count - 1).map(str)),
            visibility=tuple(draw(st.lists(_TEXTS, max_size=2))),
            locked=draw(st.booleans()),
            source=draw(_TEXTS),
            created_at=draw(_TIMES),
            updated_at=draw(_TIMES),
            deleted_at=draw(st.none() | _TIMES),
            tags=TagSet(tuple(draw(st.lists(_TEXTS, max_size=2, unique=True)))),
            aliases=tuple(draw(st.lists(_TEXTS, max_size=2, unique=True))),
            extra=draw(_JSON),
        )
        for n in range(count)
    ]
    memories = [
        replace(m, parent=m.parent if m.parent != m.key else None,
                merged_into=m.merged_into if m.merged_into != m.key else None)
        for m in memories
    ]  # fmt: skip
    edges = [
        PlannedEdge(
            source="0",
            target=str(n),
            relation=draw(st.sampled_from(("related", "updates"))),  # type: ignore[arg-type]
            strength=draw(st.floats(0, 1)),
            created_at=draw(_TIMES),
            valid_from=draw(st.none() | _TIMES),
            invalid_from=draw(st.none() | _TIMES),
            ended_seq=draw(_FLOORS),
            extra=draw(_JSON),
        )
        for n in range(1, count)
    ]
    messages = [
        PlannedMessage(
            folder=f"f{draw(st.integers(0, 2))}", seq=n, role=draw(st.sampled_from(Role)), text=draw(_TEXTS),
            sent_at=draw(st.none() | _TIMES), hidden=draw(st.booleans()), extra=draw(_JSON),
        )
        for n in range(draw(st.integers(0, 3)))
    ]  # fmt: skip
    memo = PlannedMemo(
        folder="f0", id="memo-1", content=draw(_TEXTS), expires_at=NOW, created_at=NOW, updated_at=NOW
    )
    return ImportPlan(
        format=Format.BOOKU,
        source_name="made",
        folders=tuple(folders),
        memories=tuple(memories),
        edges=tuple(edges),
        messages=messages,
        memos=(memo,),
    )


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=_plans())
def test_any_library_goes_out_and_in_without_loss(
    plan: ImportPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("round")
    one, other = FilesDesk(root / "one"), FilesDesk(root / "other")
    try:
        one.engine.run(ApplyImport(replace(plan, into_existing=True)))
        first = _out(one)
        assert _check(one, first).whole
        _take(other, first)
        assert _members(_out(other)) == _members(first)
    finally:
        one.engine.close()
        other.engine.close()


@pytest.mark.parametrize(
    ("kind", "left_out"),
    [
        (Memory, {"pk"}),
        (Edge, {"pk"}),
        (Folder, {"pk", "also_reads"}),
        (Document, {"pk"}),
        (Message, {"pk"}),
        (Memo, {"pk"}),
        (NotDuplicate, {"pk"}),
        (MemoryType, {"pk"}),
        (RelationType, {"pk"}),
        (RecallCase, {"pk", "expected"}),
        (SavedSearch, {"pk"}),
    ],
)
def test_every_column_of_a_record_has_its_place_in_a_row(kind: type, left_out: set[str]) -> None:
    from core.adapters.packages.rows import _table

    assert {item.name for item in fields(kind)} - set(_table(kind)) == left_out
    assert callable(write_record)


# --- parts of a library -------------------------------------------------------------------------


def test_folder_of_a_package_brings_relations_back_to_what_stayed(sample: FilesDesk) -> None:
    folder = sample.engine.ask(FolderByName("documents"))
    assert folder is not None
    path = sample.root / "part.mcz"
    report = sample.engine.ask(ExportFolder(folder=folder.pk, format=Format.MCZ, path=path))
    assert {"memories", "documents"} <= report.counts.keys()
    assert report.counts["folders"] == 1
    assert _check(sample, path).whole
    before = _members(_out(sample, "before.mcz"))
    assert _take(sample, path).op is None
    assert _members(_out(sample, "after.mcz")) == before


def test_branch_without_its_parent_takes_the_shared_floors_along(desks: Desks) -> None:
    desk, other = desks("one"), desks("other")
    messages = [PlannedMessage(folder="p", seq=n, role=Role.USER, text=f"floor {n}") for n in range(4)]
    parent = desk.engine.run(
        ApplyImport(
            ImportPlan(
                format=Format.CHAT, source_name="p", memories=(), messages=messages,
                folders=(PlannedFolder(key="p", name="parent"),),
            )
        )
    ).created_folder  # fmt: skip
    assert parent is not None
    branch = [PlannedMessage(folder="b", seq=n, role=Role.USER, text=f"other {n}") for n in range(4)]
    planned = PlannedFolder(key="b", name="branch", branch=PlannedBranch(parent, 2))
    made = desk.engine.run(
        ApplyImport(
            ImportPlan(format=Format.CHAT, source_name="b", memories=(), messages=branch, folders=(planned,))
        )
    ).created_folder
    assert made is not None
    path = desk.root / "branch.mcz"
    desk.engine.ask(ExportFolder(folder=made, format=Format.MCZ, path=path))
    _take(other, path)
    alone = other.engine.ask(FolderByName("branch"))
    assert alone is not None
    assert "branch" not in chat_of(alone)
    with other.store.read() as reader:
        texts = [message.text for message in reader.messages_of(alone.pk)]
    assert texts == ["floor 0", "floor 1", "other 2", "other 3"]

    both = _out(desk)
    third = desks("third")
    _take(third, both)
    assert _members(_out(third)) == _members(both)


def test_chosen_memories_go_out_with_the_relations_between_them(sample: FilesDesk, desks: Desks) -> None:
    with sample.store.read() as reader:
        edge = reader.records(Edge, range(1, 5))[0]
    path = sample.root / "two.mcz"
    report = sample.engine.ask(ExportMemories((edge.source, edge.target), Format.MCZ, path))
    assert report.counts["memories"] == 2
    assert report.counts["edges"] >= 1
    assert "messages" not in report.counts
    other = desks("other")
    assert _take(other, path).counts["memories"] == 2


# --- what is here already -----------------------------------------------------------------------


def _one(desk: FilesDesk) -> MemoryPk:
    folder = desk.engine.ask(FolderByName("a"))
    pk = None if folder is None else folder.pk
    if pk is None:
        pk = desk.engine.run(CreateFolder("a")).created_folder
    assert pk is not None
    new = NewMemory(folder=pk, type=TypeId("event"), body="mine")
    return desk.engine.run(CreateMemory(new)).created[0]


def _bodies(desk: FilesDesk) -> list[str]:
    lines = _members(_out(desk, "state.mcz"))["memories.jsonl"].splitlines()
    return sorted(json.loads(line)["body"] for line in lines)


def _edited(desks: Desks) -> tuple[FilesDesk, MemoryPk, Path]:
    """A library whose memory was changed after it was written to a package."""
    desk = desks("edited")
    pk = _one(desk)
    desk.engine.run(ChangeTags(memories=(pk,), add=("old",)))
    path = _out(desk)
    desk.engine.run(EditMemory(memory=pk, body="changed since"))
    desk.engine.run(ChangeTags(memories=(pk,), add=("new",)))
    return desk, pk, path


def test_keep_mine_leaves_what_differs(desks: Desks) -> None:
    desk, _, path = _edited(desks)
    plan = desk.plan(path)
    assert (plan.counts["differing"], plan.collision) == (1, Collision.MINE)
    assert [problem.key for problem in plan.problems] == ["import.problem.package_differs"]
    assert _take(desk, path, Collision.MINE).op is None
    assert _bodies(desk) == ["changed since"]


def test_take_theirs_replaces_text_and_tags_and_undo_brings_mine_back(desks: Desks) -> None:
    desk, pk, path = _edited(desks)
    result = _take(desk, path, Collision.THEIRS)
    assert result.counts["replaced"] == 1
    assert _bodies(desk) == ["mine"]
    with desk.store.read() as reader:
        assert reader.tag_sets([pk])[pk].general == ("old",)
    desk.engine.undo()
    assert _bodies(desk) == ["changed since"]


def test_both_keeps_the_packages_beside_mine_in_a_folder_of_its_own(desks: Desks) -> None:
    desk, _, path = _edited(desks)
    result = _take(desk, path, Collision.BOTH)
    assert result.counts["memories"] == 1
    assert _bodies(desk) == ["changed since", "mine"]
    assert desk.engine.ask(FolderByName("a (2)")) is not None


def test_relations_between_old_and_new_memories_come_in_once(desks: Desks) -> None:
    desk = desks("one")
    first, second = _one(desk), _one(desk)
    desk.engine.run(AddEdge(source=first, target=second, relation=RelationId("related")))
    path = _out(desk)
    desk.engine.run(TrashMemories(memories=(second,)))
    for collision, edges in ((Collision.MINE, 1), (Collision.THEIRS, 1), (Collision.BOTH, 2)):
        _take(desk, path, collision)
        assert len(_members(_out(desk, "e.mcz"))["edges.jsonl"].splitlines()) == edges


# --- damage -------------------------------------------------------------------------------------


def _rewritten(
    desk: FilesDesk, path: Path, change: Callable[[str, bytes], bytes | None], *extra: tuple[str, bytes]
) -> Path:
    """The package with changed members and a manifest that knows nothing of it."""
    target = desk.root / "changed.mcz"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)
        for name, data in extra:
            new.writestr(name, data)
    return target


def _manifest(**values: object) -> Callable[[str, bytes], bytes]:
    def change(name: str, data: bytes) -> bytes:
        return json.dumps({**json.loads(data), **values}).encode() if name == "manifest.json" else data

    return change


def test_every_damaged_member_is_named_and_nothing_is_imported(desk: FilesDesk, whole: Path) -> None:
    path = whole
    for name in _members(path):
        if not _members(path)[name]:
            continue

        def cut(each: str, data: bytes, name: str = name) -> bytes:
            return data[:-3] + b"x\n" if each == name else data

        bad = _rewritten(desk, path, cut)
        report = _check(desk, bad)
        assert not report.whole, name
        assert report.problems[0].args["member"] == name
        with pytest.raises(BadFile):
            _take(desk, bad)
        assert desk.engine.ask(Folders()) == ()


def test_missing_member_is_named(desk: FilesDesk, whole: Path) -> None:
    path = whole
    bad = _rewritten(desk, path, lambda name, data: None if name == "edges.jsonl" else data)
    report = _check(desk, bad)
    assert [problem.key for problem in report.problems if problem.severity == "error"] == [
        "error.package.member_missing"
    ]


def test_numbers_that_lie_are_named(desk: FilesDesk, whole: Path) -> None:
    bad = _rewritten(desk, whole, _manifest(counts={"memories": 5}))
    assert [problem.key for problem in _check(desk, bad).problems] == ["package.problem.counts"]


def test_newer_package_is_refused_in_words(desk: FilesDesk, whole: Path) -> None:
    bad = _rewritten(desk, whole, _manifest(version=2, program="memory-curator 9"))
    with pytest.raises(BadFile) as caught:
        desk.plan(bad)
    assert caught.value.key == "error.package.newer"
    assert caught.value.text_args["version"] == 2


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/passwd", "C:\\evil", "a/../../b"])
def test_names_that_escape_are_refused(desk: FilesDesk, whole: Path, name: str) -> None:
    bad = _rewritten(desk, whole, lambda _name, data: data, (name, b"x"))
    with pytest.raises(BadFile) as caught:
        desk.plan(bad)
    assert caught.value.key == "error.package.escapes"


def test_bomb_is_refused_before_it_is_unpacked(desk: FilesDesk, whole: Path) -> None:
    bad = _rewritten(desk, whole, lambda name, data: bytes(40 << 20) if name == "memos.jsonl" else data)
    with pytest.raises(BadFile) as caught:
        _check(desk, bad)
    assert caught.value.key == "error.package.bomb"


def test_cut_off_package_and_other_archives_are_told_apart(
    desk: FilesDesk, whole: Path, tmp_path: Path
) -> None:
    path = whole
    cut = tmp_path / "cut.mcz"
    cut.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(BadFile) as caught:
        desk.plan(cut)
    assert caught.value.key == "error.package.damaged"
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as package:
        package.writestr("manifest.json", "{}")
    with pytest.raises(BadFile) as caught:
        desk.plan(other)
    assert caught.value.key == "error.file.is_archive"
    with pytest.raises(BadFile) as caught:
        _check(desk, other)
    assert caught.value.key == "error.package.none"


def test_package_is_not_written_over_anything_unasked(sample: FilesDesk) -> None:
    path = _out(sample)
    with pytest.raises(UserError) as caught:
        sample.engine.ask(ExportLibrary(path))
    assert caught.value.key == "error.export.exists"
    with pytest.raises(UserError) as caught:
        sample.engine.ask(ExportLibrary(path, Format.STBME))
    assert caught.value.key == "error.export.not_library"


def test_times_of_a_package_keep_their_microseconds(desks: Desks) -> None:
    desk, other = desks("one"), desks("two")
    planned = PlannedMemory(
        key="m", folder="f", foreign_id="x", type="event", body="b", created_at=NOW,  # type: ignore[arg-type]
        updated_at=NOW + timedelta(microseconds=1),
    )  # fmt: skip
    plan = ImportPlan(
        format=Format.BOOKU, source_name="s", folders=(PlannedFolder(key="f", name="f"),), memories=(planned,)
    )
    desk.engine.run(ApplyImport(plan))
    _take(other, _out(desk))
    folder = other.engine.ask(FolderByName("f"))
    assert folder is not None
    assert other.memory(FolderPk(folder.pk), "x").updated_at == NOW + timedelta(microseconds=1)
    assert other.engine.ask(ResolveMemories(("x",))) != ()


class _StopsAfter:
    """A cancel that is asked for after so many looks."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    @property
    def cancelled(self) -> bool:
        return self.left <= 0

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_cancelled_export_leaves_nothing_behind(sample: FilesDesk, looks: int) -> None:
    path = sample.root / "cut" / "all.mcz"
    with pytest.raises(Cancelled):
        sample.engine.ask(ExportLibrary(path), cancel=_StopsAfter(looks))
    assert list(path.parent.iterdir()) == []


def test_text_longer_than_its_column_allows_keeps_a_package_out_as_a_whole(desks: Desks) -> None:
    desk, other = desks("one"), desks("two")
    _one(desk)
    path = _out(desk)
    kept = _one(other)
    other.engine.run(EditMemory(memory=kept, body="ab"))
    event = other.engine.ask(LibrarySchema()).type("event")
    assert event is not None
    columns = tuple(replace(c, limit=3) if c.role is ColumnRole.BODY else c for c in event.columns)
    other.engine.run(SaveMemoryType(replace(event, columns=columns)))
    with pytest.raises(Invalid) as caught:
        _take(other, path)
    assert caught.value.key == "error.memory.too_long"
    assert _bodies(other) == ["ab"]


def _with_row(desk: FilesDesk, path: Path, member: str, **values: object) -> Path:
    """The package whose first row of a member says something else, as its manifest knows."""

    def change(name: str, data: bytes) -> bytes:
        first, rest = old.split(b"\n", 1)
        new = json.dumps({**json.loads(first), **values}).encode() + b"\n" + rest
        if name != "manifest.json":
            return new if name == member else data
        manifest = json.loads(data)
        manifest["members"][member] |= {"bytes": len(new), "sha256": hashlib.sha256(new).hexdigest()}
        return json.dumps(manifest).encode()

    old = _members(path)[member]
    return _rewritten(desk, path, change)


def test_halves_of_emoji_in_any_text_of_a_package_are_escaped(desk: FilesDesk, whole: Path) -> None:
    _take(desk, whole)
    for member, column in (("memories.jsonl", "id"), ("documents.jsonl", "media_type")):
        path = _with_row(desk, whole, member, **{column: "x\ud800"})
        assert _check(desk, path).version == 1
        assert _take(desk, path, Collision.THEIRS).op is not None
    with desk.store.read() as reader:
        assert "x\\ud800" in {each.media_type for each in reader.all_records(Document)}
    assert _check(desk, _out(desk, "again.mcz")).whole


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_time_beyond_all_dates_is_a_damaged_row(desk: FilesDesk, whole: Path, time: str) -> None:
    path = _with_row(desk, whole, "memories.jsonl", created_at=time)
    with pytest.raises(BadFile) as caught:
        _take(desk, path)
    assert caught.value.key == "error.package.row"
    assert caught.value.text_args["line"] == 1
