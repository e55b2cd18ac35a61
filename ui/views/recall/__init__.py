"""The page Recall: what the next prompt would get for a message, and why."""
