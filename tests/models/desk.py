"""An endpoint of the fake server, with a clock that only sleeping moves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from core.adapters.endpoints.caller import Caller, Patience
from core.adapters.endpoints.chat import Abilities, EndpointModel
from core.adapters.endpoints.net import Net
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.domain.endpoints import Endpoint, EndpointKind, Measured, Secret
from tests.fakes.llm_server import FakeServer, serving

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEY = "sk-test-0123456789abcdef"


@dataclass
class EndpointDesk:
    """Server, and all that talks to it."""

    server: FakeServer
    net: Net
    slept: list[float] = field(default_factory=list)
    opened: list[Caller] = field(default_factory=list)

    def patience(self) -> Patience:
        async def nap(seconds: float) -> None:
            self.slept.append(seconds)

        return Patience(
            sleep=nap,
            chance=lambda: 0.0,
            now=lambda: START + timedelta(seconds=sum(self.slept)),
            clock=lambda: sum(self.slept),
        )

    def caller(self, key: str = "", **values: Any) -> Caller:
        endpoint = Endpoint(
            **{"id": "ep-1", "name": "Fake", "url": self.server.url, "model": "fake-chat"} | values
        )
        caller = Caller(endpoint, Secret(key) if key else None, self.net, self.patience())
        self.opened.append(caller)
        return caller

    def model(self, key: str = "", **values: Any) -> EndpointModel:
        return EndpointModel(self.caller(key, **values), Abilities(), len)

    def embedder(self, **values: Any) -> EndpointEmbedder:
        given = {"kind": EndpointKind.EMBEDDING, "model": "fake-vectors", "measured": Measured(32)} | values
        return EndpointEmbedder(self.caller(**given), len)


@contextlib.contextmanager
def endpoint_desk() -> Iterator[EndpointDesk]:
    """Everything has ended afterwards."""
    with serving() as server:
        desk = EndpointDesk(server, Net())
        try:
            yield desk
        finally:
            server.hold.set()
            for caller in desk.opened:
                caller.close()
            desk.net.close()
