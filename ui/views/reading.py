"""The reading view: a memory as a page, before it is a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QTextOption
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.enums import Status
from core.domain.json_types import Json
from core.domain.results import MemoryDetail
from core.domain.schema import ColumnRole, MemoryType, Schema
from ui.context import Context
from ui.language import isolate
from ui.read_only import needs_writing
from ui.views.injected_fold import InjectedFold
from ui.views.naming import (
    TAG_KINDS,
    column_name,
    floors,
    json_text,
    layer_name,
    shorten,
    shown_value,
    status_name,
    tag_kind_name,
    type_name,
)
from ui.widgets.chips import ChipRow
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.focus_chain import put_page
from ui.widgets.plain_text import PlainTextEdit, copy_text, plain

MARGIN = 16
NAME_CHARS = 80
"""No name is longer than this."""


class TextBlock(PlainTextEdit):
    """Selectable text that is as high as it needs to be."""

    def __init__(self, text: str, name: str, role: str = "reading") -> None:
        super().__init__(lines=1, read_only=True)
        self.setProperty("role", role)
        self.setAccessibleName(name)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.set_text(text)
        self.offer: Callable[[str], QAction | None] = lambda _text: None
        """What else the menu offers for selected text."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        menu.setParent(self, menu.windowFlags())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selected = " ".join(plain(self.textCursor().selectedText()).split())
        if selected and (action := self.offer(selected)) is not None:
            first = next(iter(menu.actions()), None)
            action.setParent(menu)
            menu.insertAction(first, action)  # type: ignore[arg-type]  # None appends, the stub leaves that out
        menu.popup(event.globalPos())


class ReadingView(QWidget):
    """Title, badges, body, fields, tags, and where it comes from."""

    tag_clicked = Signal(str)
    about_wanted = Signal(str)
    """A name was chosen: another name of the memory, or selected text."""
    about_memory = Signal()
    """Everything about the memory itself is wanted."""
    folder_clicked = Signal(int)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._detail: MemoryDetail | None = None
        self._kind: MemoryType | None = None
        self.injected: InjectedFold | None = None
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.area)

    def show_memory(self, detail: MemoryDetail, schema: Schema) -> None:
        """Show a memory; the place in the page stays when it is the same one again."""
        again = self._detail is not None and self._detail.memory.pk == detail.memory.pk
        at = self.area.verticalScrollBar().value() if again else 0
        self._detail, self._kind = detail, schema.type(detail.memory.type)
        page = QWidget()
        page.setProperty("surface", "base")
        column = QVBoxLayout(page)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(8)
        self._add_head(column, detail)
        self._add_text(column, detail)
        self._add_fields(column, detail)
        self._add_tags(column, detail)
        self._add_injected(column, detail)
        self._add_facts(column, detail)
        column.addStretch(1)
        put_page(self.area, page)
        self.area.verticalScrollBar().setValue(at)

    def as_text(self) -> str:
        """The memory as plain text, for the clipboard."""
        detail, tr = self._detail, self._ctx.tr
        if detail is None:
            return ""
        memory = detail.memory
        parts = [text for text in (memory.title, memory.body) if text]
        lines = [f"{name}: {json_text(value)}" for name, value in self._named_fields(detail)]
        lines += [
            f"{tag_kind_name(tr, kind)}: {', '.join(values)}"
            for kind in TAG_KINDS
            if (values := detail.tags.group(kind))
        ]
        if lines:
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    # --- parts of the page ---

    def _add_head(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        memory, tr, theme = detail.memory, self._ctx.tr, self._ctx.theme
        head = QWidget()
        kind = FlowLayout(head, gap=6, tail=3)
        icon = QLabel()
        icon.setPixmap(theme.type_icon(memory.type).pixmap(theme.icon_size))
        kind.addWidget(icon)
        kind.addWidget(QLabel(type_name(self._kind, tr) if self._kind else memory.type))
        about = QToolButton()
        about.setIcon(theme.icon("mdi6.card-search-outline", "secondary"))
        about.setIconSize(theme.icon_size)
        about.setAutoRaise(True)
        about.setToolTip(tr("action.memory.about.tip"))
        about.setAccessibleName(tr("action.memory.about"))
        about.clicked.connect(self.about_memory)
        kind.addWidget(about)
        copy = QPushButton(theme.icon("mdi6.content-copy", "secondary"), tr("detail.copy"))
        copy.setProperty("flat", True)
        copy.setToolTip(tr("detail.copy.tip"))
        copy.clicked.connect(lambda: copy_text(self.as_text()))
        kind.addWidget(copy)
        edit = QPushButton(theme.icon("mdi6.pencil-outline", "secondary"), tr("detail.tab.edit"))
        edit.setProperty("flat", True)
        edit.setToolTip(tr("detail.edit.tip"))
        edit.setEnabled(memory.deleted_at is None)
        edit.clicked.connect(lambda: self._ctx.actions.get("memory.edit").trigger())
        needs_writing(self._ctx, edit)
        kind.addWidget(edit)
        column.addWidget(head)
        if memory.title:
            column.addWidget(self._block(memory.title, tr("value.title"), "heading"))
        column.addWidget(self._badges(detail))

    def _block(self, text: str, name: str, role: str = "reading") -> TextBlock:
        """A text in which a selected name leads to everything about it."""
        block = TextBlock(text, name, role)
        block.offer = self._offer
        return block

    def _offer(self, selected: str) -> QAction | None:
        if len(selected) > NAME_CHARS:
            return None
        action = QAction(self._ctx.tr("about.selected", name=isolate(shorten(selected, 30))))
        action.triggered.connect(lambda: self.about_wanted.emit(selected))
        return action

    def _badges(self, detail: MemoryDetail) -> QWidget:
        memory, tr = detail.memory, self._ctx.tr
        holder = QWidget()
        flow = FlowLayout(holder, gap=6)
        badges: list[tuple[str, str, str]] = [
            (layer_name(tr, memory.layer), tr(f"layer.{memory.layer.value}.tip"), "")
        ]
        if memory.deleted_at is not None:
            badges.append((tr("detail.in_trash"), tr.exact(memory.deleted_at), "danger"))
        if memory.status is not Status.ACTIVE:
            badges.append((status_name(tr, memory.status, memory.status_reason), "", "warning"))
        if memory.locked:
            badges.append((tr("detail.locked"), tr("detail.locked.tip"), ""))
        if memory.level:
            badges.append((tr("detail.level", level=memory.level), tr("detail.level.tip"), ""))
        badges.append((tr("detail.importance", value=json_text(memory.importance)), "", ""))
        if floor := floors(tr, memory):
            badges.append((floor, "", ""))
        for text, tip, tone in badges:
            badge = QLabel(text)
            badge.setTextFormat(Qt.TextFormat.PlainText)
            badge.setProperty("role", "badge")
            badge.setProperty("tone", tone)
            badge.setToolTip(tip)
            flow.addWidget(badge)
        return holder

    def _add_text(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        memory, tr = detail.memory, self._ctx.tr
        if memory.body:
            column.addSpacing(4)
            column.addWidget(self._block(memory.body, tr("value.body")))
        elif not memory.title:
            empty = QLabel(tr("detail.no_text"))
            empty.setProperty("role", "secondary")
            column.addWidget(empty)

    def _add_fields(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        for name, value in self._named_fields(detail):
            self._section(column, name)
            if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
                chips = ChipRow([str(item) for item in value])
                chips.clicked.connect(self.about_wanted)
                column.addWidget(chips)
            else:
                column.addWidget(self._block(json_text(value), name))

    def _named_fields(self, detail: MemoryDetail) -> list[tuple[str, Json]]:
        """Fields with their labels: the type's own in its order, then the others."""
        tr, fields = self._ctx.tr, dict(detail.memory.fields)
        found: list[tuple[str, Json]] = [
            (column_name(column, tr), shown_value(column, fields.pop(column.name), tr))
            for column in (self._kind.columns if self._kind else ())
            if column.role is ColumnRole.FIELD and column.name in fields
        ]
        found += fields.items()
        return [(name, value) for name, value in found if value not in (None, "", [], {})]

    def _add_tags(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        tr = self._ctx.tr
        groups = [(tag_kind_name(tr, kind), detail.tags.group(kind), True) for kind in TAG_KINDS]
        groups += [
            (tr("value.aliases"), detail.aliases, False),
            (tr("value.visibility"), detail.memory.visibility, False),
        ]
        for name, values, are_tags in groups:
            if values:
                self._section(column, name)
                row = ChipRow(values)
                row.setAccessibleName(f"{name}: {', '.join(values)}")
                row.clicked.connect(self.tag_clicked if are_tags else self.about_wanted)
                column.addWidget(row)
        if not detail.memory.visibility:
            self._section(column, tr("value.visibility"))
            column.addWidget(_fact(tr("detail.everyone")))

    def _add_injected(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        """Its line in the prompt with its tokens; unfolded as the one before was."""
        is_open = self.injected is not None and self.injected.is_open
        self.injected = InjectedFold(self._ctx, is_open=is_open)
        column.addWidget(self.injected)
        self.injected.show_memory(detail.memory.pk)

    def _add_facts(self, column: QVBoxLayout, detail: MemoryDetail) -> None:
        tr = self._ctx.tr
        self._section(column, tr("detail.about"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, value, tip) in enumerate(self._facts(detail)):
            left = QLabel(name)
            left.setProperty("role", "secondary")
            grid.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
            right = _fact(value)
            right.setToolTip(tip)
            grid.addWidget(right, row, 1)
        column.addLayout(grid)

    def _facts(self, detail: MemoryDetail) -> Sequence[tuple[str, str, str]]:
        """Name, value and tooltip of each fact about where a memory comes from and how it is used."""
        memory, tr = detail.memory, self._ctx.tr
        facts = [(tr("value.folder"), detail.folder.name, "")]
        if detail.document_title:
            facts.append((tr("detail.document"), detail.document_title, ""))
        if memory.source:
            facts.append((tr("detail.source"), memory.source, ""))
        origin = detail.folder.origin.get("path") or detail.folder.origin.get("name")
        if origin:
            facts.append(
                (tr("detail.origin"), str(origin).replace("\\", "/").rsplit("/", 1)[-1], str(origin))
            )
        facts += [
            (tr("detail.created"), tr.relative(memory.created_at), tr.exact(memory.created_at)),
            (tr("detail.updated"), tr.relative(memory.updated_at), tr.exact(memory.updated_at)),
            (tr("detail.recalled"), tr("detail.times", count=memory.activation_count), ""),
        ]
        if memory.last_activated_at:
            last = memory.last_activated_at
            facts.append((tr("detail.last_recalled"), tr.relative(last), tr.exact(last)))
        facts.append((tr("detail.id"), memory.id, memory.foreign_id or ""))
        if memory.foreign_id:
            facts.append((tr("detail.foreign_id"), memory.foreign_id, ""))
        return facts

    def _section(self, column: QVBoxLayout, name: str) -> None:
        heading = QLabel(name)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setProperty("role", "section")
        column.addSpacing(4)
        column.addWidget(heading)


def _fact(text: str) -> TextBlock:
    return TextBlock(text, text)
