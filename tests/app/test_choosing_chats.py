"""Of an export with several chats the command line takes those that are named."""

from pathlib import Path

from tests.app.conftest import Run

EXPORT = Path(__file__).parents[1] / "data" / "chats" / "telegram_all.json"


def test_only_named_chats_come_in_and_a_wrong_name_is_said(run: Run) -> None:
    wrong = run("import", EXPORT, "--only", "Nobody", "--json").data["files"][0]
    assert (wrong["imported"], wrong["error"]["key"]) == (False, "error.import.no_such_folder")
    assert "Telegram/Lin" in wrong["folders"]
    done = run("import", EXPORT, "--only", "Lin", "Telegram/Saved Messages", "--json").data["files"][0]
    assert (done["written"]["folders"], done["written"]["messages"]) == (2, 2)
