"""The choices of a merge, column by column: up to three members side by side, more as distinct values."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.ids import MemoryPk
from core.domain.queries_merge import RelationFate
from ui.context import Context
from ui.models.merge_choice import BODY, BOTH, COLUMN, EDITED, TITLE, Line, MergeChoice, Tick
from ui.views.merge.cells import Ticks, ValueCell, plain_label
from ui.views.merge.words import MergeWords
from ui.views.naming import name_of
from ui.widgets.plain_text import PlainTextEdit

SIDE_BY_SIDE = 3
NOTHING_INDENT = 4
MOST_RELATIONS = 24
_EDITABLE = frozenset({TITLE, BODY})


class MergeForm(QWidget):
    """Shows and changes one `MergeChoice`. `changed`: something was chosen; `keep(pk)`: another survivor;
    `members(pks)`: only these are to be merged."""

    changed = Signal()
    keep = Signal(int)
    members = Signal(object)

    def __init__(self, context: Context, choice: MergeChoice, words: MergeWords) -> None:
        super().__init__()
        self._context, self.choice, self._words = context, choice, words
        self._cells: list[tuple[Line, int, ValueCell | QRadioButton]] = []
        self.editors: dict[str, PlainTextEdit] = {}
        self.ticks: dict[str, Ticks] = {}
        self.keepers: list[QRadioButton] = []
        self._count = len(choice.plan.members)
        self.wide = self._count <= SIDE_BY_SIDE
        self.setProperty("surface", "base")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 12, 16, 16)
        self._column.setSpacing(8)
        self._warn()
        if not self.wide:
            self._add_members()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnMinimumWidth(0, context.theme.px(96))
        for column in range(1, (self._count if self.wide else 1) + 1):
            self._grid.setColumnStretch(column, 1)
        self._column.addLayout(self._grid)
        if self.wide:
            self._add_heads()
        for line in choice.lines:
            self._add_line(line)
        self._add_ticks()
        self._add_relations()
        self._column.addStretch(1)
        self._show_chosen()

    # --- heads ---

    def _warn(self) -> None:
        tr, plan = self._context.tr, self.choice.plan
        if plan.locked:
            self._column.addWidget(plain_label(tr("merge.locked", count=len(plan.locked)), "warning"))
        if plan.audience_open:
            self._column.addWidget(plain_label(tr("merge.audience.open"), "warning"))

    def _keeper(self, member: int) -> QRadioButton:
        tr, memory = self._context.tr, self.choice.plan.members[member].memory
        keeper = QRadioButton(tr("merge.keep"))
        keeper.setAutoExclusive(False)
        keeper.setChecked(member == 0)
        keeper.setToolTip(tr("merge.keep.tip"))
        keeper.setAccessibleName(f"{tr('merge.keep')}: {name_of(memory.named, tr)}")
        keeper.clicked.connect(partial(self._on_keep, member))
        self.keepers.append(keeper)
        return keeper

    def _on_keep(self, member: int, _on: bool = False) -> None:
        if member:
            self.keep.emit(int(self.choice.plan.members[member].memory.pk))
        else:
            self.keepers[0].setChecked(True)

    def _facts(self, member: int) -> str:
        tr, theme = self._context.tr, self._context.theme
        each = self.choice.plan.members[member]
        return " · ".join(
            (
                theme.type_label(each.memory.type, tr.code),
                each.folder_name,
                tr("merge.recalled", count=each.memory.activation_count),
                tr("merge.created", when=tr.relative(each.memory.created_at)),
            )
        )

    def _add_heads(self) -> None:
        theme = self._context.theme
        for member, each in enumerate(self.choice.plan.members):
            head = QVBoxLayout()
            head.setContentsMargins(4, 0, 4, 8)
            head.setSpacing(2)
            row = QHBoxLayout()
            icon = QLabel()
            icon.setPixmap(theme.type_icon(each.memory.type).pixmap(theme.icon_size))
            row.addWidget(icon)
            row.addWidget(self._keeper(member), 1)
            head.addLayout(row)
            head.addWidget(plain_label(self._facts(member), "secondary"))
            holder = QWidget()
            holder.setLayout(head)
            self._grid.addWidget(holder, 0, member + 1)

    def _add_members(self) -> None:
        """Ticks for who is merged at all, and who stays."""
        tr = self._context.tr
        self._column.addWidget(_section(tr("merge.members")))
        rows = QGridLayout()
        rows.setHorizontalSpacing(12)
        rows.setColumnStretch(0, 1)
        rows.setColumnStretch(1, 2)
        ticks = [Tick(name_of(each.memory.named, tr)) for each in self.choice.plan.members]
        for member, tick in enumerate(ticks):
            box = Ticks([tick], [tick.value], partial(self._on_member, member))
            self.ticks[f"member {member}"] = box
            rows.addWidget(box, member, 0)
            rows.addWidget(plain_label(self._facts(member), "secondary"), member, 1)
            rows.addWidget(self._keeper(member), member, 2, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(rows)

    def _on_member(self, member: int, _at: int, on: bool) -> None:
        if on:
            return
        left = [each.memory.pk for at, each in enumerate(self.choice.plan.members) if at != member]
        self.members.emit(tuple(MemoryPk(pk) for pk in left))

    # --- lines ---

    def _add_line(self, line: Line) -> None:
        if not line.differs and line.options[0].value in (None, "", []) and line.name not in _EDITABLE:
            return
        row = self._grid.rowCount()
        name = plain_label(self._words.name(line.name), "secondary")
        self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        if not line.differs and len(line.options[0].members) in (0, self._count):
            self._add_same(line, row)
        elif self.wide:
            self._add_members_values(line, row)
        else:
            self._add_distinct(line, row)
        self._add_ways(line, row)

    def _add_same(self, line: Line, row: int) -> None:
        text = self._words.value(line.name, line.options[0].value)
        same = f"{text}   ({self._context.tr('merge.same')})" if text else self._context.tr("merge.nothing")
        self._grid.addWidget(plain_label(same), row, 1, 1, -1)

    def _add_members_values(self, line: Line, row: int) -> None:
        tr = self._context.tr
        for member in range(self._count):
            at = line.option_of(member)
            if at is None:
                nothing = plain_label(tr("merge.nothing"), "secondary")
                nothing.setContentsMargins(NOTHING_INDENT, 4, 4, 4)
                self._grid.addWidget(nothing, row, member + 1, Qt.AlignmentFlag.AlignTop)
                continue
            text = self._words.value(line.name, line.options[at].value)
            against = None
            if line.name == BODY and len(line.options) > 1:
                other = line.options[1] if at == 0 else line.options[0]
                against = self._words.value(line.name, other.value)
            self._add_cell(line, at, text, row, member + 1, against=against, first=at == 0)
        extra = [at for at, option in enumerate(line.options) if not option.members]
        for at in extra:
            text = self._words.value(line.name, line.options[at].value)
            self._add_cell(line, at, text, row + 1, 1, extra=self._words.made(line.name))

    def _add_distinct(self, line: Line, row: int) -> None:
        tr = self._context.tr
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for at, option in enumerate(line.options):
            text = self._words.value(line.name, option.value)
            said = self._words.made(line.name)
            if option.members:
                said = tr("merge.said_by", count=len(option.members))
            cell = ValueCell(
                self._context, text, self._words.name(line.name), partial(self._choose, line, at), extra=said
            )
            self._cells.append((line, at, cell))
            column.addWidget(cell)
        self._grid.addWidget(holder, row, 1)
        if line.name == BODY and len(self.choice.said) > 1:
            self._add_sentences(row + 1)

    def _add_sentences(self, row: int) -> None:
        tr, said = self._context.tr, self.choice.said
        label = plain_label(tr("merge.sentences"), "secondary")
        label.setToolTip(tr("merge.sentences.tip"))
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        texts = [f"{tick.value}  ({tr('merge.said_by', count=tick.members)})" for tick in said]
        self.ticks["sentences"] = Ticks(said, texts, self._on_sentence, rows=True)
        self._grid.addWidget(self.ticks["sentences"], row, 1)

    def _on_sentence(self, at: int, on: bool) -> None:
        self.choice.tick_sentence(at, on)
        self._show_chosen()
        self.changed.emit()

    def _add_cell(
        self,
        line: Line,
        at: int,
        text: str,
        row: int,
        column: int,
        *,
        against: str | None = None,
        first: bool = False,
        extra: str = "",
    ) -> None:
        cell = ValueCell(
            self._context,
            text,
            self._words.name(line.name),
            partial(self._choose, line, at),
            against=against,
            first=first,
            extra=extra,
        )
        self._cells.append((line, at, cell))
        self._grid.addWidget(cell, row, column, Qt.AlignmentFlag.AlignTop)

    def _add_ways(self, line: Line, row: int) -> None:
        """Both together, and a text of one's own."""
        tr, holder = self._context.tr, QWidget()
        ways = QHBoxLayout()
        ways.setContentsMargins(4, 0, 4, 8)
        ways.setSpacing(12)
        if line.joins and line.differs:
            both = QRadioButton(tr("merge.both") if self._count == 2 else tr("merge.all"))
            both.setAutoExclusive(False)
            both.setAccessibleName(f"{self._words.name(line.name)}: {both.text()}")
            both.clicked.connect(lambda _on: self._choose(line, BOTH))
            self._cells.append((line, BOTH, both))
            ways.addWidget(both)
        text_column = line.name.startswith(COLUMN) and all(isinstance(o.value, str) for o in line.options)
        if line.name in _EDITABLE or text_column:
            edit = QPushButton(tr("merge.edit"))
            edit.setProperty("flat", True)
            edit.setAutoDefault(False)
            edit.setAccessibleName(f"{self._words.name(line.name)}: {tr('merge.edit')}")
            edit.clicked.connect(partial(self._edit, line, holder))
            ways.addWidget(edit)
        if not ways.count():
            return
        ways.addStretch(1)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(ways)
        self._grid.addWidget(holder, self._grid.rowCount(), 1, 1, -1)

    def _edit(self, line: Line, holder: QWidget, _on: bool = False) -> None:
        """A field with the present value, to be changed by hand."""
        field = self.editors.get(line.name)
        if field is None:
            value = line.value
            field = PlainTextEdit(lines=2, max_lines=12)
            field.setAccessibleName(self._words.name(line.name))
            field.set_text(str(value or ""))
            field.edited.connect(lambda: self._on_edited(line))
            self.editors[line.name] = field
            layout = holder.layout()
            assert layout is not None
            layout.addWidget(field)
        self._on_edited(line)
        field.setFocus()

    def _on_edited(self, line: Line) -> None:
        line.edited = self.editors[line.name].text()
        self._choose(line, EDITED)

    def _choose(self, line: Line, at: int) -> None:
        line.chosen = at
        self._show_chosen()
        self.changed.emit()

    def _show_chosen(self) -> None:
        for line, at, cell in self._cells:
            mark = cell.mark if isinstance(cell, ValueCell) else cell
            mark.setChecked(line.chosen == at)

    # --- what hangs on them ---

    def _add_ticks(self) -> None:
        tr = self._context.tr
        for key, ticks in (("tags", self.choice.tags), ("aliases", self.choice.names)):
            if not ticks:
                continue
            self._column.addWidget(_section(tr(f"merge.{key}")))
            texts = [self._tag_text(tick) for tick in ticks]
            self.ticks[key] = Ticks(ticks, texts, partial(self._on_tick, ticks))
            self._column.addWidget(self.ticks[key])

    def _tag_text(self, tick: Tick) -> str:
        if tick.kind in {"", "tag"}:
            return tick.value
        return f"{tick.value} ({self._context.tr(f'tag_kind.{tick.kind}')})"

    def _on_tick(self, ticks: list[Tick], at: int, on: bool) -> None:
        ticks[at].on = on
        self.changed.emit()

    def _add_relations(self) -> None:
        tr, plan = self._context.tr, self.choice.plan
        touched = [each for each in plan.relations if each.fate is not RelationFate.STAYS]
        if not touched and not plan.children:
            return
        self._column.addWidget(_section(tr("merge.relations")))
        for change in touched[:MOST_RELATIONS]:
            self._column.addWidget(plain_label(self._words.relation(change)))
        if len(touched) > MOST_RELATIONS:
            self._column.addWidget(
                plain_label(tr("merge.more", count=len(touched) - MOST_RELATIONS), "secondary")
            )
        if plan.children:
            self._column.addWidget(plain_label(tr("merge.children", count=plan.children)))


def _section(text: str) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 8, 0, 0)
    column.setSpacing(4)
    column.addWidget(plain_label(text, "section"))
    return holder
