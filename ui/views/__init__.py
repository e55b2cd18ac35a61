"""Pages and panels of the main window."""
