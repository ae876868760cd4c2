"""A capture as a child process: how it starts, what it tells, how it ends."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from froude.base.errors import InputError, MissingError, TargetError
from froude.documents.artifact import State
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureResult, CaptureSettings, error_to_mapping
from froude.trace.files import read_trace
from froude.trace.types import Loss
from testbed import wire
from tests.conftest import Gone
from tests.support.trace.capture.tokens import before, settings

RESULT = CaptureResult(Path("/t"), 3, 1, Loss(), "CID-1")
LISTENING = {"listening": [["127.0.0.1", 4000], ["127.0.0.2", 4001]]}
WARNING = {"warning": error_to_mapping(MissingError("cannot be written", file="/t"))}
FAILURE = {"error": error_to_mapping(InputError("already exists", file="/t"))}


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the capture's process: says `first`, hears to the end of its input, says `last`.

    Without a `last` it dies after the first.
    """
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\ncd {tmp_path}\ncat first\n[ -e last ] || exit 1\ncat > heard\ncat last\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    return tmp_path


def says(folder: Path, name: str, *reports: object) -> None:
    """Let the stand-in say these reports."""
    (folder / name).write_text("".join(json.dumps(each) + "\n" for each in reports))


def capture() -> CaptureProcess:
    """A capture that has not begun."""
    return CaptureProcess(CaptureSettings((), Path("/t")), wire.SCHEMA)


def test_warnings_on_the_way_are_kept(child: Path) -> None:
    """Whenever they come; the addresses are those that it listens on."""
    says(child, "first", WARNING, LISTENING)
    says(child, "last", WARNING, {"done": RESULT.to_mapping()})
    with capture() as running:
        assert running.addresses == [("127.0.0.1", 4000), ("127.0.0.2", 4001)]
        assert [str(each) for each in running.warnings] == ["/t: cannot be written"]
    assert running.result == RESULT
    assert len(running.warnings) == 2


def test_what_it_is_asked_for_and_told(child: Path) -> None:
    """Its settings first, and in the end one word: how the recording ended."""
    says(child, "first", LISTENING)
    says(child, "last", {"done": RESULT.to_mapping()})
    running = capture()
    running.start()
    running.stop(State.FAILED)
    asked, word = (child / "heard").read_text().splitlines()
    assert CaptureSettings.from_json(json.loads(asked)["settings"]) == running.settings
    schema_file = Path(json.loads(asked)["schema_file"])
    assert schema_file.parent.match("froude-capture-*")  # what a killed one leaves is swept by that name
    assert not schema_file.parent.exists()  # read by now, and gone
    assert word == "failed"


@pytest.mark.parametrize(
    ("error", "word"), [(ValueError, "failed"), (KeyboardInterrupt, "interrupted"), (None, "complete")]
)
def test_how_the_block_ends_is_how_the_recording_ended(
    child: Path, error: type[BaseException] | None, word: str
) -> None:
    """And the block's own error goes on."""
    says(child, "first", LISTENING)
    says(child, "last", {"done": RESULT.to_mapping()})

    def block() -> None:
        with capture():
            if error is not None:
                raise error

    if error is None:
        block()
    else:
        with pytest.raises(error):
            block()
    assert (child / "heard").read_text().splitlines()[1] == word


def test_the_blocks_own_error_is_the_one_to_show(child: Path) -> None:
    """What went wrong with the capture as well is a warning then; without one it is the error."""
    says(child, "first", LISTENING)
    says(child, "last", FAILURE)
    running = capture()
    with pytest.raises(ZeroDivisionError), running:
        raise ZeroDivisionError
    assert [str(each) for each in running.warnings] == ["/t: already exists"]
    with pytest.raises(InputError, match="/t: "), capture():
        pass


@pytest.mark.parametrize("said", [[], [WARNING]])
def test_a_process_that_says_nothing_more_has_died(child: Path, said: list[object]) -> None:
    """At its start and at its end."""
    says(child, "first", *said)
    with pytest.raises(TargetError, match="proxy process: ended before its time"):
        capture().start()
    says(child, "first", LISTENING)
    says(child, "last", *said)
    running = capture()
    running.start()
    with pytest.raises(TargetError, match="the capture's proxy process: "):
        running.stop()


def test_what_was_not_started_cannot_be_stopped() -> None:
    """A mistake of the caller."""
    for ask in (capture().stop, lambda: capture().pid):
        with pytest.raises(ValueError, match="not started"):
            ask()


def test_its_cpu_time_is_that_of_all_its_processes(
    target: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own, two lanes and their recorders; stopped twice, it gives the same result."""
    running = CaptureProcess(settings(target, tmp_path, processes=2), wire.SCHEMA)
    running.start()
    with monkeypatch.context() as patch:
        patch.setattr(psutil.Process, "cpu_times", lambda _: SimpleNamespace(user=1.0, system=0.5))
        assert running.cpu_seconds() == 5 * 1.5
    result = running.stop(State.FAILED)
    assert running.stop() is result
    lineage = read_trace(tmp_path / "t").lineage
    assert lineage is not None
    assert lineage.state is State.FAILED


def test_what_cannot_begin_says_so(target: tuple[str, int], tmp_path: Path) -> None:
    """A taken output, a target that is not there, an address that is taken."""
    (tmp_path / "t").mkdir()
    with pytest.raises(InputError, match="/t: "):
        CaptureProcess(settings(target, tmp_path), wire.SCHEMA).start()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(TargetError, match="does not accept"):
            CaptureProcess(settings(closed.getsockname(), tmp_path / "a"), wire.SCHEMA).start()
    taken = CaptureSettings((before(target, port=target[1]),), tmp_path / "b" / "t")
    with pytest.raises(InputError, match="Address already in use"):
        CaptureProcess(taken, wire.SCHEMA).start()
    assert list((tmp_path / "b").iterdir()) == []


def interrupts(monkeypatch: pytest.MonkeyPatch, running: CaptureProcess, *, waits: int) -> None:
    """Ctrl-C while its next report is awaited, and in so many waits for its end."""
    left = [KeyboardInterrupt] * waits
    wait = subprocess.Popen.wait

    def interrupted(child: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if left:
            raise left.pop()
        return wait(child, timeout)

    def report() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    monkeypatch.setattr(running, "_next", report)


@pytest.mark.parametrize("waits", [0, 1])
@pytest.mark.parametrize("started", [False, True])
def test_an_interrupted_start_or_end_leaves_no_process(
    child: Path, monkeypatch: pytest.MonkeyPatch, *, started: bool, waits: int
) -> None:
    """Which would write a Trace once nobody expects it; interrupted twice, it is killed."""
    says(child, "first", LISTENING)
    says(child, "last", {"done": RESULT.to_mapping()})
    running = capture()
    if started:
        running.start()
    interrupts(monkeypatch, running, waits=waits)
    with pytest.raises(KeyboardInterrupt):
        running.stop() if started else running.start()
    assert not psutil.pid_exists(running.pid)


def test_interrupted_twice_its_recorders_end_too(
    target: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: Gone
) -> None:
    """They would finish the Trace on their own; what is unfinished stays to be recovered."""
    running = CaptureProcess(settings(target, tmp_path), wire.SCHEMA)
    running.start()
    recorders = psutil.Process(running.pid).children(recursive=True)
    assert recorders
    with monkeypatch.context() as patch:

        def interrupted(*_: object) -> int:
            patch.undo()
            raise KeyboardInterrupt

        patch.setattr(subprocess.Popen, "wait", interrupted)
        patch.setattr(CaptureProcess, "_next", lambda _: pytest.fail("not asked"))
        with pytest.raises(KeyboardInterrupt):
            running._end()
    assert gone(recorders)
    # on a busy machine they may have finished before they were killed
    assert any((tmp_path / name).exists() for name in ("t.partial", "t"))
