"""Completion in the search field: asks what may stand at the cursor, shows it, and puts in what is taken."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent

from core.domain.api import Cancel, Report
from core.domain.queries_search import CompleteSearch
from core.domain.search import Completion, Suggestion
from ui.context import Context
from ui.tasks import Lane, single_shot
from ui.views.search_help import SearchHelp
from ui.views.suggestion_list import ROWS_SHOWN, SuggestionList
from ui.widgets.search_field import SearchField

SIGNS = ":：=＝<>＜＞≥≤≠"
PAUSE_MS = 60
"""So long after the last key the library is asked."""
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: ROWS_SHOWN - 1,
    Qt.Key.Key_PageUp: 1 - ROWS_SHOWN,
}


class SearchCompletion(QObject):
    """Lives as long as the library is open. Letters of an unfinished composition ask nothing and take nothing.

    After a key the first row is chosen, so that Enter takes it; among keys none is, so that Enter searches.
    """

    def __init__(self, context: Context, field: SearchField, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._field = context, field
        self._found = Completion()
        self._asked = ("", 0)
        self._quiet = self._waits = self._held = False
        self._help: SearchHelp | None = None
        self.list = SuggestionList(context.tr, context.theme, field)
        self.list.taken.connect(self.take)
        self._soon = single_shot(self, PAUSE_MS, self._ask)
        field.installEventFilter(self)
        field.holds = self._holds
        field.textEdited.connect(self._on_edited)
        field.textChanged.connect(self._on_text)
        field.cursorPositionChanged.connect(self._on_moved)
        context.tr.changed.connect(self.close)
        context.actions.on("help.search", self._show_help)

    def leave(self) -> None:
        """The library is closed: let go of the field."""
        self.close()
        self._field.removeEventFilter(self)
        self._field.holds = lambda: False
        self._field.textEdited.disconnect(self._on_edited)
        self._field.textChanged.disconnect(self._on_text)
        self._field.cursorPositionChanged.disconnect(self._on_moved)
        self.list.deleteLater()
        if self._help is not None:
            self._help.close()

    @property
    def open(self) -> bool:
        """Whether the list is shown."""
        return not self.list.isHidden()

    @property
    def _is_about_this(self) -> bool:
        """Whether what was asked last is what the field holds now."""
        return self._asked == (self._field.text(), self._field.cursorPosition())

    @property
    def _typed_in(self) -> bool:
        """Whether keys go to the field, as soon as they go to its window."""
        return self._field.window().focusWidget() is self._field

    def close(self) -> None:
        """Take the list away."""
        self._soon.stop()
        self._context.tasks.drop(self, "complete")
        self._hide()
        self._let_go()

    def _hide(self) -> None:
        if self.open:
            self.list.hide()
            self._field.ask_soon()

    def _holds(self) -> bool:
        """A value that is about to be completed is not searched for yet: that would only be said to be wrong.

        Until it is known what can complete the text, one that has a sign in it is held back too.
        """
        if self._soon.isActive() or self._waits:
            self._held = any(sign in self._field.text() for sign in SIGNS)
            return self._held
        return self.open and self._found.unfinished and self._is_about_this

    # --- asking ---

    def _on_edited(self) -> None:
        if not self._field.composing and not self._quiet:
            self._soon.start()

    def _on_text(self, text: str) -> None:
        if not text:
            self.close()

    def _on_moved(self) -> None:
        if self.open and not self._quiet:
            self._soon.start()

    def _ask(self, *, everything: bool = False) -> None:
        field, engine = self._field, self._context.engine
        if field.composing or not self._typed_in:
            self.close()
            return
        self._asked = (field.text(), field.cursorPosition())
        query = CompleteSearch(*self._asked, language=self._context.tr.code, all=everything)

        def ask(_progress: Report, cancel: Cancel) -> Completion:
            return engine.ask(query, cancel=cancel)

        self._waits = True
        self._context.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="complete", failed=lambda _error: self.close()
        )

    def _let_go(self) -> None:
        """What was held back until an answer came is asked for, unless it is held back by the answer."""
        self._waits = False
        held, self._held = self._held, False
        if held and not self._holds():
            self._field.ask_soon()

    def _show(self, found: Completion) -> None:
        self._offer(found)
        self._let_go()

    def _offer(self, found: Completion) -> None:
        field = self._field
        if not self._is_about_this or field.composing or not self._typed_in:
            return
        self._found = found
        if found.rows:
            self.list.offer(found, choose_first=bool(found.key))
        else:
            self._hide()

    # --- taking ---

    def take(self, row: Suggestion) -> None:
        """Put a row in place of what was typed; behind a key its values are offered at once."""
        field, found = self._field, self._found
        self.close()
        text = field.text()
        whole = bool(found.key)
        at_end = whole and found.end >= len(text)
        insert = row.insert + (" " if at_end else "")
        self._quiet = True
        try:
            field.setSelection(found.start, found.end - found.start)
            field.insert(insert)
            field.setCursorPosition(found.start + len(insert))
        finally:
            self._quiet = False
        field.setFocus()
        if not whole:
            self._soon.start()

    # --- help ---

    def _show_help(self) -> None:
        """The sheet with the whole language; one at a time, beside the window."""
        if self._help is None:
            self._help = SearchHelp(self._context, self._field.window())
            self._help.wanted.connect(self._put_in)
            self._help.destroyed.connect(self._help_gone)
        self._help.show()
        self._help.raise_()
        self._help.activateWindow()

    def _help_gone(self) -> None:
        self._help = None

    def _put_in(self, text: str) -> None:
        """Put something from the sheet behind what was typed."""
        field = self._field
        field.window().activateWindow()
        field.setFocus()
        field.end(False)
        field.insert(text if not field.text() or field.text().endswith(" ") else f" {text}")

    # --- keys ---

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent) and not self._field.composing:
                return self._on_key(event)
            case QEvent.Type.ShortcutOverride if isinstance(event, QKeyEvent) and self.open:
                if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                    event.accept()
                    return True
            case QEvent.Type.InputMethod if isinstance(event, QInputMethodEvent) and event.preeditString():
                self.close()
            case QEvent.Type.InputMethod if isinstance(event, QInputMethodEvent) and event.commitString():
                self._soon.start()
            case QEvent.Type.FocusOut | QEvent.Type.Hide:
                self.close()
            case QEvent.Type.Resize if self.open:
                self.list.place()
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Down and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._ask(everything=True)
            return True
        if not self.open:
            return False
        if not self._is_about_this:
            self._hide()  # the answer about this text is on its way
            return False
        if key in _STEPS:
            self.list.step(_STEPS[key])
            return True
        if key is Qt.Key.Key_Escape:
            self.close()
            return True
        chosen = self.list.chosen
        if key is Qt.Key.Key_Tab and not event.modifiers():
            chosen = chosen or self.list.rows[0]
        elif key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        if chosen is None:
            self.close()
            return False
        self.take(chosen)
        return True
