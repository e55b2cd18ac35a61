"""One batch of floors: asked, read, checked, and made into the parts of one group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.domain.endpoints import Usage
from core.domain.errors import BadReply, Unavailable
from core.domain.folder import Message
from core.domain.folder_settings import FolderValues
from core.domain.ids import TypeId
from core.domain.json_types import JsonObject, canonical
from core.domain.proposal import Part
from core.domain.queries_extract import BatchPlan, PromptTask
from core.domain.results import Problem
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.services.extract.asking import EXTRACTION_ATTEMPTS, Answered, ask
from core.services.extract.building import Builder, Said, of_type
from core.services.extract.conflicts import VERDICT_SCHEMA, Judge, Likeness, checked_parts
from core.services.extract.meaning import Meaning
from core.services.extract.operations import ReadOperations, read_operations
from core.services.extract.request import (
    REPLY_SCHEMA,
    dialogue,
    extraction_request,
    facts,
    filled,
    kinds,
    language_of,
)
from core.services.extract.shelf import Known, Shelf
from core.services.prompts import PromptBook, frame_words


@dataclass(slots=True)
class BatchResult:
    """The parts of a batch, what was odd, and what it took."""

    parts: list[Part]
    problems: list[Problem] = field(default_factory=list)
    used: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Reading:
    """All that is needed to read batches of a folder."""

    book: PromptBook
    model: LanguageModel
    values: FolderValues
    meaning: Meaning | None
    source: str
    cancel: CancelToken | None = None

    def batch(self, shelf: Shelf, messages: Sequence[Message], batch: BatchPlan, group: str) -> BatchResult:
        """The group of one batch. Errors: Unavailable("model"), BadReply, Cancelled."""
        fresh = [message for message in messages if message.seq >= batch.start]
        language = language_of(self.values, "\n".join(message.text for message in fresh))
        request = extraction_request(self.book, language, shelf, messages, batch)
        answered = ask(self.model, request, REPLY_SCHEMA, language, self.cancel, attempts=EXTRACTION_ATTEMPTS)
        read = read_operations(answered.value)
        if not read.listed:
            raise BadReply("reply.no_operations", details=canonical(answered.value)[:500])
        said = Said(self._frame(language, shelf), dialogue(messages))
        result = self._built(shelf, batch, group, read, said)
        result.problems = [*answered.repairs, *result.problems]
        result.used = answered.used
        result = self._forced(shelf, batch, group, said, answered, language, result)
        if self.values.flag("extract.conflict_check") and self.meaning is not None:
            self._check(shelf, result, language)
        return result

    def _frame(self, language: str, shelf: Shelf) -> str:
        """All that the request says by itself: the prompt, its headings, and the hints of the columns."""
        prompt = filled(self.book.of(PromptTask.EXTRACT, language).text, shelf.schema, language)
        hints = kinds(shelf.schema, language)
        return "\n".join([prompt, *frame_words(language).values(), hints])

    def _built(
        self, shelf: Shelf, batch: BatchPlan, group: str, read: ReadOperations, said: Said
    ) -> BatchResult:
        builder = Builder(shelf, group, batch.start, batch.end, said, source=self.source)
        parts = builder.build(read.operations)
        return BatchResult(parts, [*read.problems, *builder.problems])

    def _forced(
        self,
        shelf: Shelf,
        batch: BatchPlan,
        group: str,
        said: Said,
        answered: Answered,
        language: str,
        result: BatchResult,
    ) -> BatchResult:
        """A batch without a type that must come each time is asked once more, then flagged (DESIGN §5)."""
        forced = [each for each in shelf.schema.types if each.force_update]
        wanted: list[TypeId] = [each.id for each in forced]
        if not self.values.flag("extract.force_update") or not wanted or of_type(result.parts, wanted):
            return result
        names = ", ".join(f"{each.id}({each.labels.get(language, each.id)})" for each in forced)
        more = frame_words(language)["force"].replace("{types}", names)
        try:
            again = ask(
                self.model,
                [*answered.messages, ChatMessage("user", more)],
                REPLY_SCHEMA,
                language,
                self.cancel,
                attempts=1,
            )
        except (BadReply, Unavailable):
            again = None
        flag = Problem("extract.note.no_forced", {"types": ", ".join(wanted)})
        if again is None:
            result.problems.append(flag)
            return result
        used = result.used + again.used
        second = self._built(shelf, batch, group, read_operations(again.value), said)
        if of_type(second.parts, wanted):
            second.used = used
            return second
        result.used = used
        result.problems.append(flag)
        return result

    # --- conflicts -----------------------------------------------------------------------

    def _check(self, shelf: Shelf, result: BatchResult, language: str) -> None:
        """Errors: Cancelled; an embedder that does not answer is said, and nothing is compared."""
        meaning = self.meaning
        if meaning is None:
            return
        compat = self.values.flag("extract.conflict_compat")
        threshold = (
            self.values.number("extract.conflict_threshold") if compat else meaning.thresholds.duplicate
        )
        try:
            result.parts = checked_parts(
                result.parts, shelf, meaning, threshold, self._judge(shelf, result, language)
            )
        except Unavailable as error:
            result.problems.append(Problem("extract.note.no_embedder", {"reason": error.reason}))

    def _judge(self, shelf: Shelf, result: BatchResult, language: str) -> Judge:
        def judge(likeness: Likeness) -> JsonObject | None:
            try:
                answered = ask(
                    self.model,
                    conflict_request(self.book, language, shelf, likeness),
                    VERDICT_SCHEMA,
                    language,
                    self.cancel,
                )
            except (BadReply, Unavailable):
                return None
            result.used += answered.used
            return answered.value if isinstance(answered.value, dict) else None

        return judge


def conflict_request(
    book: PromptBook, language: str, shelf: Shelf, likeness: Likeness
) -> tuple[ChatMessage, ChatMessage]:
    """The prompt, the new memory, and the old ones with their likeness."""
    words = frame_words(language)
    part = likeness.part
    new = Known(
        label=words["new"], end=part.key, type=part.type, title=part.title, body=part.body, fields=part.fields
    )
    blocks = [facts([new], shelf)]
    for known, score in likeness.near:
        blocks.append(f"{words['old']} ({words['likeness']} {score:.2f})\n{facts([known], shelf)}")
    return (
        ChatMessage("system", book.of(PromptTask.CONFLICT, language).text),
        ChatMessage("user", "\n\n".join(blocks)),
    )
