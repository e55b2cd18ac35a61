"""What a model is asked: the prompt of a task, and what it is about (spec/STBME §3.3; the words are ours)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain.enums import Role
from core.domain.folder import Message
from core.domain.folder_settings import FolderValues
from core.domain.json_types import JsonObject
from core.domain.queries_extract import BatchPlan, PromptTask
from core.domain.schema import MemoryType, Schema
from core.ports.language_model import ChatMessage
from core.services.extract.floors import shortened
from core.services.extract.shelf import Known, Shelf, line_of
from core.services.prompts import PromptBook, frame_words

_HAN = re.compile("[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
CHINESE_SHARE = 0.2
"""From this share of Chinese characters among the letters on a text is asked about in Chinese."""
OPERATIONS = "operations"

REPLY_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        OPERATIONS: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "action": {"type": "string", "enum": ["create", "update", "delete", "link"]},
                    "type": {"type": "string"},
                    "nodeId": {"type": "string"},
                    "ref": {"type": "string"},
                    "fields": {"type": "object"},
                    "importance": {"type": "number"},
                    "seq": {"type": "integer"},
                    "sourceNodeId": {"type": "string"},
                    "temporalStrength": {"type": "number"},
                    "clusters": {"type": "array", "items": {"type": "string"}},
                    "links": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "targetNodeId": {"type": "string"},
                                "targetRef": {"type": "string"},
                                "relation": {"type": "string"},
                                "strength": {"type": "number"},
                            },
                        },
                    },
                },
                "required": ["action"],
            },
        },
    },
    "required": [OPERATIONS],
}


def language_of(values: FolderValues, text: str) -> str:
    """The language in which the folder is asked about: as set, or that of the text."""
    chosen = values.text("extract.language")
    if chosen != "auto":
        return chosen
    letters = len(_LETTER.findall(text))
    return "zh_CN" if letters and len(_HAN.findall(text)) >= CHINESE_SHARE * letters else "en"


def extraction_request(
    book: PromptBook, language: str, shelf: Shelf, messages: Sequence[Message], batch: BatchPlan
) -> tuple[ChatMessage, ChatMessage]:
    """The prompt, and the messages, what the memory holds and the kinds of memories."""
    prompt = filled(book.of(PromptTask.EXTRACT, language).text, shelf.schema, language)
    words = frame_words(language)
    context = [message for message in messages if message.seq < batch.start]
    fresh = [message for message in messages if message.seq >= batch.start]
    parts = []
    if context:
        parts.append(f"## {words['context']}\n{dialogue(context)}")
    parts += [
        f"## {words['messages']}\n{dialogue(fresh)}",
        f"## {words['memory']}\n{overview(shelf, dialogue(messages), language)}",
        f"## {words['kinds']}\n{kinds(shelf.schema, language)}",
    ]
    return ChatMessage("system", prompt), ChatMessage("user", "\n\n".join(parts))


def filled(prompt: str, schema: Schema, language: str) -> str:
    """A prompt with the types and relations of the library in their places."""
    types = ", ".join(f"{each.id}({each.labels.get(language, each.id)})" for each in schema.types)
    relations = ", ".join(each.id for each in schema.relations)
    return prompt.replace("{types}", types).replace("{relations}", relations)


def dialogue(messages: Sequence[Message]) -> str:
    """The messages with floors and speakers. A text cannot look like another message or a heading."""
    return "\n\n".join(
        f"#{message.seq} [{_speaker(message)}]: {_inside(shortened(message.text))}" for message in messages
    )


def _speaker(message: Message) -> str:
    role = "user" if message.role is Role.USER else "assistant"
    name = " ".join(message.name.replace("[", "(").replace("]", ")").split())
    return f"{role} {name}" if name else role


def _inside(text: str) -> str:
    return re.sub(r"(?m)^(?=#{1,6}\s|#\d+ \[)", " ", text)


def overview(shelf: Shelf, messages: str, language: str) -> str:
    """What is there already, by type, one line each."""
    words = frame_words(language)
    blocks = []
    for memory_type, known in shelf.listed(messages):
        label = memory_type.labels.get(language, memory_type.id)
        lines = [
            line_of(each, memory_type) + (f" ({words['locked']})" if each.locked else "") for each in known
        ]
        blocks.append("\n".join([f"### {label} ({memory_type.id})", *lines]))
    return "\n".join(blocks) or words["empty"]


def kinds(schema: Schema, language: str) -> str:
    """The types with their columns: required ones are marked, hints follow."""
    return "\n".join(_kind(each, language) for each in schema.types)


def _kind(memory_type: MemoryType, language: str) -> str:
    required = frame_words(language)["required"]
    columns = []
    for column in memory_type.columns:
        hint = column.hint.get(language, "")
        mark = f" ({required})" if column.required else ""
        columns.append(f"{column.name}{mark}{f': {hint}' if hint else ''}")
    return f"- {memory_type.id} ({memory_type.labels.get(language, memory_type.id)}): {'; '.join(columns)}"


def facts(known: Sequence[Known], shelf: Shelf) -> str:
    """Memories with all their columns, for tasks that weigh them."""
    blocks = []
    for each in known:
        values = each.values(shelf.schema.type(each.type))
        lines = [f"[{each.label}] ({each.type})", *(f"  {name}: {value}" for name, value in values.items())]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)
