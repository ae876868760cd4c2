"""Loads that a back-end's limits are measured by: a child in a control group, and counters of somebody else's load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from froude.base.clock import Clock
from froude.base.errors import TargetError
from froude.base.files import stated_os_errors
from froude.cache.backends.types import Finding, Rate, Verdict
from froude.hadoop.cluster.daemons import reaper_command

_READER = Path(__file__).parent / "_reader.py"
_BLOCK = 4096
_FILLER = bytes(1 << 20)
_SCRATCH = 16 << 20
"""Bytes of the file that is read: what is read past the page cache need not be large."""
_GRACE_S = 30.0
"""For the child's start, and for a request that a low cap holds back."""
_EVADES = 0.5
"""Share of what the device wrote that a group must be charged with, for its writes to be held by a cap."""


@dataclass(frozen=True, slots=True)
class GroupLoad:
    """Random reads of a device by a process in a control group; nothing is written."""

    folder: Path | None
    """Of the group; None for no group."""
    path: Path
    """A block device, or a file on it."""
    block: int = _BLOCK
    """Bytes of each read."""

    def rate(self, seconds: float) -> Rate:
        """See `Load`: how fast it reads."""
        return _run(self.folder, self.path, self.block, seconds)


@contextmanager
def scratch_load(folder: Path | None, scratch: Path) -> Iterator[GroupLoad]:
    """Reads of a file that is made for it, and removed after: where the device itself may not be opened.

    Args:
        folder: of the group; None for no group.
        scratch: a folder whose file system lies on the device.

    Raises:
        MissingError: no space, or no right to write there.
    """
    with stated_os_errors(scratch), tempfile.NamedTemporaryFile(prefix=".froude-probe-", dir=scratch) as file:
        for _ in range(_SCRATCH // len(_FILLER)):
            file.write(_FILLER)
        file.flush()
        os.fsync(file.fileno())
        yield GroupLoad(folder, Path(file.name))


@dataclass(frozen=True, slots=True)
class Watched:
    """The load that a virtual machine makes by itself, by counters that only grow."""

    counters: Callable[[], tuple[float, float]]
    """Requests and bytes so far."""
    clock: Clock

    def rate(self, seconds: float) -> Rate:
        """See `Load`: how fast they grow."""
        (requests, size), begun = self.counters(), self.clock.now()
        self.clock.sleep(seconds)
        more, larger = self.counters()
        took = max(1e-9, self.clock.now() - begun)
        return Rate((more - requests) / took, (larger - size) / took)


def buffered(folder: Path, device: str, scratch: Path) -> Finding:
    """Whether buffered writes of a group are charged to it: what is not cannot be capped.

    A child in the group writes through the page cache; the kernel writes that back when it is asked to from outside.

    Args:
        device: `major:minor`.
        scratch: a folder whose file system lies on the device; one file of 64 MiB is written there, and removed.

    Raises:
        TargetError: it could not be tried.
    """
    statistics = folder / "blkio.throttle.io_service_bytes"
    if not statistics.exists():
        return Finding(
            "cgroup", "bytes_per_s", Verdict.UNTESTED, note="no per-group counter of version 1 here"
        )
    with tempfile.NamedTemporaryFile(prefix=".froude-probe-", dir=scratch) as file:
        before = _written_by(statistics, device)
        wrote = _run(folder, Path(file.name), 1 << 20, 0.0, buffered=True, whole=True).bytes_per_s
        charged_early = _written_by(statistics, device) - before
        subprocess.run(["sync", "-f", file.name], check=False, timeout=_GRACE_S)
        charged = max(charged_early, _written_by(statistics, device) - before)
    share = charged / wrote if wrote else 0.0
    if share >= _EVADES:
        return Finding(
            "cgroup", "bytes_per_s", Verdict.HOLDS, note="buffered writes are charged to the group"
        )
    return Finding(
        "cgroup",
        "bytes_per_s",
        Verdict.IGNORED,
        note=f"buffered writes evade the cap: {share:.0%} of what was written back was charged to the group",
    )


def _written_by(statistics: Path, device: str) -> int:
    rows = (line.split() for line in statistics.read_text().splitlines())
    return sum(int(row[2]) for row in rows if len(row) == 3 and row[0] == device and row[1] == "Write")


def _run(
    folder: Path | None,
    path: Path,
    block: int,
    seconds: float,
    *,
    buffered: bool = False,
    whole: bool = False,
) -> Rate:
    """Run the child; as a rate, or, where `whole`, what it did at all."""
    words = [str(folder or ""), str(path), str(block), f"{seconds:g}", *(["buffered"] if buffered else [])]
    command = [*reaper_command(), sys.executable, "-I", str(_READER), *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds + _GRACE_S,
            check=False,
            start_new_session=True,
        )
        found = json.loads(done.stdout)
        took = 1.0 if whole else float(found["seconds"])
        return Rate(found["requests"] / took, found["bytes"] / took)
    except subprocess.TimeoutExpired as error:
        raise TargetError("a load on it does not end", file=path) from error
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise TargetError("a load on it failed", file=path, found=said) from error
