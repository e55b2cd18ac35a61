"""What can wait for a person: a table of sources, each asked in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.domain.api import Cancel, EngineApi
from core.domain.document import FileState
from core.domain.model_answers import ManualRequest
from core.domain.proposal import ProposalRow
from core.domain.queries import Counts
from core.domain.queries_chat import Chats, FloorMarksOf
from core.domain.queries_documents import QueueRows
from core.domain.queries_merge import FindContradictions, FindDuplicates, Verdict
from core.domain.queries_models import ManualRequests
from core.domain.queries_proposals import Proposals
from core.domain.queries_upkeep import SummariesOutOfDate
from ui.language import Language
from ui.views.proposal.words import ICONS, proposal_title, source_name

REQUESTS = "requests"
PROPOSALS = "proposals"
SMALL_LIBRARY = 3_000
"""In a larger one doubles and contradictions are looked for on the page Upkeep, when a person asks."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that waits. `detail` below its title; `proposal` and `request` are shown beside the list.

    Everything else leads to a page (`page`, and a task of Upkeep when `task` is set) with the button `button`.
    """

    source: str
    key: str
    title: str
    detail: str
    icon: str
    proposal: int | None = None
    request: ManualRequest | None = None
    page: str = ""
    task: str = ""
    about: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """A kind of things that wait. Its heading is `review.<id>`. `ask` runs in a worker; `waiting` makes words of it.

    `slow`: asked after the others, only by the page itself, and left out of the number on the rail until then.
    """

    id: str
    ask: Callable[[EngineApi, Cancel], object]
    waiting: Callable[[object, Language], tuple[Waiting, ...]]
    slow: bool = False


SOURCES: list[ReviewSource] = []


def add_source(source: ReviewSource) -> None:
    """Put a kind at the end; one that is there already stays as it is."""
    if source.id not in {known.id for known in SOURCES}:
        SOURCES.append(source)


def _proposals(engine: EngineApi, cancel: Cancel) -> object:
    return engine.ask(Proposals(), cancel=cancel)


def _proposal_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    rows: tuple[ProposalRow, ...] = found if isinstance(found, tuple) else ()
    return tuple(
        Waiting(
            source=PROPOSALS,
            key=f"{PROPOSALS}:{row.pk}",
            title=proposal_title(row.kind, row.args, tr),
            detail=" · ".join(
                part
                for part in (
                    row.folder_name,
                    tr("review.parts", waiting=row.waiting, count=row.parts),
                    source_name(row.source, tr),
                    tr.relative(row.created_at),
                )
                if part
            ),
            icon=ICONS[row.kind],
            proposal=row.pk,
        )
        for row in rows
    )


def _requests(engine: EngineApi, cancel: Cancel) -> object:
    return engine.ask(ManualRequests(), cancel=cancel)


def _request_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    requests: tuple[ManualRequest, ...] = found if isinstance(found, tuple) else ()
    return tuple(
        Waiting(
            source=REQUESTS,
            key=f"{REQUESTS}:{each.number}",
            title=tr(f"models.task.{each.task.value}"),
            detail=" · ".join(
                part
                for part in (
                    each.folder,
                    tr("review.requests.answered" if each.answered else "review.requests.waits"),
                    tr.relative(each.asked_at),
                )
                if part
            ),
            icon="mdi6.account-voice",
            request=each,
        )
        for each in requests
    )


def _questions(engine: EngineApi, cancel: Cancel) -> object:
    rows = engine.ask(QueueRows(), cancel=cancel)
    return sum(row.state is FileState.QUESTION for row in rows)


def _question_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    return _led(found, tr, "questions", "mdi6.file-question-outline", page="documents")


def _outdated(engine: EngineApi, cancel: Cancel) -> object:
    return len(engine.ask(SummariesOutOfDate(), cancel=cancel))


def _outdated_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    return _led(found, tr, "outdated", "mdi6.clock-alert-outline", "compress")


def _conflicts(engine: EngineApi, cancel: Cancel) -> object:
    """Memories whose floors were edited or removed after they were made of them."""
    chats = engine.ask(Chats(), cancel=cancel)
    return sum(
        len(engine.ask(FloorMarksOf(chat.folder.pk), cancel=cancel).changed)
        for chat in chats
        if chat.memories
    )


def _conflict_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    return _led(found, tr, "conflicts", "mdi6.message-alert-outline", page="chats")


def _small(engine: EngineApi, cancel: Cancel) -> bool:
    return engine.ask(Counts(journal=False), cancel=cancel).memories <= SMALL_LIBRARY


def _duplicates(engine: EngineApi, cancel: Cancel) -> object:
    if not _small(engine, cancel):
        return 0
    found = engine.ask(FindDuplicates(), cancel=cancel)
    return sum(group.verdict is not Verdict.MAYBE for group in found)


def _duplicate_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    return _led(found, tr, "duplicates", "mdi6.content-duplicate", "duplicates")


def _contradictions(engine: EngineApi, cancel: Cancel) -> object:
    return len(engine.ask(FindContradictions(), cancel=cancel)) if _small(engine, cancel) else 0


def _contradiction_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    return _led(found, tr, "contradictions", "mdi6.lightning-bolt-outline", "contradictions")


def _led(
    found: object, tr: Language, source: str, icon: str, task: str = "", page: str = "upkeep"
) -> tuple[Waiting, ...]:
    """One entry that says how many there are and leads to where they are mended."""
    count = found if isinstance(found, int) else 0
    if not count:
        return ()
    return (
        Waiting(
            source=source,
            key=source,
            title=tr(f"review.{source}.title", count=count),
            detail=tr(f"review.{source}.detail"),
            icon=icon,
            page=page,
            task=task,
            about=tr(f"review.{source}.about"),
            button=tr(f"review.{source}.button"),
        ),
    )


add_source(ReviewSource(REQUESTS, _requests, _request_words))
add_source(ReviewSource(PROPOSALS, _proposals, _proposal_words))
add_source(ReviewSource("questions", _questions, _question_words))
add_source(ReviewSource("conflicts", _conflicts, _conflict_words))
add_source(ReviewSource("outdated", _outdated, _outdated_words))
add_source(ReviewSource("duplicates", _duplicates, _duplicate_words, slow=True))
add_source(ReviewSource("contradictions", _contradictions, _contradiction_words, slow=True))


def count_waiting(engine: EngineApi, cancel: Cancel, tr: Language) -> int:
    """How many things wait, without the slow sources. Call it in a worker."""
    quick = (source for source in SOURCES if not source.slow)
    return sum(len(source.waiting(source.ask(engine, cancel), tr)) for source in quick)
