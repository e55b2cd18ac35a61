"""Extraction from the page Chats: what waits, a proposal, going on after a failure; settings and prompts."""

from collections.abc import Sequence
from threading import Event
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.domain.commands_proposals import ApplyProposal
from core.domain.errors import Unavailable
from core.domain.folder_settings import BY_KEY, profile
from core.domain.proposal import NAMES_GROUP, PartGroup, ProposalState
from core.domain.queries import Counts
from core.domain.queries_extract import FolderValuesOf, Prompts, PromptTask, Reach
from core.domain.queries_proposals import ProposalOf
from core.ports.language_model import ChatMessage
from tests.fakes.model import ScriptedModel
from tests.ui.chats.conftest import ChatDesk
from ui.dialogs.folder_settings import FolderSettingsDialog
from ui.dialogs.prompts import PromptsDialog
from ui.drafts import drafts_of
from ui.views.chats.page import ChatsPage
from ui.views.proposal.words import group_title
from ui.views.transfer_words import problem_text

LEFT = Qt.MouseButton.LeftButton
STORY = ["失踪案与钟楼有关吗？", "艾琳在钟楼的地板下发现了一道暗门。", "打开它。", "门后是潮湿的石阶。"]


def event(summary: str) -> dict[str, Any]:
    return {
        "thought": "",
        "operations": [
            {"action": "create", "type": "event", "fields": {"summary": summary, "participants": "艾琳"}}
        ],
    }


def page_of(desk: ChatDesk) -> ChatsPage:
    page = ChatsPage(desk.context, desk.operations)
    desk.show(page)
    return page


def test_bar_says_what_waits_and_without_a_model_names_the_built_in(chat_desk: ChatDesk) -> None:
    chat_desk.chat(STORY)
    page = page_of(chat_desk)
    chat_desk.until(lambda: page.extract.said.text().startswith("2 batches wait"))
    assert "built-in" in page.extract.said.text()


def test_all_that_waits_becomes_one_proposal_beside_its_floors(chat_desk: ChatDesk) -> None:
    folder = chat_desk.chat(STORY)
    chat_desk.library.extracting.instead = ScriptedModel([event("艾琳发现暗门。"), event("他们走下石阶。")])
    page = page_of(chat_desk)
    shown: list[int] = []
    page.open_proposal.connect(shown.append)
    before = chat_desk.library.engine.ask(Counts()).memories
    page.extract.ways[Reach.ALL].trigger()
    chat_desk.until(lambda: bool(shown))
    engine = chat_desk.library.engine
    view = engine.ask(ProposalOf(shown[0]))
    assert view.proposal.state is ProposalState.OPEN
    assert engine.ask(Counts()).memories == before
    page.refresh()
    chat_desk.settle()
    page.list.go_to(3)
    chat_desk.settle()
    chat_desk.until(lambda: page.card.proposal_button.isVisibleTo(page.card))
    QTest.mouseClick(page.card.proposal_button, LEFT)
    assert shown == [view.proposal.pk, view.proposal.pk]
    engine.run(ApplyProposal(proposal=shown[0]))
    chat_desk.until(lambda: page.list.pointer == 3)
    assert chat_desk.folder(folder).last_processed_seq == 3
    engine.undo()
    chat_desk.until(lambda: page.list.pointer == -1)
    assert engine.ask(ProposalOf(shown[0])).proposal.state is ProposalState.OPEN


def test_selected_floors_alone_are_read(chat_desk: ChatDesk) -> None:
    chat_desk.chat(STORY)
    model = ScriptedModel([event("他们走下石阶。")])
    chat_desk.library.extracting.instead = model
    page = page_of(chat_desk)
    shown: list[int] = []
    page.open_proposal.connect(shown.append)
    page.list.go_to(3)
    page.extract.run(Reach.RANGE)
    chat_desk.until(lambda: bool(shown))
    assert len(model.asked) == 1
    assert STORY[3] in model.asked[0][-1].text


def test_model_that_goes_away_leaves_what_is_done_and_the_rest_can_go_on(chat_desk: ChatDesk) -> None:
    chat_desk.chat(STORY)
    gone = Unavailable("model", "connection refused")
    model = ScriptedModel([event("艾琳发现暗门。"), gone, event("他们走下石阶。")])
    chat_desk.library.extracting.instead = model
    page = page_of(chat_desk)
    shown: list[int] = []
    page.open_proposal.connect(shown.append)
    page.extract.run(Reach.ALL)
    chat_desk.until(lambda: page.extract.halted is not None)
    assert page.extract.resume_button.isVisibleTo(page.extract)
    QTest.mouseClick(page.extract.resume_button, LEFT)
    chat_desk.until(lambda: len(model.asked) == 3 and page.extract.halted is None)
    parts = chat_desk.library.engine.ask(ProposalOf(shown[-1])).proposal.parts
    assert len({part.group for part in parts}) == 2


def test_model_that_never_answers_is_named_and_no_empty_proposal_opens(chat_desk: ChatDesk) -> None:
    chat_desk.chat(STORY)
    chat_desk.library.extracting.instead = ScriptedModel([Unavailable("model", "connection refused")] * 9)
    page = page_of(chat_desk)
    shown: list[int] = []
    heard: list[tuple[str, bool]] = []
    page.open_proposal.connect(shown.append)
    chat_desk.operations.said.connect(lambda text, is_error: heard.append((text, is_error)))
    page.extract.run(Reach.ALL)
    chat_desk.until(lambda: page.extract.halted is not None)
    halted = page.extract.halted
    assert halted is not None
    assert halted.error is not None
    assert problem_text(halted.error, chat_desk.context.tr) in page.extract.said.text()
    assert [is_error for _text, is_error in heard] == [True]
    assert shown == []


def test_cancelled_extraction_stops_and_can_be_left(chat_desk: ChatDesk) -> None:
    chat_desk.chat(STORY)
    asked, go_on = Event(), Event()

    def wait(_messages: Sequence[ChatMessage]) -> dict[str, Any]:
        asked.set()
        go_on.wait(10)
        return event("艾琳发现暗门。")

    chat_desk.library.extracting.instead = ScriptedModel(wait)
    page = page_of(chat_desk)
    page.extract.run(Reach.ALL)
    chat_desk.until(asked.is_set)
    QTest.mouseClick(page.extract.cancel_button, LEFT)
    go_on.set()
    chat_desk.until(lambda: page.extract.halted is not None)
    QTest.mouseClick(page.extract.drop_button, LEFT)
    chat_desk.until(lambda: page.extract.halted is None)


# --- what the folder does by itself ---


def test_profile_is_shown_as_a_difference_and_kept_by_save(chat_desk: ChatDesk) -> None:
    folder = chat_desk.chat(STORY)
    dialog = FolderSettingsDialog(chat_desk.context, folder)
    chat_desk.show(dialog)
    assert not dialog.main_button.isEnabled()
    QTest.mouseClick(dialog.profile_buttons["low_cost"], LEFT)
    assert "Answers per batch: 1 → 10" in dialog.changes.text()
    QTest.mouseClick(dialog.main_button, LEFT)
    chat_desk.settle()
    values = {each.setting.key: each.value for each in chat_desk.library.engine.ask(FolderValuesOf(folder))}
    assert {key: values[key] for key in profile("low_cost").values} == dict(profile("low_cost").values)
    chat_desk.library.engine.undo()
    values = {each.setting.key: each.value for each in chat_desk.library.engine.ask(FolderValuesOf(folder))}
    assert values == {key: setting.default for key, setting in BY_KEY.items()}


def test_every_setting_has_a_field_a_name_and_an_explanation(chat_desk: ChatDesk) -> None:
    dialog = FolderSettingsDialog(chat_desk.context, chat_desk.chat(STORY))
    chat_desk.show(dialog)
    assert set(dialog.fields) == set(BY_KEY)
    for setting in BY_KEY.values():
        assert chat_desk.context.tr.has(setting.text)
        assert chat_desk.context.tr.has(f"{setting.text}.hint")
    QTest.mouseClick(dialog.profile_buttons["long_story"], LEFT)
    QTest.mouseClick(dialog.default_button, LEFT)
    assert not dialog.changed()


# --- prompts ---


def test_own_prompt_is_kept_and_the_default_comes_back(chat_desk: ChatDesk) -> None:
    dialog = PromptsDialog(chat_desk.context)
    chat_desk.show(dialog)
    built_in = dialog.text.text()
    assert built_in.strip()
    dialog.text.moveCursor(dialog.text.textCursor().MoveOperation.End)
    QTest.keyClicks(dialog.text, " Be brief.")
    QTest.mouseClick(dialog.save_button, LEFT)
    chat_desk.settle()

    def kept() -> str:
        found = chat_desk.library.engine.ask(Prompts())
        return next(p.text for p in found if (p.task, p.language) == (PromptTask.EXTRACT, "en"))

    assert kept() == built_in + " Be brief."
    QTest.mouseClick(dialog.default_button, LEFT)
    QTest.mouseClick(dialog.save_button, LEFT)
    chat_desk.settle()
    assert kept() == built_in


def test_text_typed_for_one_task_stays_while_another_is_looked_at(chat_desk: ChatDesk) -> None:
    dialog = PromptsDialog(chat_desk.context)
    chat_desk.show(dialog)
    QTest.keyClicks(dialog.text, "x")
    typed = dialog.text.text()
    dialog.tasks.setCurrentRow(1)
    assert dialog.text.text() != typed
    dialog.language.setCurrentIndex(dialog.language.findData("zh_CN"))
    dialog.tasks.setCurrentRow(0)
    dialog.language.setCurrentIndex(dialog.language.findData("en"))
    assert dialog.text.text() == typed


def test_text_that_was_not_saved_is_there_again_and_can_be_thrown_away(chat_desk: ChatDesk) -> None:
    dialog = PromptsDialog(chat_desk.context)
    chat_desk.show(dialog)
    before = dialog.text.text()
    QTest.keyClicks(dialog.text, "x")
    typed = dialog.text.text()
    dialog.reject()
    chat_desk.settle()
    assert [data["text"] for data in chat_desk.library.engine.drafts.all().values()] == [typed]
    drafts_of(chat_desk.context).setParent(None)  # as after a restart
    again = PromptsDialog(chat_desk.context)
    chat_desk.show(again)
    assert (again.text.text(), again.tasks.item(0).text()[-1]) == (typed, "•")
    QTest.mouseClick(again.discard_button, LEFT)
    chat_desk.settle()
    assert again.text.text() == before
    assert not chat_desk.library.engine.drafts.all()


def test_prompt_is_tried_on_one_message_and_nothing_is_kept(chat_desk: ChatDesk) -> None:
    chat_desk.library.extracting.instead = ScriptedModel([event("艾琳发现暗门")])
    dialog = PromptsDialog(chat_desk.context)
    chat_desk.show(dialog)
    trial = dialog.trial
    assert not trial.button.isEnabled()
    QTest.keyClicks(trial.sample, "she finds a trapdoor")
    before = chat_desk.library.engine.ask(Counts()).memories
    QTest.mouseClick(trial.button, LEFT)
    chat_desk.until(trial.reply.isVisible)
    assert trial.said.text().startswith("scripted answered; it would give one part.")
    assert "艾琳发现暗门" in trial.reply.text()
    assert chat_desk.library.engine.ask(Counts()).memories == before
    dialog.tasks.setCurrentRow(1)
    assert not trial.reply.isVisible()


def test_prompt_without_a_model_says_what_to_do(chat_desk: ChatDesk) -> None:
    dialog = PromptsDialog(chat_desk.context)
    chat_desk.show(dialog)
    QTest.keyClicks(dialog.trial.sample, "x")
    QTest.mouseClick(dialog.trial.button, LEFT)
    chat_desk.until(lambda: "No model is chosen" in dialog.trial.said.text())
    assert dialog.trial.button.isEnabled()


def test_group_of_counted_names_is_called_so(chat_desk: ChatDesk) -> None:
    tr = chat_desk.context.tr
    assert group_title(PartGroup(key=NAMES_GROUP), 1, tr) == tr("proposal.group.names")
    assert group_title(PartGroup(key="other"), 2, tr) == tr("proposal.group.number", number=2)
