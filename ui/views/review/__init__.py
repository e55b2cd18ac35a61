"""The page Review: what waits for a person, each thing where it is mended."""
