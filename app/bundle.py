"""The bundle for a report: versions, sizes, settings, findings and the log - no text of a memory, no key, no path."""

from __future__ import annotations

import json
import platform
import sqlite3
import sys
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from app import logbook
from core.domain.errors import Invalid
from core.domain.health import Backup, CheckReport, FolderCard, HealthState
from core.domain.schema_data import default_schema
from core.settings import DECLARATIONS, Form, Settings

PACKAGES = ("memory-curator", "PySide6-Essentials", "pyqtgraph", "numpy", "SQLAlchemy", "chromadb", "httpx")
SECRET = ("key", "token", "password", "secret")


def write(
    path: Path,
    *,
    state: HealthState,
    card: FolderCard,
    report: CheckReport,
    backups: tuple[Backup, ...],
    settings: Settings,
    log_dir: Path,
) -> Path:
    """Write it; an existing file is replaced when the new one is whole. Errors: Invalid."""
    parts = {
        "versions.json": _json(versions()),
        "library.json": _json(_library(state, card)),
        "check-up.json": _json(_findings(report)),
        "backups.json": _json([_backup(each) for each in backups]),
        "settings.json": _json(shown_settings(settings)),
        "log.txt": "\n".join(logbook.masked(log_dir)) + "\n",
    }
    beside = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in parts.items():
                archive.writestr(name, text)
            for crash in sorted(log_dir.glob("crash-*.txt")):
                archive.writestr(f"crashes/{crash.name}", crash.read_text(encoding="utf-8"))
        beside.replace(path)
    except OSError as error:
        raise Invalid("error.bundle.cannot_write", path=str(path), details=str(error)) from error
    finally:
        beside.unlink(missing_ok=True)
    return path


def versions() -> dict[str, str]:
    """Of the program, Python, the system and the libraries that matter."""
    found = {
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "machine": platform.machine(),
        "sqlite": sqlite3.sqlite_version,
    }
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "-"
    return found


def shown_settings(settings: Settings) -> dict[str, object]:
    """Choices, numbers and switches as they are; of texts only whether they are set."""
    shown: dict[str, object] = {}
    for each in DECLARATIONS:
        value = settings.get(each.key)
        plain = each.form in (Form.CHOICE, Form.NUMBER, Form.FLAG)
        secret = any(word in each.key.split(".")[-1] for word in SECRET)
        shown[each.key] = value if plain and not secret else "set" if value else "not set"
    return shown


def _library(state: HealthState, card: FolderCard) -> dict[str, object]:
    known = {item.id for item in default_schema().types}
    own = sum(count for name, count in card.types.items() if name not in known)
    types: dict[str, int] = {name: count for name, count in card.types.items() if name in known}
    return {
        "level": state.level.value,
        "reasons": [reason.key for reason in state.reasons],
        "bytes": {
            "store": state.store_bytes,
            "journal": state.journal_bytes,
            "index": state.index_bytes,
            "backups": state.backups_bytes,
        },
        "memories": {
            "active": card.active,
            "archived": card.archived,
            "expired": card.expired,
            "trash": card.trashed,
        },
        "relations": {"live": card.live_edges, "past": card.past_edges},
        "types": types | ({"own types": own} if own else {}),
        "layers": dict(card.layers),
        "vectors": card.vectors,
        "messages": card.messages,
        "documents": card.documents,
        "changes": state.ops,
        "waiting": state.waiting,
        "dimension": state.dims,
    }


def _findings(report: CheckReport) -> dict[str, object]:
    return {
        "at": report.at.isoformat(),
        "index": report.index,
        "findings": {each.fault.value: each.count for each in report.findings},
    }


def _backup(backup: Backup) -> Mapping[str, object]:
    return {"at": backup.at.isoformat(), "reason": backup.reason.value, "bytes": backup.bytes}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
