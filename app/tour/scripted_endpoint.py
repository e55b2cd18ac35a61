"""A language model by script behind a real HTTP server on loopback, for the tour: it tells one story.

It speaks OpenAI's chat completions (JSON by schema, no stream) and lists one model. What it says follows from
what it is asked: an extraction gets operations, a compression a text.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "clock-tower"
TOWER = "钟楼"
QUESTION = "地下入口在哪里？"
STORY = (
    (
        "失踪的人最后都在钟楼附近出现过，会不会和钟楼有关？",
        "艾琳推开钟楼尘封的大门，在齿轮间发现一扇隐藏的暗门。",
    ),
    ("门后面是什么？", "石阶通往地下入口，艾琳提着灯走了下去。"),
    ("下面有人吗？", "艾琳在石室里找到了失踪者留下的名单。"),
)
"""What the user and the character say, turn by turn."""
EVENTS = (
    "艾琳在钟楼发现隐藏的暗门",
    "艾琳沿石阶走到钟楼的地下入口",
    "艾琳在地下的石室里找到失踪者的名单",
)
SUMMARY = "艾琳从钟楼的暗门走到地下入口，在石室里找到失踪者的名单。"
_TOWER_ID = re.compile(r"\b(M\d+)\b[^\n]*" + TOWER)


def reply_to(said: str) -> dict[str, Any]:
    """What the model answers to a prompt."""
    if '"operations"' not in said:
        return {"fields": {"summary": SUMMARY}}
    heard = [said.rfind(answer) for _, answer in STORY]
    turn = heard.index(max(heard))
    operations: list[dict[str, Any]] = [
        {
            "action": "create",
            "type": "event",
            "ref": "e1",
            "importance": 8,
            "fields": {"summary": EVENTS[turn], "participants": "艾琳"},
            "links": [{"targetRef": "t1", "relation": "advances"}] if turn == 0 else [],
        }
    ]
    if turn == 0:
        tower = _TOWER_ID.search(said)
        state = {"state": "齿轮间有一扇隐藏的暗门"}
        if tower is not None:
            operations.append({"action": "update", "nodeId": tower[1], "fields": state})
            operations[0]["links"].append({"targetNodeId": tower[1], "relation": "occurred_at"})
        fields = {"title": "失踪案", "summary": "线索指向钟楼下的地下入口", "status": "active"}
        operations.append({"action": "create", "type": "thread", "ref": "t1", "fields": fields})
    return {"thought": "", "operations": operations}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
        """The tour prints what matters itself."""

    def do_GET(self) -> None:
        self._answer(200, {"object": "list", "data": [{"id": MODEL}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if body.get("stream"):
            return self._answer(400, {"error": {"message": "stream is not supported"}})
        if not self.path.endswith("/chat/completions"):
            return self._answer(404, {"detail": "Not Found"})
        said = "\n".join(str(each.get("content")) for each in body["messages"])
        value = _minimal(body, reply_to(said))
        message = {"role": "assistant", "content": json.dumps(value, ensure_ascii=False)}
        usage = {"prompt_tokens": len(said), "completion_tokens": len(message["content"])}
        return self._answer(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    def _answer(self, status: int, value: Mapping[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _minimal(body: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """The answer; to a schema it does not fit (the test of a connection) what that schema asks for."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    wanted = schema.get("required", [])
    if not wanted or set(wanted) <= set(value):
        return value
    blank = {"string": "", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    properties = schema.get("properties", {})
    return {name: blank.get(properties.get(name, {}).get("type", "string"), "") for name in wanted}


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The address of a server that has ended, with its threads, afterwards."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
