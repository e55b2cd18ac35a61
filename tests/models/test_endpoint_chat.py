"""Chat over HTTP against a real server on loopback: replies, quirks, faults, limits, cancel, keys."""

from __future__ import annotations

import json
import logging
import pickle
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.domain import texts
from core.domain.errors import Cancelled, Invalid, Unavailable
from core.domain.json_types import JsonObject
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from tests.fakes.llm_server import Fault
from tests.models.desk import KEY, EndpointDesk

HELLO = [ChatMessage("system", "Be brief."), ChatMessage("user", "你好")]
SCHEMA: JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}}
OK = "fine"


def refusal(desk: EndpointDesk, **values: object) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        desk.model(**values).complete(HELLO)  # type: ignore[arg-type]
    error = caught.value
    assert texts.render("en", error.key, **error.text_args)
    assert texts.has(error.key, "zh_CN")
    return error


def test_reply_comes_in_a_stream_with_tokens_and_cost(desk: EndpointDesk) -> None:
    desk.server.replies = ["艾琳走进了钟楼。"]
    model = desk.model(price_in=2.0, price_out=4.0)
    assert model.complete(HELLO) == "艾琳走进了钟楼。"
    body = desk.server.requests[0].body
    assert body["model"] == "fake-chat"
    assert body["messages"][1] == {"role": "user", "content": "你好"}
    assert (model.used.calls, model.used.tokens_in, model.used.tokens_out) == (1, 11, 5)
    assert model.used.cost == pytest.approx((11 * 2 + 5 * 4) / 1e6)
    assert not model.used.counted


def test_server_that_tells_no_tokens_has_them_counted_here(desk: EndpointDesk) -> None:
    desk.server.tells_usage = False
    desk.server.replies = ["four"]
    model = desk.model()
    model.complete(HELLO)
    assert (model.used.tokens_in, model.used.tokens_out, model.used.counted) == (11, 4, True)


@pytest.mark.parametrize(
    "ending", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/v1/embeddings/", "//v1//"]
)
def test_address_may_be_pasted_in_any_form(desk: EndpointDesk, ending: str) -> None:
    desk.server.replies = [OK]
    assert desk.model(url=desk.server.url + ending).complete(HELLO) == OK
    assert desk.server.requests[-1].path == "/v1/chat/completions"


def test_form_of_json_falls_back_and_what_was_refused_is_not_asked_again(desk: EndpointDesk) -> None:
    desk.server.forms = {"json_object"}
    model = desk.model()
    model.complete(HELLO, SCHEMA)
    model.complete(HELLO, SCHEMA)
    forms = [body["response_format"]["type"] for body in desk.server.bodies("completions")]
    assert forms == ["json_schema", "json_object", "json_object"]
    assert desk.server.requests[-1].body["response_format"]["schema"] == SCHEMA
    assert '"city"' in desk.server.requests[-1].body["messages"][-1]["content"]


def test_server_that_knows_no_schema_beside_json_mode_is_asked_without(desk: EndpointDesk) -> None:
    desk.server.forms, desk.server.strict = {"json_object"}, True
    model = desk.model()
    model.complete(HELLO, SCHEMA)
    model.complete(HELLO, SCHEMA)
    formats = [body["response_format"] for body in desk.server.bodies("completions")]
    assert formats[2:] == [{"type": "json_object"}] * 2


def test_server_without_any_json_mode_gets_the_schema_in_words(desk: EndpointDesk) -> None:
    desk.server.forms = set()
    desk.model().complete(HELLO, SCHEMA)
    body = desk.server.requests[-1].body
    assert "response_format" not in body
    assert '"city"' in body["messages"][-1]["content"]


FIELD_ERROR = (
    "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
    "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}\n\n"
    '  File "/srv/server/app.py", line 376, in create_chat_completion'
)


@pytest.mark.parametrize("status", [400, 422, 500, 501])
@pytest.mark.parametrize(
    "words",
    [FIELD_ERROR, "Unknown parameter: 'response_format'", "json_schema is not supported", "grammar: invalid"],
)
def test_refused_form_is_known_under_every_code(desk: EndpointDesk, status: int, words: str) -> None:
    desk.server.faults = [Fault(status, json.dumps({"error": {"message": words}}).encode())]
    desk.model().complete(HELLO, SCHEMA)
    forms = [body["response_format"]["type"] for body in desk.server.bodies("completions")]
    assert forms == ["json_schema", "json_object"]
    assert desk.slept == []


def test_place_in_the_servers_program_is_not_shown(desk: EndpointDesk) -> None:
    desk.server.faults = [Fault(500, json.dumps({"error": {"message": FIELD_ERROR}}).encode())] * 9
    assert "File" not in refusal(desk).reason


def test_stream_without_a_word_is_asked_again_whole_and_the_cause_is_said(desk: EndpointDesk) -> None:
    long = b'{"error": {"message": "This model\'s maximum context length is 512 tokens."}}'
    nothing = Fault(200, b"", "text/event-stream")
    desk.server.faults = [nothing, Fault(400, long), nothing, None]
    desk.server.replies = [OK]
    assert refusal(desk).key == "error.model.too_long"
    assert desk.model().complete(HELLO) == OK
    assert [bool(body.get("stream")) for body in desk.server.bodies("completions")] == [True, False] * 2


def test_too_long_a_request_is_known_under_another_code(desk: EndpointDesk) -> None:
    words = b'{"error": {"message": "the request exceeds the available context size"}}'
    desk.server.faults = [Fault(500, words)]
    assert refusal(desk).key == "error.model.too_long"


def test_stream_that_only_says_it_is_alive_runs_into_the_time_out(desk: EndpointDesk) -> None:
    desk.server.faults = [Fault(alive_s=3.0)] * 2
    started = time.monotonic()
    assert refusal(desk, timeout_s=1).key == "error.model.timeout"
    assert time.monotonic() - started < 4


def test_server_without_streams_and_with_another_word_for_the_limit_is_learned(desk: EndpointDesk) -> None:
    desk.server.streams = False
    desk.server.tokens_key = "max_completion_tokens"
    desk.server.replies = [OK]
    assert desk.model().complete(HELLO, None, 50) == OK
    body = desk.server.requests[-1].body
    assert "stream" not in body
    assert body["max_completion_tokens"] == 50


def test_thinking_kept_apart_is_left_out_and_a_tool_call_is_the_reply(desk: EndpointDesk) -> None:
    call = [{"index": 0, "function": {"name": "save", "arguments": '{"operations": []}'}}]
    desk.server.replies = [
        {"content": OK, "reasoning_content": '{"operations": [1]}'},
        {"content": "", "tool_calls": call},
    ]
    model = desk.model()
    assert model.complete(HELLO) == OK
    assert model.complete(HELLO) == '{"name":"save","arguments":"{\\"operations\\": []}"}'


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ({"content": "", "reasoning_content": "hm", "end": "length"}, "error.model.only_thinking"),
        ({"content": " ", "end": "stop"}, "error.model.empty"),
        ({"content": "", "end": "content_filter"}, "error.model.filtered"),
    ],
)
def test_reply_without_words_is_said(desk: EndpointDesk, reply: object, key: str) -> None:
    desk.server.replies = [reply]
    assert refusal(desk).key == key


def test_refusal_about_something_else_teaches_nothing(desk: EndpointDesk) -> None:
    model = desk.model()
    desk.server.faults = [Fault(400, b'{"error": {"message": "I do not like this text"}}')] * 9
    with pytest.raises(Unavailable):
        model.complete(HELLO, SCHEMA)
    desk.server.faults = []
    desk.server.requests.clear()
    model.complete(HELLO, SCHEMA)
    assert desk.server.requests[0].body["response_format"]["type"] == "json_schema"
    assert desk.server.requests[0].body["stream"]


def test_stream_that_ends_without_a_reason_has_ended(desk: EndpointDesk) -> None:
    events = b'data: {"choices": [{"delta": {"content": "fine"}}]}\n\ndata: [DONE]\n\n'
    desk.server.faults = [Fault(200, events, "text/event-stream"), Fault(200, events, "text/plain")]
    model = desk.model()
    assert [model.complete(HELLO), model.complete(HELLO)] == [OK, OK]


PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>secret page</body></html>"


@pytest.mark.parametrize(
    ("fault", "key", "shown"),
    [
        (Fault(401, b'{"detail": "Invalid API key"}'), "error.model.key", "Invalid API key"),
        (Fault(403, b'{"error": {"message": "no"}}'), "error.model.key", "no"),
        (Fault(404, b'{"detail": "Not Found"}'), "error.model.not_found", "Not Found"),
        (Fault(404, b'{"error": "model \'x\' not found, try pulling it first"}'), "error.model.no_model", "x"),
        (
            Fault(400, b'{"error": {"message": "too big", "code": "context_length_exceeded"}}'),
            "error.model.too_long",
            "too big",
        ),
        (Fault(413, b""), "error.model.too_long", ""),
        (Fault(429, b'{"error": {"code": "insufficient_quota", "message": "pay"}}'), "error.model.quota", "pay"),
        (Fault(402, b'{"message": "balance"}'), "error.model.quota", "balance"),
        (Fault(200, PAGE, "text/html"), "error.model.page", "502 Bad Gateway"),
        (Fault(200, b"{half"), "error.model.no_json", ""),
        (Fault(200, b'{"choices": []}'), "error.model.no_choices", ""),
        (Fault(200, b'{"object": "x"}'), "error.model.no_choices", ""),
        (Fault(200, b"[]"), "error.model.no_choices", ""),
        (Fault(200, b'data: {"choices": [{"delta": {"content": "ha"}}]}\n\n', "text/event-stream"),
         "error.model.broken_off", ""),
        (Fault(200, b'data: {"error": {"message": "boom"}}\n\n', "text/event-stream"), "error.model.server", "boom"),
        (Fault(500, b'{"error": {"message": "malformed body"}}'), "error.model.server", "malformed body"),
        (Fault(502, PAGE, "text/html"), "error.model.server", "502 Bad Gateway"),
        (Fault(200, b'{"error": {"message": "out of memory"}}'), "error.model.server", "out of memory"),
        (Fault(418, b"teapot"), "error.model.status", "teapot"),
        (Fault(cut=True), "error.model.broken_off", ""),
        (Fault(200, b"x" * 10_000_100), "error.model.too_big", ""),
        (Fault(200, b"data: " + b"x" * 10_000_100, "text/event-stream"), "error.model.too_big", ""),
        (Fault(200, b"\n" * 10_000_100, "text/event-stream"), "error.model.too_big", ""),
        (Fault(500, b"[" * 200_000), "error.model.server", "[["),
        (Fault(500, b"<title" * 200_000, "text/html"), "error.model.server", ""),
        (Fault(307, headers={"Location": "http://[none"}), "error.model.redirect", ""),
        (Fault(307, headers={"Location": "http://host:999999/"}), "error.model.redirect", ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_fault_is_said_in_words(desk: EndpointDesk, fault: Fault, key: str, shown: str) -> None:
    desk.server.faults = [fault] * 5
    error = refusal(desk)
    assert error.key == key
    assert shown in error.reason
    assert "<" not in error.reason
    assert "secret page" not in error.reason


def test_nobody_there_unknown_name_and_no_tls_are_told_apart(desk: EndpointDesk) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert refusal(desk, url=f"http://127.0.0.1:{port}").key == "error.model.refused"
    assert refusal(desk, url=desk.server.url.replace("http", "https")).key == "error.model.no_tls"
    assert refusal(desk, url="http://no-such-host.invalid/v1", proxy="none").key == "error.model.unknown_host"
    assert desk.slept == []


def test_busy_server_is_asked_again_with_growing_pauses(desk: EndpointDesk) -> None:
    desk.server.faults = [503, 503, 503, None]
    desk.server.replies = [OK]
    assert desk.model().complete(HELLO) == OK
    pauses = [pause for pause in desk.slept if pause > 0]
    assert pauses == sorted(pauses)
    assert pauses[0] >= 1.0


def test_retry_after_is_honoured_as_seconds_and_as_a_date(desk: EndpointDesk) -> None:
    desk.server.faults = [
        Fault(429, headers={"Retry-After": "7"}),
        Fault(429, headers={"Retry-After": "Fri, 02 Jan 2026 03:04:42 GMT"}),
        Fault(429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    ]
    desk.server.replies = [OK]
    assert desk.model().complete(HELLO) == OK
    assert desk.slept == [7.0, 30.0, 4.0]


def test_server_that_asks_for_too_much_patience_is_given_up_at_once(desk: EndpointDesk) -> None:
    desk.server.faults = [Fault(429, headers={"Retry-After": "3600"})]
    error = refusal(desk)
    assert (error.key, error.text_args["minutes"], desk.slept) == ("error.model.wait_long", 60, [])


@pytest.mark.parametrize("wish", ["inf", "1e400", "9" * 30])
def test_server_that_asks_for_endless_patience_is_given_up_too(desk: EndpointDesk, wish: str) -> None:
    desk.server.faults = [Fault(429, headers={"Retry-After": wish})]
    error = refusal(desk)
    assert (error.key, error.text_args["minutes"], desk.slept) == ("error.model.wait_long", 527_040, [])


@pytest.mark.parametrize("wish", ["nan", "-5", "soon", "Fri, 02 Jan 99999999999999999999 03:04:42 GMT"])
def test_wish_that_is_none_waits_as_without(desk: EndpointDesk, wish: str) -> None:
    desk.server.faults = [Fault(429, headers={"Retry-After": wish})]
    desk.server.replies = [OK]
    assert desk.model().complete(HELLO) == OK
    assert desk.slept == [1.0]


@pytest.mark.parametrize("kind", ["text/event-stream", "text/plain", "text/event-stream; charset=hex"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_separators_of_unicode_stay_in_the_text(desk: EndpointDesk, kind: str, end: str) -> None:
    said = "钟楼\u2028门\u0085开\x1c了\u2029。"
    event = json.dumps({"choices": [{"delta": {"content": said}}]}, ensure_ascii=False)
    body = f"data: {event}{end}{end}data: [DONE]{end}{end}".encode()
    desk.server.faults = [Fault(200, body, kind)]
    assert desk.model().complete(HELLO) == said


@pytest.mark.parametrize("told", [True, -7, 10**400, "11", 1e300, None])
def test_number_of_tokens_that_is_none_is_counted_here(desk: EndpointDesk, told: object) -> None:
    message = {"message": {"content": OK}, "finish_reason": "stop"}
    usage = {"prompt_tokens": told, "completion_tokens": told}
    desk.server.faults = [Fault(200, json.dumps({"choices": [message], "usage": usage}).encode())]
    model = desk.model(price_in=1.0)
    assert model.complete(HELLO) == OK
    assert (model.used.tokens_in, model.used.tokens_out, model.used.counted) == (11, 4, True)


def test_arguments_sent_as_an_object_in_a_stream_are_read(desk: EndpointDesk) -> None:
    call = {"index": 0, "function": {"name": "save", "arguments": {"open": True, "why": None}}}
    desk.server.replies = [{"content": "", "tool_calls": [call]}]
    reply = json.loads(desk.model().complete(HELLO))
    assert json.loads(reply["arguments"]) == {"open": True, "why": None}


def test_given_up_after_five_tries(desk: EndpointDesk) -> None:
    desk.server.faults = [Fault(429, PAGE, "text/html")] * 9
    assert refusal(desk).key == "error.model.busy"
    assert len(desk.server.requests) == 5


def test_slow_server_runs_into_the_time_out_twice(desk: EndpointDesk) -> None:
    desk.server.hold.clear()
    threading.Timer(2.5, desk.server.hold.set).start()
    error = refusal(desk, timeout_s=1)
    assert (error.key, error.text_args["seconds"]) == ("error.model.timeout", 1)
    assert len(desk.server.requests) == 2
    desk.server.hold.set()


def test_cancel_ends_a_request_at_once(desk: EndpointDesk) -> None:
    desk.server.hold.clear()
    token = CancelToken()
    model = desk.model()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(model.complete, HELLO, None, None, token)
        while not desk.server.requests:
            time.sleep(0.01)
        start = time.monotonic()
        token.cancel()
        with pytest.raises(Cancelled):
            waiting.result(5)
        assert time.monotonic() - start < 1
    desk.server.hold.set()


def test_no_more_requests_at_a_time_than_allowed(desk: EndpointDesk) -> None:
    at_once: list[int] = []
    running = threading.Semaphore(0)
    count = 0
    lock = threading.Lock()

    def reply(_body: object) -> str:
        nonlocal count
        with lock:
            count += 1
            at_once.append(count)
        running.acquire(timeout=0.05)
        with lock:
            count -= 1
        return OK

    desk.server.replies = reply
    model = desk.model(concurrency=2)
    with ThreadPoolExecutor(6) as pool:
        assert [each.result(10) for each in [pool.submit(model.complete, HELLO) for _ in range(6)]] == [
            OK
        ] * 6
    assert max(at_once) <= 2


def test_rate_limit_waits_for_the_next_minute(desk: EndpointDesk) -> None:
    desk.server.replies = lambda _body: OK
    model = desk.model(requests_per_minute=2)
    for _ in range(3):
        model.complete(HELLO)
    assert sum(desk.slept) >= 59


def test_redirect_is_followed_on_the_same_server_only(desk: EndpointDesk) -> None:
    here = {"Location": "/v1/chat/completions"}
    desk.server.faults = [Fault(308, headers=here)]
    desk.server.replies = [OK]
    assert desk.model(KEY).complete(HELLO) == OK
    desk.server.faults = [Fault(307, headers={"Location": "https://elsewhere.example/v1/chat?key=x"})]
    error = refusal(desk, key=KEY)
    assert error.key == "error.model.redirect"
    assert error.text_args["target"] == "https://elsewhere.example/v1/chat"
    desk.server.faults = [Fault(308, headers=here)] * 9
    assert refusal(desk).key == "error.model.redirect"


def test_key_is_sent_and_shown_nowhere(desk: EndpointDesk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk.server.key = "another"
    model = desk.model(KEY)
    with pytest.raises(Unavailable) as caught:
        model.complete(HELLO)
    assert desk.server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    error = caught.value
    shown = [caplog.text, repr(error), str(error), repr(error.text_args), repr(vars(error)), repr(model)]
    shown += [repr(vars(desk.opened[-1])), texts.render("en", error.key, **error.text_args)]
    assert error.__cause__ is None
    for text in shown:
        assert "0123456789" not in text
    with pytest.raises(TypeError):
        pickle.dumps(desk.opened[-1]._key)


@pytest.mark.parametrize(
    "body",
    [
        f"Incorrect API key provided: {KEY}",
        f'{{"error": {{"message": "Incorrect API key provided: {KEY}."}}}}',
        "Incorrect API key provided: sk-test****cdef. You can find it at https://x",
        f'{{"detail": "Authorization: Bearer {KEY}"}}',
        f"https://user:{KEY}@host/?api_key={KEY}",
    ],
)
def test_key_in_the_servers_own_words_is_hidden(desk: EndpointDesk, body: str) -> None:
    desk.server.faults = [Fault(401, body.encode())]
    error = refusal(desk, key=KEY)
    for part in ("0123456789", "sk-test", "cdef"):
        assert part not in error.reason + str(error.text_args)


@pytest.mark.parametrize("key", ["sk-a\nb: c", "密钥密钥", "two words"])
def test_key_that_no_header_can_carry_is_refused_unshown(desk: EndpointDesk, key: str) -> None:
    with pytest.raises(Invalid) as caught:
        desk.model(key)
    assert caught.value.key == "error.endpoint.key_form"
    assert key not in repr(caught.value)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("ftp://host/v1", "error.endpoint.url"),
        ("http://", "error.endpoint.url"),
        ("http://host:99999999/", "error.endpoint.url"),
        ("https://sk-x:y@host/v1", "error.endpoint.key_in_url"),
        ("https://host/v1?api_key=abc", "error.endpoint.key_in_url"),
    ],
)
def test_address_that_is_none_or_holds_a_key_is_refused(desk: EndpointDesk, url: str, key: str) -> None:
    with pytest.raises(Invalid) as caught:
        desk.model(url=url)
    assert caught.value.key == key
