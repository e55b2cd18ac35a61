"""Dialogs: each asks for what one command needs, then closes."""
