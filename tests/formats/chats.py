"""Chat files as SillyTavern writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

USER, CHARACTER = "阿澈", "艾琳"


def header(**metadata: Any) -> dict[str, Any]:
    """The first line."""
    return {
        "user_name": USER,
        "character_name": CHARACTER,
        "create_date": "2024-7-12@01h31m37s",
        "chat_metadata": metadata,
    }


def said(mes: object, *, user: bool = False, **more: Any) -> dict[str, Any]:
    """One message."""
    return {
        "name": USER if user else CHARACTER,
        "is_user": user,
        "is_system": False,
        "send_date": "2025-11-23T15:09:06.123Z",
        "mes": mes,
        "extra": {},
    } | more


def floors(count: int, start: int = 0) -> list[dict[str, Any]]:
    """So many messages, each with a text and a time of its own."""
    return [
        said(
            f"第{i}层：守钟人点亮了第{i}盏灯。",
            user=i % 2 == 1,
            send_date=f"2025-11-23T15:{i // 60 % 60:02}:{i % 60:02}.{i // 3600:03}Z",
        )
        for i in range(start, start + count)
    ]


def write_chat(path: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    """The file, without a line feed at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return path
