"""Tokens of each section against its share of the budget, as bars with numbers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.domain.recall import Injection, InjectionSection
from ui.context import Context

ROW_PX = 20
BAR_PX = 8
NAME_SHARE = 0.36
NUMBER_PX = 92


class SectionBars(QWidget):
    """One line a section: name, bar, tokens of budget; what was cut or left out in the tooltip and description."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._injection: Injection | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        ctx.theme.changed.connect(self.update)

    def show_injection(self, injection: Injection | None) -> None:
        """Show the sections of a text."""
        self._injection = injection
        self.setAccessibleName(self._ctx.tr("recall_page.sections"))
        self.setAccessibleDescription("\n".join(self._line(section) for section in self.sections))
        self.updateGeometry()
        self.update()

    @property
    def sections(self) -> tuple[InjectionSection, ...]:
        """What is shown."""
        return self._injection.sections if self._injection is not None else ()

    def sizeHint(self) -> QSize:
        return QSize(200, self._ctx.theme.px(ROW_PX) * len(self.sections) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        height = self._ctx.theme.px(ROW_PX)
        longest = max((max(each.tokens, each.budget or 0) for each in self.sections), default=1) or 1
        for at, section in enumerate(self.sections):
            self._paint_row(painter, QRect(0, at * height, self.width(), height), section, longest)

    def _paint_row(self, painter: QPainter, area: QRect, section: InjectionSection, longest: int) -> None:
        theme, px = self._ctx.theme, self._ctx.theme.px
        painter.setFont(theme.font("small"))
        metrics = QFontMetrics(painter.font())
        name_width = int(area.width() * NAME_SHARE)
        painter.setPen(theme.color("text"))
        name = metrics.elidedText(self.name(section), Qt.TextElideMode.ElideRight, name_width - 4)
        painter.drawText(QRect(0, area.top(), name_width, area.height()), Qt.AlignmentFlag.AlignVCenter, name)
        bar_left, bar_right = name_width, area.width() - px(NUMBER_PX)
        top = area.center().y() - px(BAR_PX) // 2 + 1
        room = max(1, bar_right - bar_left)
        if section.budget:
            painter.fillRect(
                QRect(bar_left, top, int(room * section.budget / longest), px(BAR_PX)), theme.color("pressed")
            )
        trouble = bool(section.left_out) or any(each.cut for each in section.memories)
        painter.fillRect(
            QRect(bar_left, top, max(1, int(room * section.tokens / longest)), px(BAR_PX)),
            theme.color("warning" if trouble else "accent"),
        )
        painter.setPen(theme.color("secondary"))
        painter.drawText(
            QRect(bar_right, area.top(), px(NUMBER_PX), area.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
            self._numbers(section),
        )

    def name(self, section: InjectionSection) -> str:
        """A section in words."""
        key = f"inject.section.{section.name}"
        return self._ctx.tr(key) if self._ctx.tr.has(key) else section.name

    def _numbers(self, section: InjectionSection) -> str:
        tr = self._ctx.tr
        used = tr.number(section.tokens)
        mark = "⚠ " if section.left_out or any(each.cut for each in section.memories) else ""
        return (
            f"{mark}{used} / {tr.number(section.budget)}" if section.budget is not None else f"{mark}{used}"
        )

    def _line(self, section: InjectionSection) -> str:
        tr = self._ctx.tr
        cut = sum(each.cut for each in section.memories)
        parts = [tr("recall_page.section", name=self.name(section), tokens=tr.number(section.tokens))]
        if section.budget is not None:
            parts.append(tr("recall_page.section.budget", budget=tr.number(section.budget)))
        parts.append(tr("recall_page.section.memories", count=len(section.memories)))
        if cut:
            parts.append(tr("recall_page.section.cut", count=cut))
        if section.left_out:
            parts.append(tr("recall_page.section.left_out", count=len(section.left_out)))
        return tr("list.comma").join(parts)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = int(event.position().y()) // self._ctx.theme.px(ROW_PX)
        self.setToolTip(self._line(self.sections[at]) if 0 <= at < len(self.sections) else "")
        super().mouseMoveEvent(event)
