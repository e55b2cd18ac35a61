"""The extraction set is sound, its scoring counts what it should, and the built-in extractor stays useful on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.domain import texts
from core.domain.folder_settings import DECLARED, profiles
from tests.extract.desk import ExtractDesk
from tests.extract.scoring import Piece, Score, pieces, score
from tests.fakes.model import ScriptedModel


def perfect(piece: Piece) -> dict[str, Any]:
    """A reply that makes exactly what is expected."""
    operations = []
    for each in piece.expected:
        words = " ".join(each["words"])
        if each["action"] == "update":
            operations.append(
                {"action": "update", "nodeId": each["title"], "fields": {"state": words, "summary": words}}
            )
            continue
        kind = each["type"]
        column = {"event": "summary", "rule": "title", "thread": "title"}.get(kind, "name")
        fields = {column: words} | ({"constraint": words} if kind == "rule" else {})
        operations.append({"action": "create", "type": kind, "fields": fields})
    return {"operations": operations}


def test_set_has_thirty_pieces_in_two_languages() -> None:
    found = list(pieces())
    assert len({piece.id for piece in found}) == 30
    assert {piece.language for piece in found} == {"zh_CN", "en"}
    assert any(not piece.expected for piece in found)
    assert any(each["action"] == "update" for piece in found for each in piece.expected)


def test_reply_with_what_is_expected_scores_full_and_an_empty_one_nothing(desk: ExtractDesk) -> None:
    desk.without_embedder = True
    total, nothing = Score(), Score()
    for piece in [piece for piece in pieces() if piece.expected][:8]:
        chat = desk.chat(piece.messages, name=f"chats/{piece.id}", extract__force_update=False)
        for known in piece.known:
            desk.memory(chat, known["type"], **{key: v for key, v in known.items() if key != "type"})
        desk.chosen = ScriptedModel([perfect(piece)])
        total += score(piece, desk.view(desk.extract(chat).proposal).parts)
        nothing += score(piece, ())
    assert (total.precision, total.recall) == (100, 100)
    assert (nothing.made, nothing.recall) == (0, 0)


def test_built_in_extractor_finds_most_names_and_events(desk: ExtractDesk) -> None:
    desk.without_embedder = True
    total = Score()
    for piece in pieces():
        chat = desk.chat(piece.messages, name=f"chats/{piece.id}")
        for known in piece.known:
            desk.memory(chat, known["type"], **{key: v for key, v in known.items() if key != "type"})
        total += score(piece, desk.view(desk.extract(chat).proposal).parts)
    assert total.recall >= 60
    assert total.precision >= 60


def test_every_setting_of_a_folder_is_documented_and_has_its_words() -> None:
    page = (Path(__file__).parents[2] / "docs" / "EXTRACTION.md").read_text("utf-8")
    for setting in DECLARED:
        assert f"| `{setting.key}` |" in page, setting.key
        wanted = {setting.text, f"{setting.text}.hint"}
        wanted |= {f"{setting.text}.{choice}" for choice in setting.choices}
        assert wanted <= texts.keys("en"), setting.key
    for profile in profiles():
        assert {profile.text, f"{profile.text}.hint"} <= texts.keys("en")
