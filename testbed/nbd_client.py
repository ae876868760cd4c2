"""An NBD client that waits for each answer, and a cached disk in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from froude.cache.disk.client import DiskClient

_PATIENCE_S = 60.0


class NbdClient:
    """One connection.

    Args:
        path: of the socket; or a port of the loopback address.
    """

    def __init__(self, path: Path | int) -> None:
        if isinstance(path, int):
            self.socket = socket.create_connection(("127.0.0.1", path))
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(str(path))
        self.socket.settimeout(_PATIENCE_S)
        assert self.take(18) == b"NBDMAGICIHAVEOPT\0\3"
        self.socket.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
        self.size, self.features = struct.unpack(">QH", self.take(10))
        self._cookie = 0

    def take(self, count: int) -> bytes:
        """So many bytes."""
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def ask(
        self, kind: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0
    ) -> bytes | int:
        """What was read, or the number of the error; 0 for another request that went well."""
        self.send(kind, offset, length, data, flags)
        magic, error, cookie = struct.unpack(">IIQ", self.take(16))
        assert (magic, cookie) == (0x67446698, self._cookie)
        return error or (self.take(length) if kind == 0 else 0)

    def send(self, kind: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0) -> None:
        """Ask, and wait for nothing."""
        self._cookie += 1
        head = struct.pack(">IHHQQI", 0x25609513, flags, kind, self._cookie, offset, length or len(data))
        self.socket.sendall(head + data)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the disk."""
        data = self.ask(0, offset, length)
        assert isinstance(data, bytes), data
        return data

    def write(self, offset: int, data: bytes, *, fua: bool = False) -> None:
        """Write."""
        assert self.ask(1, offset, data=data, flags=int(fua)) == 0

    def close(self) -> None:
        """Leave."""
        self.socket.close()


class Served:
    """A running disk."""

    def __init__(self, process: subprocess.Popen[str], socket_path: Path, control: Path) -> None:
        self.process = process
        self.socket = socket_path
        self.control = control

    def disk(self) -> DiskClient:
        """A connection for commands."""
        return DiskClient(self.control)

    def client(self) -> NbdClient:
        """A connection for requests."""
        return NbdClient(self.socket)

    def uri(self) -> str:
        """For other clients."""
        return f"nbd+unix:///?socket={self.socket}"

    def kill(self) -> None:
        """At once, as kill -9 does."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> dict[str, object]:
        """Cleanly; gives the status at the end."""
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=_PATIENCE_S)
        assert self.process.returncode == 0, err
        found: dict[str, object] = json.loads(out)
        return found


@contextmanager
def served(image: Path, *words: str, cache: Path | None = None, size: str = "1MiB") -> Iterator[Served]:
    """A disk that is served until the block ends.

    Args:
        image: of the disk.
        words: more of the command line.
        cache: its file; beside the image unless told otherwise.
        size: of the cache.
    """
    at = image.parent / f"{image.name}.sock"
    command = [sys.executable, "-c", "from froude.cli.app import main; main()", "cache", "disk", str(image)]
    places = ["--cache", str(cache or image.with_suffix(".cache")), "--size", size, "--socket", str(at)]
    process = subprocess.Popen(
        [*command, *places, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    control = at.with_name(f"{at.name}.control")
    try:
        wait_for_disk(process, control)
        yield Served(process, at, control)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def wait_for_disk(process: subprocess.Popen[str], control: Path) -> None:
    """Until it answers, or has ended."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()[1]
        if control.exists():
            try:
                with DiskClient(control) as disk:
                    if disk._ask({"cmd": "stat"}):
                        return
            except Exception:  # noqa: BLE001 - a socket that a killed server left, or one that is just made
                os.sched_yield()
        time.sleep(0.02)
    raise AssertionError("the disk does not answer")
