"""A language model behind an endpoint: what it is asked and what is made of its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.adapters.endpoints.caller import ENDED, Caller, Reply
from core.adapters.endpoints.failures import Failure
from core.adapters.endpoints.usage import is_count, usage_of
from core.domain.endpoints import Usage
from core.domain.errors import Unavailable
from core.domain.json_types import Json, JsonObject, canonical
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken

PORT = "model"
FORMS = ("json_schema", "json_object_by_schema", "json_object", "none")
"""Ways to ask for JSON, the strictest first; what an endpoint refuses is not asked of it again."""
SCHEMA_NAME = "reply"


Known = tuple[int, bool, bool, str]


@dataclass(slots=True)
class Abilities:
    """What is known of an endpoint's server; learned from what it refuses, shared by all its models."""

    form: int = 0
    stream: bool = True
    stream_usage: bool = True
    tokens_key: str = "max_tokens"
    lock: threading.Lock = field(default_factory=threading.Lock)

    def now(self) -> Known:
        """What is known at this moment."""
        return self.form, self.stream, self.stream_usage, self.tokens_key

    def be(self, known: Known) -> None:
        """Go back to that."""
        self.form, self.stream, self.stream_usage, self.tokens_key = known


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    usage: Json
    ended: str


class _EmptyStream(Failure):
    """A stream that ended before anything was said in it."""

    def __init__(self) -> None:
        super().__init__("error.model.no_choices")


class EndpointModel:
    """A model of an endpoint. `count` counts tokens where the server does not; `on_use` hears of each call.

    `on_fail` hears why the endpoint does not answer.
    """

    def __init__(
        self,
        caller: Caller,
        abilities: Abilities,
        count: Callable[[str], int],
        on_use: Callable[[Usage], None] = lambda _usage: None,
        on_fail: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._caller, self._abilities = caller, abilities
        self._count, self._on_use, self._on_fail = count, on_use, on_fail
        self._lock = threading.Lock()
        self._used = Usage()

    @property
    def name(self) -> str:
        """Name of the model, for messages."""
        return self._caller.endpoint.model or self._caller.endpoint.name

    @property
    def used(self) -> Usage:
        """Tokens and cost of the calls through this object."""
        return self._used

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,
        cancel: CancelToken | None = None,
    ) -> str:
        """The reply; thinking that the server keeps apart is left out. Errors: Unavailable("model"), Cancelled."""
        try:
            answer = self._answer(messages, json_schema, max_tokens, cancel)
        except Failure as failure:
            error = failure.unavailable(PORT, self._caller.host)
            self._on_fail("" if failure.refused else error.reason)
            raise error from None
        spoken = sum(self._count(each.text) for each in messages) if not _told(answer.usage) else 0
        usage = usage_of(self._caller.endpoint, answer.usage, spoken, self._count(answer.text))
        with self._lock:
            self._used += usage
        self._on_use(usage)
        if not answer.text.strip():
            key = "error.model.only_thinking" if answer.ended == "length" else "error.model.empty"
            raise Unavailable(PORT, f"{self._caller.host}: empty reply", key=key, host=self._caller.host)
        return answer.text

    def _answer(
        self,
        messages: Sequence[ChatMessage],
        schema: JsonObject | None,
        max_tokens: int | None,
        cancel: CancelToken | None,
    ) -> _Answer:
        """Asks, and asks again without what the server does not know (each lack is learned once)."""
        abilities = self._abilities
        before = abilities.now()
        for _ in range(len(FORMS) + 4):
            with abilities.lock:
                body = self._body(messages, schema, max_tokens)
                asked = abilities.now()
            try:
                return self._caller.post("chat/completions", body, _answer_of, cancel)
            except _EmptyStream:
                return self._unstreamed(body, cancel)
            except Failure as failure:
                if not failure.refused or failure.key == "error.model.too_long":
                    raise
                with abilities.lock:
                    same, words = abilities.now() == asked, failure.words.lower()
                    if same and not _learn(abilities, words, schema is not None):
                        abilities.be(before)  # it was about something else: nothing is learned from it
                        raise
        raise Failure("error.model.refused_request")

    def _unstreamed(self, body: Mapping[str, Json], cancel: CancelToken | None) -> _Answer:
        """The same without a stream: some servers end an empty stream where they would say what is wrong."""
        whole = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
        return self._caller.post("chat/completions", whole, _answer_of, cancel)

    def _body(
        self, messages: Sequence[ChatMessage], schema: JsonObject | None, max_tokens: int | None
    ) -> dict[str, Json]:
        endpoint, abilities = self._caller.endpoint, self._abilities
        body: dict[str, Json] = {"messages": [{"role": each.role, "content": each.text} for each in messages]}
        if endpoint.model:
            body["model"] = endpoint.model
        if most := max_tokens or endpoint.max_tokens:
            body[abilities.tokens_key] = most
        if abilities.stream:
            body["stream"] = True
            if abilities.stream_usage:
                body["stream_options"] = {"include_usage": True}
        if schema is None:
            return body
        match FORMS[abilities.form]:
            case "json_schema":
                body["response_format"] = {
                    "type": "json_schema",
                    "json_schema": {"name": SCHEMA_NAME, "schema": schema},
                }
            case "json_object_by_schema":  # llama-cpp-python's way
                body["response_format"] = {"type": "json_object", "schema": schema}
                body["messages"] = _with_schema(messages, schema)
            case "json_object":
                body["response_format"] = {"type": "json_object"}
                body["messages"] = _with_schema(messages, schema)
            case _:
                body["messages"] = _with_schema(messages, schema)
        return body


def _with_schema(messages: Sequence[ChatMessage], schema: JsonObject) -> list[Json]:
    """The messages with the form of the reply said in words, at the end of the last one."""
    said = f"\n\nReply with one JSON value of this JSON schema and nothing else:\n{canonical(schema)}"
    last = len(messages) - 1
    return [
        {"role": each.role, "content": each.text + (said if at == last else "")}
        for at, each in enumerate(messages)
    ]


def _learn(abilities: Abilities, words: str, with_schema: bool) -> bool:
    """Leave out what the refusal is about; without a hint the form first. False when nothing is left."""
    if "max_completion_tokens" in words and abilities.tokens_key == "max_tokens":
        abilities.tokens_key = "max_completion_tokens"
        return True
    if "stream_options" in words and abilities.stream_usage:
        abilities.stream_usage = False
        return True
    about_form = any(
        word in words for word in ("response_format", "json_schema", "json_object", "grammar", "schema")
    )
    if with_schema and abilities.form < len(FORMS) - 1 and (about_form or "stream" not in words):
        abilities.form += 1
        return True
    if abilities.stream_usage and abilities.stream:
        abilities.stream_usage = False
        return True
    if abilities.stream:
        abilities.stream = False
        return True
    return False


def _told(usage: Json) -> bool:
    return isinstance(usage, Mapping) and is_count(usage.get("prompt_tokens"))


def _answer_of(reply: Reply) -> _Answer:
    if reply.events is not None:
        return _of_events(reply.events)
    value = reply.value
    choices = value.get("choices") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(choices, Sequence) or not choices:
        raise Failure("error.model.no_choices", again=isinstance(value, Mapping))
    first = choices[0] if isinstance(choices[0], Mapping) else {}
    message = first.get("message")
    message = message if isinstance(message, Mapping) else {"content": first.get("text")}
    ended = str(first.get("finish_reason") or "")
    _check_end(ended, message)
    return _Answer(_text(message), value.get("usage"), ended)


def _of_events(events: Sequence[Json]) -> _Answer:
    """The parts of a stream put together."""
    if all(event == ENDED for event in events):
        raise _EmptyStream
    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    usage: Json = None
    ended, seen = "", False
    for event in events:
        if not isinstance(event, Mapping):
            continue
        if event == ENDED:
            ended = ended or "stop"
        usage = event.get("usage") or usage
        choices = event.get("choices")
        if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
            continue
        seen = True
        choice = choices[0]
        delta = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        if isinstance(delta, Mapping):
            text.append(_text({"content": delta.get("content")}))
            _take_calls(calls, delta.get("tool_calls"))
        ended = str(choice.get("finish_reason") or ended)
    if not seen:
        raise Failure("error.model.no_choices", again=True)
    if not ended:
        raise Failure("error.model.broken_off", again=True)
    _check_end(ended, {})
    called: list[Json] = [{"function": call} for _, call in sorted(calls.items())]
    return _Answer(_text({"content": "".join(text), "tool_calls": called}), usage, ended)


def _take_calls(calls: dict[int, dict[str, str]], parts: Json) -> None:
    for part in parts if isinstance(parts, list) else ():
        function: Any = part.get("function") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or not isinstance(function, Mapping):
            continue
        index = part.get("index")
        call = calls.setdefault(index if isinstance(index, int) else 0, {"name": "", "arguments": ""})
        for key in ("name", "arguments"):
            said = function.get(key) or ""
            call[key] += said if isinstance(said, str) else canonical(said)  # some send an object


def _text(message: JsonObject) -> str:
    """What was said; of a tool call its name and arguments as one JSON object."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    said = "".join(
        each if isinstance(each, str) else str(each.get("text") or "")
        for each in parts
        if isinstance(each, str) or (isinstance(each, Mapping) and each.get("type", "text") == "text")
    )
    calls = message.get("tool_calls")
    if said.strip() or not isinstance(calls, list) or not calls:
        return said
    functions = [each["function"] for each in calls if isinstance(each, Mapping) and "function" in each]
    return "\n".join(
        canonical({"name": each.get("name"), "arguments": each.get("arguments")})
        for each in functions
        if isinstance(each, Mapping)
    )


def _check_end(ended: str, message: JsonObject) -> None:
    if ended == "content_filter" or (message.get("refusal") and not message.get("content")):
        raise Failure("error.model.filtered")
