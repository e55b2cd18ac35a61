"""Language models and embedders that answer over HTTP, and what they are used for."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.domain.json_types import Json

MANUAL = "manual"
"""In place of an endpoint's id: a person carries the request to a model and its reply back."""
BUILTIN = ""
"""In place of an endpoint's id: what the program does by itself."""
DEFAULT_TIMEOUT_S = 120
DEFAULT_CONCURRENCY = 2
DEFAULT_BATCH = 32
MAX_NAME = 80
_SECRET_NAMES = re.compile(r"key|token|secret|password|auth|signature|credential", re.IGNORECASE)


class ModelTask(StrEnum):
    """What a language model is asked for; each may have a model of its own."""

    EXTRACT = "extract"
    RECALL = "recall"
    COMPRESS = "compress"
    SYNOPSIS = "synopsis"
    REFLECTION = "reflection"
    CONSOLIDATE = "consolidate"


class EndpointKind(StrEnum):
    """Whether it answers in words or with vectors."""

    CHAT = "chat"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was seen when an embedding endpoint was connected: cosines with a meaning for its model."""

    dims: int = 0
    same_text: float = 0.0
    duplicate: float = 0.0
    related: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint as the settings keep it: nothing in it is secret (the key lies elsewhere).

    `requests_per_minute` 0 = as many as there are. Prices are for a million tokens, in whatever money
    the person thinks in. `proxy`: "" = as the system says, "none", or an address. `weights` rises when
    the model behind the name was found to be another one, so that its vectors are kept apart.
    """

    id: str
    name: str
    url: str
    model: str = ""
    kind: EndpointKind = EndpointKind.CHAT
    timeout_s: int = DEFAULT_TIMEOUT_S
    concurrency: int = DEFAULT_CONCURRENCY
    requests_per_minute: int = 0
    max_tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0
    proxy: str = ""
    key_variable: str = ""
    batch: int = DEFAULT_BATCH
    document_prefix: str = ""
    query_prefix: str = ""
    weights: int = 0
    measured: Measured = field(default_factory=Measured)


LIMITS: Mapping[str, tuple[float, float]] = {
    "timeout_s": (1, 3600),
    "concurrency": (1, 64),
    "requests_per_minute": (0, 100_000),
    "max_tokens": (0, 1_000_000),
    "price_in": (0, 100_000),
    "price_out": (0, 100_000),
    "batch": (1, 2048),
    "weights": (0, 1_000_000),
}
"""Ranges of the numbers of an endpoint."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How a kind of server is usually reached. `needs_key`: it answers nobody without one."""

    id: str
    url: str
    needs_key: bool = False
    concurrency: int = 1
    timeout_s: int = 300


PRESETS: tuple[Preset, ...] = (
    Preset("ollama", "http://127.0.0.1:11434/v1"),
    Preset("llama_cpp", "http://127.0.0.1:8080/v1"),
    Preset("lm_studio", "http://127.0.0.1:1234/v1"),
    Preset("vllm", "http://127.0.0.1:8000/v1", concurrency=8),
    Preset("openai", "https://api.openai.com/v1", needs_key=True, concurrency=4, timeout_s=120),
    Preset("hosted", "https://", needs_key=True, concurrency=4, timeout_s=120),
)
"""Their names on screen are the texts `models.preset.<id>`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls of a model took. `counted`: some of the tokens are our own count, not the server's."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    counted: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost + other.cost,
            self.counted or other.counted,
        )

    def since(self, before: Usage) -> Usage:
        """What was taken after that."""
        return Usage(
            self.calls - before.calls,
            self.tokens_in - before.tokens_in,
            self.tokens_out - before.tokens_out,
            self.cost - before.cost,
            self.counted,
        )

    @property
    def tokens(self) -> int:
        """Of requests and replies together."""
        return self.tokens_in + self.tokens_out


class Secret:
    """A key that shows itself to nobody who does not ask for it by `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The key itself: for the request's header and the keyring, for nothing else."""
        return self._text

    @property
    def hint(self) -> str:
        """How a person may recognise it: at most the last four characters, none of a short one."""
        return f"…{self._text[-4:]}" if len(self._text) >= 16 else "…"

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written anywhere")


def holds_secret(url: str) -> bool:
    """Whether an address names a user, a password or a key: such a thing is never written to a file."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        asked = parse_qsl(parts.query)
    except ValueError:
        return "@" in url
    named = any(_SECRET_NAMES.search(name) or value.startswith("sk-") for name, value in asked)
    return named or "@" in parts.netloc


def new_endpoint_id() -> str:
    """An id that no other endpoint has."""
    return f"ep-{secrets.token_hex(4)}"


def endpoint_json(endpoint: Endpoint) -> dict[str, Json]:
    """The endpoint as the settings file has it."""
    values: dict[str, Json] = {
        each.name: getattr(endpoint, each.name) for each in fields(endpoint) if each.name != "measured"
    }
    values["kind"] = endpoint.kind.value
    seen = endpoint.measured
    values["measured"] = {each.name: getattr(seen, each.name) for each in fields(seen)}
    return values


def read_endpoint(data: Json) -> Endpoint | None:
    """The endpoint of such an object; what its limits refuse falls back to the default. None without id or URL."""
    if not isinstance(data, Mapping):
        return None
    texts = {key: str(value)[:2000] for key, value in data.items() if isinstance(value, str)}
    if not texts.get("id") or not texts.get("url"):
        return None
    blank = Endpoint(
        id=texts["id"],
        name=texts.get("name", "")[:MAX_NAME] or texts["url"],
        url=texts["url"],
        model=texts.get("model", ""),
        kind=EndpointKind(texts["kind"]) if texts.get("kind") in set(EndpointKind) else EndpointKind.CHAT,
        proxy=texts.get("proxy", ""),
        key_variable=texts.get("key_variable", ""),
        document_prefix=texts.get("document_prefix", ""),
        query_prefix=texts.get("query_prefix", ""),
        measured=_measured(data.get("measured")),
    )
    numbers: dict[str, Any] = {name: _number(data.get(name), name, getattr(blank, name)) for name in LIMITS}
    return replace(blank, **numbers)


def read_endpoints(data: Json) -> tuple[Endpoint, ...]:
    """All readable endpoints of a list, each id once."""
    if isinstance(data, str) or not isinstance(data, Sequence):
        return ()
    found = (read_endpoint(each) for each in data)
    return tuple({each.id: each for each in found if each is not None}.values())


def _number(value: Json, name: str, default: float) -> float:
    low, high = LIMITS[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default
    within = min(max(value, low), high)
    return within if name.startswith("price") else int(within)


def _measured(data: Json) -> Measured:
    if not isinstance(data, Mapping):
        return Measured()
    numbers: dict[str, Any] = {each.name: data.get(each.name) for each in fields(Measured)}
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in numbers.values()):
        return Measured()
    return Measured(**numbers | {"dims": int(numbers["dims"])})
