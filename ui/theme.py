"""How the window looks: palette, colours and icons of types, style sheet, fonts; light and dark."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPalette, QRawFont
from PySide6.QtWidgets import QApplication, QWidget

from ui.icons import font_icon

if TYPE_CHECKING:
    from core.domain.schema import Schema

ROW_PX = 28
BASE_FONT_PX = 13
TYPE_SCALE = {"small": 0.86, "base": 1.0, "large": 1.16, "title": 1.5}
TEXT_PERCENT = (90, 200)
WINDOW_SHARE, PART_SHARE = 0.95, 0.45
"""How much of the screen a dialog, and the largest part in it, may ask for when the text is large."""
CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "Hiragino Sans GB",
    "SimHei",
)
CJK_SAMPLE = "\u4e2d"
CHINESE = QFontDatabase.WritingSystem.SimplifiedChinese


class Scheme(StrEnum):
    """Light, dark, or as the system says."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colors:
    """One set of colours by name (resources/theme), and the marks of the types."""

    names: dict[str, str]
    types: dict[str, str]


@cache
def load_colors(dark: bool) -> Colors:
    """The colours of the light or the dark scheme."""
    data = json.loads(_read("dark.json" if dark else "light.json"))
    types = data.pop("types")
    return Colors(data, types)


@cache
def _read(name: str) -> str:
    return (resources.files("resources") / "theme" / name).read_text(encoding="utf-8")


def font_covers_chinese(font: QFont) -> bool:
    """Whether Chinese text would be drawn with glyphs and not with boxes."""
    raw = QRawFont.fromFont(font, CHINESE)
    if raw.supportsCharacter(ord(CJK_SAMPLE)):
        return True
    return any(
        QRawFont.fromFont(QFont(family)).supportsCharacter(ord(CJK_SAMPLE)) for family in chinese_families()
    )


def chinese_families() -> list[str]:
    """Families of the system that say they hold simplified Chinese."""
    return QFontDatabase.families(CHINESE)


class Theme(QObject):
    """The look of one application. `changed` when colours, icons or sizes are others than before."""

    changed = Signal()
    _sheet = Signal(str)

    def __init__(self, app: QApplication, scheme: Scheme = Scheme.SYSTEM, percent: int = 100) -> None:
        super().__init__(app)
        self._app = app
        self._scheme = scheme
        self._percent = percent
        self._schema: Schema | None = None
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._families = QFont(app.font()).families()
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._on_system)
        self._apply()

    # --- what it looks like now ---

    @property
    def dark(self) -> bool:
        """Whether the dark scheme is shown."""
        if self._scheme is Scheme.SYSTEM:
            return bool(self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark)
        return self._scheme is Scheme.DARK

    @property
    def scheme(self) -> Scheme:
        """What was chosen."""
        return self._scheme

    @property
    def percent(self) -> int:
        """Text size in percent."""
        return self._percent

    def color(self, name: str) -> QColor:
        """A colour of the scheme by its name in resources/theme."""
        return QColor(load_colors(self.dark).names[name])

    def type_color(self, type_id: str) -> QColor:
        """The mark colour of a memory type, as the schema says."""
        own = self._schema.type(type_id) if self._schema is not None else None
        if own is not None:
            return QColor(own.color_dark if self.dark else own.color)
        colors = load_colors(self.dark)
        return QColor(colors.types.get(type_id, colors.names["secondary"]))

    def icon(self, name: str, color: str = "text") -> QIcon:
        """An icon of the kept set (`mdi6.undo`) in a colour of the scheme."""
        return self._cached(name, self.color(color).name())

    def type_icon(self, type_id: str) -> QIcon:
        """The icon of a memory type in its mark colour."""
        own = self._schema.type(type_id) if self._schema is not None else None
        name = own.icon if own is not None else "mdi6.circle-outline"
        return self._cached(name, self.type_color(type_id).name())

    def type_label(self, type_id: str, language: str) -> str:
        """The name of a memory type in a language; its id when it has none."""
        own = self._schema.type(type_id) if self._schema is not None else None
        labels = own.labels if own is not None else {}
        return labels.get(language) or labels.get("en") or type_id

    def px(self, size: float) -> int:
        """A length of the design in pixels at the chosen text size."""
        return round(size * self._percent / 100)

    def wide(self, size: float) -> int:
        """A width in pixels for a window of its own: like `px`, but never wider than the screen."""
        return min(self.px(size), round(self._room.width() * WINDOW_SHARE))

    def tall(self, size: float) -> int:
        """A least height for the largest part of a dialog: like `px`, but it leaves room for the rest."""
        return min(self.px(size), round(self._room.height() * PART_SHARE))

    def high(self, size: float) -> int:
        """A height in pixels for a window of its own: like `px`, but never taller than the screen."""
        return min(self.px(size), round(self._room.height() * WINDOW_SHARE))

    @property
    def _room(self) -> QSize:
        return self._app.primaryScreen().availableSize()

    @property
    def row_px(self) -> int:
        """Height of a row in lists."""
        return self.px(ROW_PX)

    @property
    def icon_size(self) -> QSize:
        """Size of icons in rows and buttons."""
        return QSize(self.px(16), self.px(16))

    def font(self, step: str = "base", *, bold: bool = False) -> QFont:
        """A font of the type scale: small, base, large, title."""
        font = QFont()
        font.setFamilies([*self._families, *CJK_FAMILIES])
        font.setPixelSize(self.px(BASE_FONT_PX * TYPE_SCALE[step]))
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    @property
    def chinese_font_missing(self) -> bool:
        """Whether no font of the system draws Chinese."""
        return not font_covers_chinese(self.font())

    def end(self) -> None:
        """Follow the system no longer."""
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_system)

    # --- changing it ---

    def set_scheme(self, scheme: Scheme) -> None:
        """Light, dark or as the system."""
        if scheme is not self._scheme:
            self._scheme = scheme
            self._apply()

    def set_percent(self, percent: int) -> None:
        """Text size, 90 to 200 %."""
        percent = min(max(percent, TEXT_PERCENT[0]), TEXT_PERCENT[1])
        if percent != self._percent:
            self._percent = percent
            self._apply()

    def set_schema(self, schema: Schema) -> None:
        """Colours, icons and names of the library's own types."""
        if schema != self._schema:
            self._schema = schema
            self.changed.emit()

    def bind(self, owner: QObject, apply: Callable[[], None]) -> None:
        """Call `apply`, a method of the owner, now and after each change, as long as the owner lives."""
        apply()
        self.changed.connect(apply)

    def dress(self, window: QWidget) -> None:
        """Give a window and all below it the style sheet, now and after each change.

        The sheet belongs to windows and not to the application: with one of the application's, every
        widget put into another is styled anew with all its children, level by level (measured: building
        the views takes six times as long, a change of scheme seven times).
        """
        window.setStyleSheet(self.style_sheet())
        self._sheet.connect(window.setStyleSheet)

    def _on_system(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        self._icons.clear()
        if self._app.font().pixelSize() == self.font().pixelSize():
            self._sheet.emit("")  # the palette of bare widgets costs next to nothing
        self._app.setFont(
            self.font()
        )  # widgets bared in the same turn would keep their old font under the sheet
        self._app.setPalette(self.palette())
        self._sheet.emit(self.style_sheet())
        self.changed.emit()

    def palette(self) -> QPalette:
        """The whole palette from the colours of the scheme."""
        role = QPalette.ColorRole
        named = {
            role.Window: "window",
            role.WindowText: "text",
            role.Base: "base",
            role.AlternateBase: "alternate",
            role.Text: "text",
            role.Button: "base",
            role.ButtonText: "text",
            role.BrightText: "danger",
            role.Highlight: "selected",
            role.HighlightedText: "text",
            role.ToolTipBase: "tooltip",
            role.ToolTipText: "on_tooltip",
            role.PlaceholderText: "secondary",
            role.Link: "accent",
            role.LinkVisited: "accent",
            role.Accent: "accent",
            role.Light: "base",
            role.Midlight: "border",
            role.Mid: "border",
            role.Dark: "border_strong",
            role.Shadow: "border_strong",
        }
        palette = QPalette()
        for target, name in named.items():
            palette.setColor(target, self.color(name))
        for target in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, self.color("disabled"))
        return palette

    def style_sheet(self) -> str:
        """The one style sheet with colours and sizes filled in."""
        colors = load_colors(self.dark).names
        lengths = {f"px{n}": f"{self.px(n)}px" for n in (1, 2, 4, 6, 8, 12, 16, 24, 28, 32, 40)}
        fonts = {f"font_{step}": f"{self.px(BASE_FONT_PX * scale)}px" for step, scale in TYPE_SCALE.items()}
        return Template(_read("window.qss")).substitute(colors, **lengths, **fonts, **self._drawings())

    def _drawings(self) -> dict[str, str]:
        """Files of the small marks that the style sheet draws: check mark and arrows."""
        scheme = "dark" if self.dark else "light"
        place = resources.files("resources") / "theme"
        return {
            f"mark_{name}": Path(str(place / f"{name}_{scheme}.svg")).as_posix()
            for name in ("check", "dash", "down", "up")
        }

    def _cached(self, name: str, color: str) -> QIcon:
        icon = self._icons.get((name, color))
        if icon is None:
            icon = font_icon(name, color, self.color("disabled").name(), self.icon_size.width())
            self._icons[name, color] = icon
        return icon
