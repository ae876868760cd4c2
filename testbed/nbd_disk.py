"""A disk of a known law, served as a network block device: each record takes size / rate + gap, one after the other.

A real device's rate and gap are what is to be found out; of this one they are given, and it counts how long it took
in truth: on a busy machine sleeps last longer. It speaks as much of the NBD
protocol's fixed newstyle as a client needs that reads and writes.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

_OPTION_MAGIC = 0x49484156454F5054
_REPLY_MAGIC = 0x3E889045565A9
_GO, _ACK, _INFO, _UNSUPPORTED = 7, 1, 3, 0x80000001
_READ, _WRITE, _DISCONNECT = 0, 1, 2
_HAS_FLAGS = 1


class SlowDisk:
    """A server on a Unix socket, with a thread a connection; one record is served at a time."""

    def __init__(self, path: Path, *, size: int, rate: float, gap: float) -> None:
        """Serve from now on.

        Args:
            path: of the socket.
            size: bytes of the disk; it forgets what is written and reads as zeros.
            rate: bytes per second.
            gap: seconds.
        """
        self.uri = f"nbd+unix:///?socket={path}"
        self.written = 0
        self.served: dict[int, list[float]] = {}
        self._size, self._rate, self._gap = size, rate, gap
        self._arm = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> SlowDisk:
        """The server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as coming:
            try:
                connection.sendall(b"NBDMAGICIHAVEOPT" + struct.pack(">H", 3))
                coming.read(4)
                while self._greeted(connection, coming):
                    pass
                while self._answered(connection, coming):
                    pass
            except (OSError, struct.error):
                return

    def _greeted(self, connection: socket.socket, coming: BinaryIO) -> bool:
        """Answer one option; false when the client may begin."""
        _, option, length = struct.unpack(">QII", coming.read(16))
        coming.read(length)
        if option != _GO:
            connection.sendall(struct.pack(">QIII", _REPLY_MAGIC, option, _UNSUPPORTED, 0))
            return True
        export = struct.pack(">HQH", 0, self._size, _HAS_FLAGS)
        connection.sendall(struct.pack(">QIII", _REPLY_MAGIC, _GO, _INFO, len(export)) + export)
        connection.sendall(struct.pack(">QIII", _REPLY_MAGIC, _GO, _ACK, 0))
        return False

    def _answered(self, connection: socket.socket, coming: BinaryIO) -> bool:
        """Serve one record; false when the client leaves."""
        words = struct.unpack(">IHHQQI", coming.read(28))
        began, kind, cookie, length = time.monotonic(), words[2], words[3], words[5]
        if kind == _DISCONNECT:
            return False
        if kind == _WRITE:
            coming.read(length)
            self.written += length
        with self._arm:
            if kind in {_READ, _WRITE}:
                time.sleep(max(0.0, began + length / self._rate + self._gap - time.monotonic()))
            self.served.setdefault(length, []).append(time.monotonic() - began)
            data = bytes(length) if kind == _READ else b""
            connection.sendall(struct.pack(">IIQ", 0x67446698, 0, cookie) + data)
        return True
