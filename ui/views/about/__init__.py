"""The page Everything about: all that is known about a name."""
