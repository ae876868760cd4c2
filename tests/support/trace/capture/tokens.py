"""A server that gives tokens, its clients, and a capture between them."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from typing import Any

from froude.base.units import Quantity
from froude.hadoop.rpc.target import target_at
from froude.trace.capture.legs import Listener
from froude.trace.capture.settings import CaptureSettings
from froude.trace.validate import validate_trace
from testbed import wire
from testbed.polling import until

SECRET = b"never on a disk, never"


def serve(sock: socket.socket) -> None:
    """Answer every call with a token, whatever was asked."""
    token = wire.message("TokenProto", identifier=b"id", password=SECRET)
    answer = wire.message("GrantProto", owner="alice", token=token).SerializeToString()
    while True:
        try:
            client, _ = sock.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(client, answer), daemon=True).start()


def _answer(client: socket.socket, answer: bytes) -> None:
    with contextlib.suppress(ConnectionError), client, client.makefile("rb") as stream:
        stream.read(len(wire.PREAMBLE))
        call_id = -1  # the context's frame has no answer
        while size := stream.read(4):
            stream.read(int.from_bytes(size, "big"))
            if call_id >= 0:
                client.sendall(wire.response(call_id, answer))
            call_id += 1


def settings(target: tuple[str, int], folder: Path, **more: Any) -> CaptureSettings:
    """A capture of the target."""
    return CaptureSettings((before(target),), folder / "t", {"nodes": Quantity(2)}, "CID-1", **more)


def before(target: tuple[str, int], *, port: int = 0, **more: Any) -> Listener:
    """A listener before a target, on a free port unless one is named."""
    return Listener("127.0.0.1", port, target=target_at("toy", target, "CID-1"), **more)


class Client:
    """Asks for tokens, one call at a time."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.sock = socket.create_connection(address, timeout=20)
        self.sock.sendall(wire.PREAMBLE + wire.context())
        self.calls = 0

    def call(self, text: str = "please") -> bytes:
        body = wire.message("EchoProto", text=text).SerializeToString()
        self.sock.sendall(wire.request(self.calls, "grant", body))
        self.calls += 1
        return self.sock.recv(100_000)


def until_written(calls: int, folder: Path) -> None:
    """Wait until the capture in a folder has that many calls on disk."""
    text = f"{calls} calls can be recovered"
    until(lambda: text in validate_trace(folder / "t.partial").problems[0], text)


def on_disk(folder: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
