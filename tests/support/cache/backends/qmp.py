"""QEMU's monitor on a socket: greetings, refusals and silence."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GREETING = {
    "QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}, "package": ""}, "capabilities": []}
}


@contextmanager
def monitor(path: Path, answers: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """A QEMU that answers by command; what it was told is given."""
    told: list[dict[str, Any]] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.sendall(json.dumps(GREETING).encode() + b"\n")
                while data := connection.recv(65536):  # a command at a time, and no line feed behind it
                    command = json.loads(data)
                    told.append(command)
                    answer = answers.get(command["execute"], {"return": {}})
                    named = {"id": command["id"]} if "id" in command else {}
                    connection.sendall(json.dumps({**answer, **named}).encode() + b"\n")

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield told
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
