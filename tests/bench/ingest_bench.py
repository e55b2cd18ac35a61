"""Documents: a thousand Markdown notes (5 MB) read and cut, and taken in; a text without a mark cut in time."""

from __future__ import annotations

import random
import tempfile
import time
from contextlib import closing
from pathlib import Path

from app.container import open_library
from app.writers import program
from core.adapters.documents.reader import DocumentFiles
from core.algos.cutting import cut_by_structure
from core.domain import queries_documents as qd
from core.settings import Settings
from tests.bench.report import Row

NOTES, SECTIONS, SENTENCES = 1_000, 6, 14
UNBROKEN_CHARS = 100_000
_SENTENCES = (
    "守灯人每天晚上点亮灯塔，记录风向和潮水。",
    "灯芯断了就换，备件放在二楼的柜子里。",
    "The lamp is lit at seven, and the bell rings in fog.",
    "她推开门，看见院子里落满了桂花。",
)


def run(full: bool) -> list[Row]:
    """CPU time of reading and cutting, wall time of the whole way into the library."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        folder = root / "notes"
        size = f"{NOTES:,} notes, {write_notes(folder) / 1e6:.1f} MB"
        reader = DocumentFiles()
        began = time.process_time()
        for path in reader.find([folder]).files:
            cut_by_structure(reader.read(path), 500, 60)
        rows = [Row("notes read and cut: CPU", time.process_time() - began, "s", "<= 20", size)]
        settings = Settings()
        settings.set("embedder", "none")
        with closing(open_library(root / "library", program("bench"), settings, create=True)) as library:
            for name in ("notes taken in, without embedding", "the same notes again: all there already"):
                began = time.monotonic()
                library.engine.ask(qd.QueueFiles(paths=(folder,), folder="default"))
                library.engine.ask(qd.RunQueue())
                rows.append(Row(name, time.monotonic() - began, "s", "", size))
    text = "".join(
        chr(0x4E00 + (number * 7919) % 5000) for number in range(UNBROKEN_CHARS * (10 if full else 1))
    )
    document = DocumentFiles().of_text(text)
    began = time.process_time()
    cut_by_structure(document, 900, 120)
    took = time.process_time() - began
    return [*rows, Row("a text without a mark cut: CPU", took, "s", "<= 5", f"{len(text):,} characters")]


def write_notes(folder: Path) -> int:
    """Bytes written."""
    chance = random.Random(7)
    folder.mkdir()
    written = 0
    for number in range(NOTES):
        parts = [f"---\ntitle: 笔记{number}\ntags: [灯塔, 规程]\n---\n# 笔记{number}\n"]
        for section in range(SECTIONS):
            words = "".join(f"{chance.choice(_SENTENCES)}{number * section}" for _ in range(SENTENCES))
            parts.append(f"## 第{section}节\n\n{words}\n\n- 项一\n- 项二\n")
        written += (folder / f"{number:04d}.md").write_bytes("\n".join(parts).encode())
    return written
