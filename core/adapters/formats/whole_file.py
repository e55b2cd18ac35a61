"""Writing a file or a directory so that it is either there as a whole or not at all."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from core.domain.errors import UserError

_SQLITE_SIDES = ("-wal", "-shm", "-journal")


def _nothing(_path: Path) -> None:
    """Nothing is to be done before."""


@contextmanager
def new_file(path: Path, *, overwrite: bool, before: Callable[[Path], None] = _nothing) -> Iterator[Path]:
    """A place beside `path` to write to; it becomes `path` when the block ends without an error.

    `before` is called with the path when all is written and nothing is replaced yet.
    Errors: UserError when `path` is taken and `overwrite` is not set, or nothing can be written there.
    """
    path = path.absolute()
    try:
        check_target(path, overwrite=overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name[:40]}-{secrets.token_hex(6)}.part")
        part.touch(exist_ok=False)  # with the rights that any new file gets, unlike a private temporary one
        try:
            yield part
            before(path)
            if path.is_file():
                shutil.copymode(path, part)
            for suffix in _SQLITE_SIDES:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UserError("error.export.cannot_write", path=str(path), details=str(error)) from error


@contextmanager
def new_directory(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """The same for a directory: `overwrite` replaces what is written, and leaves everything else alone.

    A directory inside that holds files of its own (those of a Chroma index belong together) is replaced as a whole.
    """
    path = path.absolute()
    try:
        check_target(path, overwrite=overwrite or (path.is_dir() and not any(path.iterdir())))
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name[:40]}-", dir=path.parent) as name:
            part = Path(name)
            yield part
            _move_in(part, path)
    except OSError as error:
        raise UserError("error.export.cannot_write", path=str(path), details=str(error)) from error


def is_same_file(one: Path | None, other: Path | None) -> bool:
    """Whether both are there and the same; a path that can hold no file is none."""
    try:
        return (
            one is not None and other is not None and one.exists() and other.exists() and one.samefile(other)
        )
    except OSError:
        return False


def kept_name(path: Path) -> Path:
    """The name under which the old one is kept beside the new."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    return path.with_name(f"{path.name}.{stamp}.bak")


def check_target(path: Path, *, overwrite: bool) -> None:
    """Errors: UserError when something is there already and is not to be replaced, as no device ever is."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise UserError("error.export.cannot_write", path=str(path), details="no regular file")
    if path.exists() and not overwrite:
        raise UserError("error.export.exists", path=str(path), name=path.name)


def _move_in(part: Path, path: Path) -> None:
    path.mkdir(exist_ok=True)
    for item in sorted(part.iterdir()):
        target = path / item.name
        if item.is_dir() and target.is_dir() and all(each.is_dir() for each in item.iterdir()):
            _move_in(item, target)
            continue
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        for suffix in _SQLITE_SIDES:  # a -wal of the file that is replaced would spoil the new one
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        item.replace(target)
