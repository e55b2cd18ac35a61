"""A real HTTP server on loopback that speaks OpenAI's chat and embeddings, with faults that can be switched on.

with serving() as server:
    server.replies = ['{"operations": []}']      # or a function of the request's body
    server.faults = [429, 429, None]             # the next requests: HTTP codes, or what a Fault does
    ...
    assert server.requests[-1].body["messages"]
"""

from __future__ import annotations

import base64
import contextlib
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.embedder import HashEmbedder

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer instead of the right one: bytes as they are, after waiting, or a connection cut."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    cut: bool = False
    alive_s: float = 0.0
    """A stream that says only that it is alive, so long."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    path: str
    body: Body
    headers: Mapping[str, str]
    at: float


class FakeServer:
    """Answers chat with `replies` (a list, or a function of the body), embeddings with hashed n-grams."""

    def __init__(self, dims: int = 32) -> None:
        self.replies: list[Any] | Callable[[Body], Any] = []
        self.faults: list[int | Fault | None] = []
        self.requests: list[Asked] = []
        self.key = ""
        self.models = ["fake-chat", "fake-vectors"]
        self.forms = {"json_schema", "json_object"}
        self.strict = False
        """Whether a schema beside JSON mode is refused, as an unknown parameter."""
        self.streams = True
        self.tells_usage = True
        self.tokens_key = ""
        """The only key for a limit that is taken, when set."""
        self.vectors = HashEmbedder(dims)
        self.vectors_by_model: Mapping[str, HashEmbedder] = {}
        self.nested = False
        self.base64 = True
        self.refused_texts: set[str] = set()
        self.change_rows: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows
        self.hold = threading.Event()
        self.hold.set()
        self.lock = threading.Lock()
        self.url = ""

    def bodies(self, path: str) -> list[Body]:
        """Bodies of all requests to a path that ends so."""
        return [each.body for each in self.requests if each.path.endswith(path)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeServer

    def log_message(self, format: str, *args: Any) -> None:
        """Tests need no log."""

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self._serve(json.loads(raw))
        except ValueError:
            self._json(500, {"error": {"message": "malformed body", "type": "internal_server_error"}})

    def _serve(self, body: Body) -> None:
        fake = self.fake
        path = self.path.partition("?")[0]
        with fake.lock:
            fake.requests.append(Asked(path, body, dict(self.headers), time.monotonic()))
            fault = fake.faults.pop(0) if fake.faults else None
        fake.hold.wait(20)
        if fault is not None:
            self._fault(Fault(fault, b'{"error": {"message": "fault"}}') if isinstance(fault, int) else fault)
        elif fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
            self._json(401, {"detail": f"Invalid API key: {self.headers.get('Authorization')}"})
        elif path == "/v1/models":
            self._json(200, {"object": "list", "data": [{"id": name} for name in fake.models]})
        elif path == "/v1/chat/completions":
            self._chat(body)
        elif path == "/v1/embeddings":
            self._embeddings(body)
        else:
            self._json(404, {"detail": "Not Found"})

    def _fault(self, fault: Fault) -> None:
        time.sleep(fault.wait_s)
        if fault.cut:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
            self.close_connection = True
            return
        if fault.alive_s:
            self._stay_alive(fault.alive_s)
            return
        self._send(fault.status, fault.body, fault.content_type, fault.headers)

    def _stay_alive(self, seconds: float) -> None:
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for _ in range(int(seconds * 20)):
                self.wfile.write(b": ping\n\n")
                time.sleep(0.05)

    def _chat(self, body: Body) -> None:
        fake = self.fake
        form = body.get("response_format", {}).get("type")
        if form and (form not in fake.forms or ("schema" in body["response_format"] and fake.strict)):
            return self._json(400, {"error": {"message": f"response_format {form} is not supported"}})
        if body.get("stream") and not fake.streams:
            return self._json(400, {"error": {"message": "stream is not supported"}})
        given = [key for key in ("max_tokens", "max_completion_tokens") if key in body]
        if fake.tokens_key and given not in ([], [fake.tokens_key]):
            words = f"Unsupported parameter: 'max_tokens'. Use '{fake.tokens_key}' instead."
            return self._json(400, {"error": {"message": words}})
        if callable(fake.replies):
            reply = fake.replies(body)
        else:
            with fake.lock:
                reply = fake.replies.pop(0) if fake.replies else '{"city": "Paris", "number": 7}'
        message = reply if isinstance(reply, dict) and "content" in reply else {"content": _text(reply)}
        usage = {"prompt_tokens": 11, "completion_tokens": 5} if fake.tells_usage else None
        if body.get("stream"):
            return self._stream(message, usage)
        answer = {
            "choices": [{"message": message, "finish_reason": message.get("end", "stop")}],
            "usage": usage,
        }
        return self._json(200, answer)

    def _stream(self, message: Body, usage: Any) -> None:
        text = message["content"] or ""
        parts: list[Any] = [text[at : at + 7] for at in range(0, len(text), 7)]
        events: list[Any] = [{"choices": [{"delta": {"content": part}}]} for part in parts]
        if message.get("reasoning_content"):
            events.insert(0, {"choices": [{"delta": {"reasoning_content": message["reasoning_content"]}}]})
        if message.get("tool_calls"):
            events.append({"choices": [{"delta": {"tool_calls": message["tool_calls"]}}]})
        events.append({"choices": [{"delta": {}, "finish_reason": message.get("end", "stop")}]})
        if usage:
            events.append({"choices": [], "usage": usage})
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        body = ": keep-alive\n\n" + "".join(lines) + "data: [DONE]\n\n"
        self._send(200, body.encode(), "text/event-stream", {})

    def _embeddings(self, body: Body) -> None:
        fake = self.fake
        texts = body["input"]
        if body.get("encoding_format") == "base64" and not fake.base64:
            return self._json(422, {"detail": [{"msg": "encoding_format: unexpected value"}]})
        if fake.refused_texts & set(texts):
            return self._json(400, {"error": {"message": "this input cannot be embedded"}})
        rows = []
        embedder = fake.vectors_by_model.get(body.get("model", ""), fake.vectors)
        for index, vector in enumerate(embedder.embed_documents(texts)):
            value: Any = [float(each) for each in vector]
            if fake.nested:
                value = [value, value]
            elif body.get("encoding_format") == "base64":
                value = base64.b64encode(struct.pack(f"<{len(value)}f", *value)).decode()
            rows.append({"index": index, "embedding": value, "object": "embedding"})
        answer = {"data": fake.change_rows(rows), "usage": {"prompt_tokens": 3 * len(texts)}}
        return self._json(200, answer)

    def _json(self, status: int, value: Any) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", {})

    def _send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            for name, value in {"Content-Type": content_type, **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


def _text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close waits for them

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


@contextlib.contextmanager
def serving(dims: int = 32) -> Iterator[FakeServer]:
    """A server that has ended, with all its threads, afterwards."""
    fake = FakeServer(dims)
    handler = type("Handler", (_Handler,), {"fake": fake, "timeout": 5})
    server = _Server(("127.0.0.1", 0), handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield fake
    finally:
        fake.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()
