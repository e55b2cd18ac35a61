"""Answers to the queries about watched folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.domain import queries as q
from core.domain.api import Cancel
from core.domain.document import DocumentRow
from core.domain.errors import Invalid
from core.domain.folder import clean_folder_name
from core.domain.queries_watching import ForgetGone, Gone, SetWatched, Watching
from core.domain.watching import GoneFile, WatchedFolder, WatchReport
from core.services.ingest.rows import shown_path
from core.services.ingest.watch import FolderWatch
from core.services.ingest.watched_list import WatchedList

Answer = Callable[[Any, "Cancel | None"], Any]


def watch_answers(
    watched: WatchedList,
    watch: Callable[[], FolderWatch | None],
    in_library: Callable[[Path], bool],
    documents: Callable[[], Sequence[DocumentRow]],
) -> Mapping[type[q.Query[Any]], Answer]:
    """One function for each of these queries. `watch`: the thread, None where nothing is watched."""

    def gone(_query: Gone, _cancel: Cancel | None) -> tuple[GoneFile, ...]:
        listed = watched.gone()
        there = {row.pk for row in documents()} if listed else set()
        return tuple(each for each in listed if each.document in there)

    def report(_query: Watching, cancel: Cancel | None) -> WatchReport:
        running = watch()
        return WatchReport(
            watched.folders(),
            live=running is not None,
            missing=frozenset() if running is None else running.missing,
            gone=gone(Gone(), cancel),
        )

    def set_watched(query: SetWatched, cancel: Cancel | None) -> WatchReport:
        known = frozenset(each.path for each in watched.folders())
        watched.set(_checked(query.folders, known, in_library))
        running = watch()
        if running is not None:
            running.reload()
        return report(Watching(), cancel)

    return {
        Watching: report,
        Gone: gone,
        SetWatched: set_watched,
        ForgetGone: lambda query, _cancel: watched.forget_gone(query.documents),
    }


def _checked(
    folders: Sequence[WatchedFolder], known: frozenset[Path], in_library: Callable[[Path], bool]
) -> tuple[WatchedFolder, ...]:
    """The folders as they are kept. One that is known may be missing for now. Errors: Invalid."""
    done: list[WatchedFolder] = []
    for folder in folders:
        path = folder.path.expanduser().absolute()
        shown = shown_path(path)
        if not path.is_dir() and path not in known:
            raise Invalid("error.watch.no_directory", path=shown)
        if in_library(path):
            raise Invalid("error.watch.library", path=shown)
        for other in done:
            one, two = path.resolve(), other.path.resolve()
            if one.is_relative_to(two) or two.is_relative_to(one):
                raise Invalid("error.watch.inside", path=shown, other=shown_path(other.path))
        ignore = tuple(dict.fromkeys(each.strip() for each in folder.ignore if each.strip()))
        done.append(
            WatchedFolder(
                path=path,
                folder=clean_folder_name(folder.folder),
                settings=folder.settings,
                ignore=ignore,
            )
        )
    return tuple(done)
