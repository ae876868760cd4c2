"""One lane: a proxy with its recorder, alone or on the orders of the capture's process."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from froude.base.errors import FroudeError, InputError
from froude.documents.artifact import State
from froude.trace.capture.lane import MESSAGE_BYTES, Lane, RecorderLink, beside, reap, run, serve
from froude.trace.capture.settings import CaptureSettings, Setup
from froude.trace.files import read_trace
from froude.trace.tape import Record, RecordKind, Splitter
from testbed import wire
from tests.support.trace.capture.tokens import SECRET, Client, settings


@pytest.fixture
def setup(target: tuple[str, int], tmp_path: Path) -> Setup:
    """A recording of the target into `t`."""
    (tmp_path / "schema.fds").write_bytes(wire.SCHEMA.to_bytes())
    return Setup(settings(target, tmp_path), str(tmp_path / "schema.fds"), b"k" * 32, 0.0, 1.7e9)


def recorders() -> list[psutil.Process]:
    """Recorder processes of this one."""
    module = "froude.trace.capture.recorder"
    return [child for child in psutil.Process().children() if module in child.cmdline()]


def test_a_lane_records_what_it_forwards(setup: Setup, tmp_path: Path) -> None:
    """Until it is told how the recording ended; its recorder ends with it."""
    errors: list[FroudeError] = []

    async def main() -> int:
        async with Lane(setup, errors.append) as lane:
            assert len(recorders()) == 1
            address = await lane.proxy.listen(setup.settings.listeners[0])
            client = await asyncio.to_thread(Client, address)
            assert SECRET in await asyncio.to_thread(client.call)
            client.sock.close()
            return (await lane.finish(State.FAILED)).calls

    assert run(main()) == 1
    assert (errors, recorders()) == ([], [])
    lineage = read_trace(tmp_path / "t").lineage
    assert lineage is not None
    assert lineage.state is State.FAILED


def test_a_lane_whose_place_is_taken_does_not_begin(setup: Setup, tmp_path: Path) -> None:
    """The recorder's error is raised, and the recorder is gone."""
    (tmp_path / "t").mkdir()

    async def main() -> None:
        async with Lane(setup, lambda _: None):
            raise AssertionError("it began")

    with pytest.raises(InputError, match="/t: "):
        run(main())
    assert recorders() == []


class Capture:
    """The capture's process, as a lane's process sees it."""

    def __init__(self) -> None:
        self.socket, self.control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.control.setblocking(False)

    def hears(self) -> dict[str, Any]:
        """The lane's next report."""
        report: dict[str, Any] = json.loads(self.socket.recv(MESSAGE_BYTES))
        return report

    def hands_over(self, number: int) -> Client:
        """A client whose connection the lane is to forward."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            client = Client(server.getsockname())
            accepted, _ = server.accept()
        with accepted:
            order = json.dumps({"listener": 0, "number": number}).encode()
            socket.send_fds(self.socket, [order], [accepted.fileno()])
        return client

    def play(self, part: Any) -> int:
        """Run a lane's orders while `part` gives them; the lane's exit code."""

        async def main() -> int:
            serving = asyncio.ensure_future(serve(self.control))
            await asyncio.to_thread(part)
            async with asyncio.timeout(30):
                return await serving

        with self.control:
            code: int = run(main())
        return code


def test_connections_that_are_handed_over_keep_their_numbers(setup: Setup, tmp_path: Path) -> None:
    """Ready, then forwarding; the last order finishes the Trace, and the report says what was used."""
    capture = Capture()
    reports: list[dict[str, Any]] = []

    def part() -> None:
        capture.socket.send(setup.to_json())
        reports.append(capture.hears())
        clients = [capture.hands_over(number) for number in (5, 9)]
        assert all(SECRET in client.call() for client in clients)
        for client in clients:
            client.sock.close()
        capture.socket.send(b"finish")
        reports.append(capture.hears())
        capture.socket.close()

    assert capture.play(part) == 0
    ready, done = reports
    assert ready == {"ready": True}
    assert (done["done"]["calls"], done["done"]["connections"]) == (2, 2)
    assert done["done"]["proxy_cpu_s"] > 0
    assert sorted(call.connection for call in read_trace(tmp_path / "t").calls) == [5, 9]


def test_orders_that_end_without_a_last_one_leave_what_there_was(setup: Setup, tmp_path: Path) -> None:
    """The capture's process died: its recorder finishes by itself, and says so."""
    capture = Capture()

    def part() -> None:
        capture.socket.send(setup.to_json())
        capture.hears()
        assert SECRET in capture.hands_over(1).call()
        capture.socket.close()

    assert capture.play(part) == 0
    assert recorders() == []
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 1
    assert "interrupted" in trace.meta.notes


def test_a_lane_that_is_told_nothing_ends(tmp_path: Path) -> None:
    """Whoever started it was gone first."""
    capture = Capture()
    assert capture.play(capture.socket.close) == 1


def test_what_cannot_begin_is_reported(setup: Setup, tmp_path: Path) -> None:
    """With the error that the recorder stated."""
    (tmp_path / "t").mkdir()
    capture = Capture()
    reports: list[dict[str, Any]] = []

    def part() -> None:
        capture.socket.send(setup.to_json())
        reports.append(capture.hears())

    assert capture.play(part) == 1
    capture.socket.close()
    assert "already exists" in reports[0]["error"]["message"]


def test_a_module_beside_serves_the_socket_it_is_given() -> None:
    """In a session of its own, where no Ctrl-C reaches it; it ends when the socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        child = beside("froude.trace.capture.lane", theirs)
    # Not as the system shows them: it has no arguments of a process that has only just begun.
    assert isinstance(child.args, list)
    assert child.args[1:3] == ["-m", "froude.trace.capture.lane"]
    assert os.getsid(child.pid) == child.pid
    ours.close()
    assert child.wait(20) == 1


@pytest.mark.parametrize(("body", "code"), [("pass", 0), ("import time; time.sleep(60)", -9)])
def test_a_child_that_does_not_end_by_itself_is_ended(body: str, code: int) -> None:
    """After a while; one that does is waited for."""
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", body])
    run(reap(child, 20.0 if code == 0 else 0.05))
    assert child.returncode == code


class Socket:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.data = b""
        self.limits: dict[str, int] = {}

    def set_write_buffer_limits(self, **limits: int) -> None:
        self.limits = limits

    def write(self, data: bytes) -> None:
        self.data += data

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def records(self) -> list[Record]:
        return list(Splitter().feed(self.data))


def link(use: Callable[[RecorderLink, Socket, list[Any]], None], **more: Any) -> None:
    """Use a link over such a socket; errors and holds go into the list."""

    async def main() -> None:
        seen: list[Any] = []
        tape = RecorderLink(CaptureSettings((), Path("/x"), **more), seen.append)
        tape.on_hold = seen.append
        sock = Socket()
        tape.connection_made(sock)  # type: ignore[arg-type]
        tape.ready.set_result(None)
        use(tape, sock, seen)

    asyncio.run(main())


def test_the_bound_is_the_one_that_was_asked_for() -> None:
    """In bytes that the socket has not taken."""

    def use(_link: RecorderLink, sock: Socket, _seen: list[Any]) -> None:
        assert sock.limits["high"] == 5_000_000
        assert 0 <= sock.limits["low"] < 5_000_000

    link(use, backlog_bytes=5_000_000)


def test_beyond_the_bound_a_connection_is_not_recorded_further() -> None:
    """What was missed is counted when it closes; connections that open later are recorded."""

    def use(tape: RecorderLink, sock: Socket, seen: list[Any]) -> None:
        tape.record(1, RecordKind.OPEN, b"{}")
        tape.pause_writing()
        tape.record(1, RecordKind.TO_SERVER, b"12345")
        tape.resume_writing()
        tape.record(1, RecordKind.TO_SERVER, b"678")
        tape.record(2, RecordKind.OPEN, b"{}")
        tape.record(2, RecordKind.TO_SERVER, b"kept")
        tape.record(1, RecordKind.CLOSE, b"")
        tape.say(RecordKind.FINISH)
        records = [record[1:] for record in sock.records()]
        assert records == [
            (1, RecordKind.OPEN, b"{}"),
            (2, RecordKind.OPEN, b"{}"),
            (2, RecordKind.TO_SERVER, b"kept"),
            (1, RecordKind.GAP, b"8"),
            (1, RecordKind.CLOSE, b""),
            (0, RecordKind.FINISH, b""),
        ]
        assert tape.dropped_bytes == 8
        assert seen == []

    link(use)


def test_lossless_holds_and_lets_go() -> None:
    """Nothing is dropped; whoever forwards is told to wait, and to go on."""

    def use(tape: RecorderLink, sock: Socket, seen: list[Any]) -> None:
        tape.pause_writing()
        tape.record(1, RecordKind.TO_SERVER, b"read already")
        tape.resume_writing()
        tape.say(RecordKind.FINISH)
        assert [record[3] for record in sock.records()] == [b"read already", b""]
        assert (seen, tape.dropped_bytes) == ([True, False], 0)

    link(use, lossless=True)


def test_nobody_waits_for_a_recorder_that_is_gone() -> None:
    """The hold ends before the error is told."""

    def use(tape: RecorderLink, _sock: Socket, seen: list[Any]) -> None:
        tape.pause_writing()
        tape.connection_lost(None)
        assert seen[:2] == [True, False]
        assert isinstance(seen[2], FroudeError)

    link(use, lossless=True)
