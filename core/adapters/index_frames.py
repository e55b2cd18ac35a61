"""Messages between the program and its index process: pickled frames with a length before each."""

from __future__ import annotations

import pickle
import struct
from typing import BinaryIO, NamedTuple

_LENGTH = struct.Struct("<Q")

OK, LOCKED, WRONG_DIMS, NOT_CHROMA, FAILED = "ok", "locked", "wrong_dims", "not_chroma", "failed"
"""Kinds of reply: the answer, or why there is none."""


class Request(NamedTuple):
    """A call of a method of the worker."""

    number: int
    method: str
    args: tuple[object, ...]


class Reply(NamedTuple):
    """The answer to the request of that number; for another kind than OK the reason in English."""

    number: int
    kind: str
    value: object


def write_frame(stream: BinaryIO, message: Request | Reply) -> None:
    """Sends one message. Errors: OSError when the other side is gone."""
    data = pickle.dumps(tuple(message), protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _read_frame(stream: BinaryIO) -> tuple[object, ...]:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    message: tuple[object, ...] = pickle.loads(data)  # noqa: S301 - both ends are this program
    return message


def read_request(stream: BinaryIO) -> Request:
    """Waits for the next request. Errors: EOFError when the other side is gone."""
    return Request(*_read_frame(stream))  # type: ignore[arg-type]  # written by write_frame


def read_reply(stream: BinaryIO) -> Reply:
    """Waits for the next reply. Errors: EOFError when the other side is gone."""
    return Reply(*_read_frame(stream))  # type: ignore[arg-type]  # written by write_frame
