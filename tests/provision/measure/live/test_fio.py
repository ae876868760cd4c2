"""fio's command line, its answer, and its end."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import psutil
import pytest

from froude.base.errors import MissingError, TargetError
from froude.provision.measure.live import fio
from froude.provision.measure.live.fio import FioJob, Ran, arguments
from tests.conftest import Gone

FAILED = "fio failed"
NO_RECORD = "no record"


_READ = FioJob("randread", 204800, 1 << 30, 0, 0.5, 7)


def _answer(**changes: object) -> str:
    side = {"total_ios": 12, "lat_ns": {"mean": 2.5e6}} | changes
    return "a remark\n" + json.dumps({"jobs": [{"error": 0, "read": side, "write": side}]})


def test_random_records_one_at_a_time() -> None:
    """Depth one, places anew each round, a time, and JSON."""
    words = arguments(_READ, ("--filename=x",))
    for word in (
        "--iodepth=1",
        "--bs=204800",
        "--rw=randread",
        "--runtime=500ms",
        "--randseed=7",
        "--norandommap",
    ):
        assert word in words
    assert "--sync=dsync" not in words


def test_writing_once_has_no_time() -> None:
    """It ends when the region is written; durable writes wait for the medium, reads never do."""
    words = arguments(FioJob("write", 1 << 20, 1 << 30, 1 << 21, durable=True), ())
    assert not any(word.startswith("--runtime") for word in words)
    assert {"--offset=2097152", "--size=1073741824", "--sync=dsync"} <= set(words)
    assert "--sync=dsync" not in arguments(FioJob("randread", 4096, 1 << 20, durable=True), ())


def test_directions() -> None:
    """By fio's name of the pattern."""
    assert [FioJob(name, 1, 1).writes for name in ("write", "randwrite", "randread")] == [True, True, False]


def test_an_answer_in_seconds() -> None:
    """Remarks before the JSON are passed over; nanoseconds become seconds."""
    assert fio._understood(0, _answer(), "", _READ, "x") == Ran(12, 0.0025)


@pytest.mark.parametrize(
    ("code", "out", "err", "said"),
    [
        (1, "fio: pid=1, err=28/file:x: No space left on device\n{}", "", "No space left"),
        (1, "", "fio: bad option\n", "bad option"),
        (0, "", "", FAILED),
        (0, "{broken", "", FAILED),
        (0, json.dumps({"jobs": [{"error": 5}]}), "", FAILED),
        (0, json.dumps({"jobs": [{"read": {}}]}), "", "not understood"),
        (0, _answer(total_ios=0), "", NO_RECORD),
        (0, _answer(lat_ns={"mean": 0}), "", NO_RECORD),
    ],
)
def test_other_answers_are_stated(code: int, out: str, err: str, said: str) -> None:
    """With fio's own last words where it has any."""
    with pytest.raises(TargetError, match=said):
        fio._understood(code, out, err, _READ, "x")


def test_without_fio(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how to get it."""
    monkeypatch.setattr(fio.shutil, "which", lambda name: None)
    with pytest.raises(MissingError, match="apt-get install fio"):
        fio.find_fio()


def test_a_child_that_hangs_is_ended(tmp_path: Path, gone: Gone) -> None:
    """When its time is up, with everything below it, and the error says so."""
    mark = tmp_path / "pid"
    code = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    with pytest.raises(TargetError, match="did not end"):
        fio._child([sys.executable, "-S", "-c", code], (), 1.0, "x")
    assert gone([psutil.Process(int(mark.read_text()))] if psutil.pid_exists(int(mark.read_text())) else [])


def test_a_child_outlives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: Gone) -> None:
    """An interruption ends it too."""
    seen: list[psutil.Process] = []

    def interrupted(child: object, timeout: float) -> None:
        deadline = time.monotonic() + 5
        while not seen and time.monotonic() < deadline:
            seen.extend(psutil.Process(child.pid).children())  # type: ignore[attr-defined]
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(fio.subprocess.Popen, "communicate", interrupted)
    sleep = shutil.which("sleep")
    assert sleep is not None
    with pytest.raises(KeyboardInterrupt):
        fio._child([sleep, "60"], (), 60.0, "x")
    assert seen
    assert gone(seen)


def test_a_child_gets_the_handles_and_tells_its_end(tmp_path: Path) -> None:
    """What it reads through /proc/self/fd is what we hold; its exit code is passed on."""
    held = (tmp_path / "x").open("w+")
    held.write("seen")
    held.flush()
    script = f"print(open('/proc/self/fd/{held.fileno()}').read()); raise SystemExit(3)"
    code, out, _ = fio._child([sys.executable, "-S", "-c", script], (held.fileno(),), 30.0, "x")
    held.close()
    assert (code, out.strip()) == (3, "seen")
