"""What belongs to a memory: everything about its name, what a rename leaves behind, what is related to it."""

from __future__ import annotations

from app.tour.desk_steps import Step
from app.tour.stage import Stage
from core.domain.commands import EditMemory
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import ListMemories, MemoryDetailOf, MemoryFilter
from core.domain.queries_related import RelatedMemories
from core.domain.queries_sayings import EverythingAbout, OldTextsOf
from ui.dialogs.select_related import SelectRelatedDialog
from ui.views.about.page import LISTED, AboutPage

NEW_NAME = "A new name 新名字"


def everything(stage: Stage) -> None:
    """The character that most memories name: its events, relations, and who names it."""
    characters = stage.ask(ListMemories(MemoryFilter(types=frozenset({TypeId("character")}))))
    counts = {pk: stage.ask(EverythingAbout(memory=MemoryPk(pk))).mentions.total for pk in characters}
    named = MemoryPk(max(counts, key=lambda pk: counts[pk]))
    stage.notes["named"] = named
    stage.session.memories.go_to((named,))
    stage.until(lambda: stage.session.detail.memory == named, "the detail view")
    stage.act("memory.about")
    page = stage.session.page("about")
    assert isinstance(page, AboutPage)
    found = stage.ask(EverythingAbout(memory=named, limit=LISTED))
    naming, events = len(found.mentions.rows), len(found.events.rows)
    stage.until(lambda: page.naming.topLevelItemCount() == naming, "memories that name it")
    stage.expect(page.happened.topLevelItemCount(), events, "events in the list")


def renamed(stage: Stage) -> None:
    """After a rename the memory says who still uses the old name; undo takes the rename and the strip away."""
    pk = _named(stage)
    strip, title = stage.session.detail.old_texts, stage.ask(MemoryDetailOf(pk)).memory.title
    stage.session.show_page("memories")
    stage.session.memories.go_to((pk,))
    stage.engine.run(EditMemory(memory=pk, title=NEW_NAME))
    stage.until(lambda: bool(strip.found.named), "who still says the old name")
    stage.expect(strip.found.named, stage.ask(OldTextsOf(pk)).named, "memories with the old name")
    stage.expect(strip.found.old_titles, (title,), "the old name")


def taken_back(stage: Stage) -> None:
    """Undo the rename."""
    strip = stage.session.detail.old_texts
    stage.act("edit.undo")
    stage.until(lambda: not strip.isVisible(), "the strip to go")
    stage.expect(stage.ask(MemoryDetailOf(_named(stage))).memory.title != NEW_NAME, True, "the old title")


def related(stage: Stage) -> None:
    """Count what is related to it, and add that to the selection."""
    pk, memories = _named(stage), stage.session.memories
    memories.go_to((pk,))
    stage.until(lambda: memories.selected() == (pk,), "the memory to be selected")
    stage.act("memory.select_related")
    dialog = stage.dialog(SelectRelatedDialog)
    stage.until(dialog.main_button.isEnabled, "the count")
    stage.expect(set(dialog.found), set(stage.ask(RelatedMemories(memories=(pk,)))), "what is related")


def selected(stage: Stage) -> None:
    """They are selected together."""
    dialog = stage.dialog(SelectRelatedDialog)
    wanted = {_named(stage), *dialog.found}
    stage.click(dialog.main_button)
    stage.no_dialog()
    stage.until(lambda: set(stage.session.memories.selected()) == wanted, "the selection")


def one_again(stage: Stage) -> None:
    """Back to the one memory."""
    pk, memories = _named(stage), stage.session.memories
    memories.go_to((pk,))
    stage.until(lambda: memories.selected() == (pk,), "the memory to be selected")


def _named(stage: Stage) -> MemoryPk:
    pk = stage.notes["named"]
    assert isinstance(pk, int)
    return MemoryPk(pk)


STEPS: tuple[tuple[str, Step], ...] = (
    ("12d-everything-about", everything),
    ("12e-old-name", renamed),
    ("12f-old-name-taken-back", taken_back),
    ("12g-select-related", related),
    ("12h-related-selected", selected),
    ("12i-one-again", one_again),
)
