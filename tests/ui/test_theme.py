"""Contrast on the real palettes, the switch at run time, fonts (cases c609, c620)."""

import json
from importlib import resources

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QFont, QImage, QPalette, QRawFont
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.domain.ids import TypeId
from core.domain.schema_data import default_schema
from tests.ui.conftest import settled
from ui import theme as theme_module
from ui.context import Context
from ui.main_window import MainWindow
from ui.session import Session
from ui.theme import Scheme, Theme, load_colors
from ui.views.editor_form import EditorForm
from ui.views.editor_values import empty_values

BACKGROUNDS = ("window", "base", "alternate", "selected", "hover")
TEXTS = ("text", "secondary")
MARKS = ("accent", "danger", "warning", "ok", "inhibits", "border_strong")


def luminance(color: QColor) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str | QColor, other: str | QColor) -> float:
    """Contrast ratio (WCAG 2), 1 to 21."""
    light, dark = sorted((luminance(QColor(one)), luminance(QColor(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_from_every_background(dark: bool) -> None:
    names = load_colors(dark).names
    weak = [
        (text, back, round(contrast(names[text], names[back]), 2))
        for text in TEXTS
        for back in BACKGROUNDS
        if contrast(names[text], names[back]) < 4.5
    ]
    assert weak == []
    assert contrast(names["tooltip"], names["on_tooltip"]) >= 4.5
    assert contrast(names["accent"], names["on_accent"]) >= 4.5
    assert contrast(names["accent_hover"], names["on_accent"]) >= 4.5
    assert contrast(names["accent_soft"], names["text"]) >= 4.5
    assert contrast(names["pressed"], names["text"]) >= 4.5
    for message in ("danger", "warning", "ok"):
        assert contrast(names[message], names["window"]) >= 4.5, message
        assert contrast(names[message], names["base"]) >= 4.5, message
    for back in ("window", "base"):
        assert contrast(names["disabled"], names[back]) >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_marks_of_types_stand_out_from_every_row(dark: bool) -> None:
    colors = load_colors(dark)
    marks = {name: colors.names[name] for name in MARKS}
    marks |= {kind.id: kind.color_dark if dark else kind.color for kind in default_schema().types}
    marks |= colors.types
    rows = ("window", "base", "alternate", "selected")
    weak = [
        (name, back, round(contrast(color, colors.names[back]), 2))
        for name, color in marks.items()
        for back in rows
        if contrast(color, colors.names[back]) < 3
    ]
    assert weak == []


def test_both_schemes_name_the_same_colours() -> None:
    assert load_colors(False).names.keys() == load_colors(True).names.keys()
    assert load_colors(False).types.keys() == load_colors(True).types.keys()
    folder = resources.files("resources") / "theme"
    for name in ("light.json", "dark.json"):
        assert json.loads((folder / name).read_text(encoding="utf-8"))


def shades(widget: QWidget) -> tuple[QColor, float]:
    """The colour most of a picture has, and the greatest contrast of anything in it to that colour."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels: dict[int, int] = {}
    for y in range(0, image.height(), 2):
        for x in range(0, image.width(), 2):
            value = image.pixel(x, y)
            pixels[value] = pixels.get(value, 0) + 1
    back = QColor(max(pixels, key=lambda value: pixels[value]))
    return back, max(contrast(back, QColor(value)) for value in pixels)


def test_switching_at_run_time_leaves_no_part_behind(
    qtbot: QtBot, window: MainWindow, opened: Session, theme: Theme
) -> None:
    opened.memories.table.selectRow(1)
    settled(qtbot, window)
    parts: list[QWidget] = [
        opened.memories.table,
        opened.memories.tree,
        opened.memories.facets,
        opened.detail,
        opened.rail,
        opened.status,
        window.top,
        window.menuBar(),
        window.chooser,
    ]
    for scheme in (Scheme.DARK, Scheme.LIGHT, Scheme.DARK):
        theme.set_scheme(scheme)
        settled(qtbot, window)
        for part in parts:
            back, strongest = shades(part)
            dark = luminance(back) < 0.2
            assert dark is (scheme is Scheme.DARK), (type(part).__name__, scheme, back.name())
            assert strongest >= 4.5, (type(part).__name__, scheme)


def test_icons_are_recoloured_by_a_switch(theme: Theme) -> None:
    def brightest() -> float:
        image = theme.icon("mdi6.undo").pixmap(32, 32).toImage()
        drawn = [
            image.pixelColor(x, y)
            for x in range(32)
            for y in range(32)
            if image.pixelColor(x, y).alpha() > 200
        ]
        return max(luminance(color) for color in drawn)

    light = brightest()
    theme.set_scheme(Scheme.DARK)
    assert light < 0.1
    assert brightest() > 0.7


def test_the_palette_comes_from_the_scheme(qapp: QApplication, theme: Theme) -> None:
    theme.set_scheme(Scheme.DARK)
    palette = qapp.palette()
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        assert contrast(palette.color(role), palette.color(QPalette.ColorRole.Window)) >= 4.5


def test_text_size_keeps_to_its_range_and_rows_grow(theme: Theme) -> None:
    small = theme.row_px
    theme.set_percent(500)
    assert theme.percent == 200
    assert theme.row_px == 2 * small
    theme.set_percent(10)
    assert theme.percent == 90


def test_text_of_a_dressed_window_follows_the_size_at_once(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    label = QLabel("text", window)
    qtbot.addWidget(window)
    theme.dress(window)
    window.show()
    for percent in (200, 100, 150, 100):
        theme.set_percent(percent)
        theme.set_scheme(Scheme.LIGHT if theme.dark else Scheme.DARK)
        QCoreApplication.processEvents()
        assert label.font().pixelSize() == theme.font().pixelSize()


def test_at_200_percent_no_label_of_the_rail_is_cut(
    qtbot: QtBot, window: MainWindow, opened: Session, theme: Theme
) -> None:
    theme.set_percent(200)
    settled(qtbot, window)
    for button in opened.rail._buttons.values():
        assert button.sizeHint().width() <= button.width()


def test_chinese_is_drawn_with_glyphs_when_a_font_has_them(theme: Theme) -> None:
    if theme.chinese_font_missing:
        pytest.skip("no Chinese font on this machine")
    font = theme.font()
    for character in "中文字体测试":
        raw = QRawFont.fromFont(font, theme_module.CHINESE)
        families = [QRawFont.fromFont(QFont(name)) for name in theme_module.chinese_families()]
        assert any(face.supportsCharacter(ord(character)) for face in (raw, *families))


def test_a_missing_chinese_font_is_said_once(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theme_module, "font_covers_chinese", lambda _font: False)
    window.start()
    assert window.message.isVisible()
    assert "Noto Sans CJK" in window.message.label.text()
    window.message.hide()
    window.start()
    assert not window.message.isVisible()
    settled(qtbot, window)


def test_icons_of_the_type_field_follow_scheme_and_size(context: Context, qtbot: QtBot) -> None:
    form = EditorForm(context)
    qtbot.addWidget(form)
    form.show_values(default_schema(), empty_values(TypeId("event")), "")
    before = form._type.itemIcon(0).pixmap(16, 16).toImage()
    context.theme.set_scheme(Scheme.DARK)
    assert form._type.itemIcon(0).pixmap(16, 16).toImage() != before
    context.theme.set_percent(200)
    assert form._type.iconSize() == context.theme.icon_size


def test_sheet_reaches_a_window_and_its_dialogs_and_follows_the_scheme(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    theme.dress(window)
    light = window.styleSheet()
    theme.set_scheme(Scheme.DARK)
    assert window.styleSheet() == theme.style_sheet() != light
