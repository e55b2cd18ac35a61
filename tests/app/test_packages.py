"""Packages, Markdown and mem0 on the command line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from app import cli
from tests.app.conftest import SMALL, Run


def test_library_goes_through_a_package_on_the_command_line(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", SMALL)
    package = tmp_path / "all.mcz"
    done = run("export", "--format", "mcz", "--to", package, "--json")
    assert (done.code, done.data["counts"]["memories"]) == (0, 15)
    checked = run("verify", package, "--json")
    assert (checked.code, checked.data["whole"], checked.data["scope"]) == (0, True, "library")
    assert "Whole" in run("verify", package).out

    other = str(tmp_path / "other")
    assert cli.main(["import", "--library", other, str(package), "--dry-run", "--json"]) == 0
    dry = json.loads(capsys.readouterr().out)["files"][0]
    assert (dry["format"], dry["counts"]["memories"], dry["imported"]) == ("mcz", 15, False)
    assert cli.main(["import", "--library", other, str(package), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["written"]["memories"] == 15


def test_damaged_package_is_named_and_ends_with_one(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    package, bad = tmp_path / "all.mcz", tmp_path / "bad.mcz"
    run("export", "--format", "mcz", "--to", package)
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"event", b"evend") if name == "memories.jsonl" else data)
    checked = run("verify", bad, "--json")
    assert (checked.code, checked.data["whole"]) == (1, False)
    assert checked.data["problems"][0]["key"] == "error.package.member"
    taken = run("import", bad, "--collision", "theirs", "--json")
    assert taken.code == 1
    assert taken.data["files"][0]["error"]["key"] == "error.package.member"


def test_edited_markdown_waits_for_a_word(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    notes = tmp_path / "notes"
    assert run("export", "--format", "markdown", "--to", notes).code == 0
    file = next(iter(sorted(notes.rglob("*.md"))))
    file.write_text(file.read_text("utf-8").rstrip() + "\nadded by hand\n", "utf-8")
    waits = run("import", notes, "--json").data["files"][0]
    assert (waits["needs_confirmation"], waits["imported"]) == (True, False)
    kept = run("import", notes, "--collision", "mine", "--json").data["files"][0]
    assert kept["op"] is None
    taken = run("import", notes, "--yes", "--json").data["files"][0]
    assert taken["written"]["replaced"] == 1
    assert "added by hand" in run("search", "added by hand", "--json").out


def test_one_folder_and_chosen_memories_go_out_for_mem0(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    folder = run("folders", "--json").data["items"][0]["name"]
    assert run("export", folder, "--format", "mem0", "--to", tmp_path / "folder.json").code == 0
    ids = [item["id"] for item in run("list", "--limit", "2", "--json").data["items"]]
    done = run("export", "--format", "mem0", "--to", tmp_path / "two.json", "--json", "--ids", *ids)
    assert done.data["counts"]["memories"] == 2
    assert len(json.loads((tmp_path / "two.json").read_text("utf-8"))) == 2
    refused = run("export", "--format", "stbme", "--to", tmp_path / "x.json")
    assert refused.code != 0


def test_directory_of_markdown_and_other_files_comes_in_whole(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "place"
    notes = place / "notes"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text(f'---\nid: "mem-{"a" * 32}"\ntype: rule\n---\nTea at five.\n', "utf-8")
    (place / "graph.json").write_bytes(SMALL.read_bytes())
    (place / "cut.mcz").write_bytes(b"PK\x03\x04")
    files = {Path(file["file"]).name: file for file in run("import", place, "--json").data["files"]}
    assert (files["place"]["format"], files["place"]["written"]["memories"]) == ("markdown", 1)
    assert files["graph.json"]["written"]["memories"] == 15
    assert files["cut.mcz"]["error"]["key"] == "error.package.damaged"
