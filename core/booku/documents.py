"""Knowledge: documents taken in, listed, and found at start-up (spec/BOOKU §5 with DESIGN §5)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PureWindowsPath

from core.algos import booku_names
from core.algos.titles import document_title, documents_of_pieces, startup_title
from core.booku.library import BookuLibrary
from core.booku.records import Item
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain.commands_documents import IngestDocument, NewDocument
from core.domain.document import CutSettings, Cutting, DocumentRow
from core.domain.enums import Layer
from core.domain.errors import CuratorError, Unavailable
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.results import OpResult, WholeMemory

SHOWN_IDS = 20
STARTUP_SOURCE = "startup_event"
_LOG = logging.getLogger(__name__)
_QueryFor = Callable[[CutSettings], "qd.PrepareFile | qd.PrepareText"]


def ingest(library: BookuLibrary, title: str, content: str, file_path: str | None, source: str) -> Item:
    """Take a text or a file in. Errors: ValueError, FileNotFoundError."""
    text = str(content or "").strip()
    if not text and file_path is None:
        raise ValueError("content or file_path must be given")
    if text:
        new = _cut(library, lambda settings: _of_text(document_title(title or ""), text, source, settings))
    else:
        path = local_path(str(file_path))
        if not path.is_file():
            raise FileNotFoundError(str(file_path))
        name = document_title(title) if (title or "").strip() else document_title(path.stem)
        new = _cut(
            library, lambda settings: qd.PrepareFile(path=path, title=name, source=source, settings=settings)
        )
    folder = library.folder_id(None)
    result = library.run(IngestDocument(folder, new))
    return _answer(library, result, new)


def _of_text(title: str, text: str, source: str, settings: CutSettings) -> qd.PrepareText:
    return qd.PrepareText(text=text, title=title, source=source, settings=settings, plain=True)


def _cut(library: BookuLibrary, query_for: _QueryFor) -> NewDocument:
    """The document cut as the settings say; Booku's way needs an embedder, without one it is cut by structure."""
    chosen = library.settings
    overlap = min(chosen.overlap_chars, chosen.max_chunk_chars // 2)
    settings = CutSettings(cutting=chosen.cutting, max_chars=chosen.max_chunk_chars, overlap_chars=overlap)
    try:
        return library.ask(query_for(settings)).new
    except Unavailable:
        if settings.cutting is Cutting.DEFAULT:
            raise
        return library.ask(query_for(replace(settings, cutting=Cutting.DEFAULT))).new


def local_path(text: str) -> Path:
    """A path as a setting or a guide writes it: with `\\` too, which is Windows' own."""
    path = Path(text)
    return path if path.exists() or "\\" not in text else Path(*PureWindowsPath(text).parts)


def _answer(library: BookuLibrary, result: OpResult, new: NewDocument) -> Item:
    row = next(row for row in library.ask(qd.Documents()) if row.pk == result.document)
    pieces = library.ask(qd.PiecesOf(row.pk))
    mode = next(name for name in ("same", "replaced", "created") if result.counts.get(name))
    return {
        "action": "booku_knowledge_ingest",
        "mode": mode,
        "document_id": row.id,
        "title": shown_title(row.title),
        "chunk_count": len(pieces),
        "bucket": Layer.KNOWLEDGE.value,
        "folder_id": booku_names.folder(row.folder_name),
        "collection": booku_names.collection(Layer.KNOWLEDGE.value, row.folder_name),
        "items": [piece.id for piece in pieces[:SHOWN_IDS]],
        "problems": _problem_keys(new),
    }


def _problem_keys(new: NewDocument) -> list[str]:
    found = new.details.get("problems")
    return [str(item["key"]) for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def shown_title(title: str) -> str:
    """A document's title in the brackets in which Booku keeps it."""
    return title if title.startswith("《") and title.endswith("》") else f"《{title}》"


def titles(library: BookuLibrary) -> list[str]:
    """Titles of all documents that have pieces, each once: rows, then pieces that came without one."""
    rows = [shown_title(row.title) for row in library.ask(qd.Documents()) if row.pieces]
    where = MemoryFilter(layers=frozenset({Layer.KNOWLEDGE}))
    pks = library.ask(q.ListMemories(where, Sort(SortKey.CREATED)))
    loose = (whole.memory.title for whole in _wholes(library, pks) if whole.memory.document is None)
    return list(dict.fromkeys([*rows, *documents_of_pieces(loose)]))


def _wholes(library: BookuLibrary, pks: Iterable[int]) -> Iterator[WholeMemory]:
    listed = list(pks)
    for start in range(0, len(listed), 500):
        yield from library.whole(listed[start : start + 500])


def dump(library: BookuLibrary, limit: int) -> Item:
    """The newest pieces with their texts and tags."""
    where = MemoryFilter(layers=frozenset({Layer.KNOWLEDGE}))
    pks = library.ask(q.ListMemories(where, Sort(SortKey.UPDATED)))[: max(1, int(limit))]
    items = [
        {
            "id": whole.memory.id,
            "title": whole.memory.title,
            "content": whole.memory.body,
            "updated_at": whole.memory.updated_at.timestamp(),
            "tags": list(whole.tags.general),
        }
        for whole in library.whole(pks)
    ]
    return {"action": "booku_knowledge_dump", "total": len(items), "items": items}


def startup(library: BookuLibrary) -> Item:
    """Take in what lies below the start-up paths: new files, and those that changed since.

    One file's failure is counted and the others go on. A missing path is skipped or failed, as the settings say.
    """
    counts = {"ingested": 0, "updated": 0, "skipped": 0, "failed": 0}
    if library.settings.startup_enabled:
        roots = [local_path(str(root)).absolute() for root in library.settings.startup_paths]
        for root in roots:
            if not root.exists():
                counts["skipped" if library.settings.startup_skip_missing_paths else "failed"] += 1
        known = _Known(library.ask(qd.Documents()))
        for path in _startup_files(library, [root for root in roots if root.exists()]):
            counts[_startup_one(library, path, roots, known)] += 1
    return {"action": "booku_knowledge_startup", **counts, "titles": titles(library)}


def _startup_files(library: BookuLibrary, roots: list[Path]) -> Iterator[Path]:
    found = library.ask(qd.FindDocuments(tuple(roots)))
    for path in found.files:
        if library.settings.startup_recursive or path in roots or path.parent in roots:
            yield path


class _Known:
    """Documents by path, title and text."""

    def __init__(self, rows: Iterable[DocumentRow]) -> None:
        live = [row for row in rows if row.pieces]
        self.hashes = frozenset(row.content_hash for row in live if row.content_hash)
        self.paths = {row.path for row in live if row.path}
        self.titles = {title_key(row.title) for row in live}


def title_key(title: str) -> str:
    """Titles that differ in case, in brackets, or behind the hundredth character only are the same document."""
    bare = title.removeprefix("《").removesuffix("》")
    return document_title(bare).casefold()


def _startup_one(library: BookuLibrary, path: Path, roots: list[Path], known: _Known) -> str:
    settings = library.settings
    title = startup_title(path, roots, recursive=settings.startup_recursive)
    there = str(path) in known.paths
    if settings.startup_skip_existing_title and not there and title_key(title) in known.titles:
        return "skipped"
    try:
        new = _cut(
            library,
            lambda cutting: qd.PrepareFile(
                path=path,
                title=document_title(title),
                source=STARTUP_SOURCE,
                settings=cutting,
                unless=known.hashes,
            ),
        )
        if new.content_hash in known.hashes:
            return "skipped"
        result = library.run(IngestDocument(library.folder_id(None), new))
    except CuratorError as error:
        _LOG.warning("start-up ingest left out a file: %s", type(error).__name__)
        return "failed"
    if result.counts.get("same"):
        return "skipped"
    return "updated" if result.counts.get("replaced") else "ingested"
