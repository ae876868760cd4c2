"""A whole capture in its processes: what is kept, what is not, and what survives."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from froude.base.errors import InputError, MissingError, TargetError
from froude.base.units import Quantity
from froude.documents.artifact import State
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureSettings
from froude.trace.files import read_trace
from froude.trace.partial import recover
from froude.trace.types import Loss, Status
from froude.trace.validate import validate_trace
from testbed import wire
from tests.conftest import Gone
from tests.support.trace.capture.tokens import SECRET, Client, before, on_disk, settings, until_written


def test_a_capture_keeps_calls_and_no_secret(target: tuple[str, int], tmp_path: Path) -> None:
    """The client gets its token, the Trace does not; the rest is whole."""
    with CaptureProcess(settings(target, tmp_path, tags=("x",)), wire.SCHEMA) as capture:
        client = Client(capture.addresses[0])
        assert all(SECRET in client.call() for _ in range(5))
        until_written(5, tmp_path)
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
    time.sleep(0.1)  # the proxy hands its tape to the recorder after the calls
    recorder = psutil.Process(capture.pid).children()
    os.kill(capture.pid, signal.SIGKILL)
    with pytest.raises(TargetError, match="the capture's proxy process: "):
        capture.stop()
    psutil.wait_procs(recorder, timeout=20)
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 3
    assert "interrupted" in trace.meta.notes
    assert trace.lineage is not None
    assert trace.lineage.state is State.INTERRUPTED


@pytest.mark.parametrize("word", [b"", b"complete\n", b"failed\n", b"something else\n"])
def test_only_a_word_of_the_parent_makes_a_recording_complete(
    target: tuple[str, int], tmp_path: Path, word: bytes
) -> None:
    """One that was killed says nothing, and its recording was interrupted."""
    capture = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    capture.start()
    Client(capture.addresses[0]).call()
    child = capture._child
    assert child is not None
    assert child.stdin is not None
    child.stdin.write(word)
    child.stdin.close()
    child.wait(60)
    lineage = read_trace(tmp_path / "t").lineage
    assert lineage is not None
    assert lineage.state is {b"complete\n": State.COMPLETE, b"failed\n": State.FAILED}.get(
        word, State.INTERRUPTED
    )


def test_a_killed_recorder_leaves_what_can_be_recovered(
    target: tuple[str, int], tmp_path: Path, gone: Gone
) -> None:
    """Clients go on undisturbed, the error is stated, and all but the last second is there."""
    capture = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    capture.start()
    client = Client(capture.addresses[0])
    client.call()
    until_written(1, tmp_path)
    (recorder,) = psutil.Process(capture.pid).children()
    recorder.kill()
    assert gone([recorder])
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
    until_written(1, tmp_path)
    resource.prlimit(recorder.pid, resource.RLIMIT_FSIZE, (6_000, 6_000))
    for _ in range(6):
        client.call("x" * 4000)
        time.sleep(0.25)
    assert SECRET in client.call()
    with pytest.raises(MissingError, match=r"calls\.arrows: ") as caught:
        capture.stop()
    assert "Free some space" in str(caught.value)
    assert not (tmp_path / "t").exists()
    recover(tmp_path / "t.partial")
    assert read_trace(tmp_path / "t").calls[0].method == "grant"


def _stop(process: psutil.Process) -> None:
    """Suspend a process and see that it stands."""
    process.suspend()
    while process.status() != psutil.STATUS_STOPPED:
        time.sleep(0.001)


def test_a_recorder_that_lags_costs_records_and_never_calls(target: tuple[str, int], tmp_path: Path) -> None:
    """Beyond the bound bytes pass unrecorded and are counted; connections made later are recorded again."""
    capture = CaptureProcess(settings(target, tmp_path, backlog_bytes=1 << 20), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    _stop(recorder)
    client = Client(capture.addresses[0])
    for _ in range(60):
        client.call("x" * 60_000)
    stood_still = recorder.status() == psutil.STATUS_STOPPED
    recorder.resume()
    client.sock.close()
    time.sleep(0.5)
    later = Client(capture.addresses[0])
    later.call("later")
    later.sock.close()
    result = capture.stop()
    trace = read_trace(tmp_path / "t")
    assert trace.request(trace.calls[-1]).text == "later"  # type: ignore[attr-defined]
    assert result.loss.dropped_bytes == trace.meta.loss.dropped_bytes < 60 * 70_000
    if not stood_still:
        pytest.skip("something else woke the recorder: nothing had to be dropped")
    assert result.loss.dropped_bytes > 0
    assert 0 < sum(call.connection == 1 for call in trace.calls) < 60
    assert any("not recorded" in note for note in trace.meta.notes.values())


def test_a_burst_within_the_bound_is_kept(target: tuple[str, int], tmp_path: Path) -> None:
    """A recorder that stands still for a while loses nothing as long as it may wait."""
    capture = CaptureProcess(settings(target, tmp_path, backlog_bytes=8_000_000), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    _stop(recorder)
    client = Client(capture.addresses[0])
    for _ in range(60):
        client.call("x" * 60_000)
    recorder.resume()
    client.sock.close()
    result = capture.stop()
    assert result.loss.dropped_bytes == 0
    assert result.calls == 60


def _calling(capture: CaptureProcess, calls: int, size: int) -> threading.Thread:
    """A client that calls beside the test."""

    def run() -> None:
        client = Client(capture.addresses[0])
        for _ in range(calls):
            client.call("x" * size)
        client.sock.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_lossless_traffic_waits(target: tuple[str, int], tmp_path: Path) -> None:
    """Clients wait for a recorder that stands still, and go on with it; every call is there."""
    capture = CaptureProcess(settings(target, tmp_path, backlog_bytes=1 << 18, lossless=True), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    _stop(recorder)
    threads = [_calling(capture, 40, 60_000) for _ in range(2)]
    threads[0].join(0.5)
    assert all(thread.is_alive() for thread in threads)
    recorder.resume()
    for thread in threads:
        thread.join(30)
    result = capture.stop()
    assert (result.calls, result.loss.dropped_bytes) == (80, 0)


def test_lossless_traffic_does_not_wait_for_the_dead(target: tuple[str, int], tmp_path: Path) -> None:
    """When the recorder dies while clients wait for it, they go on unrecorded, and the error is stated."""
    capture = CaptureProcess(settings(target, tmp_path, backlog_bytes=1 << 18, lossless=True), wire.SCHEMA)
    capture.start()
    (recorder,) = psutil.Process(capture.pid).children()
    _stop(recorder)
    thread = _calling(capture, 60, 60_000)
    thread.join(0.5)
    assert thread.is_alive()
    recorder.kill()
    thread.join(30)
    assert not thread.is_alive()
    with pytest.raises(TargetError, match="recorder"):
        capture.stop()


_BUSY = "while True: pass"


def test_lossless_loses_nothing_beside_two_busy_processes(target: tuple[str, int], tmp_path: Path) -> None:
    """With the smallest backlog and no idle core."""
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(2)]
    try:
        lossless = settings(target, tmp_path, backlog_bytes=1 << 18, lossless=True)
        with CaptureProcess(lossless, wire.SCHEMA) as capture:
            for thread in [_calling(capture, 300, 3_000) for _ in range(4)]:
                thread.join(60)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert capture.result is not None
    assert capture.result.loss == Loss()
    assert capture.result.calls == 4 * 300


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
