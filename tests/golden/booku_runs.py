"""Adapters for the recorded runs of Booku's service: each is replayed on a library of its own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from core.domain import queries as q
from core.domain.queries import MemoryFilter
from tests.booku.desk import Desk, TableEmbedder
from tests.golden.table import Inputs, golden

RETRIEVE = "retrieve_and_search"
GREP = "grep_list_status_edit (continues retrieve_and_search)"
ARCHIVE = "archive_promote_current_source"
ARCHIVE_RUNS = (
    f"{ARCHIVE} (real Chroma 1.5.9 + numpy 2)",
    f"{ARCHIVE} (vector store patched to return lists, to show intended flow)",
)
RECORDED = Path(__file__).parents[1] / "data" / "golden" / "booku" / "scenarios.json"
TIMES = ("created_at", "updated_at")
DAYS_LATER = 8

Step = Mapping[str, Any]


class Replay:
    """One run: calls of the service, with the recorder's labels in place of ids."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.ids: dict[str, str] = {}

    # --- labels --------------------------------------------------------------------------

    def label(self, id_: str, wanted: str | None = None) -> str:
        """The recorder's name of an id; a new one gets the name recorded at this step, or the next free one."""
        known = next((label for label, each in self.ids.items() if each == id_), None)
        if known is not None:
            return known
        label = wanted if wanted and wanted not in self.ids else f"new{len(self.ids) + 1}"
        self.ids[label] = id_
        return label

    def _in(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = dict(arguments)
        if "memory_id" in given:
            given["memory_id"] = self.ids.get(given["memory_id"], given["memory_id"])
        if "memory_ids" in given:
            given["memory_ids"] = [self.ids.get(each, each) for each in given["memory_ids"]]
        return given

    # --- steps ---------------------------------------------------------------------------

    def step(self, step: Step, own: Mapping[str, Callable[[], Any]]) -> Any:
        """What a step gives, in the shape in which it was recorded."""
        call, expected = step.get("call"), step["expected"]
        try:
            if call is None:
                result = own[step["step"]]()
            else:
                result = self.call(call["method"], {k: v for k, v in call.items() if k != "method"})
        except ValueError:
            return {"raises": "ValueError"}
        if not isinstance(expected, Mapping) or not isinstance(result, Mapping):
            return result
        return shaped(self, result, expected)

    def call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        return self.desk.do(getattr(self.desk.service, method)(**self._in(arguments)))

    def detail(self, label: str) -> Any:
        return self.call("get_memory_detail", {"memory_id": label})

    def live(self) -> list[str]:
        pks = self.desk.library.engine.ask(q.ListMemories(MemoryFilter()))
        rows = self.desk.library.engine.ask(q.MemoryRows(tuple(pks)))
        return sorted(self.label(row.id) for row in rows)

    def counts(self) -> dict[str, Any]:
        return dict(self.call("get_status", {})["counts"])


def shaped(replay: Replay, result: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the answer that were recorded; some were recorded in short."""
    if set(expected) == {"raises"}:
        return {key: value for key, value in result.items() if key not in ("action", "items")}
    wanted = expected.get("id") if isinstance(expected.get("id"), str) else None
    found: dict[str, Any] = {}
    for key in expected:
        maker = _SHORT.get(key)
        value = maker(result) if maker is not None else _MISSING
        found[key] = result.get(key) if value is _MISSING else value
    if isinstance(found.get("id"), str):
        found["id"] = replay.label(found["id"], wanted)
    for key in ("ids", "folder_memory_ids"):
        if isinstance(found.get(key), list):
            found[key] = [replay.label(each) for each in found[key]]
    if isinstance(found.get("results"), list):
        found["results"] = [
            {"id": replay.label(item["id"]), "score": item["score"], "collection": item["collection"]}
            for item in found["results"]
        ]
    if isinstance(found.get("item"), Mapping):
        found["item"] = _whole_item(replay, found["item"])
    if isinstance(found.get("memo_id"), str):
        found["memo_id"] = replay.label(found["memo_id"], expected.get("memo_id"))
    return found


_MISSING = object()


def _items(result: Mapping[str, Any]) -> list[Any]:
    return result.get("items") or result.get("results") or []


def _one(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The single record of an answer."""
    if isinstance(result.get("item"), Mapping):
        return result["item"]
    return _items(result)[0] if _items(result) else {}


def _keys(result: Mapping[str, Any]) -> list[str]:
    return sorted(_items(result)[0]) if _items(result) else []


def _meta(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda result: _one(result).get("metadata", {}).get(name, _MISSING)


def _memo(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda result: _one(result).get(name, _MISSING)


def _hours(result: Mapping[str, Any]) -> float:
    item = _one(result)
    return round((item["expires_at"] - item["updated_at"]) / 3600, 6)


_SHORT: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "ids": lambda result: [item["id"] for item in _items(result)],
    "item_keys": lambda result: sorted(result["item"]) if "item" in result else _keys(result),
    "result_keys": _keys,
    "keys": lambda result: (
        sorted(result) if ("action" in result and "recent" in result) or "counts" in result else _keys(result)
    ),
    "has_missing_key": lambda result: "missing" in result,
    "n_recent": lambda result: len(result["recent"]),
    "n_ids": lambda result: len(result["folder_memory_ids"]),
    "title": lambda result: _one(result).get("title", _MISSING),
    "snippet": lambda result: _one(result).get("content_snippet", _MISSING),
    "tags": _meta("tags"),
    "core": _meta("core_tags"),
    "diffusion": _meta("diffusion_tags"),
    "person_id": _meta("person_id"),
    "status": _meta("status"),
    "is_deleted": _meta("is_deleted"),
    "activation_count": _meta("activation_count"),
    "stream_id": _memo("stream_id"),
    "hours": _hours,
}


def _whole_item(replay: Replay, item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: "<time>" if key in TIMES else value for key, value in item["metadata"].items()}
    return {**item, "id": replay.label(item["id"]), "metadata": metadata}


@contextmanager
def replaying(given: Inputs) -> Iterator[Replay]:
    embedder = TableEmbedder(given.get("embeddings") or {}, given.get("default_embedding") or [0.5] * 4)
    with tempfile.TemporaryDirectory() as root:
        desk = Desk(Path(root) / "library", embedder)
        try:
            yield Replay(desk)
        finally:
            desk.close()


def recorded(name: str) -> Inputs:
    """Another run of the file, for the one that goes on from it."""
    runs = json.loads(RECORDED.read_text(encoding="utf-8"))["scenarios"]
    found: Inputs = next(run for run in runs if run["name"] == name)
    return found


@golden("upsert_create_and_merge")
def _upsert(given: Inputs) -> Any:
    with replaying(given) as replay:
        blank = iter(["", "  \n "])
        own = {
            "M2 after the merge": lambda: replay.detail("M2"),
            "blank content": lambda: replay.call("upsert_memory", {"content": next(blank)}),
        }
        return [replay.step(step, own) for step in given["steps"]]


@golden("person_merge")
def _person(given: Inputs) -> Any:
    with replaying(given) as replay:
        own = {
            "vector count / row count": lambda: {
                "vectors": replay.counts()["vector"]["memory"],
                "rows": replay.counts()["metadata"]["memory"],
            }
        }
        return [replay.step(step, own) for step in given["steps"]]


def _retrieve_steps(replay: Replay, given: Inputs) -> list[Any]:
    counted = "R1 activation count after the 8 retrievals above (+1 for each retrieval that returned it)"
    own = {counted: lambda: replay.detail("R1")}
    return [replay.step(step, own) for step in given["steps"]]


@golden(RETRIEVE)
def _retrieve(given: Inputs) -> Any:
    with replaying(given) as replay:
        return _retrieve_steps(replay, given)


@golden(GREP)
def _grep(given: Inputs) -> Any:
    before = recorded(RETRIEVE)
    with replaying(before) as replay:
        _retrieve_steps(replay, before)
        own = {
            "vectors left in the two memory collections": lambda: {
                name: replay.call("query_memory_status", {"folder_id": name})["vector_counts"]["memory"]
                for name in ("default", "old")
            },
            "upsert of R1's text -> merged into R1": lambda: _upsert_again(replay),
            "upsert that merges into a soft-deleted record revives it": lambda: _upsert_after_delete(replay),
        }
        return [replay.step(step, own) for step in given["steps"]]


def _upsert_again(replay: Replay) -> Any:
    """R1 has gone to another folder by now, so it comes back first (the original could not move it)."""
    replay.call("move_memories", {"memory_ids": ["R1"], "to_folder_id": "default"})
    return replay.call("upsert_memory", {"content": "m-one text"})


def _upsert_after_delete(replay: Replay) -> Any:
    replay.call("delete_memories", {"memory_ids": ["R1"]})
    return replay.call("upsert_memory", {"content": "m-one text"})


def _archive(given: Inputs) -> Any:
    with replaying(given) as replay:
        for label, status, uses in (
            ("A1", "active", 0),
            ("A2", "active", 2),
            ("A3", "archived", 1),
            ("A4", "active", 0),
        ):
            made = replay.call(
                "create_memory", {"title": label, "content": f"{label} text", "status": status}
            )
            replay.label(made["id"], label)
            for _ in range(uses):
                replay.call("update_activated", {"memory_id": label})
        replay.desk.now += timedelta(days=DAYS_LATER)
        own = {
            "vectors left": lambda: {"vectors": replay.counts()["vector"]["memory"]},
            "A1 status": lambda: replay.detail("A1")["item"]["metadata"]["status"],
            "rows and vectors left": lambda: {
                "rows": replay.live(),
                "vectors": replay.counts()["vector"]["memory"],
            },
        }
        return [replay.step(step, own) for step in given["steps"]]


for _name in ARCHIVE_RUNS:
    golden(_name)(_archive)


@golden("temporary_memo")
def _memos(given: Inputs) -> Any:
    with replaying(given) as replay:
        return [replay.step(step, {}) for step in given["steps"]]
