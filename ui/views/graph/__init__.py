"""The page Graph: canvas, legend, filters, time, editing, and what stands beside it."""
