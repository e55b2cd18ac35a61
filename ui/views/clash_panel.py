"""Mine, theirs or as it was: shown when a program changed a memory while it was being edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QRadioButton, QVBoxLayout, QWidget

from core.domain.json_types import Json
from ui.context import Context
from ui.views.editor_values import Clash
from ui.widgets.diff_text import DiffText
from ui.widgets.plain_text import PlainTextEdit

Name = Callable[[str], str]
Shown = Callable[[str, Json], str]
SIDES = ("mine", "theirs", "base")


class ClashPanel(QFrame):
    """One group per clash with both texts (theirs as a difference from mine) and the old one.

    `chosen(key, value)` when a side was picked. Nothing is picked for the person beforehand.
    """

    chosen = Signal(str, object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._open: dict[str, bool] = {}
        self._groups: list[QWidget] = []
        self.setProperty("role", "clash")
        self._title = QLabel()
        self._title.setWordWrap(True)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(12, 8, 12, 12)
        self._box.setSpacing(8)
        self._box.addWidget(self._title)
        self.hide()

    @property
    def undecided(self) -> list[str]:
        """Keys for which no side was picked yet."""
        return [key for key, open_ in self._open.items() if open_]

    def show_clashes(self, clashes: Sequence[Clash], name: Name, shown: Shown) -> None:
        """Show these clashes; none hides the panel."""
        for group in self._groups:
            self._box.removeWidget(group)
            group.hide()
            group.deleteLater()
        self._groups = []
        self._open = {clash.key: True for clash in clashes}
        self._title.setText(self._ctx.tr("clash.title", count=len(clashes)))
        for clash in clashes:
            group = self._make_group(clash, name(clash.key), shown)
            self._groups.append(group)
            self._box.addWidget(group)
        self.setVisible(bool(clashes))

    def _make_group(self, clash: Clash, name: str, shown: Shown) -> QWidget:
        tr, group = self._ctx.tr, QWidget()
        box = QVBoxLayout(group)
        box.setContentsMargins(0, 4, 0, 0)
        box.setSpacing(4)
        heading = QLabel(name)
        heading.setProperty("role", "secondary")
        box.addWidget(heading)
        buttons = QButtonGroup(group)
        sides = {"mine": clash.mine, "theirs": clash.theirs, "base": clash.base}
        for side in SIDES:
            value = sides[side]
            button = QRadioButton(tr(f"clash.{side}"))
            button.setAccessibleName(f"{name}: {tr(f'clash.{side}')}")
            buttons.addButton(button)
            button.clicked.connect(lambda _on=False, key=clash.key, took=value: self._choose(key, took))
            box.addWidget(button)
            text = shown(clash.key, value)
            if side == "theirs":
                view: PlainTextEdit = DiffText(
                    gone=self._ctx.theme.color("diff_gone"),
                    new=self._ctx.theme.color("diff_new"),
                    max_lines=8,
                )
                if isinstance(view, DiffText):
                    view.show_difference(shown(clash.key, clash.mine), text)
            else:
                view = PlainTextEdit(lines=1, max_lines=8, read_only=True)
                view.set_text(text)
            view.setAccessibleName(f"{name}: {tr(f'clash.{side}')}")
            box.addWidget(view)
        return group

    def _choose(self, key: str, value: Json) -> None:
        self._open[key] = False
        self.chosen.emit(key, value)
