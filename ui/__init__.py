"""Everything Qt: the main window, its actions, tasks, theme and views."""
