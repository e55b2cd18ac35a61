"""Icons of the kept set (QtAwesome), drawn once into pictures in the colours asked for.

QtAwesome's own icons call Python at each paint, for every row of a list; pictures do not. Its set of
Material Design icons is read from its files: importing it loads every font it has (20 MB, 0.15 s).
Icons of other sets, which types of the user's own may name, still come through it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPixmap

KEPT = "mdi6"
KEPT_FILES = "materialdesignicons6-webfont"
PLAIN = "circle-outline"
SIZE_PX = 16
SCALES = (1, 2, 3)
"""Pictures for screens of one, two and three pixels a point."""
GLYPH_SHARE = 0.9
"""Part of the square that a glyph's font size takes, so that its lines are not cut at the edge."""


@cache
def _fonts() -> Path:
    spec = find_spec("qtawesome")  # finds the package without running it
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "fonts"


@cache
def _kept_glyphs() -> dict[str, str]:
    file = next(_fonts().glob(f"{KEPT_FILES}-charmap-*.json"))
    codes: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return codes


@cache
def kept_family() -> str:
    """Font family of the kept set, for those who draw its characters themselves."""
    file = next(_fonts().glob(f"{KEPT_FILES}-[0-9]*.ttf"))
    return QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))[0]


@cache
def _glyph(name: str) -> tuple[str, str]:
    """Character and font family of an icon; the plain circle for a name that is unknown (types of the
    user's own may name anything)."""
    prefix, _, short = name.partition(".")
    if prefix != KEPT and short:
        import qtawesome

        try:
            return str(qtawesome.charmap(name)), str(qtawesome.font(prefix, SIZE_PX).family())
        except (KeyError, ValueError):
            short = PLAIN
    glyphs = _kept_glyphs()
    return chr(int(glyphs.get(short, glyphs[PLAIN]), 16)), kept_family()


def glyph(name: str) -> str:
    """The character of an icon."""
    return _glyph(name)[0]


def font_icon(name: str, color: str, disabled: str, size_px: int = SIZE_PX) -> QIcon:
    """The icon for buttons and rows of that size, and its picture for disabled ones."""
    icon = QIcon()
    for scale in SCALES:
        for mode, shade in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
            icon.addPixmap(_picture(*_glyph(name), shade, size_px * scale), mode)
    return icon


def _picture(character: str, family: str, color: str, size_px: int) -> QPixmap:
    picture = QPixmap(size_px, size_px)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    font = QFont(family)
    font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    font.setPixelSize(round(size_px * GLYPH_SHARE))
    painter.setFont(font)
    painter.setPen(QColor(color))
    painter.drawText(picture.rect(), Qt.AlignmentFlag.AlignCenter, character)
    painter.end()
    return picture
