"""The command line of extraction and proposals."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from core.domain import texts
from core.services import proposal_parts
from core.settings import Settings
from tests.app.conftest import Run


@pytest.fixture
def chat(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library without vectors, with one chat."""
    settings = Settings()
    settings.set("embedder", "none")
    lines: list[dict[str, object]] = [
        {"user_name": "U", "character_name": "艾琳", "create_date": "2026-1-1 @10h 00m", "chat_metadata": {}}
    ]
    texts = (
        "我们去钟楼看看吧。",
        "艾琳点头，两人走向钟楼。",
        "门是锁着的吗？",
        "艾琳用旧钥匙打开了钟楼的门。",
    ) * 3
    for at, text in enumerate(texts):
        user = at % 2 == 0
        lines.append({"name": "U" if user else "艾琳", "is_user": user, "is_system": False, "mes": text})
    file = tmp_path / "story.jsonl"
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    monkeypatch.setattr("app.container.load_settings", lambda: settings)
    answer = run("import", str(file), "--yes", "--json").data
    return str(answer["files"][0]["folders"][0])


def test_plan_then_extract_show_apply_and_undo(run: Run, chat: str) -> None:
    plan = run("extract", chat, "--reach", "all", "--dry-run", "--model", "builtin", "--json").data
    assert (plan["pending"], plan["tokens"], len(plan["batches"])) == (6, 0, 6)
    made = run("extract", chat, "--reach", "all", "--model", "builtin", "--json").data["runs"][0]
    assert (made["state"], made["model"]) == ("done", "built-in")

    listed = run("proposals", "list", "--json").data["proposals"]
    assert [row["number"] for row in listed] == [made["proposal"]]
    shown = run("proposals", "show", str(made["proposal"]), "--json").data
    assert {"艾琳", "钟楼"} <= {part["title"] for part in shown["parts"]}
    assert run("proposals", "apply", str(made["proposal"]), "--json").data["counts"]["created"] >= 3
    assert run("proposals", "list", "--json").data["proposals"] == []
    assert run("extract", chat, "--json").data["runs"][0]["proposal"] is None

    run("undo")
    assert run("proposals", "list", "--json").data["proposals"][0]["waiting"] == len(shown["parts"])
    run("proposals", "dismiss", str(made["proposal"]))
    assert run("proposals", "list", "--state", "dismissed", "--json").data["proposals"]


def test_reply_is_read_from_the_input(run: Run, chat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = {"operations": [{"action": "create", "type": "event", "fields": {"summary": "两人走向钟楼"}}]}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(reply, ensure_ascii=False) + "\n.\nmore"))
    answer = run("extract", chat, "--range", "1-1", "--model", "manual", "--apply", "--json").data["runs"][0]
    assert answer["model"] == "manual"
    assert answer["applied"]["created"] == 1


def test_request_to_a_person_is_listed_shown_answered_and_goes_on(
    run: Run, chat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app import container

    container.load_settings().set("models.task.extract", "manual")
    stopped = run("extract", chat, "--reach", "all", "--apply", "--json")
    assert (stopped.code, stopped.data["error"]["key"]) == (1, "manual.request_waits")
    assert run("manual", "list", "--json").data["requests"][0] | {"asked_at": ""} == {
        "number": 1,
        "task": "extract",
        "folder": chat,
        "answered": False,
        "goes_on": True,
        "asked_at": "",
    }
    assert "艾琳点头" in run("manual", "show", "1").out
    file = tmp_path / "reply.json"
    reply = {"operations": [{"action": "create", "type": "event", "fields": {"summary": "两人走向钟楼"}}]}
    file.write_text(json.dumps(reply, ensure_ascii=False), encoding="utf-8")
    after = run("manual", "reply", "1", "--file", file, "--json").data
    assert (after["proposals"], after["waits"]) == ([], 2)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(reply, ensure_ascii=False)))
    assert "Request 3 waits" in run("manual", "reply", "2").out
    assert run("manual", "give-up", "3", "--json").data == {"given_up": 3}
    assert run("manual", "list", "--json").data["requests"] == []
    assert run("proposals", "list", "--json").data["proposals"][0]["parts"] == 2


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("show", "x"), "error.cli.request"),
        (("show", "²"), "error.cli.request"),
        (("resume", "9" * 30), "error.cli.request"),
        (("reply", "7", "--file", "nowhere"), "error.cli.reply_file"),
        (("resume", "7"), "error.manual.gone"),
        (("give-up", "7"), "error.manual.gone"),
    ],
)
def test_faults_with_requests_come_in_words(
    run: Run, chat: str, arguments: tuple[str, ...], key: str
) -> None:
    assert chat
    answer = run("manual", *arguments, "--json")
    assert (answer.code, answer.data["error"]["key"]) == (1, key)


@pytest.mark.parametrize("number", ["²", "9" * 30, "9" * 5_000])
def test_what_is_no_number_of_the_store_is_said_in_words(run: Run, chat: str, number: str) -> None:
    shown = run("proposals", "show", number, "--json")
    ranged = run("extract", chat, "--range", f"1-{number}", "--model", "builtin", "--json")
    assert shown.data["error"]["key"] == "error.cli.proposal"
    assert ranged.data["error"]["key"] == "error.cli.range"


def test_tasks_say_why_there_is_no_proposal(run: Run, chat: str) -> None:
    answer = run("synopsis", chat, "--model", "builtin", "--json").data
    assert (answer["proposal"], answer["why"]["key"]) == (None, "extract.why.few_events")
    assert run("reflect", chat, "--model", "builtin", "--json").data["why"]["key"] == "extract.why.few_events"
    assert run("evolve", chat, "--model", "builtin", "--json").data["why"]["key"] == "extract.why.no_embedder"
    assert (
        run("consolidate", chat, "--model", "builtin", "--json").data["why"]["key"]
        == "extract.why.no_embedder"
    )


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("extract",), "error.cli.extract_folder"),
        (("extract", "nobody"), "error.folder.unknown"),
        (("extract", "CHAT", "--range", "x"), "error.cli.range"),
        (("extract", "CHAT", "--range", "90-99"), "error.extract.range_empty"),
        (("extract", "CHAT", "--model", "endpoint"), "error.cli.no_endpoint"),
        (("extract", "CHAT", "--resume", "7"), "error.extract.run"),
        (("proposals", "show"), "error.cli.proposal"),
        (("proposals", "apply", "7"), "error.proposal.missing"),
    ],
)
def test_errors_come_in_words(run: Run, chat: str, arguments: tuple[str, ...], key: str) -> None:
    answer = run(*(chat if each == "CHAT" else each for each in arguments), "--json")
    assert answer.code == 1
    assert answer.data["error"]["key"] == key


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_number_of_an_applied_proposal_has_words(language: str) -> None:
    source = Path(proposal_parts.__file__).read_text(encoding="utf-8")
    names = {*re.findall(r'counts\["(\w+)"\]', source), "left_out"}
    assert len(names) > 8
    assert [name for name in names if not texts.has(f"cli.proposals.count.{name}", language)] == []
