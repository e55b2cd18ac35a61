"""The messages of a long chat, packed: a plan may wait for a person while it holds all of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, overload

from core.adapters.formats.values import EPOCH
from core.domain.enums import Role
from core.domain.transfer import PlannedMessage

BLOCK = 500
_MICROSECOND = timedelta(microseconds=1)


class PackedMessages(Sequence[PlannedMessage]):
    """Messages of one folder in compressed blocks, read again block by block. Equal when all messages are."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._open: list[list[Any]] = []
        self._count = 0
        self._kept: tuple[int, list[PlannedMessage]] = (-1, [])

    def append(self, message: PlannedMessage) -> None:
        """Add the next message."""
        time = message.sent_at
        self._open.append(
            [
                message.folder,
                message.seq,
                message.role.value,
                message.name,
                message.text,
                message.hidden,
                None if time is None else (time - EPOCH) // _MICROSECOND,
                message.extra,
            ]
        )
        self._count += 1
        if len(self._open) == BLOCK:
            self._blocks.append(_packed(self._open))
            self._open = []

    def mapped(self, change: Callable[[PlannedMessage], PlannedMessage]) -> PackedMessages:
        """All messages, each changed."""
        made = PackedMessages()
        for message in self:
            made.append(change(message))
        return made

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[PlannedMessage]:
        for index in range(len(self._blocks) + bool(self._open)):
            yield from self._block(index)

    @overload
    def __getitem__(self, at: int) -> PlannedMessage: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[PlannedMessage]: ...
    def __getitem__(self, at: int | slice) -> PlannedMessage | Sequence[PlannedMessage]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(self._count))]
        index = at + self._count if at < 0 else at
        if not 0 <= index < self._count:
            raise IndexError(at)
        number = index // BLOCK
        if self._kept[0] != number:
            self._kept = (number, self._block(number))
        return self._kept[1][index % BLOCK]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedMessages):
            return NotImplemented
        return self._blocks == other._blocks and self._open == other._open

    def __hash__(self) -> int:
        return hash(tuple(self._blocks))

    def _block(self, index: int) -> list[PlannedMessage]:
        rows = self._open if index == len(self._blocks) else json.loads(zlib.decompress(self._blocks[index]))
        return [
            PlannedMessage(
                folder=row[0],
                seq=row[1],
                role=Role(row[2]),
                name=row[3],
                text=row[4],
                hidden=row[5],
                sent_at=None if row[6] is None else EPOCH + row[6] * _MICROSECOND,
                extra=row[7],
            )
            for row in rows
        ]


def _packed(rows: list[list[Any]]) -> bytes:
    return zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), 1)
