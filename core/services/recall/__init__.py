"""Recall: which memories the next prompt gets for a message, and why the others do not come.

`recall.RecallService.recall(request)` runs a recipe over a scope; `answers.recall_answers(...)` gives the engine
its answers. Nothing is imported here, so that a command that does not recall loads no numpy.
"""
