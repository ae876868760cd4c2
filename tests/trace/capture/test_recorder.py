"""The recorder: from the tape to a Trace, whatever becomes of the proxy."""

from __future__ import annotations

import gc
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import MissingError
from froude.base.units import Quantity
from froude.documents.artifact import State
from froude.trace.capture import recorder
from froude.trace.capture.recorder import Recorder, serve
from froude.trace.capture.settings import CaptureSettings, Setup
from froude.trace.files import read_trace
from froude.trace.partial import PartialWriter, partial_path, recover
from froude.trace.tape import Record, RecordKind, pack
from froude.trace.validate import validate_trace
from testbed import wire

SETUP, FINISH = RecordKind.SETUP, RecordKind.FINISH


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """A recorder has its own way with garbage, which is not for the tests' process."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """A recording into `t`."""
    (tmp_path / "schema.fds").write_bytes(wire.SCHEMA.to_bytes())
    settings = CaptureSettings(
        (), tmp_path / "t", {"nodes": Quantity(2)}, "CID-1", notes={"job": "sort"}, command="froude capture"
    )
    return Setup(settings, str(tmp_path / "schema.fds"), b"k" * 32, 0.0, 1.7e9)


def tape(*records: Record) -> bytes:
    """Records as bytes."""
    return b"".join(pack(at, number, RecordKind(kind), payload) for at, number, kind, payload in records)


def recorded(setup: Setup, *data: bytes) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the reports of a recorder whose proxy sends this, then goes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(pack(0.0, 0, SETUP, setup.to_json()) + b"".join(data))
        ours.shutdown(socket.SHUT_WR)
        code = serve(theirs)
        theirs.shutdown(socket.SHUT_WR)
        with ours.makefile() as lines:
            return code, [json.loads(line) for line in lines]


@pytest.mark.parametrize("state", [State.COMPLETE, State.FAILED])
def test_a_tape_becomes_a_trace_in_the_state_that_was_told(setup: Setup, state: State) -> None:
    """Ready first, then what came of it; the Trace has what was asked for."""
    said = tape(*wire.conversation(calls=3), (9.0, 0, FINISH, state.value.encode()))
    code, (ready, done) = recorded(setup, said)
    assert (code, ready) == (0, {"ready": True})
    assert (done["done"]["calls"], done["done"]["connections"]) == (3, 1)
    trace = read_trace(setup.settings.output)
    assert [trace.request(call).text for call in trace.calls] == ["/file-0", "/file-1", "/file-2"]  # type: ignore[attr-defined]
    assert (trace.meta.scale, trace.meta.source_id, trace.meta.started_at_s) == (
        {"nodes": Quantity(2)},
        "CID-1",
        1.7e9,
    )
    assert trace.meta.notes == {"job": "sort"}
    assert trace.lineage is not None
    assert (trace.lineage.state, trace.lineage.command) == (state, "froude capture")


def test_a_proxy_that_is_gone_leaves_an_interrupted_trace(setup: Setup) -> None:
    """With all that it had sent; half a record is lost."""
    code, (ready, *more) = recorded(setup, tape(*wire.conversation(calls=2)), b"\0" * 5)
    assert (code, ready, more) == (0, {"ready": True}, [])
    trace = read_trace(setup.settings.output)
    assert len(trace.calls) == 2
    assert "without finishing" in trace.meta.notes["interrupted"]
    assert trace.lineage is not None
    assert trace.lineage.state is State.INTERRUPTED


def test_a_proxy_that_never_came_to_record_leaves_nothing(setup: Setup, tmp_path: Path) -> None:
    """As where its address was taken."""
    assert recorded(setup) == (0, [{"ready": True}])
    assert [each.name for each in tmp_path.iterdir()] == ["schema.fds"]


def test_what_cannot_begin_or_is_no_tape_is_reported(setup: Setup) -> None:
    """Once, and the exit code says so as well."""
    code, (ready, report) = recorded(setup, b"\xff" * 40)
    assert (code, ready) == (1, {"ready": True})
    assert "is not a tape" in report["error"]["message"]
    setup.settings.output.mkdir()
    code, (report,) = recorded(setup)
    assert (code, report["error"]["kind"]) == (1, "InputError")
    assert "already exists" in report["error"]["message"]


def refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no row be written."""

    def append(*_: object) -> None:
        raise MissingError("cannot be written", file="t")

    monkeypatch.setattr(PartialWriter, "append", append)


@pytest.mark.parametrize(("flush_s", "flush_rows"), [(0.0, 100), (1e9, 1)])
def test_a_disk_that_is_full_is_reported_once(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, flush_s: float, flush_rows: int
) -> None:
    """At once, be it that rows waited long enough or that they are many; and not again at the end."""
    monkeypatch.setattr(recorder, "FLUSH_S", flush_s)
    monkeypatch.setattr(recorder, "FLUSH_ROWS", flush_rows)
    refuse(monkeypatch)
    codes: list[int] = []
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile() as lines:
        ours.settimeout(20)
        ours.sendall(pack(0.0, 0, SETUP, setup.to_json()) + tape(*wire.conversation(calls=3)))
        thread = threading.Thread(target=lambda: codes.append(serve(theirs)))
        thread.start()
        assert [list(json.loads(lines.readline())) for _ in range(2)] == [["ready"], ["error"]]
        ours.sendall(pack(9.0, 0, FINISH, b"complete"))
        thread.join(20)
        theirs.shutdown(socket.SHUT_WR)
        assert (codes, lines.read()) == ([1], "")
    assert not setup.settings.output.exists()


def test_nothing_is_taken_once_writing_has_failed(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory does not grow; the end says why there is no Trace."""
    failing = Recorder(setup)
    refuse(monkeypatch)
    for record in wire.conversation(calls=1):
        failing.take(record)
    failing.flush()
    assert isinstance(failing.problem, MissingError)
    for record in wire.conversation(number=2, calls=1):
        failing.take(record)
    assert failing.assembly.connections == 1
    with pytest.raises(MissingError, match=r"^t: "):
        failing.finish()


def test_what_was_flushed_survives(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """Much is written without being asked, little waits."""
    monkeypatch.setattr(recorder, "FLUSH_ROWS", 3)
    lasting = Recorder(setup)
    for number in (1, 2, 3, 4):
        for record in wire.conversation(number, calls=1):
            lasting.take(record)
        lasting.write_much()
        assert len(lasting._rows) == number % 3
    recover(partial_path(setup.settings.output))
    assert len(read_trace(setup.settings.output).calls) == 3


def test_rows_wait_in_memory_for_a_bounded_time(setup: Setup) -> None:
    """Half a second after the last write the next piece of work writes them, whatever it is."""
    now = SimpleNamespace(s=100.0)
    ours, theirs = socket.socketpair()
    partial = partial_path(setup.settings.output)
    with ours, theirs:
        session = recorder._Session(theirs, lambda: now.s)
        session.work(pack(0.0, 0, SETUP, setup.to_json()))
        for number, waited_s, calls in ((1, 0.49, 0), (2, 0.5, 2), (3, 0.99, 2), (4, 1.0, 4)):
            now.s = 100.0 + waited_s
            session.work(tape(*wire.conversation(number, calls=1)))
            assert f"{calls} calls can be recovered" in validate_trace(partial).problems[0]


def test_a_part_is_left_to_be_joined(setup: Setup) -> None:
    """No Trace is made of it here."""
    part = Setup(setup.settings, setup.schema_file, setup.key, 0.0, 1.7e9, whole=False)
    code, (_, done) = recorded(part, tape(*wire.conversation(calls=2), (9.0, 0, FINISH, b"complete")))
    assert (code, done["done"]["calls"]) == (0, 2)
    assert not setup.settings.output.exists()
    recover(partial_path(setup.settings.output))
    assert len(read_trace(setup.settings.output).calls) == 2


def test_no_more_is_taken_ahead_than_the_bound() -> None:
    """Pieces come out as they went in, the end last."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        intake = recorder._Intake(theirs)
        assert (intake.take(0.0, 100), intake.next()) == (0, None)
        data = bytes(range(256)) * 400
        ours.sendall(data)
        ours.close()
        first = intake.take(0.0, 1)
        assert 0 < first == intake.waiting <= recorder._READ_BYTES
        assert intake.take(0.0, 1) == 0
        pieces = []
        while (piece := intake.next()) or intake.take(0.0, 1 << 20) or intake._pieces:
            pieces.append(piece or b"")
        assert b"".join(pieces) == data
        assert intake.waiting == 0


@pytest.mark.parametrize(
    ("arrived", "idle_s", "elapsed_s", "waiting", "defers"),
    [
        (2000, 0.0, 1.0, 4999, True),
        (2000, 0.0, 1.0, 5000, False),
        (1000, 0.0, 1.0, 0, False),
        (2000, 0.3, 1.0, 0, False),
        (2000, 0.2, 1.0, 0, True),
        (2000, 0.0, 0.1, 0, False),
    ],
)
def test_work_is_put_off_only_while_it_is_in_the_way(
    monkeypatch: pytest.MonkeyPatch,
    *,
    arrived: int,
    idle_s: float,
    elapsed_s: float,
    waiting: int,
    defers: bool,
) -> None:
    """Much arrives, no core is idle, half of the bound is free; looked at once in a window."""
    now = SimpleNamespace(s=0.0, idle=0.0)
    monkeypatch.setattr(recorder, "psutil", SimpleNamespace(cpu_times=lambda: SimpleNamespace(idle=now.idle)))
    session: Any = SimpleNamespace(busy_bytes=1000, backlog_bytes=10_000)
    pace = recorder._Pace(session, lambda: now.s)
    pace.arrived(arrived)
    now.s, now.idle = elapsed_s, idle_s
    assert pace.defers(waiting) is defers
