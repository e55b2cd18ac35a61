"""What is kept of watched folders: which, the files seen in each as they were taken in, and files that went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.domain.document import QueuedFile
from core.domain.ids import DocumentPk
from core.domain.json_types import Json, JsonObject
from core.domain.watching import GoneFile, WatchedFolder
from core.ports.jobs import Job, Jobs
from core.services.ingest.rows import file_of, shown_path, stored

KIND = "watched"
GONE_KIND = "watched_gone"
_STATE = "on"
Signature = tuple[int, int]
"""Time of change (ns) and size: a file that has both still is the same file."""


class WatchedList:
    """Kept as rows of background work: they are no changes of the library and are not undone."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def folders(self) -> tuple[WatchedFolder, ...]:
        """The watched directories, in the order in which they were added."""
        return tuple(_folder(job.data) for job in self._jobs.all(KIND))

    def set(self, folders: Sequence[WatchedFolder]) -> None:
        """Watch these and no others; what is known of the files of those that stay is kept."""
        old = {_folder(job.data).path: job for job in self._jobs.all(KIND)}
        rows: list[JsonObject] = []
        for folder in folders:
            job = old.get(folder.path)
            same = job is not None and _folder(job.data).folder == folder.folder
            seen: Json = job.data.get("seen", {}) if job is not None and same else {}
            rows.append({**_json(folder), "seen": seen})
        self._jobs.remove(job.pk for job in old.values())
        self._jobs.add(KIND, _STATE, rows)

    # --- files that were taken in ---

    def seen(self, path: Path) -> dict[str, Signature]:
        """The files below a watched directory as they were when they were taken in."""
        job = self._job(path)
        found = {} if job is None else job.data.get("seen")
        if not isinstance(found, Mapping):
            return {}
        return {
            name: (int(each[0]), int(each[1]))
            for name, each in found.items()
            if isinstance(each, list) and len(each) == 2
        }

    def remember(self, path: Path, seen: Mapping[str, Signature]) -> None:
        """Keep that."""
        job = self._job(path)
        if job is not None:
            kept: dict[str, Json] = {name: list(each) for name, each in seen.items()}
            self._jobs.save(job.pk, _STATE, {**job.data, "seen": kept})

    def _job(self, path: Path) -> Job | None:
        return next((job for job in self._jobs.all(KIND) if _folder(job.data).path == path), None)

    # --- files that went ---

    def gone(self) -> tuple[GoneFile, ...]:
        """Files that are no longer there, while their documents are."""
        return tuple(
            GoneFile(str(job.data["path"]), DocumentPk(_number(job.data["document"])), str(job.data["title"]))
            for job in self._jobs.all(GONE_KIND)
        )

    def add_gone(self, files: Iterable[GoneFile]) -> None:
        """Note files that went; each once."""
        known = {each.document for each in self.gone()}
        rows: list[JsonObject] = [
            {"path": each.path, "document": each.document, "title": each.title}
            for each in files
            if each.document not in known
        ]
        if rows:
            self._jobs.add(GONE_KIND, _STATE, rows)

    def forget_gone(self, documents: Iterable[DocumentPk] | None) -> int:
        """Take documents off that list (None = all)."""
        chosen = None if documents is None else set(documents)
        return self._jobs.remove(
            job.pk
            for job in self._jobs.all(GONE_KIND)
            if chosen is None or _number(job.data["document"]) in chosen
        )


def _json(folder: WatchedFolder) -> JsonObject:
    shown = shown_path(folder.path)
    file = QueuedFile(path=folder.path, shown=shown, folder=folder.folder, settings=folder.settings)
    return {**stored(file), "ignore": list(folder.ignore)}


def _folder(data: JsonObject) -> WatchedFolder:
    file, ignore = file_of(data), data.get("ignore")
    return WatchedFolder(
        path=file.path,
        folder=file.folder,
        settings=file.settings,
        ignore=tuple(str(each) for each in ignore) if isinstance(ignore, list) else (),
    )


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0
