"""The language of the window: texts by key, numbers and times in words, switchable at run time."""

from __future__ import annotations

import locale
from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QDateTime, QLocale, QObject, Signal

from core.domain import texts
from core.domain.errors import Conflict, CuratorError, Unavailable, UserError

MINUTE, HOUR, DAY = 60, 3600, 86400
_STEPS = (
    (MINUTE, 0, "time.now"),
    (HOUR, MINUTE, "time.minutes"),
    (DAY, HOUR, "time.hours"),
    (7 * DAY, DAY, "time.days"),
    (35 * DAY, 7 * DAY, "time.weeks"),
    (365 * DAY, 30 * DAY, "time.months"),
)
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def isolate(text: str) -> str:
    """The text wrapped so that its direction cannot reorder what stands around it."""
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" if text else text


def system_language() -> str:
    """The language of the catalogue that fits the system."""
    names = [*QLocale.system().uiLanguages(), locale.getlocale()[0] or ""]
    return "zh_CN" if names[0].lower().startswith("zh") else texts.FALLBACK


class Language(QObject):
    """`language(key, **args)` is the text in the current language. `changed` after a switch."""

    changed = Signal()

    def __init__(
        self,
        code: str = texts.FALLBACK,
        parent: QObject | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(parent)
        self._code = code if code in texts.LANGUAGES else texts.FALLBACK
        self._clock = clock

    def __call__(self, key: str, /, **args: object) -> str:
        return texts.render(self._code, key, **args)

    @property
    def code(self) -> str:
        """`en` or `zh_CN`."""
        return self._code

    def switch(self, code: str) -> None:
        """Show everything in that language from now on."""
        if code != self._code and code in texts.LANGUAGES:
            self._code = code
            self.changed.emit()

    def has(self, key: str) -> bool:
        """Whether the catalogue has a text under that key."""
        return texts.has(key, self._code)

    @property
    def locale(self) -> QLocale:
        """Qt's locale of the current language."""
        return QLocale(self._code)

    def number(self, value: float) -> str:
        """A count with the separators of the language."""
        return self.locale.toString(value) if isinstance(value, int) else self.locale.toString(value, "f", 1)

    def relative(self, moment: datetime | None) -> str:
        """A time as distance from now ("3 h ago"); older than a year: the date. "" for None."""
        if moment is None:
            return ""
        seconds = (self._clock() - moment).total_seconds()
        for limit, unit, key in _STEPS:
            if seconds < limit:
                return self(key, count=max(1, int(seconds // unit)) if unit else 0)
        return moment.astimezone().strftime("%Y-%m-%d")

    def exact(self, moment: datetime | None) -> str:
        """A time in full, in the machine's time zone. "" for None."""
        if moment is None:
            return ""
        stamp = QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))
        return self.locale.toString(stamp, "yyyy-MM-dd HH:mm:ss t")

    def error(self, error: Exception) -> str:
        """What to tell a person about an error. Anything outside the error tree is a bug and said as one."""
        match error:
            case UserError() | Conflict():
                args = {
                    name: isolate(str(value)) if isinstance(value, str) else value
                    for name, value in error.text_args.items()
                }
                return self(error.key, **args)
            case Unavailable() if error.key:
                return self(error.key, **error.text_args)
            case Unavailable():
                key = f"error.unavailable.{error.port}"
                return self(
                    key if self.has(key) else "error.unavailable", port=error.port, reason=error.reason
                )
            case CuratorError():
                return self("error.cancelled")
            case _:
                return self("error.bug.window", kind=type(error).__name__)
