"""Checks of kind `documents`: a file or folder is dropped on an empty library; each key has one function."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.library import Library
from core.domain import queries_booku as qb
from core.domain import queries_documents as qd
from core.domain.document import CutSettings, FileState, FoundFiles, QueueRow
from core.domain.folder import Document
from core.domain.memory import Memory, TagSet
from core.domain.texts import LANGUAGES, has
from tests.cases.desk import new_library
from tests.cases.document_scenarios import RECIPES, SCENARIOS
from tests.cases.sidecar import Case

Check = Callable[["Taken", Any], "str | None"]


@dataclass(slots=True)
class Taken:
    """What dropping the input of a case came to."""

    rows: list[QueueRow] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    pieces: list[Memory] = field(default_factory=list)
    tags: list[TagSet] = field(default_factory=list)
    found: FoundFiles = field(default_factory=FoundFiles)
    root: Path = Path()
    seconds: float = 0.0
    second: Taken | None = None
    asks: bool = False

    @property
    def text(self) -> str:
        """The texts of all documents."""
        return "\n".join(document.text for document in self.documents)

    @property
    def pieced(self) -> str:
        """The text that the pieces give when what overlaps counts once."""
        text, end = "", 0
        for piece in self.pieces:
            start = piece.span_start or 0
            text += piece.body[max(0, end - start) :]
            end = max(end, piece.span_end or 0)
        return text


def check_documents(case: Case, work: Path) -> list[str] | None:
    """Faults of a case; None when there are none and one of its keys cannot be checked here."""
    recipe = case.recipe()
    if recipe is not None:
        name = str(recipe.get("recipe") or case.input.name.partition("_")[2].partition(".")[0])
        run = RECIPES.get(name) or SCENARIOS.get(name)
        return None if run is None else run(recipe, case.checks, work)
    known = {key: expected for key, expected in case.checks.items() if key in CHECKS}
    taken = _drop(_own_copy(case, work), work / "first", case.checks)
    if "second_file" in case.checks:
        taken.second = _drop(case.input.parent / case.checks["second_file"], work / "second", case.checks)
    faults = [fault for key, expected in known.items() if (fault := CHECKS[key](taken, expected))]
    faults += _untold(taken)
    return faults if faults or known.keys() == case.checks.keys() else None


def _own_copy(case: Case, work: Path) -> Path:
    """A folder is copied, so that links can be made in it."""
    if not case.input.is_dir():
        return case.input
    copy = work / case.input.name
    shutil.copytree(case.input, copy, symlinks=True, copy_function=shutil.copyfile)
    for directory in [copy, *(each for each in copy.rglob("*") if each.is_dir())]:
        directory.chmod(0o755)
    recipe = case.input.with_name(case.input.name + ".recipe.json")
    links = json.loads(recipe.read_text(encoding="utf-8")).get("links", {}) if recipe.is_file() else {}
    for name, target in links.items():
        (copy / name).symlink_to(target)
    return copy


def _drop(path: Path, work: Path, checks: Mapping[str, Any]) -> Taken:
    settings = CutSettings(max_chars=checks.get("max_chunk"), overlap_chars=checks.get("overlap"))
    work.mkdir(parents=True, exist_ok=True)
    with closing(new_library(work)) as library:
        began = time.monotonic()
        queued = library.engine.ask(qd.QueueFiles(paths=(path,), folder="default", settings=settings))
        library.engine.ask(qd.RunQueue())
        taken = _taken(library)
        taken.seconds = time.monotonic() - began
    taken.found, taken.root = queued.found, path
    return taken


def _taken(library: Library) -> Taken:
    engine = library.engine
    documents = [engine.ask(qd.DocumentOf(row.pk)) for row in engine.ask(qd.Documents())]
    pieces = [piece for document in documents for piece in engine.ask(qd.PiecesOf(document.pk))]
    wholes = engine.ask(qb.WholeMemories(tuple(piece.pk for piece in pieces)))
    rows = list(engine.ask(qd.QueueRows()))
    return Taken(
        rows=rows,
        documents=documents,
        pieces=pieces,
        tags=[whole.tags for whole in wholes],
        asks=any(row.state is FileState.QUESTION for row in rows),
    )


def _untold(taken: Taken) -> list[str]:
    keys = [
        problem.key for row in taken.rows for problem in (*row.problems, *([row.error] if row.error else []))
    ]
    keys += [problem.key for problem in taken.found.left_out]
    return [
        f"no text for {key} ({language})" for key in keys for language in LANGUAGES if not has(key, language)
    ]


def _equal(what: str, value: object, expected: object) -> str | None:
    return None if value == expected else f"{what}: {value!r}, expected {expected!r}"


def _title(taken: Taken, expected: Any) -> str | None:
    return _equal("title", [document.title for document in taken.documents], [expected])


def _tags(taken: Taken, expected: Any) -> str | None:
    missing = [tag for tag in expected if not all(tag in tags.general for tags in taken.tags)]
    return f"tags missing: {missing}" if missing or not taken.tags else None


def _headings(taken: Taken, expected: Any) -> str | None:
    found = {name for piece in taken.pieces for name in _path(piece)}
    return _equal("headings", sorted(found), sorted(expected))


def _path(piece: Memory) -> list[str]:
    path = piece.extra.get("headings")
    return [str(name) for name in path] if isinstance(path, list) else []


def _heading(taken: Taken, expected: Any) -> str | None:
    return None if any(expected in _path(piece) for piece in taken.pieces) else f"no heading {expected}"


def _must_contain(taken: Taken, expected: Any) -> str | None:
    wanted = [expected] if isinstance(expected, str) else expected
    missing = [text for text in wanted if not any(text in piece.body for piece in taken.pieces)]
    return f"missing: {missing}" if missing and not taken.asks else None


def _must_not_contain(taken: Taken, expected: Any) -> str | None:
    wanted = [expected] if isinstance(expected, str) else expected
    present = [text for text in wanted if any(text in piece.body for piece in taken.pieces)]
    return f"present: {present}" if present else None


def _sha(taken: Taken, expected: Any) -> str | None:
    if taken.asks:
        return None
    for text in (taken.documents[0].text if taken.documents else "", taken.pieced):
        if hashlib.sha256(text.encode()).hexdigest() != expected:
            return f"another text: {text[:60]!r}"
    return None


def _replacements(taken: Taken, expected: Any) -> str | None:
    return _equal("replacement characters", taken.text.count("\ufffd"), expected)


def _encoding(taken: Taken, expected: Any) -> str | None:
    wanted = [expected] if isinstance(expected, str) else expected
    shown = [row.encoding.lower() for row in taken.rows]
    return None if all(name in [each.lower() for each in wanted] for name in shown) else f"encoding: {shown}"


def _or_prompt(taken: Taken, _expected: Any) -> str | None:
    """A question is as good as the right text, when it offers several encodings with previews."""
    bare = [row for row in taken.rows if row.state is FileState.QUESTION and len(row.choices) < 2]
    return f"a question without a choice: {bare}" if bare and not taken.rows[0].error else None


def _prompt(taken: Taken, expected: Any) -> str | None:
    return _equal("asks", taken.asks, bool(expected))


def _pages(taken: Taken, expected: Any) -> str | None:
    return _equal("pages", [row.pages for row in taken.rows], [expected])


def _text_pages(taken: Taken, expected: Any) -> str | None:
    pages = sorted({page for piece in taken.pieces if isinstance(page := piece.extra.get("page"), int)})
    return _equal("pages with text", len(pages) if isinstance(expected, int) else pages, expected)


def _warn_pages(taken: Taken, expected: Any) -> str | None:
    named = [
        int(ref) for row in taken.rows for problem in row.problems for ref in problem.refs if ref.isdigit()
    ]
    return _equal("pages named", sorted(named), expected)


def _count(taken: Taken, expected: Any) -> str | None:
    counts = {text: taken.text.count(text) for text in expected}
    return _equal("counts", counts, expected)


def _table_rows(taken: Taken, expected: Any) -> str | None:
    lines = [line for line in taken.text.split("\n") if " | " in line]
    return _equal("table rows", len(lines), expected)


def _stored(taken: Taken, expected: Any) -> str | None:
    both = [taken, *([taken.second] if taken.second is not None else [])]
    silent = [
        row.file.shown for each in both for row in each.rows if row.error is None and not each.documents
    ]
    return _equal("stored", [len(each.pieces) for each in both], [expected] * len(both)) or (
        f"no word about {silent}" if silent else None
    )


def _order(taken: Taken, expected: Any) -> str | None:
    places = [taken.text.find(text) for text in expected]
    return None if -1 not in places and places == sorted(places) else f"order: {places}"


def _second_ok(taken: Taken, expected: Any) -> str | None:
    assert taken.second is not None
    warned = any(row.problems for row in taken.second.rows)
    return _order(taken.second, expected) or (None if warned else "nothing is said about what is missing")


def _max_chunk(taken: Taken, expected: Any) -> str | None:
    longest = max((len(piece.body) for piece in taken.pieces), default=0)
    return None if 0 < longest <= expected else f"longest piece: {longest}, expected at most {expected}"


def _overlap(taken: Taken, expected: Any) -> str | None:
    pairs = zip(taken.pieces, taken.pieces[1:], strict=False)
    most = max(((left.span_end or 0) - (right.span_start or 0) for left, right in pairs), default=0)
    return None if most <= expected else f"overlap {most}, expected at most {expected}"


def _min_chunks(taken: Taken, expected: Any) -> str | None:
    return (
        None if len(taken.pieces) >= expected else f"{len(taken.pieces)} pieces, expected {expected} or more"
    )


def _markers(taken: Taken, expected: Any) -> str | None:
    body = "\n".join(piece.body for piece in taken.pieces)
    missing = [number for number in range(expected) if f"句{number}" not in body]
    return f"missing: {missing[:10]}" if missing else None


def _files(taken: Taken, expected: Any) -> str | None:
    found = sorted(str(path.relative_to(taken.root)) for path in taken.found.files)
    done = sum(row.state is FileState.DONE for row in taken.rows)
    count = expected if isinstance(expected, int) else len(expected)
    listed = len(found) if isinstance(expected, int) else found
    wanted = expected if isinstance(expected, int) else sorted(expected)
    return _equal("files", listed, wanted) or _equal("taken in", done, count)


def _reported(taken: Taken, expected: Any) -> str | None:
    told = [ref for problem in taken.found.left_out for ref in problem.refs]
    missing = [name for name in expected if not any(ref.endswith(name) for ref in told)]
    return f"not reported: {missing}" if missing else None


def _max_seconds(taken: Taken, expected: Any) -> str | None:
    return None if taken.seconds <= expected else f"took {taken.seconds:.1f} s, expected {expected}"


def _documents(taken: Taken, expected: Any) -> str | None:
    return _equal("documents", len(taken.documents), expected)


def _alive(_taken: Taken, expected: Any) -> str | None:
    """Getting here at all is the proof."""
    return None if not expected else "a crash was expected"


CHECKS: Mapping[str, Check] = {
    "title": _title,
    "tags": _tags,
    "headings": _headings,
    "heading": _heading,
    "must_contain": _must_contain,
    "must_not_contain": _must_not_contain,
    "text_sha256": _sha,
    "sha256": _sha,
    "replacement_chars": _replacements,
    "encoding_any_of": _encoding,
    "encoding": _encoding,
    "or_prompt": _or_prompt,
    "prompt": _prompt,
    "asks": _prompt,
    "pages": _pages,
    "text_pages": _text_pages,
    "warn_pages": _warn_pages,
    "count": _count,
    "table_rows": _table_rows,
    "stored": _stored,
    "second_file": lambda _taken, _expected: None,
    "order": _order,
    "second_ok": _second_ok,
    "max_chunk": _max_chunk,
    "overlap": _overlap,
    "min_chunks": _min_chunks,
    "chunks_min": _min_chunks,
    "markers": _markers,
    "files": _files,
    "reported": _reported,
    "max_seconds": _max_seconds,
    "documents": _documents,
    "crash": _alive,
    "traceback": _alive,
}
