"""A recall in words: parts of a score, how a memory came in, where it was dropped, what would help."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from core.domain.recall import PathStep, Recalled, RecallRequest, Remedy, Setting, Stage, WhyNotAnswer
from core.domain.recipes import Recipe, RecipeSetting, SettingForm
from ui.language import Language, isolate
from ui.models.recall_results import ResultRow, RowKind
from ui.models.recall_view import RecallView
from ui.views.naming import name_of, relation_name

DECAY = "decay"
PART_COLORS = {
    "lexical": "part_words",
    "vector": "part_meaning",
    "anchor": "part_names",
    "graph": "part_graph",
    "tags": "part_tags",
    "near": "part_near",
    "session": "part_session",
    "importance": "part_importance",
}
OTHER_COLOR = "part_other"
LONGEST_TITLE = 30
"""Columns of a title inside a path; a Chinese character takes two."""
MS_PER_SECOND = 1000


def part_name(tr: Language, part: str) -> str:
    """A part of a score in words; its own name for one of a later recipe."""
    key = f"recall.part.{part}"
    return tr(key) if tr.has(key) else part


def part_color(part: str) -> str:
    """The colour of a part, by name in the theme."""
    return PART_COLORS.get(part, OTHER_COLOR)


def sorted_parts(recalled: Recalled) -> list[tuple[str, float]]:
    """The contributions, in the fixed order of the legend; the decay factor is none of them."""
    order = {name: at for at, name in enumerate(PART_COLORS)}
    parts = [(name, value) for name, value in recalled.parts.items() if name != DECAY]
    return sorted(parts, key=lambda part: (order.get(part[0], len(order)), part[0]))


def number(value: float | None, digits: int = 2) -> str:
    """A number for the eye: two digits, small ones three; whole ones without."""
    if value is None:
        return ""
    if float(value).is_integer() and abs(value) >= 1:
        return str(int(value))
    if value and abs(value) < 0.01:
        return f"{value:.3f}" if abs(value) >= 0.0005 else "≈0"
    return f"{value:.{digits}f}"


def part_text(tr: Language, name: str, value: float) -> str:
    """A part with its number; the factor of age with a times sign."""
    shown = f"×{number(value)}" if name == DECAY else number(value)
    return f"{part_name(tr, name)} {shown}"


def stage_name(tr: Language, stage: Stage) -> str:
    """A stage in one or two words."""
    return tr(f"recall_page.step.{stage.value}")


def source_text(tr: Language, view: RecallView, recalled: Recalled) -> str:
    """How a memory came in, with the path when it was reached over others."""
    source = tr(f"recall_page.by.{recalled.source.value}")
    path = path_text(tr, view, recalled)
    return tr("recall_page.came_via", source=source, path=path) if path else source


def path_text(tr: Language, view: RecallView, recalled: Recalled) -> str:
    """The path of energy: "via A —involved in→ B →"; "" for a memory that was a seed itself."""
    hops = [step for step in recalled.path if step.edge is not None]
    if hops:
        return tr("recall_page.path", way=_hops(tr, view, hops))
    others = [step for step in recalled.path if step.memory != recalled.pk]
    if not others:
        return ""
    step = others[-1]
    key = f"recall_page.via.{step.via}"
    title = _brief(name_of(view.title(step.memory), tr))
    return tr(key if tr.has(key) else "recall_page.via", title=title)


def _brief(title: str) -> str:
    """A title cut to its first columns, isolated."""
    line, used = " ".join(title.split()), 0
    for at, character in enumerate(line):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used > LONGEST_TITLE:
            return isolate(line[:at] + "…")
    return isolate(line)


def _hops(tr: Language, view: RecallView, hops: Sequence[PathStep]) -> str:
    parts: list[str] = []
    for step in hops:
        title = _brief(name_of(view.title(step.memory), tr))
        edge = view.edges.get(step.edge) if step.edge is not None else None
        if edge is None:
            parts.append(f"{title} →")
            continue
        known = view.schema.relation(edge.edge.relation)
        name = _inside(relation_name(known, edge.edge, step.memory, tr))
        arrow = "⊣" if edge.edge.inhibits else "→"
        parts.append(f"{title} —{name}{arrow}")
    return " ".join(parts)


def _inside(name: str) -> str:
    """A label as it stands inside a line: without its capital letter (names in capitals stay)."""
    return name[:1].lower() + name[1:] if not name[1:2].isupper() else name


def took_text(tr: Language, took_ms: float) -> str:
    """A time in milliseconds, long ones in seconds."""
    if took_ms >= MS_PER_SECOND:
        return tr("recall_page.took_s", s=number(took_ms / MS_PER_SECOND, 1))
    return tr("recall_page.took", ms=number(round(took_ms, 1), 1))


def dropped_text(tr: Language, recalled: Recalled, view: RecallView | None = None) -> str:
    """At which stage a memory was dropped, with its number against the limit; or that its line is there anyway."""
    if view is not None and recalled.pk in view.in_text:
        return tr("recall_page.in_text")
    key = f"recall_page.dropped.{recalled.stage.value}"
    has_numbers = recalled.number is not None and recalled.threshold is not None
    if recalled.number is not None and not has_numbers and tr.has(f"{key}.number"):
        return tr(f"{key}.number", number=number(recalled.number))
    if not has_numbers and tr.has(f"{key}.plain"):
        return tr(f"{key}.plain")
    return tr(key, number=number(recalled.number), limit=number(recalled.threshold))


def remedy_text(tr: Language, answer: WhyNotAnswer, folder_name: str = "") -> str:
    """The smallest change in words, as the button says it; "" when there is none."""
    if answer.remedy is None:
        return ""
    value = answer.value
    if answer.remedy is Remedy.WIDEN_SCOPE:
        known = folder_name or tr("recall_page.its_folder")
        return tr("recall_page.remedy.widen_scope", value=isolate(known))
    if answer.remedy is Remedy.CHANGE_VIEWER and not value:
        return tr("recall_page.remedy.change_viewer.nobody")
    shown = number(value, 3) if isinstance(value, int | float) else isolate(str(value or ""))
    return tr(f"recall.remedy.{answer.remedy.value}", value=shown)


def no_remedy_text(tr: Language, answer: WhyNotAnswer) -> str:
    """What to say where no button helps: it is in, or no single change brings it in."""
    if answer.selected:
        return tr("recall_page.asked.selected")
    if answer.core:
        return tr("recall_page.asked.core")
    return tr("recall_page.remedy.none")


def row_texts(tr: Language, view: RecallView | None, row: ResultRow) -> list[str]:
    """All lines of a row as plain text: for screen readers and tooltips."""
    if row.kind is RowKind.HEADING or row.pk is None:
        return [tr(f"recall_page.heading.{row.part.value}", count=row.place)]
    shown = view if view is not None else None
    recalled = row.recalled
    title = (shown.title(row.pk) if shown is not None else "") or (recalled.title if recalled else "")
    lines = [name_of(title, tr)]
    if recalled is None:
        return [*lines, tr("recall_page.always")]
    if recalled.score:
        parts = [part_text(tr, name, value) for name, value in sorted_parts(recalled)]
        if DECAY in recalled.parts:
            parts.append(part_text(tr, DECAY, recalled.parts[DECAY]))
        lines.append(
            tr("recall_page.score", score=number(recalled.score), parts=tr("list.comma").join(parts))
        )
    if recalled.stage is not Stage.SELECTED:
        lines.append(dropped_text(tr, recalled, shown))
    elif shown is not None:
        lines.append(source_text(tr, shown, recalled))
    if row.answer is not None and (shown is None or row.pk not in shown.in_text):
        lines.append(remedy_text(tr, row.answer) or no_remedy_text(tr, row.answer))
    return lines


def setting_name(tr: Language, setting: RecipeSetting) -> str:
    """A recipe's setting in words."""
    return tr(setting.text) if tr.has(setting.text) else setting.key


def setting_hint(tr: Language, setting: RecipeSetting) -> str:
    """What a setting does, its range, and what was measured of an experimental one."""
    lines = [tr(f"{setting.text}.hint")] if tr.has(f"{setting.text}.hint") else []
    if setting.form in {SettingForm.NUMBER, SettingForm.WHOLE}:
        lines.append(
            tr(
                "recall_page.range",
                low=number(setting.low),
                high=number(setting.high),
                default=number(float(setting.default)),
            )
        )
    if setting.experimental:
        lines.append(measured(tr, setting))
    return "\n".join(lines)


def measured(tr: Language, setting: RecipeSetting) -> str:
    """What an experimental setting was measured to gain or lose."""
    key = f"{setting.text}.measured"
    return tr(key) if tr.has(key) else tr("recall_page.experimental.tip")


def choice_name(tr: Language, setting: RecipeSetting, choice: str) -> str:
    """A choice of a setting in words."""
    key = f"{setting.text}.{choice}"
    return tr(key) if tr.has(key) else choice


def recipe_name(tr: Language, recipe: Recipe | str) -> str:
    """A recipe in words."""
    key = f"recipe.{recipe}" if isinstance(recipe, str) else recipe.text
    return tr(key) if tr.has(key) else str(recipe if isinstance(recipe, str) else recipe.id)


def changes_text(tr: Language, request: RecallRequest, recipe: Recipe | None) -> str:
    """What a request sets otherwise than its recipe: "Words 0.5, Memories 20"; "" for nothing."""
    if recipe is None:
        return ""
    given: dict[str, Setting | None] = {
        **request.settings,
        "top_k": request.top_k,
        "budget_tokens": request.budget_tokens,
        "layout": request.layout and request.layout.value,
    }
    parts = []
    for setting in recipe.settings:
        value = given.get(setting.key)
        if value is None:
            continue
        match value:
            case bool():
                shown = tr("recall_page.on" if value else "recall_page.off")
            case str():
                shown = choice_name(tr, setting, value)
            case _:
                shown = f"{value:g}"
        parts.append(f"{setting_name(tr, setting)} {shown}")
    return tr("list.comma").join(parts)
