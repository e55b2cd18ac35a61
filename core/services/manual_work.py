"""Work that waits for a person's reply, and goes on with it: also after a restart, also from another program.

What asks a model is a query, and a query is data. When it stops at a request (WaitsForReply), the query that goes on
from there is kept beside the request. With the reply it is asked again; replies that are there already are read from
their rows, so it comes to the next request or to its end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from core.domain import queries_extract as qx
from core.domain import queries_models as qm
from core.domain import queries_upkeep as qu
from core.domain.api import Cancel
from core.domain.errors import (
    Cancelled,
    Conflict,
    CuratorError,
    Invalid,
    LibraryInUse,
    Unavailable,
    UserError,
    WaitsForReply,
)
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json, JsonObject, canonical
from core.domain.model_answers import ManualOutcome, ManualRequest
from core.domain.queries import Query
from core.domain.queries_merge import AskAboutContradictions
from core.domain.upkeep import CompressGroup
from core.ports.manual_requests import KeptRequest, ManualRows
from core.ports.store import Reader, Store
from core.services.manual_model import ManualDesk

Answer = Callable[[Any, "Cancel | None"], Any]
Answers = Mapping[type[Query[Any]], Answer]
TRIAL = "trial"
"""Work of a prompt that is tried: pressed again it reads the reply."""
OPINIONS = "opinions"
"""Work of pairs that are asked about: asked again it reads the replies."""
BUSY = "error.extract.busy"


@dataclass(frozen=True, slots=True)
class _Form:
    """How a query is kept, and read again."""

    word: str
    query: type[Query[Any]]
    write: Callable[[Any], dict[str, Json]]
    read: Callable[[Mapping[str, Any]], Query[Any]]


# --- queries as data ---------------------------------------------------------------------------


def _memories(data: Mapping[str, Any]) -> tuple[MemoryPk, ...]:
    return tuple(MemoryPk(int(pk)) for pk in data["memories"])


def _group(group: CompressGroup) -> dict[str, Json]:
    return {
        "folder": group.folder,
        "folder_name": group.folder_name,
        "type": group.type,
        "level": group.level,
        "memories": list(group.memories),
    }


def _read_group(data: Mapping[str, Any]) -> CompressGroup:
    return CompressGroup(
        FolderPk(data["folder"]), data["folder_name"], TypeId(data["type"]), data["level"], _memories(data)
    )


FORMS = (
    _Form(
        "extract",
        qx.ResumeExtraction,
        lambda query: {"run": query.run},
        lambda data: qx.ResumeExtraction(data["run"]),
    ),
    _Form(
        "task",
        qx.RunTask,
        lambda query: {
            "folder": query.folder,
            "task": query.task.value,
            "memories": list(query.memories),
        },
        lambda data: qx.RunTask(
            folder=FolderPk(data["folder"]), task=qx.PromptTask(data["task"]), memories=_memories(data)
        ),
    ),
    _Form(
        "suggest",
        qu.SuggestSummaries,
        lambda query: {
            "groups": [_group(each) for each in query.groups],
            "hint": query.hint,
            "into": query.into,
        },
        lambda data: qu.SuggestSummaries(
            groups=tuple(map(_read_group, data["groups"])), hint=data["hint"], into=data["into"]
        ),
    ),
    _Form(
        "renew",
        qu.RenewSummaries,
        lambda query: {"memories": list(query.memories), "hint": query.hint},
        lambda data: qu.RenewSummaries(memories=_memories(data), hint=data["hint"]),
    ),
    _Form(
        "again",
        qu.SummariseAgain,
        lambda query: {"proposal": query.proposal, "part": query.part, "hint": query.hint},
        lambda data: qu.SummariseAgain(proposal=data["proposal"], part=data["part"], hint=data["hint"]),
    ),
)
"""Queries that can go on. RunExtraction goes on as ResumeExtraction: its run is a row."""


def query_json(query: Query[Any]) -> JsonObject:
    """The query as data; {} for one that does not go on by itself."""
    for form in FORMS:
        if isinstance(query, form.query):
            return {"do": form.word, **form.write(query)}
    return {}


def query_of(data: Mapping[str, Any]) -> Query[Any]:
    """The query of such data. Errors: Invalid for what no query was ever kept as."""
    for form in FORMS:
        if data.get("do") == form.word:
            try:
                return form.read(data)
            except (KeyError, TypeError, ValueError):
                break
    raise Invalid("error.manual.lost")


# --- waiting and going on ----------------------------------------------------------------------


class ManualWork:
    """`by_hand`: while it is entered, this thread's models are manual ones, whatever the settings say now."""

    def __init__(
        self,
        rows: ManualRows,
        store: Store,
        answers: Answers,
        by_hand: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._desk, self._store, self._plain, self._by_hand = ManualDesk(rows), store, answers, by_hand

    def answers(self) -> Answers:
        """The answers that may wait, so that they can go on; and those about what waits."""
        wrapped = (
            *(form.query for form in FORMS),
            qx.RunExtraction,
            qx.ForgetRun,
            qx.TryPrompt,
            AskAboutContradictions,
        )
        return {
            **{kind: self._kept for kind in wrapped if kind in self._plain},
            qm.ManualRequests: lambda _query, _cancel: self.requests(),
            qm.AnswerManual: lambda query, _cancel: self._desk.answer(query.number, query.text),
            qm.GiveUpManual: lambda query, _cancel: self._desk.give_up(query.number),
            qm.ResumeManual: self._resume,
        }

    def requests(self) -> tuple[ManualRequest, ...]:
        """What waits for a person, oldest first: without a reply, or with one and its work stands still."""
        waiting = _waiting(self._desk.rows.all())
        runs = self._plain[qx.ExtractionRuns](qx.ExtractionRuns(), None) if waiting else ()
        of_run: dict[int, FolderPk] = {run.run: run.folder for run in runs}
        with self._store.read() as reader:
            names = {folder.pk: folder.name for folder in reader.all_records(Folder)} if waiting else {}
            return tuple(
                ManualRequest(
                    number=each.number,
                    task=each.task,
                    text=each.text,
                    asked_at=each.asked_at,
                    folder=names.get(_folder(reader, each.rest, of_run), ""),
                    answered=each.reply is not None,
                    goes_on=bool(each.rest),
                )
                for each in waiting
            )

    def _kept(self, query: Query[Any], cancel: Cancel | None) -> Any:
        return self._run(query, cancel, _name(query))

    def _run(self, query: Query[Any], cancel: Cancel | None, work: str) -> Any:
        """Ask; a request on the way belongs to this work, and a work that is over leaves no requests behind."""
        try:
            result = self._plain[type(query)](query, cancel)
        except WaitsForReply as waits:
            rest = waits.rest if isinstance(waits.rest, Query) else query
            self._belongs(waits.number, work or _name(rest), rest)
            raise
        except CuratorError as error:
            if work and not _replies_hold(error):
                self._desk.rows.remove_work(work)
            raise
        if work:
            self._desk.rows.remove_work(work)
        return result

    def _belongs(self, number: int, work: str, rest: Query[Any]) -> None:
        rows = self._desk.rows
        if work == TRIAL:  # the prompt was changed: what was tried before waits for nobody
            rows.remove([each.number for each in rows.all() if each.work == TRIAL and each.number != number])
        rows.belongs(number, work, query_json(rest))

    def _resume(self, query: qm.ResumeManual, cancel: Cancel | None) -> ManualOutcome:
        """See ResumeManual."""
        rows, kept = self._desk.rows, self._desk.one(query.number)
        if kept.reply is None:
            raise Invalid("error.manual.unanswered", number=query.number)
        if not kept.rest:
            return ManualOutcome(task=kept.task, goes_on=False)
        asked = query_of(kept.rest)
        try:
            with self._by_hand():
                result = self._run(asked, cancel, kept.work)
        except WaitsForReply as waits:
            after = rows.one(query.number)
            if after is not None and not after.used:
                rows.remove([query.number])
                waits.changed = True
            raise
        return _outcome(kept, asked, result)


def _folder(reader: Reader, rest: Mapping[str, Any], of_run: Mapping[int, FolderPk]) -> FolderPk:
    """The folder that work is about; 0 = not known."""
    match rest.get("do"):
        case "extract":
            return of_run.get(rest["run"], FolderPk(0))
        case "task":
            return FolderPk(rest["folder"])
        case "suggest":
            return FolderPk(rest["groups"][0]["folder"])
        case "renew":
            states = reader.states(_memories(rest)[:1])
            return states[0].folder if states else FolderPk(0)
        case "again":
            proposal = reader.proposal(rest["proposal"])
            return FolderPk(0) if proposal is None or proposal.folder is None else proposal.folder
        case _:
            return FolderPk(0)


def _waiting(rows: Sequence[KeptRequest]) -> list[KeptRequest]:
    """Requests without a reply, and of each other work that can go on the one that was answered last."""
    open_ = [each for each in rows if each.reply is None]
    busy = {each.work for each in open_}
    still = {each.work: each for each in rows if each.reply is not None and each.rest}
    return sorted(
        [*open_, *(each for work, each in still.items() if work not in busy)], key=lambda each: each.number
    )


def _name(query: Query[Any]) -> str:
    """The work of a query; the same query is the same work. "" where that is known only when it stops."""
    if isinstance(query, qx.TryPrompt):
        return TRIAL
    if isinstance(query, AskAboutContradictions):
        return OPINIONS
    if isinstance(query, qx.ForgetRun):
        return _name(qx.ResumeExtraction(query.run))
    data = query_json(query)
    return f"{data['do']}-{hashlib.sha256(canonical(data).encode()).hexdigest()[:24]}" if data else ""


def _replies_hold(error: CuratorError) -> bool:
    """Whether another try with the same replies may end otherwise."""
    if isinstance(error, Unavailable):
        return error.port != "model"  # of a person this is said of a reply that cannot be used
    busy = isinstance(error, UserError) and error.key == BUSY
    return busy or isinstance(error, Cancelled | Conflict | LibraryInUse)


def _outcome(kept: KeptRequest, asked: Query[Any], result: Any) -> ManualOutcome:
    match result:
        case qx.TaskReport():
            made = () if result.proposal is None else (result.proposal,)
            return ManualOutcome(task=kept.task, proposals=made, why=result.why, args=result.args)
        case qx.ExtractionReport():
            made = (result.proposal,) if result.proposal is not None and result.parts else ()
            failed = result.state is qx.RunState.FAILED
            problems = result.problems if failed else ()
            return ManualOutcome(task=kept.task, proposals=made, problems=problems, done=not failed)
        case tuple():
            return ManualOutcome(task=kept.task, proposals=result)
        case _:
            part_of = (asked.proposal,) if isinstance(asked, qu.SummariseAgain) else ()
            return ManualOutcome(task=kept.task, proposals=part_of)
