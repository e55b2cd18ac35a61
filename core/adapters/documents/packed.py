"""Packed documents (ZIP with XML inside) read safely: limits on what they unpack to, no entities, no deep nesting.

Nothing is ever written to disk, so that names that climb out of the archive do no harm.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from core.domain.errors import BadFile

MAX_PART_BYTES = 128 << 20
MAX_TOTAL_BYTES = 512 << 20
MAX_RATIO = 500
"""Text packs 3 to 20 times smaller; a thousand times is a bomb."""
RATIO_FROM_BYTES = 8 << 20
MAX_DEPTH = 200
MAX_ENTRIES = 50_000
_ENCRYPTED = 0x1
_CHUNK = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class PartDamaged(Exception):
    """One part of the archive that cannot be read; the others may be."""


class Package:
    """An opened ZIP. Errors: BadFile when it is damaged as a whole."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
            raise BadFile("error.document.damaged", name=name, details=str(error)) from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise BadFile("error.document.bomb", name=name)
        self._entries = {posixpath.normpath(entry.filename.replace("\\", "/")): entry for entry in entries}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parts, as they stand."""
        return tuple(self._entries)

    def has(self, part: str) -> bool:
        """Whether there is a part of that name."""
        return part in self._entries

    def read(self, part: str) -> bytes:
        """The bytes of a part. Errors: PartDamaged; BadFile when it unpacks to more than the limits allow."""
        entry = self._entries.get(part)
        if entry is None:
            raise PartDamaged(part)
        if entry.flag_bits & _ENCRYPTED:
            raise BadFile("error.document.protected", name=self.name)
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(_CHUNK):
                    pieces.append(piece)
                    size += len(piece)
                    self._check_size(size, entry.compress_size, len(piece))
        except _BROKEN as error:
            raise PartDamaged(f"{part}: {error}") from error
        return b"".join(pieces)

    def _check_size(self, size: int, packed: int, more: int) -> None:
        self._read += more
        bomb = size > RATIO_FROM_BYTES and size > max(1, packed) * MAX_RATIO
        if bomb or size > MAX_PART_BYTES or self._read > MAX_TOTAL_BYTES:
            raise BadFile("error.document.bomb", name=self.name)

    def xml(self, part: str) -> Element:
        """The root of an XML part. Errors: PartDamaged, BadFile."""
        return parse_xml(self.read(part))

    def main_xml(self, part: str) -> Element:
        """The same for the part without which there is no document. Errors: BadFile."""
        try:
            return self.xml(part)
        except PartDamaged as error:
            raise BadFile("error.document.damaged", name=self.name, details=str(error)) from error

    def optional_xml(self, part: str) -> Element | None:
        """The same; None when it is missing or damaged."""
        try:
            return self.xml(part) if self.has(part) else None
        except PartDamaged:
            return None


def beside(part: str, reference: str) -> str:
    """The name of a part that another one refers to; `..` never leaves the archive."""
    target = unquote(reference.partition("#")[0]).replace("\\", "/")
    joined = target.lstrip("/") if target.startswith("/") else posixpath.join(posixpath.dirname(part), target)
    return posixpath.normpath("/" + joined).lstrip("/")


def parse_xml(data: bytes) -> Element:
    """The tree of an XML text; tags and attributes by their local names. Errors: PartDamaged."""
    builder = TreeBuilder()
    depth = 0
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise PartDamaged("nested too deep")
        builder.start(_local(tag), {_local(name): value for name, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_local(tag))

    def entity(*_declared: object) -> None:
        raise PartDamaged("declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise PartDamaged(str(error)) from error
    return builder.close()


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def children(element: Element, tag: str) -> Iterator[Element]:
    """Direct children of that name."""
    return (child for child in element if child.tag == tag)


def child(element: Element | None, *path: str) -> Element | None:
    """The first child at the end of a path of names."""
    for tag in path:
        element = None if element is None else next(children(element, tag), None)
    return element


def all_text(element: Element | None) -> str:
    """All text inside."""
    return "" if element is None else "".join(element.itertext())


def properties(package: Package, part: str = "docProps/core.xml") -> dict[str, str]:
    """Title and author of an Office file."""
    root = package.optional_xml(part)
    found = {} if root is None else {item.tag: all_text(item).strip() for item in root}
    return {key: found[key] for key in ("title", "creator") if found.get(key)}
