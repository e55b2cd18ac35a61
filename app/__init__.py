"""Composition and doors: the window, the command line and whatever else starts the program."""
