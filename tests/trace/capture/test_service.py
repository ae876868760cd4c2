"""A whole capture in its processes: what is kept, what is not, and what survives."""

from __future__ import annotations

import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.base.errors import InputError, MissingError, TargetError
from froude.base.units import Quantity
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.proxy import Listener
from froude.trace.capture.settings import CaptureSettings
from froude.trace.files import read_trace
from froude.trace.partial import recover
from froude.trace.types import Status
from froude.trace.validate import validate_trace
from tests.trace import wire

SECRET = b"never on a disk, never"


def _serve(sock: socket.socket) -> None:
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
    with client, client.makefile("rb") as stream:
        stream.read(len(wire.PREAMBLE))
        call_id = -1  # the context's frame has no answer
        while size := stream.read(4):
            stream.read(int.from_bytes(size, "big"))
            if call_id >= 0:
                client.sendall(wire.response(call_id, answer))
            call_id += 1


@pytest.fixture
def target() -> Iterator[tuple[str, int]]:
    """A server that gives tokens."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        threading.Thread(target=_serve, args=(sock,), daemon=True).start()
        yield sock.getsockname()


def settings(target: tuple[str, int], folder: Path, **more: Any) -> CaptureSettings:
    """A capture of the target."""
    return CaptureSettings(
        target, (Listener("127.0.0.1"),), folder / "t", {"nodes": Quantity(2)}, "CID-1", **more
    )


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


def on_disk(folder: Path) -> bytes:
    """Every byte of every file."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_capture_keeps_calls_and_no_secret(target: tuple[str, int], tmp_path: Path) -> None:
    """The client gets its token, the Trace does not; the rest is whole."""
    with CaptureProcess(settings(target, tmp_path, tags=("x",)), wire.SCHEMA) as capture:
        client = Client(capture.addresses[0])
        assert all(SECRET in client.call() for _ in range(5))
        time.sleep(0.8)
        assert SECRET not in on_disk(tmp_path)
        client.sock.close()
    trace = read_trace(tmp_path / "t")
    assert [call.method for call in trace.calls] == ["grant"] * 5
    assert trace.response(trace.calls[0]).owner == "alice"  # type: ignore[attr-defined]
    assert trace.response(trace.calls[0]) == trace.response(trace.calls[4])
    assert SECRET not in on_disk(tmp_path)
    assert (trace.meta.scale, trace.meta.source_id) == ({"nodes": Quantity(2)}, "CID-1")
    assert validate_trace(tmp_path / "t").good
    assert capture.result is not None
    assert (capture.result.calls, capture.result.connections) == (5, 1)


def test_garbage_is_passed_on_and_counted(tmp_path: Path) -> None:
    """A foreign protocol works through the proxy; the Trace says what it could not read."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        CaptureProcess(settings(server.getsockname(), tmp_path), wire.SCHEMA) as capture,
    ):
        client = socket.create_connection(capture.addresses[0], timeout=20)
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        while True:
            accepted, _ = server.accept()
            accepted.settimeout(20)
            if heard := accepted.recv(100):  # the first one is the check that the target is there
                break
        assert heard == b"GET / HTTP/1.1\r\n\r\n"
        accepted.sendall(b"HTTP/1.1 404 no\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 404 no\r\n\r\n"
        client.close()
        accepted.close()
    trace = read_trace(tmp_path / "t")
    assert trace.calls == []
    assert trace.meta.loss.undecodable_frames >= 1
    assert "connection 1" in trace.meta.notes["loss 1"]


def test_a_killed_proxy_loses_nothing_that_passed_before(target: tuple[str, int], tmp_path: Path) -> None:
    """The recorder finishes the Trace by itself and says why it ended."""
    capture = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    capture.start()
    client = Client(capture.addresses[0])
    for _ in range(3):
        client.call()
    time.sleep(0.1)
    recorder = psutil.Process(capture.pid).children()
    os.kill(capture.pid, signal.SIGKILL)
    with pytest.raises(TargetError, match="ended before its time"):
        capture.stop()
    psutil.wait_procs(recorder, timeout=20)
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 3
    assert "interrupted" in trace.meta.notes


def test_a_killed_recorder_leaves_what_can_be_recovered(target: tuple[str, int], tmp_path: Path) -> None:
    """Clients go on undisturbed, the error is stated, and all but the last second is there."""
    capture = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    capture.start()
    client = Client(capture.addresses[0])
    client.call()
    time.sleep(1.2)
    (recorder,) = psutil.Process(capture.pid).children()
    recorder.kill()
    time.sleep(0.1)
    assert SECRET in client.call()
    with pytest.raises(TargetError, match="recorder"):
        capture.stop()
    assert not (tmp_path / "t").exists()
    assert "1 calls can be recovered" in validate_trace(tmp_path / "t.partial").problems[0]
    recover(tmp_path / "t.partial")
    assert [call.status for call in read_trace(tmp_path / "t").calls] == [Status.SUCCESS]


def test_a_full_disk_is_one_clear_error(target: tuple[str, int], tmp_path: Path) -> None:
    """Under a file-size limit clients go on, the error names the file, and the start can be recovered."""
    capture = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    client = Client(capture.addresses[0])
    client.call("first")
    time.sleep(1.0)
    resource.prlimit(recorder.pid, resource.RLIMIT_FSIZE, (6_000, 6_000))
    for _ in range(6):
        client.call("x" * 4000)
        time.sleep(0.25)
    assert SECRET in client.call()
    with pytest.raises(MissingError, match="cannot be written") as caught:
        capture.stop()
    assert "Free some space" in str(caught.value)
    assert not (tmp_path / "t").exists()
    recover(tmp_path / "t.partial")
    assert read_trace(tmp_path / "t").calls[0].method == "grant"


def test_a_recorder_that_lags_costs_records_and_never_calls(target: tuple[str, int], tmp_path: Path) -> None:
    """Beyond the bound bytes pass unrecorded and are counted; connections made later are recorded again."""
    capture = CaptureProcess(settings(target, tmp_path, backlog_bytes=1 << 20), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    recorder.suspend()
    client = Client(capture.addresses[0])
    for _ in range(60):
        client.call("x" * 60_000)
    recorder.resume()
    client.sock.close()
    time.sleep(0.5)
    later = Client(capture.addresses[0])
    later.call("later")
    later.sock.close()
    result = capture.stop()
    trace = read_trace(tmp_path / "t")
    assert 0 < result.loss.dropped_bytes == trace.meta.loss.dropped_bytes < 60 * 70_000
    assert 0 < sum(call.connection == 1 for call in trace.calls) < 60
    assert trace.request(trace.calls[-1]).text == "later"  # type: ignore[attr-defined]
    assert any("not recorded" in note for note in trace.meta.notes.values())


def test_what_cannot_begin_says_so(target: tuple[str, int], tmp_path: Path) -> None:
    """A taken output, a target that is not there, an address that is taken."""
    (tmp_path / "t").mkdir()
    with pytest.raises(InputError, match="already exists"):
        CaptureProcess(settings(target, tmp_path), wire.SCHEMA).start()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(TargetError, match="does not accept"):
            CaptureProcess(settings(closed.getsockname(), tmp_path / "a"), wire.SCHEMA).start()
    taken = CaptureSettings(target, (Listener(*target),), tmp_path / "b" / "t")
    with pytest.raises(InputError, match="cannot listen"):
        CaptureProcess(taken, wire.SCHEMA).start()
    assert list((tmp_path / "b").iterdir()) == []


def test_settings_pass_between_processes() -> None:
    """JSON and back."""
    made = CaptureSettings(
        ("h", 1),
        (Listener("a", 2, "b", True),),
        Path("/x"),
        {"n": Quantity(1, "B")},
        notes={"k": "v"},
        tags=("t",),
    )
    assert CaptureSettings.from_json(made.to_json()) == made
