"""A small cluster that goes on when the command that started it ends.

Its supervisor (see there) is a process detached on purpose; the daemons hang on it by their reapers, so ending
it (also by kill -9) ends them. Files in the workspace say what starts and what runs: ids, addresses, process
ids with their start times, so that `stop` ends exactly that and never another process that got the same
number. Until the file of what runs is there, the supervisor falls with its starter, too.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

from froude.base.errors import InputError, TargetError
from froude.base.files import atomic_write_text, read_bounded, stated_os_errors

T = TypeVar("T")
_POLL_S = 0.05
_FALL_S = 10
SUPERVISOR = "froude.hadoop.supervisor"
"""Holds a cluster and does nothing else."""
STATE = "state.json"
"""What runs, once it is live."""
FAILURE = "failure.txt"
"""What the supervisor said of its end."""
_STARTING = "starting.json"
"""The supervisor's process, from the first moment on."""
_OUTPUT = "supervisor.out"
"""What the supervisor prints; the mark of a folder of ours."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process, told apart from a later one with the same id."""

    name: str
    """`supervisor`, `namenode`, `datanode-0`."""
    pid: int
    """Its process id."""
    started_s: float
    """When it started, in seconds since the epoch, as the kernel tells."""
    address: str = ""
    """Where it listens, where that means something."""

    @classmethod
    def of(cls, name: str, pid: int, address: str = "") -> Process:
        """The process that has this id now.

        Args:
            name: what it is called among the processes of a cluster, such as `datanode-0`.
            pid: its process id.
            address: `host:port` where it listens; empty where that means nothing.

        Raises:
            psutil.NoSuchProcess: no process has this id.
        """
        return cls(name, pid, psutil.Process(pid).create_time(), address)

    @property
    def alive(self) -> bool:
        """Whether that very process still runs."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True, slots=True)
class State:
    """What runs in the background of a workspace."""

    supervisor: Process
    """The process to end."""
    release: str
    """The Hadoop release."""
    uri: str
    """Where clients connect."""
    http: str
    """Where JMX is."""
    cluster_id: str
    """By which the guard knows the NameNode as started here."""
    block_pool_id: str
    """What DataNodes register for."""
    daemons: list[Process] = field(default_factory=list)
    """NameNode and DataNodes."""
    home: str = ""
    """A folder with `bin/hdfs` and `conf` for clients (see `launcher`)."""
    trace: str = ""
    """The Trace that is being recorded; empty for none."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `start` shall start."""

    datanodes: int = 3
    """How many DataNodes."""
    replication: int = 2
    """Copies of each block."""
    heap: str = "512 MB"
    """The NameNode's heap."""
    fast: bool = False
    """Quick start-up instead of full speed."""
    release: str | None = None
    """The Hadoop release; the default one where None."""
    home: str | None = None
    """A folder with a Hadoop, instead of a release."""
    fixed: bool = False
    """Whether clients find it where Hadoop's own defaults are: 127.0.0.1:8020, its web server on 9870."""
    recording: Mapping[str, Any] | None = None
    """What a supervisor that records is told; None for no recording."""


def folder_of(workspace: Path) -> Path:
    """Where a workspace keeps its background cluster."""
    return Path(workspace).absolute() / "hadoop"


def running(workspace: Path) -> State | None:
    """What runs in the background of this workspace; None when nothing does.

    Raises:
        InputError: the state file is not one.
    """
    state = _read(folder_of(workspace) / STATE, _to_state)
    return state if state is not None and state.supervisor.alive else None


def starting(workspace: Path) -> Process | None:
    """The supervisor of a cluster that is on its way up in this workspace; None when there is none.

    Raises:
        InputError: the file about it is damaged.
    """
    folder = folder_of(workspace)
    process = _read(folder / _STARTING, lambda facts: Process(**facts))
    return process if process is not None and process.alive and not (folder / STATE).exists() else None


def start(
    workspace: Path, wanted: Wanted, *, timeout_s: float = 180, supervisor_module: str = SUPERVISOR
) -> State:
    """Start a cluster in the background and wait until it is live.

    Args:
        workspace: the folder that it belongs to.
        wanted: what to start.
        timeout_s: how long it may take.
        supervisor_module: the module whose process holds the cluster.

    Raises:
        InputError: one runs there already, or is being started.
        TargetError: it did not come up; with the daemon's own last error.
    """
    folder = folder_of(workspace)
    if running(workspace) is not None:
        raise InputError("a cluster runs here already", file=folder, remedy="End it: `froude hadoop down`")
    if starting(workspace) is not None:
        remedy = "Wait for it, or end it: `froude hadoop down`"
        raise InputError("a cluster is being started here", file=folder, remedy=remedy)
    if folder.exists() and any(folder.iterdir()) and not (folder / _OUTPUT).is_file():
        remedy = "Remove it, or choose another --workspace"
        raise InputError("is in the way, and not a cluster's folder", file=folder, remedy=remedy)
    shutil.rmtree(folder, ignore_errors=True)
    with stated_os_errors(folder):
        folder.mkdir(parents=True, mode=0o700)
    with (folder / _OUTPUT).open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", supervisor_module, str(folder), json.dumps(asdict(wanted))],
            stdin=subprocess.PIPE,  # held by this process alone, and closed by its death
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=folder,
        )
    try:
        supervisor = Process.of("supervisor", process.pid)
        atomic_write_text(folder / _STARTING, json.dumps(asdict(supervisor)))
        return _await_start(folder, process, timeout_s)
    except BaseException as error:  # an interrupt, too: nothing half-started is left
        _abandon(process)
        if not isinstance(error, TargetError):  # which may name a log in there
            shutil.rmtree(folder, ignore_errors=True)
        raise


def stop(workspace: Path, *, timeout_s: float = 30) -> State | Process | None:
    """End what `start` started, exactly that, and remove its folder.

    Args:
        workspace: the folder that it belongs to.
        timeout_s: seconds the supervisor gets to end in order before it is killed, and then its daemons to
            fall.

    Returns:
        What was ended: what ran, or the supervisor of what was on its way up; None when there was nothing.

    Raises:
        TargetError: a process does not end.
    """
    folder = folder_of(workspace)
    state = running(workspace)
    supervisor = starting(workspace) if state is None else state.supervisor
    if supervisor is not None:
        family = _family(supervisor.pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            _end(psutil.Process(supervisor.pid), timeout_s)
        _await_end(family, timeout_s)
    if (folder / STATE).exists() or supervisor is not None:
        shutil.rmtree(folder, ignore_errors=True)
    return supervisor if state is None else state


def _end(process: psutil.Process, timeout_s: float) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout_s)
    except psutil.TimeoutExpired:
        process.kill()  # its daemons fall with it: their reapers see to that


def _await_start(folder: Path, process: subprocess.Popen[bytes], timeout_s: float) -> State:
    deadline = time.monotonic() + timeout_s
    while (state := _read(folder / STATE, _to_state)) is None:
        if process.poll() is not None:
            raise _failure(folder)
        if time.monotonic() > deadline:
            raise TargetError(f"did not come up in {timeout_s:g} s", file=folder)
        time.sleep(_POLL_S)
    return state


def _abandon(process: subprocess.Popen[bytes]) -> None:
    """End a supervisor and wait for its daemons, which fall with it by their reapers."""
    family = _family(process.pid)
    process.kill()
    process.wait()
    psutil.wait_procs(family, timeout=_FALL_S)


def _family(pid: int) -> list[psutil.Process]:
    """What a process has started: its daemons and what stands between."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _await_end(family: list[psutil.Process], timeout_s: float) -> None:
    _, left = psutil.wait_procs(family, timeout=timeout_s)
    if left:
        raise TargetError("does not end", file=left[0].name(), found=f"process {left[0].pid}")


def _failure(folder: Path) -> TargetError:
    """What the supervisor said of its end."""
    words = (
        path.read_text()[-500:].strip() for path in (folder / FAILURE, folder / _OUTPUT) if path.is_file()
    )
    text = next(filter(None, words), "it was ended from elsewhere")
    if not (folder / "run").exists():  # it never began: there is no log to keep
        shutil.rmtree(folder, ignore_errors=True)
    return TargetError(f"the cluster did not come up: {text}", file=folder)


def _read(path: Path, make: Callable[[dict[str, Any]], T]) -> T | None:
    if not path.is_file():
        return None
    try:
        return make(json.loads(read_bounded(path, limit_bytes=1 << 20)))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("is no state of a cluster", file=path, remedy="Remove the file") from error


def _to_state(facts: dict[str, Any]) -> State:
    facts["supervisor"] = Process(**facts["supervisor"])
    facts["daemons"] = [Process(**each) for each in facts["daemons"]]
    return State(**facts)
