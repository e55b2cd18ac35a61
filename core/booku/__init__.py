"""Booku's memory service over this program's library, name for name (spec/BOOKU §3 and the developer's guide)."""

from core.booku.service import BookuMemoryService
from core.booku.settings import BookuSettings

__all__ = ["BookuMemoryService", "BookuSettings"]
