"""A directory of Markdown files, one a memory: written so that names stay, read so that edits come back by id."""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.whole_file import check_target, is_same_file, kept_name
from core.adapters.packages.markdown_form import (
    NoMemory,
    file_name,
    is_memory_front,
    memory_of_text,
    memory_text,
    read_front,
    safe_part,
)
from core.adapters.packages.plain import PlainContent
from core.adapters.packages.plan import content_plan
from core.domain.errors import BadFile, UserError
from core.domain.folder import DEFAULT_FOLDER, SEPARATOR
from core.domain.package import PackageContent, PackedEdge, PackedMemory
from core.domain.safe_text import storable
from core.domain.transfer import ExportReport, Format, ImportPlan

ENDINGS = (".md", ".markdown")
_MOST_FILES = 200_000
_MAX_BYTES = 32 << 20
_HEAD_CHARS = 64 * 1024
_LOOKED_AT = 50
"""So many Markdown files are looked at before a directory counts as one without memories."""


# --- writing ---


def write_markdown(
    content: PackageContent, path: Path, source: Path | None = None, *, overwrite: bool
) -> ExportReport:
    """Write a file for each memory; one that has a file there already keeps its name. Other files stay.

    Into the directory that they came from (`source`): what is replaced there is kept in one beside it.
    Errors: UserError when files are there and `overwrite` is not set, or nothing can be written.
    """
    path = path.absolute()
    problems = Problems()
    try:
        check_target(path, overwrite=overwrite or (path.is_dir() and not any(path.iterdir())))
        names = _names_there(path)
        edges = _by_source(content)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name[:40]}-", dir=path.parent) as part:
            written = _write_all(content, Path(part), names, edges)
            kept = kept_name(path) if is_same_file(path, source) else None
            if _move_in(Path(part), path, kept) and kept is not None:
                problems.add("export.problem.backup", severity=INFO, name=kept.name)
    except OSError as error:
        raise UserError("error.export.cannot_write", path=str(path), details=str(error)) from error
    if left := len(set(names) - written.keys()):
        problems.add("export.problem.markdown_left", severity=INFO, count=left)
    _left_out(content, problems)
    relations = sum(len(edges[memory]) for memory in written)
    return ExportReport(
        format=Format.MARKDOWN,
        path=path,
        counts={"memories": len(written), "edges": relations},
        problems=problems.all(),
    )


def _by_source(content: PackageContent) -> defaultdict[str, list[PackedEdge]]:
    edges: defaultdict[str, list[PackedEdge]] = defaultdict(list)
    for packed in content.edges():
        edges[packed.source].append(packed)
    return edges


def _write_all(
    content: PackageContent, part: Path, names: dict[str, Path], edges: defaultdict[str, list[PackedEdge]]
) -> dict[str, Path]:
    written: dict[str, Path] = {}
    taken = {str(name).casefold() for name in names.values()}
    for packed in content.memories():
        name = names.get(packed.memory.id) or _free(packed, taken)
        taken.add(str(name).casefold())
        target = part / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(memory_text(packed, edges[packed.memory.id]), encoding="utf-8", newline="\n")
        written[packed.memory.id] = name
    return written


def _free(packed: PackedMemory, taken: set[str]) -> Path:
    parts = [safe_part(part) or "_" for part in packed.folder.split(SEPARATOR)]
    name = Path(*parts, file_name(packed))
    return name if str(name).casefold() not in taken else Path(*parts, f"{packed.memory.id}.md")


def _move_in(part: Path, path: Path, kept: Path | None) -> int:
    """Each file that differs on its own, so that everything else in the directory stays. Returns how many were kept."""
    count = 0
    for name in sorted(each.relative_to(part) for each in regular_files(part)):
        target = path / name
        if target.parent.resolve() != (path.resolve() / name.parent):  # a link would lead elsewhere
            raise OSError(f"{target.parent} is a link")
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file():
            if filecmp.cmp(part / name, target, shallow=False):
                continue
            if kept is not None:
                (kept / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(target, kept / name)
                count += 1
        (part / name).replace(target)
    return count


def _names_there(path: Path) -> dict[str, Path]:
    """Which file holds which memory already."""
    names: dict[str, Path] = {}
    for file in regular_files(path) if path.is_dir() else ():
        try:
            with file.open(encoding="utf-8", errors="replace") as text:
                front, _ = read_front(text.read(_HEAD_CHARS))
        except (OSError, ValueError):
            continue
        if is_memory_front(front):
            names.setdefault(str(front["id"]), file.relative_to(path))
    return names


def _left_out(content: PackageContent, problems: Problems) -> None:
    """What a Markdown file has no place for."""
    for name, rows in (
        ("messages", content.messages()),
        ("documents", content.documents()),
        ("memos", content.memos()),
    ):
        if count := sum(1 for _ in rows):
            problems.add(f"export.problem.no_{name}", severity=INFO, count=count)


# --- reading ---


def is_markdown_folder(path: Path) -> bool:
    """Whether a directory (or a file) holds memories as Markdown."""
    looked = 0
    for file in [path] if path.is_file() else regular_files(path):
        if file.suffix.lower() not in ENDINGS:
            continue
        looked += 1
        try:
            with file.open(encoding="utf-8", errors="replace") as text:
                front, _ = read_front(text.read(_HEAD_CHARS))
        except (OSError, ValueError):
            front = {}
        if is_memory_front(front):
            return True
        if looked >= _LOOKED_AT:
            return False
    return False


def markdown_plan(path: Path, now: datetime) -> ImportPlan:
    """The memories of a directory of Markdown files; what cannot be read is named. Errors: BadFile."""
    problems = Problems()
    memories: dict[str, PackedMemory] = {}
    edges: list[PackedEdge] = []
    root = path if path.is_dir() else path.parent
    for file in [path] if path.is_file() else regular_files(path):
        if file.suffix.lower() not in ENDINGS:
            continue
        shown = storable(file.relative_to(root).as_posix())
        try:
            packed, relations = memory_of_text(_text(file), _folder_at(file.parent.relative_to(root)), now)
        except NoMemory:
            problems.add("import.problem.no_memory_file", shown, severity=INFO)
            continue
        except (OSError, ValueError, KeyError, BadFile) as error:
            problems.add("import.problem.broken_memory_file", shown, files=shown, reason=str(error)[:120])
            continue
        if packed.memory.id in memories:
            problems.add("import.problem.memory_file_twice", shown, files=shown)
            continue
        memories[packed.memory.id] = packed
        edges += relations
    if not memories:
        raise BadFile("error.file.nothing_found", name=path.name)
    content = PlainContent(tuple(memories.values()), tuple(edges))
    counts = {"memories": len(memories), "edges": len(edges)}
    return content_plan(Format.MARKDOWN, path, content, counts, problems.all())


def _text(file: Path) -> str:
    if file.stat().st_size > _MAX_BYTES:
        raise ValueError(f"larger than {_MAX_BYTES >> 20} MB")
    return file.read_bytes().decode("utf-8-sig")


def _folder_at(place: Path) -> str:
    """The folder of a file that names none: where it lies."""
    return SEPARATOR.join(storable(part) for part in place.parts) or DEFAULT_FOLDER


def regular_files(path: Path) -> Iterator[Path]:
    """Regular files below a directory, hidden ones and links left out, in a fixed order."""
    seen = 0
    for place, folders, files in os.walk(path):
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for name in sorted(files):
            file = Path(place) / name
            if name.startswith(".") or file.is_symlink() or not file.is_file():
                continue
            seen += 1
            if seen > _MOST_FILES:
                return
            yield file
