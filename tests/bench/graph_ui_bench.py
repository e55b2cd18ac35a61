"""Figures of the Graph page: frames while moving, the exact picture afterwards, opening with kept positions.

The graph is that of tests.bench.planted at community places; frames are the CPU time of the window's thread, as
pictures are drawn in workers. A frame is bare when some of the view is covered by no picture.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.bench.planted import planted
from tests.bench.report import Row
from tests.bench.ui_bench import Loop

VIEW = (1200, 800)
FRAMES = 60
REPEATS = 7
SIZES = {10_000: "<= 8", 100_000: "<= 33"}
EXACT_MS, OPEN_MS = "<= 150", "<= 700"


def run(full: bool) -> list[Row]:
    """All figures; those of 100,000 memories with `full`."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    rows: list[Row] = []
    for count, target in SIZES.items():
        if full or count <= 10_000:
            rows += _canvas_rows(count, target)
            gc.collect()
    rows += _page_rows(10_000)
    gc.collect()
    return rows


def _scene(count: int):  # type: ignore[no-untyped-def]
    """A scene of the planted graph without a store, in the colours of the light scheme."""
    from PySide6.QtGui import QFont

    from core.domain.graph import node_radius
    from ui.graph.scene import Groups, Lines, Nodes, Paint, Scene, lanes

    rng = np.random.default_rng(3)
    source, target, community = planted(count)
    groups = int(community.max()) + 1
    side = int(np.ceil(groups**0.5))
    centre = np.stack([np.arange(groups) % side, np.arange(groups) // side], axis=1) * 380.0
    places = (centre[community] + rng.normal(size=(count, 2)) * 95).astype(np.float32)
    degree = np.bincount(np.concatenate((source, target)), minlength=count)
    importance = np.clip(np.log2(1 + degree), 0, 10).astype(np.float32)
    font = QFont()
    paint = Paint(0xFFFFFF, 0x1C1F24, 0x5B6472, 0xB0B6C0, 0xB3261E, 0x1B5FCC, font, font, font, font)
    kinds = rng.integers(0, 8, count)
    none = np.zeros(count, dtype=np.bool_)
    nodes = Nodes(
        places, ~none, node_radius(importance), (kinds % 5).astype(np.int16), kinds.astype(np.int16),
        kinds.astype(np.int32), none, none, none, importance, np.arange(1, count + 1),
    )  # fmt: skip
    edges = len(source)
    off = np.zeros(edges, dtype=np.bool_)
    lines = Lines(
        source.astype(np.int32), target.astype(np.int32), ~off, rng.random(edges).astype(np.float32),
        rng.integers(0, 7, edges).astype(np.int16), rng.random(edges) < 0.02, off, off,
        lanes(source.astype(np.int32), target.astype(np.int32)),
    )  # fmt: skip
    sizes = np.bincount(community, minlength=groups).astype(np.int32)
    wide = np.full(groups, 190.0, dtype=np.float32)
    a, b = community[source], community[target]
    pairs, weight = np.unique(np.stack([a[a != b], b[a != b]]), axis=1, return_counts=True)
    middle = centre.astype(np.float32)
    discs = Groups(
        community.astype(np.int32), middle, wide, middle, wide * 0.8, sizes, np.arange(groups, dtype=np.int32) % 8,
        tuple(f"community {number}" for number in range(groups)), np.zeros(groups, dtype=np.bool_),
        pairs[0].astype(np.int32), pairs[1].astype(np.int32), weight.astype(np.float32),
    )  # fmt: skip
    palette = (0x5A3202, 0x575CDF, 0x0C89E8, 0x5D784B, 0x1A867A, 0x7F3B47, 0x512E80, 0x799009)
    names = tuple(f"relation {number}" for number in range(7))
    return Scene(
        nodes, lines, paint, palette, ("",) * 8, names, palette[:7], discs,
        lambda pks: {pk: f"memory {pk}" for pk in pks},
    )  # fmt: skip


def _canvas_rows(count: int, target: str) -> Iterator[Row]:
    from app import gui
    from ui.graph.canvas import Canvas
    from ui.tasks import TaskRunner

    gui.application(["bench"])
    tasks = TaskRunner()
    canvas = Canvas(tasks)
    canvas.still = True
    canvas.resize(*VIEW)
    canvas.show()
    loop = Loop()
    size = f"{count:,} memories"
    try:
        canvas.show_scene(_scene(count), np.arange(1, 10))
        canvas.fit(glide=False)
        loop.until(lambda: canvas.settled and canvas.renderer.overview is not None)
        for name, scale in (("far", 1.0), ("near", 12.0)):
            canvas.zoom_by(scale)
            loop.until(lambda: canvas.settled)
            times, bare, exact = _move(canvas, loop)
            yield Row(f"graph: frame while moving, {name}", statistics.median(times), "ms", target, size)
            yield Row(f"graph: slowest frame while moving, {name}", max(times), "ms", "", size)
            yield Row(f"graph: bare frames of {FRAMES}, {name}", bare, "", "<= 0", size)
            wanted = EXACT_MS if count <= 10_000 else ""
            yield Row(f"graph: exact picture after the last move, CPU, {name}", exact, "ms", wanted, size)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1024 if sys.platform == "linux" else 1 << 20
        )
        yield Row("graph: memory at its peak", peak, "MB", "<= 600", size)
    finally:
        loop.stop()
        tasks.close()
        canvas.close()
        canvas.deleteLater()


def _move(canvas, loop: Loop) -> tuple[list[float], int, float]:  # type: ignore[no-untyped-def]
    """Pan and zoom; times of frames in ms of the window's thread, bare ones, median wait for the exact
    picture: the pause before it is begun and the CPU time of all threads until it is there."""
    from ui.graph.view import SETTLE_MS

    times, bare, waits = [], 0, []
    for repeat in range(REPEATS):
        for frame in range(FRAMES // REPEATS + 1):
            began = time.thread_time()
            if frame % 3 == 2:
                canvas.zoom_by(1.06 if (repeat + frame) % 2 else 1 / 1.06)
            else:
                canvas.pan_by(18.0 if repeat % 2 else -18.0, 9.0)
            canvas.repaint()
            times.append((time.thread_time() - began) * 1000)
            picture, overview = canvas.renderer.picture, canvas.renderer.overview
            bare += picture is None or not (picture.camera.holds(canvas.camera) or overview is not None)
            loop.until(lambda: True)
        cpu = time.process_time()
        loop.until(lambda: canvas.settled)
        waits.append(SETTLE_MS + (time.process_time() - cpu) * 1000)
    return times, bare, statistics.median(waits)


def _page_rows(count: int) -> Iterator[Row]:
    """Opening the page on a library whose places are kept, and the event loop while it is laid out anew."""
    from app import container, gui, writers
    from app.tour.long_story import plan
    from core.domain.commands_transfer import ApplyImport
    from core.domain.graph import GraphOf, KeepPositions
    from core.settings import Settings

    settings = Settings()
    settings.set("embedder", "none")
    app = gui.application(["bench"])
    with tempfile.TemporaryDirectory(prefix="graph-bench-") as directory:
        root = Path(directory) / "library"
        library = container.open_library(root, writers.person(), settings, create=True)
        library.engine.run(ApplyImport(plan(count)))
        data = library.engine.ask(GraphOf())
        side = 40.0 * count**0.5
        places = np.random.default_rng(0).uniform(-side / 2, side / 2, (len(data), 2)).astype(np.float32)
        library.engine.ask(KeepPositions(data.key, data.nodes.pks, places))
        library.close()
        with gui.running(app, settings) as window:
            window.resize(1400, 900)
            window.start(root)
            window.show()
            loop = Loop()
            loop.until(lambda: window.session is not None and window._services.tasks.busy == 0)
            yield from _open(window, loop, f"{count:,} memories")
            loop.stop()


def _open(window, loop: Loop, size: str) -> Iterator[Row]:  # type: ignore[no-untyped-def]
    for entry in ("ui.views.graph.page",):
        __import__(entry)  # the window does so by itself soon after the list is there
    loop.rows("", size)
    began, cpu = time.perf_counter(), time.process_time()
    window.session.show_page("graph")
    page = window.session.graph
    loop.until(lambda: page.canvas.scene is not None and page.canvas.settled)
    yield Row("graph: page opened to its picture", (time.perf_counter() - began) * 1000, "ms", "", size)
    yield Row("graph: the same, CPU of all threads", (time.process_time() - cpu) * 1000, "ms", OPEN_MS, size)
    yield from loop.rows("while the graph opens", size)
    loop.until(lambda: window._services.tasks.busy == 0)
    loop.rows("", size)
    began = time.perf_counter()
    page.picture.arrange_anew()
    loop.until(lambda: not page.picture.live.running and page.canvas.settled)
    yield Row("graph: laid out anew while shown", (time.perf_counter() - began) * 1000, "ms", "", size)
    yield from loop.rows("while the graph is laid out", size)


if __name__ == "__main__":
    from tests.bench.report import table

    print(table(run("--full" in sys.argv)))
