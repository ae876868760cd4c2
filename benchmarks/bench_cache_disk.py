"""A cached disk beside nbdkit and qemu-nbd, and fio's checksums through resizes and kills.

    python -m benchmarks cache_disk

One image of 512 MiB, in the page cache: the ceiling of each server, not of a disk. The servers are measured in turn in
each round, since rates drift with whatever else runs; a figure is the median of its rounds. Where it is allowed (root),
servers and fio go before everything else that runs (SCHED_RR): a server of one thread would otherwise get less of a busy
machine than one of sixteen.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.units import MIB
from froude.cache.disk.client import DiskClient
from testbed.disk_life import SETTINGS, live
from testbed.nbd_client import Served, served

ROUNDS, SECONDS = 5, 1.0
SIZE = 512 * MIB
RESIZES, KILLS, LIVES = 400, 12, 200
JOBS = {
    "4k zipf reads, 1 at a time": [
        "--rw=randread",
        "--bs=4k",
        "--iodepth=1",
        "--random_distribution=zipf:1.2",
    ],
    "4k zipf reads, 16 at a time": [
        "--rw=randread",
        "--bs=4k",
        "--iodepth=16",
        "--random_distribution=zipf:1.2",
    ],
    "4k random writes, 16 at a time": ["--rw=randwrite", "--bs=4k", "--iodepth=16"],
    "1M reads in order, 4 at a time": ["--rw=read", "--bs=1M", "--iodepth=4"],
}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _Server:
    """Something that serves the image."""

    name: str
    uri: str
    pid: int


def rows() -> Iterator[dict[str, Any]]:
    """Figures of every server that is here, then those of fio's checksums."""
    with tempfile.TemporaryDirectory(prefix="froude-bench-cache-") as folder:
        image = Path(folder) / "vm.raw"
        image.write_bytes(random.Random(1).randbytes(MIB) * (SIZE // MIB))
        with _undisturbed() as how:
            found = _throughput(image)
        yield from _beside(found, how)
        yield from _verified(Path(folder))
    yield _simulated()


Measured = dict[str, dict[str, list[tuple[float, float]]]]
"""By job and server: requests per second, and the server's processor time in microseconds for each."""


def _throughput(image: Path) -> Measured:
    makers: dict[str, Callable[[Path], Any]] = {
        "nbdkit file": _nbdkit,
        "nbdkit cache filter, 64 MiB": lambda path: _nbdkit(path, "--filter=cache", "cache-max-size=64M"),
        "qemu-nbd": _qemu,
        "ours, all cached": lambda path: _ours(path, "640MiB"),
        "ours, 64 MiB cached": lambda path: _ours(path, "64MiB"),
    }
    found: Measured = {job: {name: [] for name in makers} for job in JOBS}
    for round_ in range(ROUNDS):
        for name, maker in list(makers.items())[:: 1 if round_ % 2 else -1]:
            if shutil.which(_PROGRAM.get(name.split()[0], "fio")) is None:
                continue
            with maker(image) as (uri, pid):
                server = _Server(name, uri, pid)
                if name == "ours, all cached":
                    _fio(server, ["--rw=read", "--bs=1M", "--iodepth=4"], seconds=None)
                for job, words in JOBS.items():
                    found[job][name].append(_fio(server, words))
    return found


_PROGRAM = {"nbdkit": "nbdkit", "qemu-nbd": "qemu-nbd"}


@contextmanager
def _undisturbed() -> Iterator[str]:
    """Before other programs where that is allowed; says how it was."""
    load = f"load of the machine {os.getloadavg()[0]:.0f}"
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
    except PermissionError:
        yield f"{load}, at no priority"
        return
    try:
        yield f"{load}, with priority"
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _beside(found: Measured, how: str) -> Iterator[dict[str, Any]]:
    for job, servers in found.items():
        middle = {name: statistics.median(rate for rate, _ in runs) for name, runs in servers.items() if runs}
        for name, rate in middle.items():
            cpu = statistics.median(each for _, each in servers[name])
            yield {
                "measure": f"{job}: {name}",
                "value": round(rate),
                "unit": "requests/s",
                "conditions": f"{cpu:.3g} us of processor each, median of {ROUNDS} rounds of {SECONDS:g} s, {how}",
            }
        for ours in [name for name in middle if name.startswith("ours") and "nbdkit file" in middle]:
            pairs = zip(servers[ours], servers["nbdkit file"], strict=True)
            ratios = sorted(mine / theirs for (mine, _), (theirs, _) in pairs)
            aimed = "all" in ours
            yield {
                "measure": f"{job}: {ours}, to nbdkit file",
                "value": round(statistics.median(ratios), 2),
                "unit": "ratio",
                "aim": f">= {0.5 if 'writes' in job else 1}" if aimed else "",
                "conditions": f"median of {ROUNDS} rounds, {ratios[0]:.2f} to {ratios[-1]:.2f}",
            }


def _fio(server: _Server, words: list[str], *, seconds: float | None = SECONDS) -> tuple[float, float]:
    """Requests per second, and the server's microseconds of processor for each."""
    timed = [] if seconds is None else ["--time_based", f"--runtime={seconds:g}"]
    command = ["fio", "--name=x", "--ioengine=nbd", f"--uri={server.uri}", f"--size={SIZE}"]
    before = _processor_s(server.pid)
    done = subprocess.run(
        [*command, "--output-format=json", *timed, *words], capture_output=True, text=True, check=True
    )
    used = _processor_s(server.pid) - before
    (job,) = json.loads(done.stdout[done.stdout.index("{") :])["jobs"]
    assert job["error"] == 0
    side = job["read"] if job["read"]["total_ios"] else job["write"]
    return float(side["iops"]), used / side["total_ios"] * 1e6


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def _nbdkit(image: Path, *words: str) -> Iterator[tuple[str, int]]:
    filters = [word for word in words if word.startswith("--")]
    rest = [word for word in words if not word.startswith("--")]
    with _program(
        image, lambda at: ["nbdkit", "-f", "-U", str(at), *filters, "file", str(image), *rest]
    ) as it:
        yield it


@contextmanager
def _qemu(image: Path) -> Iterator[tuple[str, int]]:
    cached = ["--cache=writeback", "-e", "8", "-t", "-f", "raw"]
    with _program(image, lambda at: ["qemu-nbd", "-k", str(at), *cached, str(image)]) as it:
        yield it


@contextmanager
def _program(image: Path, command: Callable[[Path], list[str]]) -> Iterator[tuple[str, int]]:
    at = image.with_suffix(".other")
    at.unlink(missing_ok=True)
    with subprocess.Popen(command(at)) as process:
        try:
            while not at.exists():
                assert process.poll() is None
                time.sleep(0.01)
            yield f"nbd+unix:///?socket={at}", process.pid
        finally:
            process.terminate()


@contextmanager
def _ours(image: Path, size: str) -> Iterator[tuple[str, int]]:
    cache = image.with_suffix(f".{size}")
    with served(image, "--chunk", "16K", cache=cache, size=size) as disk:
        yield disk.uri(), disk.process.pid
        disk.stop()


def _verified(folder: Path) -> Iterator[dict[str, Any]]:
    """Fio writes blocks with checksums and finds them: through resizes, and through kill -9."""
    image = folder / "verified.raw"
    image.write_bytes(bytes(64 * MIB))
    mixed = ["--rw=randrw", "--bssplit=4k/60:16k/20:64k/15:256k/5", "--iodepth=16", "--verify=crc32c"]
    with served(image, "--chunk", "16K", "--cache-writes", size="16MiB") as disk, _resizing(disk) as count:
        loops = 0
        while count[0] < RESIZES:
            _checked(disk, [*mixed, f"--randseed={loops}"])
            loops += 1
    yield {
        "measure": "blocks that fio finds other than it wrote them, through resizes",
        "value": 0,
        "unit": "blocks",
        "aim": "<= 0",
        "conditions": f"{count[0]} resizes between 0 and 32 MiB during {loops} jobs that write and verify 64 MiB",
    }
    for life in range(KILLS):
        job = [
            "--rw=randwrite",
            "--bs=4k",
            "--iodepth=16",
            "--verify=crc32c",
            f"--randseed={life}",
            "--io_size=16m",
        ]
        with served(image, "--chunk", "16K", "--cache-writes", size="32MiB") as disk:
            _checked(disk, [*job, "--do_verify=0"])
            disk.kill()
        with served(image, "--chunk", "16K", "--cache-writes", size="32MiB") as disk:
            _checked(disk, [*job, "--verify_only"])
            with disk.disk() as client:
                warm = client.stat().restored_chunks
    yield {
        "measure": "blocks that fio finds other than it wrote them, through kill -9",
        "value": 0,
        "unit": "blocks",
        "aim": "<= 0",
        "conditions": f"{KILLS} kills, 4,096 blocks verified after each; {warm} chunks found warm after the last",
    }


def _checked(disk: Served, words: list[str]) -> None:
    """A job that ends with an error if a block is not what it should be."""
    command = ["fio", "--name=x", "--ioengine=nbd", f"--uri={disk.uri()}", f"--size={64 * MIB}"]
    subprocess.run([*command, "--verify_state_save=0", *words], check=True, capture_output=True)


@contextmanager
def _resizing(disk: Served) -> Iterator[list[int]]:
    count, stop, chance = [0], threading.Event(), random.Random(4)

    def go_on() -> None:
        with DiskClient(disk.control) as client:
            while not stop.is_set():
                client.resize(chance.choice([0, 1, 4, 16, 32]) * MIB)
                count[0] += 1
                stop.wait(0.02)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield count
    finally:
        stop.set()
        thread.join()


def _simulated() -> dict[str, Any]:
    """Lives of a made-up disk that forgets what was not flushed; a wrong read or a broken promise ends them."""
    answered = 0
    for setting in SETTINGS.values():
        for seed in range(LIVES):
            answered += live(1000 + seed, setting).answered
    return {
        "measure": "requests that gave stale, torn or lost data on an image that forgets what was not flushed",
        "value": 0,
        "unit": "requests",
        "aim": "<= 0",
        "conditions": f"{answered:,} requests in {LIVES * len(SETTINGS)} simulated lives with kills, losses of power, "
        "changed images, failing disks; flush and FUA held every promise",
    }
