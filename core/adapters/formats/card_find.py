"""Finding a character card: in a picture, in a package (CHARX), or as JSON of any version."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from core.adapters.formats.json_text import BrokenJson, decode, parse
from core.adapters.formats.png_chunks import LARGEST_TEXT, CutOff, TextChunk, text_chunks
from core.adapters.formats.problems import INFO, Problems
from core.domain.errors import BadFile
from core.domain.json_types import Json
from core.domain.safe_text import storable

CARD_FILE = "card.json"
_KEYWORDS = ("ccv3", "chara")
"""In order of precedence: the newer form wins."""
_V1_FIELDS = frozenset({"description", "personality", "scenario", "first_mes", "mes_example"})
_PYGMALION: Mapping[str, str] = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
}
_NEWEST = 3.0
_MOST_ENTRIES = 10_000
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=_-]+")
_SYMLINK = 0xA000
_ENCRYPTED = 1


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card as parsed. `data` are the character's fields, in whichever version the card is."""

    raw: Mapping[str, Json]
    data: Mapping[str, Json]

    @property
    def name(self) -> str:
        """The character's name."""
        found = self.data.get("name")
        return storable(found.strip()) if isinstance(found, str) else ""


def find_card(value: Json, problems: Problems) -> FoundCard | None:
    """The card of a JSON value of any version; None when it is no card."""
    if not isinstance(value, Mapping):
        return None
    data = value.get("data")
    spec = value.get("spec")
    if isinstance(data, Mapping) and (
        (isinstance(spec, str) and spec.startswith("chara_card")) or _is_character(data)
    ):
        version = _number(value.get("spec_version"))
        if version is not None and version > _NEWEST:
            problems.add("import.problem.card_newer", severity=INFO, version=str(value["spec_version"]))
        return FoundCard(value, data)
    if _is_character(value):
        return FoundCard(value, value)
    if "char_name" in value and ("char_persona" in value or "char_greeting" in value):
        return FoundCard(
            value, {ours: value[theirs] for theirs, ours in _PYGMALION.items() if theirs in value}
        )
    return None


def _is_character(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("name"), str) and len(_V1_FIELDS & value.keys()) >= 2


def _number(raw: Json) -> float | None:
    try:
        return float(raw) if isinstance(raw, str | int | float) else None
    except ValueError:
        return None


# --- pictures ---


def card_in_png(path: Path, problems: Problems) -> FoundCard:
    """The card of a picture. Errors: BadFile when there is none, it is cut off, or cannot be read."""
    chunks: list[TextChunk] = []
    cut = False
    with path.open("rb") as file:
        try:
            chunks.extend(chunk for chunk in text_chunks(file) if chunk.keyword.strip().lower() in _KEYWORDS)
        except CutOff:
            cut = True
    found, unreadable = _first_card(chunks, problems)
    if found is not None:
        if cut:
            problems.add("import.problem.card_cut")
        if unreadable:
            problems.add("import.problem.card_older_used")
        return found
    if packed := _appended(path, problems):
        return packed
    if cut:
        raise BadFile("error.file.card_cut", name=path.name)
    raise BadFile("error.file.card_unreadable" if chunks else "error.file.no_card", name=path.name)


def _first_card(chunks: list[TextChunk], problems: Problems) -> tuple[FoundCard | None, bool]:
    """The first card that can be read, the newer form before the older; whether a newer one could not be."""
    unreadable = False
    for keyword in _KEYWORDS:
        for chunk in chunks:
            if chunk.keyword.strip().lower() != keyword:
                continue
            value = None if chunk.text is None else card_text(chunk.text, problems)
            found = find_card(value, problems)
            if found is not None:
                if chunk.damaged:
                    problems.add("import.problem.card_checksum")
                return found, unreadable
            unreadable = True
    return None, unreadable


def card_text(text: str, problems: Problems | None = None) -> Json:
    """The value of a card's text: base64 of JSON, or JSON as it is; None when it is neither."""
    bare = text.strip()
    if not bare.startswith("{"):
        digits = _NOT_BASE64.sub("", bare).replace("-", "+").replace("_", "/").rstrip("=")
        try:
            data = base64.b64decode(digits + "=" * (-len(digits) % 4))
            bare = decode(data, "")[0]
        except (binascii.Error, ValueError, BadFile):
            return None
    try:
        return parse(bare, problems)
    except BrokenJson:
        return None


# --- packages ---


def card_in_package(path: Path, problems: Problems) -> FoundCard:
    """The card of a ZIP package. Nothing is unpacked to disk; names that would escape are reported.

    Errors: BadFile.
    """
    try:
        with zipfile.ZipFile(path) as package:
            return _package_card(package, path, problems)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, zlib.error, EOFError) as error:
        raise BadFile("error.file.package_damaged", name=path.name, details=str(error)) from error


def _package_card(package: zipfile.ZipFile, path: Path, problems: Problems) -> FoundCard:
    entries = package.infolist()
    card = card_entry(package)
    if card is None:
        raise BadFile("error.file.is_archive", name=path.name)
    hostile = [storable(entry.filename) for entry in entries[:_MOST_ENTRIES] if _escapes(entry)]
    if hostile:
        problems.add(
            "import.problem.hostile_paths", *hostile, count=len(hostile), names=", ".join(hostile[:10])
        )
    if card.flag_bits & _ENCRYPTED:
        raise BadFile("error.file.package_locked", name=path.name)
    if card.file_size > LARGEST_TEXT:
        raise BadFile("error.file.package_too_big", name=path.name, limit=LARGEST_TEXT // 2**20)
    with package.open(card) as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise BadFile("error.file.package_too_big", name=path.name, limit=LARGEST_TEXT // 2**20)
    try:
        value = parse(decode(data, path.name)[0], problems)
    except BrokenJson as error:
        raise BadFile("error.file.card_unreadable", name=path.name, details=str(error)) from error
    found = find_card(value, problems)
    if found is None:
        raise BadFile("error.file.card_unreadable", name=path.name)
    return found


def card_entry(package: zipfile.ZipFile) -> zipfile.ZipInfo | None:
    """The entry of a package that holds its card."""
    names = ((entry.filename.lower().removeprefix("./"), entry) for entry in package.infolist())
    return next((entry for name, entry in names if name == CARD_FILE), None)


def _escapes(entry: zipfile.ZipInfo) -> bool:
    """Whether unpacking the entry would write, or lead, outside of the chosen directory."""
    name = entry.orig_filename.replace("\\", "/")
    windows = PureWindowsPath(name)
    parts = name.split("/")
    linked = (entry.external_attr >> 16) & 0xF000 == _SYMLINK
    return name.startswith("/") or bool(windows.drive) or ".." in parts or "\x00" in name or linked


def _appended(path: Path, problems: Problems) -> FoundCard | None:
    """The card of a package that was appended to a picture."""
    if not zipfile.is_zipfile(path):
        return None
    try:
        return card_in_package(path, problems)
    except BadFile:
        return None


def card_in_picture(path: Path, problems: Problems) -> FoundCard:
    """The card of a picture that is no PNG: only a package appended to it. Errors: BadFile."""
    found = _appended(path, problems)
    if found is None:
        raise BadFile("error.file.no_card", name=path.name)
    return found
