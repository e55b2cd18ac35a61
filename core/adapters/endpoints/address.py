"""Addresses of an endpoint, from whatever a person pasted."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from core.domain.endpoints import holds_secret
from core.domain.errors import Invalid

_PATHS = re.compile(
    r"/(?:chat/completions|completions|embeddings|models(?:/[^/]+)?|chat|responses)/*$", re.IGNORECASE
)
_VERSION = re.compile(
    r"/(?:v\d+(?:beta\d*|alpha\d*)?|api/v\d+|compatible-mode/v\d+|openai(?:/v\d+)?|api/paas/v\d+)$"
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint answers; `host` is how it is called in messages."""

    base: str
    query: str
    host: str
    loopback: bool

    def of(self, path: str) -> str:
        """The address of one of its functions, e.g. `chat/completions`."""
        return f"{self.base}/{path}{self.query}"


def address(pasted: str) -> Address:
    """The address of the server: with or without `/v1`, slashes at the end, or a function's whole path.

    Without a scheme a machine of one's own is reached by http, others by https.
    Errors: Invalid for what is no web address, and when it holds a key (that belongs into the keyring).
    """
    text = pasted.strip().strip("\"'<>").strip()
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        host = text.split("/")[0].rsplit(":", 1)[0].strip("[]")
        text = f"{'http' if is_local(host) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise Invalid("error.endpoint.url") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", text):
        raise Invalid("error.endpoint.url")
    if holds_secret(text):
        raise Invalid("error.endpoint.key_in_url")
    path = parts.path.rstrip("/")
    path = _PATHS.sub("", path).rstrip("/")
    if not _VERSION.search(path):
        path += "/v1"
    base = urlunsplit((parts.scheme, parts.netloc, re.sub(r"/{2,}", "/", path), "", ""))
    query = f"?{parts.query}" if parts.query else ""
    shown = parts.hostname if port is None else f"{parts.hostname}:{port}"
    return Address(base, query, shown, is_local(parts.hostname, loopback=True))


def is_local(host: str, *, loopback: bool = False) -> bool:
    """Whether it is this machine or, unless only `loopback` counts, one in the same house."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return not loopback and ("." not in host or host.lower().endswith((".local", ".lan", ".home")))
    return number.is_loopback or (not loopback and (number.is_private or number.is_unspecified))
