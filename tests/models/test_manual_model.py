"""The manual model: requests are rows, and every task goes on with its reply, also after a restart."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings as kept
from core.domain.access import ReadOnly
from core.domain.commands import CreateMemory, EditMemory, EmptyTrash, NewMemory, TrashMemories
from core.domain.commands_extract import SetFolderValues
from core.domain.commands_folders import CreateFolder
from core.domain.commands_proposals import ApplyProposal
from core.domain.endpoints import MANUAL, ModelTask
from core.domain.enums import ActorKind, FolderKind, Role
from core.domain.errors import Invalid, NotFound, UserError, WaitsForReply
from core.domain.folder import Message
from core.domain.ids import MemoryPk, TypeId
from core.domain.model_answers import ManualOutcome, ManualRequest
from core.domain.proposal import CreatePart, ProposalKind
from core.domain.queries import Memories, Query
from core.domain.queries_extract import (
    ExtractionRuns,
    ForgetRun,
    PromptTask,
    Reach,
    RunAutomatic,
    RunExtraction,
    RunTask,
    TryPrompt,
)
from core.domain.queries_models import AnswerManual, GiveUpManual, ManualRequests, ResumeManual
from core.domain.queries_proposals import ProposalOf, Proposals
from core.domain.queries_recall import Recall
from core.domain.queries_upkeep import CompressPlanOf, RenewSummaries, SuggestSummaries, SummariseAgain
from core.domain.recall import RecallRequest, Stage
from core.domain.results import Actor
from core.ports.store import OpDraft
from core.settings import Settings
from tests.fakes.embedder import HashEmbedder

SAYS = {
    PromptTask.SYNOPSIS: {"summary": "到此为止的故事"},
    PromptTask.REFLECT: {"insight": "钟楼不止是钟楼", "importance": 7},
    PromptTask.EVOLVE: {"should_evolve": True, "suggested_connections": ["M"], "neighbor_updates": []},
    PromptTask.CONSOLIDATE: {"same": [], "keep": "", "fields": {}},
}


class Room:
    """One library that can be closed and opened again."""

    def __init__(self, root: Path) -> None:
        self.root, self.settings = root, Settings()
        for task in ModelTask:
            kept.choose(self.settings, task, MANUAL)
        self.library = self._open(create=True)
        made = self.engine.run(CreateFolder("钟楼", kind=FolderKind.CHAT)).created_folder
        assert made is not None
        self.folder = made
        lines = [
            Message(folder=made, seq=at, role=_role(at), text=f"第{at}句：艾琳走向钟楼") for at in range(6)
        ]
        self.library.store.write(
            OpDraft("op.import", Actor(ActorKind.PERSON, "", "s")), lambda unit: unit.insert(lines)
        )

    def _open(self, *, create: bool = False, read_only: ReadOnly | None = None) -> Library:
        library = open_library(self.root, person(), self.settings, create=create, read_only=read_only)
        library.__dict__["embedder"] = HashEmbedder(dims=64)
        return library

    def restart(self, read_only: ReadOnly | None = None) -> None:
        self.library.close()
        self.library = self._open(read_only=read_only)

    @property
    def engine(self) -> Any:
        return self.library.engine

    def events(self, count: int, body: str = "第{at}夜，艾琳在钟楼前等待") -> list[MemoryPk]:
        new = [
            NewMemory(
                folder=self.folder, type=TypeId("event"), title=f"夜{at}", body=body.format(at=at), seq=at
            )
            for at in range(count)
        ]
        return [self.engine.run(CreateMemory(each)).created[0] for each in new]

    def waiting(self) -> tuple[ManualRequest, ...]:
        found: tuple[ManualRequest, ...] = self.engine.ask(ManualRequests())
        return found

    def stops(self, query: Query[Any]) -> int:
        with pytest.raises(WaitsForReply) as caught:
            self.engine.ask(query)
        assert [each.number for each in self.waiting()] == [caught.value.number]
        return caught.value.number

    def reply(self, number: int, value: object) -> ManualOutcome:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self.engine.ask(AnswerManual(number, text))
        outcome: ManualOutcome = self.engine.ask(ResumeManual(number))
        return outcome

    def parts(self, proposal: int) -> Any:
        return self.engine.ask(ProposalOf(proposal)).proposal.parts


def _role(at: int) -> Role:
    return Role.ASSISTANT if at % 2 else Role.USER


@pytest.fixture
def room(tmp_path: Path) -> Any:
    made = Room(tmp_path / "library")
    yield made
    made.library.close()


def operations(body: str) -> dict[str, Any]:
    return {"operations": [{"action": "create", "type": "event", "fields": {"summary": body}}]}


def test_extraction_goes_on_with_each_batch_after_restarts(room: Room) -> None:
    first = room.stops(RunExtraction(folder=room.folder, reach=Reach.ALL))
    (request,) = room.waiting()
    assert (request.task, request.folder, request.goes_on) == (ModelTask.EXTRACT, "钟楼", True)
    assert "艾琳走向钟楼" in request.text
    room.restart()
    assert [each.text for each in room.waiting()] == [request.text]
    room.engine.ask(AnswerManual(first, json.dumps(operations("一"), ensure_ascii=False)))
    room.restart()
    assert [(each.number, each.answered) for each in room.waiting()] == [(first, True)]
    with pytest.raises(WaitsForReply) as second:
        room.engine.ask(ResumeManual(first))
    assert [(each.number, each.answered) for each in room.waiting()] == [(second.value.number, False)]
    room.restart()
    with pytest.raises(WaitsForReply) as third:
        room.reply(second.value.number, operations("二"))
    outcome = room.reply(third.value.number, operations("三"))
    assert [part.body for part in room.parts(outcome.proposals[0])] == ["一", "二", "三"]
    assert not room.waiting()
    assert not room.library.store.manual.all()
    assert not room.engine.ask(ExtractionRuns())


def test_unreadable_reply_is_asked_for_once_more_and_goes_on(room: Room) -> None:
    number = room.stops(RunExtraction(folder=room.folder, reach=Reach.NEXT))
    with pytest.raises(WaitsForReply) as again:
        room.reply(number, "I would rather not.")
    assert again.value.number != number
    assert not again.value.changed
    room.restart()
    (request,) = room.waiting()
    assert "I would rather not." in request.text
    outcome = room.reply(request.number, operations("一"))
    assert [part.body for part in room.parts(outcome.proposals[0])] == ["一"]


@pytest.mark.parametrize("task", list(SAYS))
def test_task_makes_its_proposal_with_the_reply_after_a_restart(room: Room, task: PromptTask) -> None:
    room.events(3, body="艾琳在钟楼前等待")
    number = room.stops(RunTask(folder=room.folder, task=task))
    asked = room.waiting()[0]
    room.restart()
    outcome = None
    while outcome is None:
        labels = list(dict.fromkeys(re.findall(r"\[(M\d+)\]", room.waiting()[0].text)))
        said: dict[str, Any] = dict(SAYS[task])
        if task is PromptTask.EVOLVE:
            said["suggested_connections"] = labels
        if task is PromptTask.CONSOLIDATE:
            said |= {"same": labels, "keep": labels[0]}
        try:
            outcome = room.reply(number, said)
        except WaitsForReply as waits:
            number = waits.number
            room.restart()
    assert asked.text
    assert len(outcome.proposals) == 1
    assert room.parts(outcome.proposals[0])
    assert not room.library.store.manual.all()
    assert len(room.engine.ask(Proposals())) == 1


def test_compression_goes_on_group_by_group_into_one_proposal(room: Room) -> None:
    memories = room.events(4)
    group = room.engine.ask(CompressPlanOf(folder=room.folder, forced=True)).groups[0]
    groups = (replace(group, memories=tuple(memories[:2])), replace(group, memories=tuple(memories[2:])))
    first = room.stops(SuggestSummaries(groups=groups))
    room.restart()
    with pytest.raises(WaitsForReply) as second:
        room.reply(first, {"fields": {"summary": "前两夜"}})
    (proposal,) = room.engine.ask(Proposals(kind=ProposalKind.COMPRESSION))
    assert proposal.parts == 1
    room.restart()
    outcome = room.reply(second.value.number, {"fields": {"summary": "后两夜"}})
    assert outcome.proposals == (proposal.pk,)
    parts = room.parts(proposal.pk)
    assert [(part.body, part.sums) for part in parts] == [
        ("前两夜", tuple(memories[:2])),
        ("后两夜", tuple(memories[2:])),
    ]
    assert not room.library.store.manual.all()


def test_summary_written_again_replaces_the_text_after_a_restart(room: Room) -> None:
    memories = room.events(3)
    group = room.engine.ask(CompressPlanOf(folder=room.folder, forced=True)).groups[:1]
    number = room.stops(SuggestSummaries(groups=group))
    (proposal,) = room.reply(number, {"fields": {"summary": "三夜"}}).proposals
    key = room.parts(proposal)[0].key
    number = room.stops(SummariseAgain(proposal=proposal, part=key, hint="短一些"))
    assert "短一些" in room.waiting()[0].text
    assert room.waiting()[0].folder == "钟楼"
    room.restart()
    assert room.reply(number, {"fields": {"summary": "三夜皆静"}}).proposals == (proposal,)
    (part,) = room.parts(proposal)
    assert isinstance(part, CreatePart)
    assert (part.body, len(memories)) == ("三夜皆静", 3)


def test_new_text_of_a_summary_is_suggested_after_a_restart(room: Room) -> None:
    room.events(3)
    group = room.engine.ask(CompressPlanOf(folder=room.folder, forced=True)).groups[:1]
    (proposal,) = room.reply(
        room.stops(SuggestSummaries(groups=group)), {"fields": {"summary": "三夜"}}
    ).proposals
    (summary,) = room.engine.run(ApplyProposal(proposal=proposal)).created
    number = room.stops(RenewSummaries(memories=(summary,)))
    assert room.waiting()[0].folder == "钟楼"
    room.restart()
    (renewed,) = room.reply(number, {"fields": {"summary": "三个夜晚"}}).proposals
    assert room.parts(renewed)[0].body == "三个夜晚"


def test_reply_to_what_is_another_by_now_is_not_used(room: Room) -> None:
    (first, *_rest) = room.events(3)
    number = room.stops(RunTask(folder=room.folder, task=PromptTask.SYNOPSIS))
    room.engine.run(EditMemory(memory=first, body="那一夜什么都没有发生"))
    with pytest.raises(WaitsForReply) as waits:
        room.reply(number, {"summary": "旧故事"})
    assert waits.value.changed
    (request,) = room.waiting()
    assert request.number == waits.value.number != number
    assert "什么都没有发生" in request.text


def test_reply_goes_on_by_hand_also_when_another_model_was_chosen_since(room: Room) -> None:
    room.events(3)
    number = room.stops(RunTask(folder=room.folder, task=PromptTask.SYNOPSIS))
    kept.choose(room.settings, ModelTask.SYNOPSIS, "")
    outcome = room.reply(number, {"summary": "到此为止"})
    assert room.parts(outcome.proposals[0])[0].body == "到此为止"
    assert room.engine.ask(ProposalOf(outcome.proposals[0])).proposal.source == MANUAL


def test_asked_twice_it_is_one_request(room: Room) -> None:
    room.events(3)
    query = RunTask(folder=room.folder, task=PromptTask.SYNOPSIS)
    assert room.stops(query) == room.stops(query)


def test_request_given_up_is_gone_and_what_was_done_stays(room: Room) -> None:
    first = room.stops(RunExtraction(folder=room.folder, reach=Reach.ALL))
    with pytest.raises(WaitsForReply) as second:
        room.reply(first, operations("一"))
    room.engine.ask(GiveUpManual(second.value.number))
    assert not room.waiting()
    (proposal,) = room.engine.ask(Proposals())
    assert proposal.parts == 1
    with pytest.raises(NotFound):
        room.engine.ask(GiveUpManual(second.value.number))
    (run,) = room.engine.ask(ExtractionRuns())
    assert run.done == 1
    room.engine.ask(ForgetRun(run.run))
    assert not room.library.store.manual.all()


def test_number_of_a_request_is_never_used_twice(room: Room) -> None:
    room.events(3)
    query = RunTask(folder=room.folder, task=PromptTask.SYNOPSIS)
    first = room.stops(query)
    room.engine.ask(GiveUpManual(first))
    assert room.stops(query) > first


@pytest.mark.parametrize("reply", ["", " \n"])
def test_empty_reply_is_refused_and_the_request_waits_on(room: Room, reply: str) -> None:
    number = room.stops(RunExtraction(folder=room.folder, reach=Reach.NEXT))
    with pytest.raises(Invalid):
        room.engine.ask(AnswerManual(number, reply))
    with pytest.raises(Invalid):
        room.engine.ask(ResumeManual(number))
    assert not room.waiting()[0].answered


def test_replies_that_cannot_be_used_leave_nothing_behind(room: Room) -> None:
    room.events(3)
    number = room.stops(RunTask(folder=room.folder, task=PromptTask.SYNOPSIS))
    with pytest.raises(WaitsForReply) as again:
        room.reply(number, "no")
    with pytest.raises(UserError):
        room.reply(again.value.number, "no again")
    assert not room.library.store.manual.all()
    assert room.stops(RunTask(folder=room.folder, task=PromptTask.SYNOPSIS)) > again.value.number


def test_recall_takes_the_best_meanwhile_and_the_reply_from_then_on(room: Room) -> None:
    memories = room.events(4)
    settings = {"rerank": True}
    request = RecallRequest(message="艾琳在钟楼", folder=room.folder, settings=settings)
    notes = [note.key for note in room.engine.ask(Recall(request)).notes]
    assert "recall.note.rerank_waits" in notes
    (waiting,) = room.waiting()
    assert (waiting.task, waiting.goes_on) == (ModelTask.RECALL, False)
    room.restart()
    ids = re.findall(r'"id": "(mem-[0-9a-f]+)"', room.waiting()[0].text)
    public = {each.pk: each.id for each in room.engine.ask(Memories(tuple(memories)))}
    assert len(ids) == len(memories)
    assert not room.reply(waiting.number, {"selected_ids": ids[-1:]}).goes_on
    for _ in range(2):
        found = room.engine.ask(Recall(request))
        assert ids[-1] in [public[each.pk] for each in found.selected]
        assert [each.left for each in found.stages if each.stage is Stage.RERANK] == [1]
    room.engine.ask(Recall(RecallRequest(message="别的", folder=room.folder, settings=settings)))
    room.engine.ask(Recall(RecallRequest(message="又别的", folder=room.folder, settings=settings)))
    assert len(room.waiting()) <= 1  # what was overtaken asks nothing


def test_tried_prompt_reads_the_reply_when_it_is_tried_again(room: Room) -> None:
    query = TryPrompt(task=PromptTask.SYNOPSIS, language="zh_CN", text="总结", sample="艾琳走了")
    number = room.stops(query)
    assert not room.reply(number, {"summary": "走了"}).goes_on
    assert room.engine.ask(query).reply == '{"summary": "走了"}'
    assert room.stops(query) > number


def test_folder_does_not_extract_by_itself_where_a_person_is_asked(room: Room) -> None:
    room.engine.run(SetFolderValues(room.folder, {"extract.enabled": True}))
    with pytest.raises(Invalid) as refused:
        room.engine.ask(RunAutomatic())
    assert refused.value.key == "error.extract.auto_by_hand"
    assert not room.waiting()


def test_erased_memory_is_in_no_request(room: Room) -> None:
    (first, *_rest) = room.events(3)
    room.stops(RunTask(folder=room.folder, task=PromptTask.SYNOPSIS))
    room.engine.run(TrashMemories(memories=(first,)))
    assert room.waiting()
    room.engine.run(EmptyTrash())
    assert not room.library.store.manual.all()


def test_library_that_is_only_read_keeps_no_request(room: Room) -> None:
    room.events(3)
    room.restart(ReadOnly.ASKED)
    found = room.engine.ask(
        Recall(RecallRequest(message="艾琳", folder=room.folder, settings={"rerank": True}))
    )
    assert found.selected
    assert not room.waiting()
