"""The form of one endpoint: address, model, key, limits, and the test of the connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core import model_settings
from core.domain.api import Cancel, Report
from core.domain.endpoints import LIMITS, Endpoint, EndpointKind, Measured, Secret
from core.domain.errors import Invalid, UserError
from core.domain.model_answers import EndpointReport, KeyPlace
from core.domain.queries_models import KeepKey, ListModels, TestEndpoint, WhereIsKey
from ui.context import Context
from ui.tasks import Lane
from ui.views.settings.test_results import TestResults
from ui.widgets.fold import Fold
from ui.widgets.wheel import guard_wheel

T = TypeVar("T")
TEXTS = ("proxy", "key_variable", "document_prefix", "query_prefix")
PRICES = ("price_in", "price_out")
WHOLE = ("timeout_s", "concurrency", "requests_per_minute", "max_tokens", "batch")
OF_CHAT = ("max_tokens", "price_out")
OF_VECTORS = ("batch", "document_prefix", "query_prefix")


class EndpointForm(QWidget):
    """Edits one endpoint. `saved(id)`: it stands in the settings now."""

    saved = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._endpoint: Endpoint | None = None
        self._measured = Measured()
        self._tested: Endpoint | None = None
        self._session_only = False
        self.more: dict[str, QLineEdit | QSpinBox | QDoubleSpinBox] = {}
        self._rows: dict[str, tuple[QLabel, QWidget]] = {}
        self._build()

    # --- what it shows ---------------------------------------------------------------------

    def show_endpoint(self, endpoint: Endpoint) -> None:
        """Show it; unsaved when the settings do not have it."""
        self._endpoint, self._measured = endpoint, endpoint.measured
        self._session_only, self._tested = False, None
        self.name.setText(endpoint.name)
        self.kind.setCurrentIndex(self.kind.findData(endpoint.kind.value))
        self.url.setText(endpoint.url)
        self.model.clear()
        self.model.setEditText(endpoint.model)
        self.key.clear()
        self.session.hide()
        self.results.hide()
        for name, editor in self.more.items():
            value = getattr(endpoint, name)
            if isinstance(editor, QLineEdit):
                editor.setText(str(value))
            else:
                editor.setValue(value)
        self._ask_key()
        self._fit_kind()

    def endpoint(self) -> Endpoint:
        """The endpoint as the form has it."""
        assert self._endpoint is not None
        values: dict[str, object] = {
            name: editor.text().strip() if isinstance(editor, QLineEdit) else editor.value()
            for name, editor in self.more.items()
        }
        prefixes = {name: self.more[name] for name in ("document_prefix", "query_prefix")}
        values |= {name: each.text() for name, each in prefixes.items() if isinstance(each, QLineEdit)}
        kind = EndpointKind(str(self.kind.currentData()))
        made = replace(
            self._endpoint,
            name=self.name.text().strip(),
            url=self.url.text().strip(),
            model=self.model.currentText().strip(),
            kind=kind,
            **values,  # type: ignore[arg-type]  # names and types come from the editors of the same table
        )
        return replace(made, measured=self._measured if self._same_model(made) else Measured())

    def _same_model(self, made: Endpoint) -> bool:
        """Whether what was measured is still about this model."""
        assert self._endpoint is not None
        parts = ("url", "model", "kind", "document_prefix", "query_prefix")
        about = self._tested or self._endpoint
        return all(getattr(made, part) == getattr(about, part) for part in parts)

    # --- building --------------------------------------------------------------------------

    def _build(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        self.name, self.url = QLineEdit(), QLineEdit()
        self.kind = QComboBox()
        for kind in EndpointKind:
            self.kind.addItem(tr(f"models.kind.{kind.value}"), kind.value)
        guard_wheel(self.kind)
        self.kind.currentIndexChanged.connect(self._fit_kind)
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        guard_wheel(self.model)
        self.fetch = self._button("models.fetch", self.fetch_models)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.session = self._button("models.key.session", self._keep_for_session)
        self.session.hide()
        self.key_place = QLabel()
        self.key_place.setProperty("role", "small")
        self.key_place.setWordWrap(True)
        self._row(form, "name", self.name)
        self._row(form, "kind", self.kind)
        self._row(form, "url", self.url)
        self._row(form, "model", self._beside(self.model, self.fetch), self.model)
        self._row(form, "key", self._beside(self.key, self.session), self.key)
        form.addRow("", self.key_place)
        self.url.setPlaceholderText("http://127.0.0.1:11434/v1")
        column.addLayout(form)
        column.addWidget(self._build_more())
        self.test = self._button("models.test", self.run_test)
        self.save = self._button("models.save", self.keep)
        self.save.setProperty("primary", "true")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.test)
        buttons.addStretch(1)
        buttons.addWidget(self.save)
        column.addLayout(buttons)
        self.results = TestResults(self._context)
        column.addWidget(self.results)
        column.addStretch(1)
        for field in (self.name, self.url, self.key):
            field.setMinimumHeight(theme.px(24))

    def _build_more(self) -> Fold:
        self.fold = Fold(self._context.theme, self._context.tr("models.more"))
        form = QFormLayout()
        self.fold.column.addLayout(form)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for name in (*WHOLE, *PRICES, *TEXTS):
            editor = self.more[name] = self._number(name) if name in LIMITS else QLineEdit()
            editor.setToolTip(self._context.tr(f"models.field.{name}.hint"))
            self._row(form, name, editor)
        return self.fold

    def _number(self, name: str) -> QSpinBox | QDoubleSpinBox:
        low, high = LIMITS[name]
        if name in PRICES:
            price = QDoubleSpinBox()
            price.setDecimals(3)
            price.setRange(low, high)
            guard_wheel(price)
            return price
        number = QSpinBox()
        number.setRange(int(low), int(high))
        guard_wheel(number)
        return number

    def _row(self, form: QFormLayout, name: str, widget: QWidget, editor: QWidget | None = None) -> None:
        text = self._context.tr(f"models.field.{name}")
        label = QLabel(text)
        label.setBuddy(editor or widget)
        (editor or widget).setAccessibleName(text)
        form.addRow(label, widget)
        self._rows[name] = (label, widget)

    def _beside(self, field: QWidget, button: QPushButton) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(field, 1)
        row.addWidget(button)
        return holder

    def _button(self, key: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(self._context.tr(key))
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    def _fit_kind(self) -> None:
        """Only the fields that this kind has."""
        vectors = self.kind.currentData() == EndpointKind.EMBEDDING.value
        for name in (*OF_CHAT, *OF_VECTORS):
            for part in self._rows[name]:
                part.setVisible((name in OF_VECTORS) == vectors)

    # --- doing -----------------------------------------------------------------------------

    def _typed_key(self) -> Secret | None:
        text = self.key.text().strip()
        return Secret(text) if text else None

    def fetch_models(self) -> None:
        """Ask the server for the names of its models."""
        query = ListModels(self.endpoint(), self._typed_key())
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[str, ...]:
            return engine.ask(query, cancel=cancel)

        def done(names: tuple[str, ...]) -> None:
            chosen = self.model.currentText()
            self.model.clear()
            self.model.addItems(list(names))
            self.model.setEditText(chosen or (names[0] if len(names) == 1 else ""))
            self.results.say(self._context.tr("models.test.list", count=len(names)))

        self._ask("models", ask, done)

    def run_test(self) -> None:
        """Test what the form says, saved or not."""
        endpoint = self.endpoint()
        query = TestEndpoint(endpoint, self._typed_key())
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> EndpointReport:
            return engine.ask(query, cancel=cancel)

        def done(report: EndpointReport) -> None:
            self.results.show_lines(report.lines)
            if report.measured is not None:
                self._tested, self._measured = endpoint, report.measured
            if report.models:
                chosen = self.model.currentText()
                self.model.clear()
                self.model.addItems(list(report.models))
                self.model.setEditText(chosen)

        self._ask("test", ask, done)

    def _ask(self, name: str, ask: Callable[[Report, Cancel], T], done: Callable[[T], None]) -> None:
        tr = self._context.tr
        self.results.say(tr("models.asking"))
        self._context.tasks.run(
            Lane.NET, ask, done, owner=self, query="endpoint", label=f"task.models.{name}",
            failed=lambda error: self.results.say(tr.error(error)),
        )  # fmt: skip

    def keep(self) -> None:
        """Save the endpoint and, when one was typed, its key."""
        made, settings = self.endpoint(), self._context.settings
        try:
            model_settings.save_endpoint(settings, made)
        except UserError as error:
            self.results.say(self._context.tr.error(error))
            return
        self._endpoint = made
        if (key := self._typed_key()) is not None:
            self._keep_key(made, key)
        self.saved.emit(made.id)

    def _keep_for_session(self) -> None:
        self._session_only = True
        self.keep()

    def _keep_key(self, endpoint: Endpoint, key: Secret) -> None:
        query = KeepKey(endpoint, key, self._session_only)
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> KeyPlace:
            return engine.ask(query, cancel=cancel)

        def done(place: KeyPlace) -> None:
            self.key.clear()
            self.session.hide()
            self._show_place(place)

        def failed(error: Exception) -> None:
            self.session.setVisible(isinstance(error, Invalid) and error.key == "error.endpoint.no_keyring")
            self.results.say(self._context.tr.error(error))

        self._context.tasks.run(Lane.NET, ask, done, owner=self, query="key", failed=failed)

    def forget_key(self) -> None:
        """Forget the key of the endpoint that is shown: it was removed."""
        assert self._endpoint is not None
        self._keep_key(self._endpoint, Secret(""))

    def _ask_key(self) -> None:
        assert self._endpoint is not None
        query, engine = WhereIsKey(self._endpoint), self._context.engine
        self.key_place.setText("")

        def ask(_progress: Report, cancel: Cancel) -> KeyPlace:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(Lane.NET, ask, self._show_place, owner=self, query="key_place")

    def _show_place(self, place: KeyPlace) -> None:
        where = "session_only" if place.place == "session" else place.place
        self.key_place.setText(self._context.tr(f"models.key.{where}", hint=place.hint))


def is_changed(form: EndpointForm, settings_endpoint: Endpoint | None) -> bool:
    """Whether the form holds something that is not saved."""
    if settings_endpoint is None:
        return True
    made = form.endpoint()
    return any(
        getattr(made, each.name) != getattr(settings_endpoint, each.name) for each in fields(made)
    ) or bool(form.key.text())
