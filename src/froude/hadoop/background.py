"""A small cluster that goes on when the command that started it ends.

Its supervisor is a process detached on purpose; the daemons hang on it by their reapers, so ending it (also
by kill -9) ends them. A state file in the workspace says what runs: ids, addresses, process ids with their
start times, so that `stop` ends exactly that and never a stranger that got the same number.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import psutil

from froude.base.errors import FroudeError, InputError, TargetError
from froude.base.files import atomic_write_text, read_bounded, stated_os_errors
from froude.hadoop.distribution import Hadoop

_POLL_S = 0.05
_FALL_S = 10
_STATE = "state.json"
_FAILURE = "failure.txt"
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
        """The process that has this id now."""
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


def folder_of(workspace: Path) -> Path:
    """Where a workspace keeps its background cluster."""
    return Path(workspace).absolute() / "hadoop"


def running(workspace: Path) -> State | None:
    """What runs in the background of this workspace; None when nothing does.

    Raises:
        InputError: the state file is not one.
    """
    state = _read(folder_of(workspace) / _STATE)
    return state if state is not None and state.supervisor.alive else None


def start(workspace: Path, wanted: Wanted, *, timeout_s: float = 180) -> State:
    """Start a cluster in the background and wait until it is live.

    Args:
        workspace: the folder that it belongs to.
        wanted: what to start.
        timeout_s: how long it may take.

    Raises:
        InputError: one runs there already.
        TargetError: it did not come up; with the daemon's own last error.
    """
    folder = folder_of(workspace)
    if running(workspace) is not None:
        raise InputError("a cluster runs here already", file=folder, remedy="End it: `froude hadoop down`")
    if folder.exists() and not (folder / _OUTPUT).is_file():
        remedy = "Remove it, or choose another --workspace"
        raise InputError("is in the way, and not a cluster's folder", file=folder, remedy=remedy)
    shutil.rmtree(folder, ignore_errors=True)
    with stated_os_errors(folder):
        folder.mkdir(parents=True, mode=0o700)
    with (folder / _OUTPUT).open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "froude.hadoop.background", str(folder), json.dumps(asdict(wanted))],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=folder,
        )
    try:
        return _await_start(folder, process, timeout_s)
    except BaseException as error:  # an interrupt, too: nothing half-started is left
        _abandon(process)
        if not isinstance(error, TargetError):  # which may name a log in there
            shutil.rmtree(folder, ignore_errors=True)
        raise


def stop(workspace: Path, *, timeout_s: float = 30) -> State | None:
    """End what `start` started, exactly that, and remove its folder.

    Returns:
        What was ended; None when nothing ran.

    Raises:
        TargetError: a process does not end.
    """
    folder = folder_of(workspace)
    state = running(workspace)
    if state is not None:
        process = psutil.Process(state.supervisor.pid)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout_s)
        except psutil.TimeoutExpired:
            process.kill()  # its daemons fall with it: their reapers see to that
        _await_end(state, timeout_s)
    if (folder / _STATE).exists() or state is not None:
        shutil.rmtree(folder, ignore_errors=True)
    return state


def _await_start(folder: Path, process: subprocess.Popen[bytes], timeout_s: float) -> State:
    deadline = time.monotonic() + timeout_s
    while (state := _read(folder / _STATE)) is None:
        if process.poll() is not None:
            raise _failure(folder)
        if time.monotonic() > deadline:
            raise TargetError(f"did not come up in {timeout_s:g} s", file=folder)
        time.sleep(_POLL_S)
    return state


def _abandon(process: subprocess.Popen[bytes]) -> None:
    """End a supervisor and wait for its daemons, which fall with it by their reapers."""
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    process.kill()
    process.wait()
    psutil.wait_procs(family, timeout=_FALL_S)


def _await_end(state: State, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while left := [each for each in state.daemons if each.alive]:
        if time.monotonic() > deadline:
            raise TargetError("does not end", file=left[0].name, found=f"process {left[0].pid}")
        time.sleep(_POLL_S)


def _failure(folder: Path) -> TargetError:
    """What the supervisor said of its end."""
    told = folder / _FAILURE
    text = told.read_text() if told.is_file() else (folder / _OUTPUT).read_text()[-500:]
    if not (folder / "run").exists():  # it never began: there is no log to keep
        shutil.rmtree(folder, ignore_errors=True)
    return TargetError(f"the cluster did not come up: {text.strip()}", file=folder)


def _read(path: Path) -> State | None:
    if not path.is_file():
        return None
    try:
        told: dict[str, Any] = json.loads(read_bounded(path, limit_bytes=1 << 20))
        told["supervisor"] = Process(**told["supervisor"])
        told["daemons"] = [Process(**each) for each in told["daemons"]]
        return State(**told)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("is no state of a cluster", file=path, remedy="Remove the file") from error


def supervise(folder: Path, wanted: Wanted) -> None:
    """Hold a cluster until SIGTERM: the body of the detached process.

    Args:
        folder: its run folder, which exists.
        wanted: what to start.
    """
    hadoop = Hadoop.find(wanted.release, wanted.home)
    with hadoop.cluster(
        datanodes=wanted.datanodes,
        replication=wanted.replication,
        heap=wanted.heap,
        fast=wanted.fast,
        folder=folder / "run",
    ) as cluster:
        cluster.wait_live()
        nn = cluster.namenode
        nodes = zip(cluster.datanodes, cluster.node_addresses, strict=True)
        state = State(
            supervisor=Process.of("supervisor", os.getpid()),
            release=hadoop.version,
            uri=nn.uri,
            http=f"http://{nn.http[0]}:{nn.http[1]}",
            cluster_id=nn.cluster_id,
            block_pool_id=nn.block_pool_id,
            daemons=[
                Process.of("namenode", nn.pid, f"{nn.host}:{nn.port}"),
                *(Process.of(node.name, node.pid, address) for node, address in nodes),
            ],
        )
        atomic_write_text(folder / _STATE, json.dumps(asdict(state), indent=1))
        while True:
            signal.pause()


def _main(folder: Path, wanted: Wanted) -> int:
    def end(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        supervise(folder, wanted)
    except FroudeError as error:
        atomic_write_text(folder / _FAILURE, str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), Wanted(**json.loads(sys.argv[2]))))
