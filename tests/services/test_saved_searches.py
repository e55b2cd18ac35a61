"""Saved searches: kept in canonical text, changed with undo, and true after renames."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.domain.commands_folders import MergeFolders, RenameFolder
from core.domain.commands_search import (
    ChangeSavedSearch,
    OrderSavedSearches,
    RemoveSavedSearches,
    RenameSavedSearch,
    SaveSearch,
)
from core.domain.enums import Layer, TagKind
from core.domain.errors import Invalid, NotFound
from core.domain.ids import TypeId
from core.domain.queries import MemoryFilter, TrashScope
from core.domain.queries_search import SavedSearches, SavedSearchNamed
from core.domain.schema_data import default_schema
from core.services.saved_searches import SavedCounts
from core.store import migrate
from core.store.database import Database
from core.store.library import LibraryFiles
from core.store.migrations import MIGRATIONS
from core.store.store import SqlStore
from tests.services.desk import Desk


def typed(text: str) -> MemoryFilter:
    return MemoryFilter(text=text, language=True)


def texts(desk: Desk) -> list[tuple[str, str]]:
    return [(each.name, each.text) for each in desk.ask(SavedSearches())]


def test_search_place_and_facets_are_kept_in_one_canonical_text(desk: Desk) -> None:
    folder = desk.folder("chats/night shift")
    desk.run(SaveSearch("  Late  bells ", typed("钟声 OR bell 类型：事件")))
    where = MemoryFilter(
        text="fog",
        folders=frozenset({folder}),
        types=frozenset({TypeId("event"), TypeId("rule")}),
        layers=frozenset({Layer.MEMORY}),
        tags=((TagKind.CORE, "sea"), (None, "old town")),
        trash=TrashScope.INSIDE,
    )
    desk.run(SaveSearch("Deep", where))
    assert texts(desk) == [
        ("Late bells", "钟声 OR bell type:event"),
        (
            "Deep",
            'fog folder:"chats/night shift" (type:event OR type:rule) layer:memory core:sea tag:"old town" is:trash',
        ),
    ]


def test_each_change_is_taken_back_and_made_again(desk: Desk) -> None:
    desk.folder("a")
    empty = desk.dump()
    desk.run(SaveSearch("one", typed("fog")))
    desk.run(SaveSearch("two", typed("bell")))
    one, two = (each.pk for each in desk.ask(SavedSearches()))
    desk.run(RenameSavedSearch(one, "first"))
    desk.run(ChangeSavedSearch(one, typed("fog -bell")))
    desk.run(OrderSavedSearches((two,)))
    assert texts(desk) == [("two", "bell"), ("first", "fog -bell")]
    desk.run(RemoveSavedSearches((one,)))
    full = desk.dump()
    for _ in range(6):
        desk.undo()
    assert desk.dump() == empty
    for _ in range(6):
        desk.redo()
    assert desk.dump() == full


def test_bad_names_and_empty_searches_are_refused(desk: Desk) -> None:
    desk.folder("a")
    desk.run(SaveSearch("Fog", typed("fog")))
    for name, where, key in (
        (" ", typed("bell"), "error.search.saved_name"),
        ("fOG", typed("bell"), "error.search.saved_name_taken"),
        ("all", typed(" "), "error.search.nothing_to_save"),
        ("odd", typed("type:nothing"), "error.search.value"),
    ):
        with pytest.raises(Invalid) as caught:
            desk.run(SaveSearch(name, where))
        assert caught.value.key == key
    assert desk.ask(SavedSearchNamed("FOG")).text == "fog"
    for unknown in (lambda: desk.ask(SavedSearchNamed("bell")), lambda: desk.run(RenameSavedSearch(99, "x"))):
        with pytest.raises(NotFound):
            unknown()


def test_renamed_and_merged_folders_are_followed(desk: Desk) -> None:
    tale, other = desk.folder("tale"), desk.folder("other")
    below = desk.folder("tale/night")
    for name, folder in (("one", tale), ("two", below), ("three", other)):
        desk.run(SaveSearch(name, MemoryFilter(text="-fog", folders=frozenset({folder}))))
    desk.run(RenameFolder(tale, "old tale"))
    assert [text for _, text in texts(desk)] == [
        '-fog folder:"old tale"',
        '-fog folder:"old tale/night"',
        "-fog folder:other",
    ]
    desk.run(MergeFolders(source=tale, target=other))
    assert [text for _, text in texts(desk)] == [
        "-fog folder:other",
        "-fog folder:other/night",
        "-fog folder:other",
    ]


def test_counts_leave_out_what_is_slow_or_wrong(desk: Desk) -> None:
    folder = desk.folder("tale")
    gone = desk.folder("gone")
    desk.memory(folder, body="The bell rings in the fog.")
    for name, text in (("fog", "fog"), ("regex", "/fog/"), ("meaning", "~fog"), ("folder", "folder:gone")):
        desk.run(SaveSearch(name, typed(text)))
    desk.run(RenameFolder(gone, "elsewhere"))
    first = desk.ask(SavedSearches())[0].pk
    counts = SavedCounts(desk.store).counts(None, None)  # type: ignore[arg-type]  # it holds nothing
    assert counts == {first: 1, first + 3: 0}


def test_library_of_the_version_before_gets_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = LibraryFiles(tmp_path / "library")
    files.root.mkdir()
    old = Database(files.database, None)
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "MIGRATIONS", MIGRATIONS[:6])
        migrate.migrate(old, default_schema(), datetime(2026, 1, 1, tzinfo=UTC), files.backups)
    old.dispose()
    with closing(sqlite3.connect(files.database)) as before:
        assert before.execute("PRAGMA user_version").fetchone() == (6,)
    store = SqlStore(files, default_schema())
    with store.read() as reader:
        assert len(reader.schema().types) == len(default_schema().types)
    store.close()
    with closing(sqlite3.connect(files.database)) as after:
        assert after.execute("SELECT count(*) FROM saved_search").fetchone() == (0,)
    assert len([*files.backups.iterdir()]) == 1
