"""What a model thinks of pairs that may contradict each other: an opinion beside the pair, which changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.domain.errors import BadReply, Invalid
from core.domain.folder_settings import FolderValues
from core.domain.ids import MemoryPk
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory
from core.domain.queries_extract import PromptTask
from core.domain.queries_merge import AskAboutContradictions, Opinion, OpinionVerdict
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.ports.store import Store
from core.services.extract.asking import ask
from core.services.extract.request import facts, language_of
from core.services.extract.shelf import Known, Shelf
from core.services.prompts import PromptBook

PAIRS_A_REQUEST = 8
MOST_REASON_CHARS = 300
OPINIONS_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "verdict": {"type": "string", "enum": [each.value for each in OpinionVerdict]},
                    "holds": {"type": "string", "enum": ["first", "second", ""]},
                    "reason": {"type": "string"},
                },
                "required": ["pair", "verdict"],
            },
        }
    },
    "required": ["pairs"],
}
Pair = tuple[MemoryPk, MemoryPk]


@dataclass(frozen=True, slots=True)
class Opinions:
    """Asks the model that compares memories. `model` answers None when nobody but the program serves the task."""

    store: Store
    book: PromptBook
    model: Callable[[], LanguageModel | None]

    def ask(self, query: AskAboutContradictions, cancel: CancelToken | None) -> tuple[Opinion, ...]:
        """See AskAboutContradictions. Some pairs are asked about at once; a reply that cannot be read leaves its pairs out."""
        model = self.model()
        if model is None:
            raise Invalid("error.contradictions.no_model")
        pairs = list(dict.fromkeys(query.pairs))
        found: list[Opinion] = []
        for start in range(0, len(pairs), PAIRS_A_REQUEST):
            if cancel is not None:
                cancel.check()
            found += self._some(model, pairs[start : start + PAIRS_A_REQUEST], cancel)
            if query.progress is not None:
                query.progress(min(start + PAIRS_A_REQUEST, len(pairs)), len(pairs))
        return tuple(found)

    def _some(self, model: LanguageModel, pairs: Sequence[Pair], cancel: CancelToken | None) -> list[Opinion]:
        with self.store.read() as reader:
            wanted = sorted({pk for pair in pairs for pk in pair})
            memories = {memory.pk: memory for memory in reader.records(Memory, wanted)}
            shelf = Shelf(reader.schema(), ())
        asked = [pair for pair in pairs if set(pair) <= memories.keys()]
        if not asked:
            return []
        blocks = [_block(number, pair, memories, shelf) for number, pair in enumerate(asked, 1)]
        language = language_of(FolderValues({}), "\n".join(blocks))
        messages = (
            ChatMessage("system", self.book.of(PromptTask.CONTRADICT, language).text),
            ChatMessage("user", "\n\n".join(blocks)),
        )
        try:
            answered = ask(model, messages, OPINIONS_SCHEMA, language, cancel)
        except BadReply:
            return []
        return _read(answered.value, asked)


def _block(number: int, pair: Pair, memories: Mapping[MemoryPk, Memory], shelf: Shelf) -> str:
    first, second = (memories[pk] for pk in pair)
    return f"# {number}\n{facts([_known(first, 'first'), _known(second, 'second')], shelf)}"


def _known(memory: Memory, label: str) -> Known:
    fields = dict(memory.fields)
    if memory.seq is not None:
        fields["floor"] = memory.seq
    return Known(
        label=label, end=memory.pk, type=memory.type, title=memory.title, body=memory.body, fields=fields
    )


def _read(value: Json, asked: Sequence[Pair]) -> list[Opinion]:
    """One opinion a pair, the first that is said of it; what cannot be one is passed over."""
    rows = value.get("pairs") if isinstance(value, Mapping) else None
    found: dict[Pair, Opinion] = {}
    for row in rows if isinstance(rows, list) else ():
        said = row.get("verdict") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or not isinstance(said, str) or said not in set(OpinionVerdict):
            continue
        number = row.get("pair")
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(asked):
            continue
        pair = asked[number - 1]
        verdict = OpinionVerdict(said)
        side = {"first": pair[0], "second": pair[1]}.get(str(row.get("holds")))
        found.setdefault(
            pair,
            Opinion(
                a=pair[0],
                b=pair[1],
                verdict=verdict,
                holds=None if verdict is OpinionVerdict.COMPATIBLE else side,
                reason=" ".join(str(row.get("reason") or "").split())[:MOST_REASON_CHARS],
            ),
        )
    return list(found.values())
