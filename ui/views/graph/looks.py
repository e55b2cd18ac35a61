"""Colours, fonts and words of the window for the canvas."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont

from core.domain.graph import time_of
from core.domain.ids import FolderPk
from core.domain.schema import Schema
from ui.context import Context
from ui.graph.coloring import Words
from ui.graph.compose import Names
from ui.graph.scene import Paint
from ui.graph.shapes import mix
from ui.icons import KEPT, glyph, kept_family
from ui.theme import load_colors
from ui.views.naming import label

EDGE_SHARE = 0.35
"""How much of the ground is in the plain colour of edges."""


def rgb(color: QColor) -> int:
    """A colour as 0xRRGGBB."""
    return color.rgb() & 0xFFFFFF


def paint_of(ctx: Context) -> Paint:
    """Colours and fonts of the scheme as it is now."""
    theme = ctx.theme
    ground = rgb(theme.color("base"))
    icons = QFont(kept_family())
    icons.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    return Paint(
        ground=ground,
        text=rgb(theme.color("text")),
        secondary=rgb(theme.color("secondary")),
        edge=mix(rgb(theme.color("border_strong")), ground, EDGE_SHARE),
        inhibits=rgb(theme.color("inhibits")),
        accent=rgb(theme.color("accent")),
        font=theme.font(),
        small=theme.font("small"),
        bold=theme.font("base", bold=True),
        icons=icons,
        dark=theme.dark,
    )


def names_of(ctx: Context, schema: Schema) -> Names:
    """Icons of types, names and colours of relations."""

    def icon(type_id: str) -> str:
        found = schema.type(type_id)
        name = found.icon if found is not None else ""
        return glyph(name) if name.startswith(f"{KEPT}.") else glyph("")

    def name(relation_id: str) -> str:
        found = schema.relation(relation_id)
        return label(found.labels, ctx.tr.code, relation_id) if found is not None else relation_id

    def color(relation_id: str) -> int:
        found = schema.relation(relation_id)
        return rgb(QColor(found.color)) if found is not None else rgb(ctx.theme.color("border_strong"))

    return Names(icon, name, color)


def words_of(ctx: Context, folders: dict[FolderPk, str]) -> Words:
    """What colours are called."""
    theme, tr = ctx.theme, ctx.tr
    return Words(
        type_color=lambda name: rgb(theme.type_color(name)),
        type_label=lambda name: theme.type_label(name, tr.code),
        layer_label=lambda name: tr(f"layer.{name}"),
        folder_label=lambda pk: folders.get(pk, str(pk)),
        hues=tuple(int(value[1:], 16) for value in load_colors(theme.dark).types.values()),
        ground=rgb(theme.color("base")),
        secondary=rgb(theme.color("secondary")),
        dark=theme.dark,
        relative=lambda value: tr.relative(time_of(value)),
        tr=tr,
    )
