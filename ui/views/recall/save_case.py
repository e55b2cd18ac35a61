"""Save what should be recalled as a test: its name, and the ticked memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from core.domain.commands import Command
from core.domain.commands_recall import SaveRecallCases
from core.domain.ids import MemoryPk
from core.domain.recall import Layout, RecallCase, RecallRequest, Setting
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.views.naming import shorten
from ui.widgets.plain_text import PlainLineEdit

NAME_CHARS = 60
OWN_FIELDS = ("top_k", "budget_tokens", "layout")
SHOWN_ROWS = 5


def case_of(request: RecallRequest, name: str, expected: Sequence[MemoryPk], viewer: str) -> RecallCase:
    """The test of a request. Number of memories, budget and switches are kept as the recipe's settings."""
    settings: dict[str, Setting] = dict(request.settings)
    if request.top_k is not None:
        settings["top_k"] = request.top_k
    if request.budget_tokens is not None:
        settings["budget_tokens"] = request.budget_tokens
    if request.layout is not None:
        settings["layout"] = request.layout.value
    return RecallCase(
        name=name.strip() or shorten(request.message, NAME_CHARS),
        folder=request.folder,
        message=request.message,
        viewer=viewer,
        recipe=request.recipe,
        settings=settings,
        expected=tuple(expected),
    )


def with_settings(request: RecallRequest, settings: Mapping[str, Setting]) -> RecallRequest:
    """The request of a saved test: its settings, those of the request's own fields among them."""
    rest = {key: value for key, value in settings.items() if key not in OWN_FIELDS}
    top_k, budget, layout = (settings.get(key) for key in OWN_FIELDS)
    return replace(
        request,
        settings=rest,
        top_k=top_k if isinstance(top_k, int) else None,
        budget_tokens=budget if isinstance(budget, int) else None,
        layout=Layout(layout) if isinstance(layout, str) else None,
    )


class SaveCaseDialog(CommandDialog):
    """Asks for the name; the memories are those that are ticked."""

    def __init__(
        self,
        ctx: Context,
        request: RecallRequest,
        expected: Sequence[tuple[MemoryPk, str]],
        viewer: str,
        parent: QWidget | None = None,
    ) -> None:
        tr = ctx.tr
        super().__init__(ctx, parent, tr("recall_page.cases.save"), tr("recall_page.cases.save.button"))
        self._request, self._viewer = request, viewer
        self._expected = tuple(pk for pk, _ in expected)
        self.name = PlainLineEdit()
        self.name.setText(shorten(request.message, NAME_CHARS))
        self.name.setAccessibleName(tr("recall_page.cases.name"))
        self.name.selectAll()
        self.list = QListWidget()
        self.list.setAccessibleName(tr("recall_page.cases.expected_list"))
        for _, title in expected:
            self.list.addItem(QListWidgetItem(title))
        self.list.setFixedHeight(ctx.theme.row_px * min(SHOWN_ROWS, max(2, len(expected))) + 4)
        for key, field in (("name", self.name), ("expected_list", self.list)):
            label = QLabel(tr(f"recall_page.cases.{key}"))
            label.setProperty("role", "section")
            self.body.addWidget(label)
            self.body.addWidget(field)
        words = QLabel(tr("recall_page.cases.save.words"))
        words.setWordWrap(True)
        words.setProperty("role", "small")
        self.body.addWidget(words)
        self.name.textChanged.connect(lambda _text: self.check())
        self.check()
        self.name.setFocus()

    def command(self) -> Command | None:
        """Save it."""
        case = case_of(self._request, self.name.text(), self._expected, self._viewer)
        return SaveRecallCases((case,))

    def ready(self) -> bool:
        """A message and something expected are needed."""
        return bool(self._request.message.strip() and self._expected)
