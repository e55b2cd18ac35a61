"""Booku's services over this program's library, name for name (spec/BOOKU §3, §5 and the developer's guide)."""

from core.booku.knowledge import BookuKnowledgeService
from core.booku.service import BookuMemoryService
from core.booku.settings import BookuSettings

__all__ = ["BookuKnowledgeService", "BookuMemoryService", "BookuSettings"]
