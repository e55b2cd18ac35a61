"""Above the results: how many, how long, the measures of the query, and what the person should know."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.domain.recall import RecallNote, RecallResult, Stage
from core.domain.recipes import recipes
from ui.context import Context
from ui.language import isolate
from ui.views.recall.words import number, setting_name, stage_name, took_text
from ui.widgets.flow_layout import FlowLayout

MOST_NOTES = 3


class RunHeader(QWidget):
    """Facts as small badges, stages in a line, notes below."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.setProperty("role", "toolbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = QLabel()
        self.title.setProperty("role", "large")
        self.time = QLabel()
        self.time.setProperty("role", "small")
        self._facts = QWidget()
        self._flow = FlowLayout(self._facts, gap=6)
        self.facts: list[QLabel] = []
        self.stages = QLabel()
        self.stages.setProperty("role", "small")
        self.stages.setTextFormat(Qt.TextFormat.PlainText)
        self.stages.setWordWrap(True)
        self.notes = QLabel()
        self.notes.setTextFormat(Qt.TextFormat.PlainText)
        self.notes.setWordWrap(True)
        self.notes.setProperty("role", "warning")
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.time)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._facts)
        column.addWidget(self.stages)
        column.addWidget(self.notes)
        self._facts.hide()
        self.notes.hide()

    def show_result(self, result: RecallResult) -> None:
        """Say what came of a recall."""
        tr = self._ctx.tr
        scope = next((count.entered for count in result.stages if count.stage is Stage.SCOPE), None)
        count = len(result.selected)
        key = "recall_page.count_of" if scope is not None else "recall_page.count"
        self.title.setText(tr(key, count=count, total=tr.number(scope or 0)))
        self.title.setAccessibleName(self.title.text())
        self.time.setText(took_text(tr, result.took_ms))
        self.time.setToolTip("\n".join(self._times(result)))
        self._show_facts(result)
        self._show_stages(result)
        self._show_notes(result.notes)

    def _show_facts(self, result: RecallResult) -> None:
        tr = self._ctx.tr
        facts = [
            ("logic_depth", result.logic_depth),
            ("resonance", None if result.resonance is None else float(result.resonance)),
            ("beta", result.beta),
        ]
        for label in self.facts:
            self._flow.removeWidget(label)
            label.hide()
            label.deleteLater()
        self.facts = []
        for name, value in facts:
            if value is None:
                continue
            shown = (
                tr("recall_page.yes" if value else "recall_page.no")
                if name == "resonance"
                else number(value, 3)
            )
            label = QLabel(tr("recall_page.fact", name=tr(f"recall_page.{name}"), value=shown))
            label.setProperty("role", "badge")
            label.setToolTip(tr(f"recall_page.{name}.tip"))
            self._flow.addWidget(label)
            label.show()
            self.facts.append(label)
        self._facts.setVisible(bool(self.facts))

    def _show_stages(self, result: RecallResult) -> None:
        """What each stage let through, for those that dropped something."""
        tr = self._ctx.tr
        steps = [
            tr("recall_page.stage_count", name=stage_name(tr, count.stage), count=count.entered - count.left)
            for count in result.stages
            if count.entered > count.left
        ]
        self.stages.setText(tr("recall_page.stages", steps=" · ".join(steps)) if steps else "")
        self.stages.setVisible(bool(steps))

    def _times(self, result: RecallResult) -> list[str]:
        tr = self._ctx.tr
        return [
            tr(
                "recall_page.stage_time",
                name=stage_name(tr, count.stage),
                entered=tr.number(count.entered),
                left=tr.number(count.left),
                ms=number(count.took_ms, 1),
            )
            for count in result.stages
        ]

    def _show_notes(self, notes: tuple[RecallNote, ...]) -> None:
        lines = [note_text(self._ctx, note) for note in notes]
        shown = lines[:MOST_NOTES]
        if len(lines) > len(shown):
            shown.append(self._ctx.tr("recall_page.more_notes", count=len(lines) - len(shown)))
        self.notes.setText("\n".join(shown))
        self.notes.setToolTip("\n".join(lines) if len(lines) > MOST_NOTES else "")
        self.notes.setVisible(bool(lines))


def note_text(ctx: Context, note: RecallNote) -> str:
    """A note of a run in words; a setting in it by its name."""
    args = {name: isolate(value) if isinstance(value, str) else value for name, value in note.args.items()}
    if "setting" in args:
        key = str(note.args["setting"])
        found = next((item for recipe in recipes() for item in recipe.settings if item.key == key), None)
        args["setting"] = setting_name(ctx.tr, found) if found is not None else key
    return ctx.tr(note.key, **args)
