"""What becomes of memories that are here already: mine, the file's, or both."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from core.domain.package import Collision
from core.domain.transfer import ImportPlan
from ui.context import Context


class CollisionChoice(QWidget):
    """Three choices, each with what it does; shown only where something is here already. `chosen(Collision)`."""

    chosen = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tr = ctx.tr
        self._group = QButtonGroup(self)
        self._buttons: dict[Collision, QRadioButton] = {}
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._note.setProperty("role", "small")
        self._texts = {each: tr(f"import.collision.{each.value}.tip") for each in Collision}
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(QLabel(tr("import.collision")))
        for each in Collision:
            button = QRadioButton(tr(f"import.collision.{each.value}"))
            button.setToolTip(self._texts[each])
            button.toggled.connect(self._on_toggled)
            self._buttons[each] = button
            self._group.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(row)
        box.addWidget(self._note)
        self._buttons[Collision.MINE].setChecked(True)
        self.hide()

    @property
    def choice(self) -> Collision:
        """What is chosen."""
        return next(each for each, button in self._buttons.items() if button.isChecked())

    def choose(self, choice: Collision) -> None:
        """Choose one."""
        self._buttons[choice].setChecked(True)

    def show_plan(self, plan: ImportPlan) -> None:
        """Offer the choice where a plan meets what is here; of a lorebook both would be a folder of its own."""
        self.choose(plan.collision)
        whole = plan.content is not None
        self._buttons[Collision.BOTH].setVisible(whole)
        self.setVisible(bool(plan.counts.get("already_there" if whole else "edited_here")))

    def _on_toggled(self, on: bool) -> None:
        if on:
            self._note.setText(self._texts[self.choice])
            self.chosen.emit(self.choice)
