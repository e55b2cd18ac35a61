"""The whole error tree. Anything else that is raised is a bug and is shown as one."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.access import ReadOnly


class CuratorError(Exception):
    """Base of all errors that this program raises on purpose."""


class Cancelled(CuratorError):
    """The person cancelled. Never shown; nothing was changed."""


class UserError(CuratorError):
    """Something the person can put right.

    `key` names the message in resources/texts (it says what happened, what is safe and what to
    do next), `args` fills its places, `details` is folded text for those who want it.
    """

    def __init__(self, key: str, /, *, details: str = "", **args: object) -> None:
        super().__init__(key, args)
        self.key = key
        self.details = details
        self.text_args: dict[str, object] = dict(args)

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.text_args.items())
        return f"{self.key}({shown})"


class NotFound(UserError):
    """An id that names nothing."""


class Invalid(UserError):
    """A value that a rule of the domain refuses."""


class BadFile(UserError):
    """A file that cannot be read as what it should be; nothing was written."""


class EncodingQuestion(BadFile):
    """A text whose encoding is in doubt: `choices` are encodings with the beginning of the text in each."""

    def __init__(self, key: str, choices: Sequence[tuple[str, str]], /, **args: object) -> None:
        super().__init__(key, details="", **args)
        self.choices = tuple(choices)


class PasswordQuestion(BadFile):
    """A file that opens only with a password."""


class Conflict(CuratorError):
    """Rows were changed by somebody else since they were read.

    `pks` are the rows in conflict, `key` the message, `details` a line for each row in words.
    """

    def __init__(self, key: str, pks: Sequence[int], *, details: str = "", **args: object) -> None:
        super().__init__(key, tuple(pks))
        self.key = key
        self.details = details
        self.pks = tuple(pks)
        self.text_args: dict[str, object] = {"count": len(self.pks), **args}


class Unavailable(CuratorError):
    """A port that does not answer: `port` is `index`, `embedder`, `model`, `store` ...

    `reason` is English, for logs and details; `key` names the text for a person where there is one.
    """

    def __init__(self, port: str, reason: str, *, key: str = "", **args: object) -> None:
        super().__init__(port, reason)
        self.port = port
        self.reason = reason
        self.key = key
        self.text_args: dict[str, object] = {"reason": reason, **args}


class BadReply(UserError):
    """A model's reply from which no value can be taken; `details` is its beginning. Nothing was written."""


class WaitsForReply(UserError):
    """A request waits for a person's reply; what asked goes on when it is there (ResumeManual). What was done stays.

    `rest`: the query that goes on, where it is another one than was asked. `changed`: a reply was handed in, but
    what its request was about is another by now.
    """

    def __init__(self, number: int, rest: object = None) -> None:
        super().__init__("manual.request_waits", number=number)
        self.number = number
        self.rest = rest
        self.changed = False


class LibraryInUse(UserError):
    """Another process holds the library's lock."""


class ReadOnlyLibrary(UserError):
    """The library is open for reading alone; nothing was written."""

    def __init__(self, why: ReadOnly) -> None:
        super().__init__(f"error.read_only.{why.value}")
        self.why = why
