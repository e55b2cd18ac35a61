"""Words of a server without keys: everything that is shown or logged goes through here."""

from __future__ import annotations

import re

from core.domain.endpoints import Secret

MOST_SHOWN = 400
MOST_READ = 20_000
_KEYS = re.compile(
    r"(?:sk|pk|rk|gsk|hf|xai|nvapi|ak|key|tok)[-_][A-Za-z0-9_\-*.]{8,}|AIza[0-9A-Za-z_\-]{20,}"
    r"|(?i:bearer|basic)\s+[A-Za-z0-9_\-.=+/*]{6,}|eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-.]+"
)
_NAMED = re.compile(
    r"((?:api[-_ ]?key|authorization|access[-_ ]?token|x-api-key|token|secret|password)[\"']?\s*[:=]\s*[\"']?)[^\s\"',;&}]{4,}",
    re.IGNORECASE,
)
_USER = re.compile(r"(?<=://)[^/@\s]+@")
HIDDEN = "[…]"


def redacted(text: str, key: Secret | None = None) -> str:
    """The text, short and on one line, without the key and without anything that looks like one."""
    text = text[:MOST_READ]
    if key:
        secret = key.reveal()
        text = text.replace(secret, HIDDEN)
        text = _partly(text, secret)
    text = _USER.sub(f"{HIDDEN}@", text)
    text = _NAMED.sub(rf"\1{HIDDEN}", _KEYS.sub(HIDDEN, text))
    return " ".join(text.split())[:MOST_SHOWN]


def _partly(text: str, secret: str) -> str:
    """A server that shortens the key itself (`sk-te****cdef`) still shows its beginning."""
    if len(secret) < 12:
        return text
    beginning, end = re.escape(secret[:4]), re.escape(secret[-4:])
    return re.sub(rf"{beginning}[^\s\"']*{end}|{beginning}[^\s\"']*[*•.…]{{2,}}[^\s\"']*", HIDDEN, text)
