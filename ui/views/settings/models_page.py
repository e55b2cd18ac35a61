"""The page Models: endpoints, what they serve, and what was used."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core import model_settings
from core.domain.endpoints import PRESETS, Endpoint, EndpointKind, Preset, new_endpoint_id
from core.domain.errors import UserError
from core.settings import BY_KEY
from ui.context import Context
from ui.views.settings.endpoint_form import EndpointForm, is_changed
from ui.views.settings.general import SettingsForm
from ui.views.settings.tasks_form import TasksForm, UsageTable

LIST_PX = 200


class ModelsPage(QWidget):
    """Everything about models. Without an endpoint it says that none is needed. `changed`: who serves what."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._new: Endpoint | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._section("models.endpoints"))
        column.addLayout(self._build_endpoints())
        column.addSpacing(8)
        column.addWidget(self._section("models.tasks"))
        self.tasks = TasksForm(context)
        self.tasks.chosen.connect(self.changed)
        column.addWidget(self.tasks)
        column.addSpacing(8)
        column.addWidget(self._section("models.used"))
        self.usage = UsageTable(context)
        column.addWidget(self.usage)
        column.addWidget(SettingsForm(context, (BY_KEY["token_family"],), self._fail))
        column.addStretch(1)
        self.refresh()

    def _section(self, key: str) -> QLabel:
        label = QLabel(self._context.tr(key))
        label.setProperty("role", "section")
        return label

    def _build_endpoints(self) -> QHBoxLayout:
        tr, theme = self._context.tr, self._context.theme
        self.list = QListWidget()
        self.list.setProperty("role", "choices")
        self.list.setAccessibleName(tr("models.endpoints"))
        self.list.setFixedWidth(theme.px(LIST_PX))
        self.list.setMinimumHeight(theme.px(160))
        self.list.currentItemChanged.connect(lambda now, _before: self._on_current(now))
        self.add = QPushButton(tr("models.add"))
        self.add.setAutoDefault(False)
        self.presets = QMenu(self.add)
        for preset in PRESETS:
            self.presets.addAction(tr(f"models.preset.{preset.id}"), partial(self.add_preset, preset))
        self.add.setMenu(self.presets)
        self.remove = QPushButton(tr("models.remove"))
        self.remove.setAutoDefault(False)
        self.remove.clicked.connect(self.remove_current)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.list, 1)
        left.addWidget(self.add)
        left.addWidget(self.remove)
        self.form = EndpointForm(self._context)
        self.form.saved.connect(self._on_saved)
        self.empty = QLabel(tr("models.empty"))
        self.empty.setProperty("role", "secondary")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addLayout(left)
        row.addWidget(self.form, 1)
        row.addWidget(self.empty, 1)
        return row

    def refresh(self, chosen: str = "") -> None:
        """Show the endpoints of the settings, and one that is not saved yet."""
        current = chosen or self._current_id()
        endpoints = list(model_settings.endpoints(self._context.settings))
        if self._new is not None:
            endpoints.append(self._new)
        self.list.blockSignals(True)
        self.list.clear()
        for each in endpoints:
            kind = self._context.tr(f"models.kind.{each.kind.value}")
            item = QListWidgetItem(each.name)
            item.setToolTip(f"{each.name}\n{kind} · {each.model}\n{each.url}")
            item.setData(Qt.ItemDataRole.UserRole, each.id)
            self.list.addItem(item)
            if each.id == current or self.list.currentRow() < 0:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        self._on_current(self.list.currentItem())
        self.usage.refresh()

    def add_preset(self, preset: Preset) -> None:
        """A new endpoint as a kind of server is usually reached; it is kept when it is saved."""
        tr = self._context.tr
        taken = {each.name for each in model_settings.endpoints(self._context.settings)}
        name = base = tr(f"models.preset.{preset.id}")
        number = 2
        while name in taken:
            name, number = f"{base} {number}", number + 1
        self._new = Endpoint(
            id=new_endpoint_id(),
            name=name,
            url=preset.url,
            concurrency=preset.concurrency,
            timeout_s=preset.timeout_s,
        )
        self.refresh(self._new.id)
        self.form.url.setFocus()

    def remove_current(self) -> None:
        """Take the endpoint off the list, with its key; tasks go back to the program."""
        current = self._current_id()
        if self._new is not None and self._new.id == current:
            self._new = None
        else:
            try:
                model_settings.remove_endpoint(self._context.settings, current)
            except UserError as error:
                self._fail(error)
                return
            self.form.forget_key()
        self.refresh()
        self.tasks.fill()
        self.changed.emit()

    @property
    def unsaved(self) -> bool:
        """Whether the form holds something that is not in the settings."""
        current = self._current_id()
        return bool(current) and is_changed(
            self.form, model_settings.endpoint(self._context.settings, current)
        )

    def _on_current(self, item: QListWidgetItem | None) -> None:
        endpoint_id = "" if item is None else str(item.data(Qt.ItemDataRole.UserRole))
        found = model_settings.endpoint(self._context.settings, endpoint_id)
        if self._new is not None and self._new.id == endpoint_id:
            found = self._new
        self.form.setVisible(found is not None)
        self.empty.setVisible(found is None)
        self.remove.setEnabled(found is not None)
        if found is not None:
            self.form.show_endpoint(found)

    def _on_saved(self, endpoint_id: str) -> None:
        if self._new is not None and self._new.id == endpoint_id:
            self._new = None
            self._serve_first(endpoint_id)
        for at in range(self.list.count()):
            item = self.list.item(at)
            found = model_settings.endpoint(self._context.settings, str(item.data(Qt.ItemDataRole.UserRole)))
            if found is not None:
                item.setText(found.name)
        self.tasks.fill()
        self.changed.emit()

    def _serve_first(self, endpoint_id: str) -> None:
        """The first chat endpoint is what every task was waiting for."""
        settings = self._context.settings
        chats = model_settings.endpoints(settings, EndpointKind.CHAT)
        if [each.id for each in chats] == [endpoint_id]:
            model_settings.serve_all(settings, endpoint_id)
            self.form.results.say(self._context.tr("models.serves_all"))
        else:
            self.form.results.say(self._context.tr("models.saved"))

    def _current_id(self) -> str:
        if self.list.currentRow() < 0:
            return ""
        return str(self.list.currentItem().data(Qt.ItemDataRole.UserRole))

    def _fail(self, error: Exception) -> None:
        self.form.results.say(self._context.tr.error(error))
