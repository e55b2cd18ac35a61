"""Writing a package: member by member, as a stream, with the hash of each in the manifest."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO

import numpy as np

from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.whole_file import new_file
from core.adapters.packages.members import FORMAT_NAME, MANIFEST, MEMBERS, VERSION, count_name
from core.adapters.packages.rows import time_text
from core.domain.json_types import Json, canonical
from core.domain.package import PackageContent, VectorSet
from core.domain.transfer import ExportReport, Format

_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""Times of members are all the same, so that the same content gives the same bytes."""
_BUFFER_BYTES = 1 << 20


def write_package(
    content: PackageContent, path: Path, *, overwrite: bool, program: str, scope: str, now: datetime
) -> ExportReport:
    """Write all of a content to a new file. Errors: UserError as core.adapters.formats.whole_file says."""
    counts: dict[str, int] = {}
    problems = Problems()
    with new_file(path, overwrite=overwrite) as part, zipfile.ZipFile(part, "w", allowZip64=True) as package:
        writer = _Writer(package)
        ids: set[str] = set()
        leads_out = 0
        for name, member in MEMBERS.items():
            with writer.member(name) as file:
                for record in member.rows(content):
                    row = member.write(record)
                    if name == "memories.jsonl":
                        ids.add(record.memory.id)
                    elif name == "edges.jsonl":
                        leads_out += record.source not in ids or record.target not in ids
                    file.line(row)
            counts[count_name(name)] = file.rows
        vectors = _write_vectors(writer, content)
        counts["vectors"] = sum(count for _, count in vectors)
        manifest: dict[str, Json] = {
            "format": FORMAT_NAME,
            "version": VERSION,
            "program": program,
            "written_at": time_text(now),
            "scope": scope,
            "counts": dict(counts),
            "vectors": [entry for entry, _ in vectors],
            "members": writer.members,
        }
        with package.open(_info(MANIFEST, zipfile.ZIP_DEFLATED), "w") as plain:
            plain.write(json.dumps(manifest, ensure_ascii=False, indent=1).encode())
    if leads_out:
        problems.add("export.problem.edge_kept_outside", severity=INFO, count=leads_out)
    return ExportReport(
        format=Format.MCZ,
        path=path,
        counts={name: number for name, number in counts.items() if number},
        problems=problems.all(),
    )


def _write_vectors(writer: _Writer, content: PackageContent) -> list[tuple[dict[str, Json], int]]:
    written: list[tuple[dict[str, Json], int]] = []
    for number, vectors in enumerate(content.vectors()):
        stem = f"vectors/{number}"
        keys = _write_set(writer, f"{stem}.npy", vectors)
        with writer.member(f"{stem}.jsonl") as file:
            for memory, text_hash in keys:
                file.line({"memory": memory, "text": text_hash})
        written.append(({"member": stem, "model": vectors.model, "dims": vectors.dims}, vectors.count))
    return written


def _write_set(writer: _Writer, name: str, vectors: VectorSet) -> list[tuple[str, str]]:
    """The matrix as .npy: its head says how many rows follow, which is why they were counted before."""
    head = io.BytesIO()
    shape = (vectors.count, vectors.dims)
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": shape})
    keys = []
    with writer.member(name, packed=False) as file:
        file.write(head.getvalue())
        for row in vectors.rows:
            file.write(row.data)
            file.rows += 1
            keys.append((row.memory, row.text_hash))
    return keys


class _Writer:
    """The archive being written, and what its manifest will say."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self.members: dict[str, Json] = {}

    @contextmanager
    def member(self, name: str, *, packed: bool = True) -> Iterator[_MemberFile]:
        """A member to write to; its size, hash and rows are noted at the end."""
        method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        with self._package.open(_info(name, method), "w", force_zip64=True) as plain:
            file = _MemberFile(plain)
            yield file
            file.flush()
        self.members[name] = {"rows": file.rows, "bytes": file.size, "sha256": file.digest.hexdigest()}


class _MemberFile:
    """Collects small pieces, so that hashing and packing see large ones."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._pieces: list[bytes] = []
        self._held = 0
        self.digest = hashlib.sha256()
        self.size = 0
        self.rows = 0

    def line(self, row: Json) -> None:
        """One JSON line."""
        self.write(canonical(row).encode() + b"\n")
        self.rows += 1

    def write(self, data: bytes) -> None:
        self._pieces.append(data)
        self._held += len(data)
        if self._held >= _BUFFER_BYTES:
            self.flush()

    def flush(self) -> None:
        data = b"".join(self._pieces)
        self._pieces, self._held = [], 0
        self.digest.update(data)
        self.size += len(data)
        self._file.write(data)


def _info(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _FIXED_TIME)
    info.compress_type = method
    info.external_attr = 0o644 << 16
    return info
