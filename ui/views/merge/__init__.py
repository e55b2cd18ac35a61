"""The merge desk, and the strip that says what was merged."""
