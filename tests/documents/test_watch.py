"""Watched folders: what changes there comes in, what went is told, and the thread ends with the library."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain import queries_documents as qd
from core.domain import queries_history as qy
from core.domain.commands_documents import DeleteDocuments
from core.domain.document import CutSettings, Cutting, DocumentRow
from core.domain.enums import ActorKind
from core.domain.errors import Invalid
from core.domain.queries_packages import ExportLibrary
from core.domain.queries_watching import ForgetGone, SetWatched, Watching
from core.domain.transfer import Format
from core.domain.watching import WatchedFolder
from core.services.ingest import watch
from core.settings import Settings

PATIENCE_S = 20.0
Open = Callable[[], Library]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    return made


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the library as a window does; closes it at the end."""
    monkeypatch.setattr(watch, "SETTLED_S", 0.2)
    monkeypatch.setattr(watch, "LOOK_AGAIN_S", 0.3)
    settings = Settings()
    settings.set("embedder", "none")
    made: list[Library] = []

    def make() -> Library:
        for each in made:
            each.close()
        made.append(open_library(tmp_path / "library", person(), settings, create=True, keep=True))
        made[-1].keep_watched()
        return made[-1]

    yield make
    for each in made:
        each.close()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def documents(library: Library) -> dict[str, DocumentRow]:
    return {Path(row.path).name: row for row in library.engine.ask(qd.Documents()) if row.pieces}


def write(path: Path, text: str) -> Path:
    """A file that nobody has touched for a while."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    past = time.time() - 60
    os.utime(path, (past, past))
    return path


def set_watched(library: Library, *folders: WatchedFolder) -> None:
    library.engine.ask(SetWatched(folders))


def test_files_come_in_changed_ones_as_new_versions(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "# One\n\nfirst")
    set_watched(library, WatchedFolder(path=notes, folder="shelf"))
    until(lambda: "a.md" in documents(library))
    (notes / "below").mkdir()
    (notes / "below" / "b.txt").write_text("second", "utf-8")
    until(lambda: "b.txt" in documents(library))
    (notes / "a.md").write_text("# One\n\nfirst, and more", "utf-8")
    until(lambda: documents(library)["a.md"].version == 2)
    assert {row.folder_name for row in documents(library).values()} == {"shelf"}


def test_changes_are_those_of_a_program_and_the_window_hears_of_them(opened: Open, notes: Path) -> None:
    library = opened()
    heard: list[bool] = []
    library.engine.subscribe(lambda changes: heard.append(changes.foreign))
    write(notes / "a.md", "text")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: documents(library))
    until(lambda: heard)
    entry = library.engine.ask(qy.History())[0]
    assert (entry.op.actor.kind, entry.op.actor.name) == (ActorKind.PROGRAM, "watched folders")
    assert heard == [True]


def test_what_changed_while_nobody_watched_comes_in_and_nothing_twice(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    write(notes / "b.md", "two")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: len(documents(library)) == 2)
    last = library.engine.ask(qy.LastOpId())
    library.close()
    write(notes / "b.md", "two, changed")
    library = opened()
    until(lambda: documents(library)["b.md"].version == 2)
    assert library.engine.ask(qy.LastOpId()) == last + 1


def test_undone_file_does_not_come_back_by_itself(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: documents(library))
    library.engine.ask(Watching())
    library.engine.undo(library.engine.ask(qy.LastOpId()))
    write(notes / "b.md", "two")
    until(lambda: "b.md" in documents(library))
    assert "a.md" not in documents(library)


def test_file_that_went_is_told_and_its_document_stays(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    write(notes / "b.md", "two")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: len(documents(library)) == 2)
    (notes / "a.md").unlink()
    (notes / "b.md").rename(notes / "c.md")
    until(lambda: library.engine.ask(Watching()).gone)
    time.sleep(1.5)
    gone = library.engine.ask(Watching()).gone
    assert [Path(each.path).name for each in gone] == ["a.md"]
    assert documents(library).keys() == {"a.md", "c.md"}
    library.engine.run(DeleteDocuments(documents=(gone[0].document,)))
    assert library.engine.ask(ForgetGone((gone[0].document,))) == 1
    assert library.engine.ask(Watching()).gone == ()


def test_file_that_came_back_is_no_longer_gone(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: documents(library))
    (notes / "a.md").unlink()
    until(lambda: library.engine.ask(Watching()).gone)
    write(notes / "a.md", "one")
    until(lambda: not library.engine.ask(Watching()).gone)


def test_file_that_is_still_being_copied_is_waited_for(opened: Open, notes: Path) -> None:
    library = opened()
    set_watched(library, WatchedFolder(path=notes))
    with (notes / "big.txt").open("w", encoding="utf-8") as file:
        for number in range(12):
            file.write(f"line {number}\n")
            file.flush()
            time.sleep(0.1)
            assert not documents(library)
    until(lambda: documents(library))
    assert documents(library)["big.txt"].version == 1


def test_hidden_ignored_and_foreign_files_stay_out(opened: Open, notes: Path) -> None:
    library = opened()
    library.engine.ask(ExportLibrary(notes / "exported", Format.MARKDOWN))
    for name in (".hidden.md", ".git/x.md", "~$lock.md", "draft.tmp.md", "drafts/x.md", "deep/drafts/y.md"):
        write(notes / name, name)
    (notes / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    memory = f'---\nid: "mem-{"a" * 32}"\ntype: rule\n---\nnot a document\n'
    write(notes / "memory.md", memory)
    write(notes / "good.md", "good")
    set_watched(library, WatchedFolder(path=notes, ignore=("*.tmp.md", "drafts/")))
    until(lambda: documents(library))
    time.sleep(0.3)
    assert set(documents(library)) == {"good.md"}
    assert {row.file.path.name for row in library.engine.ask(qd.QueueRows())} == {"good.md"}


def test_loop_of_links_ends(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a" / "one.md", "one")
    (notes / "a" / "loop").symlink_to(notes)
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: documents(library))
    write(notes / "a" / "two.md", "two")
    until(lambda: set(documents(library)) == {"one.md", "two.md"})


def test_missing_directory_is_said_and_watched_when_it_comes(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    set_watched(library, WatchedFolder(path=notes, settings=CutSettings(cutting=Cutting.COMPAT)))
    until(lambda: documents(library))
    library.close()
    away = notes.rename(notes.with_name("away"))
    library = opened()
    until(lambda: library.engine.ask(Watching()).missing == {notes})
    assert library.engine.ask(Watching()).gone == ()
    away.rename(notes)
    write(notes / "b.md", "two")
    until(lambda: "b.md" in documents(library))
    assert library.engine.ask(Watching()).folders[0].settings.cutting is Cutting.COMPAT


def test_folder_taken_off_the_list_is_left_in_peace(opened: Open, notes: Path) -> None:
    library = opened()
    write(notes / "a.md", "one")
    set_watched(library, WatchedFolder(path=notes))
    until(lambda: documents(library))
    set_watched(library)
    write(notes / "b.md", "two")
    time.sleep(1.2)
    assert set(documents(library)) == {"a.md"}


def test_odd_folders_are_refused(opened: Open, notes: Path, tmp_path: Path) -> None:
    library = opened()
    (notes / "below").mkdir()
    for paths, key in (
        ((tmp_path / "nowhere",), "error.watch.no_directory"),
        ((library.files.root,), "error.watch.library"),
        ((notes, notes / "below"), "error.watch.inside"),
        ((notes, notes), "error.watch.inside"),
    ):
        with pytest.raises(Invalid) as caught:
            set_watched(library, *(WatchedFolder(path=path) for path in paths))
        assert caught.value.key == key
    assert library.engine.ask(Watching()).folders == ()


def test_thread_ends_with_the_library(opened: Open, notes: Path) -> None:
    library = opened()
    set_watched(library, WatchedFolder(path=notes))
    assert library.engine.ask(Watching()).live
    names = {thread.name for thread in threading.enumerate()}
    assert "folder-watch" in names
    begin = time.monotonic()
    library.close()
    assert time.monotonic() - begin < 2.5
    assert "folder-watch" not in {thread.name for thread in threading.enumerate()}
