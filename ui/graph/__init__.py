"""The memory graph: canvas, drawing and interaction."""
