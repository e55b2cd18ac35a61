"""Whatever a model replies: it becomes a proposal that changes nothing, or it is refused in words."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.memory import Memory, TagSet
from core.domain.proposal_json import part_json, part_kind, part_of
from core.domain.schema_data import default_schema
from core.services.extract.building import Builder, Said
from core.services.extract.operations import read_operations
from core.services.extract.shelf import Known, Shelf
from tests.extract.desk import ExtractDesk, turns
from tests.fakes.model import ScriptedModel

WORDS = st.sampled_from(
    [
        "钟楼",
        "艾琳",
        "M1",
        "M2",
        "N1",
        "e1",
        "event",
        "location",
        "create",
        "update",
        "",
        " ",
        "\u0000",
        "\ud800",
        "x" * 50,
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *(
            "action",
            "event",
            "op",
            "type",
            "nodeId",
            "id",
            "ref",
            "fields",
            "importance",
            "seq",
            "sourceNodeId",
        ),
        *(
            "clusters",
            "tags",
            "links",
            "targetNodeId",
            "targetRef",
            "relation",
            "strength",
            "text",
            "content",
        ),
    ]
)
FIELDS = st.dictionaries(
    st.sampled_from(["summary", "name", "title", "state", "visibility", "danger", "constraint", "odd", ""]),
    VALUES,
    max_size=4,
)
OPERATIONS = st.fixed_dictionaries(
    {"action": st.sampled_from(["create", "update", "delete", "link", "none", "ADD"]) | VALUES},
    optional={
        "type": WORDS,
        "nodeId": WORDS,
        "ref": WORDS,
        "fields": FIELDS,
        "links": VALUES,
        "importance": VALUES,
    },
)
REPLIES = (
    st.fixed_dictionaries(
        {"operations": st.lists(OPERATIONS | st.dictionaries(KEYS, VALUES, max_size=6), max_size=6)}
    )
    | VALUES
)


def shelf() -> Shelf:
    memory: dict[str, Any] = {"names": ("钟楼",), "title": "钟楼", "body": "", "fields": {"state": "锁着"}}
    known = Known(label="M1", end=1, type="location", revision=1, **memory)  # type: ignore[arg-type]  # plain values stand for ids
    locked = Known(label="M2", end=2, type="character", title="艾琳", body="", names=("艾琳",), locked=True)  # type: ignore[arg-type]  # plain values stand for ids
    return Shelf(default_schema(), [known, locked])


@given(REPLIES)
@settings(max_examples=150, deadline=None)
def test_any_value_is_read_into_parts_that_can_be_kept(value: Any) -> None:
    builder = Builder(shelf(), "b1", 0, 3, Said("prompt", "艾琳 钟楼"))
    parts = builder.build(read_operations(value).operations)
    keys = [part.key for part in parts]
    assert len(set(keys)) == len(keys)
    for part in parts:
        assert part_of(part_kind(part), part.key, part.group, part.ticked, part_json(part)) == part


@given(
    st.lists(st.fixed_dictionaries({"operations": st.lists(OPERATIONS, max_size=5)}), min_size=2, max_size=2)
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_proposal_is_applied_as_far_as_it_can_be_and_taken_back(
    desk: ExtractDesk, replies: list[dict[str, Any]]
) -> None:
    chat = desk.chat(turns("走", "艾琳去了钟楼", "后来", "钟楼的门开了"), name=f"chats/{desk.now:%H%M%S}")
    tower = desk.memory(chat, "location", title="钟楼", tags=TagSet(general=("城",)))
    desk.run_locked(desk.memory(chat, "character", title="艾琳"))
    desk.set(chat, extract__force_update=False, extract__conflict_check=False)
    before = desk.dump()
    desk.chosen = ScriptedModel(lambda _messages: replies[len(desk.chosen.asked) - 1])  # type: ignore[union-attr]  # it is this model
    report = desk.extract(chat)
    if report.proposal is None or report.applied or not report.parts:
        return
    assert desk.dump() == before
    desk.apply(report.proposal)
    after = desk.dump()
    memories: list[Memory] = desk.all_of(chat)
    assert any(memory.pk == tower for memory in memories)
    if after != before:
        desk.undo()
        assert desk.dump() == before
        desk.redo()
        assert desk.dump() == after
