"""The left side of the Recall page: everything that is asked, most of it folded away at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.domain.enums import TagKind
from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.domain.recall import RecallRequest
from core.domain.recipes import DEFAULT_RECIPE, Recipe
from core.domain.results import FolderNode
from ui.context import Context
from ui.models.recall_choices import LastLines
from ui.read_only import needs_writing
from ui.tasks import single_shot
from ui.views.recall.limits_group import LimitsGroup
from ui.views.recall.recipe_settings import RecipeSettings
from ui.views.recall.tags_group import TagsGroup
from ui.views.recall.where_group import WhereGroup
from ui.views.recall.words import recipe_name
from ui.widgets.fold import Fold
from ui.widgets.plain_text import PlainTextEdit
from ui.widgets.wheel import guard_wheel

TYPED_AFTER_MS = 220
SETTING_FOLDS = "ui.recall_folds"
FOLDS = ("recent", "where", "limits", "tags", "settings")


class RequestPanel(QWidget):
    """`changed` when something else is asked; `folder_chosen(pk or None)`; `run_wanted` by its button."""

    changed = Signal()
    folder_chosen = Signal(object)
    run_wanted = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._recipes: tuple[Recipe, ...] = ()
        self._nodes: tuple[FolderNode, ...] = ()
        self._last = LastLines()
        self._showing = False
        self._soon = single_shot(self, TYPED_AFTER_MS, self._tell)
        self._make_fields()
        self._lay_out()
        self._connect()

    # --- what is asked ---

    def request(self) -> RecallRequest:
        """What the fields say."""
        lines = self.recent.text().splitlines()
        asked = RecallRequest(
            message=self.message.text(),
            context=tuple(line for line in lines if line.strip()),
            folder=self.folder_pk,
            scope=self.where.scope.scope,
            chosen=self.where.scope.chosen,
            viewer=self.where.viewer.viewer,
            as_of_seq=self.where.floor.floor,
            recipe=self.recipe_id,
            settings=self.settings.values(),
            tags=self.tags.tags,
        )
        return self.limits.fill(asked)

    def show_request(self, request: RecallRequest) -> None:
        """Show a whole request; `changed` comes once."""
        self._showing = True
        self.message.set_text(request.message)
        self.recent.set_text("\n".join(request.context))
        self.folder.setCurrentIndex(max(0, self.folder.findData(request.folder)))
        at = self.recipe.findData(request.recipe)
        if at >= 0 and at != self.recipe.currentIndex():
            self.recipe.setCurrentIndex(at)
            self._make_settings()
        self.settings.set_values(request.settings)
        self.limits.show_request(request)
        self.where.scope.set_value(request.scope, request.chosen)
        self.where.viewer.set_viewer(request.viewer)
        self.where.floor.set_floor(request.as_of_seq)
        self.tags.set_tags(request.tags)
        self._showing = False
        self._tell()

    @property
    def folder_pk(self) -> FolderPk | None:
        """The chosen folder."""
        data = self.folder.currentData()
        return None if data is None else FolderPk(data)

    @property
    def folder_record(self) -> Folder | None:
        """The chosen folder's record."""
        return next((node.folder for node in self._nodes if node.folder.pk == self.folder_pk), None)

    @property
    def recipe_id(self) -> str:
        """The chosen recipe."""
        return str(self.recipe.currentData() or DEFAULT_RECIPE)

    @property
    def recipe_record(self) -> Recipe | None:
        """The chosen recipe with its settings."""
        return next((recipe for recipe in self._recipes if recipe.id == self.recipe_id), None)

    # --- what there is ---

    def show_recipes(self, recipes: Sequence[Recipe]) -> None:
        """Offer these recipes."""
        self._recipes = tuple(recipes)
        chosen = self.recipe_id
        self.recipe.blockSignals(True)
        self.recipe.clear()
        for place, recipe in enumerate(recipes):
            self.recipe.addItem(recipe_name(self._ctx.tr, recipe), recipe.id)
            hint = f"{recipe.text}.hint"
            if self._ctx.tr.has(hint):
                self.recipe.setItemData(place, self._ctx.tr(hint), Qt.ItemDataRole.ToolTipRole)
        self.recipe.setCurrentIndex(max(0, self.recipe.findData(chosen)))
        self.recipe.blockSignals(False)
        self._make_settings()

    def show_folders(self, nodes: Sequence[FolderNode], start: FolderPk | None = None) -> None:
        """Offer these folders; the chosen one stays, else `start`."""
        first = not self._nodes
        self._nodes = tuple(nodes)
        chosen = start if first else self.folder_pk
        self.folder.blockSignals(True)
        self.folder.clear()
        self.folder.addItem(self._ctx.tr("recall_page.folder.none"), None)
        for node in nodes:
            self.folder.addItem(node.folder.name, node.folder.pk)
        self.folder.setCurrentIndex(max(0, self.folder.findData(chosen)))
        self.folder.blockSignals(False)
        self.where.scope.show_folders(nodes)

    def show_last(self, last: LastLines, names: Sequence[str]) -> None:
        """The end of the chosen folder's chat. It fills the message unless a person typed another."""
        untouched = self.message.text() in {"", self._last.message}
        self._last = last
        self.where.show_folder(self.folder_record, names, last.floor)
        self.use_last.setVisible(bool(last.message))
        if untouched and last.message:
            self._take_last()

    def suggest_tags(self, words: Mapping[TagKind, Sequence[str]]) -> None:
        """Tags in use."""
        self.tags.suggest(words)

    def save_state(self) -> None:
        """Keep which groups are open."""
        opened = " ".join(name for name, fold in self.folds.items() if fold.is_open)
        self._ctx.settings.set(SETTING_FOLDS, opened)

    # --- inside ---

    def _make_fields(self) -> None:
        ctx, tr = self._ctx, self._ctx.tr
        self.message = PlainTextEdit(lines=3, max_lines=8)
        self.message.setPlaceholderText(tr("recall_page.message.placeholder"))
        self.message.setAccessibleName(tr("recall_page.message"))
        self.use_last = QPushButton(tr("recall_page.use_last"))
        self.use_last.setProperty("flat", True)
        self.use_last.setToolTip(tr("recall_page.use_last.tip"))
        self.use_last.hide()
        self.folder = QComboBox()
        self.folder.setAccessibleName(tr("recall_page.folder"))
        self.recipe = QComboBox()
        self.recipe.setAccessibleName(tr("recall_page.recipe"))
        for combo in (self.folder, self.recipe):
            combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            guard_wheel(combo)
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        self.hint.setProperty("role", "small")
        self.recent = PlainTextEdit(lines=2, max_lines=6)
        self.recent.setPlaceholderText(tr("recall_page.recent.placeholder"))
        self.recent.setAccessibleName(tr("recall_page.recent"))
        self.where, self.limits = WhereGroup(ctx), LimitsGroup(ctx)
        self.tags, self.settings = TagsGroup(ctx), RecipeSettings(ctx)
        self.commit = QCheckBox(tr("recall_page.commit"))
        needs_writing(self._ctx, self.commit)
        self.commit.setToolTip(tr("recall_page.commit.tip"))
        self.commit_words = QLabel()
        self.commit_words.setWordWrap(True)
        self.commit_words.setProperty("role", "small")
        self.run_button = QPushButton()
        self.run_button.setProperty("primary", True)

    def _lay_out(self) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        inner = QWidget()
        inner.setProperty("surface", "base")
        column = QVBoxLayout(inner)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        for name, field in (("message", self.message), ("folder", self.folder), ("recipe", self.recipe)):
            label = QLabel(tr(f"recall_page.{name}"))
            label.setProperty("role", "section")
            column.addWidget(label)
            column.addWidget(field)
            if name == "message":
                column.addWidget(self.use_last, 0, Qt.AlignmentFlag.AlignLeft)
            column.addSpacing(2)
        column.addWidget(self.hint)
        column.addSpacing(4)
        opened = str(self._ctx.settings.get(SETTING_FOLDS)).split()
        bodies = (self.recent, self.where, self.limits, self.tags, self.settings)
        self.folds: dict[str, Fold] = {}
        for name, body in zip(FOLDS, bodies, strict=True):
            fold = Fold(theme, tr(f"recall_page.fold.{name}"), is_open=name in opened)
            fold.column.addWidget(body)
            self.folds[name] = fold
            column.addWidget(fold)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setFrameShape(QFrame.Shape.NoFrame)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(area, 1)
        outer.addWidget(self._foot())

    def _foot(self) -> QWidget:
        bar = QWidget()
        bar.setProperty("role", "bar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(bar)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addWidget(self.commit)
        column.addWidget(self.commit_words)
        column.addWidget(self.run_button)
        return bar

    def _connect(self) -> None:
        self.message.edited.connect(self._typed)
        self.recent.edited.connect(self._typed)
        self.use_last.clicked.connect(self._take_last)
        self.folder.currentIndexChanged.connect(lambda _at: self._on_folder())
        self.recipe.currentIndexChanged.connect(lambda _at: self._on_recipe())
        for part in (self.where, self.limits, self.tags, self.settings):
            part.changed.connect(self._tell)
        self.commit.toggled.connect(lambda _on: self._say_commit())
        self.run_button.clicked.connect(self.run_wanted)
        self._say_commit()

    def _typed(self) -> None:
        if not self._showing:
            self._soon.start()

    def _tell(self) -> None:
        self._soon.stop()
        if self._showing:
            return
        tr = self._ctx.tr
        lines = [line for line in self.recent.text().splitlines() if line.strip()]
        self.folds["recent"].note.setText(tr("recall_page.lines", count=len(lines)) if lines else "")
        self.folds["where"].note.setText(self.where.summary())
        self.folds["limits"].note.setText(self.limits.summary())
        count = self.tags.count
        self.folds["tags"].note.setText(tr("recall_page.tags.count", count=count) if count else "")
        changed = len(self.settings.values())
        self.folds["settings"].note.setText(tr("recall_page.changed", count=changed) if changed else "")
        self.changed.emit()

    def _take_last(self) -> None:
        self._showing = True
        self.message.set_text(self._last.message)
        self.recent.set_text("\n".join(self._last.context))
        self._showing = False
        self._tell()

    def _on_folder(self) -> None:
        if not self._showing:
            self.folder_chosen.emit(self.folder_pk)
            self._tell()

    def _on_recipe(self) -> None:
        if not self._showing:
            self._make_settings()
            self._tell()

    def _make_settings(self) -> None:
        recipe = self.recipe_record
        if recipe is None:
            return
        self.settings.show_recipe(recipe, {})
        self.limits.show_recipe(recipe)
        key = f"{recipe.text}.hint"
        self.hint.setText(self._ctx.tr(key) if self._ctx.tr.has(key) else "")

    def _say_commit(self) -> None:
        tr, on = self._ctx.tr, self.commit.isChecked()
        self.commit_words.setText(tr("recall_page.commit.on" if on else "recall_page.commit.off"))
        self.run_button.setText(tr("recall_page.run.commit" if on else "recall_page.run"))
