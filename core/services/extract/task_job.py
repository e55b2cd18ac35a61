"""What the tasks after an extraction share: the folder as they see it, and how they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.algos.extractive import summary, weights_of
from core.algos.lexical import search_tokens
from core.algos.visibility import shared
from core.domain.endpoints import Usage
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.queries_extract import PromptTask
from core.domain.schema import MemoryType
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.services.extract.asking import ask
from core.services.extract.meaning import Meaning
from core.services.extract.shelf import Known, Shelf
from core.services.prompts import PromptBook

EVENT = TypeId("event")
BUILT_IN_CHARS = 400


_OBJECT: JsonObject = {"type": "object"}
SCHEMAS: Mapping[PromptTask, JsonObject] = {
    PromptTask.EVOLVE: {
        **_OBJECT,
        "properties": {
            "should_evolve": {"type": "boolean"},
            "reason": {"type": "string"},
            "suggested_connections": {"type": "array", "items": {"type": "string"}},
            "neighbor_updates": {"type": "array", "items": _OBJECT},
        },
        "required": ["should_evolve"],
    },
    PromptTask.SYNOPSIS: {**_OBJECT, "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    PromptTask.REFLECT: {
        **_OBJECT,
        "properties": {
            "insight": {"type": "string"},
            "trigger": {"type": "string"},
            "suggestion": {"type": "string"},
            "importance": {"type": "number"},
        },
        "required": ["insight"],
    },
    PromptTask.CONSOLIDATE: {
        **_OBJECT,
        "properties": {
            "same": {"type": "array", "items": {"type": "string"}},
            "keep": {"type": "string"},
            "fields": _OBJECT,
            "reason": {"type": "string"},
        },
        "required": ["same"],
    },
    PromptTask.COMPRESS: {**_OBJECT, "properties": {"fields": _OBJECT}, "required": ["fields"]},
}


class Nothing(Exception):
    """There is nothing to propose; `why` is the key of a text, `args` fill its places."""

    def __init__(self, why: str, args: tuple[tuple[str, int | str], ...] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.places = args


@dataclass(slots=True)
class Job:
    """One task on one folder. `used` grows with each question."""

    book: PromptBook
    model: LanguageModel | None
    meaning: Meaning | None
    values: FolderValues
    folder: FolderPk
    shelf: Shelf
    language: str
    cancel: CancelToken | None
    used: Usage = field(default_factory=Usage)

    def ask(self, task: PromptTask, text: str) -> JsonObject:
        """The object that the model replies with. Errors: Unavailable, BadReply, Cancelled."""
        assert self.model is not None
        messages = (
            ChatMessage("system", self.book.of(task, self.language).text),
            ChatMessage("user", text),
        )
        answered = ask(self.model, messages, SCHEMAS[task], self.language, self.cancel)
        self.used += answered.used
        return answered.value if isinstance(answered.value, Mapping) else {}

    def of_type(self, type_id: TypeId) -> list[Known]:
        """Active memories of a type, by floor, without events that were written by themselves."""
        found = [each for each in self.shelf.known if each.type == type_id and not each.automatic]
        return sorted(found, key=lambda each: each.seq)


def told_to(known: Sequence[Known], least: int) -> tuple[list[Known], tuple[str, ...]]:
    """What is looked back on together, and who may see what comes of it.

    That is everyone, so that it is made of what everyone may know; where that is less than `least`, all of it, for
    those who may know all (DESIGN §5, visibility).
    """
    open_ = [each for each in known if sees_all(each, ())]
    audience = shared(each.visibility for each in known)
    if len(open_) >= least or audience is None:
        return open_, ()
    return list(known), audience


def sees_all(each: Known, audience: Sequence[str]) -> bool:
    """Whether all of an audience (empty = everyone) may know a memory."""
    names = shared((each.visibility,)) or ()
    return not names or (bool(audience) and set(audience) <= set(names))


def needed_type(job: Job, type_id: TypeId) -> MemoryType:
    memory_type = job.shelf.schema.type(type_id)
    if memory_type is None:
        raise Nothing("extract.why.no_type", (("type", type_id),))
    return memory_type


def extracted(job: Job, texts: Sequence[str], wanted: int = 5) -> str:
    """The texts' own sentences, as many as fit."""
    weights = weights_of([search_tokens(text) for text in texts])
    meaning = job.meaning
    embed = None if meaning is None else (lambda each: meaning.embed(each, job.cancel))
    return summary(list(texts), weights, embed, wanted=wanted, most_chars=BUILT_IN_CHARS)


def list_of(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list | tuple) else []
