"""A test of a connection, line by line: what works, what is missing, what to do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np

from core.adapters.endpoints.caller import Caller
from core.adapters.endpoints.chat import FORMS, Abilities, EndpointModel
from core.adapters.endpoints.failures import Failure
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.algos.model_reply import read_reply
from core.domain.endpoints import EndpointKind, Measured
from core.domain.errors import BadReply, Unavailable
from core.domain.json_types import Json, JsonObject
from core.domain.model_answers import EndpointReport, Outcome, TestLine
from core.ports.embedder import Vectors
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken

MAX_MODELS = 1000
SAME_TEXT_WAY, DUPLICATE_WAY = 0.85, 0.65
"""Where the thresholds lie between a related and an equal text: high, since merging wrongly costs more."""
PROBE_TOKENS = 1024
"""Enough for a model that thinks aloud before it says two words."""
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "number": {"type": "integer"}},
    "required": ["city", "number"],
    "additionalProperties": False,
}
_ANSWERED = frozenset({"error.model.not_found", "error.model.no_json", "error.model.refused_request"})
"""Answers of a server that is there and only lists no models."""
_ASK_WORDS = (ChatMessage("user", "Reply with the one word: ready"),)
_ASK_JSON = (ChatMessage("user", 'Reply with this JSON object only: {"city": "Paris", "number": 7}'),)
SAME = (
    ("艾琳在钟楼下面发现了一个地下入口。", "艾琳在钟楼底下发现了一处地下入口。"),
    ("The merchant keeps his silver in the cellar.", "The merchant keeps his silver in the cellar"),
    ("他们约定在雨停之后出发。", "他们约好在雨停以后出发。"),
    ("She is afraid of deep water.", "She's afraid of deep water."),
)
"""The same said in nearly the same words."""
RELATED = (
    ("艾琳在钟楼下面发现了一个地下入口。", "钟楼的地下藏着一条暗道。"),
    ("The merchant keeps his silver in the cellar.", "There is treasure hidden under the trader's house."),
    ("他们约定在雨停之后出发。", "出行的计划要看天气。"),
    ("She is afraid of deep water.", "She never learned to swim."),
)
"""Two memories that belong together."""


def test_endpoint(
    caller: Caller,
    model: EndpointModel,
    embedder: EndpointEmbedder,
    abilities: Abilities,
    cancel: CancelToken | None,
) -> EndpointReport:
    """What works of an endpoint. Errors: Cancelled; everything else is a line of the report."""
    models: tuple[str, ...] = ()
    reached = TestLine(Outcome.WORKS, "models.test.reach", {"host": caller.host})
    try:
        models = list_models(caller, cancel)
    except Failure as failure:
        if failure.key not in _ANSWERED:
            return EndpointReport((_failed(failure, caller),))
        lines = [reached, TestLine(Outcome.MISSING, "models.test.no_list")]
    else:
        lines = [reached, TestLine(Outcome.WORKS, "models.test.list", {"count": len(models)})]
    if caller.sends_key_in_the_open:
        lines.append(TestLine(Outcome.MISSING, "models.test.in_the_open", {"host": caller.host}))
    chosen = caller.endpoint.model
    if models and chosen and chosen not in models:
        lines.append(TestLine(Outcome.MISSING, "models.test.not_listed", {"model": chosen}))
    if caller.endpoint.kind is EndpointKind.EMBEDDING:
        more, measured = _test_vectors(caller, embedder, cancel)
        return EndpointReport((*lines, *more), models, measured)
    return EndpointReport((*lines, *_test_words(model, abilities, cancel)), models)


test_endpoint.__test__ = False  # type: ignore[attr-defined]  # no test of pytest's


def list_models(caller: Caller, cancel: CancelToken | None = None) -> tuple[str, ...]:
    """Names of the models that the server lists. Errors: Failure, Cancelled."""
    value = caller.get("models", cancel)
    listed: Json = value
    if isinstance(value, Mapping):
        listed = next((value[key] for key in ("data", "models") if isinstance(value.get(key), list)), None)
    if not isinstance(listed, list):
        raise Failure("error.model.no_json")
    names = [
        str(each.get("id") or each.get("name") or each.get("model") or "")
        if isinstance(each, Mapping)
        else str(each)
        for each in listed[:MAX_MODELS]
    ]
    return tuple(sorted({name for name in names if name}, key=str.lower))


def _test_words(model: EndpointModel, abilities: Abilities, cancel: CancelToken | None) -> Iterator[TestLine]:
    start = time.monotonic()
    try:
        model.complete(_ASK_WORDS, None, PROBE_TOKENS, cancel)
        yield TestLine(Outcome.WORKS, "models.test.chat", {"seconds": round(time.monotonic() - start, 1)})
        fits = _gives_json(model, cancel)
    except Unavailable as error:
        yield _line(error)
        return
    form = FORMS[abilities.form]
    schema, json = form == "json_schema", form != "none"
    yield (
        TestLine(Outcome.WORKS, "models.test.schema")
        if schema
        else TestLine(Outcome.MISSING, "models.test.no_schema")
    )
    if not schema:
        yield (
            TestLine(Outcome.WORKS, "models.test.json")
            if json
            else TestLine(Outcome.MISSING, "models.test.no_json")
        )
    if not fits:
        yield TestLine(Outcome.MISSING, "models.test.bad_json")


def _gives_json(model: EndpointModel, cancel: CancelToken | None) -> bool:
    try:
        value = read_reply(model.complete(_ASK_JSON, SCHEMA, PROBE_TOKENS, cancel), SCHEMA).value
    except BadReply:
        return False
    return isinstance(value, Mapping) and {"city", "number"} <= value.keys()


def _test_vectors(
    caller: Caller, embedder: EndpointEmbedder, cancel: CancelToken | None
) -> tuple[list[TestLine], Measured | None]:
    pairs = (*SAME, *RELATED)
    texts = [text for pair in pairs for text in pair]
    start = time.monotonic()
    try:
        parts = [
            embedder.raw(texts[at : at + caller.endpoint.batch], cancel)
            for at in range(0, len(texts), caller.endpoint.batch)
        ]
    except Failure as failure:
        return [_failed(failure, caller)], None
    speed = len(texts) / max(1e-3, time.monotonic() - start)
    if len({part.shape[1] for part in parts}) != 1:
        return [_failed(Failure("error.embedder.dims", given="?", expected="?"), caller)], None
    measured = measure(np.concatenate(parts))
    lines = [
        TestLine(Outcome.WORKS, "models.test.vectors", {"dims": measured.dims, "speed": max(1, round(speed))})
    ]
    before = caller.endpoint.measured.dims
    if before and before != measured.dims:
        lines.append(
            TestLine(Outcome.MISSING, "models.test.dims_changed", {"old": before, "new": measured.dims})
        )
    return lines, measured


def measure(vectors: Vectors) -> Measured:
    """Dimension and thresholds, from the vectors of SAME and RELATED (their texts in order).

    Thresholds lie between what unrelated, related and equal texts of this model have as cosine.
    """
    cosines = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    pairs = [float(cosines[at, at + 1]) for at in range(0, len(vectors), 2)]
    same, related = np.array(pairs[: len(SAME)]), np.array(pairs[len(SAME) :])
    apart = np.array(
        [cosines[2 * one, 2 * two] for one in range(len(SAME)) for two in range(len(SAME)) if one < two]
    )
    unrelated, near, equal = float(apart.max()), float(np.median(related)), float(np.median(same))
    if not unrelated < near < equal:
        return Measured(int(vectors.shape[1]))
    way = equal - near
    return Measured(
        int(vectors.shape[1]),
        round(near + SAME_TEXT_WAY * way, 4),
        round(near + DUPLICATE_WAY * way, 4),
        round((unrelated + near) / 2, 4),
    )


def _failed(failure: Failure, caller: Caller) -> TestLine:
    return _line(failure.unavailable("model", caller.host))


def _line(error: Unavailable) -> TestLine:
    return TestLine(Outcome.FAILS, error.key, error.text_args)
