"""The page Recall: request, results and injection, and how they follow each other."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.enums import Kind
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries import Memories
from core.domain.recall import RecallRequest, RecallRun
from core.domain.results import Changes
from ui.context import Context
from ui.models.recall_compare import Shot
from ui.models.recall_empty import why_empty
from ui.models.recall_live import RecallLive
from ui.models.recall_view import RecallView
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.naming import shorten
from ui.views.recall.body import RecallBody
from ui.views.recall.case_keeper import CaseKeeper
from ui.views.recall.offer import Offer
from ui.views.recall.one_memory import OneMemory
from ui.views.recall.runs import shot_of
from ui.views.recall.words import changes_text, recipe_name

MESSAGE_CHARS = 400
FOLDERS_AFTER_MS = 300


class RecallPage(QWidget):
    """Live preview of a recall. `open_memories(pks)`: show these on the page Memories."""

    open_memories = Signal(object)

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self.live = RecallLive(ctx, self)
        self.offer = Offer(ctx, operations, self, self)
        self.memory = OneMemory(ctx, operations, self, self)
        self.cases = CaseKeeper(ctx, operations, self, self)
        self.view: RecallView | None = None
        self._why_next: MemoryPk | None = None
        self._folders_late = False
        self._look = (ctx.theme.percent, ctx.theme.dark)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._folders_soon = single_shot(self, FOLDERS_AFTER_MS, self.offer.refresh)
        self.body = self._make_body()
        self._connect_live()
        self._connect_actions()
        self.offer.ready.connect(self._on_ready)
        ctx.tr.changed.connect(self._rebuild)
        ctx.theme.changed.connect(self._on_theme)
        ctx.bridge.changes.connect(self._on_changes)

    # --- what others ask of the page ---

    def recall_from(self, memory: MemoryPk) -> None:
        """Recall with a memory's own text as the message, in its folder."""
        self._read_memory(memory, self._start_from)

    def recall_message(self, message: str, folder: FolderPk | None) -> None:
        """Recall with a message; in a folder, or as the page stands."""
        known = self.body.request.request() if self.offer.choices is not None else RecallRequest(message="")
        place = known.folder if folder is None else folder
        self.show_request(replace(known, message=message, context=(), folder=place, as_of_seq=None))
        if folder is not None:
            self.offer.prefer_folder(folder)

    def ask_why(self, memory: MemoryPk) -> None:
        """Say why a memory is or is not recalled; in its folder when nothing was asked yet."""
        if self.live.request is not None:
            self.memory.why(memory)
        else:
            self._why_next = memory
            self._read_memory(memory, lambda found: self.offer.prefer_folder(found.folder))

    def save_state(self) -> None:
        """Keep what a person arranged."""
        self.body.save_state()

    def show_request(self, request: RecallRequest) -> None:
        """Ask this."""
        if self.offer.choices is None:
            self.offer.request_next = request
            return
        self.body.request.show_request(request)
        if request.folder != self.offer.folder_pk:
            self.offer.load_folder(request.folder)

    # --- inside: building ---

    def _make_body(self) -> RecallBody:
        body = RecallBody(self._ctx, self._operations)
        layout = self.layout()
        if layout is not None:
            layout.addWidget(body)
        request, results = body.request, body.results
        request.changed.connect(self.ask)
        request.folder_chosen.connect(self.offer.choose_folder)
        request.run_wanted.connect(self.run)
        results.chosen.connect(self.memory.show)
        results.hovered.connect(self.memory.hover)
        results.in_sight.connect(self.live.tell)
        for part in (results, body.card):
            part.remedy_wanted.connect(self.memory.remedy)
            part.opened.connect(lambda pk: self.open_memories.emit((MemoryPk(pk),)))
            part.why_wanted.connect(lambda pk: self.memory.why(MemoryPk(pk)))
        results.folder_name = self.offer.folder_name
        body.why.asked.connect(lambda pk: self.memory.why(MemoryPk(pk)))
        body.why.cleared.connect(lambda: self.memory.put_answer(None))
        body.injection.chosen.connect(lambda pk: results.select(MemoryPk(pk)))
        body.injection.hovered.connect(lambda pk: results.results.light(() if pk is None else (pk,)))
        body.injection.pinned.connect(self.pin)
        body.compare.chosen.connect(lambda pk: results.select(MemoryPk(pk)))
        body.compare.pin_wanted.connect(self.pin)
        body.runs.pinned.connect(self._pin_run)
        body.runs.ask_again.connect(self._ask_run)
        body.cases.ask_case.connect(self.cases.open)
        body.cases.save_wanted.connect(self.cases.save)
        results.results.ticks_changed.connect(self.cases.show_ticks)
        body.tabs.currentChanged.connect(self._on_tab)
        body.cases.offer_saving(0)
        return body

    def _connect_live(self) -> None:
        live = self.live
        live.asked.connect(self._on_asked)
        live.came.connect(self._show)
        live.failed.connect(self._fail)
        live.committed.connect(self._on_committed)
        live.answered.connect(self.memory.take_answer)
        live.told.connect(self.memory.take_told)

    def _connect_actions(self) -> None:
        on = self._ctx.actions.on
        on("recall.run", self.run)
        on("recall.why_not", self._start_why)
        on("recall.copy", self._copy)
        on("recall.pin", self.pin)
        on("recall.last", self._show_last)
        on("recall.save_case", self.cases.save)
        on("recall.run_cases", self.cases.run)

    def _rebuild(self) -> None:
        """Another language, colour scheme or text size: the widgets are made anew and stand where they stood."""
        old, request = self.body, self.body.request.request()
        tab, pinned, ticked = old.tabs.currentIndex(), old.compare.pinned, old.results.results.ticked
        commit, asked = old.request.commit.isChecked(), old.results.results.answer_asked
        current, run = old.results.current_memory, old.runs.shown
        old.save_state()
        self.body = self._make_body()
        old.hide()
        old.deleteLater()
        self.body.request.commit.setChecked(commit)
        self.body.tabs.setCurrentIndex(tab)
        self.body.results.results.set_ticked(ticked)
        self.body.compare.pin(pinned)
        self.body.runs.show_run(run)
        if self.offer.choices is not None:
            self.offer.request_next = request
            self.offer.take(self.offer.choices)
            if self.view is not None:
                self._show(self.view)
        if asked is not None:
            self.memory.take_answer(asked)
        if current is not None:
            self.body.results.select(current)

    def _on_theme(self) -> None:
        look = (self._ctx.theme.percent, self._ctx.theme.dark)
        if look != self._look:
            self._look = look
            self._rebuild()

    # --- inside: what there is to choose ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.live.wake(awake=True)
        if self.offer.choices is None or self._folders_late:
            self._folders_late = False
            self.offer.refresh()
        self._tell_situation()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.live.wake(awake=False)
        self._tell_situation()

    def _tell_situation(self) -> None:
        self._ctx.actions.update(recall=self.isVisible() and self.view is not None)

    # --- inside: asking ---

    def _on_ready(self) -> None:
        if self._why_next is not None:
            memory, self._why_next = self._why_next, None
            self.memory.why(memory)

    def run(self) -> None:
        """Recall now; with the switch on it counts."""
        request = self.body.request
        if request.commit.isChecked():
            self.live.commit(request.request())
        else:
            self.live.show(request.request())

    def ask(self) -> None:
        """Recall what stands on the left, a moment later; nothing before there is something to choose."""
        if self.offer.choices is None or self.offer.folder is None:
            return
        request = self.body.request.request()
        self.body.runs.show_folder(request.folder)
        self.live.show(request)

    def _on_asked(self) -> None:
        if self.view is None:
            self.body.stack.show_loading(self._ctx.tr("recall_page.loading"))
        else:
            self.body.results.mark_old()

    def _show(self, view: RecallView) -> None:
        self.view = view
        body = self.body
        body.header.show_result(view.result)
        body.results.show_view(view)
        body.injection.show_view(view)
        body.compare.show_now(self._shot(view))
        self._show_state(view)
        self.memory.show(body.results.current_memory)
        self._tell_situation()
        asked = body.results.results.asked_about
        if asked is not None:
            self.live.why(asked)

    def _show_state(self, view: RecallView) -> None:
        """Content; above it the reason when nothing was recalled, with one way out."""
        tr, stack = self._ctx.tr, self.body.stack
        empty = why_empty(view.result)
        stack.show_content()
        if empty is None:
            return
        key = f"recall_page.empty.{empty.reason}"
        wanted = empty.request
        if wanted is not None:
            stack.show_stale(tr(key), tr(f"{key}.button"), lambda: self.show_request(wanted))
        elif empty.reason == "message":
            stack.show_stale(tr(key), tr(f"{key}.button"), self.body.request.message.setFocus)
        else:
            stack.show_stale(tr(key), tr("recall_page.why_not"), self.body.why.start)

    def _fail(self, error: Exception) -> None:
        tr, stack = self._ctx.tr, self.body.stack
        self.body.results.keep()
        if self.view is None:
            stack.show_notice(tr.error(error), tr("state.again"), self.live.refresh)
        else:
            stack.show_stale(
                tr("recall_page.stale", reason=tr.error(error)), tr("state.again"), self.live.refresh
            )

    def _on_committed(self, view: RecallView) -> None:
        self._show(replace(view, result=replace(view.result, request=self.body.request.request())))
        self._operations.said.emit(
            self._ctx.tr("recall_page.committed", count=len(view.result.selected)), False
        )
        if self.body.runs.isVisible():
            self.body.runs.refresh()

    def _on_changes(self, changes: Changes) -> None:
        if Kind.FOLDER in changes.touched or Kind.MESSAGE in changes.touched:
            self._folders_late = True
            if self.isVisible() and self.offer.choices is not None:
                self._folders_soon.start()

    # --- inside: memories from the other page, past runs ---

    def _read_memory(self, memory: MemoryPk, then: object) -> None:
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[Memory, ...]:
            return engine.ask(Memories((memory,)), cancel=cancel)

        def done(found: tuple[Memory, ...]) -> None:
            if found and callable(then):
                then(found[0])

        self._ctx.tasks.run(
            Lane.READ, ask, done, owner=self, query="memory", failed=self._operations.show_error
        )

    def _start_from(self, memory: Memory) -> None:
        message = "\n".join(part for part in (memory.title, memory.body) if part)[:MESSAGE_CHARS]
        self.recall_message(message, memory.folder)

    def _shot(self, view: RecallView) -> Shot:
        request, tr = view.result.request, self._ctx.tr
        changes = changes_text(tr, request, self.body.request.recipe_record)
        name = tr(
            "recall_page.shot_name.changed" if changes else "recall_page.shot_name",
            recipe=recipe_name(tr, request.recipe),
            message=shorten(request.message, 32) or tr("recall_page.no_message"),
            changes=changes,
        )
        injection = view.result.injection
        return Shot(name, tuple(each.pk for each in view.result.selected), injection.text, injection.tokens)

    def pin(self) -> None:
        """The present run is A from now on."""
        if self.view is not None:
            self.body.compare.pin(self._shot(self.view))
            self._operations.said.emit(self._ctx.tr("recall_page.pinned"), False)

    def _pin_run(self, run: RecallRun | None) -> None:
        if run is not None:
            self.body.compare.pin(shot_of(self._ctx, run))
            self.body.tabs.setCurrentWidget(self.body.compare)

    def _ask_run(self, run: RecallRun | None) -> None:
        if run is not None:
            present = self.body.request.request()
            wanted = replace(
                present,
                message=run.message,
                context=(),
                folder=run.folder,
                viewer=run.viewer,
                recipe=run.recipe,
            )
            self.show_request(replace(wanted, settings={}) if run.recipe != present.recipe else wanted)

    def _start_why(self) -> None:
        self.body.why.start()

    def _copy(self) -> None:
        self.body.injection.copy()

    def _show_last(self) -> None:
        self.body.tabs.setCurrentWidget(self.body.runs)
        self.body.runs.show_last()

    def _on_tab(self) -> None:
        if self.body.tabs.currentWidget() is self.body.compare:
            self.body.compare.refresh()
