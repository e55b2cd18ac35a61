"""What went wrong between here and an endpoint, in words: which text, and whether to try again."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from core.adapters.endpoints.redact import redacted
from core.domain.endpoints import Secret
from core.domain.errors import Unavailable

AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""HTTP codes after which the same request may succeed."""
_CONTEXT = re.compile(
    r"context.{0,12}(?:length|window|size|overflow|exceed)|maximum context|too many tokens|exceeds? (?:the )?(?:available )?context"
    r"|prompt is too long|input.{0,20}too (?:long|large)|max(?:imum)?[_ ](?:input|prompt|sequence)[_ ](?:length|tokens)",
    re.IGNORECASE,
)
_INVALID = re.compile(
    r"validation error|literal_error|value_error|\bInput should be\b|extra(?:_forbidden| inputs are not permitted)"
    r"|(?:unsupported|unknown|unrecognized|invalid|unexpected)[ _](?:parameter|field|argument|value|keyword|response_format)"
    r"|(?:response_format|json_schema|json_object|grammar|stream_options|max_tokens|stream)\b.{0,60}"
    r"(?:not supported|unsupported|not implemented|not allowed|invalid)",
    re.IGNORECASE | re.DOTALL,
)
"""A complaint about what was sent, whatever the code: some servers answer 500 to a field they do not know."""
_PLACE = re.compile(r"\s*\n\s*File \".*", re.DOTALL)
"""The place in the server's own program that some servers add to their words."""
_QUOTA = re.compile(
    r"insufficient_quota|quota.{0,20}exceed|billing|insufficient.{0,10}(?:balance|credit|fund)|余额不足|欠费",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model.{0,80}(?:not found|not exist|does not exist|unknown|not loaded|no such|try pulling)|no such model",
    re.IGNORECASE,
)
_MOST_READ = 20_000
"""Characters of a page in which its title is looked for."""
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class Failure(Exception):
    """One failed request: the text that says it, the server's own words, and when to try again.

    `status` 0 = no answer came. `wait_s`: what the server asked for. `refused`: it is about the content of
    this one request, other requests may well succeed.
    """

    def __init__(
        self,
        key: str,
        words: str = "",
        status: int = 0,
        *,
        again: bool = False,
        refused: bool = False,
        **places: object,
    ) -> None:
        super().__init__(key)
        self.key, self.words, self.status = key, words, status
        self.again, self.refused = again, refused
        self.wait_s: float | None = None
        self.places: Mapping[str, object] = places

    def unavailable(self, port: str, host: str) -> Unavailable:
        """As the error that callers know."""
        reason = self.words or self.key.rpartition(".")[2]
        places = {"host": host, "words": self.words, "status": self.status, **self.places}
        return Unavailable(port, f"{host}: {reason}", key=self.key, **places)


def of_status(status: int, body: bytes, content_type: str, key: Secret | None) -> Failure:
    """A failure out of an answer that is no success. The key is never in it."""
    text = body.decode("utf-8", "replace")
    words = redacted(page_title(text) if is_page(text, content_type) else server_words(text), key)
    again = status in AGAIN
    match status:
        case 401 | 403:
            return Failure("error.model.key", words, status)
        case 404:
            named = bool(_NO_MODEL.search(words))
            return Failure("error.model.no_model" if named else "error.model.not_found", words, status)
        case 402:
            return Failure("error.model.quota", words, status)
        case 429 if _QUOTA.search(words):
            return Failure("error.model.quota", words, status)
        case 429:
            return Failure("error.model.busy", words, status, again=True)
        case 400 | 422 if _NO_MODEL.search(words) and not _CONTEXT.search(text):
            return Failure("error.model.no_model", words, status)
        case _ if refusal := _refusal(status, text):
            return Failure(refusal, words, status, refused=True)
        case _:
            key_text = "error.model.server" if status >= 500 else "error.model.status"
            return Failure(key_text, words, status, again=again)


def _refusal(status: int, text: str) -> str:
    """The text that says why this one request is refused; "" when the answer is about something else."""
    about_request = status in (400, 405, 413, 415, 422)
    odd = status in (500, 501)
    if status == 413 or ((about_request or odd) and _CONTEXT.search(text)):
        return "error.model.too_long"
    return "error.model.refused_request" if about_request or (odd and _INVALID.search(text)) else ""


def server_words(text: str) -> str:
    """What the server says in whatever form it says it: `error`, `error.message`, `detail`, `message`, plain."""
    try:
        return _PLACE.sub("", _words(json.loads(text))) or text
    except (ValueError, RecursionError):
        return text


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_words, value[:3])))
    if not isinstance(value, dict):
        return ""
    for name in ("error", "detail", "message", "msg", "error_msg", "title", "reason"):
        if found := _words(value.get(name)):
            code = value.get("code")
            return f"{found} ({code})" if isinstance(code, str) and code not in found else found
    return ""


def is_page(text: str, content_type: str) -> bool:
    """Whether a web page came instead of data."""
    return "html" in content_type or text.lstrip()[:15].lower().startswith(("<!doctype", "<html", "<head"))


def page_title(text: str) -> str:
    """The title of a web page: all of it that is shown."""
    found = _TITLE.search(text[:_MOST_READ])
    return found[1] if found else ""


def of_error(error: Exception, timeout_s: int) -> Failure:
    """A failure out of what httpx raised: nobody there, unknown name, no trust, too slow, broken off."""
    causes = tuple(_causes(error))
    if isinstance(error, httpx.ConnectTimeout | httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
        return Failure("error.model.timeout", again=True, seconds=timeout_s)
    if any(isinstance(each, ssl.SSLError) for each in causes):
        plain = any("WRONG_VERSION_NUMBER" in str(each) for each in causes)
        return Failure("error.model.no_tls" if plain else "error.model.tls", _short(causes, ssl.SSLError))
    if any(isinstance(each, socket.gaierror) for each in causes):
        return Failure("error.model.unknown_host")
    if isinstance(error, httpx.ProxyError):
        return Failure("error.model.proxy", redacted(str(error)))
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return Failure("error.model.refused")
    if isinstance(error, httpx.ConnectError):
        return Failure("error.model.unreachable", redacted(str(error)), again=True)
    if isinstance(error, httpx.DecodingError):
        return Failure("error.model.no_json", redacted(str(error)))
    if isinstance(error, httpx.TransportError):
        return Failure("error.model.broken_off", redacted(str(error)), again=True)
    return Failure("error.model.unreachable", redacted(str(error)))


def _causes(error: BaseException) -> Iterator[BaseException]:
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [other for other in (each.__cause__, each.__context__) if other is not None]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions


def _short(causes: tuple[BaseException, ...], kind: type[BaseException]) -> str:
    return redacted(next((str(each) for each in causes if isinstance(each, kind)), ""))
