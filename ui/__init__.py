"""Everything Qt: the main window, its actions, tasks, theme and views."""

from ui.qt_references import hold_singletons

hold_singletons()
