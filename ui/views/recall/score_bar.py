"""The score as a bar of coloured parts, and its legend with numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter

from core.domain.recall import Recalled
from ui.language import Language
from ui.theme import Theme
from ui.views.recall.words import DECAY, part_color, part_text, sorted_parts

GAP_PX = 1
SWATCH_PX = 8
SPACE_PX = 10


def paint_bar(painter: QPainter, area: QRect, recalled: Recalled, best: float, theme: Theme) -> None:
    """The parts side by side; the whole is as long as the score is of the best. Losses are hatched at the end."""
    painter.fillRect(area, theme.color("pressed"))
    if best <= 0 or recalled.score <= 0:
        return
    parts = sorted_parts(recalled)
    gained = sum(value for _, value in parts if value > 0)
    lost = -sum(value for _, value in parts if value < 0)
    whole = area.width() * min(1.0, recalled.score / best)
    if gained <= 0:
        painter.fillRect(QRectF(area.left(), area.top(), whole, area.height()), theme.color("part_other"))
        return
    scale = whole / max(gained - lost, 1e-9) if gained > lost else whole / gained
    at, end = float(area.left()), float(area.right() + 1)
    for name, value in parts:
        if value > 0:
            width = min(value * scale, end - at)
            painter.fillRect(
                QRectF(at, area.top(), max(width - GAP_PX, 0.5), area.height()), theme.color(part_color(name))
            )
            at += width
    if lost > 0:
        width = min(lost * scale, at - area.left())
        painter.fillRect(
            QRectF(at - width, area.top(), width, area.height()),
            QBrush(theme.color("inhibits"), Qt.BrushStyle.BDiagPattern),
        )


def legend(tr: Language, recalled: Recalled) -> list[tuple[str, str]]:
    """(text, colour) of each part; the factor of age comes last and has no colour."""
    items = [(part_text(tr, name, value), part_color(name)) for name, value in sorted_parts(recalled)]
    if DECAY in recalled.parts:
        items.append((part_text(tr, DECAY, recalled.parts[DECAY]), ""))
    return items


def paint_legend(
    painter: QPainter, area: QRect, items: Sequence[tuple[str, str]], metrics: QFontMetrics, theme: Theme
) -> None:
    """As many parts as fit in one line, then how many more there are."""
    swatch, space = theme.px(SWATCH_PX), theme.px(SPACE_PX)
    at = area.left()
    for place, (text, color) in enumerate(items):
        mark = swatch + space // 3 if color else 0
        width = mark + metrics.horizontalAdvance(text)
        left = len(items) - place - 1
        room = metrics.horizontalAdvance(f"+{left}") + space if left else 0
        if at + width + room > area.right():
            painter.setPen(theme.color("secondary"))
            painter.drawText(
                QRect(at, area.top(), area.right() - at, area.height()),
                Qt.AlignmentFlag.AlignVCenter,
                f"+{left + 1}",
            )
            return
        if color:
            top = area.center().y() - swatch // 2 + 1
            painter.fillRect(QRect(at, top, swatch, swatch), theme.color(color))
        painter.setPen(theme.color("secondary"))
        painter.drawText(
            QRect(at + mark, area.top(), width, area.height()), Qt.AlignmentFlag.AlignVCenter, text
        )
        at += width + space
