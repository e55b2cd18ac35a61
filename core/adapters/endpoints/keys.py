"""Keys of endpoints: in the system's keyring, else in the environment, else for this session only."""

from __future__ import annotations

import os
import re
import threading

from core.adapters.endpoints.caller import checked_key
from core.domain.endpoints import Endpoint, Secret
from core.domain.errors import Invalid
from core.domain.model_answers import KeyPlace

SERVICE = "memory-curator"
PREFIX = "MEMORY_CURATOR_KEY"


class Keys:
    """Reads and keeps keys. They are in no file of the program; may be used from any thread."""

    def __init__(self) -> None:
        self._session: dict[str, Secret] = {}
        self._known: dict[str, Secret | None] = {}
        self._lock = threading.Lock()

    def of(self, endpoint: Endpoint) -> Secret | None:
        """The key of an endpoint, None when there is none."""
        return self._found(endpoint)[0]

    def place(self, endpoint: Endpoint) -> KeyPlace:
        """Where its key lies, and its last characters."""
        key, place = self._found(endpoint)
        return KeyPlace(place, key.hint if key else "")

    def keep(self, endpoint: Endpoint, key: Secret, *, session_only: bool = False) -> KeyPlace:
        """Keep a key; an empty one forgets it.

        Errors: Invalid when no header could carry it, or when this machine has no keyring: then it can be
        kept for this session only, or come from the environment.
        """
        checked = checked_key(key)
        with self._lock:
            self._known.pop(endpoint.id, None)
            self._session.pop(endpoint.id, None)
            if checked is not None and session_only:
                self._session[endpoint.id] = checked
                return KeyPlace("session", checked.hint)
        if checked is None:
            self._forget(endpoint)
            return self.place(endpoint)
        try:
            import keyring

            keyring.set_password(SERVICE, endpoint.id, checked.reveal())
        except Exception as error:  # noqa: BLE001 - every system's keyring has errors of its own
            name = type(error).__name__
            raise Invalid("error.endpoint.no_keyring", details=name, variable=variable_of(endpoint)) from None
        return KeyPlace("keyring", checked.hint)

    def _found(self, endpoint: Endpoint) -> tuple[Secret | None, str]:
        with self._lock:
            if endpoint.id in self._session:
                return self._session[endpoint.id], "session"
        for name in (endpoint.key_variable, variable_of(endpoint)):
            if name and (text := os.environ.get(name, "").strip()):
                return Secret(text), "environment"
        stored = self._stored(endpoint)
        return stored, "keyring" if stored else "nowhere"

    def _stored(self, endpoint: Endpoint) -> Secret | None:
        with self._lock:
            if endpoint.id in self._known:
                return self._known[endpoint.id]
        try:
            import keyring

            text = keyring.get_password(SERVICE, endpoint.id)
        except Exception:  # noqa: BLE001 - without a keyring there is no key in it
            text = None
        with self._lock:
            self._known[endpoint.id] = Secret(text) if text else None
            return self._known[endpoint.id]

    def _forget(self, endpoint: Endpoint) -> None:
        try:
            import keyring

            if keyring.get_password(SERVICE, endpoint.id):
                keyring.delete_password(SERVICE, endpoint.id)
        except Exception:  # noqa: BLE001 - nothing is kept where there is no keyring
            return


def variable_of(endpoint: Endpoint) -> str:
    """Name of the environment variable that gives this endpoint's key."""
    word = re.sub(r"[^A-Z0-9]+", "_", endpoint.name.upper()).strip("_")
    return f"{PREFIX}_{word or re.sub(r'[^A-Z0-9]+', '_', endpoint.id.upper())}"
