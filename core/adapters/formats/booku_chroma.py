"""What vectors lie beside a Booku database: names and numbers, read from a copy with plain SQLite.

The vectors themselves are not taken over: Booku stores neither the model nor the preparation of the text, so
nobody can say what they are comparable with (spec/BOOKU §1.7; DESIGN issue 1: reused only if known).
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.adapters.formats.booku_db import is_sqlite
from core.adapters.formats.problems import INFO, Problems

CHROMA_FILE = "chroma.sqlite3"
_COLLECTION = re.compile(r"booku_memory__(?:(?:memory|emergent|archived|knowledge)(?:__.*)?|inherent)")
_PLACES = (".", "..", "chroma_db/booku_memory", "../chroma_db/booku_memory", "../../chroma_db/booku_memory")
"""Where the vector folder lies, seen from the directory of metadata.db (default paths of the original)."""
_COUNTS = """
    SELECT collections.name, collections.dimension, count(embeddings.id)
    FROM collections
    LEFT JOIN segments ON segments.collection = collections.id AND segments.scope = 'METADATA'
    LEFT JOIN embeddings ON embeddings.segment_id = segments.id
    GROUP BY collections.id ORDER BY collections.name
"""


@dataclass(frozen=True, slots=True)
class FoundCollection:
    """A collection of Booku's: its name, dimension (0 = unknown) and number of vectors."""

    name: str
    dims: int
    count: int


def note_vectors(database: Path, problems: Problems) -> tuple[FoundCollection, ...]:
    """Look for a Chroma folder beside the database and note what it holds. Never fails: the rows count."""
    folder = vector_folder(database.parent)
    if folder is None:
        return ()
    try:
        found = collections_in(folder)
    except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
        problems.add("import.problem.vectors_unreadable", details=str(error))
        return ()
    vectors = sum(collection.count for collection in found)
    if vectors:
        dims = sorted({collection.dims for collection in found if collection.dims})
        problems.add(
            "import.problem.vectors_not_reused",
            *(collection.name for collection in found),
            severity=INFO,
            vectors=vectors,
            collections=len(found),
            dims=", ".join(map(str, dims)) or "?",
        )
    return tuple(found)


def vector_folder(directory: Path) -> Path | None:
    """The Chroma folder that belongs to a database in `directory`."""
    for place in _PLACES:
        candidate = directory / place
        if (candidate / CHROMA_FILE).is_file() and is_sqlite(candidate / CHROMA_FILE):
            return candidate
    return None


def collections_in(folder: Path) -> Sequence[FoundCollection]:
    """Booku's collections of a Chroma folder, of every generation. Errors: sqlite3.Error, OSError."""
    with tempfile.TemporaryDirectory(prefix="memory-curator-") as place:
        for suffix in ("", "-wal"):
            source = folder / f"{CHROMA_FILE}{suffix}"
            if source.exists():
                shutil.copyfile(source, Path(place) / source.name)
        with closing(sqlite3.connect(Path(place) / CHROMA_FILE)) as connection:
            rows = connection.execute(_COUNTS).fetchall()
    return [
        FoundCollection(name, dims or 0, count)
        for name, dims, count in rows
        if isinstance(name, str) and _COLLECTION.fullmatch(name)
    ]
