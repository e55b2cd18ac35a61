"""Summing up a group of memories: by a model, or from their own sentences; what the summary keeps of them.

Source: spec/STBME §3.8, Compression. We differ (DESIGN §5): a reply without fields is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.algos.compression import Member, inherit
from core.algos.model_reply import read_reply
from core.algos.visibility import shared
from core.domain.endpoints import Usage
from core.domain.enums import Layer
from core.domain.errors import BadReply
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, TagSet
from core.domain.proposal import CreatePart
from core.domain.queries_extract import PromptTask
from core.domain.results import Problem
from core.domain.schema import ColumnRole, MemoryType
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.services.prompts import built_in

if TYPE_CHECKING:
    from core.algos.vectors import Matrix
    from core.ports.embedder import Vectors

ATTEMPTS = 2
SUMMARY_CHARS = 150
"""What is asked for; the built-in summariser keeps to twice of that at most, in whole sentences."""
BUILT_IN_SENTENCES = 4
SOURCE = "compression"
_SHOWN_REPLY = 4_000
_END_MARKS = "。！？!?….;；:：”」』\"'"

EmbedTexts = Callable[[Sequence[str]], "Vectors"]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary says, by column name, and what is to be said about it."""

    fields: Mapping[str, Json]
    notes: tuple[Problem, ...] = ()
    used: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Summariser:
    """Sums up memories of one type. `model` None = from their own sentences, by `embed` or by words alone."""

    model: LanguageModel | None
    language: str
    embed: EmbedTexts | None = None
    prompt: str = ""
    """What the person wrote in place of the program's own."""

    def summary(
        self, kind: MemoryType, members: Sequence[Memory], hint: str, cancel: CancelToken | None
    ) -> Summary:
        """What one memory would say in place of these. Errors: Unavailable, Cancelled, BadReply without fields."""
        if self.model is None:
            return self._built_in(kind, members)
        return self._by_model(self.model, kind, members, hint, cancel)

    # --- a model -------------------------------------------------------------------------

    def _by_model(
        self,
        model: LanguageModel,
        kind: MemoryType,
        members: Sequence[Memory],
        hint: str,
        cancel: CancelToken | None,
    ) -> Summary:
        before = model.used
        messages = [
            ChatMessage("system", self.prompt or built_in(PromptTask.COMPRESS, self.language)[0]),
            ChatMessage("user", _request(kind, members, hint, self.language)),
        ]
        schema = reply_schema(kind)
        for _ in range(ATTEMPTS):
            if cancel is not None:
                cancel.check()
            reply = model.complete(messages, schema, cancel=cancel)
            fields, notes = _read(kind, reply, schema)
            if fields:
                return Summary({**carried(kind, members), **fields}, notes, model.used.since(before))
            if reply.strip():
                messages += [
                    ChatMessage("assistant", reply[:_SHOWN_REPLY]),
                    ChatMessage("user", _words(self.language)["again"]),
                ]
        raise BadReply("reply.no_fields")

    # --- without one ---------------------------------------------------------------------

    def _built_in(self, kind: MemoryType, members: Sequence[Memory]) -> Summary:
        from core.algos.extractive import summary, weights_of
        from core.algos.lexical import search_tokens

        texts = [_ended(member.body.strip()) for member in members if member.body.strip()]
        weights = weights_of([search_tokens(text) for text in texts])
        embed = None if self.embed is None else self._rows
        text = summary(texts, weights, embed, wanted=BUILT_IN_SENTENCES, most_chars=2 * SUMMARY_CHARS)
        fields = dict(carried(kind, members))
        body = kind.column_of(ColumnRole.BODY)
        if body is not None and text:
            fields[body.name] = text
        if not fields:
            raise BadReply("reply.no_fields")
        return Summary(fields, (Problem("compress.note.built_in", {}, "info"),))

    def _rows(self, texts: Sequence[str]) -> Matrix:
        assert self.embed is not None
        return self.embed(texts).astype("float64")


def _ended(text: str) -> str:
    """The text with an end mark, so that what follows is a sentence of its own."""
    if text[-1] in _END_MARKS:
        return text
    return text + ("." if text[-1].isascii() else "。")


# --- what is asked, and what a reply says -----------------------------------------------------


def _words(language: str) -> Mapping[str, str]:
    return _REQUEST["zh_CN" if language.startswith("zh") else "en"]


_REQUEST = {
    "en": {
        "kind": "Type: {kind}. {instruction}",
        "columns": "Columns: {columns}. * = required.",
        "member": "[{number}]{floor}",
        "floor": " floor {floor}",
        "hint": "The person adds: {hint}",
        "again": "Answer with the JSON object alone; `fields` must not be empty.",
    },
    "zh_CN": {
        "kind": "类型：{kind}。{instruction}",
        "columns": "列：{columns}。* 为必填。",
        "member": "[{number}]{floor}",
        "floor": " 第 {floor} 楼",
        "hint": "用户补充：{hint}",
        "again": "只回答那个 JSON 对象；fields 不能为空。",
    },
}


def _request(kind: MemoryType, members: Sequence[Memory], hint: str, language: str) -> str:
    words = _words(language)
    label = kind.labels.get(language) or kind.labels.get("en") or kind.id
    instruction = kind.compression.instruction
    lines = [
        words["kind"].format(
            kind=label, instruction=instruction.get(language) or instruction.get("en") or ""
        ),
        words["columns"].format(
            columns=", ".join(f"{column.name}{'*' if column.required else ''}" for column in kind.columns)
        ),
    ]
    for number, member in enumerate(members, 1):
        floor = "" if member.seq is None else words["floor"].format(floor=member.seq)
        lines.append("")
        lines.append(words["member"].format(number=number, floor=floor))
        lines += [f"{name}: {value}" for name, value in values_of(kind, member).items() if value]
    if hint:
        lines += ["", words["hint"].format(hint=hint)]
    return "\n".join(lines)


def reply_schema(kind: MemoryType) -> JsonObject:
    """The form of a reply: `fields` with the type's columns."""
    columns = {column.name: {"type": "string"} for column in kind.columns}
    required = [column.name for column in kind.columns if column.required]
    return {
        "type": "object",
        "properties": {"fields": {"type": "object", "properties": columns, "required": required}},
        "required": ["fields"],
    }


def _read(kind: MemoryType, reply: str, schema: JsonObject) -> tuple[dict[str, Json], tuple[Problem, ...]]:
    """What a reply says and what was put right in it; no fields when it cannot be used."""
    try:
        read = read_reply(reply, schema)
        return _fields(kind, read.value), tuple(Problem(key, {}, "info") for key in read.repairs)
    except BadReply:
        return {}, ()


def _fields(kind: MemoryType, value: Json) -> dict[str, Json]:
    """Columns of the type that a reply fills; {} when it fills none, or not the text. Errors: BadReply."""
    given = value.get("fields") if isinstance(value, Mapping) else None
    if not isinstance(given, Mapping):
        raise BadReply("reply.no_fields")
    known = {column.name for column in kind.columns}
    fields: dict[str, Json] = {}
    for name, each in given.items():
        text = _text(each)
        if name in known and text not in ("", None):
            fields[name] = text
    body = kind.column_of(ColumnRole.BODY)
    return fields if body is None or fields.get(body.name) else {}


def _text(value: Json) -> Json:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Sequence):
        return ", ".join(str(each) for each in value if each not in (None, ""))
    return None if isinstance(value, Mapping) else value


def values_of(kind: MemoryType, memory: Memory) -> dict[str, Json]:
    """What a memory says, by column name."""
    real: dict[ColumnRole, Json] = {ColumnRole.TITLE: memory.title, ColumnRole.BODY: memory.body}
    values: dict[str, Json] = {}
    for column in kind.columns:
        value = real[column.role] if column.role in real else memory.fields.get(column.name)
        values[column.name] = value
    return values


# --- what a summary keeps of its members --------------------------------------------------------


def carried(kind: MemoryType, members: Sequence[Memory]) -> dict[str, Json]:
    """Values that follow from the members without summing up: lists are united, of others the newest counts.

    The title is that of the most important member. The text is not among them.
    """
    found: dict[str, Json] = {}
    for column in kind.columns:
        values = [value for member in members if (value := values_of(kind, member).get(column.name))]
        if not values or column.role is ColumnRole.BODY:
            continue
        if column.role is ColumnRole.TITLE:
            found[column.name] = max(members, key=lambda each: (bool(each.title), each.importance)).title
        else:
            found[column.name] = _united(values)
    return found


def _united(values: Sequence[Json]) -> Json:
    lists = [value for value in values if isinstance(value, Sequence) and not isinstance(value, str)]
    if lists:
        return list(dict.fromkeys(str(each) for value in lists for each in value))
    texts = [str(value) for value in values]
    if all(len(text) <= 200 for text in texts) and any(
        "," in text or "，" in text or "、" in text for text in texts
    ):
        names = (
            name.strip() for text in texts for name in text.replace("，", ",").replace("、", ",").split(",")
        )
        return ", ".join(dict.fromkeys(name for name in names if name))
    return values[-1]


def shared_visibility(members: Sequence[Memory]) -> tuple[str, ...] | None:
    """Who may know all of it: everyone (empty), those whom every member names, or nobody (None)."""
    return shared(member.visibility for member in members)


def united_tags(sets: Iterable[TagSet]) -> TagSet:
    """All tags of the members; the triple stays all or none."""
    groups: dict[str, dict[str, None]] = {name: {} for name in ("general", "core", "diffusion", "opposing")}
    for each in sets:
        for name, values in groups.items():
            values.update(dict.fromkeys(getattr(each, name)))
    return TagSet(**{name: tuple(values) for name, values in groups.items()})


def part_of(
    key: str,
    kind: MemoryType,
    members: Sequence[Memory],
    tags: Iterable[TagSet],
    aliases: Iterable[str],
    summary: Summary,
) -> CreatePart:
    """The part of a proposal that makes the summary and archives the members below it."""
    place = inherit([_member(member) for member in members])
    title, body = kind.column_of(ColumnRole.TITLE), kind.column_of(ColumnRole.BODY)
    fields = dict(summary.fields)
    layers = {member.layer for member in members}
    floors = any(member.seq is not None for member in members)
    return CreatePart(
        key=key,
        group=key,
        notes=summary.notes,
        type=kind.id,
        title=str(fields.pop(title.name, "")) if title is not None else "",
        body=str(fields.pop(body.name, "")) if body is not None else "",
        fields=fields,
        layer=next(iter(layers)) if len(layers) == 1 else Layer.MEMORY,
        importance=place.importance,
        tags=united_tags(tags),
        aliases=tuple(dict.fromkeys(aliases)),
        seq=place.seq if floors else None,
        seq_start=place.start if floors else None,
        seq_end=place.end if floors else None,
        visibility=shared_visibility(members) or (),
        level=max(member.level for member in members) + 1,
        sums=tuple(member.pk for member in members),
        seen=tuple(member.revision for member in members),
        source=SOURCE,
    )


def _member(memory: Memory) -> Member:
    seq = memory.seq if memory.seq is not None else memory.seq_end if memory.seq_end is not None else 0
    start = memory.seq_start if memory.seq_start is not None else seq
    end = memory.seq_end if memory.seq_end is not None else seq
    return Member(seq, start, end, memory.importance)
