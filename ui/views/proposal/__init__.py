"""A proposal as a difference: what would become of each memory, ticked and edited before it is applied."""
