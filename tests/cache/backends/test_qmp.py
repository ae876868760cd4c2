"""QEMU's monitor, played by a socket: refusals, silence, and what is none."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.qmp import execute

_GREETING = {
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
                connection.sendall(json.dumps(_GREETING).encode() + b"\n")
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


def test_commands_in_their_order(tmp_path: Path) -> None:
    """Each answer, after the greeting; a second session finds the socket free."""
    with monitor(tmp_path / "q", {"query-block": {"return": [1]}}) as told:
        assert execute(tmp_path / "q", [("query-block", {}), ("stop", {"x": 1})]) == [[1], {}]
        execute(tmp_path / "q", [("cont", {})])
    assert [each["execute"] for each in told if each["execute"] != "qmp_capabilities"] == [
        "query-block",
        "stop",
        "cont",
    ]


def test_a_refusal_says_why(tmp_path: Path) -> None:
    """And nothing further is said."""
    refusal = {"error": {"class": "GenericError", "desc": "Device does not have a block device backend"}}
    with (
        monitor(tmp_path / "q", {"stop": refusal}) as told,
        pytest.raises(TargetError, match="block device backend"),
    ):
        execute(tmp_path / "q", [("stop", {}), ("cont", {})])
    assert "cont" not in [each["execute"] for each in told]


def test_nobody_there(tmp_path: Path) -> None:
    """One clear error that names the socket."""
    with pytest.raises(TargetError, match="does not answer as QEMU"):
        execute(tmp_path / "absent", [("stop", {})])
