"""The loop as processes: disks, an agent and a controller, which is killed between one change and the next."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from benchmarks.cache_fio import Pattern, Setting, images, measure
from testbed.cache_processes import Relay, ask, processes, size_of
from testbed.polling import until
from testbed.slow_disk import SlowDisk, slow_disk, why_not

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
def test_a_controller_that_is_killed_between_shrink_and_grow(tmp_path: Path) -> None:
    """One VM has given, the other has not yet got: after a restart the plan is whole, and the SSD never promised twice.

    It is killed twice: the change that was under way is lost with its connection, and then, as the next one is killed,
    it arrives when the third is at work.
    """
    with processes(tmp_path) as all_of_them:
        busy = all_of_them.disk("busy", image=16 * _MIB, size=_SPACE // 2)
        idle = all_of_them.disk("idle", image=16 * _MIB, size=_SPACE // 2)
        relay = Relay(tmp_path / "relay", busy)
        watch = _Watch(busy, idle)
        load = _load(tmp_path, "busy", 3 * _MIB, 600)
        try:
            agent = all_of_them.agent("h1", {"busy": tmp_path / "relay", "idle": idle}, space=_SPACE)
            for dropped in (True, False):
                relay.hold(above=_SPACE // 2)
                controller = all_of_them.controller({"h1": agent})
                assert relay.held.wait(60)
                assert size_of(idle) < _SPACE // 2
                assert size_of(busy) == _SPACE // 2
                all_of_them.kill_last()
                if dropped:
                    relay.release(drop=True)
            controller = all_of_them.controller({"h1": agent})
            relay.release(drop=False)
            until(lambda: size_of(busy) >= 3 * _MIB, "the busy disk gets what its loop needs")
            outcomes = [each["outcome"] for each in ask(controller, "v1/history")]
            assert outcomes.count("begun") == 2
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
        before = max(_applied(controller), default=0)  # not how many: a history shows the last ones alone
        for disk in (
            "a",
            "b",
        ) * 4:  # which of them the other split is better for depends on the one that was left
            load = _load(tmp_path, disk, 3 * _MIB, 60)
            with suppress(AssertionError):
                until(
                    lambda: max(_applied(controller), default=0) > before, "caches are resized", limit_s=15.0
                )
            load.kill()
            load.wait()
            if max(_applied(controller), default=0) > before:
                break
        else:
            pytest.fail("caches are not resized again")
        for writer in writers:
            out, err = writer.communicate(timeout=120)
            assert writer.returncode == 0, out + err


_TINY = Setting(
    {
        "vm1": (Pattern(("--rw=randread", "--size=3M", "--iodepth=1"), 600),) * 3,
        "vm2": (Pattern(("--rw=read", "--size=16M", "--iodepth=1"), 1500),),
    },
    space=_SPACE,
    image=16 * _MIB,
    iops=300,
    interval_s=0.5,
    words=("--rate_iops=300",),
)
"""A loop that fits if the scan beside it gives way."""


@pytest.mark.skipif(_FIO is None, reason="fio is not here")
@pytest.mark.parametrize("tier", ["without privileges", "as root, on a slow disk"])
def test_jobs_on_caches_that_are_split(tmp_path: Path, tier: str) -> None:
    """The loop gets what it needs while it runs: far fewer misses than a third, which half of the SSD would leave it."""
    folder = tmp_path / "run"
    folder.mkdir()
    with ExitStack() as stack:
        if tier == "without privileges":
            disk = SlowDisk(tmp_path, None)
        elif (why := why_not()) is not None:
            pytest.skip(why)
        else:
            disk = stack.enter_context(slow_disk(tmp_path, size=128 * _MIB, iops=_TINY.iops))
        images(disk, _TINY)
        ran = measure("exact", disk, folder, _TINY)
    missed, read = ran.chunks["vm1"]
    assert read == 1800
    assert missed < 0.3 * read
    assert ran.changes > 0
    assert {vm: len(times) for vm, times in ran.times.items()} == {"vm1": 3, "vm2": 1}


def _verifying(folder: Path, disk: str, *words: str) -> subprocess.Popen[str]:
    base = [
        "fio", "--name=x", "--thread", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={folder}/{disk}.sock",
        "--size=6M", "--loops=3", "--rate_iops=400", *words,
    ]  # fmt: skip
    return subprocess.Popen(base, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _applied(controller: str) -> list[int]:
    return [each["number"] for each in ask(controller, "v1/history") if each["outcome"] == "applied"]
