"""Icons of the kept set (QtAwesome), painted in the colours asked for."""

from __future__ import annotations

from functools import cache

import qtawesome
from PySide6.QtGui import QIcon


@cache
def known(name: str) -> bool:
    """Whether the set has an icon of that name."""
    prefix, _, rest = name.partition(".")
    charmap = qtawesome._resource  # noqa: SLF001 - the public API can only draw, not ask
    instance = charmap["iconic"] or qtawesome._instance()  # noqa: SLF001
    return rest in instance.charmap.get(prefix, {})


def font_icon(name: str, color: str, disabled: str) -> QIcon:
    """The icon; an unknown name gives the plain circle (types of the user's own may name anything)."""
    shown = name if known(name) else "mdi6.circle-outline"
    icon: QIcon = qtawesome.icon(shown, color=color, color_active=color, color_disabled=disabled)
    return icon
