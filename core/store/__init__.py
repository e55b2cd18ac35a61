"""SQLAlchemy: typed tables, unit of work, journal, outbox, full text, migrations."""
