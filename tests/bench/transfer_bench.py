"""Figures of interchange: a package of the whole library, a long chat, a huge file of lines.

The package holds a vector of 512 numbers for every memory; with `full` 100,000 memories. Memory is that of a
process of its own, above what the same process uses before it begins.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from core.adapters.formats.files import FormatFiles
from core.domain.commands_transfer import ApplyImport
from core.domain.queries_packages import ExportLibrary, VerifyPackage
from core.domain.queries_transfer import ReadFile
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.services.file_answers import file_answers
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH, cached
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
DIMS = 512
MODEL = f"bench|{DIMS}|"
CHAT_FLOORS = 10_000
FILE_MB, LINE_MB = 200, 50
LONG_WORDS = 400
WORDS = [
    "灯塔",
    "钥匙",
    "雾港",
    "守钟人",
    "银",
    "海",
    "夜",
    "信",
    "台阶",
    "风",
    "harbour",
    "lantern",
    "letter",
    "keeper",
    "tide",
]
_STREAM = """
import resource, sys
from pathlib import Path
from core.adapters.formats.files import FormatFiles
from core.domain.schema_data import default_schema
schema = default_schema()
formats = FormatFiles(lambda *_: None, lambda _name: True)
def peak():
    status = Path("/proc/self/status")  # the other figure counts what the starting process had
    if status.exists():
        return float(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform != "darwin" else 1024)
plan = formats.read(Path(sys.argv[1]), schema)
print(len(plan.messages), peak() / 1024)
"""


def run(full: bool) -> list[Row]:
    """All figures; the package is of 10,000 memories without `full`."""
    with tempfile.TemporaryDirectory(prefix="transfer-bench-") as name:
        place = Path(name)
        return [*_package(place, full), *_chat(place), *_stream(place)]


def _engine(root: Path) -> Engine:
    store = SqlStore(LibraryFiles(root), default_schema())
    return Engine(store, BENCH, file_answers(store, FormatFiles(lambda *_: None, lambda _n: True), None))


def _package(place: Path, full: bool) -> list[Row]:
    big = cached(LARGE if full else SMALL)
    engine = _engine(big.root)
    try:
        _give_vectors(engine)
        path = place / "all.mcz"
        begin, cpu = time.perf_counter(), time.process_time()
        report = engine.ask(ExportLibrary(path))
        wrote = time.perf_counter() - begin
        assert engine.ask(VerifyPackage(path)).whole
        took, cpu = time.perf_counter() - begin, time.process_time() - cpu
    finally:
        engine.close()
    size = f"{report.counts['memories']:,} memories, {report.counts['vectors']:,} vectors, {path.stat().st_size >> 20} MB"
    begin = time.process_time()
    other = _engine(place / "other")
    try:
        other.run(ApplyImport(other.ask(ReadFile(path))))
        read = time.process_time() - begin
    finally:
        other.close()
    return [
        Row("package written and verified", took, "s", "<= 60", size),
        Row("package written and verified (CPU)", cpu, "s", "<= 60", size),
        Row("of that written", wrote, "s", "", size),
        Row("package taken in: dry run and import (CPU)", read, "s", "", size),
    ]


def _give_vectors(engine: Engine) -> None:
    store = engine._store
    assert isinstance(store, SqlStore)
    random_numbers = np.random.default_rng(1)
    with store._database.writing() as connection:
        found = connection.exec_driver_sql(
            "SELECT DISTINCT text_hash FROM memory WHERE text_hash <> ''"
        ).all()
        rows = [
            (MODEL, row[0], random_numbers.standard_normal(DIMS, dtype=np.float32).tobytes()) for row in found
        ]
        connection.exec_driver_sql(
            "INSERT INTO vector (model_key, text_hash, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows
        )


def _lines(floors: int, words: int = 60) -> list[str]:
    chance = random.Random(1)
    lines = [json.dumps({"user_name": "U", "character_name": "C", "chat_metadata": {}})]
    for number in range(floors):
        text = " ".join(chance.choices(WORDS, k=words)) + f" {number}"
        message = {"name": "UC"[number % 2], "is_user": number % 2 == 0, "mes": text, "send_date": number}
        lines.append(json.dumps(message, ensure_ascii=False))
    return lines


def _chat(place: Path) -> list[Row]:
    path = place / "long.jsonl"
    path.write_text("\n".join(_lines(CHAT_FLOORS)), "utf-8")
    engine = _engine(place / "chat")
    try:
        begin, cpu = time.perf_counter(), time.process_time()
        engine.run(ApplyImport(engine.ask(ReadFile(path))))
        took, cpu = time.perf_counter() - begin, time.process_time() - cpu
    finally:
        engine.close()
    size = f"{CHAT_FLOORS:,} messages, {path.stat().st_size >> 20} MB"
    return [
        Row("chat read and imported", took, "s", "<= 2", size),
        Row("chat read and imported (CPU)", cpu, "s", "<= 2", size),
    ]


def _stream(place: Path) -> list[Row]:
    """A file of FILE_MB with one line of LINE_MB (a packed picture in a message)."""
    path = place / "huge.jsonl"
    lines = _lines(2000, LONG_WORDS)
    picture = "data:image/png;base64," + "QUJD" * ((LINE_MB << 20) // 4)
    huge = json.dumps({"name": "C", "is_user": False, "mes": "look", "extra": {"image": picture}})
    with path.open("w", encoding="utf-8") as file:
        file.write(lines[0] + "\n" + huge + "\n")
        while file.tell() < FILE_MB << 20:
            file.write("\n".join(lines[1:]) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", _STREAM, str(path)], capture_output=True, text=True, check=True
    )
    messages, peak = done.stdout.split()
    size = f"{path.stat().st_size >> 20} MB, one line of {LINE_MB} MB, {int(messages):,} messages"
    return [Row("huge file of lines, memory of the whole process", float(peak), "MB", "<= 300", size)]
