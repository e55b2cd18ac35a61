"""After an edit or a rename: who still says the old thing, and how that goes away."""

from dataclasses import replace

import pytest

from core.domain.commands import EditMemory, FindAndReplace, MoveMemories, TrashMemories
from core.domain.commands_folders import SetAlsoReads
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_sayings import KeepOldTexts
from core.domain.errors import NotFound
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.proposal import ChangePart, NewProposal, ProposalKind
from core.domain.queries import PreviewReplace
from core.domain.queries_sayings import OldTextsOf
from core.domain.queries_upkeep import SummariesOutOfDate
from core.domain.sayings import KEPT_KEY, OldTexts
from core.ports.store import OpDraft, UnitOfWork
from core.services import compress
from core.services.package_content import ContentScope, LibraryContent
from tests.services.desk import PERSON, Desk


def found(desk: Desk, pk: MemoryPk) -> OldTexts:
    return desk.ask(OldTextsOf(pk))


def above(desk: Desk, pk: MemoryPk) -> list[MemoryPk]:
    return [each.row.pk for each in found(desk, pk).above]


def named(desk: Desk, pk: MemoryPk) -> list[MemoryPk]:
    return [each.row.pk for each in found(desk, pk).named]


def summed_up(desk: Desk, folder: FolderPk, children: list[MemoryPk], body: str, level: int = 1) -> MemoryPk:
    pk = desk.memory(folder, body=body)

    def write(uow: UnitOfWork) -> None:
        uow.update(Memory.KIND, children, {"parent": pk})
        uow.update(Memory.KIND, [pk], {"level": level})

    desk.store.write(OpDraft("op.change", PERSON), write)
    return pk


def test_summaries_over_an_edited_memory_say_the_old_thing_until_they_are_written_again(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="They found 13 children.")
    lower = summed_up(desk, folder, [event], "13 children were found")
    upper = summed_up(desk, folder, [lower], "much happened", level=2)
    assert not found(desk, event).any
    edit = desk.run(EditMemory(memory=event, body="They found 14 children."))
    assert above(desk, event) == [lower, upper]
    assert [each.renewable for each in found(desk, event).above] == [True, False]
    desk.run(EditMemory(memory=lower, body="14 children were found"))
    assert above(desk, event) == [upper]
    desk.undo()
    desk.undo(edit.op.id if edit.op else None)
    assert above(desk, event) == []


def test_keeping_old_texts_is_a_change_that_holds_until_the_next_edit(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="They found 13 children.")
    summary = summed_up(desk, folder, [event], "13 children were found")
    desk.run(EditMemory(memory=event, body="They found 14 children."))
    before = desk.dump()
    desk.run(KeepOldTexts(memories=(event,)))
    assert above(desk, event) == []
    assert compress.out_of_date(desk.store.upkeep, SummariesOutOfDate()) == ()
    desk.undo()
    assert desk.dump() == before
    assert above(desk, event) == [summary]
    desk.redo()
    desk.run(EditMemory(memory=event, body="They found 15 children."))
    assert above(desk, event) == [summary]
    with pytest.raises(NotFound):
        desk.run(KeepOldTexts(memories=(MemoryPk(99999),)))


def test_synopsis_and_reflection_that_hold_the_old_number_or_value_are_named(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="钟楼里有十三个孩子。")
    irene = desk.memory(folder, "character", title="艾琳", fields={"state": "在钟楼养伤"})
    synopsis = desk.memory(folder, "synopsis", body="十三个孩子被找到，艾琳在钟楼养伤。")
    reflection = desk.memory(folder, "reflection", body="艾琳独自行动。")
    desk.run(EditMemory(memory=event, body="钟楼里有十四个孩子。"))
    (only,) = found(desk, event).above
    assert (only.row.pk, only.words, only.renewable) == (synopsis, ("十三个",), True)
    desk.run(EditMemory(memory=irene, fields={"state": "失踪"}))
    assert above(desk, irene) == [synopsis]
    desk.run(EditMemory(memory=synopsis, body="十四个孩子被找到。"))
    assert above(desk, event) == above(desk, irene) == []
    assert reflection not in above(desk, irene)


def test_memories_that_hold_the_old_title_are_named_until_it_is_replaced(desk: Desk) -> None:
    folder, world, apart = desk.folder(), desk.folder("world"), desk.folder("apart")
    desk.run(SetAlsoReads(folder, (world,)))
    irene = desk.memory(world, "character", title="Irene")
    event = desk.memory(folder, body="Then Irene left.", fields={"participants": "Irene, Tom"})
    desk.memory(folder, body="The irenes are flowers, serene.")
    desk.memory(apart, body="Another Irene.")
    gone = desk.memory(folder, body="Irene is here.")
    desk.run(TrashMemories(memories=(gone,)))
    desk.run(EditMemory(memory=irene, title="Irene Moss"))
    later = desk.memory(folder, body="Irene Moss came back, once called Irene.")
    report = found(desk, irene)
    assert (report.old_titles, report.title) == (("Irene",), "Irene Moss")
    assert [each.row.pk for each in report.named] == [event]
    command = FindAndReplace(
        memories=(event, later),
        pattern="Irene",
        replacement="Irene Moss",
        whole_words=True,
        keep_replaced=True,
    )
    afters = {change.after for change in desk.ask(PreviewReplace(command)).changes}
    assert "Irene Moss came back, once called Irene Moss." in afters
    desk.run(replace(command, memories=(event,)))
    assert desk.get(event).body == "Then Irene Moss left."
    assert desk.get(event).fields == {"participants": "Irene Moss, Tom"}
    assert not found(desk, irene).any
    desk.undo()
    assert named(desk, irene) == [event]


def test_an_old_title_that_is_kept_as_another_name_is_right(desk: Desk) -> None:
    folder = desk.folder()
    tower = desk.memory(folder, "location", title="鐘樓")
    event = desk.memory(folder, body="他们进了钟楼。")
    desk.run(EditMemory(memory=tower, title="灯塔"))
    assert named(desk, tower) == [event]
    desk.run(EditMemory(memory=tower, aliases=("钟楼",)))
    assert named(desk, tower) == []
    desk.undo()
    desk.run(EditMemory(memory=tower, title="钟楼"))
    assert not found(desk, tower).any


def test_moves_and_changes_by_the_story_leave_old_values_alone(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="艾琳", fields={"state": "在钟楼养伤"})
    desk.memory(folder, "synopsis", body="艾琳在钟楼养伤。")
    desk.run(MoveMemories(memories=(irene,), folder=desk.folder("b")))
    desk.run(MoveMemories(memories=(irene,), folder=folder))
    part = ChangePart(key="c", memory=irene, fields={"state": "失踪"})
    made = NewProposal(kind=ProposalKind.EXTRACTION, folder=folder, source="", parts=(part,))
    desk.run(ApplyProposal(proposal=desk.store.proposals.add(made)))
    assert desk.get(irene).fields["state"] == "失踪"
    assert not found(desk, irene).any


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "after"),
    [
        ("Ann and Anna", "Ann", "Eve", "Eve and Anna"),
        ("小明和Ann去了", "Ann", "Eve", "小明和Eve去了"),
        ("钟楼下的钟楼", "钟楼", "灯塔", "灯塔下的灯塔"),
        ("Annie", "Ann", "Eve", "Annie"),
        ("이린은 Ann이다", "이린", "소라", "소라은 Ann이다"),
        ("old Ann Lee, Ann", "Ann", "Ann Lee", "old Ann Lee, Ann Lee"),
        ("a.b.", "a.b", "a.b.c", "a.b.c."),
    ],
)
def test_whole_words_are_replaced_where_a_script_writes_spaces(
    desk: Desk, text: str, pattern: str, replacement: str, after: str
) -> None:
    pk = desk.memory(desk.folder(), body=text)
    command = FindAndReplace(
        memories=(pk,), pattern=pattern, replacement=replacement, whole_words=True, keep_replaced=True
    )
    desk.run(command)
    assert desk.get(pk).body == after


def test_only_words_of_the_story_count_as_old(desk: Desk) -> None:
    folder = desk.folder()
    for name in ("艾琳", "罗安"):
        desk.memory(folder, "character", title=name)
    event = desk.memory(folder, body="艾琳找到了钥匙。", fields={"status": "ongoing"})
    letter = desk.memory(folder, "character", title="A")
    synopsis = desk.memory(folder, "synopsis", body="A thing is ongoing: 艾琳找到了钥匙。")
    desk.run(EditMemory(memory=event, fields={"status": "resolved"}))
    assert not found(desk, event).any
    desk.run(EditMemory(memory=letter, title="Anna"))
    assert not found(desk, letter).any
    desk.run(EditMemory(memory=event, body="罗安找到了钥匙。"))
    (only,) = found(desk, event).above
    assert (only.row.pk, only.words) == (synopsis, ("艾琳",))


def test_what_was_kept_is_a_matter_of_this_library_alone(desk: Desk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="They found 13 children.")
    desk.run(EditMemory(memory=event, body="They found 14 children."))
    desk.run(KeepOldTexts(memories=(event,)))
    assert KEPT_KEY in desk.get(event).extra
    with desk.store.read() as reader:
        (packed,) = LibraryContent(reader, ContentScope()).memories()
    assert KEPT_KEY not in packed.memory.extra
