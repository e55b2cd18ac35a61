"""The Types page: types of memories and of relations, with their columns, flags, rules and looks."""
