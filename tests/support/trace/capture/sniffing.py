"""Packets of this machine's loopback as a pcap file, written by a thread while a test talks: tcpdump's part.

python -m tests.support.trace.capture.sniffing FILE SECONDS [SNAPLEN]
"""

from __future__ import annotations

import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_ALL = 0x0003
_TIMESTAMP_NS = 35
_BUFFER_BYTES = 64 << 20
_FORCED_BUFFER = 33


def _socket() -> socket.socket:
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL))
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, _FORCED_BUFFER, _BUFFER_BYTES)
    sock.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
    sock.bind(("lo", _ALL))
    return sock


def need_packets() -> None:
    """Skip the test where packets may not be captured."""
    try:
        _socket().close()
    except OSError as error:
        pytest.skip(f"packets of lo may not be captured here: {error}")


@contextmanager
def sniffed(path: Path, *, snapshot: int = 262_144, both: bool = False) -> Iterator[None]:
    """Write to `path` what passes on loopback during the block; each packet once, or, as on `any`, twice."""
    over = threading.Event()
    ends_ns = 0

    def listen(sock: socket.socket) -> None:
        with path.open("wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snapshot, 1))
            while True:
                try:
                    data, told, _, address = sock.recvmsg(1 << 18, 64)
                except TimeoutError:
                    if over.is_set():
                        return
                    continue
                seconds, nanoseconds = struct.unpack("qq", told[0][2])
                if over.is_set() and seconds * 10**9 + nanoseconds > ends_ns:
                    return
                if address[2] == socket.PACKET_OUTGOING and not both:
                    continue
                kept = data[:snapshot]
                file.write(struct.pack("<IIII", seconds, nanoseconds, len(kept), len(data)) + kept)

    with _socket() as sock:
        sock.settimeout(0.05)
        thread = threading.Thread(target=listen, args=(sock,))
        thread.start()
        try:
            yield
        finally:
            ends_ns = time.time_ns()
            over.set()
            thread.join()


if __name__ == "__main__":
    with sniffed(Path(sys.argv[1]), snapshot=int((sys.argv[3:] or ["262144"])[0])):
        time.sleep(float(sys.argv[2]))
