"""Measurements of the figures: python -m tests.bench (or make bench)."""
