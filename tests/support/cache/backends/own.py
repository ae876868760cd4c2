"""A disk's control socket, played by a test."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from froude.cache.disk.status import DiskStatus

STATUS = DiskStatus(
    image="x", cache_bytes=4096, used_bytes=10, chunk_bytes=4096, reads=3, writes=4, read_bytes=30, write_bytes=40,
    iops_limit=50.0, hits=2, misses=1,
)  # fmt: skip
CURVE = {"sizes_bytes": [0, 4096], "miss_ratio": [1.0, 0.25], "accesses": 8.0}


@contextmanager
def control(path: Path, answers: dict[str, Any] | None = None) -> Iterator[list[dict[str, Any]]]:
    """A disk's control socket; what it was told is given."""
    told: list[dict[str, Any]] = []
    known = {
        "stat": STATUS.to_json(),
        "resize": {},
        "limit": {},
        "curve": {"chunk_bytes": 4096, "curve": CURVE},
    }
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    told.append(json.loads(line))
                    answer = (answers or {}).get(told[-1]["cmd"], known[told[-1]["cmd"]])
                    connection.sendall(json.dumps(answer).encode() + b"\n")

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield told
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
