"""A chat as an import plan: one folder with all floors, and the memories of a graph that its metadata holds.

Lines are read one at a time and messages packed, so that a chat of hundreds of megabytes fits into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from core.adapters.formats.chat_group import Group, group_of
from core.adapters.formats.chat_lines import SHOWN_OF_BROKEN, Line, encoding_of, read_lines
from core.adapters.formats.chat_message import UNUSED, MessageReader, is_header, is_message
from core.adapters.formats.chat_pack import PackedMessages
from core.adapters.formats.json_decoder import DoubledKeys
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_find import (
    GRAPH_KEY,
    MARKER_KEY,
    METADATA_KEY,
    FoundGraph,
    check_marker,
    graph_in,
)
from core.adapters.formats.stbme_read import FOLDER_KEY
from core.adapters.formats.stbme_read import plan_of as graph_plan
from core.domain.chat import CHAT_KEY
from core.domain.enums import FolderKind
from core.domain.errors import Invalid
from core.domain.folder import MAX_FOLDER_CHARS, clean_folder_name
from core.domain.json_types import Json, canonical
from core.domain.safe_text import storable
from core.domain.schema import Schema
from core.domain.transfer import Format, ImportPlan, PlannedFolder

BRANCH_NAME_KEY = "main_chat"
_LINES_SNIFFED = 8
_LARGEST_METADATA = 100_000
_SHOWN_LINES = 20
_KEPT_BROKEN = 20


def looks_like_chat(path: Path) -> bool:
    """Whether a file is a chat in lines: a header, or messages from the start (a torn first line aside).

    A header alone whose metadata is a graph's counts as a graph. Errors: OSError.
    """
    lines = list(islice(read_lines(path), _LINES_SNIFFED))
    good = [line.value for line in lines if line.broken is None]
    if not good:
        return False
    if is_header(good[0]):
        return len(lines) > 1 or graph_in(good[0]) is None
    return lines[-1].number > 1 and sum(map(is_message, good)) > len(good) / 2


def read_chat(path: Path, schema: Schema) -> ImportPlan:
    """The dry run of an import of a SillyTavern chat. Errors: OSError."""
    problems = Problems()
    encoding = encoding_of(path)
    if encoding != "utf-8":
        problems.add("import.problem.encoding", severity=INFO, encoding=encoding)
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    reading = ChatReading(path.name, schema, problems, in_group=group_of(path))
    reading.take(read_lines(path))
    return reading.plan(changed, path=str(path.absolute()))


def is_listed_chat(value: Json) -> bool:
    """Whether a JSON list holds the lines of a SillyTavern chat."""
    if not isinstance(value, list) or not value:
        return False
    spoken = sum(isinstance(item, Mapping) and "mes" in item for item in value)
    return spoken > 0 and spoken >= (len(value) - is_header(value[0])) / 2


def read_listed(values: Sequence[Json], schema: Schema, path: Path, problems: Problems) -> ImportPlan:
    """The dry run of an import of a chat whose lines stand in one list, or one after the other without line ends."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    reading = ChatReading(path.name, schema, problems, program="SillyTavern")
    reading.take(Line(number, value) for number, value in enumerate(values, start=1))
    problems.add("import.problem.chat_of", severity=INFO, program=reading.program)
    return replace(reading.plan(changed, path=str(path.absolute())), format=Format.FOREIGN_CHAT)


@dataclass(slots=True)
class ChatReading:
    """A chat file on its way into a plan."""

    name: str
    schema: Schema
    problems: Problems
    key: str = FOLDER_KEY
    program: str = "sillytavern"
    in_group: Group | None = None
    header: Mapping[str, Json] | None = None
    messages: PackedMessages = field(default_factory=PackedMessages)
    broken: list[Line] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)
    nul_bytes: int = 0
    nul_line: int = 0
    cut: int = 0
    objects: int = 0
    twice: DoubledKeys = field(default_factory=DoubledKeys)
    reader: MessageReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = MessageReader(self.key, problems=self.problems)

    def take(self, lines: Iterable[Line]) -> None:
        """Read all lines: each is the header, a message, or neither (then it is named and left out)."""
        for line in lines:
            self.cut += line.cut
            self.reader.suspect = line.suspect
            if line.twice is not None:
                self.twice.join(line.twice)
            if line.nul_bytes:
                self.nul_bytes, self.nul_line = line.nul_bytes, line.number
            if line.broken is not None:
                if line.broken or not line.nul_bytes:
                    self.broken.append(line)
            elif is_header(line.value) and self._is_first(line.value):
                self._open(line.value)
            elif isinstance(line.value, Mapping) and is_message(line.value):
                self.objects += isinstance(line.value.get("mes"), Mapping)
                self.messages.append(self.reader.read(line.value, len(self.messages), line.number))
            else:
                self.rejected.append(line.number)

    def _is_first(self, value: Json) -> bool:
        return self.header is None and not len(self.messages) and isinstance(value, Mapping)

    def _open(self, value: Json) -> None:
        assert isinstance(value, Mapping)
        self.header = value
        self.reader.user = _name(value.get("user_name"))
        self.reader.character = _name(value.get("character_name"))

    # --- the plan ---

    def plan(self, fallback_time: datetime, *, path: str) -> ImportPlan:
        """The plan of what was read."""
        self.reader.suspect = True
        graph = self._graph(fallback_time)
        self._note_problems(graph)
        folder = self._folder(graph, path)
        messages = len(self.messages)
        return ImportPlan(
            format=Format.CHAT,
            source_name=self.name,
            folders=(folder,),
            memories=graph.memories if graph else (),
            edges=graph.edges if graph else (),
            messages=self.messages,
            problems=self.problems.all(),
            counts=self._counts(graph),
            needs_confirmation=messages == 0
            or len(self.broken) + len(self.rejected) > messages
            or (graph is not None and graph.needs_confirmation),
        )

    def _graph(self, fallback_time: datetime) -> ImportPlan | None:
        header = self.header or {}
        metadata = header.get(METADATA_KEY)
        if not isinstance(metadata, Mapping):
            return None
        found = graph_in({METADATA_KEY: metadata}, self.problems)
        if found is None:
            if GRAPH_KEY in metadata:
                self.problems.add("import.problem.graph_unreadable")
            elif MARKER_KEY in metadata:
                self.problems.add("import.problem.graph_elsewhere", severity=INFO)
            return None
        check_marker(found[0], metadata, self.problems)
        graph = FoundGraph(graph=found[0], in_chat=True, problems=self.problems)
        return graph_plan(graph, self.schema, name=self.name, fallback_time=fallback_time)

    def _note_problems(self, graph: ImportPlan | None) -> None:
        add, counts = self.problems.add, self.reader.counts
        if not len(self.messages):
            add("import.problem.chat_metadata_only")
        if self.broken:
            numbers = [line.number for line in self.broken]
            start = self.reader.clean_value((self.broken[0].broken or "")[:80])
            refs = map(str, numbers)
            add("import.problem.bad_line", *refs, lines=_listed(numbers), count=len(numbers), start=start)
        if self.rejected:
            refs = map(str, self.rejected)
            number = len(self.rejected)
            add("import.problem.not_a_message", *refs, lines=_listed(self.rejected), count=number)
        self.twice.note(self.problems)
        if self.nul_bytes:
            add("import.problem.nul_bytes", str(self.nul_line), bytes=self.nul_bytes, line=self.nul_line)
        for name, key in (
            ("cleaned", "import.problem.cleaned"),
            ("unknown_times", "import.problem.bad_dates"),
        ):
            if counts[name]:
                add(key, severity=INFO, count=counts[name])
        if self.cut or counts["packed"]:
            add("import.problem.packed_left_out", severity=INFO, count=self.cut + counts["packed"])
        if graph is not None and graph.memories:
            add("import.problem.graph_in_chat", severity=INFO, memories=len(graph.memories))
        if self.objects:
            add("import.problem.chat_of", severity=INFO, program="Chub")

    def _folder(self, graph: ImportPlan | None, path: str) -> PlannedFolder:
        header = self.header or {}
        metadata = header.get(METADATA_KEY)
        metadata = metadata if isinstance(metadata, Mapping) else {}
        chat: dict[str, Json] = {"header": self.header is not None, "user": self._user()}
        speakers = [name for name, _ in self.reader.speakers.most_common()]
        if self.in_group is not None:
            chat["group"] = self.in_group.kept
            speakers += [name for name in self.in_group.members if name not in speakers]
        chat["members"] = list[Json](speakers)
        for key in ("integrity", BRANCH_NAME_KEY):
            if isinstance(metadata.get(key), str) and metadata[key]:
                chat[key] = self.reader.clean_value(metadata[key])
        if "create_date" in header:
            chat["create_date"] = self.reader.clean_value(header["create_date"])
        rest = {key: item for key, item in metadata.items() if key != GRAPH_KEY and key not in chat}
        chat["metadata"] = _small(self.reader.clean_value(rest))
        if self.broken:
            chat["broken_lines"] = self.reader.clean_value(
                [
                    {"line": line.number, "text": (line.broken or "")[:SHOWN_OF_BROKEN]}
                    for line in self.broken[:_KEPT_BROKEN]
                ]
            )
        base = graph.folders[0] if graph else PlannedFolder(key=self.key, name="")
        file = storable(self.name)
        return replace(
            base,
            key=self.key,
            name=self._folder_name(),
            kind=FolderKind.CHAT,
            character=self._character(),
            origin={
                **base.origin,
                "format": Format.CHAT.value if self.program == "sillytavern" else Format.FOREIGN_CHAT.value,
                "file": file,
                "path": storable(path),
                "program": self.program,
            },
            extra={**base.extra, CHAT_KEY: chat},
        )

    def _folder_name(self) -> str:
        """The file's name; chats of a group are called by dates, so they stand below the group's name."""
        stem = folder_name(Path(self.name).stem)
        group = self.in_group.name if self.in_group is not None else ""
        return clean_folder_name(f"{folder_name(group)}/{stem}"[:MAX_FOLDER_CHARS]) if group else stem

    def _character(self) -> str:
        """As whom the chat is seen: the header's character, else the only one who speaks."""
        speakers = self.reader.speakers
        if self.reader.character and not (self.reader.group and len(speakers) > 1):
            return self.reader.character
        if self.reader.group and len(speakers) > 1:
            return ""
        return speakers.most_common(1)[0][0] if speakers else ""

    def _user(self) -> str:
        return self.reader.user or next((name for name, _ in self.reader.users.most_common(1)), "")

    def _counts(self, graph: ImportPlan | None) -> dict[str, int]:
        counts = self.reader.counts
        found = dict(graph.counts) if graph else {"folders": 1}
        found["messages"] = len(self.messages)
        for name in ("user", "assistant", "hidden", "notices", "empty", "thinking", "swipes", "cleaned"):
            if counts[name]:
                found[f"messages.{name}"] = counts[name]
        if self.broken:
            found["bad_lines"] = len(self.broken)
        if self.rejected:
            found["rejected_lines"] = len(self.rejected)
        return found


def _name(raw: Json) -> str:
    """A name of the header; `unused` is none."""
    if not isinstance(raw, str) or raw.strip().lower() == UNUSED:
        return ""
    return storable(raw.strip())


def _listed(numbers: Sequence[int]) -> str:
    """Line numbers in words, not all of very many."""
    more = ["…"] if len(numbers) > _SHOWN_LINES else []
    return ", ".join([*map(str, numbers[:_SHOWN_LINES]), *more])


def _small(value: Json) -> Json:
    """Metadata without the entries that are larger than anything a person would read."""
    if not isinstance(value, Mapping):
        return {}
    return {key: item for key, item in value.items() if len(canonical(item)) <= _LARGEST_METADATA}


def folder_name(text: str) -> str:
    """A folder's name from a file's or a card's; `/` would make a folder below another."""
    try:
        return clean_folder_name(storable(text).replace("/", "／")[:MAX_FOLDER_CHARS])
    except Invalid:
        return "SillyTavern"
