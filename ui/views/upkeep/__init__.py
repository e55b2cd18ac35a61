"""The page Upkeep: work on content, each piece with a plan to look at first."""
