"""Requests to one endpoint: limits, time-outs, retries, redirects, size, cancel, and keys that never show."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from core.adapters.endpoints import failures
from core.adapters.endpoints.address import Address, address
from core.adapters.endpoints.failures import Failure
from core.adapters.endpoints.net import Net
from core.adapters.endpoints.redact import redacted
from core.domain.endpoints import Endpoint, Secret
from core.domain.errors import CuratorError, Invalid
from core.domain.json_types import Json
from core.ports.progress import CancelToken

T = TypeVar("T")

MAX_REPLY_BYTES = 10_000_000
CONNECT_S = 10.0
TRIES = 5
FEWER_TRIES = {
    "error.model.timeout": 2,
    "error.model.no_choices": 2,
    "error.model.no_json": 2,
    "error.model.server": 3,
}
"""A time-out costs its whole length each time; what a server answers wrongly twice it will answer wrongly again."""
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 60.0
MAX_ASKED_WAIT_S = 300.0
"""A server that asks for more patience than this is given up, with its wish said."""
MAX_SAID_WAIT_S = 366 * 86_400.0
"""A longer wish, or an endless one, is said as this."""
MAX_REDIRECTS = 3
MINUTE_S = 60.0
_LINE_END = re.compile(rb"[\r\n]+")
ENDED: Json = {"ended": True}
"""In place of a stream's last line, `[DONE]`."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful answer: JSON, or the lines of a stream (`events`), each one JSON value."""

    value: Json = None
    events: tuple[Json, ...] | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How failures are waited out; tests replace the waiting."""

    tries: int = TRIES
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic


class Caller:
    """Calls one endpoint. May be used from any thread; all calls share its limits."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: Secret | None,
        net: Net,
        patience: Patience | None = None,
    ) -> None:
        """Errors: Invalid for an address or a key that cannot be one (the key is not shown)."""
        self.endpoint = endpoint
        self.address: Address = address(endpoint.url)
        self._key = checked_key(key)
        self._net = net
        self._patience = patience or Patience()
        self._client: httpx.AsyncClient | None = None
        self._turn: asyncio.Semaphore | None = None
        self._started: deque[float] = deque()
        self._not_before = 0.0

    @property
    def host(self) -> str:
        """How the endpoint is called in messages."""
        return self.address.host

    @property
    def sends_key_in_the_open(self) -> bool:
        """Whether everybody on the way to the server could read the key."""
        return bool(self._key) and self.address.base.startswith("http://") and not self.address.loopback

    def post(
        self,
        path: str,
        body: Mapping[str, Json],
        take: Callable[[Reply], T],
        cancel: CancelToken | None = None,
        tries: int | None = None,
    ) -> T:
        """What `take` makes of the answer; its failures are tried again too. Errors: Failure, Cancelled."""
        return self._net.run(self._patient("POST", path, body, take, tries), cancel)

    def get(self, path: str, cancel: CancelToken | None = None) -> Json:
        """The answer to a question, asked once. Errors: Failure, Cancelled."""
        return self._net.run(self._patient("GET", path, None, lambda reply: reply.value, 1), cancel)

    def close(self) -> None:
        """Ends its connections."""
        if self._client is not None:
            with contextlib.suppress(CuratorError, httpx.HTTPError, OSError):
                self._net.run(self._end())

    def retire(self) -> None:
        """Ends its connections without waiting: another caller takes its place."""
        self._net.later(self._end())

    async def _end(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # --- waiting ---------------------------------------------------------------------------

    async def _patient(
        self,
        method: str,
        path: str,
        body: Mapping[str, Json] | None,
        take: Callable[[Reply], T],
        tries: int | None,
    ) -> T:
        most = tries or self._patience.tries
        attempt = 0
        while True:
            attempt += 1
            try:
                async with self._my_turn():
                    return take(await self._once(method, self.address.of(path), body))
            except Failure as failure:
                fewer = FEWER_TRIES.get(failure.key, most) if failure.status in (0, 200, 500) else most
                limit = min(most, fewer)
                if not failure.again or attempt >= limit:
                    raise
                wait = self._wait_for(failure, attempt)
                if failure.status in (429, 503):
                    self._not_before = max(self._not_before, self._patience.clock() + wait)
                await self._patience.sleep(wait)

    def _wait_for(self, failure: Failure, attempt: int) -> float:
        """Exponential with jitter, at least what the server asked for. Errors: Failure when that is too long."""
        own: float = min(MAX_WAIT_S, FIRST_WAIT_S * 2.0 ** (attempt - 1)) * (1 + self._patience.chance() / 2)
        asked = failure.wait_s or 0.0
        if asked > MAX_ASKED_WAIT_S:
            minutes = round(min(asked, MAX_SAID_WAIT_S) / 60) or 1
            raise Failure("error.model.wait_long", failure.words, failure.status, minutes=minutes)
        return max(own, asked)

    @contextlib.asynccontextmanager
    async def _my_turn(self) -> AsyncIterator[None]:
        if self._turn is None:
            self._turn = asyncio.Semaphore(self.endpoint.concurrency)
        async with self._turn:
            await self._under_the_rate()
            yield

    async def _under_the_rate(self) -> None:
        most = self.endpoint.requests_per_minute
        while True:
            now = self._patience.clock()
            while self._started and now - self._started[0] > MINUTE_S:
                self._started.popleft()
            wait = self._not_before - now
            if most and len(self._started) >= most:
                wait = max(wait, self._started[0] + MINUTE_S - now)
            if wait <= 0:
                self._started.append(now)
                return
            await self._patience.sleep(min(wait, 1.0))

    # --- one request -----------------------------------------------------------------------

    async def _once(self, method: str, url: str, body: Mapping[str, Json] | None) -> Reply:
        content = None if body is None else json.dumps(body, ensure_ascii=True).encode("ascii")
        for _ in range(MAX_REDIRECTS + 1):
            request = self._http().build_request(method, url, content=content, headers=self._headers(body))
            try:
                response = await self._http().send(request, stream=True)
                try:
                    if not response.is_redirect:
                        return await self._taken(response)
                    url = self._moved(url, response)
                finally:
                    await response.aclose()
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                raise failures.of_error(error, self.endpoint.timeout_s) from None
        raise Failure("error.model.redirect", target=self.host)

    def _moved(self, url: str, response: httpx.Response) -> str:
        """Where to go on; another machine never gets the request with its key."""
        try:
            target: str = urljoin(url, str(response.headers.get("location", "")))
            old, new = urlsplit(url), urlsplit(target)
            moved_port = old.port != new.port and old.scheme == new.scheme
        except ValueError:  # no address at all
            raise Failure("error.model.redirect", status=response.status_code, target="?") from None
        same = old.hostname == new.hostname and new.scheme in (old.scheme, "https")
        if not same or moved_port or response.status_code in (302, 303):
            shown = f"{new.scheme}://{new.hostname}{'' if new.port is None else f':{new.port}'}{new.path}"
            raise Failure("error.model.redirect", status=response.status_code, target=shown[:200])
        return target

    async def _taken(self, response: httpx.Response) -> Reply:
        kind = response.headers.get("content-type", "")
        if response.is_success and "event-stream" in kind:
            return Reply(events=await self._events(response))
        body = await _limited(response)
        if not response.is_success:
            failure = failures.of_status(response.status_code, body, kind, self._key)
            failure.wait_s = self._asked_wait(response.headers)
            raise failure
        text = body.decode("utf-8-sig", "replace")
        if text.lstrip()[:6] in ("data: ", "data:{"):
            lines = re.split(r"[\r\n]+", text)
            return Reply(events=tuple(_event(line) for line in lines if _is_data(line)))
        if failures.is_page(text, kind):
            title = redacted(failures.page_title(text), self._key)[:80]
            raise Failure("error.model.page", title, response.status_code)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            status = response.status_code
            raise Failure("error.model.no_json", status=status, again=not text.strip()) from None
        if isinstance(value, dict) and value.get("error") and not {"choices", "data"} & value.keys():
            raise failures.of_status(_code(value), body, kind, self._key)
        return Reply(value)

    async def _events(self, response: httpx.Response) -> tuple[Json, ...]:
        found: list[Json] = []
        spoke = time.monotonic()
        async for line in _lines(response):
            now = time.monotonic()
            if not _is_data(line):
                if now - spoke > self.endpoint.timeout_s:  # it only says that it is alive
                    raise Failure("error.model.timeout", again=True, seconds=self.endpoint.timeout_s)
                continue
            spoke = now
            event = _event(line)
            if event == ENDED:
                found.append(event)
                break
            if isinstance(event, dict) and event.get("error"):
                words = json.dumps(event).encode()
                raise failures.of_status(_code(event), words, "", self._key)
            found.append(event)
        return tuple(found)

    def _asked_wait(self, headers: httpx.Headers) -> float | None:
        """Retry-After as seconds or as a date; a date that has passed asks for nothing."""
        with contextlib.suppress(ValueError):
            if milliseconds := headers.get("retry-after-ms"):
                return max(0.0, float(milliseconds) / 1000)
        text = headers.get("retry-after", "").strip()
        if not text:
            return None
        with contextlib.suppress(ValueError):
            return max(0.0, float(text))
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (aware - self._patience.now()).total_seconds())

    def _headers(self, body: Mapping[str, Json] | None) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream", "User-Agent": "memory-curator"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._key:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return headers

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            proxy = self.endpoint.proxy.strip()
            local = self.address.loopback or proxy == "none"
            try:
                self._client = httpx.AsyncClient(
                    timeout=httpx.Timeout(self.endpoint.timeout_s, connect=CONNECT_S),
                    proxy=None if proxy in ("", "none") else proxy,
                    trust_env=not local,
                    follow_redirects=False,
                )
            except (ValueError, ImportError, httpx.HTTPError, httpx.InvalidURL):
                raise Failure("error.model.proxy") from None
        return self._client


def checked_key(key: Secret | None) -> Secret | None:
    """The key without space around it; None for an empty one. Errors: Invalid when no header could carry it."""
    text = key.reveal().strip() if key else ""
    if text.lower().startswith("bearer "):
        text = text[7:].strip()
    if not text:
        return None
    if not text.isascii() or not text.isprintable() or " " in text:
        raise Invalid("error.endpoint.key_form")
    return Secret(text)


async def _limited(response: httpx.Response) -> bytes:
    return b"".join([part async for part in _parts(response)])


async def _parts(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes. Errors: Failure when it is too long, with line ends or without."""
    taken = 0
    async for part in response.aiter_bytes():
        taken += len(part)
        if taken > MAX_REPLY_BYTES:
            raise Failure("error.model.too_big", megabytes=MAX_REPLY_BYTES // 1_000_000)
        yield part


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """Lines of a stream of events: UTF-8, blank ones left out, ended by CR and LF alone: U+2028 is text."""
    begun: list[bytes] = []
    async for part in _parts(response):
        first, *others = _LINE_END.split(part)
        begun.append(first)
        for other in others:
            yield b"".join(begun).decode("utf-8", "replace")
            begun = [other]
    yield b"".join(begun).decode("utf-8", "replace")


def _is_data(line: str) -> bool:
    return line.startswith("data:")


def _event(line: str) -> Json:
    if line[5:].strip() == "[DONE]":
        return ENDED
    try:
        event: Json = json.loads(line[5:])
    except (ValueError, RecursionError):
        return None
    return event


def _code(event: Mapping[str, Any]) -> int:
    error = event.get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500
