"""Reading a package: as a stream, never beyond what its manifest announces, each member against its hash."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import IO, Any, cast

import numpy as np

from core.adapters.packages.members import FORMAT_NAME, MANIFEST, MEMBERS, VECTOR_NAME, VERSION
from core.domain.errors import BadFile
from core.domain.json_types import Json
from core.domain.package import (
    PackedCase,
    PackedDocument,
    PackedEdge,
    PackedFolder,
    PackedMemo,
    PackedMemory,
    PackedMessage,
    PackedPair,
    PackedPin,
    PackedVector,
    VectorSet,
)
from core.domain.safe_text import storable
from core.domain.saved_search import SavedSearch
from core.domain.schema import MemoryType, RelationType

MAX_MANIFEST_BYTES = 8 << 20
MAX_LINE_BYTES = 256 << 20
MAX_RATIO = 300
"""Rows hold ids and times, which pack some 5 to 40 times smaller; more than this is a bomb."""
RATIO_FROM_BYTES = 16 << 20
MAX_TOTAL_BYTES = 64 << 30
MAX_MEMBERS = 1000
_CHUNK = 1 << 20
_ENCRYPTED = 0x1
_SYMLINK = 0xA000
BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """What the manifest says of a member."""

    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a package says of itself."""

    version: int
    program: str
    scope: str
    counts: Mapping[str, int]
    vectors: tuple[tuple[str, str, int], ...]
    members: Mapping[str, MemberFacts]


def is_package(path: Path) -> bool:
    """Whether a file is a package of ours, whole or not: its manifest says so."""
    try:
        with zipfile.ZipFile(path) as package, package.open(MANIFEST) as file:
            return FORMAT_NAME.encode() in file.read(_CHUNK)
    except (*BROKEN, KeyError, ValueError):
        return path.suffix.lower() == ".mcz"


class Package:
    """The content of a package (core.domain.package.PackageContent). Each call reads the file anew.

    Errors: BadFile when it is none, newer than this program, escapes or swells beyond the limits, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._opened() as package:
            _check_entries(package, path)
            self.manifest = _read_manifest(package, path)
            _check_sizes(package, path)

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self.path) as package:
                yield package
        except BROKEN as error:
            raise BadFile("error.package.damaged", name=self.path.name, details=str(error)) from error

    # --- rows ---

    def types(self) -> Iterator[MemoryType]:
        """Memory types."""
        return self._rows("types.jsonl")

    def relation_types(self) -> Iterator[RelationType]:
        """Kinds of relations."""
        return self._rows("relation_types.jsonl")

    def folders(self) -> Iterator[PackedFolder]:
        """Folders."""
        return self._rows("folders.jsonl")

    def documents(self) -> Iterator[PackedDocument]:
        """Documents."""
        return self._rows("documents.jsonl")

    def memories(self) -> Iterator[PackedMemory]:
        """Memories."""
        return self._rows("memories.jsonl")

    def edges(self) -> Iterator[PackedEdge]:
        """Relations."""
        return self._rows("edges.jsonl")

    def messages(self) -> Iterator[PackedMessage]:
        """Floors."""
        return self._rows("messages.jsonl")

    def memos(self) -> Iterator[PackedMemo]:
        """Memos."""
        return self._rows("memos.jsonl")

    def pairs(self) -> Iterator[PackedPair]:
        """Pairs that are no duplicates."""
        return self._rows("not_duplicates.jsonl")

    def cases(self) -> Iterator[PackedCase]:
        """Recall tests."""
        return self._rows("recall_cases.jsonl")

    def pins(self) -> Iterator[PackedPin]:
        """Pins of the graph's pictures."""
        return self._rows("pins.jsonl")

    def searches(self) -> Iterator[SavedSearch]:
        """Saved searches."""
        return self._rows("saved_searches.jsonl")

    def _rows(self, name: str) -> Iterator[Any]:
        """The records of a member, checked against its hash. Errors: BadFile at the row that is wrong."""
        read = MEMBERS[name].read
        number = 0
        for line in self.lines(name):
            number += 1
            try:
                yield read(json.loads(line))
            except (ValueError, RecursionError, TypeError) as error:
                raise self._broken_row(name, number, error) from error
        facts = self.manifest.members.get(name)
        if facts is not None and facts.rows != number:
            raise BadFile(
                "error.package.rows", name=self.path.name, member=name, rows=facts.rows, found=number
            )

    def _broken_row(self, member: str, line: int, error: Exception) -> BadFile:
        return BadFile("error.package.row", name=self.path.name, member=member, line=line, details=str(error))

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a member; at its end its hash is compared. Errors: BadFile."""
        if name not in self.manifest.members:
            return
        with self._opened() as package, self._member(package, name) as file:
            yield from iter(lambda: self._line(file, name), b"")
            file.finish()

    def _line(self, file: _Checked, name: str) -> bytes:
        line = file.readline(MAX_LINE_BYTES + 1)
        if len(line) > MAX_LINE_BYTES:
            raise BadFile("error.package.bomb", name=self.path.name, member=name)
        return line

    @contextmanager
    def _member(self, package: zipfile.ZipFile, name: str) -> Iterator[_Checked]:
        try:
            with package.open(name) as plain:
                yield _Checked(plain, self.manifest.members[name], self.path.name, name)
        except KeyError as error:
            raise BadFile("error.package.member_missing", name=self.path.name, member=name) from error
        except BROKEN as error:
            raise BadFile(
                "error.package.member", name=self.path.name, member=name, details=str(error)
            ) from error

    # --- vectors ---

    def vectors(self) -> Iterator[VectorSet]:
        """Vectors, set by set."""
        for stem, model, dims in self.manifest.vectors:
            facts = self.manifest.members.get(f"{stem}.npy")
            count = 0 if facts is None else facts.rows
            yield VectorSet(model, dims, count, self._vector_rows(stem, dims, count))

    def _vector_rows(self, stem: str, dims: int, count: int) -> Iterator[PackedVector]:
        name = f"{stem}.npy"
        if name not in self.manifest.members:
            raise BadFile("error.package.member_missing", name=self.path.name, member=name)
        with self._opened() as package, self._member(package, name) as file:
            self._check_shape(file, name, (count, dims))
            keys = self.lines(f"{stem}.jsonl")
            for number, line in enumerate(keys, 1):
                data = file.read(4 * dims)
                try:
                    row = json.loads(line)
                    memory, text_hash = row["memory"], row["text"]
                except (ValueError, KeyError, TypeError) as error:
                    raise self._broken_row(f"{stem}.jsonl", number, error) from error
                if len(data) != 4 * dims or not isinstance(memory, str) or not isinstance(text_hash, str):
                    raise self._broken_row(name, number, ValueError("too short"))
                yield PackedVector(memory, text_hash, data)
            file.finish()

    def _check_shape(self, file: _Checked, name: str, shape: tuple[int, int]) -> None:
        stream = cast("IO[bytes]", file)
        try:
            version = np.lib.format.read_magic(stream)
            if version != (1, 0):
                raise ValueError(f"version {version}")
            found = np.lib.format.read_array_header_1_0(stream, max_header_size=10_000)
        except ValueError as error:
            raise self._broken_row(name, 0, error) from error
        if found != (shape, False, np.dtype("<f4")):
            raise self._broken_row(name, 0, ValueError(f"shape {found}"))


class _Checked:
    """A member as it is read: hashed, and never longer than announced."""

    def __init__(self, file: IO[bytes], facts: MemberFacts, package: str, member: str) -> None:
        self._file = io.BufferedReader(cast("io.RawIOBase", file), _CHUNK)
        self._facts = facts
        self._package = package
        self._member = member
        self._digest = hashlib.sha256()
        self._size = 0

    def read(self, size: int) -> bytes:
        return self._seen(self._file.read(size))

    def readline(self, limit: int) -> bytes:
        return self._seen(self._file.readline(limit))

    def _seen(self, data: bytes) -> bytes:
        self._digest.update(data)
        self._size += len(data)
        if self._size > self._facts.size:
            raise BadFile("error.package.bomb", name=self._package, member=self._member)
        return data

    def finish(self) -> None:
        """Errors: BadFile when the bytes are not those that were written."""
        while self.read(_CHUNK):
            pass
        if self._size != self._facts.size or self._digest.hexdigest() != self._facts.sha256:
            raise BadFile("error.package.member", name=self._package, member=self._member)


# --- what the archive must be before anything of it is read -----------------------------------


def _check_entries(package: zipfile.ZipFile, path: Path) -> None:
    """Names that would escape, passwords and doubled names are refused as a whole. Errors: BadFile."""
    entries = package.infolist()
    names = [entry.filename for entry in entries]
    if len(entries) > MAX_MEMBERS or len(set(names)) != len(names):
        raise BadFile("error.package.odd", name=path.name)
    for entry in entries:
        if _escapes(entry):
            raise BadFile("error.package.escapes", name=path.name, member=storable(entry.filename))
        if entry.flag_bits & _ENCRYPTED:
            raise BadFile("error.file.package_locked", name=path.name)


def _escapes(entry: zipfile.ZipInfo) -> bool:
    name = entry.orig_filename.replace("\\", "/")
    linked = (entry.external_attr >> 16) & 0xF000 == _SYMLINK
    drive = bool(PureWindowsPath(name).drive)
    return name.startswith("/") or drive or ".." in name.split("/") or "\x00" in name or linked


def _check_sizes(package: zipfile.ZipFile, path: Path) -> None:
    """A bomb shows by what it says of itself. Errors: BadFile."""
    total = 0
    for entry in package.infolist():
        total += entry.file_size
        swells = entry.file_size > RATIO_FROM_BYTES and entry.file_size > MAX_RATIO * max(
            1, entry.compress_size
        )
        if swells or total > MAX_TOTAL_BYTES:
            raise BadFile("error.package.bomb", name=path.name, member=entry.filename)


def _read_manifest(package: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        with package.open(MANIFEST) as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
        if len(data) > MAX_MANIFEST_BYTES:
            raise BadFile("error.package.bomb", name=path.name, member=MANIFEST)
        value = json.loads(data)
    except (KeyError, ValueError, RecursionError) as error:
        raise BadFile("error.package.manifest", name=path.name, details=str(error)) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT_NAME:
        raise BadFile("error.package.manifest", name=path.name)
    version = value.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BadFile(
            "error.package.newer",
            name=path.name,
            version=version,
            known=VERSION,
            program=storable(str(value.get("program", "")))[:40] or "?",
        )
    try:
        return _manifest(value)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFile("error.package.manifest", name=path.name, details=str(error)) from error


def _manifest(value: dict[str, Any]) -> Manifest:
    counts: dict[str, Json] = value["counts"]
    vectors = tuple(
        (str(each["member"]), str(each["model"]), _size(each["dims"])) for each in value["vectors"]
    )
    if any(VECTOR_NAME.fullmatch(f"{stem}.npy") is None for stem, _, _ in vectors):
        raise ValueError("vectors")
    return Manifest(
        version=_size(value["version"]),
        program=storable(str(value["program"]))[:40],
        scope=storable(str(value["scope"])),
        counts={storable(str(name)): _size(number) for name, number in counts.items()},
        vectors=vectors,
        members={
            str(name): MemberFacts(_size(each["rows"]), _size(each["bytes"]), str(each["sha256"]))
            for name, each in value["members"].items()
        },
    )


def _size(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r:.20} is no number")
    return value
