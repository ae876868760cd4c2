"""Runs fio, one job at a time, and reads what it says; no fio outlives us, whatever ends us.

A job has one request under way at any time (iodepth 1, a synchronous engine): rate and gap are the service time
of one record, and a queue would hide the gap behind the work of other records.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from froude.base.errors import MissingError, TargetError
from froude.hadoop.cluster.daemons import reaper_command
from froude.provision.measure.live.target import Opened

_GRACE_S = 60.0
"""Beyond the time that a job was given: its start, its end, and one record that hangs."""
_MOST_OUTPUT = 8 << 20
_NANO = 1e-9
_ENDED_S = 10.0


@dataclass(frozen=True, slots=True)
class FioJob:
    """One thing that fio shall do."""

    pattern: str
    """fio's `rw`: `write`, `randwrite` or `randread`."""
    record_size: int
    """Bytes; random places are multiples of it."""
    size: int
    """Bytes of the region."""
    offset: int = 0
    """Where the region begins."""
    seconds: float | None = None
    """How long random records go on; None writes the region once."""
    seed: int = 0
    """Of the random places, below 2^63; another one each round: the same places again would
    be read from caches."""
    durable: bool = False
    """Whether a write is done only when it is on the medium (O_DSYNC)."""

    @property
    def writes(self) -> bool:
        """Whether it writes; it reads otherwise."""
        return "write" in self.pattern


@dataclass(frozen=True, slots=True)
class Ran:
    """What a job did."""

    records: int
    seconds: float
    """Mean time of one record, from its call to its return."""


def find_fio() -> str:
    """The path of fio.

    Raises:
        MissingError: it is not here.
    """
    path = shutil.which("fio")
    if path is None:
        raise MissingError("fio is not here", remedy="Install it: apt-get install fio, or make setup-system")
    return path


def arguments(job: FioJob, place: tuple[str, ...]) -> list[str]:
    """A job as fio's command line.

    Args:
        place: how fio reaches the target.
    """
    words = [
        "--name=froude",
        "--thread",
        "--output-format=json",
        *place,
        "--iodepth=1",
        "--numjobs=1",
        f"--rw={job.pattern}",
        f"--bs={job.record_size}",
        f"--offset={job.offset}",
        f"--size={job.size}",
    ]
    if job.seconds is not None:
        # Places are drawn anew each time (norandommap): a map would keep a small region's places from repeating.
        milliseconds = max(1, round(job.seconds * 1000))
        words += ["--time_based", f"--runtime={milliseconds}ms", "--norandommap", f"--randseed={job.seed}"]
    if job.durable and job.writes:
        words.append("--sync=dsync")
    return words


def run(job: FioJob, held: Opened, *, limit_s: float) -> Ran:
    """Run a job on a target that is held.

    Args:
        limit_s: seconds after which fio is ended, beside some grace.

    Raises:
        MissingError: no fio.
        TargetError: fio failed, hung or said something else than it should.
    """
    command = [find_fio(), *arguments(job, held.arguments)]
    code, out, err = _child(command, held.handles, limit_s + _GRACE_S, held.target.name)
    return _understood(code, out, err, job, held.target.name)


def _child(command: list[str], handles: tuple[int, ...], limit_s: float, name: str) -> tuple[int, str, str]:
    """A program below the reaper, which ends it when we end, also by kill -9; in a group that Ctrl-C passes by."""
    reaped = [*reaper_command(), *command]
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        reaped,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        pass_fds=handles,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        out, err = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise TargetError("fio did not end", file=name, found=f"still running after {limit_s:g} s") from error
    finally:
        _end(child)
    return child.returncode, out[:_MOST_OUTPUT], err[:_MOST_OUTPUT]


def _end(child: subprocess.Popen[str]) -> None:
    """Kill what still runs and wait until it is gone: the kernel ends fio when the reaper dies."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=_ENDED_S)  # until fio has closed its ends of the pipes


def _understood(code: int, out: str, err: str, job: FioJob, name: str) -> Ran:
    """What fio said, or the error that it met.

    Raises:
        TargetError: fio failed, or its answer is not what it should be.
    """
    document = _document(out)
    jobs = document.get("jobs") or [{}]
    failed = code != 0 or not document or int(jobs[0].get("error", 0)) != 0
    if failed:
        said = [line for line in (*err.splitlines(), *out.partition("{")[0].splitlines()) if line.strip()]
        raise TargetError(f"fio failed (exit {code})", file=name, found=said[-1] if said else None)
    try:
        side = jobs[0]["write" if job.writes else "read"]
        records, seconds = int(side["total_ios"]), float(side["lat_ns"]["mean"]) * _NANO
    except (KeyError, TypeError, ValueError) as error:
        raise TargetError("fio's answer is not understood", file=name, found=f"{error!r}") from error
    if records == 0 or not seconds > 0:
        raise TargetError("fio completed no record", file=name, found=f"{job.pattern} of {job.record_size} B")
    return Ran(records, seconds)


def _document(out: str) -> dict[str, Any]:
    """The JSON of an output that may begin with remarks."""
    try:
        document = json.loads(out[out.index("{") :])
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
