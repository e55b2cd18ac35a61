"""Commands that show what the next prompt would get: recall, inject, why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.answers import Answer, Say, one_line
from app.commands_named import folder_named, resolved
from core.domain import queries as q
from core.domain import queries_recall as qr
from core.domain.errors import Invalid
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.memory import TagSet
from core.domain.recall import (
    Injection,
    Layout,
    PathStep,
    Recalled,
    RecallMode,
    RecallRequest,
    RecallResult,
    Scope,
    Setting,
    Stage,
)
from core.domain.recipes import SettingForm, recipe
from core.domain.tags import check_triple

if TYPE_CHECKING:
    from app.library import Library
    from core.domain.api import EngineApi

CALLER = "cli"
TITLE_CHARS = 60
_YES_NO = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def recall(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """What is recalled for a message, with the numbers that explain it."""
    result = library.engine.ask(qr.Recall(_request(library.engine, args)))
    names = _Names(library.engine, result)
    lines = [
        f"{place:>3}  {item.score:7.4f}  {item.id}  {item.type:<10}  {one_line(item.title, TITLE_CHARS)}  ({_parts(item, say)})"
        for place, item in enumerate(result.selected, 1)
    ]
    lines = lines or [say("cli.nothing_found")]
    lines += [say(note.key, **note.args) for note in result.notes]
    lines += [
        say(
            "cli.recall.dropped", id=item.id, title=one_line(item.title, TITLE_CHARS), stage=_stage(item, say)
        )
        for item in result.left_out
    ]
    lines.append(
        say(
            "cli.recall.sum",
            count=len(result.selected),
            core=len(result.core),
            tokens=result.injection.tokens,
        )
    )
    return Answer(result_json(result, names, say), tuple(lines))


def inject(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """The text for the prompt."""
    result = library.engine.ask(qr.Recall(_request(library.engine, args)))
    names = _Names(library.engine, result)
    data = {**injection_json(result.injection, names), "run": result.run, "notes": _notes(result, say)}
    return Answer(data, tuple(result.injection.text.split("\n")))


def why(library: Library, args: Mapping[str, Any], say: Say) -> Answer:
    """Why a memory is or is not recalled for a message."""
    engine = library.engine
    pk = resolved(engine, [args["memory"]], args["folder"])[0]
    answer = engine.ask(qr.WhyNot(_request(engine, args), pk))
    item = answer.recalled
    twin = None if answer.twin is None else engine.ask(q.MemoryRows((answer.twin,)))
    remedy = answer.remedy
    data = {
        "selected": answer.selected,
        "core": answer.core,
        **recalled_json(item, {}),
        "remedy": None if remedy is None else remedy.value,
        "value": answer.value,
        "twin": twin[0].id if twin else None,
    }
    state = "cli.why.selected" if answer.selected else "cli.why.core" if answer.core else "cli.why.dropped"
    lines = [
        say(
            state, title=one_line(item.title, TITLE_CHARS), stage=_stage(item, say), score=f"{item.score:.4f}"
        )
    ]
    if parts := _parts(item, say):
        lines.append(f"  {parts}")
    if remedy is not None:
        lines.append(say("cli.why.remedy", change=say(f"recall.remedy.{remedy.value}", value=answer.value)))
    return Answer(data, tuple(lines))


# --- the request ----------------------------------------------------------------------------


def _request(engine: EngineApi, args: Mapping[str, Any]) -> RecallRequest:
    """The request of the arguments. Errors: NotFound (folder, recipe), Invalid (tags, settings)."""
    tags = TagSet(
        core=_listed(args["core"]), diffusion=_listed(args["diffusion"]), opposing=_listed(args["opposing"])
    )
    check_triple(tags)
    folder = folder_named(engine, args["folder"]).pk if args["folder"] else None
    layout, commit = args.get("layout"), args.get("commit", False)
    return RecallRequest(
        message=args["message"],
        folder=folder,
        scope=Scope.LIBRARY if folder is None else Scope(args["scope"]),
        viewer=args["viewer"],
        as_of_seq=args["as_of"],
        recipe=args["recipe"],
        settings=_settings(args["recipe"], args["set"] or ()),
        tags=tags,
        include_archived=args["include_archived"],
        include_knowledge=args["include_knowledge"],
        top_k=_positive("--top-k", args["top_k"], least=1),
        budget_tokens=_positive("--budget", args["budget"], least=0),
        layout=None if layout is None else Layout(layout),
        mode=RecallMode.COMMIT if commit else RecallMode.PREVIEW,
        caller=CALLER,
        seed=args["seed"] or 0,
    )


def _listed(values: Sequence[str] | None) -> tuple[str, ...]:
    """Tags that were given one by one or with commas."""
    return tuple(tag for value in values or () for part in value.split(",") if (tag := part.strip()))


def _positive(name: str, value: int | None, *, least: int) -> int | None:
    if value is not None and value < least:
        raise Invalid("error.cli.number_small", argument=name, least=least)
    return value


def _settings(name: str, assignments: Sequence[str]) -> dict[str, Setting]:
    """Recipe settings from `key=value`. Errors: Invalid, NotFound for a recipe that there is not."""
    chosen = recipe(name)
    values: dict[str, Setting] = {}
    for text in assignments:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise Invalid("error.cli.assignment", text=text)
        values[key.strip()] = _setting(value.strip(), chosen.setting(key.strip()).form)
    return values


def _setting(value: str, form: SettingForm) -> Setting:
    """The value as the form has it; what does not fit is refused by the recipe, in words."""
    if form is SettingForm.FLAG:
        return _YES_NO.get(value.lower(), value)
    if form is SettingForm.CHOICE:
        return value
    try:
        return float(value)
    except ValueError:
        return value


# --- answers --------------------------------------------------------------------------------


class _Names:
    """Ids of all memories that a result names by pk."""

    def __init__(self, engine: EngineApi, result: RecallResult) -> None:
        injected = (item.memory for section in result.injection.sections for item in section.memories)
        left_out = (pk for section in result.injection.sections for pk in section.left_out)
        steps = (step.memory for item in (*result.selected, *result.left_out) for step in item.path)
        pks = tuple(dict.fromkeys([*result.core, *injected, *left_out, *steps]))
        self.by_pk: dict[MemoryPk, str] = {row.pk: row.id for row in engine.ask(q.MemoryRows(pks))}

    def get(self, pk: MemoryPk) -> str:
        """The id of a memory."""
        return self.by_pk.get(pk, "")


def result_json(result: RecallResult, names: _Names, say: Say) -> dict[str, Any]:
    """A recall with its trace."""
    return {
        "recipe": result.request.recipe,
        "logic_depth": result.logic_depth,
        "resonance": result.resonance,
        "beta": result.beta,
        "selected": [recalled_json(item, names.by_pk) for item in result.selected],
        "core": [names.get(pk) for pk in result.core],
        "left_out": [recalled_json(item, names.by_pk) for item in result.left_out],
        "stages": [
            {
                "stage": stage.stage.value,
                "entered": stage.entered,
                "left": stage.left,
                "took_ms": stage.took_ms,
            }
            for stage in result.stages
        ],
        "notes": _notes(result, say),
        "injection": injection_json(result.injection, names),
        "took_ms": round(result.took_ms, 3),
        "run": result.run,
    }


def _notes(result: RecallResult, say: Say) -> list[dict[str, Json]]:
    return [{"key": note.key, "text": say(note.key, **note.args)} for note in result.notes]


def recalled_json(item: Recalled, names: Mapping[MemoryPk, str]) -> dict[str, Any]:
    """A memory with its numbers."""
    return {
        "id": item.id,
        "type": item.type,
        "title": item.title,
        "score": _finite(item.score),
        "parts": {name: _finite(value) for name, value in item.parts.items()},
        "source": item.source.value,
        "path": [_step_json(step, names) for step in item.path],
        "ranks": {stage.value: rank for stage, rank in item.ranks.items()},
        "stage": item.stage.value,
        "number": _finite(item.number),
        "threshold": _finite(item.threshold),
    }


def _finite(value: float | None) -> float | None:
    """JSON knows no NaN: a number that was not computed is null."""
    return value if value is not None and math.isfinite(value) else None


def _step_json(step: PathStep, names: Mapping[MemoryPk, str]) -> dict[str, Any]:
    return {
        "memory": names.get(step.memory, ""),
        "relation": step.edge,
        "energy": step.energy,
        "via": step.via,
    }


def injection_json(injection: Injection, names: _Names) -> dict[str, Any]:
    """The text for the prompt with where its lines come from."""
    return {
        "text": injection.text,
        "layout": injection.layout.value,
        "tokens": injection.tokens,
        "token_family": injection.token_family,
        "budget": injection.budget,
        "position": injection.position,
        "depth": injection.depth,
        "role": injection.role,
        "sections": [
            {
                "name": section.name,
                "tokens": section.tokens,
                "budget": section.budget,
                "memories": [
                    {"id": names.get(item.memory), "tokens": item.tokens, "cut": item.cut}
                    for item in section.memories
                ],
                "left_out": [names.get(pk) for pk in section.left_out],
            }
            for section in injection.sections
        ],
        "spans": [
            {"start": span.start, "end": span.end, "id": names.get(span.memory)} for span in injection.spans
        ],
    }


DECAY = "decay"
"""The part of a score that is a factor; the others are added up."""


def _parts(item: Recalled, say: Say) -> str:
    """The parts of the score that are not 0."""
    return ", ".join(
        f"{say(f'recall.part.{name}')} {'×' if name == DECAY else ''}{value:.3f}"
        for name, value in item.parts.items()
        if abs(value) >= 0.0005
    )


def _stage(item: Recalled, say: Say) -> str:
    """The stage in words, with the number and the limit where there are some."""
    text = say(f"recall.stage.{item.stage.value}")
    if _finite(item.number) is None or _finite(item.threshold) is None or not (item.number or item.threshold):
        return text
    if item.stage is Stage.BUDGET:  # the number is what the text took without it
        return f"{text} ({say('cli.recall.used', used=f'{item.number:.0f}', budget=f'{item.threshold:.0f}')})"
    return f"{text} ({item.number:.4g} / {item.threshold:.4g})"
