"""How one window of the program calls another: each listens at an address that its library's lock names."""

from __future__ import annotations

import os
import uuid

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

RAISE, ANSWER = b"raise\n", b"here\n"
WAIT_MS = 1500


class WindowServer(QObject):
    """Listens at `address`. `called` when another start of the program wants this window in front."""

    called = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        name = f"memory-curator-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._open = self._server.listen(name)

    @property
    def address(self) -> str:
        """Where this window can be called; "" when the system allows no local server."""
        return self._server.fullServerName() if self._open else ""

    def close(self) -> None:
        """Listen no longer."""
        self._server.close()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda s=socket: self._on_words(s))
            socket.disconnected.connect(socket.deleteLater)
            self._on_words(socket)

    def _on_words(self, socket: QLocalSocket) -> None:
        if socket.canReadLine() and bytes(socket.readLine().data()) == RAISE:
            socket.write(ANSWER)
            socket.flush()
            self.called.emit()


def call_window(address: str) -> bool:
    """Ask the window at that address to come to the front. Blocks for a moment; False = nobody answers."""
    if not address:
        return False
    socket = QLocalSocket()
    socket.connectToServer(address)
    try:
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write(RAISE)
        socket.waitForBytesWritten(WAIT_MS)
        return socket.waitForReadyRead(WAIT_MS) and bytes(socket.readLine().data()) == ANSWER
    finally:
        socket.abort()
