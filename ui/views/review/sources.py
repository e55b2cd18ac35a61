"""What can wait for a person: a table of sources, each asked in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.domain.api import Cancel, EngineApi
from core.domain.document import FileState
from core.domain.proposal import ProposalRow
from core.domain.queries import QueueRows
from core.domain.queries_proposals import Proposals
from ui.language import Language
from ui.views.proposal.words import ICONS, proposal_title, source_name

PROPOSALS = "proposals"


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that waits. `detail` below its title; `proposal` = it is shown beside the list.

    Everything else leads to a page (`page`, and a task of Upkeep when `task` is set) with the button `button`.
    """

    source: str
    key: str
    title: str
    detail: str
    icon: str
    proposal: int | None = None
    page: str = ""
    task: str = ""
    about: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """A kind of things that wait. Its heading is `review.<id>`. `ask` runs in a worker; `waiting` makes words of it."""

    id: str
    ask: Callable[[EngineApi, Cancel], object]
    waiting: Callable[[object, Language], tuple[Waiting, ...]]


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


def _questions(engine: EngineApi, cancel: Cancel) -> object:
    rows = engine.ask(QueueRows(), cancel=cancel)
    return sum(row.state is FileState.QUESTION for row in rows)


def _question_words(found: object, tr: Language) -> tuple[Waiting, ...]:
    count = found if isinstance(found, int) else 0
    if not count:
        return ()
    return (
        Waiting(
            source="questions",
            key="questions",
            title=tr("review.questions.title", count=count),
            detail=tr("review.questions.detail"),
            icon="mdi6.file-question-outline",
            page="documents",
            about=tr("review.questions.about"),
            button=tr("review.questions.button"),
        ),
    )


add_source(ReviewSource(PROPOSALS, _proposals, _proposal_words))
add_source(ReviewSource("questions", _questions, _question_words))


def count_waiting(engine: EngineApi, cancel: Cancel, tr: Language) -> int:
    """How many things wait. Cost: asks all sources; call it in a worker."""
    return sum(len(source.waiting(source.ask(engine, cancel), tr)) for source in SOURCES)
