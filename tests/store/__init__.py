"""The SQL store: real SQLite files."""
