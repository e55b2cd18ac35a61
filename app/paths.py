"""Where settings, libraries and reports lie on this system."""

from __future__ import annotations

from pathlib import Path

from platformdirs import PlatformDirs

_DIRS = PlatformDirs("memory-curator", appauthor=False)


def settings_file() -> Path:
    """The person's settings."""
    return Path(_DIRS.user_config_dir) / "settings.json"


def libraries_dir() -> Path:
    """Where new libraries go unless another place is chosen."""
    return Path(_DIRS.user_data_dir) / "libraries"


def log_dir() -> Path:
    """Reports of crashes."""
    return Path(_DIRS.user_log_dir)
