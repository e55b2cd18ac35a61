"""Vectors recorded from the two original systems, run against ours.

`python -m tests.golden DIR` runs every vector file below DIR.
"""
