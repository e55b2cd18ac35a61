"""Finding an ST-BME graph by content: an export, a chat's metadata, or the header line of a chat file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from core.adapters.formats.json_mended import mended
from core.adapters.formats.json_text import BrokenJson, TooDeep, decode, may_hold_unstorable, parse
from core.adapters.formats.problems import INFO, Problems
from core.domain.errors import BadFile
from core.domain.json_types import Json

GRAPH_KEY = "st_bme_graph"
METADATA_KEY = "chat_metadata"
MARKER_KEY = "st_bme_commit_marker"
PERSISTENCE_KEY = "__stBmePersistence"
_NODE_KEYS = frozenset({"fields", "seq", "seqRange", "archived", "createdTime", "importance"})
_CARD_KEYS = frozenset({"first_mes", "personality", "scenario", "mes_example"})
_FOREIGN_CHAT_KEYS = frozenset({"data_visible", "histories", "savedsettings", "messages"})
_HEAD_BYTES = 4096
_UNUSED = "unused"
SEVERAL_VALUES = "import.problem.json_several"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGraph:
    """A graph as parsed, and what stood around it. `suspect`: its texts may hold what cannot be stored."""

    graph: dict[str, Json]
    character: str = ""
    in_chat: bool = False
    suspect: bool = True
    problems: Problems = field(default_factory=Problems)


def find_graph(path: Path, *, partly: bool = False) -> FoundGraph:
    """The graph that a file holds. `partly`: of a broken file take what stands before the break.

    Errors: BadFile saying what the file is instead, or where it breaks off and how much can be read.
    """
    return graph_of_value(load_json(path, partly=partly), path.name)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The JSON of a file. `suspect`: its texts may hold what cannot be stored."""

    value: Json
    suspect: bool = True
    problems: Problems = field(default_factory=Problems)


def graph_of_value(loaded: Loaded, name: str) -> FoundGraph:
    """The graph that a JSON value holds. Errors: BadFile saying what it is instead."""
    problems = loaded.problems
    found = graph_in(loaded.value, problems)
    if found is None:
        raise BadFile(what_it_is(loaded.value), name=name)
    graph, surroundings = found
    header = surroundings.get("header", {})
    metadata = surroundings.get("metadata", {})
    check_marker(graph, metadata, problems)
    character = header.get("character_name")
    return FoundGraph(
        graph=graph,
        character=character if isinstance(character, str) and character != _UNUSED else "",
        in_chat=bool(metadata),
        suspect=loaded.suspect,
        problems=problems,
    )


def load_json(path: Path, *, partly: bool = False) -> Loaded:
    """The JSON value of a file, or of the first line of a file of JSON lines. Errors: BadFile."""
    problems = Problems()
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if not head.strip(b"\x00\r\n\t \xef\xbb\xbf"):
            raise BadFile("error.file.empty", name=path.name)
        if not head.startswith((b"\xff\xfe", b"\xfe\xff")) and head[1:2] != b"\x00":
            file.seek(0)
            first = _first_line(file)
            rest = sum(1 for line in file if line.strip(b"\x00\r\n\t "))
            header = _chat_header(first, path.name, problems) if rest else None
            if header is not None:
                return Loaded(header, problems=problems)
    text, encoding = decode(path.read_bytes(), path.name)
    if not encoding.startswith("utf-8"):
        problems.add("import.problem.encoding", severity=INFO, encoding=encoding)
    try:
        value = parse(text, problems)
        if isinstance(value, str) and (inside := _mended(text, problems)) is not None:
            return inside
        return Loaded(value, may_hold_unstorable(text), problems)
    except TooDeep as error:
        raise BadFile("error.file.too_deep", name=path.name) from error
    except BrokenJson as error:
        if (found := _mended(text, problems)) is not None:
            return found
        value = _salvage(error, text, path.name, partly=partly)
        problems.add("import.problem.broken_json", line=error.at.line, column=error.at.column)
        return Loaded(value, problems=problems)


def _mended(text: str, problems: Problems) -> Loaded | None:
    """The value of a text that is not quite JSON, with what is to be said of it; None when it would be guessed."""
    found = mended(text)
    if found is None:
        return None
    if found.several:
        problems.add(SEVERAL_VALUES, severity=INFO, count=found.several)
    if found.repaired:
        problems.add("import.problem.json_mended")
    return Loaded(found.value, problems=problems)


def _first_line(file: BinaryIO) -> bytes:
    """The first line with anything on it."""
    return next((line for line in file if line.strip(b"\x00\r\n\t \xef\xbb\xbf")), b"")


def _chat_header(line: bytes, name: str, problems: Problems) -> dict[str, Json] | None:
    """The first line when it is the header of a chat; other files of several values are read as a whole."""
    try:
        value = parse(decode(line, name)[0], problems)
    except (BrokenJson, BadFile):
        return None
    told = METADATA_KEY in value or GRAPH_KEY in value if isinstance(value, dict) else False
    return value if isinstance(value, dict) and told else None


def _salvage(error: BrokenJson, text: str, name: str, *, partly: bool) -> Json:
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        raise BadFile("error.file.not_json", name=name, details=str(error)) from error
    memories = _readable_memories(error.at.readable)
    if partly and memories:
        return error.at.readable
    raise BadFile(
        "error.file.json_broken" if memories else "error.file.json_broken_nothing",
        name=name,
        line=error.at.line,
        before=max(0, error.at.line - 1),
        column=error.at.column,
        memories=memories,
        details=error.at.reason,
    ) from error


def _readable_memories(readable: Mapping[str, Json]) -> int:
    """How many nodes of a graph, or entries of a lorebook, stand before the break."""
    found = graph_in(readable)
    items = found[0].get("nodes") if found else readable.get("entries")
    return len(items) if isinstance(items, list | dict) else 0


def graph_in(
    value: Json, problems: Problems | None = None
) -> tuple[dict[str, Json], dict[str, dict[str, Json]]] | None:
    """The graph of a JSON value, with the chat metadata and header line around it; None when there is none.

    Keys that stand twice in a graph that is kept as a text are noted in `problems`.
    """
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict) and METADATA_KEY in item), None)
    if not isinstance(value, dict):
        return None
    if _is_graph(value):
        return value, {}
    metadata = value.get(METADATA_KEY)
    header, metadata = (value, metadata) if isinstance(metadata, dict) else ({}, value)
    graph = metadata.get(GRAPH_KEY)
    if isinstance(graph, str):
        try:
            graph = parse(graph, problems)
        except BrokenJson:
            return None
    if isinstance(graph, dict) and (_is_graph(graph) or "nodes" in graph):
        return graph, {"header": header, "metadata": metadata}
    return None


def _is_graph(value: Mapping[str, Json]) -> bool:
    if "nodes" not in value:
        return False
    nodes = value["nodes"]
    if isinstance(nodes, dict):  # by id, as some tools write them
        nodes = list(nodes.values())
    if isinstance(nodes, list) and nodes:
        return any(isinstance(node, dict) and not _NODE_KEYS.isdisjoint(node) for node in nodes)
    if "lastProcessedSeq" in value or "version" in value:
        return True
    return "edges" in value and (nodes is None or isinstance(nodes, list))


def what_it_is(value: Json) -> str:
    """Text key that says what a JSON value is, when it is no graph."""
    if isinstance(value, list):
        return "error.file.is_list"
    if not isinstance(value, dict):
        return "error.file.is_value"
    spec = value.get("spec")
    if isinstance(spec, str) and spec.startswith("lorebook"):
        return "error.file.is_lorebook"
    if (isinstance(spec, str) and spec.startswith("chara_card")) or len(_CARD_KEYS & set(value)) > 1:
        return "error.file.is_card"
    if "entries" in value:
        return "error.file.is_lorebook"
    if "chat_id" in value and "members" in value:
        return "error.file.is_group"
    metadata = value.get(METADATA_KEY)
    if MARKER_KEY in value or (isinstance(metadata, dict) and MARKER_KEY in metadata):
        return "error.file.graph_elsewhere"
    if METADATA_KEY in value or "mes" in value or "user_name" in value:
        return "error.file.is_chat"
    if not _FOREIGN_CHAT_KEYS.isdisjoint(value) or value.get("type") == "risuChat":
        return "error.file.is_foreign_chat"
    return "error.file.is_object"


def check_marker(graph: Mapping[str, Json], metadata: Mapping[str, Json], problems: Problems) -> None:
    """Newer versions keep the graph elsewhere and leave a marker: say so when the file's copy is another one."""
    marker, persistence = metadata.get(MARKER_KEY), graph.get(PERSISTENCE_KEY)
    if not isinstance(marker, dict):
        return
    here = persistence.get("revision", 0) if isinstance(persistence, dict) else 0
    marked = marker.get("revision")
    if isinstance(marked, int | float) and isinstance(here, int | float) and marked > here:
        problems.add("import.problem.older_than_marker", here=here, marked=marked)
        return
    for counted, part in (("nodeCount", "nodes"), ("edgeCount", "edges")):
        expected, items = marker.get(counted), graph.get(part)
        if isinstance(expected, int) and isinstance(items, list) and len(items) < expected:
            problems.add("import.problem.fewer_than_marker", here=len(items), marked=expected)
            return
