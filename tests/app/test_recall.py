"""recall, inject and why on the command line."""

from pathlib import Path

from core.domain.recall import Layout
from tests.app.conftest import SMALL, Run

MESSAGE = "灯塔的守灯人是谁？"


def filled(run: Run) -> None:
    assert run("import", SMALL).code == 0


def test_recall_gives_memories_with_parts_and_trace(run: Run) -> None:
    filled(run)
    data = run("recall", MESSAGE, "--top-k", 3, "--json").data
    assert 0 < len(data["selected"]) <= 3 + 6  # scene completion may add some
    first = data["selected"][0]
    assert first["score"] > 0
    assert first["parts"]
    assert first["stage"] == "selected"
    assert {stage["stage"] for stage in data["stages"]}
    assert data["injection"]["text"]
    assert data["run"] is None


def test_inject_prints_the_text_within_its_budget_and_knows_its_lines(run: Run) -> None:
    filled(run)
    data = run("inject", MESSAGE, "--budget", 150, "--layout", "budgeted", "--json").data
    assert 0 < data["tokens"] <= 150
    assert data["budget"] == 150
    for span in data["spans"]:
        assert span["id"].startswith("mem-")
        assert "\n" not in data["text"][span["start"] : span["end"]]
    plain = run("inject", MESSAGE, "--budget", 150, "--layout", "budgeted")
    assert plain.out.rstrip("\n") == data["text"]


def test_every_layout_can_be_printed(run: Run) -> None:
    filled(run)
    for layout in Layout:
        assert run("inject", MESSAGE, "--layout", layout.value).code == 0


def uses(run: Run) -> dict[str, int]:
    return {item["id"]: item["activation_count"] for item in run("list", "--json").data["items"]}


def test_only_commit_is_counted(run: Run) -> None:
    filled(run)
    before = uses(run)
    run("recall", MESSAGE)
    run("inject", MESSAGE)
    assert uses(run) == before
    kept = run("inject", MESSAGE, "--commit", "--json").data
    assert kept["run"] is not None
    assert sum(uses(run).values()) > sum(before.values())


def test_why_names_stage_and_remedy(run: Run) -> None:
    filled(run)
    ids = [item["id"] for item in run("list", "--json").data["items"]]
    chosen = {item["id"] for item in run("recall", MESSAGE, "--top-k", 1, "--json").data["selected"]}
    for id_ in [next(iter(chosen)), *(each for each in ids if each not in chosen)][:3]:
        data = run("why", id_, MESSAGE, "--top-k", 1, "--json").data
        assert data["id"] == id_
        assert data["selected"] == (id_ in chosen)
        assert data["stage"]
    assert run("why", ids[0], MESSAGE).out.strip()


def test_wrong_values_are_said_in_words(run: Run) -> None:
    filled(run)
    for arguments in (
        ["--core", "a"],
        ["--folder", "nowhere"],
        ["--set", "nothing=1"],
        ["--set", "top_k=many"],
        ["--set", "top_k"],
        ["--budget", "-1"],
        ["--top-k", "0"],
    ):
        wrong = run("recall", MESSAGE, *arguments)
        assert wrong.code == 1, arguments
        assert wrong.err.strip()
        assert not wrong.out
    assert run("recall", MESSAGE, "--recipe", "soup").code == 2
    assert run("why", "mem-nobody", MESSAGE).code == 1


def test_odd_messages_are_answered(run: Run) -> None:
    filled(run)
    for message in ("", "？！…", "😀", "灯塔" * 50_000):
        assert run("recall", message, "--json").code == 0


def test_tags_and_settings_reach_the_recipe(run: Run, library: Path) -> None:
    filled(run)
    data = run(
        "recall", MESSAGE, "--recipe", "booku", "--core", "灯塔,海", "--diffusion", "港口", "--opposing", "山",
        "--set", "base_beta=0.5", "--json",
    ).data  # fmt: skip
    assert data["resonance"] is True
    assert data["beta"] >= 0.5
    assert library.exists()
