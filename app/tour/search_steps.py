"""The search field: suggestions, what is related to the hits, and a search that is kept."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.tour.desk_steps import SEARCHED, Step
from app.tour.stage import Stage
from core.domain.queries import ListMemories, MemoryFilter
from core.domain.queries_search import SavedSearches
from ui.dialogs.saved_search import SaveSearchDialog
from ui.models.scope import Part, Scope

NAME = "Watches 怀表"


def suggestions(stage: Stage) -> None:
    """Behind a key the library's values are offered."""
    stage.session.show_page("memories")
    field, completion = stage.window.top.search, stage.session.completion
    assert completion is not None
    field.clear()
    stage.type_into(field, "type:ch")
    stage.until(lambda: completion.open, "the suggestions")
    stage.expect([row.insert for row in completion.list.rows][:1], ["character"], "first suggestion")


def kept(stage: Stage) -> None:
    """Tab takes it; what is related is listed too; the search is kept under a name and runs by a click."""
    memories, field = stage.session.memories, stage.window.top.search
    QTest.keyClick(field, Qt.Key.Key_Tab)
    stage.type_into(field, SEARCHED)
    text = f"type:character {SEARCHED}"
    stage.expect(field.text(), text, "text of the search")
    stage.act("view.related")
    hits = len(stage.ask(ListMemories(MemoryFilter(text=text, language=True))))
    stage.until(lambda: memories.model.hits.found == hits and memories.model.related > 0, "what is related")
    stage.act("search.save")
    dialog = stage.dialog(SaveSearchDialog)
    dialog.name.setText(NAME)
    stage.click(dialog.main_button)
    stage.no_dialog()
    saved = stage.ask(SavedSearches())
    stage.expect([(each.name, each.text) for each in saved], [(NAME, text)], "saved searches")
    stage.until(lambda: bool(memories.tree.saved), "the saved search in the sidebar")
    memories.tree.choose(Scope(Part.SAVED, search=saved[0].pk))
    stage.until(lambda: memories.model.hits.found == hits, "the hits of the saved search")
    stage.expect(field.text(), text, "text of the saved search")


def cleared(stage: Stage) -> None:
    """The whole list again, and nothing that is only related."""
    stage.act("view.related")
    stage.act("view.clear_filters")
    everything = len(stage.ask(ListMemories()))
    stage.until(lambda: stage.session.memories.model.rowCount() == everything, "the whole list")


STEPS: tuple[tuple[str, Step], ...] = (
    ("12a-suggestions", suggestions),
    ("12b-saved-search", kept),
    ("12c-cleared", cleared),
)
