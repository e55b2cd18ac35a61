"""Everything a check-up looks for: made, found, put right as one op, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from core.domain.commands import EmptyTrash, TrashMemories
from core.domain.commands_graph import AddEdge
from core.domain.commands_health import RepairFaults
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import Invalid
from core.domain.health import TREATMENTS, Cure, Fault, Level
from core.domain.ids import MemoryPk, RelationId
from core.domain.queries import ListMemories, Memories, MemoryFilter
from core.domain.queries_health import CheckUp, Health, Remake
from core.domain.texts import LANGUAGES, has
from tests.health.conftest import Desk

LATE = int((datetime.now(UTC) + timedelta(days=400)).timestamp() * 1e6)


def related(desk: Desk) -> tuple[MemoryPk, MemoryPk]:
    first, second = desk.add("钟楼的门锁着"), desk.add("艾琳找到了暗门")
    desk.engine.run(AddEdge(source=first, target=second, relation=RelationId("related")))
    return first, second


def dangling_edge(desk: Desk) -> None:
    first, _ = related(desk)
    with desk.damage() as db:
        db.execute("UPDATE edge SET target = 9999 WHERE source = ?", (first,))


def orphans(desk: Desk) -> None:
    desk.add("灯塔")
    with desk.damage() as db:
        db.execute("INSERT INTO tag (pk, memory, kind, value, position) VALUES (900, 9999, 'tag', '海', 0)")
        db.execute("INSERT INTO alias (pk, memory, value, position) VALUES (900, 9999, '海', 0)")


def lost_folder(desk: Desk) -> None:
    pk = desk.add("谁也看不到我")
    with desk.damage() as db:
        db.execute("UPDATE memory SET folder = 77 WHERE pk = ?", (pk,))


def missing(column: str) -> Callable[[Desk], None]:
    def make(desk: Desk) -> None:
        pk = desk.add("下级")
        with desk.damage() as db:
            db.execute(f"UPDATE memory SET {column} = 8888 WHERE pk = ?", (pk,))

    return make


def loop(column: str) -> Callable[[Desk], None]:
    def make(desk: Desk) -> None:
        a, b, c, outside = (desk.add(text) for text in ("甲", "乙", "丙", "丁"))
        with desk.damage() as db:
            rows = ((b, a), (c, b), (a, c), (a, outside))
            db.executemany(f"UPDATE memory SET {column} = ? WHERE pk = ?", rows)

    return make


def edge_times(desk: Desk) -> None:
    first, _ = related(desk)
    with desk.damage() as db:
        db.execute("UPDATE edge SET invalid_from = valid_from - 5000000, from_seq = 9, ended_seq = 3")
        assert db.execute("SELECT count(*) FROM edge WHERE source = ?", (first,)).fetchone() == (1,)


def future(desk: Desk) -> None:
    pk = desk.add("明年的事")
    with desk.damage() as db:
        db.execute("UPDATE memory SET created_at = ? WHERE pk = ?", (LATE, pk))


def floors(desk: Desk) -> None:
    one, two = desk.add("一"), desk.add("二")
    with desk.damage() as db:
        db.execute("UPDATE memory SET seq_start = 9, seq_end = 4 WHERE pk = ?", (one,))
        db.execute("UPDATE memory SET seq = -3 WHERE pk = ?", (two,))


def pointer(desk: Desk) -> None:
    with desk.damage() as db:
        db.execute(
            "INSERT INTO message (pk, folder, seq, role, name, text, hidden, extra)"
            " VALUES (1, ?, 4, 'user', '', '你好', 0, '{}')",
            (desk.folder,),
        )
        db.execute("UPDATE folder SET last_processed_seq = 40 WHERE pk = ?", (desk.folder,))


def unreadable(desk: Desk) -> None:
    pk = desk.add("读不出来")
    with desk.damage() as db:
        db.execute("UPDATE memory SET fields = '{\"a\": ' WHERE pk = ?", (pk,))
        db.execute("UPDATE folder SET settings = '[1]' WHERE pk = ?", (desk.folder,))


def unknown_type(desk: Desk) -> None:
    pk = desk.add("一柄旧剑")
    with desk.damage() as db:
        values = ("weapon", '{"sharpness": "dull", "owner": "艾琳"}', pk)
        db.execute("UPDATE memory SET type = ?, fields = ? WHERE pk = ?", values)


def unknown_relation(desk: Desk) -> None:
    related(desk)
    with desk.damage() as db:
        db.execute("UPDATE edge SET relation = 'owes'")


def unknown_fields(desk: Desk) -> None:
    pk = desk.add("带有别的列")
    with desk.damage() as db:
        db.execute('UPDATE memory SET fields = \'{"weather": "雾"}\' WHERE pk = ?', (pk,))


def half_triple(desk: Desk) -> None:
    pk = desk.add("只有核心")
    with desk.damage() as db:
        db.execute(
            "INSERT INTO tag (pk, memory, kind, value, position) VALUES (1, ?, 'core', '雾', 0)", (pk,)
        )
        db.execute("INSERT INTO sequence (kind, next) VALUES ('tag', 2)")


def floors_changed(desk: Desk) -> None:
    pk = desk.add("来自第三楼")
    with desk.damage() as db:
        db.execute(
            'UPDATE memory SET extra = \'{"x": 1, "floors_changed": {"changed": [3], "removed": []}}\''
            " WHERE pk = ?",
            (pk,),
        )


MADE: dict[Fault, tuple[Callable[[Desk], None], int]] = {
    Fault.EDGE_ENDS: (dangling_edge, 1),
    Fault.ORPHANS: (orphans, 2),
    Fault.LOST_FOLDER: (lost_folder, 1),
    Fault.DOCUMENT: (missing("document"), 1),
    Fault.PARENT: (missing("parent"), 1),
    Fault.PARENT_LOOP: (loop("parent"), 1),
    Fault.MERGED: (missing("merged_into"), 1),
    Fault.MERGED_LOOP: (loop("merged_into"), 1),
    Fault.EDGE_TIMES: (edge_times, 1),
    Fault.TIMES: (future, 1),
    Fault.FLOORS: (floors, 2),
    Fault.POINTER: (pointer, 1),
    Fault.UNREADABLE: (unreadable, 2),
    Fault.TYPES: (unknown_type, 1),
    Fault.RELATIONS: (unknown_relation, 1),
    Fault.FIELDS: (unknown_fields, 1),
    Fault.TRIPLE: (half_triple, 1),
    Fault.FLOORS_CHANGED: (floors_changed, 1),
}
RESTORED_OTHERWISE = frozenset({Fault.EDGE_ENDS, Fault.ORPHANS, Fault.LOST_FOLDER})
"""An undo never writes a reference that leads nowhere: these rows stand in its list of conflicts."""
EMPTIED = frozenset({Fault.DOCUMENT, Fault.PARENT, Fault.MERGED})


def test_every_fault_that_a_change_repairs_is_tried_here() -> None:
    assert {fault for fault, how in TREATMENTS.items() if how.cure is Cure.CHANGE} == set(MADE)


@pytest.mark.parametrize("fault", MADE)
def test_fault_is_found_repaired_as_one_op_and_undone(desk: Desk, fault: Fault) -> None:
    make, count = MADE[fault]
    make(desk)
    report = desk.engine.ask(CheckUp())
    found = report.finding(fault)
    assert found is not None
    assert found.count == count
    assert len(found.examples) == count
    assert all(example.text for example in found.examples)
    result = desk.engine.run(RepairFaults((fault,)))
    assert result.op is not None
    assert result.counts[fault.value] >= 1
    assert fault not in desk.found()
    if fault in RESTORED_OTHERWISE:
        return
    desk.engine.undo()
    assert (fault in desk.found()) is (fault not in EMPTIED)


def test_texts_of_every_fault_and_repair_are_there() -> None:
    for fault, treatment in TREATMENTS.items():
        for language in LANGUAGES:
            assert has(f"check.{fault.value}", language), fault
            assert treatment.cure is Cure.BY_HAND or has(f"repair.{fault.value}", language), fault


def test_library_of_the_program_has_nothing_to_repair(desk: Desk) -> None:
    desk.engine.run(ApplyImport(desk.library.sample_plan()))
    report = desk.engine.ask(CheckUp())
    assert report.level is Level.GOOD
    assert [each.fault for each in report.findings] == [Fault.NO_VECTOR]


def test_added_type_keeps_the_values_and_can_be_used(desk: Desk) -> None:
    unknown_type(desk)
    desk.engine.run(RepairFaults((Fault.TYPES,)))
    assert desk.found() == {}
    pk = desk.add("又一柄", type="weapon", fields={"owner": "老陈"})
    assert desk.engine.ask(Memories((pk,)))[0].fields == {"owner": "老陈"}


def test_two_faults_of_one_row_are_repaired_in_one_change(desk: Desk) -> None:
    floors(desk)
    half_triple(desk)
    result = desk.engine.run(RepairFaults((Fault.TRIPLE, Fault.FLOORS)))
    assert dict(result.counts) == {"floors": 2, "triple": 1}
    assert desk.found() == {}
    desk.engine.undo()
    assert desk.found() == {Fault.FLOORS: 2, Fault.TRIPLE: 1}


def test_many_faulty_rows_are_repaired_in_chunks_of_one_op(desk: Desk) -> None:
    for number in range(40):
        desk.add(f"记忆 {number}")
    with desk.damage() as db:
        db.execute("UPDATE memory SET seq = -1")
    assert desk.engine.run(RepairFaults((Fault.FLOORS,))).changed == 40
    desk.engine.undo()
    assert desk.found() == {Fault.FLOORS: 40}


def test_fault_without_rows_changes_nothing(desk: Desk) -> None:
    desk.add("好好的")
    assert desk.engine.run(RepairFaults((Fault.PARENT, Fault.EDGE_ENDS))).op is None


@pytest.mark.parametrize("fault", [Fault.STORE, Fault.FULL_TEXT, Fault.REQUIRED])
def test_fault_that_no_change_repairs_is_refused(desk: Desk, fault: Fault) -> None:
    with pytest.raises(Invalid):
        desk.engine.run(RepairFaults((fault,)))


def test_word_search_is_made_anew(desk: Desk) -> None:
    pk = desk.add("海雾漫过码头")
    with desk.damage() as db:
        db.execute("INSERT INTO memory_fts(memory_fts) VALUES ('delete-all')")
    assert list(desk.engine.ask(ListMemories(MemoryFilter(text="码头")))) == []
    assert desk.found() == {Fault.FULL_TEXT: 1}
    assert desk.engine.ask(Remake((Fault.FULL_TEXT,))) == 1
    assert list(desk.engine.ask(ListMemories(MemoryFilter(text="码头")))) == [pk]
    assert desk.found() == {}


def test_counters_below_the_rows_are_raised(desk: Desk) -> None:
    first = desk.add("一")
    with desk.damage() as db:
        db.execute("UPDATE sequence SET next = 1 WHERE kind = 'memory'")
    assert desk.found() == {Fault.COUNTERS: 1}
    desk.engine.ask(Remake((Fault.COUNTERS,)))
    assert desk.add("二") == first + 1


def test_broken_vectors_are_found_and_made_again(desk: Desk) -> None:
    pks = [desk.add(text) for text in ("甲板", "船舱", "桅杆")]
    desk.library.indexer.drain()
    with desk.damage() as db:
        db.execute(
            "UPDATE vector SET data = x'00112233' WHERE text_hash = (SELECT text_hash FROM memory WHERE pk = ?)",
            (pks[0],),
        )
    assert desk.found()[Fault.UNFIT_VECTORS] == 1
    desk.engine.ask(Remake((Fault.UNFIT_VECTORS, Fault.NO_VECTOR)))
    assert desk.engine.ask(CheckUp()).findings == ()


def test_required_column_that_stands_empty_is_only_named(desk: Desk) -> None:
    pk = desk.add("会被清空")
    with desk.damage() as db:
        db.execute("UPDATE memory SET body = '' WHERE pk = ?", (pk,))
    report = desk.engine.ask(CheckUp())
    found = report.finding(Fault.REQUIRED)
    assert found is not None
    assert (found.count, found.memories, found.repairable) == (1, (pk,), False)
    assert Fault.REQUIRED not in report.safe_repairs


def test_light_follows_the_last_check_up(desk: Desk) -> None:
    assert desk.engine.ask(Health()).level is Level.GOOD
    dangling_edge(desk)
    desk.engine.ask(CheckUp())
    state = desk.engine.ask(Health())
    assert state.level is Level.LOOK
    assert "health.reason.check" in [reason.key for reason in state.reasons]
    desk.engine.run(RepairFaults((Fault.EDGE_ENDS,)))
    desk.engine.ask(CheckUp())
    assert desk.engine.ask(Health()).level is Level.GOOD


def test_check_up_after_emptying_the_trash_is_clean(desk: Desk) -> None:
    first, _ = related(desk)
    desk.engine.run(TrashMemories(memories=(first,)))
    desk.engine.run(EmptyTrash())
    assert desk.found() == {}
