"""The picture as PNG or SVG, the graph as GraphML: written in a worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QRect, QSize
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.errors import UserError
from core.domain.graph import ExportGraph
from ui.context import Context
from ui.graph.camera import Camera
from ui.graph.painter import Care, Painter
from ui.graph.scene import Scene
from ui.language import isolate
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.tasks import Lane
from ui.views.graph.picture import GraphPicture

PNG_RATIO = 2.0
ENDINGS = {"png": "PNG (*.png)", "svg": "SVG (*.svg)", "graphml": "GraphML (*.graphml)"}


class Out(QObject):
    """Asks for a place and writes."""

    def __init__(
        self, ctx: Context, operations: Operations, picture: GraphPicture, place: QWidget, paths: PathChoice
    ) -> None:
        super().__init__(place)
        self._ctx, self._operations, self._picture = ctx, operations, picture
        self._place, self._paths = place, paths

    def save(self, kind: str) -> None:
        """Ask where to, then write the view (png, svg) or what is shown of the graph (graphml)."""
        tr = self._ctx.tr
        suggested = Path.home() / f"{tr('graph.out.name')}.{kind}"
        path = self._paths.save_file(self._place, tr(f"action.graph.{kind}"), suggested, ENDINGS[kind])
        if path is None:
            return
        write = self._graphml if kind == "graphml" else self._view(kind)
        if write is None:
            return

        def work(_progress: Report, cancel: Cancel) -> Path:
            try:
                write(path, cancel)
            except OSError as error:
                raise UserError("graph.out.failed", path=str(path), details=str(error)) from error
            return path

        self._ctx.tasks.run(
            Lane.READ,
            work,
            lambda done: self._operations.said.emit(tr("graph.out.done", path=isolate(str(done))), False),
            owner=self,
            failed=self._operations.show_error,
            label="graph.task.out",
        )

    def _view(self, kind: str) -> Callable[[Path, Cancel], None] | None:
        scene, camera = self._picture.canvas.scene, self._picture.canvas.camera
        if scene is None:
            return None
        write = write_png if kind == "png" else write_svg
        return lambda path, _cancel: write(path, scene, camera)

    def _graphml(self, path: Path, cancel: Cancel) -> None:
        """What is in sight, written by the engine."""
        state, scene = self._picture.state, self._picture.canvas.scene
        if state is not None and scene is not None:
            data = state.data.part(scene.nodes.shown, scene.lines.shown)
            places = state.positions[scene.nodes.shown]
            self._ctx.engine.ask(ExportGraph(data.nodes.pks, places, data.edges.pks, path), cancel=cancel)


def write_png(path: Path, scene: Scene, camera: Camera) -> None:
    """The view as a picture of twice its size. Errors: OSError."""
    image = Painter().picture(scene, camera, Care.EXACT, PNG_RATIO).image
    if not image.save(str(path)):
        raise OSError(str(path))


def write_svg(path: Path, scene: Scene, camera: Camera) -> None:
    """The view as vectors. Errors: OSError."""
    with path.open("wb"):
        pass  # says at once when it cannot be written; the generator would be silent
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(QSize(camera.width, camera.height))
    generator.setViewBox(QRect(0, 0, camera.width, camera.height))
    painter = QPainter(generator)
    painter.setClipRect(QRect(0, 0, camera.width, camera.height))
    painter.fillRect(QRect(0, 0, camera.width, camera.height), QColor(scene.paint.ground))
    Painter().paint(painter, scene, camera, Care.EXACT, vector=True)
    painter.end()
