"""One capture by several processes: one Trace, and what becomes of it when one of them is killed."""

from __future__ import annotations

import os
import signal
import socket
from collections import Counter
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError, TargetError
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureSettings
from froude.trace.files import read_trace
from froude.trace.partial import recover
from froude.trace.validate import validate_trace
from testbed import wire
from tests.conftest import Gone
from tests.support.trace.capture.tokens import SECRET, Client, before, on_disk, settings, until_written


def _family(capture: CaptureProcess) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """The lanes' processes, and their recorders."""
    lanes = psutil.Process(capture.pid).children()
    return lanes, [recorder for lane in lanes for recorder in lane.children()]


def test_several_processes_make_one_trace(target: tuple[str, int], tmp_path: Path) -> None:
    """Every call once, by start, under numbers of connections that are all different; and no secret."""
    with CaptureProcess(settings(target, tmp_path, processes=3, tags=("x",)), wire.SCHEMA) as capture:
        assert [len(part) for part in _family(capture)] == [3, 3]
        clients = [Client(capture.addresses[0]) for _ in range(7)]
        for _ in range(5):
            assert all(SECRET in client.call() for client in clients)
        until_written(35, tmp_path)
        assert SECRET not in on_disk(tmp_path)
        for client in clients:
            client.sock.close()
    trace = read_trace(tmp_path / "t")
    assert Counter(call.connection for call in trace.calls) == dict.fromkeys(range(1, 8), 5)
    assert [call.call_id for call in trace.calls] == sorted(call.call_id for call in trace.calls)
    assert len({call.response for call in trace.calls}) == 1  # one key: equal secrets stay equal
    assert SECRET not in on_disk(tmp_path)
    assert validate_trace(tmp_path / "t").good
    assert capture.result is not None
    assert (capture.result.path, capture.result.calls, capture.result.connections) == (tmp_path / "t", 35, 7)
    assert capture.result.proxy_cpu_s > 0
    assert not (tmp_path / "t.partial").exists()


def test_nothing_came_is_an_empty_trace(target: tuple[str, int], tmp_path: Path) -> None:
    """As with one process."""
    with CaptureProcess(settings(target, tmp_path, processes=2), wire.SCHEMA):
        pass
    assert read_trace(tmp_path / "t").calls == []


def test_kill_of_the_whole_leaves_parts_and_no_process(
    target: tuple[str, int], tmp_path: Path, gone: Gone
) -> None:
    """The lanes end by themselves, and all that passed can be recovered."""
    capture = CaptureProcess(settings(target, tmp_path, processes=2), wire.SCHEMA)
    capture.start()
    lanes, recorders = _family(capture)
    for _ in range(3):
        Client(capture.addresses[0]).call()
    os.kill(capture.pid, signal.SIGKILL)
    with pytest.raises(TargetError, match="capture's"):
        capture.stop()
    assert gone([*lanes, *recorders])
    assert "3 calls can be recovered" in validate_trace(tmp_path / "t.partial").problems[0]
    recover(tmp_path / "t.partial")
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 3
    assert "interrupted" in trace.meta.notes
    assert not (tmp_path / "t.partial").exists()


@pytest.mark.parametrize("whose", ["lane", "recorder"])
def test_kill_of_one_process_is_told_and_the_others_go_on(
    target: tuple[str, int], tmp_path: Path, gone: Gone, whose: str
) -> None:
    """New connections are served, the error is stated in the end, and what was written can be recovered."""
    capture = CaptureProcess(settings(target, tmp_path, processes=2), wire.SCHEMA)
    capture.start()
    lanes, recorders = _family(capture)
    for _ in range(2):
        Client(capture.addresses[0]).call()
    until_written(2, tmp_path)
    victim = (lanes if whose == "lane" else recorders)[0]
    victim.kill()
    assert gone([victim])
    assert all(SECRET in Client(capture.addresses[0]).call() for _ in range(4))
    with pytest.raises(TargetError, match="capture's"):
        capture.stop()
    assert "capture's" in str(capture.warnings[0])
    assert gone([*lanes, *recorders])
    recover(tmp_path / "t.partial")
    expected = 6 if whose == "lane" else 4  # the killed recorder's lane went on unrecorded
    assert len(read_trace(tmp_path / "t").calls) == expected


def test_what_cannot_begin_leaves_nothing(target: tuple[str, int], tmp_path: Path, gone: Gone) -> None:
    """A taken output, an address that is taken."""
    (tmp_path / "t").mkdir()
    with pytest.raises(InputError, match="/t: "):
        CaptureProcess(settings(target, tmp_path, processes=2), wire.SCHEMA).start()
    taken = CaptureSettings((before(target, port=target[1]),), tmp_path / "b" / "t", processes=2)
    capture = CaptureProcess(taken, wire.SCHEMA)
    with pytest.raises(InputError, match="Address already in use"):
        capture.start()
    assert gone(
        [child for child in psutil.Process().children(recursive=True) if "capture" in str(child.cmdline())]
    )
    assert list((tmp_path / "b").iterdir()) == []


def test_connections_go_onward_from_their_listeners_address(tmp_path: Path) -> None:
    """A handed-over connection keeps what its listener was told."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        target = server.getsockname()
        listeners = (before(target), before(target, source="127.9.8.7"))
        asked = CaptureSettings(listeners, tmp_path / "t", processes=2)
        with CaptureProcess(asked, wire.SCHEMA) as capture:
            server.accept()  # the check that the target is there
            peers = []
            for address in capture.addresses:
                with socket.create_connection(address, timeout=20) as client:
                    accepted, peer = server.accept()
                    peers.append(peer[0])
                    accepted.close()
                    assert client.recv(1) == b""
    assert peers == ["127.0.0.1", "127.9.8.7"]
