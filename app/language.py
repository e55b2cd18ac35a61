"""The language of messages."""

from __future__ import annotations

import os

from core.settings import Settings

LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(settings: Settings) -> str:
    """Language of messages: as set, or as the environment says."""
    chosen = settings.text("language")
    if chosen != "system":
        return chosen
    spoken = next((value for name in LANGUAGE_VARIABLES if (value := os.environ.get(name))), "")
    return "zh_CN" if spoken.lower().startswith("zh") else "en"
