"""Scenarios about store and index: what is missing, damaged, locked or longer than a page."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from app.container import open_library
from app.library import Library
from app.writers import program
from core.domain.api import draft_key
from core.domain.commands import Command, CreateMemory, EditMemory, MergeIntoMemory, NewMemory, TrashMemories
from core.domain.commands_folders import CreateFolder
from core.domain.commands_schema import SaveMemoryType
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import Invalid, Unavailable
from core.domain.health import Fault
from core.domain.ids import FolderPk, MemoryPk, TypeId, new_memory_id
from core.domain.memory import Memory
from core.domain.queries import LibrarySchema, ListMemories, Memories, MemoryFilter
from core.domain.queries_health import CheckUp, Remake
from core.domain.schema import ColumnRole
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory
from core.ports.store import OpDraft
from core.settings import Settings
from tests.cases.desk import new_library
from tests.fakes.embedder import HashEmbedder

Scenario = Mapping[str, Any]
SECOND_START = """
import sys, time
from pathlib import Path
from app import container
from app import writers
from core.domain.errors import LibraryInUse
from core.settings import Settings
began = time.monotonic()
try:
    container.open_library(Path(sys.argv[1]), writers.person(), Settings(), keep=True)
except LibraryInUse as error:
    print(error.key, time.monotonic() - began)
"""
ROOT = Path(__file__).parents[2]
FILLER = 5200


def _opened(work: Path, dims: int = 64) -> Library:
    library = new_library(work, keep=True)
    library.__dict__["embedder"] = HashEmbedder(dims)
    return library


def _folder(library: Library, name: str) -> FolderPk:
    made = library.engine.run(CreateFolder(name)).created_folder
    assert made is not None
    return made


def _fill(library: Library, folder: FolderPk, bodies: Sequence[str]) -> list[MemoryPk]:
    """Many memories in one op, as an import brings them."""
    now = datetime.now(UTC)
    rows = [
        Memory(
            id=new_memory_id(), folder=folder, type=TypeId("event"), body=body, created_at=now, updated_at=now
        )
        for body in bodies
    ]
    pks, _ = library.store.write(OpDraft("op.import", library.engine.actor), lambda unit: unit.insert(rows))
    return [MemoryPk(pk) for pk in pks]


def _texts(library: Library) -> dict[MemoryPk, str]:
    pks = library.engine.ask(ListMemories())
    return {
        memory.pk: memory.body for memory in library.engine.ask(Memories(tuple(MemoryPk(p) for p in pks)))
    }


def missing_vectors(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """Fewer vectors than records: deleting and editing touch what they name, and the gap is shown and filled."""
    faults: list[str] = []
    gap = scenario["records"] - scenario["vectors"]
    with closing(_opened(work)) as library:
        folder = _folder(library, "甲")
        names = {
            f"r{n}": pk
            for n, pk in enumerate(_fill(library, folder, [f"记忆 {n}" for n in range(scenario["records"])]))
        }
        library.indexer.embed_missing()
        with library.store._database.writing() as connection:
            connection.exec_driver_sql(
                "DELETE FROM vector WHERE text_hash IN (SELECT text_hash FROM memory ORDER BY pk LIMIT ?)",
                (gap,),
            )
        before = _texts(library)
        found = library.engine.ask(CheckUp()).finding(Fault.NO_VECTOR)
        if found is None or found.count != gap or not found.repairable:
            faults.append(f"the check-up says {found}")
        for verb, name, *rest in scenario["ops"]:
            if verb == "delete":
                library.engine.run(TrashMemories(memories=(names[name],)))
            else:
                library.engine.run(EditMemory(memory=names[name], body=rest[0]))
        after = _texts(library)
        changed = [name for name, pk in names.items() if pk in after and after[pk] != before[pk]]
        if len(after) != checks["records_after"] or changed != checks["changed"]:
            faults.append(f"{len(after)} records, changed {changed}")
        library.engine.ask(Remake((Fault.NO_VECTOR,)))
        if library.engine.ask(CheckUp()).findings:
            faults.append(f"after the repair: {library.engine.ask(CheckUp()).findings}")
    return faults


def many_vectors(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """More vectors than one write takes; a write that fails in the middle is gone on with."""
    faults: list[str] = []
    with closing(_opened(work, scenario["dim"])) as library:
        _fill(library, _folder(library, "甲"), [f"片段 {n}" for n in range(scenario["vectors"])])
        _give_vectors(library, scenario["dim"])
        write, calls = library.indexer.index.upsert, 0

        def failing(entries: Any, vectors: Any) -> None:
            nonlocal calls
            calls += 1
            if calls == 2:
                raise Unavailable("index", "the disk is full")
            write(entries, vectors)

        library.indexer.index.upsert = failing  # type: ignore[method-assign]
        try:
            library.indexer.drain()
            faults.append("a write that failed was called a success")
        except Unavailable:
            if not library.indexer.waiting():
                faults.append("what was not written does not wait")
        library.indexer.index.upsert = write  # type: ignore[method-assign]
        library.indexer.drain()
        stored = library.indexer.index.count()
        if stored != checks["stored"] or library.indexer.waiting():
            faults.append(f"{stored} stored, {library.indexer.waiting()} wait")
    return faults


def _give_vectors(library: Library, dims: int) -> None:
    """A vector that points somewhere for each text."""
    hashes = [entry.text_hash for page in library.indexer.pages() for entry, _ in page]
    rows = np.random.default_rng(1).standard_normal((len(hashes), dims)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    library.store.queue.save_vectors(library.embedder.identity.key, dict(zip(hashes, rows, strict=True)))


def truncated_index(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """A cut index file: everything is listed, the damage is found, and the index is made anew from SQL."""
    faults: list[str] = []
    with closing(_opened(work)) as library:
        folder = _folder(library, "甲")
        _fill(library, folder, [f"第 {n} 条：{n * 7919 % 10007}" for n in range(scenario["records"])])
        library.indexer.drain()
        _make_chroma_keep_its_file(library)
        library.release_index()
        files = list(library.files.index.rglob("data_level0.bin"))
        if not files:
            return ["no index file to cut"]
        for file in files:
            with file.open("r+b") as handle:
                handle.truncate(file.stat().st_size // 2)
    with closing(_opened(work)) as library:
        if len(library.engine.ask(ListMemories())) != checks["records_listed"]:
            faults.append("not all records are listed")
        report = library.engine.ask(CheckUp(sample=scenario["records"]))
        damaged = [
            each.fault
            for each in report.findings
            if each.fault in (Fault.INDEX_DAMAGED, Fault.INDEX_UNREADABLE)
        ]
        if bool(damaged) != checks["damage_detected"]:
            faults.append(f"the check-up found {[each.fault for each in report.findings]}")
        library.engine.ask(Remake(tuple(damaged) or (Fault.INDEX_DAMAGED,)))
        again = library.engine.ask(CheckUp(sample=scenario["records"]))
        if again.findings or library.indexer.index.count() != checks["self_query_ok_after_rebuild"]:
            faults.append(f"after the rebuild: {again.findings}")
    return faults


def _make_chroma_keep_its_file(library: Library) -> None:
    """Chroma writes its neighbour graph every few thousand rows: so many come and go again."""
    index = library.indexer.index
    like = next(iter(index.entries().values()))
    filler = [replace(like, id=f"mem-x{number}") for number in range(FILLER)]
    index.upsert(
        filler, np.eye(1, library.embedder.identity.dims, 3, dtype=np.float32).repeat(FILLER, axis=0)
    )
    index.delete([entry.id for entry in filler])


def two_openers(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """The second program is told at once that the first has the library open."""
    faults: list[str] = []
    with closing(_opened(work)) as library:
        for _ in range(scenario["processes"] - 1):
            ran = subprocess.run(
                [sys.executable, "-c", SECOND_START, str(library.files.root)],
                cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            key, _, seconds = ran.stdout.strip().partition(" ")
            if key != "error.library.in_use" or float(seconds) > checks["message_within_s"]:
                faults.append(f"the second start said {ran.stdout!r} {ran.stderr[-300:]!r}")
        library.engine.run(CreateFolder("still writing"))
    return faults


def long_reader(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """One program reads for a long time while another writes."""
    faults: list[str] = []
    with closing(_opened(work)) as reading:
        folder = _folder(reading, "甲")
        held, done = threading.Event(), threading.Event()

        def read() -> None:
            with reading.store.read() as reader:
                reader.counts()
                held.set()
                done.wait(scenario["reader_holds_s"])
                if reader.counts(journal=False).memories:
                    faults.append("the reader saw half of what was written")

        thread = threading.Thread(target=read)
        thread.start()
        held.wait(10)
        writing = open_library(reading.files.root, program("job"), Settings())
        errors, began = 0, time.monotonic()
        with closing(writing):
            for number in range(scenario["writes"]):
                new = NewMemory(folder=folder, type=TypeId("event"), body=f"第 {number} 条")
                try:
                    writing.engine.run(CreateMemory(new))
                except Unavailable:
                    errors += 1
        if time.monotonic() - began > scenario["reader_holds_s"] + 5:
            faults.append("the writer waited for the reader")
        done.set()
        thread.join()
        rows = len(reading.engine.ask(ListMemories()))
        if errors != checks["errors"] or rows != checks["rows"]:
            faults.append(f"{errors} errors, {rows} rows")
    return faults


def longer_than_a_page(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """All of a filter's result is listed, counted and deleted, and nothing else."""
    faults: list[str] = []
    with closing(_opened(work)) as library:
        folder, other = _folder(library, scenario["filter"]["folder"]), _folder(library, "别处")
        _fill(library, folder, [f"记忆 {n}" for n in range(scenario["records"])])
        _fill(library, other, [f"别的 {n}" for n in range(scenario["others"])])
        where = MemoryFilter(folders=frozenset({folder}))
        listed = tuple(MemoryPk(pk) for pk in library.engine.ask(ListMemories(where)))
        if len(listed) != scenario["records"]:
            faults.append(f"{len(listed)} of {scenario['records']} are listed")
        result = library.engine.run(TrashMemories(memories=listed))
        left = len(library.engine.ask(ListMemories()))
        here = len(library.engine.ask(ListMemories(where)))
        if (result.changed, left, here) != (checks["deleted"], checks["left_total"], 0):
            faults.append(f"{result.changed} deleted, {left} left, {here} in the folder")
    return faults


def over_the_limit(scenario: Scenario, checks: Scenario, work: Path) -> list[str]:
    """A text longer than its column allows is refused on every way in; nothing is cut, the draft is kept."""
    faults: list[str] = []
    text, limit = scenario["text"], scenario["limit"]
    with closing(_opened(work)) as library:
        engine = library.engine
        folder = _folder(library, "甲")
        event = engine.ask(LibrarySchema()).type("event")
        assert event is not None
        columns = tuple(
            replace(each, limit=limit) if each.role is ColumnRole.BODY else each for each in event.columns
        )
        engine.run(SaveMemoryType(replace(event, columns=columns)))
        short = NewMemory(folder=folder, type=event.id, body=text[: limit - 1])
        pk, other = (engine.run(CreateMemory(short)).created[0] for _ in range(2))
        key = draft_key(engine.ask(Memories((pk,)))[0].id)
        engine.drafts.save(key, {"body": text})
        long = replace(short, body=text)
        plan = ImportPlan(
            source_name="long.json",
            format=Format.STBME,
            folders=(PlannedFolder(key="f", name="乙"),),
            memories=(
                PlannedMemory(
                    key="m", folder="f", foreign_id="m", type=event.id, body=text,
                    created_at=datetime.now(UTC), updated_at=datetime.now(UTC),
                ),
            ),
        )  # fmt: skip
        ways: dict[str, Sequence[Command]] = {
            "edit": (EditMemory(memory=pk, body=text),),
            "merge": (MergeIntoMemory(target=other, memory=long),),
            "import": (ApplyImport(plan),),
            "paste": (CreateMemory(long),),
        }
        before, saved = _texts(library), 0
        for way in scenario["paths"]:
            for command in ways[way]:
                try:
                    engine.run(command)
                    faults.append(f"{way} was not refused")
                except Invalid as error:
                    if (error.text_args.get("length"), error.text_args.get("limit")) != (len(text), limit):
                        faults.append(f"{way}: {error}")
        saved = (
            sum(_texts(library).get(pk) != body for pk, body in before.items())
            + len(_texts(library))
            - len(before)
        )
        kept = engine.drafts.get(key) == {"body": text}
        if saved != checks["saved"] or kept != checks["draft_kept"]:
            faults.append(f"{saved} saved, draft kept: {kept}")
    return faults
