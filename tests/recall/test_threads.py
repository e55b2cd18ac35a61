"""Several windows' worth of questions at once, while somebody writes."""

from __future__ import annotations

import itertools
import threading

from core.domain.recall import RecallRequest
from core.domain.recipes import RECIPES
from tests.recall.desk import RecallDesk


def test_recalls_in_parallel_with_writes_all_answer(vector_desk: RecallDesk) -> None:
    desk = vector_desk
    folder = desk.folder()
    made = [desk.memory(folder, body=f"守夜人在钟楼看见了第{at}颗流星", seq=at) for at in range(40)]
    for source, target in itertools.pairwise(made):
        desk.edge(source, target)
    desk.embed_all()
    errors: list[BaseException] = []
    found: list[int] = []

    def ask(number: int) -> None:
        try:
            for turn in range(6):
                recipe = RECIPES[(number + turn) % len(RECIPES)]
                viewer = "" if turn % 2 else "艾琳"
                request = RecallRequest(
                    message=f"守夜人在钟楼看见了什么 {turn % 3}", folder=folder, recipe=recipe, viewer=viewer
                )
                found.append(len(desk.service.recall(request).selected))
        except BaseException as error:  # noqa: BLE001 - shown by the test
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for at in range(12):
        desk.memory(folder, body=f"钟楼的钟敲了{at}下", seq=100 + at)
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(found) == 24
    assert all(found)
