"""Frozen dataclasses, enums, commands, queries and results that every layer speaks."""
