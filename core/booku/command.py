"""The tools that a model calls: `memory_command` and `temporary_memo` (spec/BOOKU §4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from core.algos.command_line import (
    MEMORY_TYPES,
    CommandProblem,
    ServiceCall,
    parse_segment,
    plan,
    split_segments,
)
from core.domain.texts import render

Call = Callable[[ServiceCall], Awaitable[object]]
Answer = tuple[bool, dict[str, Any]]
FALLBACK = "en"


def problem_text(problem: CommandProblem, language: str) -> str:
    """What is wrong with a command, in words."""
    return render(language, f"booku.command.{problem.code}", subject=problem.subject)


@cache
def manual(language: str) -> str:
    """The manual that `help` answers with."""
    folder = resources.files("resources") / "prompts" / "booku"
    file = folder / language / "memory_command.v1.md"
    return file.read_text(encoding="utf-8") if file.is_file() else manual(FALLBACK)


async def run_command(
    command: str,
    call: Call,
    *,
    help_text: str,
    describe: Callable[[CommandProblem], str],
    types: frozenset[str] = MEMORY_TYPES,
) -> Answer:
    """Run the commands of a line one after the other, until one fails. Always answers, never raises.

    `call` runs a method of the service; `describe` says a problem in words.
    """
    results: list[dict[str, Any]] = []
    segments = split_segments(command)
    if not segments:
        problem = CommandProblem("no_segment" if command.strip() else "empty_command")
        results.append(_failed(command.strip(), describe(problem)))
    for segment in segments:
        try:
            planned = plan(parse_segment(segment), types=types)
            result = (
                {"action": "help", "content": help_text} if planned.method == "help" else await call(planned)
            )
        except CommandProblem as error:
            results.append(_failed(segment, describe(error)))
            break
        except (ValueError, RuntimeError) as error:
            results.append(_failed(segment, str(error)))
            break
        results.append({"command": segment, "success": True, "result": result})
    return True, {
        "action": "memory_command",
        "ok": all(result["success"] for result in results),
        "executed": len(results),
        "results": results,
    }


def _failed(command: str, error: str) -> dict[str, Any]:
    return {"command": command, "success": False, "error": error}


async def keep_memo(create: Callable[[], Awaitable[Mapping[str, Any]]]) -> Answer:
    """The answer of the tool temporary_memo."""
    action = "create_temporary_memo"
    try:
        return True, {"action": action, "ok": True, "result": await create()}
    except (ValueError, RuntimeError) as error:
        return False, {"action": action, "ok": False, "error": str(error)}
