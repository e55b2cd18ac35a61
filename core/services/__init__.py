"""Verb families that answer queries and carry out commands over the ports."""
