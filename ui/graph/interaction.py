"""What a hand does on the canvas: pan, zoom, pick, lasso, move nodes, draw relations."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from ui.graph import hits
from ui.graph.surface import Surface

WHEEL_STEP = 1.0015
"""Zoom for each eighth of a degree of the wheel."""
OUT_PX = 6
MOVE_MODIFIERS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class Doing(Enum):
    """What the pressed button means so far."""

    NOTHING = 0
    PRESSED = 1
    PAN = 2
    LASSO = 3
    MOVE = 4
    LINK = 5


class Hand:
    """Turns mouse events into what they mean. The canvas has the picture, this has the gesture."""

    def __init__(self, canvas: Surface) -> None:
        self._canvas = canvas
        self.doing = Doing.NOTHING
        self._from = QPointF()
        self._last = QPointF()
        self._node = -1
        self._on_handle = False
        self._adds = False
        self._before: dict[int, tuple[float, float]] = {}
        self._leader = (0.0, 0.0)

    # --- buttons ---

    def press(self, event: QMouseEvent) -> None:
        """A button went down: remember what is under it."""
        canvas = self._canvas
        self._from = self._last = event.position()
        if event.button() == Qt.MouseButton.MiddleButton:
            self.doing = Doing.PAN
            return
        if event.button() != Qt.MouseButton.LeftButton or canvas.scene is None:
            return
        x, y = self._from.x(), self._from.y()
        over = canvas.over
        self._on_handle = over.hover >= 0 and over.handle and hits.on_handle(
            canvas.scene, canvas.camera, over.hover, x, y
        )  # fmt: skip
        self._node = over.hover if self._on_handle else canvas.node_at(x, y)
        self._adds = bool(event.modifiers() & MOVE_MODIFIERS)
        self.doing = Doing.PRESSED

    def move(self, event: QMouseEvent) -> None:
        """The pointer moved, with or without a button."""
        at = event.position()
        if self.doing is Doing.PRESSED and self._far(at):
            self._begin()
        match self.doing:
            case Doing.PAN:
                self._canvas.pan_by(at.x() - self._last.x(), at.y() - self._last.y())
            case Doing.LASSO:
                self._canvas.over.lasso.append((at.x(), at.y()))
                self._canvas.update()
            case Doing.MOVE:
                self._move_nodes(at)
            case Doing.LINK:
                self._stretch(at)
            case Doing.NOTHING:
                self._canvas.hover_at(at.x(), at.y())
        self._last = at

    def release(self, event: QMouseEvent) -> None:
        """A button went up: carry out what was meant."""
        doing, self.doing = self.doing, Doing.NOTHING
        at, canvas = event.position(), self._canvas
        match doing:
            case Doing.PRESSED:
                self._click(at, event.globalPosition().toPoint())
            case Doing.LASSO:
                canvas.take_lasso(
                    adds=self._adds and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
                )
            case Doing.MOVE:
                self._drop(event.globalPosition().toPoint())
            case Doing.LINK:
                self._link(at, event.globalPosition().toPoint())
            case Doing.PAN | Doing.NOTHING:
                pass

    def double(self, event: QMouseEvent) -> None:
        """A double click opens a node, or goes nearer on free ground."""
        canvas, at = self._canvas, event.position()
        node = canvas.node_at(at.x(), at.y())
        if node >= 0:
            canvas.opened.emit(canvas.pk_of(node))
        elif canvas.group_at(at.x(), at.y()) < 0:
            canvas.go_to(canvas.camera.zoomed(1.8, at.x(), at.y()))

    def cancel(self) -> bool:
        """Give up the gesture; whether there was one."""
        doing, self.doing = self.doing, Doing.NOTHING
        if doing is Doing.MOVE:
            self._canvas.put_back(self._before)
        self._canvas.over.lasso = []
        self._canvas.over.link_from = self._canvas.over.target = -1
        self._canvas.update()
        return doing is not Doing.NOTHING

    def renumber(self, number: Callable[[int], int]) -> None:
        """Nodes have other numbers now (-1 = gone). A gesture whose node is gone comes to nothing."""
        over = self._canvas.over
        over.link_from = number(over.link_from) if over.link_from >= 0 else -1
        self._node = number(self._node) if self._node >= 0 else -1
        self._before = {at: place for node, place in self._before.items() if (at := number(node)) >= 0}
        if self._node < 0 and self.doing in {Doing.MOVE, Doing.LINK}:
            self.doing = Doing.NOTHING
            self._before = {}
            over.link_from = -1

    def hold_on(self) -> None:
        """The picture was made anew: what is being moved is where the hand has it, not where it was."""
        if self.doing is Doing.MOVE:
            self._move_nodes(self._last)

    # --- the wheel ---

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom about the pointer; a touch pad's two fingers with Shift pan."""
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._canvas.pan_by(turn.x() / 2 + turn.y() / 2, 0.0)
            return
        at = event.position()
        self._canvas.zoom_by(WHEEL_STEP ** turn.y(), at.x(), at.y())

    def pinch(self, event: QNativeGestureEvent) -> None:
        """Two fingers apart or together."""
        if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self._canvas.zoom_by(1.0 + event.value(), event.position().x(), event.position().y())

    # --- inside ---

    def _far(self, at: QPointF) -> bool:
        away = math.hypot(at.x() - self._from.x(), at.y() - self._from.y())
        return away >= QApplication.startDragDistance()

    def _begin(self) -> None:
        canvas = self._canvas
        if self._on_handle:
            self.doing = Doing.LINK
            canvas.over.link_from = self._node
        elif self._node >= 0 and canvas.movable:
            self.doing = Doing.MOVE
            self._before = canvas.take_up(self._node)
            self._leader = self._before[self._node]
        elif self._adds:
            self.doing = Doing.LASSO
            canvas.over.lasso = [(self._from.x(), self._from.y())]
        else:
            self.doing = Doing.PAN

    def _click(self, at: QPointF, screen: QPoint) -> None:
        canvas, x, y = self._canvas, at.x(), at.y()
        if self._on_handle:
            canvas.relation_wanted.emit(canvas.pk_of(self._node))
            return
        if self._node >= 0:
            canvas.pick(self._node, adds=self._adds)
            return
        group = canvas.group_at(x, y)
        if group >= 0:
            canvas.open_group(group)
            return
        edge = canvas.edge_at(x, y)
        if edge >= 0:
            canvas.edge_clicked.emit(canvas.edge_pk_of(edge), screen)
        elif not self._adds:
            canvas.pick(-1)

    def _move_nodes(self, at: QPointF) -> None:
        canvas = self._canvas
        if not canvas.rect().adjusted(-OUT_PX, -OUT_PX, OUT_PX, OUT_PX).contains(at.toPoint()):
            self.doing = Doing.NOTHING
            canvas.put_back(self._before)
            canvas.carried_out.emit(tuple(canvas.pk_of(node) for node in self._before))
            return
        dx = (at.x() - self._from.x()) / canvas.camera.scale
        dy = (at.y() - self._from.y()) / canvas.camera.scale
        canvas.move_to({node: (x + dx, y + dy) for node, (x, y) in self._before.items()})
        target = canvas.node_at(at.x(), at.y(), frozenset(self._before))
        canvas.over.target = target

    def _drop(self, screen: QPoint) -> None:
        canvas = self._canvas
        target, canvas.over.target = canvas.over.target, -1
        moved = tuple(canvas.pk_of(node) for node in self._before)
        if target >= 0:
            canvas.put_back(self._before)
            canvas.dropped_on.emit(moved, canvas.pk_of(target), screen)
        else:
            canvas.put_down(tuple(self._before))

    def _stretch(self, at: QPointF) -> None:
        over = self._canvas.over
        over.link_to = (at.x(), at.y())
        over.target = self._canvas.node_at(at.x(), at.y(), frozenset({over.link_from}))
        self._canvas.update()

    def _link(self, _at: QPointF, screen: QPoint) -> None:
        canvas, over = self._canvas, self._canvas.over
        source, target = over.link_from, over.target
        over.link_from = over.target = -1
        canvas.update()
        if target >= 0 and source >= 0:
            canvas.linked.emit(canvas.pk_of(source), canvas.pk_of(target), screen)
