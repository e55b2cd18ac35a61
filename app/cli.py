"""The command line: parses by the table of commands, prints lines or JSON, ends with a code.

Codes: 0 done, 1 something the person can put right, 2 wrong usage, 3 changed by somebody else since.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app import container, crash, library_place, writers
from app.answers import LARGEST_NUMBER, Answer, Say, error_json, error_key, error_text, hint_lines
from app.commands import COMMANDS, Argument, CommandSpec, Takes
from app.language import language_of
from core.domain import texts
from core.domain.access import ReadOnly
from core.domain.errors import Conflict, CuratorError, Invalid
from core.domain.safe_text import storable
from core.settings import Settings

DONE, USER_ERROR, USAGE, CONFLICT = 0, 1, 2, 3
WRITER = "cli"
_BY_NAME = {spec.name: spec for spec in COMMANDS}


def parser(say: Say) -> argparse.ArgumentParser:
    """The parser of all commands, and of the two ways to open the window."""
    top = argparse.ArgumentParser(
        prog="memory-curator", description=say("cli.about"), epilog=say("cli.codes")
    )
    top.add_argument("--library", metavar="DIR", help=say("cli.arg.library"))
    top.add_argument("--read-only", action="store_true", help=say("cli.arg.read_only"))
    top.add_argument("--tour", metavar="DIR", help=say("cli.arg.tour"))
    top.add_argument("--endpoint", metavar="URL", help=say("cli.arg.tour_endpoint"))
    top.add_argument("--model", metavar="NAME", default="", help=say("cli.arg.tour_model"))
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND")
    for spec in COMMANDS:
        about = say(f"cli.command.{spec.name}")
        sub = subparsers.add_parser(spec.name, help=about, description=about)
        sub.add_argument("--library", metavar="DIR", default=argparse.SUPPRESS, help=say("cli.arg.library"))
        sub.add_argument(
            "--read-only", action="store_true", default=argparse.SUPPRESS, help=say("cli.arg.read_only")
        )
        sub.add_argument("--json", action="store_true", help=say("cli.arg.json"))
        for argument in spec.arguments:
            _add(sub, argument, say)
    return top


def _add(sub: argparse.ArgumentParser, argument: Argument, say: Say) -> None:
    options: dict[str, Any] = {"help": say(f"cli.arg.{argument.key}")}
    if argument.takes is Takes.FLAG:
        sub.add_argument(argument.name, action="store_true", **options)
        return
    if argument.metavar:
        options["metavar"] = argument.metavar
    if argument.choices:
        options["choices"] = [str(choice) for choice in argument.choices]
    match argument.takes:
        case Takes.TEXTS:
            options["nargs"] = "+"
        case Takes.ANY_TEXTS:
            options["nargs"] = "*"
        case Takes.OPTIONAL_TEXT:
            options["nargs"] = "?"
        case Takes.NUMBER:
            options["type"] = _number
        case Takes.DECIMAL:
            options["type"] = float
        case Takes.REPEATED:
            options["action"] = "append"
        case _:
            pass
    if argument.name.startswith("--"):
        options |= {"default": argument.default, "required": argument.required, "dest": argument.key}
    sub.add_argument(argument.name, **options)


SHOWN_CONFLICTS = 10
SHOWN_PATH = 80
PATHS = frozenset({"FILE", "PATH", "PACKAGE"})
"""Arguments of these names are files or directories."""


def _number(text: str) -> int:
    """A whole number that the store can compare with. Errors: ArgumentTypeError, i.e. wrong usage."""
    try:
        number = int(text)
    except ValueError:
        number = LARGEST_NUMBER + 1
    if abs(number) > LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"invalid whole number: {text[:40]!r}")
    return number


def run(arguments: Mapping[str, Any], settings: Settings, say: Say) -> int:
    """Run one parsed command. Returns the exit code."""
    spec = _BY_NAME[arguments["command"]]
    as_json = arguments["json"]
    try:
        _check_paths(spec, arguments)
        answer = _answer(spec, arguments, settings, say)
    except CuratorError as error:
        if as_json:
            _print_json({"error": error_json(error, say)})
        else:
            rows = error.details.splitlines()[:SHOWN_CONFLICTS] if isinstance(error, Conflict) else ()
            lines = (
                error_text(error, say),
                *(f"  {row}" for row in rows),
                *hint_lines(error_key(error), arguments, say),
            )
            print("\n".join(lines), file=sys.stderr)
        return CONFLICT if isinstance(error, Conflict) else USER_ERROR
    if as_json:
        _print_json(answer.data)
    else:
        print("\n".join(answer.lines))
    return DONE if answer.done else USER_ERROR


def _check_paths(spec: CommandSpec, arguments: Mapping[str, Any]) -> None:
    """Errors: Invalid for a name that no file can have here."""
    given = [arguments["library"]]
    for argument in spec.arguments:
        if argument.metavar in PATHS:
            value = arguments[argument.key]
            given += value if isinstance(value, list) else [value]
    for name in given:
        try:
            os.lstat(name or ".")
        except ValueError as error:  # NUL, or half of a character
            raise Invalid("error.cli.path", path=storable(name)[:SHOWN_PATH]) from error
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise Invalid("error.cli.path", path=storable(name)[:SHOWN_PATH]) from error


def _answer(spec: CommandSpec, arguments: Mapping[str, Any], settings: Settings, say: Say) -> Answer:
    if spec.anywhere is not None:
        return spec.anywhere(settings, arguments, say)
    root = container.library_dir(arguments["library"], settings)
    if arguments.get("dry_run", False) and not library_place.library_exists(root):
        with tempfile.TemporaryDirectory() as empty:  # a dry run leaves nothing behind
            return _answer_of(spec, arguments, settings, say, Path(empty))
    return _answer_of(spec, arguments, settings, say, root)


def _answer_of(
    spec: CommandSpec, arguments: Mapping[str, Any], settings: Settings, say: Say, root: Path
) -> Answer:
    if spec.unopened is not None:
        answer = spec.unopened(root, settings, arguments, say)
        if answer is not None:
            return answer
    asked = ReadOnly.ASKED if arguments["read_only"] else None
    library = container.open_library(
        root, writers.program(WRITER), settings, create=spec.creates, read_only=asked
    )
    try:
        return spec.function(library, arguments, say)
    finally:
        library.close()


def _print_json(data: Mapping[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=2))


def main(argv: Sequence[str]) -> int:
    """Parse and run. Wrong usage ends with code 2 (SystemExit, by argparse)."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
    settings = container.load_settings()
    language = language_of(settings)

    def say(key: str, /, **args: object) -> str:
        return texts.render(language, key, **args)

    arguments = vars(parser(say).parse_args(argv))
    try:
        if arguments["command"] is None:
            return _open_window(arguments)
        return run(arguments, settings, say)
    except KeyboardInterrupt:
        print(say("error.cancelled"), file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:
        return _reader_gone()
    except Exception as error:
        file = crash.report(error)
        print(say("error.bug", path="?" if file is None else str(file)), file=sys.stderr)
        return USER_ERROR


def _reader_gone() -> int:
    """Whoever read the output has stopped (`| head`): end quietly, also when Python flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return DONE


def _open_window(arguments: Mapping[str, Any]) -> int:
    if arguments["tour"] is not None:
        from app import tour

        url = arguments["endpoint"]
        return tour.main(Path(arguments["tour"]), tour.Endpoint(url, arguments["model"]) if url else None)
    from app import gui

    library = None if arguments["library"] is None else Path(arguments["library"])
    return gui.main(library, read_only=arguments["read_only"])
