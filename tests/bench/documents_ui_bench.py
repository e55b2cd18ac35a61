"""Documents in the window: a thousand Markdown notes (5 MB) dropped, read, cut and embedded.

The queue works in the background of the real window, with the built-in embedder and its index process. "held" and
"late" are those of tests.bench.ui_bench; the time of reading and cutting alone is in tests.bench.ingest_bench.
The bare embedder embeds a sample of the same pieces alone afterwards: the share compares work of one run, so that
other programs of the machine weigh on both.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from core.domain.api import EngineApi
from core.domain.queries import Counts
from tests.bench.ingest_bench import NOTES, write_notes
from tests.bench.report import Row
from tests.bench.ui_bench import Loop

SAMPLE = 1000
SHARE = ">= 90"
EMBED_S = 45.0
PATIENCE_S = 1800.0


def run(full: bool) -> list[Row]:
    """The whole way of the notes through the window; all pieces are embedded with `full`, else for 45 s."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app import gui
    from core.settings import Settings
    from ui.main_window import MainWindow

    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        size = f"{NOTES:,} notes, {write_notes(place / 'notes') / 1e6:.1f} MB"
        with gui.running(gui.application(["bench"]), Settings(place / "settings.json"), place) as window:
            assert isinstance(window, MainWindow)
            window.start()
            window.show()
            loop = Loop()
            try:
                window.create_library(place / "library")
                loop.until(lambda: window.session is not None and window._services.tasks.busy == 0)
                return _measure(window, loop, place, size, full=full)
            finally:
                loop.stop()


def _measure(window: object, loop: Loop, place: Path, size: str, *, full: bool) -> list[Row]:
    from core.domain.queries import ListMemories
    from core.domain.queries_documents import FindDocuments
    from core.domain.queries_drop import LookAtQueue, QueueSorted, ToQueue
    from ui.main_window import MainWindow

    assert isinstance(window, MainWindow)
    session = window.session
    assert session is not None
    engine = session.context.engine
    session.show_page("documents")
    loop.until(lambda: window._services.tasks.busy == 0)
    files = engine.ask(FindDocuments((place / "notes",))).files
    engine.ask(QueueSorted(tuple(ToQueue(path=path, folder="notes") for path in files)))
    loop.rows("", size)
    began, cpu = time.perf_counter(), time.process_time()
    session.documents_link.worker.look()
    _until(loop, lambda: engine.ask(LookAtQueue(1)).open == 0)
    read_s, read_cpu = time.perf_counter() - began, time.process_time() - cpu
    rows = [
        Row("documents: notes read, cut, written beside the embedder", read_s, "s", "", size),
        Row("documents: that, CPU of the window's process", read_cpu, "s", "", size),
        *loop.rows("while notes are read and cut", size),
    ]
    at, waiting = time.perf_counter(), _waiting(engine)
    _until(loop, lambda: not _waiting(engine) or (not full and time.perf_counter() - at > EMBED_S))
    rate = (waiting - _waiting(engine)) / (time.perf_counter() - at)
    rows += loop.rows("while pieces are embedded", size)
    bare = _bare_rate(engine)
    pieces = f"{size}, {len(engine.ask(ListMemories())):,} pieces"
    return [
        *rows,
        Row("documents: pieces embedded and indexed", rate, "/s", "", pieces),
        Row("documents: the bare embedder on such pieces", bare, "/s", "", pieces),
        Row("documents: share of the bare embedder's rate", 100 * rate / bare, "%", SHARE, pieces),
    ]


def _until(loop: Loop, holds: object) -> None:
    """Like loop.until, with the patience that thousands of pieces need."""
    assert callable(holds)
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        wait = time.perf_counter() + 0.5
        loop.until(lambda end=wait: time.perf_counter() >= end)  # type: ignore[misc]
        if holds():
            return
    raise TimeoutError("the queue never came to its end")


def _waiting(engine: EngineApi) -> int:
    """Pieces that have no place in the index yet."""
    return engine.ask(Counts(journal=False)).waiting_for_index


def _bare_rate(engine: EngineApi) -> float:
    """Texts a second that the embedder alone makes of a sample of the stored pieces."""
    from core.adapters.embedder_builtin import BuiltinEmbedder
    from core.domain.embedding_text import embedded_text
    from core.domain.queries import LibrarySchema, ListMemories, Memories

    pks = tuple(engine.ask(ListMemories()))
    schema = engine.ask(LibrarySchema())
    memories = engine.ask(Memories(tuple(pks[:: max(1, len(pks) // SAMPLE)])))  # type: ignore[arg-type]
    texts = [embedded_text(memory, schema.type(memory.type)) for memory in memories]
    embedder = BuiltinEmbedder()
    embedder.load()
    began = time.perf_counter()
    embedder.embed_documents(texts)
    return len(texts) / (time.perf_counter() - began)
