"""Scripted, typed stand-ins for parts that are tested elsewhere."""
