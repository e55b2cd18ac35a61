"""Extraction: precision and recall on our own set (30 pieces, zh and en), and a chat of 3,000 messages.

The built-in extractor is always measured; the language model that the settings choose for extraction too, where one
is chosen.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.container import load_settings
from app.container_models import Models
from core.adapters.embedder_builtin import BuiltinEmbedder
from core.domain.endpoints import ModelTask
from core.domain.queries_extract import Reach
from core.ports.language_model import LanguageModel
from tests.bench.report import Row
from tests.extract.desk import ExtractDesk
from tests.extract.scoring import Piece, Score, pieces, score

MESSAGES = 3_000
PEOPLE = ("艾琳", "林晚晴", "陈子昂", "张先生", "老周", "格雷警长", "顾清寒", "苏雪")
PLACES = ("钟楼", "青石镇", "图书馆", "码头", "旧教堂", "王国学院", "地下入口")
SAID = (
    "{p}推开{l}的门，发现地上有一行新的脚印。",
    "{p}在{l}等了整整一夜，却没有等到任何人。",
    "{p}说：“{l}里一定藏着什么。我们明天再来。”",
    "{p}把旧钥匙交给了{q}，叮嘱不要告诉任何人。",
    "{p}提到三十年前{l}的那场大火，{q}沉默了很久。",
)


def run(full: bool) -> list[Row]:
    """Figures of the set for each extractor there is, then the long chat."""
    rows = list(_rows("built-in", None))
    models = Models(load_settings())
    try:
        chosen = models.model_for(ModelTask.EXTRACT)
        if chosen is None or chosen.name == "manual":
            print("extraction: no endpoint is chosen, the built-in extractor alone is measured")
        else:
            rows += _rows(chosen.name, chosen)
    finally:
        models.close()
    return [*rows, _long_chat()]


def _rows(name: str, model: LanguageModel | None) -> Iterator[Row]:
    sums: dict[str, Score] = {}
    for piece in pieces():
        with _desk() as desk:
            found = scored(desk, piece, model)
        for group in (piece.language, "all"):
            sums[group] = sums.get(group, Score()) + found
    for group, total in sums.items():
        size = f"{total.expected} expected operations"
        yield Row(f"extraction, {name}, {group}: precision", total.precision, "%", "", size)
        yield Row(f"extraction, {name}, {group}: recall", total.recall, "%", "", size)


def scored(desk: ExtractDesk, piece: Piece, model: LanguageModel | None) -> Score:
    """One piece in a library of its own."""
    chat = desk.chat(piece.messages)
    for known in piece.known:
        values = {key: value for key, value in known.items() if key != "type"}
        desk.memory(chat, known["type"], seq=0, **values)
    desk.chosen = model
    report = desk.extract(chat, Reach.ALL)
    return score(piece, desk.view(report.proposal).parts)


def _long_chat() -> Row:
    chance = random.Random(1)
    lines = []
    for at in range(MESSAGES):
        said = "".join(
            chance.choice(SAID).format(
                p=chance.choice(PEOPLE), q=chance.choice(PEOPLE), l=chance.choice(PLACES)
            )
            for _ in range(chance.randint(1, 4))
        )
        lines.append(("user" if at % 2 == 0 else "assistant", said))
    embedder = BuiltinEmbedder()
    embedder.load()
    with _desk(embedder) as desk:
        chat = desk.chat(lines)
        started = time.perf_counter()
        desk.extract(chat, Reach.ALL)
        took = time.perf_counter() - started
    return Row("extraction, built-in: one proposal of a chat", took, "s", "<= 20", f"{MESSAGES:,} messages")


@contextmanager
def _desk(embedder: BuiltinEmbedder | None = None) -> Iterator[ExtractDesk]:
    with tempfile.TemporaryDirectory() as directory:
        desk = ExtractDesk(Path(directory) / "library", embedder)
        desk.without_embedder = embedder is None
        try:
            yield desk
        finally:
            desk.engine.close()
