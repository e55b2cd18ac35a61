"""The Recall page on the real engine: what a person asks, sees and can do."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from core.domain.commands import EditMemory, TrashMemories
from core.domain.enums import Role, TagKind
from core.domain.errors import Unavailable
from core.domain.ids import MemoryPk
from core.domain.queries import Memories, MemoryDetailOf, MessagesOf
from core.domain.queries_recall import LastInjection, Recall, RecallRuns
from core.domain.recall import RecallMode, Remedy, Scope
from tests.ui.recall.conftest import HARBOUR, Shown
from ui.actions import Reach
from ui.models.recall_results import RowKind
from ui.models.recall_view import SHOWN_CORE

QUESTION = "怀表和铜片"


def test_numbers_of_a_memory_are_shown_whole(shown: Shown) -> None:
    results = shown.page.body.results
    results.setCurrentIndex(results.results.index(2, 0))
    shown.settle()
    area = shown.page.body.card.area
    body = area.widget()
    assert body is not None
    assert body.minimumSizeHint().width() <= area.viewport().width()


def test_first_look_asks_the_last_message_of_the_chat_and_touches_nothing(shown: Shown) -> None:
    request = shown.page.body.request
    messages = shown.library.engine.ask(MessagesOf(shown.folder))
    newest = [message for message in messages if message.role is Role.USER and not message.hidden][-1]
    assert request.folder.currentText() == HARBOUR
    assert request.message.text() == newest.text
    assert request.recent.text()
    assert request.recipe_id == "blend"
    assert not any(fold.is_open for fold in request.folds.values()), "a newcomer sees the plain fields first"
    assert shown.recalled()
    before = shown.store()
    shown.ask(QUESTION)
    request.settings.rows["graph_weight"]._take(1.5)
    shown.settle()
    assert shown.store() == before
    assert {query.request.mode for query in shown.engine.asked if isinstance(query, Recall)} == {
        RecallMode.PREVIEW
    }


def test_shown_result_is_what_the_engine_says(shown: Shown) -> None:
    shown.ask(QUESTION)
    request = shown.page.body.request.request()
    result = shown.library.engine.ask(Recall(request))
    assert shown.recalled() == [each.pk for each in result.selected]
    assert [row.pk for row in shown.rows(RowKind.LEFT_OUT)] == [each.pk for each in result.left_out]
    assert [row.pk for row in shown.rows(RowKind.CORE)] == list(result.core[:SHOWN_CORE])
    assert shown.page.body.injection.text.text() == result.injection.text
    assert str(len(result.selected)) in shown.page.body.header.title.text()


def test_rows_name_stage_path_and_parts(shown: Shown) -> None:
    shown.ask(QUESTION)
    model = shown.page.body.results.results
    texts = [
        str(model.data(model.index(at), Qt.ItemDataRole.AccessibleTextRole)) for at in range(model.rowCount())
    ]
    said = "\n".join(texts)
    assert "By words" in said
    assert "Words 0." in said
    assert "via" in said
    assert "→" in said
    assert "Number of memories: place" in said or "The scene is full" in said
    view = shown.page.view
    assert view is not None
    there = [row for row in shown.rows(RowKind.LEFT_OUT) if row.pk in view.in_text]
    assert there, "some that did not win a place are always injected"
    assert all(
        "In the text all the same"
        in str(model.data(model.index_of(row.pk), Qt.ItemDataRole.AccessibleTextRole))
        for row in there
        if row.pk is not None
    )
    shown.page.ask_why(next(row.pk for row in there if row.pk is not None))
    shown.settle()
    results = shown.page.body.results
    asked = results.results.row(results.results.index(1))
    assert asked is not None
    assert asked.kind is RowKind.ASKED
    assert results.remedy_of(asked) == "", "nothing is to be done"


def test_moving_a_slider_ranks_again_and_overtaken_answers_are_dropped(shown: Shown) -> None:
    shown.ask(QUESTION)
    row = shown.page.body.request.settings.rows["graph_weight"]
    shown.engine.hold(Recall)
    for value in (0.5, 1.0):
        row._take(value)
        asked = len(shown.engine.asked)
        shown.until(lambda seen=asked: len(shown.engine.asked) > seen)  # type: ignore[misc]
    row._take(2.0)
    shown.until(lambda: bool(shown.page.body.results.dimmed))
    assert shown.recalled(), "the old result stays, dimmed"
    shown.engine.release(Recall)
    shown.settle()
    assert not shown.page.body.results.dimmed
    assert shown.page.view is not None
    assert shown.page.view.result.request.settings == {"graph_weight": 2.0}


def test_slider_number_and_reset_are_one_value(shown: Shown) -> None:
    row = shown.page.body.request.settings.rows["graph_weight"]
    assert row._slider is not None
    assert row._spin is not None
    row._slider.setValue(100)
    assert row.value == 2.0
    assert row._spin.value() == 2.0
    row._spin.setValue(0.5)
    assert row._slider.value() == 25
    assert shown.page.body.request.request().settings == {"graph_weight": 0.5}
    assert row.reset_button.isVisibleTo(row)
    row.reset_button.click()
    assert row.value is None
    assert shown.page.body.request.request().settings == {}


def test_every_setting_has_a_control_with_range_and_experimental_ones_are_marked(shown: Shown) -> None:
    request = shown.page.body.request
    recipe = request.recipe_record
    assert recipe is not None
    own = set(request.settings.rows) | set(request.limits.rows) | {"include_archived", "include_knowledge"}
    assert {setting.key for setting in recipe.settings} <= own
    for key, row in request.settings.rows.items():
        assert row.field.accessibleName(), key
        marks = [label for label in row.findChildren(QLabel) if label.property("role") == "mark"]
        assert bool(marks) is row.setting.experimental, key


def test_another_recipe_shows_its_settings_and_measures(shown: Shown) -> None:
    request = shown.page.body.request
    request.recipe.setCurrentIndex(request.recipe.findData("booku"))
    shown.settle()
    assert "base_beta" in request.settings.rows
    assert "graph_weight" not in request.settings.rows
    assert shown.page.view is not None
    assert shown.page.view.result.request.recipe == "booku"


def test_failed_recall_keeps_the_old_result_and_says_why(shown: Shown) -> None:
    shown.ask(QUESTION)
    before = shown.recalled()
    shown.engine.fail[Recall] = Unavailable("store", "gone")
    shown.ask("钟楼")
    stack = shown.page.body.stack
    assert shown.recalled() == before
    assert stack.shows == "content"
    assert "result before" in stack._strip._label.text()
    shown.engine.fail.clear()
    stack._strip._button.click()
    shown.settle()
    assert stack._strip.isHidden()
    assert shown.recalled() != before


def test_change_of_the_library_shows_by_itself(shown: Shown) -> None:
    shown.ask(QUESTION)
    first = shown.recalled()[0]
    shown.library.engine.run(TrashMemories(memories=(first,)))
    shown.until(lambda: first not in shown.recalled())


def test_out_of_sight_nothing_is_asked_and_on_return_the_newest_is_shown(shown: Shown) -> None:
    shown.ask(QUESTION)
    first = shown.recalled()[0]
    shown.page.hide()
    asked = len([query for query in shown.engine.asked if isinstance(query, Recall)])
    shown.library.engine.run(TrashMemories(memories=(first,)))
    shown.qtbot.wait(700)
    assert len([query for query in shown.engine.asked if isinstance(query, Recall)]) == asked
    shown.page.show()
    shown.until(lambda: first not in shown.recalled())


# --- commit -------------------------------------------------------------------------------


def test_commit_is_off_at_first_and_counts_only_by_its_button(shown: Shown) -> None:
    shown.ask(QUESTION)
    request = shown.page.body.request
    assert not request.commit.isChecked()
    request.run_button.click()
    shown.settle()
    assert shown.library.engine.ask(RecallRuns()) == ()
    chosen = shown.recalled()
    before = {
        memory.pk: memory.activation_count for memory in shown.library.engine.ask(Memories(tuple(chosen)))
    }
    request.commit.setChecked(True)
    request.settings.rows["recency"]._take(0.0)
    shown.settle()
    assert shown.library.engine.ask(RecallRuns()) == (), "a slider never counts"
    request.settings.rows["recency"].reset()
    shown.settle()
    request.run_button.click()
    shown.until(lambda: len(shown.library.engine.ask(RecallRuns())) == 1)
    shown.settle()
    run = shown.library.engine.ask(RecallRuns())[0]
    after = {
        memory.pk: memory.activation_count for memory in shown.library.engine.ask(Memories(tuple(chosen)))
    }
    assert set(run.selected) == set(chosen)
    assert all(after[pk] == before[pk] + 1 for pk in chosen)
    assert any("Counted" in text for text in shown.said)


def test_last_injection_and_past_runs_are_exactly_what_was_handed_out(shown: Shown) -> None:
    shown.ask(QUESTION)
    request = shown.page.body.request.request()
    result = shown.library.engine.ask(Recall(replace(request, mode=RecallMode.COMMIT, caller="cli")))
    shown.page._show_last()
    shown.settle()
    runs = shown.page.body.runs
    assert runs.text.text() == result.injection.text
    last = shown.library.engine.ask(LastInjection(shown.folder))
    assert last is not None
    assert last.injection == runs.text.text()
    runs.refresh()
    shown.settle()
    runs.table.selectRow(0)
    assert "command line" in runs.said.text()
    shown.ask("钟楼")
    runs.again_button.click()
    shown.settle()
    assert shown.page.body.request.message.text() == QUESTION


# --- why not --------------------------------------------------------------------------------


def test_remedy_of_a_left_out_memory_brings_it_in_by_mouse(shown: Shown) -> None:
    shown.ask(QUESTION)
    row = shown.beyond_the_limit()
    assert row.pk is not None
    results = shown.page.body.results
    shown.page.live.tell((row.pk,))
    shown.settle()
    index = results.results.index_of(row.pk)
    answered = results.results.row(index)
    assert answered is not None
    assert answered.answer is not None
    assert answered.answer.remedy is Remedy.RAISE_TOP_K
    text = results.remedy_of(answered)
    assert text
    results.scrollTo(index)
    area = results._delegate.button_rect(results.visualRect(index), text)
    QTest.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    shown.settle()
    assert row.pk in shown.recalled()
    assert shown.page.body.request.request().top_k == int(float(str(answered.answer.value)))


def test_left_out_rows_in_sight_learn_their_remedy_by_themselves(shown: Shown) -> None:
    shown.ask(QUESTION)
    results = shown.page.body.results
    row = shown.rows(RowKind.LEFT_OUT)[0]
    assert row.pk is not None
    results.scrollTo(results.results.index_of(row.pk))
    shown.settle()
    shown.until(lambda: shown.rows(RowKind.LEFT_OUT)[0].answer is not None)


def test_remedy_works_by_keyboard(shown: Shown) -> None:
    shown.ask(QUESTION)
    row = shown.beyond_the_limit()
    assert row.pk is not None
    results = shown.page.body.results
    shown.page.live.tell((row.pk,))
    shown.settle()
    results.select(row.pk)
    results.setFocus()
    QTest.keyClick(results, Qt.Key.Key_Return)
    shown.settle()
    assert row.pk in shown.recalled()


@pytest.mark.qt_log_ignore("^This plugin does not support")
@pytest.mark.parametrize("mouse", [True, False])
def test_why_not_by_search_names_the_stage_and_widens_the_scope(shown: Shown, mouse: bool) -> None:
    shown.ask("Marlow 的温室里种了什么")
    why = shown.page.body.why
    why.start()
    QTest.keyClicks(why.field, "Marlow")
    shown.until(lambda: bool(why.suggestions))
    wanted = why.suggestions[0]
    if mouse:
        first = why.completer.completionModel().index(0, 0)
        at = why.popup.visualRect(first).center()
        QTest.mouseClick(why.popup.viewport(), Qt.MouseButton.LeftButton, pos=at)
    else:
        QTest.keyClick(why.popup, Qt.Key.Key_Down)
        QTest.keyClick(why.popup, Qt.Key.Key_Return)
    shown.until(lambda: shown.page.body.results.results.asked_about == wanted)
    shown.settle()
    row = shown.rows(RowKind.ASKED)[0]
    assert row.recalled is not None
    card = shown.page.body.card
    assert card.isVisible()
    if row.answer is not None and row.answer.remedy is not None:
        card.remedy.click()
        shown.settle()
        assert wanted in shown.recalled()
        assert shown.page.body.request.request().scope is Scope.CHOSEN
    why.field.clear()
    shown.until(lambda: shown.page.body.results.results.asked_about is None)


def test_trashed_memory_is_restored_by_its_remedy(shown: Shown) -> None:
    shown.ask(QUESTION)
    pk = shown.recalled()[0]
    shown.library.engine.run(TrashMemories(memories=(pk,)))
    shown.until(lambda: pk not in shown.recalled())
    shown.settle()
    shown.page.ask_why(pk)
    shown.until(lambda: shown.page.body.results.results.asked_about == pk)
    shown.page.body.card.remedy.click()
    shown.until(lambda: pk in shown.recalled())


def test_alias_is_added_by_its_remedy(shown: Shown) -> None:
    shown.ask(QUESTION)
    pk = shown.recalled()[0]
    shown.page.memory.add_alias(pk, "铜片儿")
    shown.settle()
    assert "铜片儿" in shown.library.engine.ask(MemoryDetailOf(pk)).aliases


# --- the text -----------------------------------------------------------------------------


def test_click_on_a_line_selects_its_memory_and_hovering_lights_lines(shown: Shown) -> None:
    shown.ask(QUESTION)
    text, results = shown.page.body.injection.text, shown.page.body.results
    assert shown.page.view is not None
    injection = shown.page.view.result.injection
    span = next(span for span in injection.spans if span.memory in shown.recalled())
    cursor = QTextCursor(text.document())
    cursor.setPosition(text._places.in_document(span.start + 2))
    text.setTextCursor(cursor)
    text.ensureCursorVisible()
    at = text.cursorRect().center() + QPoint(2, 0)
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert results.current_memory == span.memory
    other = next(pk for pk in shown.recalled() if pk != span.memory and text._spans.of(pk))
    results.hovered.emit(other)
    lit = text.lit_text
    wanted = text._spans.of(other)[0]
    assert injection.text[wanted.start : wanted.end].split("\n")[0] in lit.replace("\u2029", "\n")


def test_selected_text_is_traced_to_its_memories(shown: Shown) -> None:
    shown.ask(QUESTION)
    injection = shown.page.body.injection
    assert shown.page.view is not None
    spans = sorted(shown.page.view.result.injection.spans, key=lambda span: span.start)[:2]
    cursor = QTextCursor(injection.text.document())
    cursor.setPosition(injection.text._places.in_document(spans[0].start))
    cursor.setPosition(injection.text._places.in_document(spans[1].end), QTextCursor.MoveMode.KeepAnchor)
    injection.text.setTextCursor(cursor)
    assert set(injection.text.selected_memories()) >= {span.memory for span in spans}
    injection.origin_button.click()
    assert injection.origin_area.isVisible()
    cursor.setPosition(0)
    injection.text.setTextCursor(cursor)
    assert not injection.origin_area.isVisible()


def test_copy_is_the_exact_text(shown: Shown) -> None:
    shown.ask(QUESTION)
    shown.page.body.injection.copy_button.click()
    assert shown.page.view is not None
    assert QApplication.clipboard().text() == shown.page.view.result.injection.text


def test_sections_add_up_and_are_said(shown: Shown) -> None:
    shown.ask(QUESTION)
    bars = shown.page.body.injection.bars
    assert bars.sections
    for section in bars.sections:
        assert bars.name(section) in bars.accessibleDescription()
    for at, section in enumerate(bars.sections):
        row = bars.sizeHint().height() // len(bars.sections)
        QTest.mouseMove(bars, QPoint(8, at * row + row // 2))
        shown.settle()
        assert bars.toolTip().startswith(bars.name(section))


def test_small_budget_marks_what_did_not_fit(shown: Shown) -> None:
    shown.ask(QUESTION)
    shown.page.show_request(replace(shown.page.body.request.request(), budget_tokens=120))
    shown.settle()
    assert "of 120 tokens" in shown.page.body.injection.total.text()
    assert "did not fit" in shown.page.body.injection.bars.accessibleDescription()


# --- A and B ------------------------------------------------------------------------------


def test_pinned_run_is_compared_by_list_and_words(shown: Shown) -> None:
    shown.ask(QUESTION)
    shown.page.pin()
    before = shown.recalled()
    shown.page.body.tabs.setCurrentWidget(shown.page.body.compare)
    shown.page.show_request(replace(shown.page.body.request.request(), top_k=3))
    shown.settle()
    compare = shown.page.body.compare
    after = shown.recalled()
    assert compare.table.rowCount() == len(set(before) | set(after))
    marks = [compare.table.item(row, 0) for row in range(compare.table.rowCount())]
    assert {mark.toolTip() for mark in marks if mark is not None} >= {"gone in B"}
    assert "Memories 3" in compare.names.text()
    assert compare.text.toPlainText()


# --- the request --------------------------------------------------------------------------


def test_query_tags_count_only_when_all_three_groups_are_filled(shown: Shown) -> None:
    tags = shown.page.body.request.tags
    tags.editors[TagKind.CORE].set_values(("怀表",))
    tags.editors[TagKind.CORE].changed.emit()
    assert not shown.page.body.request.request().tags.has_triple
    assert "Still missing" in tags.said.text()
    for kind in (TagKind.DIFFUSION, TagKind.OPPOSING):
        tags.editors[kind].set_values(("铜片",))
    tags.editors[TagKind.CORE].changed.emit()
    assert shown.page.body.request.request().tags.core == ("怀表",)
    assert tags.said.isHidden()
    shown.settle()


def test_empty_selection_gives_its_reason_and_one_way_out(shown: Shown) -> None:
    shown.page.show_request(
        replace(shown.page.body.request.request(), message=QUESTION, scope=Scope.CHOSEN, chosen=frozenset())
    )
    shown.settle()
    strip = shown.page.body.stack._strip
    assert shown.recalled() == []
    assert not strip.isHidden()
    assert strip._button.text() == "Search the whole library"
    strip._button.click()
    shown.settle()
    assert shown.page.body.request.request().scope is Scope.LIBRARY
    assert shown.recalled()
    assert strip.isHidden()


def test_viewer_folder_and_floor_are_part_of_the_request(shown: Shown) -> None:
    where = shown.page.body.request.where
    assert shown.page.body.request.request().viewer is None
    where.viewer.setCurrentIndex(1)
    assert shown.page.body.request.request().viewer == ""
    where.viewer.setEditText("苏禾")
    assert shown.page.body.request.request().viewer == "苏禾"
    where.floor.check.setChecked(True)
    where.floor.spin.setValue(10)
    assert shown.page.body.request.request().as_of_seq == 10
    shown.settle()


def test_a_typed_message_stays_when_the_folder_changes(shown: Shown) -> None:
    request = shown.page.body.request
    shown.ask("my own question")
    request.folder.setCurrentIndex(request.folder.findText("chats/The Glass Orchard"))
    shown.settle()
    assert request.message.text() == "my own question"
    request.use_last.click()
    shown.settle()
    assert request.message.text() != "my own question"


def test_ctrl_return_recalls_from_the_message_field(shown: Shown) -> None:
    actions = shown.context.actions
    actions.update(library=True)
    actions.attach(shown.page, Reach.WINDOW)
    request = shown.page.body.request
    request.message.setFocus()
    asked = len(shown.engine.asked)
    shown.page.activateWindow()
    QTest.keyClick(request.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    shown.until(lambda: len(shown.engine.asked) > asked)
    shown.settle()
    assert "\n\n" not in request.message.text()


def test_ticks_stay_with_the_memory_when_the_list_changes(shown: Shown) -> None:
    shown.ask(QUESTION)
    results = shown.page.body.results
    results.select(shown.recalled()[0])
    results.setFocus()
    QTest.keyClick(results, Qt.Key.Key_Space)
    ticked = results.results.ticked
    assert ticked == (shown.recalled()[0],)
    shown.ask("钟楼")
    assert results.results.ticked == ticked


def test_other_language_keeps_request_result_and_pin(shown: Shown) -> None:
    shown.ask(QUESTION)
    shown.page.pin()
    before = shown.recalled()
    shown.context.tr.switch("zh_CN")
    shown.settle()
    assert shown.page.body.request.message.text() == QUESTION
    assert shown.recalled() == before
    assert shown.page.body.compare.pinned is not None
    assert shown.page.body.request.run_button.text() == "立即召回"
    assert shown.page.body.tabs.tabText(0) == "注入"


def test_recall_from_a_memory_uses_its_text_and_folder(shown: Shown) -> None:
    memory = shown.library.engine.ask(Memories((shown.recalled()[0],)))[0]
    shown.page.recall_from(memory.pk)
    shown.settle()
    shown.until(lambda: shown.page.body.request.message.text().startswith(memory.title or memory.body[:20]))
    assert shown.page.body.request.folder_pk == memory.folder
    assert memory.pk in shown.recalled()


def test_edited_text_is_shown_in_the_injection_at_once(shown: Shown) -> None:
    shown.ask(QUESTION)
    assert shown.page.view is not None
    core = {row.pk for row in shown.rows(RowKind.CORE)}
    shown_in_text = [span.memory for span in shown.page.view.result.injection.spans]
    pk = next(MemoryPk(pk) for pk in shown_in_text if pk not in core)
    memory = shown.library.engine.ask(Memories((pk,)))[0]
    shown.library.engine.run(EditMemory(memory=pk, body="全新的一句话。" + memory.body))
    shown.until(lambda: "全新的一句话" in shown.page.body.injection.text.text() or pk not in shown.recalled())
