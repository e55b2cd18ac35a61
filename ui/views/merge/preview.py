"""The memory that a merge would make, as it would be read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from core.domain.queries_merge import RelationFate
from ui.context import Context
from ui.models.merge_choice import AUDIENCE, BODY, COLUMN, FOLDER, IMPORTANCE, LAYER, TITLE, TYPE, MergeChoice
from ui.views.merge.cells import plain_label
from ui.views.merge.words import MergeWords
from ui.views.naming import TAG_KINDS, tag_kind_name
from ui.views.reading import TextBlock
from ui.widgets.chips import ChipRow
from ui.widgets.focus_chain import put_page


class MergePreview(QScrollArea):
    """Follows the choices."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(context.tr("merge.result"))

    def show_choice(self, choice: MergeChoice, words: MergeWords) -> None:
        """Show what it comes to."""
        tr = self._context.tr
        at = self.verticalScrollBar().value()
        page = QWidget()
        page.setProperty("surface", "base")
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(8)
        column.addWidget(plain_label(tr("merge.result"), "section"))
        values = {line.name: line.value for line in choice.lines}
        if values[TITLE]:
            column.addWidget(TextBlock(str(values[TITLE]), tr("value.title"), "heading"))
        facts = [words.value(name, values[name]) for name in (TYPE, FOLDER, LAYER)]
        facts.append(f"{tr('value.importance')} {words.value(IMPORTANCE, values[IMPORTANCE])}")
        column.addWidget(plain_label(" · ".join(facts), "secondary"))
        if values[BODY]:
            column.addWidget(TextBlock(str(values[BODY]), tr("value.body")))
        for name, value in values.items():
            if name.startswith(COLUMN) and value not in (None, "", []):
                column.addWidget(plain_label(words.name(name), "secondary"))
                column.addWidget(TextBlock(words.value(name, value), words.name(name)))
        tags = choice.tag_set()
        groups = [(tag_kind_name(tr, kind), list(tags.group(kind))) for kind in TAG_KINDS]
        groups.append((tr("merge.aliases"), [tick.value for tick in choice.names if tick.on]))
        for group, chips in groups:
            if chips:
                column.addWidget(plain_label(group, "secondary"))
                column.addWidget(ChipRow(chips))
        if choice.line(AUDIENCE).chosen >= 0 and values[AUDIENCE]:
            column.addWidget(plain_label(words.name(AUDIENCE), "secondary"))
            column.addWidget(plain_label(words.value(AUDIENCE, values[AUDIENCE])))
        for text in self._said(choice):
            column.addWidget(plain_label(text, "secondary"))
        column.addStretch(1)
        put_page(self, page)
        self.verticalScrollBar().setValue(at)

    def _said(self, choice: MergeChoice) -> list[str]:
        tr, plan = self._context.tr, choice.plan
        fates = [change.fate for change in plan.relations]
        moved, joined, dropped = (
            fates.count(fate) for fate in (RelationFate.MOVES, RelationFate.JOINS, RelationFate.DROPS)
        )
        said = [tr("merge.result.losers", count=len(plan.members) - 1)]
        if moved or joined or dropped:
            said.append(tr("merge.result.taken", moved=moved, joined=joined, dropped=dropped))
        if plan.activation_count:
            said.append(tr("merge.result.recalled", count=plan.activation_count))
        return said
