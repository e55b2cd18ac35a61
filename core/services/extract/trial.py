"""A prompt tried on one input: asked once, read as a run would read it, and nothing is kept."""

from __future__ import annotations

from core.algos.model_reply import read_reply
from core.domain.enums import Role
from core.domain.errors import BadReply, Invalid
from core.domain.folder import Message
from core.domain.ids import FolderPk
from core.domain.json_types import Json, JsonObject
from core.domain.proposal import Part
from core.domain.queries_extract import BatchPlan, PromptTask, PromptTrial, TryPrompt
from core.domain.results import Problem
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.ports.store import Store
from core.services.extract.building import Builder, Said
from core.services.extract.conflicts import VERDICT_SCHEMA
from core.services.extract.operations import read_operations
from core.services.extract.request import REPLY_SCHEMA, dialogue, extraction_request, filled
from core.services.extract.shelf import Shelf, open_shelf
from core.services.extract.task_job import SCHEMAS
from core.services.manual_model import request_text
from core.services.prompts import PromptBook

GROUP = "trial"
_NOWHERE = FolderPk(0)


def try_prompt(
    store: Store, model: LanguageModel | None, query: TryPrompt, cancel: CancelToken | None
) -> PromptTrial:
    """See TryPrompt. Errors: Invalid, Unavailable("model"), Cancelled."""
    if not query.sample.strip():
        raise Invalid("error.prompt.sample")
    if model is None:
        raise Invalid("error.prompt.no_model")
    with store.read() as reader:
        known = open_shelf(reader, query.folder) if query.folder is not None else Shelf(reader.schema(), ())
    messages = _request(query, known)
    schema = _schema(query.task)
    before = model.used
    reply = model.complete(messages, schema, cancel=cancel)
    parts, problems, readable = _read(query, known, reply, schema)
    return PromptTrial(
        request=request_text(messages, schema),
        reply=reply,
        readable=readable,
        parts=parts,
        problems=problems,
        used=model.used.since(before),
        model=model.name,
    )


def _schema(task: PromptTask) -> JsonObject:
    from core.services.contradiction_opinions import OPINIONS_SCHEMA

    match task:
        case PromptTask.EXTRACT:
            return REPLY_SCHEMA
        case PromptTask.CONFLICT:
            return VERDICT_SCHEMA
        case PromptTask.CONTRADICT:
            return OPINIONS_SCHEMA
        case _:
            return SCHEMAS[task]


def _sample(query: TryPrompt) -> Message:
    folder = _NOWHERE if query.folder is None else query.folder
    return Message(folder=folder, seq=0, role=Role.ASSISTANT, text=query.sample)


def _request(query: TryPrompt, known: Shelf) -> tuple[ChatMessage, ...]:
    if query.task is not PromptTask.EXTRACT:
        return ChatMessage("system", query.text), ChatMessage("user", query.sample)
    own = {(query.task.value, query.language): query.text}
    book = PromptBook(lambda: own, lambda _own: None)
    batch = BatchPlan(turns=(0,), window=(0,))
    return extraction_request(book, query.language, known, [_sample(query)], batch)


def _read(
    query: TryPrompt, known: Shelf, reply: str, schema: JsonObject
) -> tuple[tuple[Part, ...], tuple[Problem, ...], bool]:
    try:
        read = read_reply(reply, schema)
    except BadReply as error:
        return (), (Problem(error.key, _texts(error), "error"),), False
    repairs = tuple(Problem(key, {}, "info") for key in read.repairs)
    if query.task is not PromptTask.EXTRACT:
        return (), repairs, True
    operations = read_operations(read.value)
    if not operations.listed:
        return (), (*repairs, Problem("reply.no_operations", {}, "error")), False
    said = Said(filled(query.text, known.schema, query.language), dialogue([_sample(query)]))
    builder = Builder(known, GROUP, 0, 0, said)
    parts = builder.build(operations.operations)
    return tuple(parts), (*repairs, *operations.problems, *builder.problems), True


def _texts(error: BadReply) -> dict[str, Json]:
    return {name: str(value) for name, value in error.text_args.items()}
