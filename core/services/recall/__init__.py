"""Recall: which memories the next prompt gets for a message, and why the others do not come.

`RecallService.recall(request)` runs a recipe over a scope; `recall_answers(...)` gives the engine its answers.
"""

from core.services.recall.answers import recall_answers
from core.services.recall.recall import RecallService

__all__ = ["RecallService", "recall_answers"]
