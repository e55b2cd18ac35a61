"""Pictures made in workers: one at a time, always of the newest wish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from ui.graph.camera import Camera
from ui.graph.painter import Care, Painter, Picture
from ui.graph.scene import Scene
from ui.tasks import Lane, TaskRunner

MARGIN = 0.25
"""A picture is larger than the view by this share at each side, so that moving does not bare its rim."""
OVERVIEW_PX = 1_500
PIXELS_MOST = 14_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Wish:
    scene: Scene
    camera: Camera
    care: Care


class Renderer(QObject):
    """`ready` when `picture` or `overview` is newer than before."""

    ready = Signal()

    def __init__(self, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._painter = Painter()
        self._scene: Scene | None = None
        self._wish: _Wish | None = None
        self._busy = False
        self._overview_of: Scene | None = None
        self.ratio = 1.0
        self.picture: Picture | None = None
        self.picture_of: Scene | None = None
        self.overview: Picture | None = None

    @property
    def busy(self) -> bool:
        """Whether a picture is being made or wished for."""
        return self._busy or self._wish is not None

    def show(self, scene: Scene) -> None:
        """Pictures are of this scene from now on."""
        self._scene = scene

    def forget(self) -> None:
        """Nothing is shown any more."""
        self._scene = self._wish = self.picture = self.overview = self.picture_of = self._overview_of = None

    def want(self, camera: Camera, care: Care) -> None:
        """A picture of what this camera sees, as soon as the one being made is done."""
        if self._scene is not None:
            self._wish = _Wish(self._scene, camera.widened(MARGIN), care)
            self._next()

    def want_overview(self) -> None:
        """A picture of everything, when nothing else is to be made and the old one is of another scene."""
        scene = self._scene
        if scene is None or self.busy or self._overview_of is scene:
            return
        points = scene.nodes.positions[scene.nodes.shown]
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            self._overview_of, self.overview = scene, None
            return
        span = np.maximum(np.ptp(points, axis=0), 1.0)
        wide = float(span[0] / span[1])
        width = OVERVIEW_PX if wide >= 1 else max(int(OVERVIEW_PX * wide), 200)
        height = max(int(width / wide), 200) if wide >= 1 else OVERVIEW_PX
        camera = Camera(width=width, height=height).fitting(points, margin_px=40)
        self._start(_Wish(scene, camera, Care.OVERVIEW))

    def _next(self) -> None:
        if not self._busy and self._wish is not None:
            wish, self._wish = self._wish, None
            self._start(wish)

    def _start(self, wish: _Wish) -> None:
        self._busy = True
        painter = self._painter
        ratio = self.ratio if wish.care is not Care.OVERVIEW else 1.0
        margin = MARGIN if wish.care is not Care.OVERVIEW else 0.0
        pixels = wish.camera.width * wish.camera.height
        ratio = min(ratio, (PIXELS_MOST / max(pixels, 1)) ** 0.5)

        def draw(_progress: Report, _cancel: Cancel) -> Picture:
            return painter.picture(wish.scene, wish.camera, wish.care, ratio, margin)

        self._tasks.run(
            Lane.READ,
            draw,
            lambda picture: self._take(wish, picture),
            owner=self,
            failed=self._on_failed,
        )

    def _take(self, wish: _Wish, picture: Picture) -> None:
        self._busy = False
        if picture.care is Care.OVERVIEW:
            self.overview, self._overview_of = picture, wish.scene
        else:
            self.picture, self.picture_of = picture, wish.scene
        self.ready.emit()
        self._next()

    def _on_failed(self, error: Exception) -> None:
        self._busy = False
        self._tasks.error.emit(error)
