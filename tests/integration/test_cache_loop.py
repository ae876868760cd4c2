"""The loop as processes: disks, an agent and a controller, which is killed between one change and the next."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.integration.cache_processes import Processes, Relay, ask, processes, size_of, until

pytestmark = pytest.mark.integration
_MIB = 1 << 20
_SPACE = 4 * _MIB
_FIO = shutil.which("fio")


def _load(folder: Path, disk: str, size: int, seconds: int, *extra: str) -> subprocess.Popen[bytes]:
    """Random reads of the beginning of a disk."""
    words = [
        "fio", "--name=x", "--thread", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={folder}/{disk}.sock",
        "--rw=randread", "--bs=16k", f"--size={size}", "--time_based", f"--runtime={seconds}", "--rate_iops=500",
        *extra,
    ]  # fmt: skip
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class _Watch:
    """Looks at both caches all the while, and keeps the largest sum that it saw."""

    def __init__(self, *controls: Path) -> None:
        """Begin."""
        self.most = 0
        self._controls = controls
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._end.is_set():
            # The first one is asked twice: only a sum that was there for a whole moment counts.
            first, second, again = (
                size_of(self._controls[0]),
                size_of(self._controls[1]),
                size_of(self._controls[0]),
            )
            self.most = max(self.most, min(first, again) + second)
            time.sleep(0.001)

    def stop(self) -> int:
        """End; gives the largest sum."""
        self._end.set()
        self._thread.join()
        return self.most


@pytest.mark.skipif(_FIO is None, reason="fio is not here")
@pytest.mark.parametrize("dropped", [True, False], ids=["the change is lost", "the change comes late"])
def test_a_controller_that_is_killed_between_shrink_and_grow(tmp_path: Path, dropped: bool) -> None:
    """One VM has given, the other has not yet got: after a restart the plan is whole, and the SSD never promised twice.

    The change that was under way is lost with its connection, or arrives when the next controller is at work.
    """
    with processes(tmp_path) as all_of_them:
        busy = all_of_them.disk("busy", image=16 * _MIB, size=_SPACE // 2)
        idle = all_of_them.disk("idle", image=16 * _MIB, size=_SPACE // 2)
        relay = Relay(tmp_path / "relay", busy)
        watch = _Watch(busy, idle)
        load = _load(tmp_path, "busy", 3 * _MIB, 600)
        try:
            agent = all_of_them.agent("h1", {"busy": tmp_path / "relay", "idle": idle}, space=_SPACE)
            relay.hold(above=_SPACE // 2)
            all_of_them.controller({"h1": agent})
            assert relay.held.wait(60)
            assert size_of(idle) < _SPACE // 2
            assert size_of(busy) == _SPACE // 2
            all_of_them.kill_last()
            if dropped:
                relay.release(drop=True)
            controller = all_of_them.controller({"h1": agent})
            if not dropped:
                relay.release(drop=False)
            until(lambda: size_of(busy) >= 3 * _MIB, "the busy disk gets what its loop needs")
            history = ask(controller, "v1/history")
            assert history[0]["number"] > 1
            assert "begun" in [each["outcome"] for each in history]
        finally:
            load.kill()
            load.wait()
            most = watch.stop()
            relay.close()
    assert most <= _SPACE


@pytest.mark.skipif(_FIO is None, reason="fio is not here")
def test_no_write_is_lost_while_caches_are_split(tmp_path: Path) -> None:
    """Fio writes and verifies by checksums while a controller resizes both caches, is killed, and begins again."""
    with processes(tmp_path) as all_of_them:
        disks = {name: all_of_them.disk(name, image=8 * _MIB, size=_SPACE // 2) for name in ("a", "b")}
        agent = all_of_them.agent("h1", disks, space=_SPACE)
        verify = ("--rw=randrw", "--verify=crc32c", "--verify_fatal=1", "--bsrange=4k-64k", "--iodepth=4")
        writers = [_verifying(tmp_path, name, *verify) for name in disks]
        controller = all_of_them.controller({"h1": agent}, interval="0.2 s")
        until(lambda: len(_applied(controller)) >= 2, "caches are resized")
        all_of_them.kill_last()
        controller = all_of_them.controller({"h1": agent}, interval="0.2 s")
        before = len(_applied(controller))
        _change_load(all_of_them, tmp_path)
        until(lambda: len(_applied(controller)) > before, "caches are resized again")
        for writer in writers:
            out, err = writer.communicate(timeout=120)
            assert writer.returncode == 0, out + err


def _verifying(folder: Path, disk: str, *words: str) -> subprocess.Popen[str]:
    base = [
        "fio", "--name=x", "--thread", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={folder}/{disk}.sock",
        "--size=6M", "--loops=3", "--rate_iops=400", *words,
    ]  # fmt: skip
    return subprocess.Popen(base, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _applied(controller: str) -> list[int]:
    return [each["number"] for each in ask(controller, "v1/history") if each["outcome"] == "applied"]


def _change_load(all_of_them: Processes, folder: Path) -> None:
    """A short burst on one of the disks, so that another split is better."""
    load = _load(folder, "a", 3 * _MIB, 3)
    load.wait(60)
    del all_of_them
