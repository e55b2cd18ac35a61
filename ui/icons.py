"""Icons of the kept set (QtAwesome), drawn once into pictures in the colours asked for.

QtAwesome's own icons call Python at each paint, for every row of a list; pictures do not.
"""

from __future__ import annotations

from functools import cache

import qtawesome
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

PLAIN = "mdi6.circle-outline"
SIZE_PX = 16
SCALES = (1, 2, 3)
"""Pictures for screens of one, two and three pixels a point."""
GLYPH_SHARE = 0.9
"""Part of the square that a glyph's font size takes, so that its lines are not cut at the edge."""


@cache
def glyph(name: str) -> str:
    """The character of an icon; that of the plain circle for a name that is unknown (types of the
    user's own may name anything)."""
    try:
        return str(qtawesome.charmap(name))
    except (KeyError, ValueError):
        return str(qtawesome.charmap(PLAIN))


def font_icon(name: str, color: str, disabled: str, size_px: int = SIZE_PX) -> QIcon:
    """The icon for buttons and rows of that size, and its picture for disabled ones."""
    icon = QIcon()
    prefix = name.partition(".")[0] if "." in name else PLAIN.partition(".")[0]
    for scale in SCALES:
        for mode, shade in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
            icon.addPixmap(_picture(prefix, glyph(name), shade, size_px * scale), mode)
    return icon


def _picture(prefix: str, character: str, color: str, size_px: int) -> QPixmap:
    picture = QPixmap(size_px, size_px)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    font = qtawesome.font(prefix, 1)
    font.setPixelSize(round(size_px * GLYPH_SHARE))
    painter.setFont(font)
    painter.setPen(QColor(color))
    painter.drawText(picture.rect(), Qt.AlignmentFlag.AlignCenter, character)
    painter.end()
    return picture
