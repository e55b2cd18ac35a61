"""Number fields: the wheel over a form, and room at the left of the number."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.importance import ImportanceEditor
from ui.widgets.wheel import SPIN_LEFT_PX, guard_wheel


def wheel(widget: QSpinBox) -> None:
    at = QPointF(5, 5)
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_wheel_over_a_number_without_focus_changes_nothing(qtbot: QtBot, theme: Theme) -> None:
    spin = QSpinBox()
    guard_wheel(spin)
    qtbot.addWidget(spin)
    spin.show()
    spin.clearFocus()
    wheel(spin)
    assert spin.value() == 0


def test_number_does_not_stick_to_the_edge_of_its_field(qtbot: QtBot, theme: Theme) -> None:
    editor = ImportanceEditor()
    qtbot.addWidget(editor)
    editor.show()
    line = editor.spin.findChild(QLineEdit)
    assert line is not None
    assert line.x() + line.textMargins().left() >= SPIN_LEFT_PX
